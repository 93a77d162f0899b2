package normalize

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A class is the effect of a character or a piece of markup on the current word
// and the current line.
type class uint8

const (
	split  class = iota // ends the word
	keep                // belongs to the word
	gone                // is deleted; the word continues
	tag                 // like gone, but a line of nothing else is blank: deleted markup
	hidden              // like tag, and not part of the byte range of a paragraph at its ends
	breaks              // ends the word and the line
	space               // ends the word; a line of nothing else is blank
)

// Invisible reports whether r is a character that is not displayed and never
// separates words: one with the Unicode property Default_Ignorable_Code_Point, such as a
// soft hyphen, a zero-width space, a control of direction or a Hangul filler; a sign that
// annotates lines; a format control of hieroglyphs; or the placeholder of an object.
func Invisible(r rune) bool {
	switch {
	case r < 0x300:
		return r == 0xAD
	case 0x900 <= r && r < 0x115F, 0x3165 <= r && r < 0xFE00: // most scripts of Asia, for speed
		return false
	case r == 0xFFFC:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// classify returns the class of a character in composed form that no rule
// deletes.
func classify(r rune, keepPunctuation bool) class {
	switch {
	case r == '\n', r == '\r', r == 0x85, r == 0x2028, r == 0x2029:
		return breaks
	case unicode.IsSpace(r):
		return space
	case Invisible(r):
		return hidden
	case unicode.Is(omissible, r):
		return gone
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return keep
	case keepPunctuation && !unicode.IsControl(r):
		return keep
	}
	return split
}

// tableSize is the number of characters whose class is stored in a table. It
// covers, among others, the alphabets of Europe and their punctuation.
const tableSize = 0x2100

// firstMark is the lowest combining character, and firstMarkByte is the first byte
// of its UTF-8. A character before a lower byte has no mark.
const (
	firstMark     = 0x300
	firstMarkByte = 0xCC
)

// A table has the classes of the characters below tableSize, and the tables for the
// fast path of the scanner.
type table struct {
	class  [tableSize]class
	mark   [tableSize]bool // combines with the character before it, like an accent
	slow   [tableSize]bool // composition may change it or combine it with others
	begins [tableSize]bool // may begin markup

	ascii [256]byte    // the lower-case form of a fast word character, else 0
	two   [2048]uint16 // the same for two-byte characters, first byte lowest
	parts [256]class   // space or split for a byte that always separates words, else keep

	between [256]class // like parts, but with breaks for a line feed
	letters bool       // all ASCII letters are fast, and lower-casing is their only change
}

// tables are created on first use: without and with punctuation kept.
var tables = [2]func() *table{
	sync.OnceValue(func() *table { return newTable(false) }),
	sync.OnceValue(func() *table { return newTable(true) }),
}

func newTable(keepPunctuation bool) *table {
	t := new(table)
	for r := range rune(tableSize) {
		t.class[r] = classify(r, keepPunctuation)
		t.mark[r] = !norm.NFC.PropertiesString(string(r)).BoundaryBefore()
		t.slow[r] = t.mark[r] || r == '\r' || isForm(r) || !norm.NFC.IsNormalString(string(r))
	}
	return t
}

// tableOf returns a new table, whose fast forms are not filled in yet.
func tableOf(keepPunctuation bool) table {
	if keepPunctuation {
		return *tables[1]()
	}
	return *tables[0]()
}

// fill sets the fast forms, given the rules for markup. Fast characters begin no
// rule, and either separate words, or belong to words and have a composed lower-case
// form of the same length.
func (t *table) fill(m *markup) {
	for b := range t.parts {
		t.parts[b] = keep
	}
	for r := range rune(tableSize) {
		low := foldRune(r)
		t.begins[r] = m.begins(low)
		if c := t.class[r]; r < utf8.RuneSelf && (c == space || c == split) && !t.slow[r] && !t.begins[r] {
			t.parts[r] = c
		}
		if r >= 0x800 || t.class[r] != keep || t.slow[r] || t.begins[r] || low >= tableSize || utf8.RuneLen(low) != utf8.RuneLen(r) {
			continue
		}
		var b [2]byte
		utf8.EncodeRune(b[:], low)
		if r < utf8.RuneSelf {
			t.ascii[r] = b[0]
		} else {
			t.two[r] = uint16(b[0]) | uint16(b[1])<<8
		}
	}
	t.fillStretches()
}

// fillStretches sets between and letters, which [Scanner.Fill] uses, from the other
// fields.
func (t *table) fillStretches() {
	t.between = t.parts
	if t.class['\n'] == breaks && !t.begins['\n'] {
		t.between['\n'] = breaks
	}
	t.letters = true
	for b := byte('A'); b <= 'Z'; b++ {
		t.letters = t.letters && t.ascii[b] == b|0x20 && t.ascii[b|0x20] == b|0x20
	}
}

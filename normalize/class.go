package normalize

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A class says what a character, or a piece of markup, does to the word it
// meets and to the line it is on.
type class uint8

const (
	split  class = iota // ends the word
	keep                // belongs to the word
	gone                // vanishes, the word goes on
	tag                 // as gone, but leaves a blank line blank: deleted markup
	hidden              // as tag, and no paragraph begins or ends with it
	breaks              // ends the word and the line
	space               // ends the word, leaves a blank line blank
)

// invisible are the characters that show nothing and so part nothing: soft
// hyphen, zero-width characters, word joiner, byte order mark, and the controls
// of direction, ligatures and glyph variants.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00AD, Hi: 0x00AD, Stride: 1},
		{Lo: 0x034F, Hi: 0x034F, Stride: 1},
		{Lo: 0x061C, Hi: 0x061C, Stride: 1},
		{Lo: 0x180B, Hi: 0x180F, Stride: 1},
		{Lo: 0x200B, Hi: 0x200F, Stride: 1},
		{Lo: 0x202A, Hi: 0x202E, Stride: 1},
		{Lo: 0x2060, Hi: 0x206F, Stride: 1},
		{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1},
		{Lo: 0xFEFF, Hi: 0xFEFF, Stride: 1},
	},
	R32:         []unicode.Range32{{Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1}},
	LatinOffset: 1,
}

// Invisible reports whether r shows nothing and separates nothing, in any text.
func Invisible(r rune) bool { return unicode.Is(invisible, r) }

// classify returns the class of a character in composed form, where no rule
// deletes it.
func classify(r rune, keepPunctuation bool) class {
	switch {
	case r == '\n', r == '\r', r == 0x85, r == 0x2028, r == 0x2029:
		return breaks
	case unicode.IsSpace(r):
		return space
	case Invisible(r):
		return hidden
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return keep
	case keepPunctuation && !unicode.IsControl(r):
		return keep
	}
	return split
}

// lowerRune returns the lower-case form of r. A final sigma becomes a plain
// one, as in a word written in capitals.
func lowerRune(r rune) rune {
	if r == 'ς' {
		return 'σ'
	}
	return unicode.ToLower(r)
}

// tableSize is the number of characters that have their class in a table: the
// alphabets of Europe and the punctuation that goes with them.
const tableSize = 0x2100

// firstMark is the lowest character that can join the one before it, and
// firstMarkByte its first byte: what is before a lower byte is alone.
const (
	firstMark     = 0x300
	firstMarkByte = 0xCC
)

// A table has the classes of the first characters, and what the fast path of
// the scanner needs to know of them.
type table struct {
	class  [tableSize]class
	mark   [tableSize]bool // joins the character before it, as an accent does
	slow   [tableSize]bool // may be another character when composed, or part of one
	begins [tableSize]bool // may begin markup

	ascii [256]byte    // of a fast word character its lower-case form, or 0
	two   [2048]uint16 // the same for two-byte characters, first byte lowest
	parts [256]class   // space or split for a byte that is nothing else, or keep

	between [256]class // as parts, but with breaks for a line feed
	letters bool       // ASCII letters are all fast, and nothing else than lower-cased
}

// tables are made when first asked for: without and with punctuation kept.
var tables = [2]func() *table{
	sync.OnceValue(func() *table { return newTable(false) }),
	sync.OnceValue(func() *table { return newTable(true) }),
}

func newTable(keepPunctuation bool) *table {
	t := new(table)
	for r := range rune(tableSize) {
		t.class[r] = classify(r, keepPunctuation)
		t.mark[r] = !norm.NFC.PropertiesString(string(r)).BoundaryBefore()
		t.slow[r] = t.mark[r] || r == '\r' || !norm.NFC.IsNormalString(string(r))
	}
	return t
}

// tableOf returns a table of its own for rules, without the fast forms.
func tableOf(keepPunctuation bool) table {
	if keepPunctuation {
		return *tables[1]()
	}
	return *tables[0]()
}

// fill sets the fast forms, given the rules for markup: of characters that begin
// no rule and either separate words, or stay and have a composed lower-case form of
// their own length.
func (t *table) fill(m *markup) {
	for b := range t.parts {
		t.parts[b] = keep
	}
	for r := range rune(tableSize) {
		low := lowerRune(r)
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

// fillStretches sets what [Scanner.Fill] needs besides, which follows from the
// rest.
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

package disguise

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// clean reports, at a glance, that text holds no disguise; false says nothing.
// Nearly all text is clean: it has only characters that cannot be part of one,
// and no row of single characters between spaces that is long enough for a
// spaced word. Eight bytes are looked at together.
func clean(text string) bool {
	g := gaps{last: -1}
	at := 0
	for ; at+8 <= len(text); at += 8 {
		w := binary.LittleEndian.Uint64([]byte(text[at : at+8]))
		if w&highBits != 0 && !g.each(text, at, at+8) {
			return false
		} else if w&highBits != 0 {
			continue
		}
		for m := zeroBytes(w ^ spaces); m != 0; m &= m - 1 {
			if !g.space(text, at+bits.TrailingZeros64(m)/8) {
				return false
			}
		}
	}
	return g.each(text, at, len(text))
}

const (
	highBits = 0x8080808080808080
	lowBits  = 0x0101010101010101
	spaces   = ' ' * lowBits
)

// zeroBytes returns the high bit of each byte of w that is 0, for bytes below
// 0x80.
func zeroBytes(w uint64) uint64 { return ^(w + (highBits - lowBits)) & highBits }

// gaps follows the spaces of a text.
type gaps struct {
	last   int // where the space before stands, -1 before the first
	lonely int // spaces so far in a row, each with one character between
	wide   int // where the wide space before ends
}

// space takes the space at, and reports whether there may be no spaced word
// here: five letters have four spaces between them.
func (g *gaps) space(text string, at int) bool {
	if size := at - g.last - 1; g.last >= 0 && 0 < size && size <= utf8.UTFMax && size == sizeOf(text[g.last+1]) {
		g.lonely++
	} else {
		g.lonely = 0
	}
	g.last = at
	return g.lonely < minSpaced-2
}

// each takes the bytes of text in [from, to) one by one, from the start of a
// character on where one is cut.
func (g *gaps) each(text string, from, to int) bool {
	for at := from; at < to; at++ {
		switch c := text[at]; {
		case c == ' ':
			if !g.space(text, at) {
				return false
			}
		case c >= 0xC0 && !g.character(text, at):
			return false
		}
	}
	return true
}

// character takes the character at, which is not ASCII, and reports whether it
// is harmless. The Latin letters, accents and the punctuation of Europe are.
func (g *gaps) character(text string, at int) bool {
	size := sizeOf(text[at])
	if at+size > len(text) {
		return false
	}
	second := text[at+1]
	switch c := text[at]; {
	case c == 0xC2:
		return second != 0xAD && (second != 0xA0 || g.wideSpace(at, size))
	case c == 0xC9:
		return second < 0x90 // before the phonetic signs
	case c <= 0xCC:
		return true
	case c == 0xCD:
		return second < 0xB0 && second != 0x8F
	case c == 0xE1:
		return 0xB8 <= second && second <= 0xBB
	case c == 0xE2 && second == 0x80:
		switch third := text[at+2]; {
		case third <= 0x8A, third == 0xAF:
			return g.wideSpace(at, size)
		case third <= 0x8F, 0xAA <= third && third <= 0xAE:
			return false
		}
		return true
	case c == 0xE2:
		return second >= 0x82 && second <= 0x83 || second >= 0x86
	}
	return false
}

// wideSpace takes a space of several bytes. Two with little between may part
// the letters of a word.
func (g *gaps) wideSpace(at, size int) bool {
	far := at-g.wide > utf8.UTFMax
	g.wide = at + size
	return far
}

// sizeOf returns how many bytes a character has that starts with c.
func sizeOf(c byte) int {
	switch {
	case c < 0xC0:
		return 1
	case c < 0xE0:
		return 2
	case c < 0xF0:
		return 3
	}
	return 4
}

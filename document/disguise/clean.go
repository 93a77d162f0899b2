package disguise

import (
	"encoding/binary"
	"math/bits"
	"unicode"
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
			if space := at + bits.TrailingZeros64(m)/8; !g.gap(text, space, space+1) {
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

// gaps follows the gaps of a text, which are single spaces of any width.
type gaps struct {
	first int // where the first gap of a row starts that has lone letters between them
	last  int // where the gap before ends, -1 before the first
	lone  int // letters between the gaps of the row
}

// gap takes the gap in [at, end) and reports whether no spaced word is here. Its
// inner letters stand between gaps; the first may have something else before
// it, and the last behind it.
func (g *gaps) gap(text string, at, end int) bool {
	if g.last >= 0 && loneLetter(text, g.last, at) {
		g.lone++
	} else {
		g.lone, g.first = 0, at
	}
	g.last = end
	if g.lone < minSpaced-2 {
		return true
	}
	letters := g.lone
	if endsAlone(text[:g.first]) {
		letters++
	}
	if startsAlone(text[end:]) {
		letters++
	}
	return letters < minSpaced
}

// loneLetter reports whether a letter is all there is in [from, to).
func loneLetter(text string, from, to int) bool {
	if size := to - from; size == 1 {
		return isASCIILetter(text[from])
	} else if size == 0 || size > utf8.UTFMax {
		return false
	}
	r, size := utf8.DecodeRuneInString(text[from:to])
	return from+size == to && unicode.IsLetter(r)
}

// endsAlone reports whether text ends in a letter before which there is none.
func endsAlone(text string) bool {
	last, size := utf8.DecodeLastRuneInString(text)
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-size])
	return unicode.IsLetter(last) && !unicode.IsLetter(before)
}

// startsAlone reports whether text starts with a letter after which there is
// none.
func startsAlone(text string) bool {
	first, size := utf8.DecodeRuneInString(text)
	after, _ := utf8.DecodeRuneInString(text[size:])
	return unicode.IsLetter(first) && !unicode.IsLetter(after)
}

// each takes the bytes of text in [from, to) one by one, from the start of a
// character on where one is cut.
func (g *gaps) each(text string, from, to int) bool {
	for at := from; at < to; at++ {
		switch c := text[at]; {
		case c == ' ':
			if !g.gap(text, at, at+1) {
				return false
			}
		case c >= 0xC0 && !g.character(text, at):
			return false
		}
	}
	return true
}

// character takes the character at, which is not ASCII, and reports whether it
// is harmless. The Latin letters, accents and the punctuation of Europe are, but
// not the letters of phonetics.
func (g *gaps) character(text string, at int) bool {
	r, size := utf8.DecodeRuneInString(text[at:])
	switch {
	case isSpace(r):
		return g.gap(text, at, at+size)
	case isInvisible(r):
		return r == 0xFEFF && at == 0
	}
	return r < 0x250 || 0x2B9 <= r && r < 0x370 || 0x1E00 <= r && r < 0x1F00 || 0x2010 <= r && r < 0x2100 || r == '№' || r == '™' || 0x2190 <= r && r < 0x2460 || 0x2500 <= r && r < 0x2800
}

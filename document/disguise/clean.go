package disguise

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/normalize"
)

// clean reports, by a quick scan, that text has no disguise; false means unknown. Nearly all
// texts are clean: they have only harmless characters, and no row of single letters long
// enough for a spaced word. Most text is plain, so that gaps are tracked only around other
// characters.
func clean(text string) bool {
	g, at := gaps{last: -1}, len(text)-len(strings.TrimPrefix(text, "\ufeff"))
	for {
		if at = plain(text, at); at == len(text) {
			return true
		}
		ok := false
		if at, ok = g.around(text, at); !ok {
			return false
		}
	}
}

// plain returns the end of the text from at that has only common European letters and never
// two single letters in a row, or an offset less than eight bytes before the first exception.
// It runs almost without branches.
func plain(text string, at int) int {
	w := load(text[at:])
	s := zeroBytes(w ^ spaces)   // which of eight bytes are spaces
	var two, three, alone uint64 // bits of the previous eight bytes: a single letter follows, of two bytes, of three bytes, of either
	for ; at < len(text); at += 8 {
		if odd := w & (w << 1) & highBits &^ europeanStart(w); odd != 0 && !european(text, at, odd) {
			return at
		}
		next := load(text[min(at+8, len(text)):])
		gaps := zeroBytes(next ^ spaces)
		a := s & (s>>16 | gaps<<48)
		b := s & (w&highBits>>8 | next&highBits<<56) & (s>>24 | gaps<<40)
		if two&(alone>>16|(a|b)<<48)|three&(alone>>24|(a|b)<<40) != 0 {
			return at
		}
		two, three, alone = a, b, a|b
		w, s = next, gaps
	}
	if two&(alone>>16)|three&(alone>>24) != 0 {
		return at - 8
	}
	return len(text)
}

// europeanStart returns the high bit of each byte of w from 0xC3 to 0xC8, the first bytes of
// most non-ASCII letters.
func europeanStart(w uint64) uint64 {
	x := w &^ highBits
	return (x + (0x80-0x43)*lowBits) &^ (x + (0x80-0x49)*lowBits) & w & highBits
}

// european reports whether the characters whose first bytes odd marks, among the eight bytes
// at an offset, are common European signs: not spaces, marks or three-byte letters.
func european(text string, at int, odd uint64) bool {
	for ; odd != 0; odd &= odd - 1 {
		r, _ := utf8.DecodeRuneInString(text[at+bits.TrailingZeros64(odd)/8:])
		switch {
		case 0xA1 <= r && r < 0x250 && r != 0xAD:
		case 0x2010 <= r && r < 0x2028, 0x2030 <= r && r < 0x205F, r == '€':
		default:
			return false
		}
	}
	return true
}

// load returns the first eight bytes of text, padded with zeros.
func load(text string) uint64 {
	if len(text) >= 8 {
		return binary.LittleEndian.Uint64([]byte(text[:8]))
	}
	var b [8]byte
	copy(b[:], text)
	return binary.LittleEndian.Uint64(b[:])
}

const (
	highBits = 0x8080808080808080
	lowBits  = 0x0101010101010101
	spaces   = ' ' * lowBits
)

// zeroBytes returns the high bit of each zero byte of w.
func zeroBytes(w uint64) uint64 { return ^((w&^highBits + (highBits - lowBits)) | w) & highBits }

// A gaps tracks the gaps of a text: single spaces of any width.
type gaps struct {
	first  int // start of the first gap of a row with single letters between the gaps
	last   int // end of the previous gap, -1 before the first
	lone   int // single letters in the row
	narrow int // narrow spaces before letters so far
	rare   int // marks and similar characters so far, of which honest texts have some
}

// The bytes that are scanned before and after a place that is not plain: a row of single
// letters starts less than beforeOdd before it, and more exceptions often follow soon.
const (
	beforeOdd = 24
	afterOdd  = 64
)

// around scans the gaps around a place up to which the text was plain. It returns the next
// space outside any row, or the end; ok is false if something is not harmless.
func (g *gaps) around(text string, place int) (calm int, ok bool) {
	from := max(g.last, 0)
	if near := strings.LastIndexByte(text[from:max(place-beforeOdd, from)], ' '); near >= 0 {
		g.restart(from + near)
		from = g.last
	}
	return g.follow(text, from, place+afterOdd)
}

// follow scans the gaps from an offset up to the first one after until that is outside any
// row. Of eight bytes at a time, it examines only spaces and first bytes of multi-byte
// characters.
func (g *gaps) follow(text string, from, until int) (calm int, ok bool) {
	for at := from; at < len(text); at += 8 {
		w := load(text[at:])
		for m := zeroBytes(w^spaces) | w&(w<<1)&highBits; m != 0; m &= m - 1 {
			i := at + bits.TrailingZeros64(m)/8
			if text[i] == ' ' && i > g.last+1 && text[i-1] < utf8.RuneSelf {
				g.restart(i) // a two-byte piece that ends in ASCII is not a letter
			} else if !g.character(text, i) {
				return i, false
			}
			if i >= until && text[i] == ' ' && g.lone == 0 {
				return i, true
			}
		}
	}
	return len(text), true
}

// gap processes the gap [at, end) and reports whether no spaced word ends here. The inner
// letters of a spaced word are between gaps; the first may follow, and the last may precede,
// something else.
func (g *gaps) gap(text string, at, end int) bool {
	if g.last >= 0 && loneLetter(text, g.last, at) {
		g.lone++
	} else {
		g.restart(at)
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

// restart starts a row with the space at.
func (g *gaps) restart(at int) { g.lone, g.first, g.last = 0, at, at+1 }

// loneLetter reports whether [from, to) is one letter with its marks.
func loneLetter(text string, from, to int) bool {
	switch size := to - from; {
	case size == 1:
		return isASCIILetter(text[from])
	case size == 0, text[to-1] < utf8.RuneSelf:
		return false
	}
	return startsAlone(text[from:to]) && skipMarks(text[from:to]) == ""
}

// startsAlone reports whether text starts with a single letter.
func startsAlone(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	after, _ := utf8.DecodeRuneInString(skipMarks(text))
	return unicode.IsLetter(first) && !unicode.IsLetter(after)
}

// skipMarks returns text without its first character and the marks after it.
func skipMarks(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.TrimLeftFunc(text[size:], unicode.IsMark)
}

// endsAlone reports whether text ends with a single letter.
func endsAlone(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsMark)
	last, size := utf8.DecodeLastRuneInString(text)
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-size])
	return unicode.IsLetter(last) && !unicode.IsLetter(before)
}

// character processes a space or a non-ASCII character and reports whether it is harmless.
// Latin letters, accents and European punctuation are; phonetic letters are not.
func (g *gaps) character(text string, at int) bool {
	switch c := text[at]; {
	case c == ' ':
		return g.gap(text, at, at+1)
	case 0xC3 <= c && c <= 0xC8:
		return true // Latin letters
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	switch {
	case isNarrow(r):
		if first, _ := utf8.DecodeRuneInString(text[at+size:]); unicode.IsLetter(first) {
			g.narrow++
		}
		return g.narrow < leastNarrow && g.gap(text, at, at+size)
	case isSpace(r):
		return g.gap(text, at, at+size)
	case normalize.Invisible(r):
		return r == 0xFEFF && at == 0
	case isRare(r):
		g.rare++
		return g.rare < mostWorn
	}
	return r < 0x250 || 0x2B9 <= r && r < 0x370 || 0x1E00 <= r && r < 0x1F00 || 0x2010 <= r && r < 0x2100 || r == '№' || r == '™' || 0x2190 <= r && r < 0x2460 || 0x2500 <= r && r < 0x2800
}

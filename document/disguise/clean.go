package disguise

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/normalize"
)

// clean reports, at a glance, that text holds no disguise; false says nothing.
// Nearly all text is clean: it has only characters that cannot be part of one,
// and no row of lone letters that is long enough for a spaced word. Most of it is
// plain, and gaps are followed only around what is not.
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

// plain returns up to where from a place on text has only characters that most of
// Europe writes, and nowhere two lone letters in a row: all of it, or to less than
// eight bytes before what is other. That is found with next to no branches.
func plain(text string, at int) int {
	w := load(text[at:])
	s := zeroBytes(w ^ spaces)   // which of eight bytes are spaces
	var two, three, alone uint64 // which of the eight before are followed by a lone letter of so many bytes, less one, or of either
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

// europeanStart returns the high bit of each byte of w from 0xC3 to 0xC8, with which most
// letters begin that are not ASCII.
func europeanStart(w uint64) uint64 {
	x := w &^ highBits
	return (x + (0x80-0x43)*lowBits) &^ (x + (0x80-0x49)*lowBits) & w & highBits
}

// european reports whether those of the eight characters at a place that odd has the
// first bytes of are signs of most languages of Europe: neither spaces, marks nor
// letters of three bytes.
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

// load returns the first eight bytes of text, zeros where it has less.
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

// zeroBytes returns the high bit of each byte of w that is 0.
func zeroBytes(w uint64) uint64 { return ^((w&^highBits + (highBits - lowBits)) | w) & highBits }

// gaps follows the gaps of a text, which are single spaces of any width.
type gaps struct {
	first  int // where the first gap of a row starts that has lone letters between them
	last   int // where the gap before ends, -1 before the first
	lone   int // letters between the gaps of the row
	narrow int // narrow spaces before letters so far
	rare   int // marks and the like so far, of which honest texts have some
}

// What is followed before and after a place that is not plain, in bytes: a row of lone
// letters begins less than beforeOdd before it, and there is often more soon after it.
const (
	beforeOdd = 24
	afterOdd  = 64
)

// around follows the gaps around a place up to which text was plain. It returns the
// next space at which no row is under way, the end where there is none; ok is false
// where something is not harmless.
func (g *gaps) around(text string, place int) (calm int, ok bool) {
	from := max(g.last, 0)
	if near := strings.LastIndexByte(text[from:max(place-beforeOdd, from)], ' '); near >= 0 {
		g.restart(from + near)
		from = g.last
	}
	return g.follow(text, from, place+afterOdd)
}

// follow follows the gaps from a place on, until one from until on at which no row is
// under way. Of eight bytes at a time, only spaces and first bytes of longer
// characters are looked at.
func (g *gaps) follow(text string, from, until int) (calm int, ok bool) {
	for at := from; at < len(text); at += 8 {
		w := load(text[at:])
		for m := zeroBytes(w^spaces) | w&(w<<1)&highBits; m != 0; m &= m - 1 {
			i := at + bits.TrailingZeros64(m)/8
			if text[i] == ' ' && i > g.last+1 && text[i-1] < utf8.RuneSelf {
				g.restart(i) // what ends in ASCII and has two bytes is no letter
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

// gap takes the gap in [at, end) and reports whether no spaced word is here. Its
// inner letters are between gaps; the first may have something else before
// it, and the last after it.
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

// restart lets a row start with the space at.
func (g *gaps) restart(at int) { g.lone, g.first, g.last = 0, at, at+1 }

// loneLetter reports whether a letter, with its marks, is all there is in
// [from, to).
func loneLetter(text string, from, to int) bool {
	switch size := to - from; {
	case size == 1:
		return isASCIILetter(text[from])
	case size == 0, text[to-1] < utf8.RuneSelf:
		return false
	}
	return startsAlone(text[from:to]) && skipMarks(text[from:to]) == ""
}

// startsAlone reports whether text starts with a letter after which there is
// none.
func startsAlone(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	after, _ := utf8.DecodeRuneInString(skipMarks(text))
	return unicode.IsLetter(first) && !unicode.IsLetter(after)
}

// skipMarks returns text without its first character and the marks that follow.
func skipMarks(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.TrimLeftFunc(text[size:], unicode.IsMark)
}

// endsAlone reports whether text ends in a letter before which there is none.
func endsAlone(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsMark)
	last, size := utf8.DecodeLastRuneInString(text)
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-size])
	return unicode.IsLetter(last) && !unicode.IsLetter(before)
}

// character takes the character at, a space or one that is not ASCII, and
// reports whether it is harmless. The Latin letters, accents and the punctuation
// of Europe are, but not the letters of phonetics.
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

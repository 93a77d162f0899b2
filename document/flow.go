package document

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A gap is what parts two pieces of text. Of several in a row the largest
// counts.
type gap uint8

const (
	noGap gap = iota
	space     // between words
	wide      // between words whose letters are parted by spaces
	cell      // between the cells of a table
	line      // between lines
	part      // between paragraphs
)

var gapText = [...]string{noGap: "", space: " ", wide: "  ", cell: "\t", line: "\n", part: "\n\n"}

// A flow builds the original text out of pieces of markup: white space becomes
// one space, and gaps never stand at the start or the end.
type flow struct {
	buf     []byte
	pending gap
	broken  bool // there is more in the pending gap than spaces
	marks   []Mark
	flags   []Flag
}

// largePage is a size in bytes from which on room for all of the text is made
// at once: growing would take more than twice as much.
const largePage = 16 << 20

// expect makes room for the text of a page of so many bytes, if it is large.
func (f *flow) expect(size int) {
	if size >= largePage {
		f.buf = slices.Grow(f.buf, size)
	}
}

// gap notes a gap before whatever comes next.
func (f *flow) gap(g gap) { f.pending = max(f.pending, g) }

// lineBreak ends a line. Two of them end the paragraph, as writers of HTML
// use them.
func (f *flow) lineBreak() {
	if f.pending == line {
		f.pending = part
	}
	f.gap(line)
}

// text adds running text.
func (f *flow) text(s []byte) {
	for len(s) > 0 {
		if n := plain(s); n > 0 {
			f.flush()
			f.buf = append(f.buf, s[:n]...)
			s = s[n:]
			continue
		}
		r, size := utf8.DecodeRune(s)
		if r == ' ' && f.pending == space && !f.broken && f.lone() {
			f.gap(wide)
		} else if isSpace(r) {
			f.broken = f.broken && f.pending != noGap || r != ' '
			f.gap(space)
		} else {
			f.rune(r, s[:size])
		}
		s = s[size:]
	}
}

// lone reports whether the text ends with a letter that stands by itself.
func (f *flow) lone() bool {
	r, size := utf8.DecodeLastRune(f.buf)
	if !unicode.IsLetter(r) {
		return false
	}
	before, _ := utf8.DecodeLastRune(f.buf[:len(f.buf)-size])
	return len(f.buf) == size || unicode.IsSpace(before)
}

// verbatim adds text whose white space counts.
func (f *flow) verbatim(s []byte) {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		f.rune(r, s[:size])
		s = s[size:]
	}
}

// plain returns how many bytes at the start of s are visible ASCII characters,
// which need no closer look.
func plain(s []byte) int {
	for i, b := range s {
		if b <= ' ' || b >= 0x7f {
			return i
		}
	}
	return len(s)
}

// flush writes the gap before what comes next.
func (f *flow) flush() {
	if f.pending != noGap && len(f.buf) > 0 {
		f.buf = append(f.buf, gapText[f.pending]...)
	}
	f.pending = noGap
}

// rune adds one character, which raw holds. What cannot stand in a text is
// shown as being lost.
func (f *flow) rune(r rune, raw []byte) {
	f.flush()
	if r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r) {
		f.buf = utf8.AppendRune(f.buf, utf8.RuneError)
		return
	}
	f.buf = append(f.buf, raw...)
}

// String returns the text. Nothing may be added after it.
func (f *flow) String() string {
	if cap(f.buf) >= largePage && len(f.buf) < cap(f.buf)/2 {
		f.buf = slices.Clone(f.buf)
	}
	return asString(f.buf)
}

// isSpace reports whether r is white space that has no meaning of its own; a
// no-break space has.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) && r != 0xA0 && r != 0x202F && r != 0x2007
}

// oneLine returns s with white space collapsed and nothing that cannot stand
// in a text, for titles and names.
func oneLine(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "")
	return strings.Join(strings.Fields(s), " ")
}

// Package flow puts the original text of a document together, piece by piece.
//
// A [Builder] makes one space of all white space, and keeps what separates two pieces
// until the next one comes, so that gaps are never at the start or the end. A
// [Body] adds what office documents have: paragraphs in cells, and notes that come
// after the paragraph they belong to.
package flow

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/otisk/otisk/document/format"
)

// A Gap is what separates two pieces of text. Of several in a row the largest
// counts.
type Gap uint8

// The gaps, the larger later.
const (
	None  Gap = iota
	Space     // between words
	Wide      // between words whose letters are separated by spaces
	Cell      // between the cells of a table
	Line      // between lines
	Part      // between paragraphs
)

var gapText = [...]string{None: "", Space: " ", Wide: "  ", Cell: "\t", Line: "\n", Part: "\n\n"}

// A Builder builds the original text out of pieces of markup: white space becomes
// one space, and gaps are never at the start or the end.
type Builder struct {
	buf     []byte
	pending Gap
	broken  bool // there is more in the pending gap than spaces
	marks   []format.Mark
	flags   []format.Flag
}

// largePage is a size in bytes from which on room for all of the text is made
// at once: growing would take more than twice as much.
const largePage = 16 << 20

// Expect makes room for the text of a page of so many bytes, if it is large.
func (f *Builder) Expect(size int) {
	if size >= largePage {
		f.buf = slices.Grow(f.buf, size)
	}
}

// Gap notes a gap before whatever comes next.
func (f *Builder) Gap(g Gap) { f.pending = max(f.pending, g) }

// LineBreak ends a line. Two of them end the paragraph, as writers of HTML
// use them.
func (f *Builder) LineBreak() {
	if f.pending == Line {
		f.pending = Part
	}
	f.Gap(Line)
}

// Text adds running text.
func (f *Builder) Text(s []byte) {
	for len(s) > 0 {
		if n := plain(s); n > 0 {
			f.flush()
			f.buf = append(f.buf, s[:n]...)
			s = s[n:]
			continue
		}
		r, size := utf8.DecodeRune(s)
		if blank(r) && f.pending == Space && !f.broken && f.lone() {
			f.Gap(Wide)
		} else if isSpace(r) {
			f.broken = f.broken && f.pending != None || !blank(r)
			f.Gap(Space)
		} else {
			f.rune(r, s[:size])
		}
		s = s[size:]
	}
}

// blank reports whether a character is a space of some width, and no end of a line.
func blank(r rune) bool { return r == ' ' || isSpace(r) && unicode.Is(unicode.Zs, r) }

// lone reports whether the text ends with a letter by itself.
func (f *Builder) lone() bool {
	r, size := utf8.DecodeLastRune(f.buf)
	if !unicode.IsLetter(r) {
		return false
	}
	before, _ := utf8.DecodeLastRune(f.buf[:len(f.buf)-size])
	return len(f.buf) == size || unicode.IsSpace(before)
}

// WithinWord reports whether the text ends with a letter, and no gap is noted after it.
func (f *Builder) WithinWord() bool {
	r, _ := utf8.DecodeLastRune(f.buf)
	return f.pending == None && unicode.IsLetter(r)
}

// Verbatim adds text whose white space counts.
func (f *Builder) Verbatim(s []byte) {
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
func (f *Builder) flush() {
	if f.pending != None && len(f.buf) > 0 {
		f.buf = append(f.buf, gapText[f.pending]...)
	}
	f.pending = None
}

// rune adds one character, which raw holds. What cannot be in a text is
// shown as being lost.
func (f *Builder) rune(r rune, raw []byte) {
	f.flush()
	if r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r) {
		f.buf = utf8.AppendRune(f.buf, utf8.RuneError)
		return
	}
	f.buf = append(f.buf, raw...)
}

// Len returns how many bytes of text there are.
func (f *Builder) Len() int { return len(f.buf) }

// Blank reports whether there is nothing but white space.
func (f *Builder) Blank() bool { return len(bytes.TrimSpace(f.buf)) == 0 }

// Start writes the gap g, in place of the one that was noted, and returns where
// the text after it starts.
func (f *Builder) Start(g Gap) int {
	f.pending = g
	f.flush()
	return len(f.buf)
}

// Glue says that what comes next follows without a gap.
func (f *Builder) Glue() { f.pending = None }

// Mark notes that the text from start to here is of a kind.
func (f *Builder) Mark(kind format.MarkKind, start int) {
	for start < len(f.buf) && f.buf[start] <= ' ' {
		start++ // the gap that was written there
	}
	f.mark(kind, start)
}

func (f *Builder) mark(kind format.MarkKind, start int) {
	if kind != "" && start < len(f.buf) {
		f.marks = append(f.marks, format.Mark{Kind: kind, Start: start, End: len(f.buf)})
	}
}

// A Looker says why text is not seen, "" where it is, and whether it takes room.
type Looker interface {
	Unseen() (why string, room bool)
}

// Show adds running text that looks as l says: as text where it is seen.
func (f *Builder) Show(s []byte, l Looker) {
	if why, room := l.Unseen(); why != "" {
		f.Unseen(s, why, room)
	} else {
		f.Text(s)
	}
}

// Unseen notes that s is here and is not seen. Where it takes room the words
// around it are two.
func (f *Builder) Unseen(s []byte, why string, room bool) {
	if room && strings.TrimSpace(string(s)) != "" {
		f.Gap(Space)
	}
	f.hide(s, why)
	f.broken = true
}

// hide notes that s is here and is not seen. Stretches that follow each
// other are one.
func (f *Builder) hide(s []byte, detail string) {
	count := Visible(string(s))
	if count == 0 {
		return
	}
	at := len(f.buf)
	if n := len(f.flags); n > 0 && f.flags[n-1].Start == at && f.flags[n-1].Detail == detail {
		f.flags[n-1].Count += count
		return
	}
	f.Hidden(at, count, detail)
}

// Hidden flags so many characters that are not seen at a place of the text.
func (f *Builder) Hidden(at, count int, why string) {
	for at > 0 && at < len(f.buf) && !utf8.RuneStart(f.buf[at]) {
		at--
	}
	f.flags = append(f.flags, format.Flag{Kind: format.HiddenText, Start: at, End: at, Count: count, Detail: why})
}

// Append adds another text as a paragraph, with its marks and flags.
func (f *Builder) Append(other *Builder) {
	f.Gap(Part)
	f.join(other, "")
}

// Put adds a text that is finished as paragraphs, with its marks and flags.
func (f *Builder) Put(t *format.Text) {
	f.Append(&Builder{buf: []byte(t.Text), marks: t.Marks, flags: t.Flags})
	f.Gap(Part)
}

// join adds the text of another builder with its marks and flags.
func (f *Builder) join(other *Builder, kind format.MarkKind) {
	if len(other.buf) > 0 {
		f.flush()
	}
	at := len(f.buf)
	f.buf = append(f.buf, other.buf...)
	f.mark(kind, at)
	for _, m := range other.marks {
		f.marks = append(f.marks, format.Mark{Kind: m.Kind, Start: m.Start + at, End: m.End + at})
	}
	for _, l := range other.flags {
		l.Start, l.End = l.Start+at, l.End+at
		f.flags = append(f.flags, l)
	}
}

// Done returns the text with what is noted of it, paragraphs separated by blank
// lines. Nothing may be added after it.
func (f *Builder) Done() (*format.Text, error) {
	t := &format.Text{Text: f.String(), Parted: true, Marks: f.marks, Flags: f.flags}
	err := t.Check()
	if err != nil && len(f.flags) > 0 {
		count := 0
		for _, l := range f.flags {
			count += l.Count
		}
		err = fmt.Errorf("%w that is seen: %d characters are hidden, the first %s", err, count, f.flags[0].Detail)
	}
	return t, err
}

// Visible counts the characters of s that are no white space.
func Visible(s string) int {
	count := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			count++
		}
	}
	return count
}

// String returns the text. Nothing may be added after it.
func (f *Builder) String() string {
	if cap(f.buf) >= largePage && len(f.buf) < cap(f.buf)/2 {
		f.buf = slices.Clone(f.buf)
	}
	return AsString(f.buf)
}

// AsString returns data as a string in the same memory. Nothing may write to
// data any more.
func AsString(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// isSpace reports whether r is white space that has no meaning of its own; a
// no-break space has, and one that is so thin that it may be in a word.
func isSpace(r rune) bool {
	switch r {
	case 0xA0, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x202F, 0x205F:
		return false
	}
	return unicode.IsSpace(r)
}

// OneLine returns s with white space collapsed and nothing that cannot be
// in a text, for titles and names.
func OneLine(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "")
	return strings.Join(strings.Fields(s), " ")
}

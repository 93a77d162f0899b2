// Package flow assembles the original text of a document from pieces.
//
// A [Builder] collapses white space and delays the gap between two pieces until the second one
// is added, so that the text neither starts nor ends with a gap. A [Body] adds the structure
// of office documents: paragraphs in cells, and notes that follow the paragraph to which they
// belong.
package flow

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// A Gap is the separator between two pieces of text. Of several in a row the largest counts.
type Gap uint8

// The gaps, in rising order.
const (
	None  Gap = iota
	Space     // between words
	Wide      // between words whose letters are separated by spaces
	Cell      // between the cells of a table
	Line      // between lines
	Part      // between paragraphs
)

var gapText = [...]string{None: "", Space: " ", Wide: "  ", Cell: "\t", Line: "\n", Part: "\n\n"}

// A Builder builds the original text from pieces of markup: it collapses white space into one
// space and omits gaps at the start and the end.
type Builder struct {
	buf     []byte
	pending Gap
	broken  bool // the pending gap has other white space than spaces
	marks   []format.Mark
	flags   []format.Flag
	raised  raised
}

// largePage is the size in bytes above which the buffer is allocated at once: growing it would
// take more than twice the memory.
const largePage = 16 << 20

// Expect allocates the buffer for a large page of this size in bytes.
func (f *Builder) Expect(size int) {
	if size >= largePage {
		f.buf = slices.Grow(f.buf, size)
	}
}

// Gap requests a gap before the next piece.
func (f *Builder) Gap(g Gap) { f.pending = max(f.pending, g) }

// LineBreak ends a line. Two in a row end the paragraph, as authors of HTML use them.
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
			divided := r == '\n' && f.pending == None && f.divided()
			if f.broken = f.broken && f.pending != None || !blank(r); divided {
				f.Gap(Line)
			} else {
				f.Gap(Space)
			}
		} else {
			f.rune(r, s[:size])
		}
		s = s[size:]
	}
}

// divided reports whether the text ends with a letter and a hyphen, so that a word may go on in the next line of the file.
func (f *Builder) divided() bool {
	hyphen, size := utf8.DecodeLastRune(f.buf)
	last, _ := utf8.DecodeLastRune(f.buf[:len(f.buf)-size])
	return strings.ContainsRune("-‐¬⸗\u00ad", hyphen) && unicode.IsLetter(last)
}

// blank reports whether a character is a space of any width, but not a line end.
func blank(r rune) bool { return r == ' ' || isSpace(r) && unicode.Is(unicode.Zs, r) }

// lone reports whether the text ends with a single letter.
func (f *Builder) lone() bool {
	r, size := utf8.DecodeLastRune(f.buf)
	if !unicode.IsLetter(r) {
		return false
	}
	before, _ := utf8.DecodeLastRune(f.buf[:len(f.buf)-size])
	return len(f.buf) == size || unicode.IsSpace(before)
}

// WithinWord reports whether the text ends with a letter and no gap is pending.
func (f *Builder) WithinWord() bool {
	r, _ := utf8.DecodeLastRune(f.buf)
	return f.pending == None && unicode.IsLetter(r)
}

// Verbatim adds text and keeps its white space.
func (f *Builder) Verbatim(s []byte) {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		f.rune(r, s[:size])
		s = s[size:]
	}
}

// plain returns the number of bytes at the start of s that are visible ASCII characters, which
// are copied as they are.
func plain(s []byte) int {
	for i, b := range s {
		if b <= ' ' || b >= 0x7f {
			return i
		}
	}
	return len(s)
}

// flush writes the pending gap.
func (f *Builder) flush() {
	if f.pending != None && len(f.buf) > 0 {
		f.buf = append(f.buf, gapText[f.pending]...)
	}
	f.pending = None
}

// rune adds one character, encoded in raw. Invalid and control characters become U+FFFD.
func (f *Builder) rune(r rune, raw []byte) {
	f.flush()
	if r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r) {
		f.buf = utf8.AppendRune(f.buf, utf8.RuneError)
		return
	}
	f.buf = append(f.buf, raw...)
}

// Len returns the length of the text in bytes.
func (f *Builder) Len() int { return len(f.buf) }

// Blank reports whether the text is only white space.
func (f *Builder) Blank() bool { return len(bytes.TrimSpace(f.buf)) == 0 }

// Start writes the gap g in place of the pending one and returns the offset after it.
func (f *Builder) Start(g Gap) int {
	f.pending = g
	f.flush()
	return len(f.buf)
}

// Glue removes the pending gap.
func (f *Builder) Glue() { f.pending = None }

// Mark marks the text from start to the end with a kind.
func (f *Builder) Mark(kind format.MarkKind, start int) {
	for start < len(f.buf) && f.buf[start] <= ' ' {
		start++ // skip the gap that was written there
	}
	f.mark(kind, start)
}

func (f *Builder) mark(kind format.MarkKind, start int) {
	if kind != "" && start < len(f.buf) {
		f.marks = append(f.marks, format.Mark{Kind: kind, Start: start, End: len(f.buf)})
	}
}

// NoteMark adds the place of a reference to a note, whose number was omitted.
func (f *Builder) NoteMark(number string) { f.markNote(number, len(f.buf)) }

func (f *Builder) markNote(number string, at int) {
	f.marks = append(f.marks, format.Mark{Kind: format.NoteMark, Start: at, End: at, Label: number})
}

// A Looker returns how text looks: why it is invisible, "" if it is visible, whether it takes up
// space, and whether it is raised above the line.
type Looker interface {
	Unseen() (why string, room bool)
	Raised() bool
}

// Show adds running text, or flags it as hidden if l says that it is invisible.
func (f *Builder) Show(s []byte, l Looker) {
	if why, room := l.Unseen(); why != "" {
		f.Unseen(s, why, room)
	} else {
		f.Raise(l.Raised())
		f.Text(s)
	}
}

// Unseen records that s is here and invisible. If it takes up space, it separates the words
// around it.
func (f *Builder) Unseen(s []byte, why string, room bool) {
	if room && strings.TrimSpace(string(s)) != "" {
		f.Gap(Space)
	}
	f.hide(s, why)
	f.broken = true
}

// hide flags s as hidden at the end of the text. Adjacent stretches become one flag.
func (f *Builder) hide(s []byte, detail string) {
	count, whole := Visible(string(s)), bytes.TrimSpace(s)
	if count == 0 || bytes.HasPrefix(whole, []byte(`{\displaystyle `)) && bytes.HasSuffix(whole, []byte("}")) {
		return // white space, or the source of a formula, which Wikipedia hides beside it
	}
	at := len(f.buf)
	if n := len(f.flags); n > 0 && f.flags[n-1].Start == at && f.flags[n-1].Detail == detail {
		f.flags[n-1].Count += count
		return
	}
	f.Hidden(at, count, detail)
}

// Hidden flags count invisible characters at an offset of the text.
func (f *Builder) Hidden(at, count int, why string) {
	for at > 0 && at < len(f.buf) && !utf8.RuneStart(f.buf[at]) {
		at--
	}
	f.flags = append(f.flags, format.Flag{Kind: format.HiddenText, Start: at, End: at, Count: count, Detail: why})
}

// Append adds the text of another builder as a paragraph, with its marks and flags.
func (f *Builder) Append(other *Builder) {
	f.Gap(Part)
	f.join(other, "")
}

// Put adds a finished text as paragraphs, with its marks and flags.
func (f *Builder) Put(t *format.Text) {
	f.Append(&Builder{buf: []byte(t.Text), marks: t.Marks, flags: t.Flags})
	f.Gap(Part)
}

// join adds the text of another builder with its marks and flags.
func (f *Builder) join(other *Builder, kind format.MarkKind) {
	f.Raise(false)
	other.Raise(false)
	if len(other.buf) > 0 {
		f.flush()
	}
	at := len(f.buf)
	f.buf = append(f.buf, other.buf...)
	f.mark(kind, at)
	for _, m := range other.marks {
		m.Start, m.End = m.Start+at, m.End+at
		f.marks = append(f.marks, m)
	}
	for _, l := range other.flags {
		l.Start, l.End = l.Start+at, l.End+at
		f.flags = append(f.flags, l)
	}
}

// Done returns the text with its marks and flags, paragraphs separated by blank lines. The
// builder must not be used after it.
func (f *Builder) Done() (*format.Text, error) {
	f.Raise(false)
	t := &format.Text{Text: f.String(), Parted: true, Marks: f.marks, Flags: f.flags}
	err := t.Check()
	if err != nil && len(f.flags) > 0 {
		count := lists.Sum(f.flags, func(l format.Flag) int { return l.Count })
		err = phrase.Counted("said.all-hidden", "{cause} that is visible: {n} character is hidden, {why}", "{cause} that is visible: {n} characters are hidden, the first {why}", count, "cause", err, "why", phrase.Fixed(f.flags[0].Detail))
	}
	return t, err
}

// Visible counts the characters of s that are not white space.
func Visible(s string) int {
	return lists.Runes(s, func(r rune) bool { return !unicode.IsSpace(r) })
}

// String returns the text. The builder must not be used after it.
func (f *Builder) String() string {
	if cap(f.buf) >= largePage && len(f.buf) < cap(f.buf)/2 {
		f.buf = slices.Clone(f.buf)
	}
	return AsString(f.buf)
}

// AsString returns data as a string that shares its memory. The caller must not write to data
// afterwards.
func AsString(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// isSpace reports whether r is white space that may be collapsed. It excludes the no-break
// space, and spaces so thin that they occur inside words.
func isSpace(r rune) bool {
	switch r {
	case 0xA0, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x202F, 0x205F:
		return false
	}
	return unicode.IsSpace(r)
}

// OneLine collapses white space in s and removes invalid characters, for titles and names.
func OneLine(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "")
	return strings.Join(strings.Fields(s), " ")
}

package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
)

// Escape sequences of terminals, by use.
const (
	plain = "\x1b[0m"
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
)

// gradeColors are the colours of the grades: red, yellow and blue, which people with
// red-green colour blindness can distinguish.
var gradeColors = []string{"\x1b[31m", "\x1b[33m", "\x1b[34m"}

// A terminal writes lines of text. After an error, calls do nothing.
//
// Foreign names and texts may contain sequences that move the cursor or change the writing
// direction. Each control character in them, and each character that embeds or overrides
// a direction, becomes one U+FFFD.
type terminal struct {
	w     io.Writer
	lang  *lang.Printer
	color bool
	width int
	err   error
}

func newTerminal(w io.Writer, o Options) *terminal {
	return &terminal{w: w, lang: o.printer(), color: o.Color, width: cmp.Or(o.Width, 80)}
}

func (t *terminal) print(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// styled returns s in a style, if colours are enabled.
func (t *terminal) styled(sequence, s string) string {
	if !t.color {
		return s
	}
	return sequence + s + plain
}

// line writes a message as a line.
func (t *terminal) line(message string, args ...any) {
	t.print("%s\n", t.lang.Text(message, args...))
}

// heading writes a message as the title of a part, after an empty line.
func (t *terminal) heading(message string, args ...any) {
	t.print("\n%s\n", t.styled(bold, t.lang.Text(message, args...)))
}

// label writes text after a label and indents its further lines.
func (t *terminal) label(message, text string) {
	label := t.lang.Text(message) + " "
	t.wrapped(label, "    ", text)
}

// wrap writes text in lines that start with prefix. It collapses white space.
func (t *terminal) wrap(prefix, text string) { t.wrapped(prefix, prefix, text) }

// wrapped writes text in lines, the first of which starts with prefix and the
// others with next.
func (t *terminal) wrapped(prefix, next, text string) {
	room := func() int { return max(t.width-utf8.RuneCountInString(prefix), 20) }
	line, length := "", 0
	end := func() {
		if length > 0 {
			t.print("%s%s\n", prefix, line)
			line, length, prefix = "", 0, next
		}
	}
	for _, word := range strings.Fields(safe(text)) {
		for utf8.RuneCountInString(word) > room() { // as long as several lines
			end()
			cut := byteOf(word, room())
			line, length = word[:cut], cut
			word = word[cut:]
			end()
		}
		n := utf8.RuneCountInString(word)
		if length > 0 && length+1+n > room() {
			end()
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	end()
}

// byteOf returns the byte offset of the n-th code point of s.
func byteOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// safe returns s with U+FFFD for characters that a terminal would interpret.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\r':
			return ' '
		case unicode.IsControl(r), r == 0x2028, r == 0x2029:
			return utf8.RuneError
		case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			return utf8.RuneError
		}
		return r
	}, s)
}

// A table has columns as wide as their widest cell, aligned to the right, except for the
// last column.
type table struct {
	head []string
	rows []*row
}

// A row may have lines below its last column, and a text below the row.
type row struct {
	cells []string
	below []string
	quote string
}

func (b *table) add(cells ...string) *row {
	r := &row{cells: cells}
	b.rows = append(b.rows, r)
	return r
}

func (b *table) write(t *terminal) {
	widths := make([]int, len(b.head)-1)
	for _, r := range append(b.rows, &row{cells: b.head}) {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(r.cells[i]))
		}
	}
	widths[0] = max(widths[0], 5)
	indent := lists.Sum(widths, func(w int) int { return w + 2 })
	t.tableLine(widths, b.head)
	for _, r := range b.rows {
		t.tableLine(widths, r.cells)
		for _, line := range r.below {
			t.print("%*s%s\n", indent, "", line)
		}
		t.wrap("      | ", r.quote)
	}
}

func (t *terminal) tableLine(widths []int, cells []string) {
	for i, w := range widths {
		t.print("%*s  ", w, cells[i])
	}
	t.print("%s\n", cells[len(widths)])
}

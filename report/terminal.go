package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape sequences of terminals, by what they are used for.
const (
	plain = "\x1b[0m"
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
)

// gradeColors are the colours of grades, surest first: red, yellow, blue, which
// stay apart for people who cannot tell red from green.
var gradeColors = []string{"\x1b[31m", "\x1b[33m", "\x1b[34m"}

// A terminal writes lines of text. The first error sticks.
//
// A name or text could hold sequences that move the cursor or turn the
// direction of writing. So each control character in them, and each that
// embeds or overrides a direction, becomes one U+FFFD.
type terminal struct {
	w     io.Writer
	color bool
	width int
	err   error
}

func (t *terminal) print(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// styled returns s between the sequence and its end, where colours are wanted.
func (t *terminal) styled(sequence, s string) string {
	if !t.color {
		return s
	}
	return sequence + s + plain
}

// heading writes the title of a part, after an empty line.
func (t *terminal) heading(format string, args ...any) {
	t.print("\n%s\n", t.styled(bold, fmt.Sprintf(format, args...)))
}

// wrap writes text in lines that start with prefix, its white space made
// single spaces.
func (t *terminal) wrap(prefix, text string) {
	room := max(t.width-utf8.RuneCountInString(prefix), 20)
	line, length := "", 0
	for _, word := range strings.Fields(safe(text)) {
		for utf8.RuneCountInString(word) > room { // as long as several lines
			if length > 0 {
				t.print("%s%s\n", prefix, line)
				line, length = "", 0
			}
			cut := byteOf(word, room)
			t.print("%s%s\n", prefix, word[:cut])
			word = word[cut:]
		}
		n := utf8.RuneCountInString(word)
		if length > 0 && length+1+n > room {
			t.print("%s%s\n", prefix, line)
			line, length = "", 0
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	if length > 0 {
		t.print("%s%s\n", prefix, line)
	}
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

// safe returns s without what a terminal would obey.
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

// grouped writes n with its thousands apart.
func grouped[T int | int64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count returns n and the word for one or for several.
func count[T int | int64](n T, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return grouped(n) + " " + word + "s"
}

package layout

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document/pdf"
)

// TestStamp notes what is the same on every page, in whatever pieces, and flags what is
// within lines otherwise.
func TestStamp(t *testing.T) {
	page := func(hidden ...string) pdf.Page {
		p := pdf.Page{Lines: []pdf.Line{{Text: "copied from a book"}, {Text: "and from another one"}}}
		for i, text := range hidden {
			p.Hidden = append(p.Hidden, pdf.Hidden{Line: i % 2, At: 3, Chars: len(text), Why: "white on white", Text: text})
		}
		return p
	}
	tests := []struct {
		name  string
		pages []pdf.Page
		want  bool // it is flagged
	}{
		{"a stamp", []pdf.Page{page("For the author"), page("For", "the author"), page("the", "For author"), page("author For the")}, false},
		{"a stamp on most pages", []pdf.Page{page("For the author"), page("For", "the author"), page("the", "For author"), page("author For the"), page("q"), page("For the")}, false},
		{"a stamp on few pages", []pdf.Page{page("For the author"), page("For", "the author"), page("the", "For author")}, true},
		{"letters", []pdf.Page{page("q"), page("q"), page("q"), page("q")}, true},
		{"other letters on each page", []pdf.Page{page("abcdefgh"), page("ijklmnop"), page("qrstuvwx"), page("hgfedcbaz")}, true},
	}
	for _, tt := range tests {
		if list := hidings(tt.pages); len(list) != 1 || list[0].suspicious() != tt.want {
			t.Errorf("%s: suspicious is %v, want %v", tt.name, !tt.want, tt.want)
		}
	}
}

// TestHiddenProse flags prose that nobody sees, and notes the small print of one picture
// in a long document.
func TestHiddenProse(t *testing.T) {
	label := pdf.Hidden{Line: 1, Chars: 150, Why: "too small to see", Text: strings.Repeat("the label of a reel ", 8)}
	for lines, want := range map[int]bool{100: true, 1000: false} {
		p := pdf.Page{Hidden: []pdf.Hidden{label}}
		for i := range lines {
			p.Lines = append(p.Lines, pdf.Line{Text: strings.Repeat("a line of text ", 4), Base: float64(-12 * i)})
		}
		if got := hidings([]pdf.Page{p})[0].suspicious(); got != want {
			t.Errorf("on %d lines: suspicious is %v, want %v", lines, got, want)
		}
	}
}

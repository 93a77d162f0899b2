package layout

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document/pdf"
)

// TestStamp notes text that is the same on every page, however it is divided into pieces, and
// flags other text hidden within lines.
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
		{"a number on all pages", []pdf.Page{page("Vol.:(0123456789)"), page("Vol.:(0123456789)"), page("Vol.:", "(0123456789)"), page("Vol.:(0123456789)")}, false},
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
	label := pdf.Hidden{Line: 1, Chars: 150, Why: "too small to see", Text: "the label of a reel, with all that was printed on it at the mill: who wound it, when, of which yarn, how long it is and what one had to pay for it"}
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

// TestHiddenNames notes the names of parts that a program for circuits hides in a
// drawing, and flags words in their place, and names within prose.
func TestHiddenNames(t *testing.T) {
	tests := []struct {
		name, line, hidden string
		at                 int
		want               bool
	}{
		{"names beside a drawing", "10nF C1a", strings.Repeat("PAC101 PAC102 COC1 PIU1a02 ", 10), 0, false},
		{"names within a drawing", "R15a 4.7K Q1a NDS356AP", "PIQ1a03", 5, false},
		{"words beside a drawing", "10nF C1a", "all that was printed in a book on this circuit and its parts", 0, true},
		{"names within prose", "copied from a book", "PIQ1a03", 3, true},
	}
	for _, tt := range tests {
		var p pdf.Page
		for range withinLines {
			p.Hidden = append(p.Hidden, pdf.Hidden{Line: len(p.Lines), At: tt.at, Chars: len(tt.hidden), Why: "drawn invisibly", Text: tt.hidden + strings.Repeat("a", len(p.Lines))})
			p.Lines = append(p.Lines, pdf.Line{Text: tt.line, Base: float64(-12 * len(p.Lines))})
		}
		if got := hidings([]pdf.Page{p})[0].suspicious(); got != tt.want {
			t.Errorf("%s: suspicious is %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestHiddenHarmless notes invisible text that hides nothing, and flags the same text without the reason.
func TestHiddenHarmless(t *testing.T) {
	const prose = "all that was printed in a book on this circuit and its parts, and what the one who copied it left out of it"
	page := func(size float64, lines ...string) (p pdf.Page) {
		for i, text := range lines {
			p.Lines = append(p.Lines, pdf.Line{Text: text, Size: size, Base: float64(-12 * i)})
		}
		return p
	}
	pieces := func(lines ...string) (p pdf.Page) {
		for i, text := range lines {
			p.Lines = append(p.Lines, pdf.Line{Text: text, Size: 11, Base: float64(-12 * i)}, pdf.Line{Text: "a comment", Size: 11, Base: float64(-12 * i)})
		}
		return p
	}
	hide := func(p pdf.Page, hidden ...pdf.Hidden) pdf.Page {
		p.Hidden = hidden
		return p
	}
	at := func(line, at int, why, text string) pdf.Hidden {
		return pdf.Hidden{Line: line, At: at, Chars: len(text), Why: why, Text: text}
	}
	four := []string{"copied from a book", "and from another", "and from a third", "and from nowhere"}
	within := func(at func(line int) pdf.Hidden) (list []pdf.Hidden) {
		for line := range four {
			list = append(list, at(line))
		}
		return list
	}
	first := func(line int) int { return strings.Index(four[line], " ") + 1 }
	noWords := strings.Repeat("q!x%z ", 20)
	tests := []struct {
		name string
		page pdf.Page
		want bool // it is flagged
	}{
		{"tiny prose", hide(page(11, four...), at(1, 0, pdf.Tiny, prose)), true},
		{"tiny prose of a reduced page", hide(page(2.3, four...), at(1, 0, pdf.Tiny, prose)), false},
		{"white prose of a reduced page", hide(page(2.3, four...), at(1, 0, pdf.White, prose)), true},
		{"prose that the page shows", hide(page(11, four[0], prose), at(1, 0, pdf.White, prose)), false},
		{"letters within lines that show them", hide(page(11, four...), within(func(line int) pdf.Hidden { return at(line, 3, pdf.White, "o") })...), true},
		{"dots after words", hide(page(11, four...), within(func(line int) pdf.Hidden { return at(line, strings.Index(four[line], " "), pdf.Invisible, ".") })...), false},
		{"dots before words", hide(page(11, four...), within(func(line int) pdf.Hidden { return at(line, strings.Index(four[line], " ")+1, pdf.Invisible, ".") })...), false},
		{"dots between pieces of a line", hide(pieces(four...), within(func(line int) pdf.Hidden { return at(2*line+1, 0, pdf.Invisible, ".") })...), false},
		{"dots inside words", hide(page(11, four...), within(func(line int) pdf.Hidden { return at(line, 2, pdf.Invisible, ".") })...), true},
		{"off the page inside words", hide(page(11, four...), within(func(line int) pdf.Hidden { return at(line, 2, pdf.Outside, "x") })...), true},
		{"lines that run off the page", hide(page(11, four...), within(func(line int) pdf.Hidden {
			h := at(line, 2, pdf.Outside, "x")
			h.Edge = true
			return h
		})...), false},
		{"tiny numbers before words", hide(page(11, four...), within(func(line int) pdf.Hidden { return at(line, first(line), pdf.Tiny, "78B") })...), false},
		{"tiny numbers inside words", hide(page(11, four...), within(func(line int) pdf.Hidden { return at(line, first(line)+1, pdf.Tiny, "78B") })...), true},
		{"tiny letters before words", hide(page(11, four...), within(func(line int) pdf.Hidden { return at(line, first(line), pdf.Tiny, "xy") })...), true},
		{"white numbers before words", hide(page(11, four...), within(func(line int) pdf.Hidden { return at(line, first(line), pdf.White, "78B") })...), true},
		{"letters after a blank", hide(page(11, " "+four[0], " "+four[1], " "+four[2], " "+four[3]), within(func(line int) pdf.Hidden { return at(line, 1, pdf.White, "x") })...), false},
		{"letters on a page without words", hide(page(11, noWords, noWords, noWords, noWords), within(func(line int) pdf.Hidden { return at(line, 1, pdf.White, "x") })...), false},
	}
	for _, tt := range tests {
		if got := hidings([]pdf.Page{tt.page})[0].suspicious(); got != tt.want {
			t.Errorf("%s: suspicious is %v, want %v", tt.name, got, tt.want)
		}
	}
}

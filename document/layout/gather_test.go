package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/pdf"
)

// wordsOn returns a page with n words on each of 12 lines, this far apart, and its text. Each word is a
// line of its own, in the order of their numbers that order defines.
func wordsOn(n int, apart float64, order func(a, b int) int) (pdf.Page, string) {
	var all []pdf.Line
	var text []string
	for row := range 12 {
		for i := range n {
			word := fmt.Sprintf("%c%c%c", 'a'+row, 'a'+i, 'a'+(row+i)%26)
			left := 50 + float64(i)*(15+apart)
			all = append(all, pdf.Line{Text: word, Left: left, Right: left + 15, Base: 700 - 12*float64(row), Size: 10})
			text = append(text, word)
		}
	}
	places := make([]int, len(all))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, order)
	p := pdf.Page{Height: 800}
	for _, i := range places {
		p.Lines = append(p.Lines, all[i])
	}
	return p, strings.Join(text, " ")
}

func TestGather(t *testing.T) {
	anyOrder := func(a, b int) int { return cmp.Compare(a*7919%1009, b*7919%1009) }
	columns := func(a, b int) int { return a%8 - b%8 }
	mirrored := func(a, b int) int { return cmp.Or(a/8-b/8, b-a) }
	tests := []struct {
		name   string
		apart  float64
		order  func(a, b int) int
		change func(string) string
		want   bool
	}{
		{"any order", 3, anyOrder, strings.ToUpper, true},
		{"column by column", 3, columns, strings.ToUpper, true},
		{"as read", 3, func(a, b int) int { return a - b }, strings.ToUpper, false},
		{"cells of a table column by column", 20, columns, strings.ToUpper, false},
		{"lines from right to left", 3, mirrored, strings.ToUpper, false},
		{"Hebrew in any order", 3, anyOrder, func(string) string { return "שלום" }, false},
		{"lines of columns side by side", 3, columns, func(w string) string { return w + " and four other words" }, false},
	}
	for _, tt := range tests {
		p, text := wordsOn(8, tt.apart, tt.order)
		p.Hidden = []pdf.Hidden{{Line: 40, At: 1, Chars: 1, Text: "x"}}
		at := p.Lines[40].Text
		for i := range p.Lines {
			p.Lines[i].Text = tt.change(p.Lines[i].Text)
		}
		before := texts(p)
		if got := gather(&p); got != tt.want {
			t.Errorf("%s: gathered %v, want %v", tt.name, got, tt.want)
		}
		if !tt.want {
			if !slices.Equal(texts(p), before) {
				t.Errorf("%s: changed to %q", tt.name, texts(p))
			}
			continue
		}
		if got := strings.ToLower(strings.Join(texts(p), " ")); got != text {
			t.Errorf("%s: %q, want %q", tt.name, got, text)
		}
		h := p.Hidden[0]
		if l := strings.ToLower(p.Lines[h.Line].Text); h.At < 1 || !strings.HasPrefix(l[h.At-1:], at) {
			t.Errorf("%s: hidden text at byte %d of %q, want it in %q", tt.name, h.At, l, at)
		}
	}
}

// TestGatherLetters joins letters that are drawn in any order to words.
func TestGatherLetters(t *testing.T) {
	p, _ := wordsOn(8, 0, func(a, b int) int { return cmp.Compare(a*7919%1009, b*7919%1009) })
	if !gather(&p) || len(p.Lines) != 12 || strings.Contains(p.Lines[0].Text, " ") {
		t.Errorf("lines %q, want 12 of one word each", texts(p))
	}
}

// TestGatherColumns reads columns one after the other, also if their words are drawn in any order.
func TestGatherColumns(t *testing.T) {
	p, _ := wordsOn(14, 3, func(a, b int) int { return a - b })
	for i := range p.Lines {
		if l := &p.Lines[i]; i%14 >= 7 {
			l.Left, l.Right, l.Text = l.Left+40, l.Right+40, strings.ToUpper(l.Text)
		}
	}
	slices.SortStableFunc(p.Lines, func(a, b pdf.Line) int { return cmp.Compare(a.Text[1:], b.Text[1:]) })
	pages := []pdf.Page{p}
	if got := order(pages); !slices.Equal(got, []int{0}) {
		t.Errorf("gathered pages %v, want the first", got)
	}
	if text := strings.Join(texts(pages[0]), " "); strings.ToLower(text[:len(text)/2]) != text[:len(text)/2] {
		t.Errorf("%q, want the left column first", text)
	}
}

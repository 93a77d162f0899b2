package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/pdf"
)

// rows returns a page of two columns of 12 lines below a title, row by row. merged states whether
// both lines of a row are one line with a gap.
func rows(merged bool) pdf.Page {
	p := pdf.Page{Height: 800, Lines: []pdf.Line{{Text: "A title across both columns of the page", Left: 100, Right: 500, Base: 750, Size: 14}}}
	for i := range 12 {
		left := pdf.Line{Text: fmt.Sprintf("left column has line number %d", i), Left: 50, Right: 290, Base: 700 - 12*float64(i), Size: 10}
		right := pdf.Line{Text: fmt.Sprintf("right column has line number %d", i), Left: 310, Right: 550, Base: left.Base, Size: 10}
		if merged {
			left.Gaps = []pdf.Gap{{At: 12, Left: 120, Right: 130}, {At: len(left.Text) + 1, Left: 290, Right: 310}}
			left.Text, left.Right = left.Text+" "+right.Text, right.Right
			p.Lines = append(p.Lines, left)
			continue
		}
		p.Lines = append(p.Lines, left, right)
	}
	p.Lines = append(p.Lines, pdf.Line{Text: "17", Left: 295, Right: 305, Base: 40, Size: 10})
	return p
}

// texts returns the texts of the lines of a page.
func texts(p pdf.Page) []string {
	var list []string
	for _, l := range p.Lines {
		list = append(list, l.Text)
	}
	return list
}

// TestOrder reads columns that the file has row by row one after the other.
func TestOrder(t *testing.T) {
	want := []string{"A title across both columns of the page"}
	for _, side := range []string{"left", "right"} {
		for i := range 12 {
			want = append(want, fmt.Sprintf("%s column has line number %d", side, i))
		}
	}
	want = append(want, "17")
	for _, merged := range []bool{false, true} {
		pages := []pdf.Page{rows(merged)}
		order(pages)
		if got := texts(pages[0]); !slices.Equal(got, want) {
			t.Errorf("merged %t: lines\n%s\nwant\n%s", merged, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		order(pages)
		if got := texts(pages[0]); !slices.Equal(got, want) {
			t.Errorf("merged %t, again: lines\n%s", merged, strings.Join(got, "\n"))
		}
	}
}

// TestOrderBackwards splits a line after which the text goes back to the left column.
func TestOrderBackwards(t *testing.T) {
	p := rows(false)
	for i := 1; i+1 < len(p.Lines)-1; i += 2 {
		left, right := p.Lines[i], p.Lines[i+1]
		p.Lines[i], p.Lines[i+1] = right, left
	}
	l, r := p.Lines[2], p.Lines[1]
	const word = 4 // bytes of the left line before its own gap
	gaps := []pdf.Gap{{At: len(r.Text) + 1, Left: r.Right, Right: l.Left}, {At: len(r.Text) + 1 + word, Left: l.Left + 10, Right: l.Left + 20}}
	joined := pdf.Line{Text: r.Text + " " + l.Text, Left: r.Left, Right: l.Right, Base: l.Base, Size: 10, Gaps: gaps}
	p.Lines = slices.Replace(p.Lines, 1, 3, joined)
	want := []pdf.Page{rows(false)}
	order(want)
	got := []pdf.Page{p}
	if order(got); !slices.Equal(texts(got[0]), texts(want[0])) {
		t.Errorf("lines\n%s", strings.Join(texts(got[0]), "\n"))
	}
	for _, line := range got[0].Lines {
		if line.Text == l.Text && (len(line.Gaps) != 1 || line.Gaps[0].At != word) {
			t.Errorf("gaps of %q: %+v, want one at %d", line.Text, line.Gaps, word)
		}
	}
}

// TestOrderRightToLeft keeps the lines of a page that is set from right to left.
func TestOrderRightToLeft(t *testing.T) {
	p := rows(false)
	for i, l := range p.Lines {
		p.Lines[i].Left, p.Lines[i].Right = l.Right, l.Left
	}
	want := len(texts(p))
	got := []pdf.Page{p}
	if order(got); len(texts(got[0])) != want {
		t.Errorf("%d lines, want %d", len(texts(got[0])), want)
	}
}

// TestOrderKept keeps the lines of columns in order, of tables, and of one column.
func TestOrderKept(t *testing.T) {
	columns, table, single := []pdf.Page{rows(false)}, rows(true), rows(false)
	order(columns)
	for i := range table.Lines {
		if l := &table.Lines[i]; len(l.Gaps) > 0 {
			l.Text = l.Text[:12] + "1.5 2.5"
			l.Gaps = []pdf.Gap{{At: 12, Left: 120, Right: 310}}
		}
	}
	for i := range single.Lines {
		single.Lines[i].Left, single.Lines[i].Right = 50, 550
		single.Lines[i].Base = 750 - 12*float64(i)
	}
	spaced := pdf.Page{Height: 800}
	for i := range 40 {
		l := pdf.Line{Text: strings.Repeat("a word ", 9), Left: 50, Right: 550, Base: 750 - 12*float64(i), Size: 10}
		for word := 1; word < 9; word++ {
			at := 50 + float64(word*55+(i*7+word*13)%23)
			l.Gaps = append(l.Gaps, pdf.Gap{At: 7 * word, Left: at, Right: at + 12})
		}
		spaced.Lines = append(spaced.Lines, l)
	}
	for name, p := range map[string]pdf.Page{"wide spaces": spaced, "columns": columns[0], "a table": table, "one column": single} {
		want := texts(p)
		pages := []pdf.Page{p}
		if order(pages); !slices.Equal(texts(pages[0]), want) {
			t.Errorf("%s: lines\n%s\nwant\n%s", name, strings.Join(texts(pages[0]), "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestOrderHidden keeps hidden text at its place in the text.
func TestOrderHidden(t *testing.T) {
	pages := []pdf.Page{rows(true)}
	at := strings.Index(pages[0].Lines[3].Text, "right") + len("right ")
	pages[0].Hidden = []pdf.Hidden{{Line: 3, At: at}, {Line: 4, At: 5}}
	order(pages)
	for i, want := range []string{"left |column has line number 3", "right |column has line number 2"} {
		h := pages[0].Hidden[i]
		text := pages[0].Lines[h.Line].Text
		if got := text[:h.At] + "|" + text[h.At:]; got != want {
			t.Errorf("hidden text at %q, want %q", got, want)
		}
	}
}

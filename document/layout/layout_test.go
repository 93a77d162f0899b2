package layout

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
)

func TestMend(t *testing.T) {
	tests := []struct{ in, want string }{
		{"pˇr´ıliˇs ˇzluˇtouˇck´y k˚uˇn", "příliš žluťoučký kůň"},
		{"Schr¨oder", "Schröder"},
		{"eﬃcient oﬀer, ﬁne ﬂow", "efficient offer, fine flow"},
		{"John´s and you´re", "John´s and you´re"},
		{"at the end ´", "at the end ´"},
	}
	for _, tt := range tests {
		if got := mend(tt.in); got != tt.want {
			t.Errorf("mend(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestRaised joins raised text with the text that follows it.
func TestRaised(t *testing.T) {
	page := pdf.Page{Height: 800, Lines: []pdf.Line{
		{Text: "Google makes a system of its own, Chrome", Left: 79, Right: 504, Base: 461, Size: 11},
		{Text: "OS ", Left: 79, Right: 172, Base: 447.6, Size: 11},
		{Text: "1", Left: 172, Right: 176, Base: 451.5, Size: 8},
		{Text: ", which is built upon a browser", Left: 176, Right: 424, Base: 447.6, Size: 11},
		{Text: "and little else", Left: 79, Right: 300, Base: 434, Size: 11},
	}}
	b := builder{leading: 13.5}
	b.page(page, make([]bool, len(page.Lines)))
	if got, want := b.String(), "Google makes a system of its own, Chrome OS 1 , which is built upon a browser and little else"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

// TestUnsearched notes drawings that were not searched for text if one of them, or all together, are large.
func TestUnsearched(t *testing.T) {
	for _, tt := range []struct {
		shares []float64
		want   bool
	}{{[]float64{0.1, 0, 0.2}, false}, {[]float64{0, 0.3}, true}, {[]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, true}, {nil, false}} {
		f := &pdf.File{}
		for _, share := range tt.shares {
			f.Pages = append(f.Pages, pdf.Page{Unsearched: share})
		}
		text := &format.Text{}
		noteLimits(text, f)
		if got := len(text.Notes) == 1 && strings.Contains(text.Notes[0], "not searched"); got != tt.want || len(text.Notes) > 1 {
			t.Errorf("drawings of %v pages: notes %q, want one: %t", tt.shares, text.Notes, tt.want)
		}
	}
}

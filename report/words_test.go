package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/search"
)

// TestPagesNote names pages without a picture by their labels.
func TestPagesNote(t *testing.T) {
	r := sample()
	for _, tt := range []struct {
		pages Pages
		want  string
	}{
		{Pages{}, ""},
		{Pages{Broken: []int{1, 2}}, "2 pages cannot be drawn: 1, 2."},
		{Pages{Broken: []int{2}}, "1 page cannot be drawn: 2."},
	} {
		r.Pages = &tt.pages
		if got := pagesNote(english(), r); got != tt.want {
			t.Errorf("pagesNote(%v) = %q, want %q", tt.pages, got, tt.want)
		}
	}
}

// TestFlagsOf says flags in one line for each reason, with where the first of them are.
func TestFlagsOf(t *testing.T) {
	const text = "Začátek textu, který je dlouhý, a v něm\nv\u0456dno slovo. Konec."
	flag := func(kind, detail string, page, start, end int) search.Flag {
		return search.Flag{Kind: kind, Detail: detail, Page: page, Count: 2, Place: search.Span{Start: start, End: end}}
	}
	var many []search.Flag
	for i := range 16 {
		many = append(many, flag("hidden text", "white on white", i/2+7, 0, 0))
	}
	at := strings.Index(text, "v\u0456dno")
	for _, tt := range []struct {
		name, text string
		flags      []search.Flag
		want       []string
	}{
		{"one page", text, []search.Flag{flag("hidden text", "white on white", 3, 0, 0), flag("hidden text", "white on white", 3, 9, 9)},
			[]string{"hidden text, white on white: 4 characters, 2 places, the first on page 3"}},
		{"pages", text, many, []string{"hidden text, white on white: 32 characters, 16 places, the first on pages 7, 8, 9, 10, 11"}},
		{"no pages", text, []search.Flag{flag("mixed scripts", "", 0, at, at+len("v\u0456dno")), flag("hidden text", "", 0, len("Začátek textu,"), len("Začátek textu,")), flag("hidden text", "", 0, len(text), len(text))},
			[]string{"mixed scripts: 2 characters, 1 place, the first at “v\u0456dno”", "hidden text: 4 characters, 2 places, the first at “Začátek textu, …”, “dlouhý, a v něm v\u0456dno slovo. Konec. …”"}},
		{"at the start", text, []search.Flag{flag("hidden text", "", 0, 0, 0)}, []string{"hidden text: 2 characters, 1 place"}},
		{"no text", "", []search.Flag{flag("hidden text", "", 0, 14, 14)}, []string{"hidden text: 2 characters, 1 place"}},
		{"scan", text, []search.Flag{flag("no text layer", "pages that are pictures", 2, 0, 0)}, []string{"no text layer, pages that are pictures: 2 pages, 1 place, the first on page 2"}},
		{"pictures", text, []search.Flag{flag(string(document.OnlyPictures), "", 2, 0, 0)}, []string{string(document.OnlyPictures) + ": 2 pictures, 1 place, the first on page 2"}},
	} {
		if got := flagsOf(english(), &search.Suspect{Text: tt.text}, tt.flags, nil); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%q, want\n%q", tt.name, got, tt.want)
		}
	}
}

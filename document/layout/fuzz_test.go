package layout

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/otisk/otisk/document/pdf"
)

// FuzzPages puts lines together that are anywhere on two pages.
func FuzzPages(f *testing.F) {
	f.Add("1 Head\na line of text plagi-\nátor ends.\n12", []byte{0, 50, 200, 10, 1, 60, 190, 10, 2, 50, 60, 8})
	f.Add("\x12p\xc2\xb0\xc3\xadli\xc2\xb2 \xc2\xb4a\n\n-", []byte{255, 0, 0, 0})
	f.Fuzz(func(t *testing.T, lines string, places []byte) {
		if !utf8.ValidString(lines) {
			t.Skip("the engine gives valid text")
		}
		pages := make([]pdf.Page, 2)
		for i, s := range strings.Split(lines, "\n") {
			l := pdf.Line{Text: s, Hyphen: i%3 == 1}
			if len(places) >= 4 {
				l.Left, l.Base, l.Size = float64(places[0]), float64(places[1])*4, float64(places[2])/8
				l.Right = l.Left + float64(places[3])
				if at := strings.IndexByte(s, ' ') + 1; i%5 == 0 && at > 0 {
					l.Gaps = []pdf.Gap{{At: at, Left: l.Right / 2, Right: float64(places[2])}}
				}
				places = places[4:]
			}
			p := &pages[i%2]
			p.Height = 800
			p.Lines = append(p.Lines, l)
			p.Hidden = append(p.Hidden, pdf.Hidden{Line: i % 4, At: i * 7, Chars: 1, Why: "white on white"})
		}
		order(pages)
		mendCork(pages)
		got := text(&pdf.File{Pages: pages})
		if !utf8.ValidString(got.Text) || len(got.Pages) != len(pages) || !slices.IsSorted(got.Pages) {
			t.Fatalf("text %q, pages at %d", got.Text, got.Pages)
		}
		for _, f := range got.Flags {
			if f.Start < 0 || f.Start > f.End || f.End > len(got.Text) {
				t.Fatalf("flag %+v in %d bytes", f, len(got.Text))
			}
		}
	})
}

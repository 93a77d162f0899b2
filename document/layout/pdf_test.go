package layout_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

func TestPDF(t *testing.T) {
	wide := "A line as long as the column is wide, so that it goes on in the next"
	tests := []struct {
		name  string
		pages []string
		want  string
	}{
		{"lines of a paragraph", []string{sample.At(50, 600, wide) + sample.At(50, 586, "line. And ends.")}, wide + " line. And ends."},
		{"distance", []string{sample.At(50, 600, wide) + sample.At(50, 586, wide) + sample.At(50, 572, "end") + sample.At(50, 540, wide) + sample.At(50, 526, wide)},
			wide + " " + wide + " end\n\n" + wide + " " + wide},
		{"indent", []string{sample.At(50, 600, wide) + sample.At(50, 586, wide+".") + sample.At(70, 572, "New one") + sample.At(50, 558, wide)},
			wide + " " + wide + ".\n\nNew one " + wide},
		{"short line", []string{sample.At(50, 600, wide) + sample.At(50, 586, "ends here.") + sample.At(50, 572, "New "+wide) + sample.At(50, 558, wide)},
			wide + " ends here.\n\nNew " + wide + " " + wide},
		{"word across lines", []string{sample.At(50, 600, wide+" plagi-") + sample.At(50, 586, "arism is found.")}, wide + " plagiarism is found."},
		{"hyphen that is one", []string{sample.At(50, 600, wide+" pages 12-") + sample.At(50, 586, "14.")}, wide + " pages 12- 14."},
		{"word across pages", []string{sample.At(50, 100, wide+" plagi-"), sample.At(50, 700, "arism.")}, wide + " plagiarism."},
		{"sentence across pages", []string{sample.At(50, 100, wide), sample.At(50, 700, "goes on.")}, wide + " goes on."},
		{"accents of old fonts", []string{sample.At(50, 600, "P\\264an")}, "Pán"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.PDF(tt.pages...), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || doc.Format != "pdf" || !doc.Parted {
			t.Errorf("%s: %s text %q, want pdf %q", tt.name, doc.Format, doc.Text, tt.want)
		} else if doc.Title != "A Title" || doc.Author != "Jan Novák" || len(doc.Pages) != len(tt.pages) {
			t.Errorf("%s: title %q, author %q, pages at %d", tt.name, doc.Title, doc.Author, doc.Pages)
		}
	}
}

func TestPDFPages(t *testing.T) {
	var pages []string
	for i := range 4 {
		pages = append(pages, sample.At(50, 780, fmt.Sprintf("Chapter 1    %d", i+7))+
			sample.At(50, 600, fmt.Sprintf("This is what page number %d says", i+1))+sample.At(50, 586, "in two lines.")+sample.At(290, 30, fmt.Sprint(i+1)))
	}
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.PDF(pages...), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(doc.Text, "Chapter") {
		t.Errorf("text %q, want no running head", doc.Text)
	}
	for i, p := range doc.Pages {
		if want := fmt.Sprintf("This is what page number %d says in two lines.", i+1); !strings.HasPrefix(doc.Text[p:], want) {
			t.Errorf("page %d starts with %q, want %q", i+1, doc.Text[p:], want)
		}
	}
}

// TestPDFBold reads letters once that are drawn twice to look bold, each after the other.
func TestPDFBold(t *testing.T) {
	var page strings.Builder
	x := 50.0
	for _, c := range "ball" {
		for _, shift := range []float64{0, 0.3} {
			fmt.Fprintf(&page, "BT /F 12 Tf %.1f 600 Td (%c) Tj ET\n", x+shift, c)
		}
		x += map[rune]float64{'b': 6.7, 'a': 6.7, 'l': 2.7}[c]
	}
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.PDF(page.String()), document.Options{}); err != nil || doc.Text != "ball" {
		t.Errorf("text %q, %v, want each letter once", doc.Text, err)
	}
}

// TestPDFLigature keeps both letters of a ligature, which have one place.
func TestPDFLigature(t *testing.T) {
	data := sample.NamedPDF([]string{"e!icient"}, func(c byte) byte { return c })
	data = bytes.Replace(data, []byte("<21> <0021>"), []byte("<21> <00660066>"), 1)
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "efficient" {
		t.Errorf("text %q, %v, want both letters", doc.Text, err)
	}
}

func TestPDFScan(t *testing.T) {
	err := readtest.Read(t.Context(), &document.Document{}, sample.PDF(sample.Picture, sample.Picture), document.Options{})
	if !errors.Is(err, document.ErrNoLayer) || !strings.Contains(err.Error(), "only pictures on 2 of 2 pages") {
		t.Errorf("scan: error %v, want %v of 2 pages", err, document.ErrNoLayer)
	}
	if err := readtest.Read(t.Context(), &document.Document{}, sample.PDF("", ""), document.Options{}); !errors.Is(err, document.ErrEmpty) {
		t.Errorf("blank pages: error %v, want %v", err, document.ErrEmpty)
	}
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.Lettered(sample.PDF(sample.At(50, 600, "text"), sample.Picture), 2000), document.Options{}); err != nil {
		t.Fatal(err)
	}
	want := []document.Flag{{Kind: document.NoTextLayer, Start: 4, End: 4, Count: 1, Detail: "pages that are pictures"}}
	if !reflect.DeepEqual(doc.Flags, want) || len(doc.Notes) != 1 || !strings.Contains(doc.Notes[0], "1 of 2 pages") {
		t.Errorf("half a scan: flags %+v, notes %q, want %+v and a note", doc.Flags, doc.Notes, want)
	}
}

// TestPDFPhoto notes a page with nothing but photos, and flags it if a large one shows text.
func TestPDFPhoto(t *testing.T) {
	photo := func(x, y int) string { return fmt.Sprintf("q 90 0 0 90 %d %d cm /I Do Q\n", x, y) }
	for name, tt := range map[string]struct {
		page  string
		flags int
	}{
		"one":                     {photo(250, 400), 0},
		"in all corners":          {photo(20, 20) + photo(480, 700), 1},
		"under lines for text":    {photo(250, 400) + "50 700 400 12 re f 50 100 400 12 re f\n", 0},
		"beside the page as well": {photo(250, 400) + photo(250, 2000), 0},
		"of a page of text":       {"q 500 0 0 600 50 100 cm /I Do Q\n", 1},
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.Lettered(sample.PDF(sample.At(50, 600, "text"), tt.page), 2000), document.Options{}); err != nil {
			t.Fatal(err)
		}
		if len(doc.Flags) != tt.flags || len(doc.Notes) != 1 || !strings.Contains(doc.Notes[0], "1 of 2 pages") {
			t.Errorf("%s: flags %+v, notes %q, want %d flags and a note", name, doc.Flags, doc.Notes, tt.flags)
		}
	}
}

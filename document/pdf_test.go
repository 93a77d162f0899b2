package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// makePDF makes a PDF with these content streams as pages of 600 by 800
// points; they draw with the font F, and picture with a picture I.
func makePDF(streams ...string) []byte {
	return pdfOf("/MediaBox[0 0 600 800]", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>", nil, streams...)
}

// pdfOf makes one of pages and a font of that kind, with more objects after those
// of the pages.
func pdfOf(pages, font string, more []string, streams ...string) []byte {
	var buf bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, buf.Len())
		fmt.Fprintf(&buf, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	buf.WriteString("%PDF-1.4\n")
	var kids strings.Builder
	for i := range streams {
		fmt.Fprintf(&kids, "%d 0 R ", 6+2*i)
	}
	object("<</Type/Catalog/Pages 2 0 R>>")
	object(fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d%s/Resources<</Font<</F 3 0 R>>/XObject<</I 4 0 R>>>>>>", kids.String(), len(streams), pages))
	object(font)
	object("<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>\nstream\n\x40\nendstream")
	object("<</Title(A Title)/Author(Jan Nov\\341k)>>")
	for i, s := range streams {
		object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", 7+2*i))
		object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(s), s))
	}
	for _, m := range more {
		object(m)
	}
	xref := buf.Len()
	fmt.Fprintf(&buf, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&buf, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&buf, "trailer\n<</Size %d/Root 1 0 R/Info 5 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return buf.Bytes()
}

const picture = "q 600 0 0 800 0 0 cm /I Do Q\n"

// at draws a line of text.
func at(x, y int, text string) string {
	return fmt.Sprintf("BT /F 12 Tf %d %d Td (%s) Tj ET\n", x, y, text)
}

func TestPDF(t *testing.T) {
	wide := "A line as long as the column is wide, so that it goes on in the next"
	tests := []struct {
		name  string
		pages []string
		want  string
	}{
		{"lines of a paragraph", []string{at(50, 600, wide) + at(50, 586, "line. And ends.")}, wide + " line. And ends."},
		{"distance", []string{at(50, 600, wide) + at(50, 586, wide) + at(50, 572, "end") + at(50, 540, wide) + at(50, 526, wide)},
			wide + " " + wide + " end\n\n" + wide + " " + wide},
		{"indent", []string{at(50, 600, wide) + at(50, 586, wide+".") + at(70, 572, "New one") + at(50, 558, wide)},
			wide + " " + wide + ".\n\nNew one " + wide},
		{"short line", []string{at(50, 600, wide) + at(50, 586, "ends here.") + at(50, 572, "New "+wide) + at(50, 558, wide)},
			wide + " ends here.\n\nNew " + wide + " " + wide},
		{"word across lines", []string{at(50, 600, wide+" plagi-") + at(50, 586, "arism is found.")}, wide + " plagiarism is found."},
		{"hyphen that is one", []string{at(50, 600, wide+" pages 12-") + at(50, 586, "14.")}, wide + " pages 12- 14."},
		{"word across pages", []string{at(50, 100, wide+" plagi-"), at(50, 700, "arism.")}, wide + " plagiarism."},
		{"sentence across pages", []string{at(50, 100, wide), at(50, 700, "goes on.")}, wide + " goes on."},
		{"accents of old fonts", []string{at(50, 600, "P\\264an")}, "Pán"},
	}
	for _, tt := range tests {
		doc := &Document{}
		if err := read(t.Context(), doc, makePDF(tt.pages...), Options{}); err != nil {
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
		pages = append(pages, at(50, 780, fmt.Sprintf("Chapter 1    %d", i+7))+
			at(50, 600, fmt.Sprintf("This is what page number %d says", i+1))+at(50, 586, "in two lines.")+at(290, 30, fmt.Sprint(i+1)))
	}
	doc := &Document{}
	if err := read(t.Context(), doc, makePDF(pages...), Options{}); err != nil {
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

// unseenProse draws as much as is flagged where nobody sees it: 102 characters.
func unseenProse(x, y int) string {
	return at(x, y, "A sentence that nobody sees, and that is long enough to be a large") + at(x, y-14, "part of what somebody wrote or copied elsewhere with care")
}

func TestPDFHidden(t *testing.T) {
	const ground = "0 0 0.5 rg 40 590 300 30 re f\n"
	tests := []struct {
		name, page, want string
		flags            []Flag
	}{
		{"white", at(50, 600, "seen") + "1 1 1 rg\n" + unseenProse(50, 570) + "0 g\n" + at(50, 556, "more"), "seen more",
			[]Flag{{Kind: HiddenText, Start: 5, End: 5, Count: 101, Detail: "white on white"}}},
		{"white on blue", ground + "1 1 1 rg\n" + at(50, 600, "seen"), "seen", nil},
		{"tiny", at(50, 600, "seen") + strings.ReplaceAll(unseenProse(50, 570), "/F 12", "/F 1"), "seen", []Flag{{Kind: HiddenText, Start: 4, End: 4, Count: 101, Detail: "too small to see"}}},
		{"small font made large", "BT /F 1 Tf 12 0 0 12 50 600 Tm (seen) Tj ET\n", "seen", nil},
		{"invisible", at(50, 600, "seen") + "3 Tr\n" + unseenProse(50, 586), "seen", []Flag{{Kind: HiddenText, Start: 4, End: 4, Count: 101, Detail: "drawn invisibly"}}},
		{"text of a scan", picture + "3 Tr\n" + at(50, 600, "read by a program"), "read by a program", nil},
	}
	for _, tt := range tests {
		doc := &Document{}
		if err := read(t.Context(), doc, makePDF(tt.page), Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || !reflect.DeepEqual(doc.Flags, tt.flags) {
			t.Errorf("%s: text %q, flags %+v, want %q, %+v", tt.name, doc.Text, doc.Flags, tt.want, tt.flags)
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
	doc := &Document{}
	if err := read(t.Context(), doc, makePDF(page.String()), Options{}); err != nil || doc.Text != "ball" {
		t.Errorf("text %q, %v, want each letter once", doc.Text, err)
	}
}

// TestPDFLigature keeps both letters of a ligature, which have one place.
func TestPDFLigature(t *testing.T) {
	data := namedPDF([]string{"e!icient"}, func(c byte) byte { return c })
	data = bytes.Replace(data, []byte("<21> <0021>"), []byte("<21> <00660066>"), 1)
	doc := &Document{}
	if err := read(t.Context(), doc, data, Options{}); err != nil || doc.Text != "efficient" {
		t.Errorf("text %q, %v, want both letters", doc.Text, err)
	}
}

func TestPDFScan(t *testing.T) {
	err := read(t.Context(), &Document{}, makePDF(picture, picture), Options{})
	if !errors.Is(err, ErrNoLayer) || !strings.Contains(err.Error(), "only pictures on 2 of 2 pages") {
		t.Errorf("scan: error %v, want %v of 2 pages", err, ErrNoLayer)
	}
	if err := read(t.Context(), &Document{}, makePDF("", ""), Options{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("blank pages: error %v, want %v", err, ErrEmpty)
	}
	doc := &Document{}
	if err := read(t.Context(), doc, makePDF(at(50, 600, "text"), picture), Options{}); err != nil {
		t.Fatal(err)
	}
	want := []Flag{{Kind: NoTextLayer, Start: 4, End: 4, Count: 1, Detail: "pages that are pictures"}}
	if !reflect.DeepEqual(doc.Flags, want) || len(doc.Notes) != 1 || !strings.Contains(doc.Notes[0], "1 of 2 pages") {
		t.Errorf("half a scan: flags %+v, notes %q, want %+v and a note", doc.Flags, doc.Notes, want)
	}
}

// TestPDFPhoto notes a page with nothing but a small photo, and flags it where the
// pictures of a page are all over it.
func TestPDFPhoto(t *testing.T) {
	photo := func(x, y int) string { return fmt.Sprintf("q 90 0 0 90 %d %d cm /I Do Q\n", x, y) }
	for name, tt := range map[string]struct {
		page  string
		flags int
	}{
		"one":                     {photo(250, 400), 0},
		"in all corners":          {photo(20, 20) + photo(480, 700), 1},
		"under lines for text":    {photo(250, 400) + "50 700 400 12 re f 50 100 400 12 re f\n", 1},
		"beside the page as well": {photo(250, 400) + photo(250, 2000), 0},
	} {
		doc := &Document{}
		if err := read(t.Context(), doc, makePDF(at(50, 600, "text"), tt.page), Options{}); err != nil {
			t.Fatal(err)
		}
		if len(doc.Flags) != tt.flags || len(doc.Notes) != 1 || !strings.Contains(doc.Notes[0], "1 of 2 pages") {
			t.Errorf("%s: flags %+v, notes %q, want %d flags and a note", name, doc.Flags, doc.Notes, tt.flags)
		}
	}
}

func TestPDFErrors(t *testing.T) {
	whole := makePDF(at(50, 600, strings.Repeat("text ", 50)))
	tests := []struct {
		name string
		data []byte
		opts Options
		want error
	}{
		{"only a header", []byte("%PDF-1.7\n"), Options{}, ErrDamaged},
		{"another thing after the header", append([]byte("%PDF-1.7\n"), make([]byte, 5000)...), Options{}, ErrDamaged},
		{"more text than allowed", whole, Options{MaxBytes: 100}, ErrTooLarge},
		{"no time", whole, Options{Time: 1}, ErrTooLarge},
	}
	for _, tt := range tests {
		if err := read(t.Context(), &Document{}, tt.data, tt.opts); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := read(ctx, &Document{}, whole, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v, want %v", err, context.Canceled)
	}
	// An engine that was stopped must not take its place from the next file.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := read(t.Context(), &Document{}, whole, Options{}); err != nil {
				t.Errorf("after the errors: %v", err)
			}
		})
	}
	wg.Wait()
}

// TestPDFDamage reads files with bytes changed: text or an error, no more.
func TestPDFDamage(t *testing.T) {
	whole := makePDF(at(50, 600, "some text"), picture+at(50, 500, "more text"))
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		data := bytes.Clone(whole)
		for range 1 + random.IntN(20) {
			data[random.IntN(len(data))] = byte(random.Uint32())
		}
		doc := &Document{}
		if err := read(t.Context(), doc, data[:len(data)-random.IntN(2)*random.IntN(len(data))], Options{}); err == nil && doc.Text == "" {
			t.Errorf("damaged file: no text and no error")
		}
	}
}

// TestPDFLooseAccents reads accents that are drawn by themselves, over letters
// anywhere in the line.
func TestPDFLooseAccents(t *testing.T) {
	tests := []struct{ name, page, want string }{
		{"after the line", at(50, 600, "prace je") + at(62, 600, `\264`), "práce je"},
		{"before the word", at(62, 600, `\264`) + at(50, 600, "prace je"), "práce je"},
		{"two", at(50, 600, "prace") + at(62, 600, `\264`) + at(100, 600, "prace") + at(112, 600, `\264`) + at(140, 600, "dne"), "práce práce dne"},
		{"over a capital", at(50, 600, "Az") + at(52, 603, `\264`), "Áz"},
		{"over nothing", at(50, 600, "prace") + at(100, 600, `\264`), "prace ´"},
		{"within a word", at(50, 600, "pra") + at(62, 600, `\264`) + at(68, 600, "ce je"), "práce je"},
		{"over a tall letter", at(50, 600, "sp") + at(62, 603, `\264`) + at(63, 600, "lna sa"), "spĺna sa"},
		{"over a tall letter that starts a word", at(50, 600, "sp") + at(66, 603, `\264`) + at(67, 600, "lna sa"), "sp ĺna sa"},
	}
	for _, tt := range tests {
		doc := &Document{}
		if err := read(t.Context(), doc, makePDF(tt.page), Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want {
			t.Errorf("%s: text %q, want %q", tt.name, doc.Text, tt.want)
		}
	}
}

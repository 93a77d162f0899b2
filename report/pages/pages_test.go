package pages_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/report/pages"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// The type in which makePDF sets lines: letters of Courier are 0.6 of its size wide.
const (
	fontSize = 12
	advance  = 0.6 * fontSize
	leftEdge = 72
	topLine  = 700
	leading  = 16
)

// upright and upwards set line k of a page.
func upright(k int) string { return fmt.Sprintf("1 0 0 1 %d %d", leftEdge, topLine-leading*k) }
func upwards(k int) string { return fmt.Sprintf("0 1 -1 0 %d %d", topEdge+leading*k, bottomEdge) }

// Where upwards starts, from the left and from below.
const topEdge, bottomEdge = 150, 172

// makePDF returns a PDF of lines, a list for each page. more is put into each page, and
// root into the catalogue.
func makePDF(root, more string, pages ...[]string) []byte {
	return setPDF(upright, root, more, pages...)
}

func setPDF(matrix func(k int) string, root, more string, pages ...[]string) []byte {
	var b bytes.Buffer
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 10+2*i))
	}
	fmt.Fprintf(&b, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R%s>>endobj\n2 0 obj<</Type/Pages/Kids[%s]/Count %d>>endobj\n"+
		"3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>endobj\n", root, strings.Join(kids, " "), len(pages))
	for i, lines := range pages {
		var c strings.Builder
		for k, line := range lines {
			fmt.Fprintf(&c, "BT /F1 %d Tf %s Tm (%s) Tj ET\n", fontSize, matrix(k), line)
		}
		fmt.Fprintf(&b, "%d 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]%s/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>endobj\n", 10+2*i, more, 11+2*i)
		fmt.Fprintf(&b, "%d 0 obj<</Length %d>>stream\n%s\nendstream endobj\n", 11+2*i, c.Len(), c.String())
	}
	b.WriteString("trailer<</Root 1 0 R>>\n")
	return b.Bytes()
}

// Three pages: the second and third have the copied words.
var (
	ownLines = []string{"The author of this thesis writes about rivers and bridges,", "and all of these words are new in every respect, as is right."}
	copied   = []string{"the old harbour of our town was flooded twice in that century", "and its merchants moved their stores up to some hill beside one", "monastery where no water had ever been seen by anyone alive"}
	source   = strings.Join(copied, " ")
	thesis   = [][]string{ownLines, append(slices.Clone(ownLines), copied[:2]...), append(slices.Clone(copied[2:]), ownLines...)}
)

// searched writes a file and searches it for copies of source.
func searched(t *testing.T, name string, data []byte) (r *report.Report, path string) {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, name)
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "coll"), 0o777), os.WriteFile(filepath.Join(dir, "coll", "harbour.txt"), []byte(source), 0o666), os.WriteFile(path, data, 0o666)); err != nil {
		t.Fatal(err)
	}
	index := memory.New(store.Settings{KeepTexts: true})
	t.Cleanup(func() { index.Close() })
	if _, err := indexer.Run(ctx, index, []string{filepath.Join(dir, "coll")}, indexer.Options{N: 5, Pairs: true, Norms: norms}); err != nil {
		t.Fatal(err)
	}
	doc, err := document.Open(ctx, path, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := search.New(ctx, index, norms, search.Options{N: 5, Texts: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Search(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Passages) == 0 {
		t.Fatalf("no passage in %q", doc.Text)
	}
	return &report.Report{Result: *found}, path
}

// picture returns a picture as an image.
func picture(t *testing.T, p *report.Picture) image.Image {
	t.Helper()
	_, data, _ := strings.Cut(p.Data, ";base64,")
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != p.Width || b.Dy() != p.Height {
		t.Fatalf("picture of %v, stated %d × %d", b, p.Width, p.Height)
	}
	return img
}

// textOf returns the part of the text that a word of a picture is.
func textOf(r *report.Report, w [6]int) string {
	return string(utf16.Decode(utf16.Encode([]rune(r.Suspect.Text))[w[0]:w[1]]))
}

// TestDraw: the pages with passages have pictures, and the box of each word is where the
// PDF draws it.
func TestDraw(t *testing.T) {
	r, path := searched(t, "thesis.pdf", makePDF("/PageLabels<</Nums[0<</S/r>>1<</S/D/St 41>>]>>", "", thesis...))
	if err := pages.Draw(t.Context(), r, path, pages.Options{}); err != nil {
		t.Fatal(err)
	}
	if len(r.Pages.Pictures) != 2 || r.Pages.Of != 3 || r.Pages.Pictures[0].Number != 2 || r.Pages.Pictures[0].Label != "41" || r.Pages.Pictures[1].Label != "42" {
		t.Fatalf("%d pictures of %d pages, the first of page %d, %q; want 2 of 3, page 2, 41", len(r.Pages.Pictures), r.Pages.Of, r.Pages.Pictures[0].Number, r.Pages.Pictures[0].Label)
	}
	var words []string
	for i := range r.Pages.Pictures {
		p := &r.Pages.Pictures[i]
		img := picture(t, p)
		for _, w := range p.Words {
			word := textOf(r, w)
			words = append(words, word)
			x, y := wordAt(t, thesis[p.Number-1], word)
			checkBox(t, word, w, float64(p.Width)/600, x, 800-y)
			if !inked(img, w) {
				t.Errorf("page %d: no ink in the box of %q at %v", p.Number, word, w[2:])
			}
		}
	}
	if got := strings.Join(words, " "); got != source {
		t.Errorf("words on the pictures: %q\nwant %q", got, source)
	}
}

// wordAt returns where a word of one of the lines is drawn, in points from the lower
// left corner.
func wordAt(t *testing.T, lines []string, word string) (x, y float64) {
	t.Helper()
	for k, line := range lines {
		if at := strings.Index(" "+line+" ", " "+word+" "); at >= 0 && slices.Contains(copied, line) {
			return leftEdge + advance*float64(at), topLine - leading*float64(k)
		}
	}
	t.Fatalf("no line has %q", word)
	return 0, 0
}

// checkBox fails the test unless the box of a word is at its place, to a dot or two: x
// and base are in points from the upper left corner.
func checkBox(t *testing.T, word string, w [6]int, scale, x, base float64) {
	t.Helper()
	left, right := x*scale, (x+advance*float64(len(word)))*scale
	if d := float64(w[2]) - left; d < -3 || d > 3 {
		t.Errorf("%q starts at %d, is drawn at %.1f", word, w[2], left)
	}
	if d := float64(w[2]+w[4]) - right; d < -3 || d > 3 {
		t.Errorf("%q ends at %d, is drawn to %.1f", word, w[2]+w[4], right)
	}
	if y := base * scale; float64(w[3]) > y-6 || float64(w[3]+w[5]) < y || w[5] > 2*fontSize*2 {
		t.Errorf("%q from %d to %d, is drawn on the line %.1f", word, w[3], w[3]+w[5], y)
	}
}

// inked reports whether there is ink in the box of a word.
func inked(img image.Image, w [6]int) bool {
	for y := w[3]; y < w[3]+w[5]; y++ {
		for x := w[2]; x < w[2]+w[4]; x++ {
			if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y < 100 {
				return true
			}
		}
	}
	return false
}

// TestDrawTurned: boxes are where a viewer shows the words of a page that is turned and
// cropped.
func TestDrawTurned(t *testing.T) {
	r, path := searched(t, "thesis.pdf", setPDF(upwards, "", "/Rotate 90/CropBox[50 100 600 800]", thesis...))
	if err := pages.Draw(t.Context(), r, path, pages.Options{}); err != nil {
		t.Fatal(err)
	}
	p := &r.Pages.Pictures[0]
	if p.Width <= p.Height {
		t.Fatalf("picture of %d × %d dots, want a turned page", p.Width, p.Height)
	}
	scale := float64(p.Width) / 700
	for _, w := range p.Words {
		x, y := wordAt(t, thesis[p.Number-1], textOf(r, w))
		checkBox(t, textOf(r, w), w, scale, x-leftEdge+bottomEdge-100, topLine-y+topEdge-50)
	}
	if len(p.Words) == 0 {
		t.Error("no words on the page")
	}
}

// TestDrawAll: all pages, if that is asked for.
func TestDrawAll(t *testing.T) {
	r, path := searched(t, "thesis.pdf", makePDF("", "", thesis...))
	if err := pages.Draw(t.Context(), r, path, pages.Options{All: true}); err != nil {
		t.Fatal(err)
	}
	if len(r.Pages.Pictures) != 3 || len(r.Pages.Pictures[0].Words) != 0 {
		t.Errorf("%d pictures, the first with %d words; want 3, and none", len(r.Pages.Pictures), len(r.Pages.Pictures[0].Words))
	}
}

// TestDrawLimit: pages beyond the limit are left out, those with fewest words first, and
// the page of the report names them.
func TestDrawLimit(t *testing.T) {
	r, path := searched(t, "thesis.pdf", makePDF("", "", thesis...))
	if err := pages.Draw(t.Context(), r, path, pages.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := pages.Draw(t.Context(), r, path, pages.Options{MaxBytes: len(r.Pages.Pictures[0].Data)}); err != nil {
		t.Fatal(err)
	}
	if len(r.Pages.Pictures) != 1 || r.Pages.Pictures[0].Number != 2 || !slices.Equal(r.Pages.LeftOut, []int{3}) {
		t.Fatalf("%d pictures, left out %v; want that of page 2, and page 3 left out", len(r.Pages.Pictures), r.Pages.LeftOut)
	}
	var b bytes.Buffer
	if err := report.Write(&b, "html", r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "1 page with passages has no picture") {
		t.Error("the report does not say that a page has no picture")
	}
}

// TestDrawRefuses: a file that is not the one that was searched, and one without pages.
func TestDrawRefuses(t *testing.T) {
	r, path := searched(t, "thesis.pdf", makePDF("", "", thesis...))
	if err := os.WriteFile(path, makePDF("/Lang(cs)", "", thesis...), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := pages.Draw(t.Context(), r, path, pages.Options{}); !errors.Is(err, pages.ErrChanged) || r.Pages != nil {
		t.Errorf("Draw of a changed file = %v, want ErrChanged", err)
	}
	if err := pages.Draw(t.Context(), r, path+".gone", pages.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Draw of a missing file = %v, want os.ErrNotExist", err)
	}
	r, path = searched(t, "thesis.txt", []byte(strings.Join(ownLines, " ")+" "+source))
	if err := pages.Draw(t.Context(), r, path, pages.Options{}); !errors.Is(err, pages.ErrNoPages) {
		t.Errorf("Draw of plain text = %v, want ErrNoPages", err)
	}
}

// TestDrawConverted: a document that LibreOffice converts has its words marked.
func TestDrawConverted(t *testing.T) {
	for _, name := range []string{"pandoc", "soffice"} {
		if _, err := exec.LookPath(name); err != nil {
			need.Skip(t, name+" is not installed")
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "thesis.md")
	text := "# Rivers\n\n" + strings.Join(ownLines, " ") + "[^1]\n\n" + source + "\n\n[^1]: A note that stands at the foot of the page.\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "pandoc", file, "-o", filepath.Join(dir, "thesis.docx")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "thesis.docx"))
	if err != nil {
		t.Fatal(err)
	}
	r, path := searched(t, "thesis.docx", data)
	if err := pages.Draw(t.Context(), r, path, pages.Options{}); err != nil {
		t.Fatal(err)
	}
	var words []string
	for i := range r.Pages.Pictures {
		img := picture(t, &r.Pages.Pictures[i])
		for _, w := range r.Pages.Pictures[i].Words {
			if words = append(words, textOf(r, w)); !inked(img, w) {
				t.Errorf("no ink in the box of %q at %v", textOf(r, w), w[2:])
			}
		}
	}
	if got := strings.Join(words, " "); got != source {
		t.Errorf("words on the pictures: %q\nwant %q", got, source)
	}
}

// TestDrawWithoutPlaces: if the words of a text have no places on its pages, as those that were
// recognised in pictures, an error says so; with all pages, they are shown without marks.
func TestDrawWithoutPlaces(t *testing.T) {
	picture := makePDF("", "", []string{""})
	r, path := searched(t, "thesis.pdf", makePDF("", "", thesis...))
	if err := os.WriteFile(path, picture, 0o666); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(picture)
	r.Suspect.Content = hex.EncodeToString(sum[:])
	if err := pages.Draw(t.Context(), r, path, pages.Options{}); !errors.Is(err, pages.ErrNoPages) || r.Pages != nil {
		t.Errorf("Draw = %v with pictures %v, want an error and none", err, r.Pages)
	}
	if err := pages.Draw(t.Context(), r, path, pages.Options{All: true}); err != nil || len(r.Pages.Pictures) != 1 {
		t.Errorf("Draw of all pages = %v with pictures %v, want one", err, r.Pages)
	}
}

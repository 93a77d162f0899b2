// Package pages puts pictures of the pages of a suspect into its report, with the
// places of the words that passages cover.
//
// Call [Draw]. A PDF is drawn as it is; other documents with pages are converted to
// PDF by LibreOffice, if it is installed. The words of the report's text are found on
// the pages by comparing letters, so a place is never stated for a word that is not
// there.
package pages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"

	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/internal/offset"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
)

// Errors that callers decide on.
var (
	ErrNoPages  error = phrase.Error("sheets.none", "the file has no pages that can be shown")                                                                                           // the format, or no LibreOffice
	ErrNoPlaces error = phrase.Error("sheets.no-places", "{cause}: the places of its words on the pages are unknown, as with text that was recognised in pictures", "cause", ErrNoPages) // Options.All shows the pages nevertheless
	ErrChanged  error = phrase.Error("sheets.changed", "the file has changed since the search")
)

// DefaultMaxBytes bounds the pictures of one report, as the report holds them.
const DefaultMaxBytes = 32 << 20

// dpi is the resolution of the pictures: letters of 8 points can be read. A page of
// A4 has 910 × 1286 dots and takes 30 to 90 KB.
const dpi = 110

// Options say which pages are drawn.
type Options struct {
	All      bool  // every page, not only those with passages
	MaxBytes int   // bytes of all pictures in the report; 0 for DefaultMaxBytes
	Memory   int64 // bytes that the PDF engine may use; 0 for 1 GB
}

// Draw puts pictures of the pages of the file at path, which r is about, into r. It
// returns an error that wraps ErrChanged if the file is not the one that was searched,
// and one that wraps ErrNoPages if the file has no pages.
func Draw(ctx context.Context, r *report.Report, path string, o Options) error {
	data, err := read(r, path)
	if err != nil {
		return err
	}
	if r.Suspect.Format != "pdf" {
		if data, err = convert(ctx, data, r.Suspect.Format); err != nil {
			return err
		}
	}
	v, err := pdf.View(ctx, data, pdf.Options{Memory: o.Memory})
	if err != nil {
		return err
	}
	defer v.Close()
	d := drawing{report: r, viewer: v, limit: cmp.Or(o.MaxBytes, DefaultMaxBytes), all: o.All}
	return d.draw()
}

// read returns the content of the file if it is the one that was searched.
func read(r *report.Report, path string) ([]byte, error) {
	if r.Suspect.Content == "" {
		return nil, phrase.Error("sheets.no-checksum", "{cause}: the report has no checksum of the file: search again", "cause", ErrNoPages)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, oserror.Cause(err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != r.Suspect.Content {
		return nil, phrase.Error("sheets.search-again", "{cause}: pictures of its pages would not fit the report: search again", "cause", ErrChanged)
	}
	return data, nil
}

// A drawing is the work on one report.
type drawing struct {
	report *report.Report
	viewer *pdf.Viewer
	limit  int // of bytes
	all    bool

	sizes  []size // of the sheets
	broken []int  // pages that cannot be drawn, from 1
}

type size struct{ width, height float64 }

// draw finds the words, then draws the pages that have most of them first.
func (d *drawing) draw() error {
	spots, err := d.spots()
	if err != nil {
		return err
	}
	words := wordsIn(d.report, spots)
	if len(words) == 0 && len(d.report.Passages) > 0 && !d.all { // as with text recognised in pictures
		return ErrNoPlaces
	}
	on := make([][]word, d.viewer.Pages)
	for _, w := range words {
		on[w.page] = append(on[w.page], w)
	}
	p := &report.Pages{Of: d.viewer.Pages, Pictures: []report.Picture{}}
	used := 0
	for _, page := range d.order(on) {
		pic, err := d.picture(page, on[page])
		switch {
		case err != nil && d.viewer.Err() != nil:
			return d.viewer.Err()
		case err != nil:
			d.broken = append(d.broken, page+1)
		case used+len(pic.Data) > d.limit:
			p.LeftOut = append(p.LeftOut, page+1)
		default:
			used += len(pic.Data)
			p.Pictures = append(p.Pictures, *pic)
		}
	}
	slices.SortFunc(p.Pictures, func(a, b report.Picture) int { return a.Number - b.Number })
	slices.Sort(p.LeftOut)
	slices.Sort(d.broken)
	p.Broken, p.Limit = d.broken, d.limit
	d.report.Pages = p
	return nil
}

// order returns the pages that are wanted, those with most words first.
func (d *drawing) order(on [][]word) (pages []int) {
	for i := range on {
		if d.all || len(on[i]) > 0 {
			pages = append(pages, i)
		}
	}
	slices.SortStableFunc(pages, func(a, b int) int { return len(on[b]) - len(on[a]) })
	return pages
}

// picture draws one page with its words.
func (d *drawing) picture(page int, words []word) (*report.Picture, error) {
	img, err := d.viewer.Picture(page, dpi)
	if err != nil {
		return nil, err
	}
	data, err := encode(img)
	if err != nil {
		return nil, err
	}
	s := d.sizes[page]
	b := img.Bounds()
	pic := &report.Picture{Number: page + 1, Label: d.report.Suspect.PageLabel(page + 1), Width: b.Dx(), Height: b.Dy(), Data: data, Words: [][6]int{}}
	x, y := float64(b.Dx())/s.width, float64(b.Dy())/s.height
	at := offset.UTF16(d.report.Suspect.Text)
	for _, w := range words {
		left, top := int(w.left*x), int(w.top*y)
		pic.Words = append(pic.Words, [6]int{at.At(w.from), at.At(w.to), left, top, int(w.right*x+0.999) - left, int(w.bottom*y+0.999) - top})
	}
	return pic, nil
}

// spots returns the letters of all pages, in order.
func (d *drawing) spots() ([]spot, error) {
	var list []spot
	for page := range d.viewer.Pages {
		s, err := d.viewer.Sheet(page)
		if err != nil && d.viewer.Err() != nil {
			return nil, d.viewer.Err()
		}
		if err != nil { // picture reports it
			d.sizes = append(d.sizes, size{1, 1})
			continue
		}
		d.sizes = append(d.sizes, size{s.Width, s.Height})
		for _, c := range s.Chars {
			for _, l := range fold(c.Rune) {
				list = append(list, spot{letter: l, page: int32(page), box: box{float32(c.Left), float32(c.Top), float32(c.Right), float32(c.Bottom)}})
			}
		}
	}
	return list, nil
}

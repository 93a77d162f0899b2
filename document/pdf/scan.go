package pdf

import (
	"context"
	"errors"
	"math"

	"github.com/otisk/otisk/lang/phrase"
)

// A Scan is a rendered page in greyscale.
type Scan struct {
	Dots          []byte // row by row
	Width, Height int    // in pixels
	Scale         float64
	Points        float64 // height of the page
}

// Limits for scans.
const (
	scanDPI    = 300      // the resolution for which text recognition is optimised
	maxScan    = 40 << 20 // pixels; a larger page is rendered at a lower resolution
	scanPauses = 100_000  // for one page, about forty seconds

	bitmapGray     = 1 // FPDFBitmap_Gray
	renderAnnotate = 1 // FPDF_ANNOT
)

// DPI returns the resolution in pixels an inch.
func (s *Scan) DPI() int { return int(math.Round(s.Scale * 72)) }

// Blank reports whether the page has no ink.
func (s *Scan) Blank() bool {
	for _, d := range s.Dots {
		if d < darkness {
			return false
		}
	}
	return true
}

// Draw renders pages, by their indices from 0, and calls give for each in order, with an error
// for a page that cannot be rendered. A bare page is rendered without its text. Call [Ready]
// first. An error of give ends it.
func Draw(ctx context.Context, data []byte, opts Options, pages []int, bare func(page int) bool, give func(page int, s *Scan, err error) error) error {
	program, err := opts.engine().compile()
	if err != nil {
		return phrase.Error("cause.pdf-start", "start PDF engine: {cause}", "cause", err)
	}
	for len(pages) > 0 {
		if pages, err = program.scan(ctx, data, pages, bare, give); err != nil {
			return err
		}
	}
	return nil
}

// scan renders pages until the engine ends and returns the remaining pages.
func (p *program) scan(ctx context.Context, data []byte, pages []int, bare func(page int) bool, give func(page int, s *Scan, err error) error) (left []int, err error) {
	m, err := p.machine()
	if err != nil {
		return nil, phrase.Error("cause.pdf-start", "start PDF engine: {cause}", "cause", err)
	}
	defer m.close()
	stop := context.AfterFunc(ctx, m.stop)
	defer stop()
	r := &reader{ctx: ctx, engine: m}
	if err := r.open(data); err != nil {
		return nil, reason(ctx, err)
	}
	for i, page := range pages {
		s, err := r.scan(page, bare(page))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := give(page, s, err); err != nil {
			return nil, err
		}
		if err != nil {
			return pages[i+1:], nil // the engine may have trapped
		}
	}
	return nil, nil
}

// hideText removes the text objects among the count objects that child returns, and in their
// forms.
func (r *reader) hideText(count, child function, of handle, depth int) {
	m := r.engine
	for i := range min(m.int(count, uint64(of)), maxObjects) {
		obj := m.handle(child, uint64(of), uint64(i))
		switch kind := m.int(fnObjectKind, uint64(obj)); {
		case obj == 0:
		case kind == kindText:
			m.call(fnObjectActive, uint64(obj), 0)
		case kind == kindForm && depth < maxForms:
			r.hideText(fnFormCount, fnFormObject, obj, depth+1)
		}
	}
}

// scan renders one page, a bare one without its text.
func (r *reader) scan(index int, bare bool) (*Scan, error) {
	m := r.engine
	page := m.handle(fnLoadPage, uint64(r.doc), uint64(index))
	if page == 0 {
		return nil, errors.Join(phrase.Error("cause.pdf-page", "no page"), m.err)
	}
	if bare {
		r.hideText(fnCountObjects, fnObject, page, 0)
	}
	size := func(f function) float64 { return float64(math.Float32frombits(uint32(m.call(f, uint64(page))))) }
	width, height := size(fnPageWidth), size(fnPageHeight)
	if !(width > 0 && height > 0) {
		return nil, phrase.Error("cause.pdf-size", "page without a size")
	}
	s := &Scan{Points: height, Scale: min(float64(scanDPI)/72, math.Sqrt(maxScan/(width*height)))}
	s.Width, s.Height = max(int(width*s.Scale), 1), max(int(height*s.Scale), 1)
	bitmap := m.handle(fnBitmapCreateAs, uint64(s.Width), uint64(s.Height), bitmapGray, 0, 0)
	if bitmap == 0 {
		return nil, errors.Join(phrase.Error("cause.pdf-memory", "more memory than the limit"), m.err)
	}
	m.call(fnBitmapFill, uint64(bitmap), 0, 0, uint64(s.Width), uint64(s.Height), 0xFFFFFFFF)
	left := m.within(scanPauses, func() {
		m.call(fnRender, uint64(bitmap), uint64(page), 0, 0, uint64(s.Width), uint64(s.Height), 0, renderAnnotate)
	})
	if left <= 0 {
		return nil, errSlow
	}
	stride := m.int(fnBitmapStride, uint64(bitmap))
	data := m.bytes(m.handle(fnBitmapBuffer, uint64(bitmap)), stride*s.Height)
	if m.err != nil || stride < s.Width || len(data) < stride*s.Height {
		return nil, errors.Join(phrase.Error("cause.pdf-picture", "no picture of the page"), m.err)
	}
	s.Dots = make([]byte, 0, s.Width*s.Height)
	for y := range s.Height {
		s.Dots = append(s.Dots, data[y*stride:y*stride+s.Width]...)
	}
	m.call(fnBitmapDestroy, uint64(bitmap))
	m.call(fnClosePage, uint64(page))
	return s, m.err
}

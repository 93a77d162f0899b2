package pdf

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"

	"github.com/otisk/otisk/lang/phrase"
)

// A Sheet is a page as a viewer shows it: cropped and rotated. Measures are in points from the
// top left corner.
type Sheet struct {
	Width, Height float64
	Chars         []Char
}

// A Char is a character of a page and its box.
type Char struct {
	Rune                     rune
	Left, Top, Right, Bottom float64
}

// maxLabel is the maximum size of a page label in bytes of UTF-16.
const maxLabel = 256

// labels returns the page labels, nil if each is the page number or the file has none.
func (r *reader) labels(pages int) []string {
	list, differ := make([]string, pages), false
	for i := range list {
		list[i] = r.engine.text16(maxLabel, fnPageLabel, uint64(r.doc), uint64(i))
		differ = differ || list[i] != "" && list[i] != fmt.Sprint(i+1)
	}
	if !differ {
		return nil
	}
	return list
}

// A Viewer renders pages of one file. It must be closed.
type Viewer struct {
	ctx     context.Context
	program *program
	data    []byte
	r       *reader // nil if the engine trapped
	stop    func() bool
	done    func()

	Pages int // of the file
}

// View opens a file for rendering. It waits for the engine as [Ready] does. When ctx is done,
// all calls return its cause.
func View(ctx context.Context, data []byte, opts Options) (*Viewer, error) {
	done, err := Ready(ctx, opts)
	if err != nil {
		return nil, err
	}
	v := &Viewer{ctx: ctx, data: data, done: done}
	if v.program, err = opts.engine().compile(); err == nil {
		err = v.start()
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	v.Pages = v.r.engine.int(fnPageCount, uint64(v.r.doc))
	return v, nil
}

// start starts an engine with the file.
func (v *Viewer) start() error {
	m, err := v.program.machine()
	if err != nil {
		return phrase.Error("cause.pdf-start", "start PDF engine: {cause}", "cause", err)
	}
	v.r, v.stop = &reader{ctx: v.ctx, engine: m, left: math.MaxInt}, context.AfterFunc(v.ctx, m.stop)
	if err := v.r.open(v.data); err != nil {
		return reason(v.ctx, err)
	}
	return nil
}

// end ends the engine.
func (v *Viewer) end() {
	if v.r != nil {
		v.stop()
		v.r.engine.close()
		v.r = nil
	}
}

// Err returns the cause if the context of the viewer is done.
func (v *Viewer) Err() error {
	if v.ctx.Err() == nil {
		return nil
	}
	return context.Cause(v.ctx)
}

// Close ends the engine and frees its slot.
func (v *Viewer) Close() {
	v.end()
	v.done()
}

// page calls f with a page, by its index from 0. If f fails, the next call starts a new
// engine, as this one may have trapped.
func (v *Viewer) page(index int, f func(r *reader, page handle) error) error {
	if v.r == nil {
		if err := v.start(); err != nil {
			return err
		}
	}
	m := v.r.engine
	m.err = nil
	page := m.handle(fnLoadPage, uint64(v.r.doc), uint64(index))
	var err error = phrase.Error("cause.pdf-page", "no page")
	if page != 0 {
		err = f(v.r, page)
	}
	if err = errors.Join(err, m.err); err == nil {
		m.call(fnClosePage, uint64(page))
		return nil
	}
	v.end()
	return reason(v.ctx, err)
}

// Sheet returns the size of a page, by its index from 0, and its characters in the order of [Page].
func (v *Viewer) Sheet(index int) (*Sheet, error) {
	s := new(Sheet)
	return s, v.page(index, func(r *reader, page handle) error {
		s.Width, s.Height = r.pageSize(page)
		m, place := r.engine, r.placing(page, s)
		if r.text = m.handle(fnTextLoadPage, uint64(page)); r.text == 0 {
			return phrase.Error("cause.pdf-text", "the text of the page is not available")
		}
		defer func() { m.call(fnTextClosePage, uint64(r.text)) }()
		if err := r.load(); err != nil {
			return err
		}
		r.logical(nil)
		for i, u := range r.units {
			b, ok := r.charBox(i)
			if !ok || b.right <= b.left || b.top <= b.bottom {
				continue
			}
			c := rune(u)
			if n := len(s.Chars); n > 0 && utf16.IsSurrogate(c) {
				if both := utf16.DecodeRune(s.Chars[n-1].Rune, c); both != '\uFFFD' {
					s.Chars[n-1].Rune = both
					continue
				}
			}
			s.Chars = append(s.Chars, place(c, b))
		}
		return nil
	})
}

// pageSize returns the size of a page in points.
func (r *reader) pageSize(page handle) (width, height float64) {
	size := func(f function) float64 { return float64(math.Float32frombits(uint32(r.engine.call(f, uint64(page))))) }
	return size(fnPageWidth), size(fnPageHeight)
}

// placing returns a function that converts boxes from the coordinates of a page to
// those of its sheet.
func (r *reader) placing(page handle, s *Sheet) func(rune, box) Char {
	const fine = 1024 // device units per point, as the engine rounds to integers
	const far = 1000  // points
	m := r.engine
	at := func(x, y float64) (float64, float64) {
		m.call(fnPageToDevice, uint64(page), 0, 0, uint64(s.Width*fine), uint64(s.Height*fine), 0, api.EncodeF64(x), api.EncodeF64(y), m.out(4, 0), m.out(4, 1))
		return float64(int32(m.u32(0))) / fine, float64(int32(m.u32(1))) / fine
	}
	x0, y0 := at(0, 0)
	xx, yx := at(far, 0)
	xy, yy := at(0, far)
	convert := func(x, y float64) (float64, float64) {
		return x0 + ((xx-x0)*x+(xy-x0)*y)/far, y0 + ((yx-y0)*x+(yy-y0)*y)/far
	}
	return func(c rune, b box) Char {
		ax, ay := convert(b.left, b.top)
		bx, by := convert(b.right, b.bottom)
		return Char{c, min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)}
	}
}

// maxPicture is the maximum number of pixels: a larger page is rendered at a lower resolution.
const maxPicture = 8 << 20

// Picture renders a page, by its index from 0, at a resolution in pixels an inch.
func (v *Viewer) Picture(index, dpi int) (img *image.RGBA, err error) {
	err = v.page(index, func(r *reader, page handle) error {
		img, err = r.paint(page, float64(dpi)/72)
		return err
	})
	return img, err
}

// paint renders a page at a scale in pixels a point.
func (r *reader) paint(page handle, scale float64) (*image.RGBA, error) {
	m := r.engine
	width, height := r.pageSize(page)
	if !(width > 0 && height > 0) {
		return nil, phrase.Error("cause.pdf-size", "page without a size")
	}
	scale = min(scale, math.Sqrt(maxPicture/(width*height)))
	w, h := max(int(math.Round(width*scale)), 1), max(int(math.Round(height*scale)), 1)
	bitmap := m.handle(fnBitmapCreate, uint64(w), uint64(h), 0)
	if bitmap == 0 {
		return nil, phrase.Error("cause.pdf-memory", "more memory than the limit")
	}
	m.call(fnBitmapFill, uint64(bitmap), 0, 0, uint64(w), uint64(h), 0xFFFFFFFF)
	left := m.within(scanPauses, func() {
		m.call(fnRender, uint64(bitmap), uint64(page), 0, 0, uint64(w), uint64(h), 0, renderAnnotate)
	})
	if left <= 0 {
		return nil, errSlow
	}
	defer m.call(fnBitmapDestroy, uint64(bitmap))
	data := m.bytes(m.handle(fnBitmapBuffer, uint64(bitmap)), 4*w*h)
	if len(data) < 4*w*h {
		return nil, phrase.Error("cause.pdf-picture", "no picture of the page")
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := 0; i < len(data); i += 4 {
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = data[i+2], data[i+1], data[i], 0xFF
	}
	return img, nil
}

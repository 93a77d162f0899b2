package pdf

import (
	"image"
	"math"
	"math/bits"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// A shape is a letter as it is drawn, in squares of a 32nd of its size: a line of
// bits for each height, the lowest first. It starts where its ink does.
type shape [shapeRows]uint64

const (
	shapeUnit = 32 // squares of the size
	shapeBase = 10 // rows below the line that letters are on
	shapeRows = shapeBase + 30
	maxWidth  = 63 // squares
	darkness  = 0xA000
	dpi       = 200
)

// A drawing is a page as it is seen, with what its text says.
type drawing struct {
	r      *reader
	text   references.FPDF_TEXTPAGE
	img    image.Image
	height float64 // of the page in points
}

// draw renders a page. free is to be called when it is no longer needed.
func (r *reader) draw(page requests.Page, text references.FPDF_TEXTPAGE, height float64) (d *drawing, free func()) {
	render, err := r.engine.RenderPageInDPI(&requests.RenderPageInDPI{Page: page, DPI: dpi})
	if err != nil {
		return nil, func() {}
	}
	return &drawing{r, text, render.Result.RenderedImage, height}, render.Cleanup
}

// shape returns how a character is drawn; ok is false for nothing, and for what
// is too close to others.
func (d *drawing) shape(i int) (s shape, ok bool) {
	b, err := d.r.engine.FPDFText_GetCharBox(&requests.FPDFText_GetCharBox{TextPage: d.text, Index: i})
	if err != nil {
		return s, false
	}
	o, err := d.r.engine.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: d.text, Index: i})
	if err != nil {
		return s, false
	}
	size := d.r.sizeIn(d.text, i)
	if size < 6 || size > 40 || b.Right <= b.Left {
		return s, false
	}
	step := size / shapeUnit
	for row := range shapeRows {
		y := o.Y + (float64(row-shapeBase)+0.5)*step
		for x := 0; x <= maxWidth; x++ {
			at := b.Left + (float64(x)+0.5)*step
			if at > b.Right {
				break
			}
			if d.dark(at, y) {
				s[row] |= 1 << x
				ok = true
			}
		}
	}
	return s, ok
}

// dark reports whether there is ink at a place of the page.
func (d *drawing) dark(x, y float64) bool {
	const scale = dpi / 72.0
	px, py := int(math.Floor(x*scale)), int(math.Floor((d.height-y)*scale))
	if !(image.Point{px, py}).In(d.img.Bounds()) {
		return false
	}
	r, g, b, _ := d.img.At(px, py).RGBA()
	return r < darkness && g < darkness && b < darkness
}

// alike returns how much of two shapes is the same, the one moved a little
// against the other.
func alike(a, b shape) float64 {
	best := 0.0
	for down := -1; down <= 1; down++ {
		for aside := -1; aside <= 1; aside++ {
			both, either := 0, 0
			for i := range a {
				j := i + down
				var row uint64
				if 0 <= j && j < len(b) {
					row = b[j]
				}
				if aside > 0 {
					row <<= 1
				} else if aside < 0 {
					row >>= 1
				}
				both += bits.OnesCount64(a[i] & row)
				either += bits.OnesCount64(a[i] | row)
			}
			if either > 0 {
				best = max(best, float64(both)/float64(either))
			}
		}
	}
	return best
}

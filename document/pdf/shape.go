package pdf

import (
	"math/bits"
)

// A shape is the bitmap of a letter with 32 squares to its size: a bit row for each height,
// the lowest first. The leftmost column has ink.
type shape [shapeRows]uint64

const (
	shapeUnit = 32 // squares per font size
	shapeBase = 10 // rows below the baseline
	shapeRows = shapeBase + 30
	maxWidth  = 63 // squares
	dpi       = 200
)

// A drawing is a rendered page whose text is loaded.
type drawing struct {
	r *reader
	picture
}

// everywhere is larger than any page.
var everywhere = box{-1e6, -1e6, 1e6, 1e6}

// draw renders an area of a page to examine its letters.
func (r *reader) draw(page handle, area box) (*drawing, bool) {
	p, ok := r.picture(page, area, dpi)
	return &drawing{r, p}, ok
}

// comparable reports whether a character has a size at which its shape can be compared.
func (r *reader) comparable(i int) bool {
	b, ok := r.inkBox(i)
	size := r.statedSize(i)
	return ok && size >= 6 && size <= 40 && b.right > b.left
}

// shape returns the shape of a character; ok is false if it is empty or touches others.
func (d *drawing) shape(i int) (s shape, ok bool) {
	b, bok := d.r.inkBox(i)
	_, base, ook := d.r.origin(i)
	size := d.r.statedSize(i)
	if !bok || !ook {
		return s, false
	}
	step := size / shapeUnit
	for row := range shapeRows {
		y := base + (float64(row-shapeBase)+0.5)*step
		for x := 0; x <= maxWidth; x++ {
			at := b.left + (float64(x)+0.5)*step
			if at > b.right {
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

// count returns the number of squares with ink, and the least number of them that are left after a small shift.
func (s *shape) count() (all, shifted int) {
	edges := bits.OnesCount64(s[0]) + bits.OnesCount64(s[shapeRows-1])
	for _, row := range s {
		all += bits.OnesCount64(row)
		edges += bits.OnesCount64(row & (1<<maxWidth | 1))
	}
	return all, all - edges
}

// alike returns the similarity of two shapes, the maximum over small shifts.
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

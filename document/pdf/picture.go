package pdf

import "math"

// A picture is a rendered part of a page.
type picture struct {
	dots          []byte // four bytes each: blue, green, red, unused
	width, height int    // in pixels
	scale         float64
	area          box // of the page, in points
}

// Limits for rendering. A file that exceeds them is read without rendering; they count pauses
// of the engine instead of time, so that results are the same on every machine.
const (
	maxDots    = 4 << 20 // a larger page is rendered at a lower resolution
	almost     = 1e-6    // of a pixel, for rounding
	drawPauses = 5_000   // for all pictures of a file, about two seconds
)

// mostlyDrawn reports whether most of the limit for rendering is used up, so that the rest is for
// pages without which a text would be misread.
func (r *reader) mostlyDrawn() bool { return r.pauses < drawPauses/4 }

// picture renders an area of the page at a resolution. The page is not rotated, so that
// positions of characters apply.
func (r *reader) picture(page handle, area box, dpi float64) (p picture, ok bool) {
	return r.render(page, area, dpi, 0)
}

// render is like picture, with flags of the engine.
func (r *reader) render(page handle, area box, dpi float64, flags uint64) (p picture, ok bool) {
	m := r.engine
	m.call(fnSetRotation, uint64(page), 0)
	paper, ok := r.rect(fnBoundingBox, uint64(page))
	area = area.within(paper)
	width, height := area.right-area.left, area.top-area.bottom
	if !ok || width <= 0 || height <= 0 || r.pauses <= 0 {
		return p, false
	}
	p.area = area
	p.scale = min(dpi/72, math.Sqrt(maxDots/(width*height)))
	dots := func(points float64) uint64 { return uint64(uint32(int32(math.Ceil(points*p.scale - almost)))) }
	p.width, p.height = int(dots(width)), int(dots(height))
	bitmap := m.handle(fnBitmapCreate, uint64(p.width), uint64(p.height), 0)
	if bitmap == 0 {
		return p, false
	}
	m.call(fnBitmapFill, uint64(bitmap), 0, 0, uint64(p.width), uint64(p.height), 0xFFFFFFFF)
	r.pauses = m.within(r.pauses, func() {
		m.call(fnRender, uint64(bitmap), uint64(page), dots(paper.left-area.left), dots(area.top-paper.top), dots(paper.right-paper.left), dots(paper.top-paper.bottom), 0, flags)
	})
	if r.pauses <= 0 || m.err != nil {
		return p, false
	}
	defer m.call(fnBitmapDestroy, uint64(bitmap))
	data := m.bytes(m.handle(fnBitmapBuffer, uint64(bitmap)), 4*p.width*p.height)
	p.dots = append(r.spare[:0], data...)
	r.spare = nil
	return p, len(data) > 0
}

// onGrid returns the smallest box around b whose edges are on edges of pixels of the picture.
func (p *picture) onGrid(b box) box {
	left, top := p.area.left, p.area.top
	down := func(points float64) float64 { return math.Floor(points*p.scale+almost) / p.scale }
	up := func(points float64) float64 { return math.Ceil(points*p.scale-almost) / p.scale }
	return box{left + down(b.left-left), top - up(top-b.bottom), left + up(b.right-left), top - down(top-b.top)}
}

// release makes the memory of a picture free for the next one.
func (r *reader) release(p *picture) { r.spare = p.dots }

// wider returns a box with more points on each side.
func (b box) wider(by float64) box { return box{b.left - by, b.bottom - by, b.right + by, b.top + by} }

// within returns the intersection of b and another box.
func (b box) within(o box) box {
	return box{max(b.left, o.left), max(b.bottom, o.bottom), min(b.right, o.right), min(b.top, o.top)}
}

// dot returns blue, green and red at a point of the page; nil outside the picture.
func (p *picture) dot(x, y float64) []byte {
	px, py := int(math.Floor((x-p.area.left)*p.scale)), int(math.Floor((p.area.top-y)*p.scale))
	if px < 0 || py < 0 || px >= p.width || py >= p.height {
		return nil
	}
	at := 4 * (py*p.width + px)
	return p.dots[at : at+3]
}

// darkness is the maximum brightness of ink.
const darkness = 0xA0

// dark reports whether there is ink at a point of the page.
func (p *picture) dark(x, y float64) bool {
	d := p.dot(x, y)
	return d != nil && max(d[0], d[1], d[2]) < darkness
}

// each calls f for every pixel of a box.
func (p *picture) each(b box, f func(at int)) {
	left, right := max(int((b.left-p.area.left)*p.scale), 0), min(int(math.Ceil((b.right-p.area.left)*p.scale)), p.width)
	top, bottom := max(int((p.area.top-b.top)*p.scale), 0), min(int(math.Ceil((p.area.top-b.bottom)*p.scale)), p.height)
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			f(4 * (y*p.width + x))
		}
	}
}

// accepts reports whether is accepts a share of the pixels of a box, at least one.
func (p *picture) accepts(b box, share float64, is func(at int) bool) bool {
	some, all := 0, 0
	p.each(b, func(at int) {
		all++
		if is(at) {
			some++
		}
	})
	return some > 0 && float64(some) >= share*float64(all)
}

// differs reports whether two pictures of the same area differ visibly in a share of a box, at least
// in one pixel.
func (p *picture) differs(o *picture, b box, share float64) bool {
	return p.accepts(b, share, func(at int) bool { return differ(p.dots[at:], o.dots[at:]) })
}

// differ reports whether the first pixels differ visibly.
func differ(a, b []byte) bool {
	for i := range 3 {
		if d := int(a[i]) - int(b[i]); max(d, -d) >= visible {
			return true
		}
	}
	return false
}

// paper is a pixel on which nothing is drawn.
var paper = []byte{0xFF, 0xFF, 0xFF}

// drawn reports whether a box has more than one colour.
func (p *picture) drawn(b box) bool {
	low, high := [3]byte{255, 255, 255}, [3]byte{}
	p.each(b, func(at int) {
		for i := range 3 {
			low[i], high[i] = min(low[i], p.dots[at+i]), max(high[i], p.dots[at+i])
		}
	})
	for i := range 3 {
		if int(high[i])-int(low[i]) >= strong {
			return true
		}
	}
	return false
}

// Differences in one colour component, of 255.
const (
	visible = 24 // visible to a reader; less than nearly white on white
	strong  = 64 // of a letter from its background
)

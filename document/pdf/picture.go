package pdf

import "math"

// A picture is a part of a page as it is seen.
type picture struct {
	dots          []byte // four bytes each: blue, green, red, and one that means nothing
	width, height int    // in dots
	scale         float64
	area          box // of the page, in points
}

// Bounds of pictures. A file whose pictures take longer is read without them; it is
// counted in pauses of the engine, not in time, so that every machine gets the same.
const (
	maxDots    = 4 << 20 // a larger page is drawn coarser
	drawPauses = 5_000   // of all pictures of a file together: some two seconds
)

// picture renders what lies in an area of the page in so many dots an inch. The page
// lies as it does before it is turned: the places of characters are from there.
func (r *reader) picture(page handle, area box, dpi float64) (p picture, ok bool) {
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
	dots := func(points float64) uint64 { return uint64(uint32(int32(math.Ceil(points * p.scale)))) }
	p.width, p.height = int(dots(width)), int(dots(height))
	bitmap := m.handle(fnBitmapCreate, uint64(p.width), uint64(p.height), 0)
	if bitmap == 0 {
		return p, false
	}
	m.call(fnBitmapFill, uint64(bitmap), 0, 0, uint64(p.width), uint64(p.height), 0xFFFFFFFF)
	r.pauses = m.within(r.pauses, func() {
		m.call(fnRender, uint64(bitmap), uint64(page), dots(paper.left-area.left), dots(area.top-paper.top), dots(paper.right-paper.left), dots(paper.top-paper.bottom), 0, 0)
	})
	if r.pauses <= 0 || m.err != nil {
		return p, false
	}
	defer m.call(fnBitmapDestroy, uint64(bitmap))
	data := m.bytes(m.handle(fnBitmapBuffer, uint64(bitmap)), 4*p.width*p.height)
	p.dots = append(p.dots, data...)
	return p, len(data) > 0
}

// within returns the part of b that lies in another box.
func (b box) within(o box) box {
	return box{max(b.left, o.left), max(b.bottom, o.bottom), min(b.right, o.right), min(b.top, o.top)}
}

// dot returns blue, green and red at a place of the page; nothing beside the picture.
func (p *picture) dot(x, y float64) []byte {
	px, py := int(math.Floor((x-p.area.left)*p.scale)), int(math.Floor((p.area.top-y)*p.scale))
	if px < 0 || py < 0 || px >= p.width || py >= p.height {
		return nil
	}
	at := 4 * (py*p.width + px)
	return p.dots[at : at+3]
}

// darkness is how bright ink is at most.
const darkness = 0xA0

// dark reports whether there is ink at a place of the page.
func (p *picture) dark(x, y float64) bool {
	d := p.dot(x, y)
	return d != nil && max(d[0], d[1], d[2]) < darkness
}

// each calls f with every dot of a box.
func (p *picture) each(b box, f func(at int)) {
	left, right := max(int((b.left-p.area.left)*p.scale), 0), min(int(math.Ceil((b.right-p.area.left)*p.scale)), p.width)
	top, bottom := max(int((p.area.top-b.top)*p.scale), 0), min(int(math.Ceil((p.area.top-b.bottom)*p.scale)), p.height)
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			f(4 * (y*p.width + x))
		}
	}
}

// differs reports whether two pictures of the same area differ in a box so that a
// reader sees it.
func (p *picture) differs(o *picture, b box) bool {
	seen := false
	p.each(b, func(at int) {
		for i := range 3 {
			d := int(p.dots[at+i]) - int(o.dots[at+i])
			seen = seen || max(d, -d) >= visible
		}
	})
	return seen
}

// drawn reports whether there are things in a box, and not only one colour.
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

// Differences of one of the three colours, of 255.
const (
	visible = 24 // that a reader sees at all; nearly white on white is less
	strong  = 64 // of a letter from its ground
)

package pdf

import "math"

// A picture is a page as it is seen, in grey.
type picture struct {
	grey          []byte  // 0 is black, 255 white
	width, height int     // in dots
	scale         float64 // dots a point
	left, top     float64 // of what is shown of the page, in points
}

// maxDots bounds how large a picture is: larger ones are drawn coarser.
const maxDots = 4 << 20

// picture renders a page in so many dots an inch, as it lies before it is turned: the
// places of characters are from there.
func (r *reader) picture(page handle, dpi float64) (p picture, ok bool) {
	m := r.engine
	m.call(fnSetRotation, uint64(page), 0)
	paper, ok := r.rect(fnBoundingBox, uint64(page))
	width, height := paper.right-paper.left, paper.top-paper.bottom
	if !ok || width <= 0 || height <= 0 {
		return p, false
	}
	p.scale = min(dpi/72, math.Sqrt(maxDots/(width*height)))
	p.left, p.top = paper.left, paper.top
	p.width, p.height = max(int(width*p.scale), 1), max(int(height*p.scale), 1)
	bitmap := m.handle(fnBitmapCreate, uint64(p.width), uint64(p.height), 0)
	if bitmap == 0 {
		return p, false
	}
	defer m.call(fnBitmapDestroy, uint64(bitmap))
	m.call(fnBitmapFill, uint64(bitmap), 0, 0, uint64(p.width), uint64(p.height), 0xFFFFFFFF)
	m.call(fnRender, uint64(bitmap), uint64(page), 0, 0, uint64(p.width), uint64(p.height), 0, 0)
	stride := m.int(fnBitmapStride, uint64(bitmap))
	data := m.bytes(m.handle(fnBitmapBuffer, uint64(bitmap)), stride*p.height)
	if len(data) == 0 || m.err != nil {
		return p, false
	}
	p.grey = make([]byte, p.width*p.height)
	for y := range p.height {
		row := data[y*stride:]
		for x := range p.width {
			p.grey[y*p.width+x] = max(row[4*x], row[4*x+1], row[4*x+2])
		}
	}
	return p, true
}

// at returns how bright a place of the page is.
func (p *picture) at(x, y float64) byte {
	px, py := int(math.Floor((x-p.left)*p.scale)), int(math.Floor((p.top-y)*p.scale))
	if px < 0 || py < 0 || px >= p.width || py >= p.height {
		return 255
	}
	return p.grey[py*p.width+px]
}

// darkness is how bright ink is at most.
const darkness = 0xA0

// dark reports whether there is ink at a place of the page.
func (p *picture) dark(x, y float64) bool { return p.at(x, y) < darkness }

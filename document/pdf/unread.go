package pdf

import (
	"math"
	"slices"
)

// Pictures, outlines of letters, patterns, soft masks and annotations can show text that no text
// layer states. A page with such drawings is rendered without its text, and what remains is
// searched for lines of text: connected components of the size of letters, joined to lines as by
// O'Gorman (The Document Spectrum for Page Layout Analysis, 1993), on a common baseline, at least
// three below each other. Lines that the text layer has, too, as in a recognised scan, are read.

// Limits and thresholds for drawings that may show text.
const (
	unreadDPI     = 100
	leastDrawing  = 0.02    // least share of the page of a drawing that is examined
	leastOutlines = 150     // least paths of the size of letters on a page
	manySegments  = 500     // segments of one path that may be several letters
	allSegments   = 2000    // the same of all wide paths of a page
	maxPixels     = 4 << 20 // pixels of pictures that are decoded for a file; 0.1 µs each
	maxLooks      = 200     // pages of a file that are examined
	leastPixels   = 300_000 // of the picture of an empty page
	blankBits     = 0.0005  // encoded bits for a pixel of such a page; a page of text takes 30 times as many
	beyondShare   = 4       // one in so many pages beyond these limits is examined nevertheless
	leastWords    = 20      // words that make it worth a note
)

// Unread is text that a page shows outside its text layer.
type Unread struct {
	Lines, Words int
	Share        float64 // of the page's area
}

// drawings sums up what of a page may show text outside its text layer.
type drawings struct {
	pixels   int // of its pictures
	pictures []pictureKey
	at       box     // bounding box of all these
	area     float64 // of pictures, patterns and the like, in square points
	outlines int     // paths of the size of letters
	segments int     // of wider paths
	notes    bool    // annotations with an appearance
	read     []box   // annotations whose text is read
}

// addPicture records a picture with its box on the page.
func (r *reader) addPicture(d *drawings, obj handle, at box) {
	key := r.pictureKey(obj)
	if r.blank[key] {
		return
	}
	d.pictures = append(d.pictures, key)
	d.pixels += key.width * key.height
	d.add(at)
}

// add records the box of a drawing that may show text.
func (d *drawings) add(at box) {
	d.area += at.area()
	d.at = d.at.around(at)
}

// A pictureKey identifies a picture that is repeated on pages, such as a background.
type pictureKey struct{ width, height, bytes int }

// pictureKey returns the key of a picture.
func (r *reader) pictureKey(picture handle) (key pictureKey) {
	m := r.engine
	if m.ok(fnPixelSize, uint64(picture), m.out(4, 0), m.out(4, 1)) {
		key.width, key.height = int(m.u32(0)), int(m.u32(1))
	}
	key.bytes = m.int(fnPictureData, uint64(picture), 0, 0)
	return key
}

// even reports whether a picture may be of one colour.
func (k pictureKey) even() bool {
	return float64(8*k.bytes) < max(evenBits*float64(k.width)*float64(k.height), evenBytes)
}

// Encoded size of a picture that may be of one colour.
const (
	evenBits  = 0.02 // for a pixel
	evenBytes = 8 * 500
)

// addPath records a path with its box on the page.
func (r *reader) addPath(d *drawings, obj handle, at box, plain bool) {
	m := r.engine
	width, height := at.right-at.left, at.top-at.bottom
	segments := m.int(fnSegments, uint64(obj))
	switch {
	case !plain || at.area() > minOutline && (r.patterned || m.ok(fnTransparent, uint64(obj))):
		d.add(at) // the engine returns a colour for a pattern, too
	case segments >= manySegments:
		d.outlines += leastOutlines
		d.at = d.at.around(at)
	case width > 1 && width < maxOutline && height > 1 && height < maxOutline:
		d.outlines++
		d.at = d.at.around(at)
	case width > 1:
		d.segments += segments
		d.at = d.at.around(at)
	}
}

// Size of outlines of letters.
const (
	minOutline = 1000 // square points of a path that may have a soft mask
	maxOutline = 40   // points
)

// mayShow reports whether the drawings of a page may show text.
func (d *drawings) mayShow(paper box) bool {
	return d.area >= leastDrawing*paper.area() || d.outlines >= leastOutlines || d.segments >= allSegments || d.notes
}

// share returns the share of the page that the drawings span.
func (d *drawings) share(paper box) float64 {
	return d.at.within(paper).area() / max(paper.area(), 1)
}

// blank reports whether the pictures of a page have hardly any content.
func (d *drawings) blank() bool {
	full := func(k pictureKey) bool { return float64(8*k.bytes) >= blankBits*float64(k.width)*float64(k.height) }
	return d.outlines == 0 && !slices.ContainsFunc(d.pictures, full)
}

// unread searches the page for text outside its text layer.
func (r *reader) unread(page handle, o *objects, p *Page) {
	d := &o.drawings
	if r.blind {
		return
	}
	if !d.mayShow(o.paper) {
		p.Blank = true
		return
	}
	large := len(p.Lines) == 0 && d.pixels >= leastPixels
	p.Blank = large && d.blank()
	sparse := false
	switch cheap := r.pixels+d.pixels <= maxPixels && r.looks < maxLooks; {
	case cheap && r.pauses >= drawPauses/2:
		r.pixels += d.pixels
		r.looks++
	case len(p.Lines) == 0 && !r.pictured && r.pauses >= drawPauses/2: // a cover, until one shows text
	case !r.overlaid:
		if r.beyond++; r.beyond%beyondShare != 1 || r.pauses < drawPauses/2 {
			p.Unsearched = d.share(o.paper)
			return
		}
	case !isSparse(p.Lines, o.paper):
		return
	default:
		sparse = true
		r.sparse++
		if examined := r.sparse&(r.sparse-1) == 0; !examined || r.pauses < drawPauses/2 {
			if r.partial {
				p.Unsearched = d.share(o.paper)
			}
			return
		}
	}
	r.activateText(false, nil)
	area, flags := d.at, uint64(0)
	if d.notes {
		area, flags = everywhere, renderAnnotate
	}
	pic, ok := r.render(page, area, unreadDPI, flags)
	if !ok {
		p.Unsearched = d.share(o.paper)
		return
	}
	defer r.release(&pic)
	var read []box
	for _, l := range p.Lines {
		read = append(read, box{l.Left, l.Base - l.Size/3, l.Right, l.Base + l.Size})
	}
	read = append(read, d.read...)
	if p.Unread = pic.unread(pic.ink(contrast), read); p.Unread.Words < leastWords && (len(p.Lines) == 0 || p.Covered) {
		p.Unread = pic.text(read)
	}
	p.Blank = p.Blank || p.Unread.Words < leastWords
	r.pictured = r.pictured || len(p.Lines) == 0 && !p.Blank
	if p.Unread.Words < leastWords {
		p.Unread = Unread{}
		for _, key := range d.pictures {
			r.blank[key] = true
		}
	}
	r.partial = r.partial || sparse && p.Unread.Words > 0
}

// A scan whose recognised text covers less of a page than this may be recognised only in part. Such pages
// are examined beyond the limit of pixels, ever fewer of them: the first, the second, the fourth. If one
// shows more text, the others count as not searched.
const (
	sparseText  = 0.3
	lineSpacing = 1.25 // distance of lines relative to the font size
)

// isSparse reports whether lines cover little of a page.
func isSparse(lines []Line, paper box) bool {
	covered := 0.0
	for _, l := range lines {
		covered += max(l.Right-l.Left, 0) * l.Size * lineSpacing
	}
	return covered < sparseText*paper.area()
}

// text searches the picture of a page of a few words at most for text in every way that a reader sees: upright or turned, at its
// slant, faint, or of another colour but the brightness of its background.
func (p *picture) text(read []box) (u Unread) {
	turned := p.turned()
	for _, ink := range []func() inkMap{
		func() inkMap { return p.ink(contrast) },
		func() inkMap { return p.ink(faint) },
		func() inkMap { return p.colours().ink(faint) },
	} {
		m := ink()
		if u = p.unread(m, read); u.Words < leastWords {
			u = turned.unread(m.turned(), nil)
		}
		if u.Words >= leastWords {
			break
		}
	}
	return u
}

// colours returns a grey picture of the colours without their brightness.
func (p *picture) colours() *picture {
	c := *p
	c.dots = make([]byte, len(p.dots))
	for at := 0; at < len(p.dots); at += 4 {
		b, g, r := int(p.dots[at]), int(p.dots[at+1]), int(p.dots[at+2])
		grey := byte((3*255 + 3*r - 2*g - b) / 6)
		c.dots[at], c.dots[at+1], c.dots[at+2] = grey, grey, grey
	}
	return &c
}

// An inkMap has the pixels of a picture that differ from their background.
type inkMap struct {
	dots          []bool
	width, height int
}

// Tiles whose median is the background of their pixels.
const (
	tile     = 64
	contrast = 60 // of ink from its background, of 255
	faint    = 24 // of the faintest ink that is still read
)

// ink returns the pixels of a picture that differ by least from their background, dark or light.
func (p *picture) ink(least int) inkMap {
	m := inkMap{make([]bool, p.width*p.height), p.width, p.height}
	var light [tile * tile]byte
	for y := 0; y < p.height; y += tile {
		for x := 0; x < p.width; x += tile {
			var count [256]int
			right, bottom, total := min(x+tile, p.width), min(y+tile, p.height), 0
			for row := y; row < bottom; row++ {
				for dots := p.dots[4*(row*p.width+x) : 4*(row*p.width+right)]; len(dots) > 0; dots = dots[4:] {
					l := byte((int(dots[0]) + 2*int(dots[1]) + int(dots[2])) / 4)
					light[total] = l
					count[l]++
					total++
				}
			}
			median := 0
			for sum := count[0]; 2*sum < total; sum += count[median] {
				median++
			}
			rest := light[:total]
			for row := y; row < bottom; row++ {
				dots := m.dots[row*p.width+x : row*p.width+right]
				for i, l := range rest[:len(dots)] {
					d := int(l) - median
					dots[i] = max(d, -d) >= least
				}
				rest = rest[len(dots):]
			}
		}
	}
	return m
}

// turned returns the map with rows as columns.
func (m inkMap) turned() inkMap {
	t := inkMap{make([]bool, len(m.dots)), m.height, m.width}
	for y := range m.height {
		for x := range m.width {
			t.dots[(m.width-1-x)*m.height+y] = m.dots[y*m.width+x]
		}
	}
	return t
}

// turned returns the frame of the turned picture, without dots.
func (p *picture) turned() *picture {
	return &picture{width: p.height, height: p.width, scale: p.scale, area: box{right: p.area.top - p.area.bottom, top: p.area.right - p.area.left}}
}

// A blob is a connected component of ink, in pixels; bottom is the row below it.
type blob struct{ left, top, right, bottom, dots int }

func (b blob) height() int { return b.bottom - b.top }

// Sizes of letters in pixels, and the maximum number of components of a page.
const (
	minLetter = 4
	maxLetter = 28
	maxBlobs  = 60_000
)

// blobs returns the connected components of the size of letters.
func (m inkMap) blobs() []blob {
	type run struct{ from, to, of int }
	var all []blob
	var parent []int
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	var above, row []run
	for y := range m.height {
		above, row = row, above[:0]
		line := m.dots[y*m.width : (y+1)*m.width]
		next := 0
		for x := 0; x < m.width; x++ {
			if !line[x] {
				continue
			}
			from := x
			for x < m.width && line[x] {
				x++
			}
			of := -1
			for next < len(above) && above[next].to < from {
				next++
			}
			for i := next; i < len(above) && above[i].from <= x; i++ {
				root := find(above[i].of)
				if of < 0 {
					of = root
				} else if of != root {
					parent[root] = of
					all[of] = all[of].joined(all[root])
				}
			}
			if of < 0 {
				if of = len(all); of == maxBlobs {
					return nil
				}
				all, parent = append(all, blob{from, y, x, y + 1, 0}), append(parent, of)
			}
			all[of] = all[of].joined(blob{from, y, x, y + 1, x - from})
			row = append(row, run{from, x, of})
		}
	}
	var letters []blob
	for i, b := range all {
		if h := b.height(); parent[i] == i && h >= minLetter && h <= maxLetter && b.right-b.left <= 6*h {
			letters = append(letters, b)
		}
	}
	return letters
}

// joined returns the union of two components.
func (b blob) joined(o blob) blob {
	return blob{min(b.left, o.left), min(b.top, o.top), max(b.right, o.right), max(b.bottom, o.bottom), b.dots + o.dots}
}

// A row is a line of components.
type row struct {
	blob
	parts []blob
}

// Thresholds for lines of text, relative to the height of letters or to the number of letters.
const (
	farApart     = 2.0 // maximum distance of components of a line
	leastParts   = 6
	leastLength  = 14
	onBase       = 0.5  // least share of components on the baseline
	uneven       = 0.15 // least deviation of their widths, unlike dashes and markers; in fonts of one width, of their dots
	leastRows    = 3
	unevenHeight = 0.1 // least deviation of heights in fonts of one width
	maxLeading   = 3.5 // maximum distance of two lines of a paragraph
)

// rows returns the lines of text among components.
func rows(blobs []blob) []row {
	var out []row
	for _, r := range chains(blobs) {
		if r.isText() {
			out = append(out, *r)
		}
	}
	return out
}

// leastSlant is the least slope of lines that matters.
const leastSlant = 0.003

// level takes the slope of their lines out of components.
func level(blobs []blob) []blob {
	var slopes []float64
	for _, r := range chains(blobs) {
		if half := len(r.parts) / 2; half >= leastParts {
			for i, a := range r.parts[:half] {
				if b := r.parts[i+half]; b.left > a.left {
					slopes = append(slopes, float64(b.bottom-a.bottom)/float64(b.left-a.left))
				}
			}
		}
	}
	if len(slopes) == 0 {
		return blobs
	}
	slices.Sort(slopes)
	slope := slopes[len(slopes)/2]
	if math.Abs(slope) >= leastSlant {
		for i, b := range blobs {
			down := int(math.Round(slope * float64(b.left)))
			blobs[i].top, blobs[i].bottom = b.top-down, b.bottom-down
		}
	}
	return blobs
}

// chains joins each component to the one on its left.
func chains(blobs []blob) []*row {
	slices.SortFunc(blobs, func(a, b blob) int { return a.left - b.left })
	var list []*row
	byBand := map[int][]*row{} // open lines by the band of their last component
	for _, b := range blobs {
		middle := (b.top + b.bottom) / 2
		var best *row
		for band := middle/maxLetter - 1; band <= middle/maxLetter+1; band++ {
			for _, r := range byBand[band] {
				last := r.parts[len(r.parts)-1]
				overlap := min(last.bottom, b.bottom) - max(last.top, b.top)
				small, large := min(last.height(), b.height()), max(last.height(), b.height())
				gap := float64(b.left - last.right)
				if 2*overlap >= small && large <= 3*small && gap <= farApart*float64(large) && (best == nil || last.right > best.right) {
					best = r
				}
			}
		}
		if best == nil {
			best = &row{blob: b}
			list = append(list, best)
			byBand[middle/maxLetter] = append(byBand[middle/maxLetter], best)
		} else {
			last := best.parts[len(best.parts)-1]
			if from, to := (last.top+last.bottom)/2/maxLetter, middle/maxLetter; from != to {
				byBand[from] = slices.DeleteFunc(byBand[from], func(r *row) bool { return r == best })
				byBand[to] = append(byBand[to], best)
			}
			best.blob = best.joined(b)
		}
		best.parts = append(best.parts, b)
	}
	return list
}

// size returns the median height of the components.
func (r *row) size() int {
	heights := make([]int, len(r.parts))
	for i, b := range r.parts {
		heights[i] = b.height()
	}
	slices.Sort(heights)
	return heights[len(heights)/2]
}

// deviation returns the standard deviation of a measure of the components, relative to its mean.
func (r *row) deviation(measure func(blob) int) float64 {
	sum, squares, n := 0.0, 0.0, float64(len(r.parts))
	for _, b := range r.parts {
		m := float64(measure(b))
		sum, squares = sum+m, squares+m*m
	}
	return math.Sqrt(max(squares/n-sum/n*sum/n, 0)) / (sum / n)
}

// isText reports whether the components look like a line of text.
func (r *row) isText() bool {
	if len(r.parts) < leastParts {
		return false
	}
	size := r.size()
	if r.right-r.left < leastLength*size || r.height() > 4*size {
		return false
	}
	bottoms := make([]int, len(r.parts))
	for i, b := range r.parts {
		bottoms[i] = b.bottom
	}
	if r.deviation(func(b blob) int { return b.right - b.left }) < uneven && (r.deviation(blob.height) < unevenHeight || r.deviation(func(b blob) int { return b.dots }) < uneven) {
		return false
	}
	n := float64(len(r.parts))
	slices.Sort(bottoms)
	base, on := bottoms[len(bottoms)/2], 0
	for _, b := range bottoms {
		if d := b - base; max(d, -d) <= max(size/6, 1) {
			on++
		}
	}
	return float64(on) >= onBase*n
}

// unread returns the lines of text in the ink that are in paragraphs and not in the boxes of read
// text.
func (p *picture) unread(ink inkMap, read []box) Unread {
	blobs := ink.blobs()
	if len(read) == 0 {
		blobs = level(blobs)
	}
	lines := rows(blobs)
	slices.SortFunc(lines, func(a, b row) int { return a.top - b.top })
	inParagraph := make([]bool, len(lines))
	length := make([]int, len(lines)) // lines of the paragraph up to here
	above := make([]int, len(lines))
	for i := range lines {
		length[i], above[i] = 1, -1
		size := lines[i].size()
		for j := i - 1; j >= 0 && lines[i].bottom-lines[j].bottom <= int(maxLeading*float64(2*size)); j-- {
			aside := min(lines[i].right, lines[j].right) - max(lines[i].left, lines[j].left)
			if lines[j].bottom <= lines[i].top+size && 2*aside >= min(lines[i].right-lines[i].left, lines[j].right-lines[j].left) && length[j] >= length[i] {
				length[i], above[i] = length[j]+1, j
			}
		}
		if length[i] >= leastRows {
			for j := i; j >= 0 && !inParagraph[j]; j = above[j] {
				inParagraph[j] = true
			}
		}
	}
	var u Unread
	for i := range lines {
		b := lines[i].blob
		at := box{p.area.left + float64(b.left)/p.scale, p.area.top - float64(b.bottom)/p.scale, p.area.left + float64(b.right)/p.scale, p.area.top - float64(b.top)/p.scale}
		if !inParagraph[i] || covered(at, read) {
			continue
		}
		u.Lines++
		u.Words += max((b.right-b.left)/(wordWidth*lines[i].size()), 1)
		u.Share += float64((b.right-b.left)*lines[i].size()*2) / float64(p.width*p.height)
	}
	return u
}

// wordWidth is the approximate width of a word and a space relative to the height of small letters.
const wordWidth = 6

// covered reports whether boxes of read text cover half of a line.
func covered(line box, read []box) bool {
	width, least := 0.0, (line.top-line.bottom)/4
	for _, b := range read {
		if w := line.within(b); w.top-w.bottom > least && w.right > w.left {
			width += w.right - w.left
		}
	}
	return 2*width >= line.right-line.left
}

// appearances reports whether annotations other than fields, links and comments draw something of
// some size, and returns the boxes of those whose text is read.
func (r *reader) appearances(page handle) (draw bool, read []box) {
	m := r.engine
	for i := range min(m.int(fnAnnotCount, uint64(page)), maxAnnotations) {
		annot := m.handle(fnAnnot, uint64(page), uint64(i))
		if annot == 0 {
			continue
		}
		at, _ := r.rect(fnAnnotRect, uint64(annot))
		switch kind := m.int(fnAnnotKind, uint64(annot)); {
		case kind == annotLink || kind == annotPopup || kind == annotComment:
		case kind == annotWidget:
			read = append(read, at)
		case m.int(fnAnnotFlags, uint64(annot))&annotUnseen != 0 || at.area() < minOutline || m.int(fnAnnotLook, uint64(annot), 0, 0, 0) <= 2:
		case kind == annotFreeText && r.annotText(annot, "Contents") != "":
			read = append(read, at)
		default:
			draw = true
		}
		m.call(fnAnnotClose, uint64(annot))
	}
	return draw, read
}

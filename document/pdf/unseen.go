package pdf

import (
	"math"
	"slices"
)

// Limits for the search for hidden text. A note reports the parts that they exclude.
const (
	maxObjects = 50_000 // objects on a page or in a form
	maxForms   = 5      // nesting depth of forms
)

// minSize is the size in points below which text is unreadable.
const minSize = 2

// A box is a rectangle on the page.
type box struct{ left, bottom, right, top float64 }

func (b box) holds(x, y float64) bool {
	return b.left <= x && x <= b.right && b.bottom <= y && y <= b.top
}

// objects describes the objects of a page for the search for hidden text.
type objects struct {
	images    int
	cut       bool  // the page has more than maxObjects
	suspect   bool  // text in a form may be invisible
	suspects  []box // text that may be invisible
	paper     box   // the visible part of the page
	sheet     box   // the whole page
	pictures  []box // images, and forms with images
	grounds   []box // other objects on which white text is visible
	actuals   actuals
	scene     scene
	drawings  drawings
	masked    bool              // the current form may be masked
	type3     map[handle]bool   // whether each font is of type 3 and examined
	drawnFont bool              // one is of type 3
	fonts     map[handle]handle // font of each text
	several   bool              // the page has more than one font
	veiled    map[handle]*veil  // texts that may be invisible, by object
}

// Types of page objects, and text rendering modes that draw nothing, as in PDFium.
const (
	kindText    = 1
	kindPath    = 2
	kindImage   = 3
	kindShading = 4
	kindForm    = 5

	modeStroke     = 1
	modeFillStroke = 2
	modeInvisible  = 3
	modeFillClip   = 4 // the first of the modes that add to the clip path, in the same order
	modeClip       = 7
)

// objectsOf examines the objects of the page.
func (r *reader) objectsOf(page handle) objects {
	m := r.engine
	var o objects
	o.paper, _ = r.rect(fnBoundingBox, uint64(page))
	o.sheet = o.paper
	if m.ok(fnMediaBox, uint64(page), m.out(4, 0), m.out(4, 1), m.out(4, 2), m.out(4, 3)) {
		o.sheet = box{m.f32(0), m.f32(1), m.f32(2), m.f32(3)}
	}
	count := m.int(fnCountObjects, uint64(page))
	o.cut = count > maxObjects
	for i := range min(count, maxObjects) {
		if obj := m.handle(fnObject, uint64(page), uint64(i)); obj != 0 {
			r.object(&o, obj, 0, identity)
		}
	}
	r.veils(&o)
	return o
}

// object examines one object of the page, or of a form at this depth with its matrix. Objects
// of a form have their own coordinates, so that a form is a background as a whole.
func (r *reader) object(o *objects, obj handle, depth int, m matrix) (ground bool) {
	kind := r.engine.int(fnObjectKind, uint64(obj))
	if kind == kindForm {
		return r.formObject(o, obj, depth, m)
	}
	bounds := r.bounds(obj)
	switch kind {
	case kindText:
		r.actual(&o.actuals, obj, m)
		r.suspectText(o, obj, depth, bounds)
		font := r.engine.handle(fnTextFont, uint64(obj))
		o.addFont(obj, font)
		r.addText(&o.scene, obj, bounds, m, depth, o.masked || r.mayDrawNothing(o, font))
	case kindImage:
		if o.images++; depth == 0 {
			o.pictures = append(o.pictures, bounds)
		}
		r.addPaint(&o.scene, obj, bounds, m, kind)
		r.addPicture(&o.drawings, obj, m.of(bounds))
		return true
	case kindPath, kindShading:
		plain := r.addPaint(&o.scene, obj, bounds, m, kind)
		r.addPath(&o.drawings, obj, m.of(bounds), plain)
		if r.white(obj) {
			return false
		}
		if depth == 0 {
			o.grounds = append(o.grounds, bounds)
		}
		return true
	}
	return false
}

// formObject examines a form and its objects.
func (r *reader) formObject(o *objects, obj handle, depth int, m matrix) (ground bool) {
	images, masked := o.images, o.masked
	if r.masks && r.engine.ok(fnTransparent, uint64(obj)) || r.faint(obj) {
		o.masked = true
	}
	ground = r.form(o, obj, depth, m.times(r.matrixOf(obj)))
	if o.masked = masked; !ground {
		return false
	}
	if depth == 0 && o.images > images {
		o.pictures = append(o.pictures, r.bounds(obj))
	} else if depth == 0 {
		o.grounds = append(o.grounds, r.bounds(obj))
	}
	return true
}

// faint reports whether a form is drawn with hardly any opacity.
func (r *reader) faint(form handle) bool {
	c, ok := r.colour(fnObjectColor, uint64(form))
	return ok && c.clear()
}

// suspectText records a text that may be invisible and its box; text in a form may be
// anywhere.
func (r *reader) suspectText(o *objects, obj handle, depth int, bounds box) {
	if o.suspect {
		return
	}
	if !r.white(obj) && !r.tiny(obj, bounds) && !r.invisible(obj) && (depth > 0 || !o.outside(bounds)) {
		return
	}
	if depth > 0 {
		o.suspect = true
	} else {
		o.suspects = append(o.suspects, bounds)
	}
}

// form examines the objects of a form and reports whether it is a background.
func (r *reader) form(o *objects, obj handle, depth int, m matrix) (ground bool) {
	count := r.engine.int(fnFormCount, uint64(obj))
	o.cut = o.cut || count > maxObjects || depth >= maxForms
	if depth >= maxForms {
		return true
	}
	for i := range min(count, maxObjects) {
		inner := r.engine.handle(fnFormObject, uint64(obj), uint64(i))
		if inner != 0 && r.object(o, inner, depth+1, m) {
			ground = true
		}
	}
	return ground
}

func (b box) area() float64 { return max(b.right-b.left, 0) * max(b.top-b.bottom, 0) }

// covered reports whether one picture covers nine tenths of the paper or more.
func (o *objects) covered() bool {
	return slices.ContainsFunc(o.pictures, func(p box) bool { return p.within(o.paper).area() >= 0.9*o.paper.area() && o.paper.area() > 0 })
}

// spread returns the share of the paper that the bounding box of all drawings covers, 1 if
// unknown.
func (o *objects) spread() float64 {
	if o.cut || o.paper.area() == 0 {
		return 1
	}
	var all box
	for _, p := range slices.Concat(o.pictures, o.grounds) {
		all = all.around(p)
	}
	return all.within(o.paper).area() / o.paper.area()
}

// outside reports whether a box is outside the paper.
func (o *objects) outside(b box) bool {
	p := o.paper
	return p.right > p.left && b.right > b.left && (b.right < p.left || b.left > p.right || b.top < p.bottom || b.bottom > p.top)
}

// white reports whether an object is filled with white.
func (r *reader) white(obj handle) bool {
	c, ok := r.colour(fnObjectColor, uint64(obj))
	return ok && isWhite(c)
}

// A colour is red, green, blue and alpha, from 0 to 255 each.
type colour [4]uint

// colour calls a function that returns a colour.
func (r *reader) colour(f function, of ...uint64) (colour, bool) {
	m := r.engine
	if !m.ok(f, append(of, m.out(4, 0), m.out(4, 1), m.out(4, 2), m.out(4, 3))...) {
		return colour{}, false
	}
	return colour{m.u32(0), m.u32(1), m.u32(2), m.u32(3)}, true
}

// isWhite reports whether a colour looks like paper.
func isWhite(c colour) bool {
	return min(c[0], c[1], c[2]) >= 239 || c.clear()
}

// clear reports whether a colour is transparent.
func (c colour) clear() bool { return c[3] <= 12 }

// invisible reports whether text is drawn in a mode that shows nothing.
func (r *reader) invisible(obj handle) bool {
	mode := r.engine.int(fnRenderMode, uint64(obj))
	return mode == modeInvisible || mode == modeClip
}

// tiny reports whether text may be too small to read, so that its characters are examined.
func (r *reader) tiny(obj handle, bounds box) bool {
	m := r.engine
	if !m.ok(fnObjectFontSize, uint64(obj), m.out(4, 0)) {
		return false
	}
	size := m.f32(0)
	if !m.ok(fnObjectMatrix, uint64(obj), m.out(4, 0)) {
		return false
	}
	drawn := size * math.Hypot(m.f32(2), m.f32(3))
	if drawn <= 0 || drawn >= minSize {
		return false
	}
	return bounds.top-bounds.bottom < max(minSize, ownScale*drawn)
}

func (r *reader) bounds(obj handle) box {
	m := r.engine
	if !m.ok(fnObjectBounds, uint64(obj), m.out(4, 0), m.out(4, 1), m.out(4, 2), m.out(4, 3)) {
		return box{}
	}
	return box{m.f32(0), m.f32(1), m.f32(2), m.f32(3)}
}

// unseen returns why each character is invisible, "" if it is visible; nil if all are.
// Invisible text over a picture is the recognised text of a scan and counts as visible.
// Queries about characters are slow, so only lines near possibly invisible text are examined.
func (r *reader) unseen(o objects) []string {
	if !o.suspect && len(o.suspects) == 0 || len(r.units) == 0 {
		return nil
	}
	why := make([]string, len(r.units))
	for from := 0; from < len(r.units); {
		to := from + 1
		for to < len(r.units) && !endsLine(r.units[to-1]) {
			to++
		}
		if o.suspect || r.near(from, to, o.suspects) {
			r.unseenLine(why, from, to, o)
		}
		from = to
	}
	return why
}

// unseenLine records why the characters [from, to) of a line are invisible.
func (r *reader) unseenLine(why []string, from, to int, o objects) {
	for i := from; i < to; i++ {
		if r.units[i] > ' ' {
			why[i] = r.unseenChar(i, o)
		} else if i > 0 {
			why[i] = why[i-1]
		}
	}
}

// near reports whether the line of the characters [from, to) is within its own height of one
// of the boxes.
func (r *reader) near(from, to int, boxes []box) bool {
	for from < to && r.units[from] <= ' ' {
		from++
	}
	for from < to && (r.units[to-1] <= ' ' || r.units[to-1] == hyphen) {
		to--
	}
	if from == to {
		return false
	}
	a, aok := r.charBox(from)
	b, bok := r.charBox(to - 1)
	if !aok || !bok {
		return true
	}
	line := box{min(a.left, b.left), min(a.bottom, b.bottom), max(a.right, b.right), max(a.top, b.top)}
	by := max(a.top-a.bottom, b.top-b.bottom, minSize)
	return slices.ContainsFunc(boxes, func(o box) bool {
		return o.left <= line.right+by && o.right >= line.left-by && o.bottom <= line.top+by && o.top >= line.bottom-by
	})
}

// Why text is invisible. Text drawn invisibly or in white takes up space, so that the words on
// both sides are separate. Cropped text, such as printer's marks, is on the sheet but outside
// its visible part.
const (
	Tiny      = "too small to see"
	Outside   = "outside of the page"
	Cropped   = "cut off the page"
	Invisible = "drawn invisibly"
	White     = "white on white"
)

func takesRoom(why string) bool { return why == Invisible || why == White || Veiled(why) }

func (r *reader) unseenChar(i int, o objects) string {
	b, ok := r.charBox(i)
	if !ok {
		return ""
	}
	if h := r.size(i); h > 0 && h < minSize {
		return Tiny
	}
	x, y := (b.left+b.right)/2, (b.bottom+b.top)/2
	if o.outside(b) {
		if o.sheet.holds(x, y) {
			return Cropped
		}
		return Outside
	}
	on := func(boxes []box) bool {
		return slices.ContainsFunc(boxes, func(b box) bool { return b.holds(x, y) })
	}
	obj := r.objectOf(i)
	if obj != 0 && r.invisible(obj) {
		if on(o.pictures) {
			r.overlaid = true
			return ""
		}
		return Invisible
	}
	if v := o.veiled[obj]; v != nil {
		if why := v.whyAt(x, y); why != "" {
			return why
		}
	}
	c, ok := r.colour(fnTextColor, uint64(r.text), r.at(i))
	if !ok || !isWhite(c) || on(o.pictures) || on(o.grounds) {
		return ""
	}
	return White
}

package pdf

import (
	"math"
	"slices"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// maxObjects is how many things drawn on a page are looked at for hidden text.
const maxObjects = 5000

// minSize is the size in points below which nobody reads a character.
const minSize = 2

// A box is a rectangle on the page.
type box struct{ left, bottom, right, top float64 }

func (b box) holds(x, y float64) bool {
	return b.left <= x && x <= b.right && b.bottom <= y && y <= b.top
}

// objects are what a page draws, as far as hidden text needs it.
type objects struct {
	images   int
	suspect  bool  // text in some form may be unseen
	suspects []box // text that may be unseen
	paper    box   // the page, as far as it is shown
	sheet    box   // all of it
	pictures []box // images, and forms that hold some
	grounds  []box // what else white text can be seen on
}

// maxForms is how deep forms may be nested.
const maxForms = 5

// objects looks at what the page draws.
func (r *reader) objects(page requests.Page) objects {
	var o objects
	if size, err := r.engine.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: page}); err == nil {
		o.paper = box{float64(size.Rect.Left), float64(size.Rect.Bottom), float64(size.Rect.Right), float64(size.Rect.Top)}
	}
	o.sheet = o.paper
	if size, err := r.engine.FPDFPage_GetMediaBox(&requests.FPDFPage_GetMediaBox{Page: page}); err == nil {
		o.sheet = box{float64(size.Left), float64(size.Bottom), float64(size.Right), float64(size.Top)}
	}
	count, err := r.engine.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return o
	}
	for i := range min(count.Count, maxObjects) {
		obj, err := r.engine.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err == nil {
			r.object(&o, obj.PageObject, 0)
		}
	}
	return o
}

// object looks at one thing on the page, or in a form of that depth. What a form
// draws is at places of its own: it is a ground as a whole.
func (r *reader) object(o *objects, obj references.FPDF_PAGEOBJECT, depth int) (ground bool) {
	kind, err := r.engine.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: obj})
	if err != nil {
		return false
	}
	switch kind.Type {
	case enums.FPDF_PAGEOBJ_TEXT:
		r.suspectText(o, obj, depth)
	case enums.FPDF_PAGEOBJ_IMAGE:
		if o.images++; depth == 0 {
			o.pictures = append(o.pictures, r.bounds(obj))
		}
		return true
	case enums.FPDF_PAGEOBJ_FORM:
		images := o.images
		if !r.form(o, obj, depth) {
			return false
		}
		if depth == 0 && o.images > images {
			o.pictures = append(o.pictures, r.bounds(obj))
		} else if depth == 0 {
			o.grounds = append(o.grounds, r.bounds(obj))
		}
		return true
	case enums.FPDF_PAGEOBJ_PATH, enums.FPDF_PAGEOBJ_SHADING:
		if r.white(obj) {
			return false
		}
		if depth == 0 {
			o.grounds = append(o.grounds, r.bounds(obj))
		}
		return true
	}
	return false
}

// suspectText notes a text that may be unseen, and where it is: that of a
// form may be anywhere.
func (r *reader) suspectText(o *objects, obj references.FPDF_PAGEOBJECT, depth int) {
	if o.suspect {
		return
	}
	bounds := r.bounds(obj)
	if !r.white(obj) && !r.tiny(obj) && !r.invisible(obj) && (depth > 0 || !o.outside(bounds)) {
		return
	}
	if depth > 0 {
		o.suspect = true
	} else {
		o.suspects = append(o.suspects, bounds)
	}
}

// form looks at what a form draws and reports whether it is a ground.
func (r *reader) form(o *objects, obj references.FPDF_PAGEOBJECT, depth int) (ground bool) {
	count, err := r.engine.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: obj})
	if err != nil || depth >= maxForms {
		return true
	}
	for i := range min(count.Count, maxObjects) {
		inner, err := r.engine.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: obj, Index: uint64(i)})
		if err == nil && r.object(o, inner.PageObject, depth+1) {
			ground = true
		}
	}
	return ground
}

// outside reports whether a box lies beside the paper.
func (o *objects) outside(b box) bool {
	p := o.paper
	return p.right > p.left && b.right > b.left && (b.right < p.left || b.left > p.right || b.top < p.bottom || b.bottom > p.top)
}

func (r *reader) white(obj references.FPDF_PAGEOBJECT) bool {
	c, err := r.engine.FPDFPageObj_GetFillColor(&requests.FPDFPageObj_GetFillColor{PageObject: obj})
	return err == nil && isWhite(c.FillColor.R, c.FillColor.G, c.FillColor.B, c.FillColor.A)
}

// isWhite reports whether a colour looks like paper.
func isWhite(red, green, blue, alpha uint) bool {
	return red >= 239 && green >= 239 && blue >= 239 || alpha <= 12
}

func (r *reader) invisible(obj references.FPDF_PAGEOBJECT) bool {
	m, err := r.engine.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: obj})
	return err == nil && (m.TextRenderMode == enums.FPDF_TEXTRENDERMODE_INVISIBLE || m.TextRenderMode == enums.FPDF_TEXTRENDERMODE_CLIP)
}

// tiny reports whether text may be drawn too small to be read: its characters are
// looked at then.
func (r *reader) tiny(obj references.FPDF_PAGEOBJECT) bool {
	size, err := r.engine.FPDFTextObj_GetFontSize(&requests.FPDFTextObj_GetFontSize{PageObject: obj})
	if err != nil {
		return false
	}
	m, err := r.engine.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: obj})
	if err != nil {
		return false
	}
	drawn := float64(size.FontSize) * math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D))
	if drawn <= 0 || drawn >= minSize {
		return false
	}
	b := r.bounds(obj)
	return b.top-b.bottom < max(minSize, ownScale*drawn)
}

func (r *reader) bounds(obj references.FPDF_PAGEOBJECT) box {
	b, err := r.engine.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: obj})
	if err != nil {
		return box{}
	}
	return box{float64(b.Left), float64(b.Bottom), float64(b.Right), float64(b.Top)}
}

// unseen returns why each character is not seen, "" where it is; nil where all
// are. Invisible text over a picture is that of a scan, which a program read: it
// is the page's. Asking the engine about a character is slow, so only lines are
// looked at that come near a text that may be unseen.
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

// unseenLine notes why the characters [from, to), which are a line, are not
// seen.
func (r *reader) unseenLine(why []string, from, to int, o objects) {
	for i := from; i < to; i++ {
		if r.units[i] > ' ' {
			why[i] = r.unseenChar(i, o)
		} else if i > 0 {
			why[i] = why[i-1]
		}
	}
}

// near reports whether the line of the characters [from, to) comes within its
// own height of one of the boxes.
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

// Why text is not seen. What is drawn invisibly or in white takes room, so that
// the words on both its sides are seen as two.
const (
	whyTiny      = "too small to see"
	whyOutside   = "outside of the page"
	whyInvisible = "drawn invisibly"
	whyWhite     = "white on white"
)

// Cropped is why text is not seen that is on the sheet, but cut off what is shown of
// it, as the marks of a printer are. It is no reason to accuse anybody.
const Cropped = "cut off the page"

func takesRoom(why string) bool { return why == whyInvisible || why == whyWhite }

func (r *reader) unseenChar(i int, o objects) string {
	b, ok := r.charBox(i)
	if !ok {
		return ""
	}
	if h := r.size(i); h > 0 && h < minSize {
		return whyTiny
	}
	x, y := (b.left+b.right)/2, (b.bottom+b.top)/2
	if o.outside(b) {
		if o.sheet.holds(x, y) {
			return Cropped
		}
		return whyOutside
	}
	on := func(boxes []box) bool {
		return slices.ContainsFunc(boxes, func(b box) bool { return b.holds(x, y) })
	}
	obj, err := r.engine.FPDFText_GetTextObject(&requests.FPDFText_GetTextObject{TextPage: r.text, Index: i})
	if err == nil && r.invisible(obj.TextObject) {
		if on(o.pictures) {
			return ""
		}
		return whyInvisible
	}
	c, err := r.engine.FPDFText_GetFillColor(&requests.FPDFText_GetFillColor{TextPage: r.text, Index: i})
	if err != nil || !isWhite(c.R, c.G, c.B, c.A) || on(o.pictures) || on(o.grounds) {
		return ""
	}
	return whyWhite
}

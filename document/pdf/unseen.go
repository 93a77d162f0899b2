package pdf

import (
	"math"

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
	images  int
	suspect bool  // some text may be unseen
	grounds []box // what white text can be seen on
}

// objects looks at what the page draws.
func (r *reader) objects(page requests.Page) objects {
	var o objects
	count, err := r.engine.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return o
	}
	for i := range min(count.Count, maxObjects) {
		obj, err := r.engine.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			continue
		}
		kind, err := r.engine.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: obj.PageObject})
		if err != nil {
			continue
		}
		switch kind.Type {
		case enums.FPDF_PAGEOBJ_TEXT:
			o.suspect = o.suspect || r.white(obj.PageObject) || r.tiny(obj.PageObject) || r.invisible(obj.PageObject)
		case enums.FPDF_PAGEOBJ_IMAGE:
			o.images++
			o.grounds = append(o.grounds, r.bounds(obj.PageObject))
		case enums.FPDF_PAGEOBJ_FORM:
			o.grounds = append(o.grounds, r.bounds(obj.PageObject))
		case enums.FPDF_PAGEOBJ_PATH, enums.FPDF_PAGEOBJ_SHADING:
			if !r.white(obj.PageObject) {
				o.grounds = append(o.grounds, r.bounds(obj.PageObject))
			}
		}
	}
	return o
}

func (r *reader) white(obj references.FPDF_PAGEOBJECT) bool {
	c, err := r.engine.FPDFPageObj_GetFillColor(&requests.FPDFPageObj_GetFillColor{PageObject: obj})
	return err == nil && isWhite(c.FillColor.R, c.FillColor.G, c.FillColor.B, c.FillColor.A)
}

// isWhite reports whether a colour cannot be told from paper.
func isWhite(red, green, blue, alpha uint) bool {
	return red >= 250 && green >= 250 && blue >= 250 || alpha <= 5
}

func (r *reader) invisible(obj references.FPDF_PAGEOBJECT) bool {
	m, err := r.engine.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: obj})
	return err == nil && m.TextRenderMode == enums.FPDF_TEXTRENDERMODE_INVISIBLE
}

// tiny reports whether text is drawn too small to be read.
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
	return drawn > 0 && drawn < minSize
}

func (r *reader) bounds(obj references.FPDF_PAGEOBJECT) box {
	b, err := r.engine.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: obj})
	if err != nil {
		return box{}
	}
	return box{float64(b.Left), float64(b.Bottom), float64(b.Right), float64(b.Top)}
}

// unseen returns why each character is not seen, "" where it is; nil where all
// are. A page of pictures with invisible text over it is a scan that was read
// by a program: that text is the page's.
func (r *reader) unseen(o objects) []string {
	if !o.suspect || len(r.units) == 0 {
		return nil
	}
	why := make([]string, len(r.units))
	for i, u := range r.units {
		if u <= ' ' {
			if i > 0 {
				why[i] = why[i-1]
			}
			continue
		}
		why[i] = r.unseenChar(i, o)
	}
	return why
}

func (r *reader) unseenChar(i int, o objects) string {
	b, err := r.engine.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: r.text, Index: i})
	if err != nil {
		return ""
	}
	if h := r.size(i); h > 0 && h < minSize {
		return "too small to see"
	}
	obj, err := r.engine.FPDFText_GetTextObject(&requests.FPDFText_GetTextObject{TextPage: r.text, Index: i})
	if err == nil && r.invisible(obj.TextObject) {
		if o.images == 0 {
			return "drawn invisibly"
		}
		return ""
	}
	c, err := r.engine.FPDFText_GetFillColor(&requests.FPDFText_GetFillColor{TextPage: r.text, Index: i})
	if err != nil || !isWhite(c.R, c.G, c.B, c.A) {
		return ""
	}
	x, y := float64(b.Rect.Left+b.Rect.Right)/2, float64(b.Rect.Bottom+b.Rect.Top)/2
	for _, g := range o.grounds {
		if g.holds(x, y) {
			return ""
		}
	}
	return "white on white"
}

package office

import (
	"encoding/xml"
	"strings"

	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/xmlwalk"
)

// An odtLook tracks how the text of an OpenDocument file looks.
type odtLook struct {
	styles look.Styles   // by family and name
	style  string        // style being defined
	page   look.Tone     // background of the pages
	drawn  bool          // places of shapes are those on a page of text
	open   []look.Change // of the open elements with a style: paragraphs, spans, cells …
}

// odtFamilies maps elements to the family of their styles.
var odtFamilies = map[string]string{
	"p": "paragraph", "h": "paragraph", "span": "text", "a": "text", "table": "table", "table-row": "table-row",
	"table-cell": "table-cell", "covered-table-cell": "table-cell", "section": "section",
	"note-body": "", "footnote-body": "", "endnote-body": "", "text-box": "", "frame": "", "custom-shape": "", "rect": "", "ellipse": "", "circle": "", "polygon": "", "path": "", "caption": "", "hidden-text": "", "hidden-paragraph": "", "variable-set": "", "user-field-get": "", "expression": "",
}

// define reads an element of a style definition.
func (o *odtLook) define(name string, attrs []xml.Attr) {
	switch name {
	case "style", "default-style":
		family := xmlwalk.Attr(attrs, "family") + "/"
		o.style = family + xmlwalk.Attr(attrs, "name")
		o.styles[o.style] = &look.Style{Parent: family + xmlwalk.Attr(attrs, "parent-style-name")}
	case "page-layout":
		o.style = ""
	case "page-layout-properties":
		if g := look.Ground(strings.ToLower(xmlwalk.Attr(attrs, "background-color"))); !g.Like(look.White) {
			o.page = g.Over(o.page)
		}
	case "background-image":
		if st := o.styles[o.style]; st != nil && xmlwalk.Attr(attrs, "href") != "" {
			st.Ground = look.Unknown
		}
	case "text-properties", "paragraph-properties", "table-properties", "table-row-properties", "table-cell-properties", "section-properties", "properties":
		if st := o.styles[o.style]; st != nil {
			st.Change = odtChange(attrs, name != "text-properties" && name != "properties").Over(st.Change)
		}
	}
}

// odtChange reads properties of text, or of its container if around is true.
func odtChange(attrs []xml.Attr, around bool) look.Change {
	var c look.Change
	automatic, opaque := false, true
	for _, a := range attrs {
		value := strings.ToLower(a.Value)
		switch a.Name.Local {
		case "display":
			c.Hidden = look.State(value == "none")
		case "text-position":
			shift, size, _ := strings.Cut(value, " ")
			scale := number(size)
			c.Up = look.State(shift == "super" || number(shift) > 0)
			if scale > 0 && scale < narrowScale {
				c.Narrow = look.Yes
			}
		case "text-scale":
			c.Narrow = look.State(number(value) < narrowScale)
		case "color":
			c.Ink = look.CSS(value)
		case "use-window-font-color":
			automatic = value == "true"
		case "char-transparency":
			if look.Share(value, 100) >= 0.95 {
				c.Veiled = look.Yes
			}
		case "opacity":
			opaque = around || look.Share(value, 1) > 0.05
		case "letter-spacing":
			c.Apart, _ = look.Points(value, look.DefaultSize)
		case "line-height":
			if n, ok := look.Points(value, 0); ok && n > 0 {
				c.Line = n
			}
		case "margin-left", "text-indent":
			if around && offPage(value) {
				c.Away = look.Yes
			}
		case "font-size":
			if n, ok := look.Points(value, look.DefaultSize); ok {
				c.Size = n
			}
		case "background-color":
			c.Ground = look.Ground(value)
		}
	}
	if !opaque && !automatic && c.Ink.Stated() { // LibreOffice states no opacity for the colour that it chooses
		c.Veiled = look.Yes
	}
	if around {
		c.Ink = look.Tone{}
	} else if automatic { // in contrast to the background
		c.Ink = look.Unknown
	}
	return c
}

// enter processes a start tag of the text.
func (o *odtLook) enter(name string, attrs []xml.Attr) {
	family, ok := odtFamilies[name]
	if !ok {
		return
	}
	c := look.Change{Ground: o.page}
	if n := len(o.open); n > 0 {
		c = o.open[n-1]
	}
	switch name {
	case "text-box", "frame", "custom-shape", "rect", "ellipse", "circle", "polygon", "path", "caption":
		if c = (look.Change{Ground: look.Unknown, Away: c.Away}); o.drawn && (offPage(xmlwalk.Attr(attrs, "x")) || offPage(xmlwalk.Attr(attrs, "y"))) {
			c.Away = look.Yes
		}
	case "note-body", "footnote-body", "endnote-body": // its paragraphs have styles of their own
		c = look.Change{Ground: o.page, Hidden: c.Hidden}
	case "hidden-text", "hidden-paragraph":
		c.Hidden = look.Yes
	case "section", "variable-set", "user-field-get", "expression":
		if xmlwalk.Attr(attrs, "display") == "none" {
			c.Hidden = look.Yes
		}
	}
	if family != "" {
		name := family + "/" + xmlwalk.Attr(attrs, "style-name")
		if o.styles[name] == nil {
			name = "/" + xmlwalk.Attr(attrs, "style-name")
		}
		c = o.styles.Change(name).Over(c)
	}
	o.open = append(o.open, c)
}

// offPage reports whether text with this offset is outside the page.
func offPage(length string) bool {
	n, ok := look.Points(length, 0)
	return ok && outside(n)
}

// Raised reports whether text at the current position is raised above the line.
func (o *odtLook) Raised() bool {
	n := len(o.open)
	return n > 0 && o.open[n-1].Up == look.Yes
}

// leave processes an end tag of the text.
func (o *odtLook) leave(name string) {
	if _, ok := odtFamilies[name]; ok && len(o.open) > 0 {
		o.open = o.open[:len(o.open)-1]
	}
}

// Unseen returns why text at the current position is invisible, "" if it is visible, and whether it
// takes up space.
func (o *odtLook) Unseen() (why string, room bool) {
	if n := len(o.open); n > 0 {
		return o.open[n-1].Look().Unseen()
	}
	return "", false
}

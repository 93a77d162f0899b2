package document

import (
	"encoding/xml"
	"strings"
)

// An odtLook follows how the text of an OpenDocument text looks.
type odtLook struct {
	styles styles   // by family and name
	style  string   // the one being defined
	page   tone     // ground of the pages
	open   []change // of the open paragraphs, spans, cells and what else has a style
}

// odtFamilies are the elements that styles are for, and what their family of
// styles is called.
var odtFamilies = map[string]string{
	"p": "paragraph", "h": "paragraph", "span": "text", "a": "text", "table": "table", "table-row": "table-row",
	"table-cell": "table-cell", "covered-table-cell": "table-cell", "section": "section",
	"text-box": "", "hidden-text": "", "hidden-paragraph": "",
}

// define looks at an element that defines a style.
func (o *odtLook) define(name string, attrs []xml.Attr) {
	switch name {
	case "style", "default-style":
		family := attr(attrs, "family") + "/"
		o.style = family + attr(attrs, "name")
		o.styles[o.style] = &style{parent: family + attr(attrs, "parent-style-name")}
	case "page-layout":
		o.style = ""
	case "page-layout-properties":
		if g := ground(strings.ToLower(attr(attrs, "background-color"))); !g.like(white) {
			o.page = g.over(o.page)
		}
	case "background-image":
		if st := o.styles[o.style]; st != nil && attr(attrs, "href") != "" {
			st.ground = tone{kind: unknownTone}
		}
	case "text-properties", "paragraph-properties", "table-properties", "table-row-properties", "table-cell-properties", "section-properties":
		if st := o.styles[o.style]; st != nil {
			st.change = odtChange(attrs, name != "text-properties").over(st.change)
		}
	}
}

// odtChange reads properties of text, or of what is around it.
func odtChange(attrs []xml.Attr, around bool) change {
	var c change
	automatic := false
	for _, a := range attrs {
		value := strings.ToLower(a.Value)
		switch a.Name.Local {
		case "display":
			c.hidden = no
			if value == "none" {
				c.hidden = yes
			}
		case "color":
			c.ink = cssTone(value)
		case "use-window-font-color":
			automatic = value == "true"
		case "char-transparency":
			if share(value, 100) >= 0.95 {
				c.veiled = yes
			}
		case "font-size":
			if n, ok := points(value, defaultSize); ok {
				c.size = n
			}
		case "background-color":
			c.ground = ground(value)
		}
	}
	if automatic || around {
		c.ink = tone{}
	}
	return c
}

// enter looks at the start of an element of the text.
func (o *odtLook) enter(name string, attrs []xml.Attr) {
	family, ok := odtFamilies[name]
	if !ok {
		return
	}
	c := change{ground: o.page}
	if n := len(o.open); n > 0 {
		c = o.open[n-1]
	}
	switch name {
	case "text-box":
		c = change{ground: tone{kind: unknownTone}}
	case "hidden-text", "hidden-paragraph":
		c.hidden = yes
	case "section":
		if attr(attrs, "display") == "none" {
			c.hidden = yes
		}
	}
	if family != "" {
		name := family + "/" + attr(attrs, "style-name")
		if o.styles[name] == nil {
			name = "/" + attr(attrs, "style-name")
		}
		c = o.styles.change(name).over(c)
	}
	o.open = append(o.open, c)
}

// leave looks at the end of an element of the text.
func (o *odtLook) leave(name string) {
	if _, ok := odtFamilies[name]; ok && len(o.open) > 0 {
		o.open = o.open[:len(o.open)-1]
	}
}

// unseen says why text is not seen here, and whether it takes room.
func (o *odtLook) unseen() (why string, room bool) {
	if n := len(o.open); n > 0 {
		return o.open[n-1].look().unseen()
	}
	return "", false
}

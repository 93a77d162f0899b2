package document

import (
	"encoding/xml"
	"strings"
)

// A docxLook follows how the text of a Word document looks: by its styles, and
// by what runs, paragraphs, cells and tables state of their own.
type docxLook struct {
	styles   styles
	usual    string // style of paragraphs that name none
	defaults change

	paragraph, run change
	grounds        []tone // of the open tables, cells and text boxes
	at             docxPlace
	before         []docxPlace // that at is within
	fill           bool        // colours are of the inside of letters
}

// A docxPlace is what properties are of.
type docxPlace uint8

const (
	docxNothing docxPlace = iota
	docxMark              // the end of a paragraph, which is no text
	docxParagraph
	docxRun
	docxCell
	docxTable
)

// start looks at an element of the text.
func (d *docxLook) start(name string, attrs []xml.Attr) {
	switch name {
	case "p":
		d.paragraph, d.run = d.styles.change(d.usual), change{}
	case "r":
		d.run = change{}
	case "tbl", "tc":
		d.grounds = append(d.grounds, tone{})
	case "txbxContent":
		d.grounds = append(d.grounds, tone{kind: unknownTone})
	case "background":
		d.defaults.ground = tone{kind: unknownTone}
	case "pPr":
		d.enter(docxParagraph)
	case "tcPr":
		d.enter(docxCell)
	case "tblPr":
		d.enter(docxTable)
	case "rPr":
		if d.at == docxParagraph {
			d.enter(docxMark)
		} else {
			d.enter(docxRun)
		}
	case "pStyle":
		d.paragraph = d.styles.change(attr(attrs, "val"))
	case "rStyle":
		if d.at == docxRun {
			d.run = d.run.over(d.styles.change(attr(attrs, "val")))
		}
	case "tblStyle":
		if g := d.styles.change(attr(attrs, "val")).ground; g.kind != noTone {
			d.ground(tone{kind: unknownTone}) // some of its cells have a ground
		}
	default:
		d.property(name, attrs)
	}
}

func (d *docxLook) enter(place docxPlace) {
	d.before = append(d.before, d.at)
	d.at = place
}

// end looks at the end of an element.
func (d *docxLook) end(name string) {
	switch name {
	case "tbl", "tc", "txbxContent":
		if n := len(d.grounds); n > 0 {
			d.grounds = d.grounds[:n-1]
		}
	case "pPr", "rPr", "tcPr", "tblPr":
		if n := len(d.before); n > 0 {
			d.at, d.before = d.before[n-1], d.before[:n-1]
		}
	case "textFill":
		d.fill = false
	}
}

// ground sets that of the innermost table, cell or text box.
func (d *docxLook) ground(t tone) {
	if n := len(d.grounds); n > 0 {
		d.grounds[n-1] = t.over(d.grounds[n-1])
	}
}

// property looks at one of those of the place.
func (d *docxLook) property(name string, attrs []xml.Attr) {
	var c change
	c.set(name, attrs, &d.fill)
	switch d.at {
	case docxRun:
		d.run = c.over(d.run)
	case docxParagraph:
		d.paragraph.ground = c.ground.over(d.paragraph.ground)
	case docxCell, docxTable:
		d.ground(c.ground)
	}
}

// unseen says why the current run is not seen, and whether it takes room.
func (d *docxLook) unseen() (why string, room bool) {
	c := d.run.over(d.paragraph).over(d.defaults)
	ground := d.defaults.ground
	for _, g := range d.grounds {
		ground = g.over(ground)
	}
	c.ground = d.run.ground.over(d.paragraph.ground.over(ground))
	return c.look().unseen()
}

// set takes a property; fill follows whether it is within one of the inside of
// letters.
func (c *change) set(name string, attrs []xml.Attr, fill *bool) {
	value := attr(attrs, "val")
	switch name {
	case "vanish":
		c.hidden = no
		if value != "0" && value != "false" && value != "off" {
			c.hidden = yes
		}
	case "color":
		c.ink = docxTone(value, attrs)
	case "sz":
		c.size = number(value) / 2 // half points
	case "shd":
		c.ground = docxShade(value, attrs)
	case "highlight":
		if c.ground = cssTone(strings.ToLower(value)); value == "none" {
			c.ground = tone{}
		}
	case "textFill":
		*fill = true
	case "noFill":
		if *fill {
			c.veiled = yes
		}
	case "srgbClr":
		if *fill {
			c.ink = hexTone(value)
		}
	case "schemeClr":
		if *fill && (value == "bg1" || value == "lt1") {
			c.ink = white
		}
	case "alpha":
		if *fill && number(value) >= 95_000 { // thousandths of a percent
			c.veiled = yes
		}
	}
}

// docxTone reads a colour: that of a theme counts before the value. The first
// background of a theme is white, but for the shades of it.
func docxTone(value string, attrs []xml.Attr) tone {
	theme := attr(attrs, "themeColor") + attr(attrs, "themeFill")
	shade := attr(attrs, "themeShade") + attr(attrs, "themeFillShade")
	if (theme == "background1" || theme == "light1") && shade == "" {
		return white
	}
	if value == "" || value == "auto" {
		return tone{}
	}
	return hexTone(value)
}

// docxShade reads a ground: a colour, or two in a pattern.
func docxShade(pattern string, attrs []xml.Attr) tone {
	fill := docxTone(attr(attrs, "fill"), attrs)
	switch pattern {
	case "", "clear", "nil":
		return fill
	case "solid":
		return hexTone(attr(attrs, "color")).over(tone{kind: unknownTone})
	}
	return tone{kind: unknownTone}
}

// A docxStyles handler reads the styles of a document.
type docxStyles struct {
	look  docxLook
	id    string
	table bool
	fill  bool
}

func (s *docxStyles) start(name string, attrs []xml.Attr) {
	switch name {
	case "style":
		s.id, s.table = attr(attrs, "styleId"), attr(attrs, "type") == "table"
		s.look.styles[s.id] = &style{}
		if attr(attrs, "default") == "1" && attr(attrs, "type") == "paragraph" {
			s.look.usual = s.id
		}
		return
	case "basedOn":
		if st := s.look.styles[s.id]; st != nil {
			st.parent = attr(attrs, "val")
		}
		return
	}
	var c change
	c.set(name, attrs, &s.fill)
	if st := s.look.styles[s.id]; st == nil {
		s.look.defaults = c.over(s.look.defaults)
	} else if !s.table {
		st.change = c.over(st.change)
	} else if c.ground.kind != noTone && !c.ground.like(white) {
		st.ground = c.ground
	}
}

func (s *docxStyles) end(name string) {
	if name == "textFill" {
		s.fill = false
	}
}

func (*docxStyles) text([]byte) {}

// docxLook reads the styles of a document, if it has any. Those that cannot be
// read are no reason to refuse its text.
func (c *container) docxLook(member string) docxLook {
	s := docxStyles{look: docxLook{styles: styles{}}}
	if r, err := c.open(member); err == nil {
		defer r.Close()
		_ = walkXML(c.ctx, r, &s)
	}
	return s.look
}

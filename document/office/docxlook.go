package office

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/xmlwalk"
)

// A docxLook follows how the text of a Word document looks: by its styles, and
// by what runs, paragraphs, cells and tables state of their own.
type docxLook struct {
	styles   look.Styles
	usual    string // style of paragraphs that name none
	defaults look.Change

	paragraph, run look.Change
	grounds        []look.Tone // of the open tables, cells and text boxes
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
		d.paragraph, d.run = d.styles.Change(d.usual), look.Change{}
	case "r":
		d.run = look.Change{}
	case "tbl", "tc":
		d.grounds = append(d.grounds, look.Tone{})
	case "txbxContent":
		d.grounds = append(d.grounds, look.Unknown)
	case "background":
		d.defaults.Ground = look.Unknown
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
		d.paragraph = d.styles.Change(xmlwalk.Attr(attrs, "val"))
	case "rStyle":
		if d.at == docxRun {
			d.run = d.run.Over(d.styles.Change(xmlwalk.Attr(attrs, "val")))
		}
	case "tblStyle":
		if g := d.styles.Change(xmlwalk.Attr(attrs, "val")).Ground; g.Stated() {
			d.ground(look.Unknown) // some of its cells have a ground
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
func (d *docxLook) ground(t look.Tone) {
	if n := len(d.grounds); n > 0 {
		d.grounds[n-1] = t.Over(d.grounds[n-1])
	}
}

// property looks at one of those of the place.
func (d *docxLook) property(name string, attrs []xml.Attr) {
	var c look.Change
	setDOCX(&c, name, attrs, &d.fill)
	switch d.at {
	case docxRun:
		d.run = c.Over(d.run)
	case docxParagraph:
		d.paragraph.Ground = c.Ground.Over(d.paragraph.Ground)
	case docxCell, docxTable:
		d.ground(c.Ground)
	}
}

// Unseen says why the current run is not seen, and whether it takes room.
func (d *docxLook) Unseen() (why string, room bool) {
	c := d.run.Over(d.paragraph).Over(d.defaults)
	ground := d.defaults.Ground
	for _, g := range d.grounds {
		ground = g.Over(ground)
	}
	c.Ground = d.run.Ground.Over(d.paragraph.Ground.Over(ground))
	return c.Look().Unseen()
}

// setDOCX sets a property of c; fill follows whether it is within one of the inside of
// letters.
func setDOCX(c *look.Change, name string, attrs []xml.Attr, fill *bool) {
	value := xmlwalk.Attr(attrs, "val")
	switch name {
	case "vanish":
		c.Hidden = look.No
		if value != "0" && value != "false" && value != "off" {
			c.Hidden = look.Yes
		}
	case "color":
		c.Ink = docxTone(value, attrs)
	case "sz":
		c.Size = number(value) / 2 // half points
	case "shd":
		c.Ground = docxShade(value, attrs)
	case "highlight":
		if c.Ground = look.CSS(strings.ToLower(value)); value == "none" {
			c.Ground = look.Tone{}
		}
	case "textFill":
		*fill = true
	case "noFill":
		if *fill {
			c.Veiled = look.Yes
		}
	case "srgbClr":
		if *fill {
			c.Ink = look.Hex(value)
		}
	case "schemeClr":
		if *fill && (value == "bg1" || value == "lt1") {
			c.Ink = look.White
		}
	case "alpha":
		if *fill && number(value) >= 95_000 { // thousandths of a percent
			c.Veiled = look.Yes
		}
	}
}

// docxTone reads a colour: that of a theme counts before the value. The first
// background of a theme is white, but for the shades of it.
func docxTone(value string, attrs []xml.Attr) look.Tone {
	theme := xmlwalk.Attr(attrs, "themeColor") + xmlwalk.Attr(attrs, "themeFill")
	shade := xmlwalk.Attr(attrs, "themeShade") + xmlwalk.Attr(attrs, "themeFillShade")
	if (theme == "background1" || theme == "light1") && shade == "" {
		return look.White
	}
	if value == "" || value == "auto" {
		return look.Tone{}
	}
	return look.Hex(value)
}

// docxShade reads a ground: a colour, or two in a pattern.
func docxShade(pattern string, attrs []xml.Attr) look.Tone {
	fill := docxTone(xmlwalk.Attr(attrs, "fill"), attrs)
	switch pattern {
	case "", "clear", "nil":
		return fill
	case "solid":
		return look.Hex(xmlwalk.Attr(attrs, "color")).Over(look.Unknown)
	}
	return look.Unknown
}

// noStyleID stands for the id of a style that has none, so that no text has that style.
const noStyleID = "\x00"

// A docxStyles handler reads the styles of a document.
type docxStyles struct {
	look  docxLook
	id    string
	table bool
	fill  bool
}

func (s *docxStyles) Start(name string, attrs []xml.Attr) {
	switch name {
	case "style":
		s.id, s.table = cmp.Or(xmlwalk.Attr(attrs, "styleId"), noStyleID), xmlwalk.Attr(attrs, "type") == "table"
		s.look.styles[s.id] = &look.Style{}
		if xmlwalk.Attr(attrs, "default") == "1" && xmlwalk.Attr(attrs, "type") == "paragraph" {
			s.look.usual = s.id
		}
		return
	case "basedOn":
		if st := s.look.styles[s.id]; st != nil {
			st.Parent = xmlwalk.Attr(attrs, "val")
		}
		return
	}
	var c look.Change
	setDOCX(&c, name, attrs, &s.fill)
	if st := s.look.styles[s.id]; st == nil {
		s.look.defaults = c.Over(s.look.defaults)
	} else if !s.table {
		st.Change = c.Over(st.Change)
	} else if c.Ground.Stated() && !c.Ground.Like(look.White) {
		st.Ground = c.Ground
	}
}

func (s *docxStyles) End(name string) {
	if name == "textFill" {
		s.fill = false
	}
}

func (*docxStyles) Text([]byte) {}

// readStyles reads the styles of a document, if it has any. Those that cannot be
// read are no reason to refuse its text.
func readStyles(c *archive.Container, member string) docxLook {
	s := docxStyles{look: docxLook{styles: look.Styles{}}}
	c.WalkIf(member, &s)
	return s.look
}

// number returns the value of a number with a unit after it, 0 if it is none.
func number(s string) float64 {
	n, err := strconv.ParseFloat(strings.TrimRight(s, "ptcmxin%"), 64)
	if err != nil {
		return 0
	}
	return n
}

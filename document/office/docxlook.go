package office

import (
	"cmp"
	"encoding/xml"
	"math"
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/xmlwalk"
)

// A docxLook tracks how the text of a Word document looks: by styles and by the properties of
// runs, paragraphs, cells and tables.
type docxLook struct {
	styles   look.Styles
	names    map[string]string // of styles, by their ids: those of Word itself are English in any language
	usual    string            // default paragraph style
	defaults look.Change

	paragraph, run look.Change
	character      look.Change // style of the run
	grounds        []look.Tone // background of each open table, cell and text box, inherited from the outer ones
	at             docxPlace
	before         []docxPlace // enclosing places of at
	row            look.Change // of the row of a table
	paint          docxPaint
}

// A docxPlace is the kind of element that properties apply to.
type docxPlace uint8

const (
	docxNothing docxPlace = iota
	docxMark              // paragraph mark, which is not text
	docxParagraph
	docxRun
	docxCell
	docxTable
)

// start processes a start tag.
func (d *docxLook) start(name string, attrs []xml.Attr) {
	d.paint.start(name)
	switch name {
	case "p":
		d.paragraph, d.run, d.character = d.styles.Change(d.usual), look.Change{}, look.Change{}
	case "r":
		d.run, d.character = look.Change{}, look.Change{}
	case "tbl", "tc":
		d.within(look.Tone{})
	case "tr":
		d.row = look.Change{}
	case "hidden":
		if v := xmlwalk.Attr(attrs, "val"); v != "0" && v != "false" && v != "off" {
			d.row.Hidden = look.Yes
		}
	case "trHeight":
		if xmlwalk.Attr(attrs, "hRule") == "exact" {
			d.row.Line = twips(xmlwalk.Attr(attrs, "val"))
		}
	case "txbxContent":
		d.within(look.Unknown)
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
			style := xmlwalk.Attr(attrs, "val")
			d.character = d.styles.Change(style)
			if isNoteStyle[strings.ToLower(style)] && d.character.Up == look.Unsaid {
				d.character.Up = look.Yes
			}
		}
	case "tblStyle":
		if g := d.styles.Change(xmlwalk.Attr(attrs, "val")).Ground; g.Stated() {
			d.ground(look.Unknown) // some cells have a background
		}
	default:
		d.property(name, attrs)
	}
}

func (d *docxLook) enter(place docxPlace) {
	d.before = append(d.before, d.at)
	d.at = place
}

// end processes an end tag.
func (d *docxLook) end(name string) {
	switch name {
	case "tr":
		d.row = look.Change{}
	case "tbl", "tc", "txbxContent":
		if n := len(d.grounds); n > 0 {
			d.grounds = d.grounds[:n-1]
		}
	case "pPr", "rPr", "tcPr", "tblPr":
		if n := len(d.before); n > 0 {
			d.at, d.before = d.before[n-1], d.before[:n-1]
		}
	}
	d.paint.end(name)
}

// A docxPaint tracks how the letters of a run are painted: with a fill, an outline, or both.
type docxPaint struct {
	open    string    // textFill or textOutline while the reader is inside one
	outline look.Tone // not stated if there is none
}

func (p *docxPaint) start(name string) {
	switch name {
	case "rPr":
		p.outline = look.Tone{}
	case "textFill", "textOutline":
		p.open = name
	}
}

func (p *docxPaint) end(name string) {
	if name == p.open {
		p.open = ""
	}
}

// set applies a fill or a colour to the letters.
func (p *docxPaint) set(c *look.Change, name, value string) {
	ink := &c.Ink
	switch p.open {
	case "":
		return
	case "textOutline":
		ink = &p.outline
	}
	switch {
	case name == "noFill" && p.open == "textFill" && !p.outline.Stated():
		c.Veiled = look.Yes
	case name == "noFill" && p.open == "textFill":
		c.Ink = p.outline
	case name == "gradFill" && p.open == "textOutline":
		*ink = look.Unknown
	case name == "srgbClr":
		*ink = look.Hex(value)
	case name == "schemeClr" && (value == "bg1" || value == "lt1"):
		*ink = look.White
	case name == "schemeClr" && p.open == "textOutline":
		*ink = look.Unknown
	case name == "alpha" && number(value) >= 95_000 && p.open == "textFill": // unit: 1/1000 percent
		c.Veiled = look.Yes
	case name == "alpha" && number(value) >= 95_000:
		p.outline = look.Tone{}
	}
}

// within enters a table, cell or text box of this background.
func (d *docxLook) within(t look.Tone) {
	if n := len(d.grounds); n > 0 {
		t = t.Over(d.grounds[n-1])
	}
	d.grounds = append(d.grounds, t)
}

// ground sets the background of the innermost table, cell or text box.
func (d *docxLook) ground(t look.Tone) {
	if n := len(d.grounds); n > 0 {
		d.grounds[n-1] = t.Over(d.grounds[n-1])
	}
}

// property reads a property of the current place.
func (d *docxLook) property(name string, attrs []xml.Attr) {
	var c look.Change
	setDOCX(&c, name, attrs, &d.paint)
	switch d.at {
	case docxRun:
		d.run = c.Over(d.run)
	case docxParagraph:
		d.paragraph = c.Over(d.paragraph)
	case docxCell, docxTable:
		d.ground(c.Ground)
	}
}

// Unseen returns why the current run is invisible, "" if it is visible, and whether it takes up
// space.
func (d *docxLook) Unseen() (why string, room bool) {
	c := d.run.Over(d.character).Over(d.paragraph).Over(d.row).Over(d.defaults)
	if d.run.Hidden == look.Unsaid { // styles of paragraph and characters that both hide text cancel each other
		c.Hidden = look.State(d.character.Hidden == look.Yes != (d.paragraph.Hidden == look.Yes) || d.defaults.Hidden == look.Yes)
	}
	if d.row.Hidden == look.Yes {
		c.Hidden = look.Yes
	}
	ground := d.defaults.Ground
	if n := len(d.grounds); n > 0 {
		ground = d.grounds[n-1].Over(ground)
	}
	c.Ground = d.run.Ground.Over(d.character.Ground).Over(d.paragraph.Ground.Over(ground))
	return c.Look().Unseen()
}

// Raised reports whether the current run is raised above the line.
func (d *docxLook) Raised() bool { return d.run.Over(d.character).Over(d.paragraph).Up == look.Yes }

// isNoteStyle holds the styles of references to notes.
var isNoteStyle = format.Names("footnotereference", "endnotereference")

// leastFit is the width in points up to which a text that is fitted into it is unreadable.
const leastFit = 5

// twips returns a number of twentieths of a point in points.
func twips(s string) float64 { return number(s) / 20 }

// pageWidth is more than the width of any page, in points: Word allows 22 inches.
const pageWidth = 1600

// outside reports whether text with this offset, in points, is outside of the page.
func outside(offset float64) bool { return offset < look.AwayPoints || offset > pageWidth }

// narrowScale is the width of letters, in percent of the usual one, below which they are unreadable.
const narrowScale = 15

// setDOCX sets a property of c.
func setDOCX(c *look.Change, name string, attrs []xml.Attr, paint *docxPaint) {
	value := xmlwalk.Attr(attrs, "val")
	switch name {
	case "vanish":
		c.Hidden = look.State(value != "0" && value != "false" && value != "off")
	case "color":
		c.Ink = docxTone(value, attrs)
		if value == "auto" { // in contrast to the background
			c.Ink = cmp.Or(c.Ink, look.Unknown)
		}
	case "w":
		c.Narrow = look.No
		if scale := number(value); scale > 0 && scale < narrowScale {
			c.Narrow = look.Yes
		}
	case "vertAlign":
		c.Up = look.State(value == "superscript")
	case "position":
		if height := number(value); height != 0 {
			c.Up = look.State(height > 0)
		}
		c.Away = look.State(math.Abs(number(value)/2) > -look.AwayPoints) // unit: half points
	case "spacing": // of letters, or of lines
		c.Apart = twips(value)
		if xmlwalk.Attr(attrs, "lineRule") == "exact" {
			c.Line = twips(xmlwalk.Attr(attrs, "line"))
		}
	case "fitText":
		c.Narrow = look.State(twips(value) <= leastFit)
	case "ind", "framePr":
		c.Away = look.No
		left := twips(xmlwalk.Attr(attrs, "left") + xmlwalk.Attr(attrs, "start"))
		for _, at := range []float64{left, left - twips(xmlwalk.Attr(attrs, "hanging")), left + twips(xmlwalk.Attr(attrs, "firstLine")), twips(xmlwalk.Attr(attrs, "x")), twips(xmlwalk.Attr(attrs, "y"))} {
			if outside(at) {
				c.Away = look.Yes
			}
		}
		if xmlwalk.Attr(attrs, "hRule") == "exact" {
			c.Line = twips(xmlwalk.Attr(attrs, "h"))
		}
	case "sz":
		c.Size = number(value) / 2 // unit: half points
	case "shd":
		c.Ground = docxShade(value, attrs)
	case "highlight":
		if c.Ground = look.CSS(strings.ToLower(value)); value == "none" {
			c.Ground = look.Tone{}
		}
	default:
		paint.set(c, name, value)
	}
}

// docxTone reads a colour. A theme colour takes precedence over the value. The first background of
// a theme is white unless it is shaded.
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

// docxShade reads a background: a colour, or a pattern of two.
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

// noStyleID is the id of a style without an id; no text can have it.
const noStyleID = "\x00"

// A docxStyles handler reads the styles of a document.
type docxStyles struct {
	look  docxLook
	id    string
	table bool
	paint docxPaint
}

func newDOCXStyles() *docxStyles {
	return &docxStyles{look: docxLook{styles: look.Styles{}, names: map[string]string{}}}
}

// kindOf returns the kind of paragraphs with a style.
func (d *docxLook) kindOf(id string) format.MarkKind {
	return cmp.Or(kindOfStyle(strings.ReplaceAll(d.names[id], " ", "")), kindOfStyle(id))
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
	case "name":
		s.look.names[s.id] = xmlwalk.Attr(attrs, "val")
		return
	case "basedOn":
		if st := s.look.styles[s.id]; st != nil {
			st.Parent = xmlwalk.Attr(attrs, "val")
		}
		return
	}
	var c look.Change
	s.paint.start(name)
	setDOCX(&c, name, attrs, &s.paint)
	if st := s.look.styles[s.id]; st == nil {
		s.look.defaults = c.Over(s.look.defaults)
	} else if !s.table {
		st.Change = c.Over(st.Change)
	} else if c.Ground.Stated() && !c.Ground.Like(look.White) {
		st.Ground = c.Ground
	}
}

func (s *docxStyles) End(name string) { s.paint.end(name) }

func (*docxStyles) Text([]byte) {}

// readStyles reads the styles of a document, if it has any. It ignores damaged styles, which do
// not affect the text.
func readStyles(c *archive.Container, members []string) docxLook {
	s := newDOCXStyles()
	for _, name := range members {
		c.WalkIf(name, s)
	}
	return s.look
}

// number parses a number and ignores a unit after it; it returns 0 if s is no number.
func number(s string) float64 {
	n, err := strconv.ParseFloat(strings.TrimRight(s, "ptcmxin%"), 64)
	if err != nil {
		return 0
	}
	return n
}

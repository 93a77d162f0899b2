package office

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"fmt"
	"path"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/xmlwalk"
)

// HoldsPPTX reports whether a member of a zip archive is one of a PowerPoint presentation.
func HoldsPPTX(f *zip.File) bool {
	kind := archive.ContentType(f)
	return strings.EqualFold(f.Name, "ppt/presentation.xml") || strings.Contains(kind, ".presentationml.") || strings.Contains(kind, ".ms-powerpoint.")
}

// PPTX reads a presentation in Office Open XML: its slides in order, each followed by its diagrams
// and notes.
func PPTX(ctx context.Context, src *format.Source) (*format.Text, error) {
	c, err := archive.NewContainer(ctx, src)
	if err != nil {
		return nil, err
	}
	main := mainPart(c, "ppt/presentation.xml")
	list := partList{element: "sldId"}
	if err := c.Walk(main, &list); err != nil {
		return nil, err
	}
	r := newSlideReader()
	parts := c.Relations(main)
	if err := format.Ended(ctx); err != nil {
		return nil, err
	}
	for i, p := range list.parts {
		if err := r.slide(c, parts.Target(p.id), i+1); err != nil {
			return nil, err
		}
	}
	t, err := r.Done()
	r.note(t)
	coreFields(c, t)
	return t, r.hidden.check(err)
}

// coreFields reads title and author of an Office Open XML document.
func coreFields(c *archive.Container, t *format.Text) {
	core := "docProps/core.xml"
	if parts := c.Relations("").OfType("core-properties"); len(parts) > 0 {
		core = parts[0]
	}
	props := c.Fields(core, "title", "creator")
	t.Title, t.Author = props.Get("title"), props.Get("creator")
}

// A partList reads the list of slides or sheets.
type partList struct {
	element string
	parts   []listedPart
}

type listedPart struct{ id, name, state string }

func (l *partList) Start(name string, attrs []xml.Attr) {
	if id := relationID(attrs); name == l.element && id != "" { // lists of sections name slides again, by their numbers
		l.parts = append(l.parts, listedPart{id, xmlwalk.Attr(attrs, "name"), xmlwalk.Attr(attrs, "state")})
	}
}
func (*partList) End(string)  {}
func (*partList) Text([]byte) {}

// relationID returns the relation id, which is the id attribute with a namespace.
func relationID(attrs []xml.Attr) string {
	for _, a := range attrs {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// A slideReader reads slides and other parts with text in DrawingML.
type slideReader struct {
	*flow.Body
	skip     int // depth inside an element that is not text
	inText   bool
	formulas int // number of open formulas
	number   int
	notes    bool // reading the notes of a slide
	shape    slideShape
	run      look.Change
	place    []string // path of open property elements
	start0   int
	hidden   hiddenParts
	element  string // that started last
	versions alternatives
	unread   format.Unread
	counted  map[string]bool // parts that count as unread, and texts of placeholders that are omitted
}

func newSlideReader() slideReader {
	return slideReader{Body: flow.NewBody(), counted: map[string]bool{}}
}

// note adds notes about what is hidden, and what is not read.
func (r *slideReader) note(t *format.Text) {
	r.hidden.note(t)
	r.unread.NoteMany(t)
}

// A slideShape is a box with text.
type slideShape struct {
	kind   string // type of the placeholder
	hidden look.Stated
	ground look.Tone
	dull   strings.Builder // omitted text
}

// slideDull are boxes with the same text on all slides, or with a picture of the slide.
var slideDull = format.Names("sldNum", "dt", "ftr", "hdr", "sldImg")

// slide reads a slide, its diagrams and its notes.
func (r *slideReader) slide(c *archive.Container, part string, number int) error {
	r.number = number
	if !c.Has(part) {
		r.hidden.missing = append(r.hidden.missing, fmt.Sprintf("slide %d", number))
		return nil
	}
	if err := r.part(c, part); err != nil {
		return err
	}
	more := c.Relations(part)
	for _, name := range more.OfType("diagramData") {
		if err := r.part(c, name); err != nil {
			return err
		}
	}
	countParts(c, more, &r.unread, r.counted)
	for _, layout := range more.OfType("slideLayout") {
		countParts(c, c.Relations(layout), &r.unread, r.counted)
	}
	r.notes = true
	defer func() { r.notes = false }()
	for _, name := range more.OfType("notesSlide") {
		if err := r.part(c, name); err != nil {
			return err
		}
	}
	return nil
}

func (r *slideReader) part(c *archive.Container, name string) error {
	r.Gap(flow.Part)
	r.skip, r.formulas, r.inText, r.place = 0, 0, false, nil
	defer r.endShape()
	r.endShape()
	return c.Walk(name, r)
}

// endShape counts the words of an omitted placeholder that are more than a running head.
func (r *slideReader) endShape() {
	text := r.shape.dull.String()
	if n := countWords(text); n >= proseBeside && !r.counted[text] {
		r.counted[text] = true
		r.unread.Words(r.shape.kind, n)
	}
	r.shape = slideShape{ground: look.Unknown}
}

func (r *slideReader) Start(name string, attrs []xml.Attr) {
	if r.element = name; r.skip > 0 || r.versions.skips(name, attrs) || name == "fld" && strings.HasPrefix(xmlwalk.Attr(attrs, "type"), "slidenum") {
		r.skip++
		return
	}
	switch name {
	case "sld":
		if show := xmlwalk.Attr(attrs, "show"); show == "0" || show == "false" {
			r.hidden.slides = append(r.hidden.slides, fmt.Sprint(r.number))
		}
	case "sp", "cxnSp", "graphicFrame":
		r.endShape()
	case "ph":
		r.shape.kind = xmlwalk.Attr(attrs, "type")
	case "cNvPr":
		if v := xmlwalk.Attr(attrs, "hidden"); v == "1" || v == "true" {
			r.shape.hidden = look.Yes
		}
	case "oleObj":
		if !strings.HasPrefix(xmlwalk.Attr(attrs, "progId"), equationClass) {
			r.unread.Part("<oleObj>")
		}
	case "p":
		r.Begin()
		r.start0 = r.Len()
	case "r", "fld":
		r.run = look.Change{}
	case "t":
		r.inText = true
	case "oMath":
		r.formulas++
	case "br":
		r.LineBreak()
	case "tab":
		r.Gap(flow.Space)
	case "tbl":
		r.Gap(flow.Part)
	case "tc":
		r.BeginCell()
		r.shape.ground = look.Unknown
	case "rPr":
		if size := xmlwalk.Attr(attrs, "sz"); size != "" {
			r.run.Size = number(size) / 100
		}
		r.run.Up = look.State(number(xmlwalk.Attr(attrs, "baseline")) > 0)
		fallthrough
	case "spPr", "defRPr", "endParaRPr":
		r.place = []string{name}
	default:
		if len(r.place) > 0 {
			r.place = append(r.place, name)
			r.property(xmlwalk.Attr(attrs, "val"))
		}
	}
}

// property reads the colour of letters or of a box, if it is an RGB value. Modifiers are nested in
// the element of the colour.
func (r *slideReader) property(value string) {
	switch strings.Join(r.place, " ") {
	case "rPr solidFill srgbClr":
		r.run.Ink = look.Hex(value)
	case "rPr solidFill srgbClr alpha", "rPr solidFill schemeClr alpha", "rPr solidFill prstClr alpha":
		if number(value) <= 5_000 { // unit: 1/1000 percent
			r.run.Veiled = look.Yes
		}
	case "rPr noFill":
		r.run.Veiled = look.Yes
	case "rPr highlight srgbClr":
		r.run.Ground = look.Hex(value)
	case "spPr solidFill srgbClr":
		r.shape.ground = look.Hex(value).Over(look.Unknown)
	default:
		if n := len(r.place); n <= 3 || r.place[n-2] != "srgbClr" {
			return
		}
		if r.place[0] == "spPr" {
			r.shape.ground = look.Unknown
		} else {
			r.run.Ink = look.Unknown
		}
	}
}

func (r *slideReader) End(name string) {
	if r.skip > 0 {
		r.skip--
		return
	}
	r.versions.end(name)
	switch name {
	case "p":
		if !r.notes && (r.shape.kind == "title" || r.shape.kind == "ctrTitle") {
			r.Mark(format.Heading, r.start0)
		}
		r.Finish()
	case "t":
		r.inText = false
	case "oMath":
		r.formulas--
	case "tc":
		r.EndCell()
		r.Gap(flow.Cell)
	case "tr":
		r.Gap(flow.Line)
	case "tbl":
		r.Table()
	default:
		if n := len(r.place); n > 0 {
			r.place = r.place[:n-1]
		}
	}
}

func (r *slideReader) Text(s []byte) {
	switch {
	case r.skip > 0:
		return
	case !r.inText:
		if r.element != "attrName" { // of an animation
			r.unread.Words("<"+r.element+">", countWords(string(s)))
		}
		return
	case slideDull[r.shape.kind]:
		r.shape.dull.Write(s)
		return
	}
	if r.formulas > 0 {
		s = fromFormula(s)
	}
	c := r.run
	c.Hidden = r.shape.hidden
	c.Ground = c.Ground.Over(r.shape.ground)
	r.Show(s, c.Look())
}

// drawings reads the text in drawings of a part, such as a sheet.
func (r *slideReader) drawings(c *archive.Container, part string) error {
	for _, name := range c.Relations(part).OfType("drawing") {
		if path.Ext(name) != ".xml" {
			continue
		}
		if err := r.part(c, name); err != nil {
			return err
		}
		for _, diagram := range c.Relations(name).OfType("diagramData") {
			if err := r.part(c, diagram); err != nil {
				return err
			}
		}
		countParts(c, c.Relations(name), &r.unread, r.counted)
	}
	return nil
}

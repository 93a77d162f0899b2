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
	"github.com/otisk/otisk/internal/lists"
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
	if err := c.Walk(main, xmlwalk.Starts(list.start)); err != nil {
		return nil, err
	}
	r := newSlideReader()
	r.size = list.size
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
	size    [2]float64 // of slides
}

type listedPart struct{ id, name, state string }

func (l *partList) start(name string, attrs []xml.Attr) {
	if id, ok := relationID(attrs); name == l.element && ok { // lists of sections name slides again, by their numbers
		l.parts = append(l.parts, listedPart{id, xmlwalk.Attr(attrs, "name"), xmlwalk.Attr(attrs, "state")})
	} else if name == "sldSz" {
		l.size = [2]float64{number(xmlwalk.Attr(attrs, "cx")), number(xmlwalk.Attr(attrs, "cy"))}
	}
}

// relationID returns the relation id, which is the id attribute with a namespace. ok is false without one.
func relationID(attrs []xml.Attr) (id string, ok bool) {
	for _, a := range attrs {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value, true
		}
	}
	return "", false
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
	outline  look.Tone // of the letters of the run; not stated if there is none
	place    []string  // path of open property elements
	start0   int
	hidden   hiddenParts
	element  string // that started last
	versions alternatives
	unread   format.Unread
	counted  map[string]bool   // parts that count as unread, and texts of placeholders that are omitted
	themes   map[string]*theme // by master
	theme    *theme            // of the slide; nil if it is not known
	size     [2]float64        // of slides; 0 if it is not known
	groups   int               // number of open groups
	aside    int               // number of those around the outermost group that is outside of the slide; 0 for none
	at       [2]float64        // of the frame that is being read
}

func newSlideReader() slideReader {
	return slideReader{Body: flow.NewBody(), counted: map[string]bool{}, themes: map[string]*theme{}}
}

// note adds notes about hidden and unread parts.
func (r *slideReader) note(t *format.Text) {
	r.hidden.note(t)
	r.unread.Note(t)
}

// A slideShape is a box with text.
type slideShape struct {
	kind   string // type of the placeholder
	hidden look.Stated
	ground look.Tone
	aside  bool            // outside of the slide
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
	more := c.Relations(part)
	r.theme = r.themeOf(c, more)
	if err := r.part(c, part); err != nil {
		return err
	}
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
	return lists.Each(more.OfType("notesSlide"), func(name string) error { return r.part(c, name) })
}

func (r *slideReader) part(c *archive.Container, name string) error {
	r.Gap(flow.Part)
	r.skip, r.formulas, r.inText, r.place, r.groups, r.aside = 0, 0, false, nil, 0, 0
	defer r.endShape()
	r.endShape()
	return c.Walk(name, r)
}

// endShape counts the words of an omitted placeholder that are more than a running head.
func (r *slideReader) endShape() {
	text := r.shape.dull.String()
	if n := countWords(text); n > 0 && !r.counted[text] {
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
		r.shape.aside = r.aside > 0
	case "grpSp":
		r.groups++
	case "ph":
		r.shape.kind = xmlwalk.Attr(attrs, "type")
	case "compatExt": // Excel paints a control by its shape in VML, and hides the one here
		r.shape.hidden = look.No
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
		r.run.Apart = number(xmlwalk.Attr(attrs, "spc")) / 100
		r.outline = look.Tone{}
		fallthrough
	case "spPr", "grpSpPr", "defRPr", "endParaRPr":
		r.place = []string{name}
	default:
		if len(r.place) > 0 || name == "xfrm" {
			r.place = append(r.place, name)
			r.property(name, attrs)
		}
	}
}

// property reads the colour of letters or of a box. Modifiers are nested in the element of the colour.
func (r *slideReader) property(name string, attrs []xml.Attr) {
	colour, depth := &r.run.Ink, 3
	switch name {
	case "off":
		r.at = [2]float64{number(xmlwalk.Attr(attrs, "x")), number(xmlwalk.Attr(attrs, "y"))}
	case "ext":
		r.frame(xmlwalk.Attr(attrs, "cx"), xmlwalk.Attr(attrs, "cy"))
	}
	switch path := strings.Join(r.place[:min(len(r.place), 2)], " "); path {
	case "rPr noFill":
		if r.run.Ink = r.outline; !r.outline.Stated() {
			r.run.Veiled = look.Yes
		}
		return
	case "rPr ln":
		if name == "gradFill" || name == "pattFill" {
			r.outline = look.Unknown
		}
		if len(r.place) < 3 || r.place[2] != "solidFill" {
			return
		}
		colour, depth = &r.outline, 4
	case "rPr solidFill":
	case "rPr highlight":
		colour = &r.run.Ground
	case "spPr solidFill":
		colour = &r.shape.ground
	default:
		return
	}
	switch value := xmlwalk.Attr(attrs, "val"); {
	case len(r.place) == depth:
		*colour = drawnTone(name, attrs, r.theme)
	case len(r.place) <= depth:
	case name != "alpha":
		*colour = modified(*colour, name, value)
	case number(value) <= 5_000 && colour == &r.outline: // unit: 1/1000 percent
		r.outline = look.Tone{}
	case number(value) <= 5_000 && colour == &r.run.Ink: // unit: 1/1000 percent
		r.run.Veiled = look.Yes
	default:
		*colour = look.Unknown
	}
}

// frame reads the size of the frame at r.at of a shape or a group. Shapes in a group have coordinates of
// their own.
func (r *slideReader) frame(width, height string) {
	around := r.groups
	if r.place[0] == "grpSpPr" {
		around--
	}
	if width == "" || r.size[0] == 0 || r.notes || around > 0 {
		return
	}
	if r.at[0]+number(width) > 0 && r.at[0] < r.size[0] && r.at[1]+number(height) > 0 && r.at[1] < r.size[1] {
		return
	}
	if r.shape.aside = true; around < r.groups {
		r.aside = r.groups
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
	case "grpSp":
		if r.groups--; r.groups < r.aside {
			r.aside = 0
		}
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
	if r.shape.aside {
		r.hidden.aside += countWords(string(s))
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

package web

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
)

// maxElements limits the number of open elements whose look is tracked; deeper elements have the
// look of the last one.
const maxElements = 1000

// A place describes where in a page an element is.
type place struct {
	frame   bool // boilerplate
	article bool // in an article or the main part
	main    bool // in the main part

	instead bool // fallback content for programs that do not support the element
	note    bool // in a footnote

	kind format.MarkKind // the role of the text, if a program that wrote the page states it

	values map[string]string // attributes of the element, if a style sheet shows some
	spots  spots

	children *look.Siblings // visited children; nil if no style sheet depends on them
}

// hiding tracks the open elements of a page and how text in them looks.
type hiding struct {
	sheet look.Sheet
	open  []look.Element
	place []place        // place of each open element
	names map[string]int // number of open elements by name
	over  int            // number of open elements beyond maxElements
	pulse *format.Pulse
	err   error // context error

	attributed bool // selectors depend on attributes
	styled     bool // values may depend on attributes
	ordered    bool // selectors depend on siblings

	values map[string]string // attributes of the last element; nil if nothing needs them

	strips stripping
	before *put   // text that a style sheet adds before the content of the element that starts
	ended  []*put // the same after the content of the elements that ended

	slots map[string]int // of shadow trees, in the order of display
	moved int            // elements that are displayed in another order

	doubts []string // properties that may hide text and are not evaluated

	counters counters
	quoted   int           // number of open quotations of style sheets
	unread   format.Unread // constructs that a browser may show and the reader skips

	addressed [][]byte // style sheets and attributes with data: addresses
}

// instead are elements whose content is shown only by programs that do not support them.
var instead = format.Names("canvas", "video", "audio", "meter", "progress", "datalist", "rp", "rt", "rtc", "annotation", "annotation-xml")

// left reports whether text at the current position is removed as boilerplate.
func (h *hiding) left() bool {
	n := len(h.open)
	if n == 0 {
		return false
	}
	p := h.place[n-1]
	if p.instead || h.strips == keepAll {
		return p.instead
	}
	return p.frame || h.strips == stripMain && !p.main
}

// address keeps a style sheet or an attribute if it has data: addresses.
func (h *hiding) address(s []byte) {
	if indexFold(s, "data:") >= 0 {
		h.addressed = append(h.addressed, bytes.Clone(s))
	}
}

// newHiding reads the style sheets in a page, and the linked ones that linked returns. If one of
// them is missing, background colours are unknown.
func newHiding(ctx context.Context, page []byte, linked func(href string) (string, bool)) (hiding, error) {
	h := hiding{pulse: format.NewPulse(ctx), names: map[string]int{}, slots: map[string]int{}}
	if err := h.linkedSheets(ctx, page, linked); err != nil {
		return h, err
	}
	if err := h.ownSheets(ctx, page); err != nil {
		return h, err
	}
	h.attributed, h.ordered, h.styled = h.sheet.Attributes(), h.sheet.Ordered(), indexFold(page, "attr(") >= 0
	for _, name := range []string{"html", "body"} { // implied if their tags are missing
		h.enter(nil, atom.Lookup([]byte(name)), name, false)
	}
	return h, h.err
}

func (h *hiding) linkedSheets(ctx context.Context, page []byte, linked func(href string) (string, bool)) error {
	const link = "<link"
	for count := 0; count < maxElements; count++ {
		tag, rest := nextTag(page, link)
		if tag == nil {
			break
		}
		if page = rest; !strings.ContainsRune(" \t\n\f\r", rune(tag[len(link)])) {
			continue
		}
		z := html.NewTokenizer(bytes.NewReader(tag))
		z.Next()
		attrs := attributes(z)
		if !strings.Contains(strings.ToLower(attrs["rel"]), "stylesheet") || attrs["media"] == "print" {
			continue
		}
		css, ok := linked(attrs["href"])
		if kind, data, isData := dataOf(attrs["href"]); isData && kind == "text/css" {
			css, ok = data, true
		}
		if !ok {
			h.sheet.Remote = true
		} else if err := h.sheet.Add(ctx, css); err != nil {
			return err
		}
	}
	return nil
}

func (h *hiding) ownSheets(ctx context.Context, page []byte) error {
	for count := 0; count < maxElements; count++ {
		tag, rest := nextTag(page, "<style")
		end := indexFold(rest, "</style")
		if tag == nil || end < 0 {
			break
		}
		page = rest[end:]
		if bytes.Contains(tag, []byte(`"print"`)) {
			continue
		}
		h.address(rest[:end])
		if err := h.sheet.Add(ctx, string(rest[:end])); err != nil {
			return err
		}
	}
	return nil
}

// nextTag returns the first tag in page that starts with name, and the rest of the page after
// it; nil if there is none.
func nextTag(page []byte, name string) (tag, rest []byte) {
	at := indexFold(page, name)
	if at < 0 {
		return nil, nil
	}
	end := bytes.IndexByte(page[at:], '>')
	if end < 0 {
		return nil, nil
	}
	return page[at : at+end+1], page[at+end+1:]
}

// indexFold returns the offset of start in page, ignoring case, or -1.
func indexFold(page []byte, start string) int {
	for at := 0; ; at++ {
		next := bytes.IndexByte(page[at:], start[0])
		if next < 0 || len(page) < at+next+len(start) {
			return -1
		}
		if at += next; bytes.EqualFold(page[at:at+len(start)], []byte(start)) {
			return at
		}
	}
}

// voidElements have no content and no end tag.
var voidElements = format.Names("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")

// paragraphs end at the start of a block in the same parent.
var paragraphs, paragraphParents = format.Names("p"), format.Names("div", "td", "th", "li", "section", "article", "body", "button")

// closes maps a start tag to the open elements that it ends; the search for them stops at the
// elements of within.
var closes = map[string]struct{ ended, within map[string]bool }{
	"li": {format.Names("li"), format.Names("ul", "ol", "menu")},
	"dt": {format.Names("dt", "dd"), format.Names("dl")}, "dd": {format.Names("dt", "dd"), format.Names("dl")},
	"tr": {format.Names("tr", "td", "th"), format.Names("table")},
	"td": {format.Names("td", "th"), format.Names("tr", "table")}, "th": {format.Names("td", "th"), format.Names("tr", "table")},
	"tbody":  {format.Names("thead", "tbody", "tr", "td", "th"), format.Names("table")},
	"option": {format.Names("option"), format.Names("select", "datalist")},
	"rp":     {format.Names("rp", "rt"), format.Names("ruby")}, "rt": {format.Names("rp", "rt"), format.Names("ruby")},
}

// enter processes a start tag; if more is set, its attributes are still to be read.
func (h *hiding) enter(z *html.Tokenizer, tag atom.Atom, name string, more bool) {
	h.implied(tag, name)
	e := look.Element{Name: name}
	var at place
	if n := len(h.open); n > 0 {
		e, at = h.open[n-1].Inside(name), h.place[n-1]
	}
	outer := at.note
	at.values, at.spots, at.children, at.instead = nil, spots{}, nil, at.instead || instead[name] || h.names["svg"] > 0 && (name == "desc" || name == "metadata")
	_, attributed := h.sheet.Puts()
	says := stated{closed: tag == atom.Dialog}
	if attributed = attributed || h.styled; attributed || h.attributed || showsAttributes[tag] || more && (tag == atom.Ol || tag == atom.Li) {
		says.values = map[string]string{}
	}
	h.attributes(z, tag, &e, &at, outer, &says, more)
	if h.values = says.values; h.attributed || attributed {
		e.Attributes = says.values
	}
	if h.ordered {
		at.children = new(look.Siblings)
		if n := len(h.open); n > 0 && !(n == impliedElements && metadata[name]) {
			h.place[n-1].children.Enter(&e)
		}
	}
	attrs := says.attrs
	if h.strips > keepAll {
		at.around(e, says.role, h.strips)
	}
	if !h.sheet.Empty() {
		styles, err := h.sheet.Styles(h.pulse, &e, h.open)
		if err != nil {
			h.err = err
			return
		}
		attrs = append(attrs, styles...)
	}
	if at.note && !outer {
		attrs = slices.DeleteFunc(attrs, func(p look.Property) bool { return p.Name == "display" })
	}
	if says.closed {
		attrs = append([]look.Property{{Name: "display", Value: "none"}}, attrs...)
	}
	if tag == atom.Bdo {
		attrs = append(attrs, look.Property{Name: "unicode-bidi", Value: "bidi-override"})
	}
	if attrs = h.sheet.Animated(append(attrs, says.inline...)); len(attrs) > 0 {
		if e.Apply(attrs); e.Doubt != "" {
			h.doubts = append(h.doubts, e.Doubt)
		}
	}
	if !e.Gone() {
		h.counters.count(e.Generated, len(h.open))
		h.spot(&e, says.slot)
	}
	if h.generates(e) && !voidElements[name] {
		at.values = says.values
		h.before = h.beside(&e, look.Before, says.values)
	}
	switch {
	case voidElements[name] && !showsAttributes[tag]:
		h.passed(e)
	case len(h.open) >= maxElements:
		h.over++
	default:
		h.open, h.place = append(h.open, e), append(h.place, at)
		h.names[name]++
	}
}

// spots are the positions of the children of an element.
type spots struct {
	last  look.Spot
	n     int  // children with a position
	mixed bool // a child is displayed before its preceding sibling
}

// spot counts the elements of which one is displayed before its last sibling.
func (h *hiding) spot(e *look.Element, slot string) {
	n := len(h.open)
	if n == 0 {
		return
	}
	if at := h.slots[slot]; at > 0 {
		e.Spot = look.At(at)
	}
	if e.Spot == (look.Spot{}) {
		return
	}
	switch s := &h.place[n-1].spots; {
	case s.mixed:
		h.moved++
	case e.Spot.Before(s.last):
		s.mixed = true
		h.moved += s.n + 1
	default:
		s.last = e.Spot
		s.n++
	}
}

// impliedElements is the number of elements that are open at the start of a page; metadata are the
// elements that a browser moves from there to the head.
const impliedElements = 2

var metadata = format.Names("base", "head", "link", "meta", "script", "style", "title")

// stated has the attributes of an element.
type stated struct {
	role          string
	attrs, inline []look.Property   // from presentational attributes, and from the style attribute
	values        map[string]string // all attributes; nil if no style sheet shows attributes
	closed        bool              // a dialog that is not open
	slot          string            // of a shadow tree that shows the element
}

// attributes reads the attributes of an element into e, at and says. outer is true inside a
// footnote.
func (h *hiding) attributes(z *html.Tokenizer, tag atom.Atom, e *look.Element, at *place, outer bool, says *stated, more bool) {
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if says.values != nil {
			says.values[string(key)] = string(value)
		}
		if !frames[tag] {
			h.address(value)
		}
		switch string(key) {
		case "open":
			says.closed = says.closed && tag != atom.Dialog
		case "popover":
			says.closed = true
		case "id":
			e.ID = strings.ToLower(string(value))
			at.states(e.ID)
		case "class":
			at.noted(string(value), outer)
			at.states(string(value))
			if h.sheet.Empty() && h.strips < stripName {
				continue
			}
			e.Classes = strings.Fields(strings.ToLower(string(value)))
		case "slot":
			says.slot = string(value)
		case "name":
			if tag == atom.Slot {
				h.slots[string(value)] = len(h.slots) + 1
			}
		case "role":
			says.role = strings.ToLower(string(value))
			at.states(says.role)
			says.raise(says.role == "doc-noteref")
		case "epub:type":
			at.states(string(value))
			says.raise(slices.Contains(strings.Fields(string(value)), "noteref"))
		case "style":
			says.inline = look.Properties(string(value))
			look.Unshown(says.inline, h.unread.Words)
		default:
			if bytes.HasPrefix(key, []byte("on")) || string(key) == "src" && bytes.HasPrefix(value, []byte("javascript:")) {
				h.unread.Words(string(key), literalWords(value))
			}
			says.present(tag, string(key), value)
		}
	}
}

// frames are the elements whose data: addresses are read.
var frames = map[atom.Atom]bool{atom.Iframe: true, atom.Frame: true, atom.Object: true, atom.Embed: true}

// raise marks the number of a reference to a note as raised text, as the style sheets of most
// reading programs do.
func (s *stated) raise(note bool) {
	if note {
		s.attrs = append(s.attrs, look.Property{Name: "vertical-align", Value: "super"})
	}
}

// present reads a presentational attribute.
func (s *stated) present(tag atom.Atom, key string, value []byte) {
	put := func(name, value string) { s.attrs = append(s.attrs, look.Property{Name: name, Value: value}) }
	switch key {
	case "dir":
		put("direction", strings.ToLower(string(value)))
	case "hidden":
		if strings.EqualFold(string(value), "until-found") {
			put("content-visibility", "hidden")
		} else {
			put("display", "none")
		}
	case "bgcolor":
		put("background-color", attributeTone(value))
	case "background":
		put("background-image", "url()")
	case "fill", "fill-opacity", "stroke":
		put(key, strings.ToLower(string(value)))
	case "color", "text":
		if key == "color" && tag == atom.Font || key == "text" && tag == atom.Body {
			put("color", attributeTone(value))
		}
	}
}

// around records whether e is boilerplate.
func (p *place) around(e look.Element, role string, s stripping) {
	var names []string
	if s >= stripName {
		names = append(append(names, e.Classes...), e.ID)
	}
	p.frame = p.frame || isFrame(e.Name, role, names, p.article)
	p.main = p.main || e.Name == "main" || role == "main"
	p.article = p.article || p.main || e.Name == "article"
}

// attributeTone returns the colour in a legacy attribute, with or without #.
func attributeTone(value []byte) string {
	v := strings.ToLower(strings.TrimSpace(string(value)))
	if look.Hex(v).Colour() {
		return "#" + v
	}
	return v
}

// implied closes the elements that a start tag ends implicitly.
func (h *hiding) implied(tag atom.Atom, name string) {
	if h.names["p"] > 0 && elementGaps[tag] == flow.Part {
		h.pop(paragraphs, paragraphParents)
	}
	if c, ok := closes[name]; ok {
		h.pop(c.ended, c.within)
	}
}

// pop closes the innermost open element of ended and all elements in it; the search stops at an
// element of within.
func (h *hiding) pop(ended, within map[string]bool) {
	to := len(h.open)
	for i := len(h.open) - 1; i >= 0 && !within[h.open[i].Name]; i-- {
		if ended[h.open[i].Name] {
			to = i
		}
	}
	h.cut(to)
}

// cut closes the open elements with index to and above.
func (h *hiding) cut(to int) {
	for len(h.open) > to {
		last := len(h.open) - 1
		e, left, values := h.open[last], h.left(), h.place[last].values
		h.names[e.Name]--
		h.open, h.place = h.open[:last], h.place[:last]
		if !left && !voidElements[e.Name] && h.generates(e) {
			if p := h.beside(&e, look.After, values); p != nil {
				h.ended = append(h.ended, p)
			}
		}
		h.counters.end(last)
		h.passed(e)
	}
}

// passed records an element that ended in the element around it.
func (h *hiding) passed(e look.Element) {
	if n := len(h.open); h.ordered && n > 0 {
		h.place[n-1].children.Leave(e)
	}
}

// leave processes an end tag.
func (h *hiding) leave(name string) {
	if h.over > 0 {
		h.over--
		return
	}
	if h.names[name] == 0 {
		return
	}
	for i := len(h.open) - 1; i >= 0; i-- {
		if h.open[i].Name == name {
			h.cut(i)
			return
		}
	}
}

// Unseen returns why text at the current position is invisible, "" if it is visible, and whether
// it takes up space.
func (h *hiding) Unseen() (why string, room bool) {
	n := len(h.open)
	if n == 0 {
		return "", false
	}
	e := h.open[n-1]
	if h.sheet.Remote && !e.Look.Ground.Stated() {
		e.Look.Ground = look.Unknown
	}
	return e.Unseen()
}

// Raised reports whether text at the current position is raised above the line.
func (h *hiding) Raised() bool { return h.element().Look.Up }

package document

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxElements is how many open elements are looked at; those deeper look like
// the last of them.
const maxElements = 1000

// An element is one of a page that is open.
type element struct {
	name, id string
	classes  []string
	look     look
	veiled   bool // by its visibility, which what is in it may have again
	frame    bool // around the text of the page
	article  bool // in an article or the main part
	main     bool // in the main part
}

// hiding follows which elements of a page are open, and how text in them looks.
type hiding struct {
	sheet sheet
	open  []element
	names map[string]int // how many of each are open
	over  int            // elements open beyond maxElements

	strips stripping
}

// left reports whether text is left out here, as being around that of the page.
func (h *hiding) left() bool {
	n := len(h.open)
	if h.strips == keepAll || n == 0 {
		return false
	}
	e := h.open[n-1]
	return e.frame || h.strips == stripMain && !e.main
}

var (
	styleElement = regexp.MustCompile(`(?is)<style([^>]*)>(.*?)</style`)
	linkElement  = regexp.MustCompile(`(?is)<link\s[^>]*>`)
)

// newHiding reads the style sheets in a page, and those that it links to if
// linked returns them. Grounds are not known where one of them is missing.
func newHiding(page []byte, linked func(href string) (string, bool)) hiding {
	h := hiding{names: map[string]int{}}
	for _, tag := range linkElement.FindAll(page, maxElements) {
		z := html.NewTokenizer(bytes.NewReader(tag))
		z.Next()
		attrs := attributes(z)
		if !strings.Contains(strings.ToLower(attrs["rel"]), "stylesheet") || attrs["media"] == "print" {
			continue
		}
		if css, ok := linked(attrs["href"]); ok {
			h.sheet.add(css)
		} else {
			h.sheet.remote = true
		}
	}
	for _, m := range styleElement.FindAllSubmatch(page, maxElements) {
		if !bytes.Contains(m[1], []byte(`"print"`)) {
			h.sheet.add(string(m[2]))
		}
	}
	for _, name := range []string{"html", "body"} { // which a page has without their tags
		h.enter(nil, atom.Lookup([]byte(name)), name, false)
	}
	return h
}

// look returns how text looks here.
func (h *hiding) look() look {
	if n := len(h.open); n > 0 {
		return h.open[n-1].look
	}
	return look{}
}

// voidElements have no content, and no end.
var voidElements = setOf("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")

// paragraphs end where a block starts in the same parent.
var paragraphs, paragraphParents = setOf("p"), setOf("div", "td", "th", "li", "section", "article", "body", "button")

// closes are the elements that a start tag ends, and those that they are not
// looked for beyond.
var closes = map[string]struct{ ended, within map[string]bool }{
	"li": {setOf("li"), setOf("ul", "ol", "menu")},
	"dt": {setOf("dt", "dd"), setOf("dl")}, "dd": {setOf("dt", "dd"), setOf("dl")},
	"tr": {setOf("tr", "td", "th"), setOf("table")},
	"td": {setOf("td", "th"), setOf("tr", "table")}, "th": {setOf("td", "th"), setOf("tr", "table")},
	"tbody":  {setOf("thead", "tbody", "tr", "td", "th"), setOf("table")},
	"option": {setOf("option"), setOf("select")},
}

// enter looks at a start tag, whose attributes are still to come where more is
// set.
func (h *hiding) enter(z *html.Tokenizer, tag atom.Atom, name string, more bool) {
	h.implied(tag, name)
	e := element{name: name, look: h.look()}
	if n := len(h.open); n > 0 {
		outer := h.open[n-1]
		e.veiled, e.frame, e.article, e.main = outer.veiled, outer.frame, outer.article, outer.main
	}
	role := ""
	var attrs, inline []property
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "id":
			e.id = strings.ToLower(string(value))
		case "class":
			if h.sheet.rules == nil && h.strips < stripName {
				continue
			}
			e.classes = strings.Fields(strings.ToLower(string(value)))
		case "role":
			role = strings.ToLower(string(value))
		case "style":
			inline = properties(string(value))
		case "hidden":
			attrs = append(attrs, property{name: "display", value: "none"})
		case "bgcolor":
			attrs = append(attrs, property{name: "background-color", value: attributeTone(value)})
		case "background":
			attrs = append(attrs, property{name: "background-image", value: "url()"})
		case "color":
			if tag == atom.Font {
				attrs = append(attrs, property{name: "color", value: attributeTone(value)})
			}
		case "text":
			if tag == atom.Body {
				attrs = append(attrs, property{name: "color", value: attributeTone(value)})
			}
		}
	}
	if h.strips > keepAll {
		e.around(role, h.strips)
	}
	if h.sheet.rules != nil {
		attrs = append(attrs, h.sheet.styles(&e, h.open)...)
	}
	if attrs = append(attrs, inline...); len(attrs) > 0 {
		e.apply(attrs)
	}
	switch {
	case voidElements[name]:
	case len(h.open) >= maxElements:
		h.over++
	default:
		h.open = append(h.open, e)
		h.names[name]++
	}
}

// around notes whether the element is around the text of the page.
func (e *element) around(role string, s stripping) {
	var names []string
	if s >= stripName {
		names = append(append(names, e.classes...), e.id)
	}
	e.frame = e.frame || isFrame(e.name, role, names, e.article)
	e.main = e.main || e.name == "main" || role == "main"
	e.article = e.article || e.main || e.name == "article"
}

// attributeTone is a colour as old attributes have it: with or without its #.
func attributeTone(value []byte) string {
	v := strings.ToLower(strings.TrimSpace(string(value)))
	if hexTone(v).kind == rgb {
		return "#" + v
	}
	return v
}

// implied closes the elements that a start tag ends.
func (h *hiding) implied(tag atom.Atom, name string) {
	if h.names["p"] > 0 && elementGaps[tag] == part {
		h.pop(paragraphs, paragraphParents)
	}
	if c, ok := closes[name]; ok {
		h.pop(c.ended, c.within)
	}
}

// pop closes the open elements that are in ended, and what is in them, up to one
// of within.
func (h *hiding) pop(ended, within map[string]bool) {
	to := len(h.open)
	for i := len(h.open) - 1; i >= 0 && !within[h.open[i].name]; i-- {
		if ended[h.open[i].name] {
			to = i
		}
	}
	h.cut(to)
}

// cut closes the open elements from the one at to on.
func (h *hiding) cut(to int) {
	for _, e := range h.open[to:] {
		h.names[e.name]--
	}
	h.open = h.open[:to]
}

// leave looks at an end tag.
func (h *hiding) leave(name string) {
	if h.over > 0 {
		h.over--
		return
	}
	if h.names[name] == 0 {
		return
	}
	for i := len(h.open) - 1; i >= 0; i-- {
		if h.open[i].name == name {
			h.cut(i)
			return
		}
	}
}

// unseen says why text is not seen here, "" where it is, and whether it takes
// room.
func (h *hiding) unseen() (why string, room bool) {
	n := len(h.open)
	if n == 0 {
		return "", false
	}
	e := h.open[n-1]
	if h.sheet.remote && e.look.ground.kind == noTone {
		e.look.ground = tone{kind: unknownTone}
	}
	return e.unseen()
}

// unseen says why text of the element is not seen, "" where it is, and whether
// it takes room.
func (e element) unseen() (why string, room bool) {
	l := e.look
	l.veiled = l.veiled || e.veiled
	return l.unseen()
}

// apply changes how an element looks by properties, the weakest first.
func (e *element) apply(list []property) {
	set := map[string]string{}
	strong := map[string]bool{}
	for _, p := range list {
		if strong[p.name] && !p.important {
			continue
		}
		strong[p.name] = p.important
		set[p.name] = p.value
	}
	e.place(set)
	e.colours(set)
	e.measure(set)
}

// colours applies what is said of colours and whether anything is drawn.
func (e *element) colours(set map[string]string) {
	l := &e.look
	for _, name := range []string{"color", "-webkit-text-fill-color"} {
		if c := cssTone(set[name]); c.kind != noTone {
			l.ink = c
		}
	}
	for _, name := range []string{"background-color", "background", "background-image", "filter"} {
		value, ok := set[name]
		if ok {
			l.ground = ground(value).over(l.ground)
		}
	}
	switch set["visibility"] {
	case "hidden", "collapse":
		e.veiled = true
	case "visible":
		e.veiled = false
	}
	if o, ok := set["opacity"]; ok && share(o, 1) <= 0.05 {
		l.veiled = true
	}
}

// ground reads a background: a colour among other things, or a picture.
func ground(value string) tone {
	if strings.Contains(value, "url(") || strings.Contains(value, "gradient") || strings.Contains(value, "var(") {
		return tone{kind: unknownTone}
	}
	for _, open := range []string{"rgb", "hsl"} {
		if at := strings.Index(value, open); at >= 0 {
			call, _, _ := strings.Cut(value[at:], ")")
			return cssTone(call + ")")
		}
	}
	for _, word := range strings.Fields(value) {
		if t := cssTone(word); t.kind == rgb {
			return t
		}
	}
	return tone{}
}

// place applies what is said of where an element stands and how much of it is
// shown.
func (e *element) place(set map[string]string) {
	l := &e.look
	if set["display"] == "none" || strings.Contains(set["transform"], "scale(0") {
		l.hidden = true
	}
	if set["overflow"] == "hidden" || set["overflow"] == "clip" {
		for _, name := range []string{"width", "height", "max-width", "max-height"} {
			if n, ok := points(set[name], defaultSize); ok && n <= 1 {
				l.hidden = true
			}
		}
	}
	if clip := set["clip"] + set["clip-path"]; strings.Contains(clip, "rect(0") || strings.Contains(clip, "rect(1px") || strings.Contains(clip, "inset(50%") ||
		strings.Contains(clip, "inset(100%") || strings.Contains(clip, "circle(0") {
		l.hidden = true
	}
	moved := []string{"text-indent", "margin-left", "margin-top"}
	if position := set["position"]; position == "absolute" || position == "fixed" || position == "relative" {
		moved = append(moved, "left", "top", "right", "bottom")
	}
	for _, name := range moved {
		if n, ok := points(set[name], defaultSize); ok && n < -400 {
			l.away = true
		}
	}
}

// defaultSize is the size in points of text where nothing is said.
const defaultSize = 12

var fontSize = regexp.MustCompile(`(^|\s)(\d*\.?\d+(px|pt|em|rem|%)?)(/\S+)?\s+\S`)

// measure applies what is said of the size of text.
func (e *element) measure(set map[string]string) {
	parent := e.look.size
	if parent == 0 {
		parent = defaultSize
	}
	value := set["font-size"]
	if m := fontSize.FindStringSubmatch(set["font"]); m != nil && value == "" {
		value = m[2]
	}
	if n, ok := points(value, parent); ok {
		e.look.size = max(n, 0.001)
	}
}

// units of lengths in points.
var lengthUnits = []struct {
	name   string
	points float64
}{{"px", 0.75}, {"pt", 1}, {"rem", defaultSize}, {"in", 72}, {"cm", 28.35}, {"mm", 2.835}, {"vw", 8}, {"vh", 6}, {"", 0.75}}

// points reads a length; parent is what an em and 100 % are.
func points(s string, parent float64) (float64, bool) {
	if em, ok := strings.CutSuffix(s, "em"); ok && !strings.HasSuffix(em, "r") {
		n, err := strconv.ParseFloat(em, 64)
		return n * parent, err == nil
	}
	if percent, ok := strings.CutSuffix(s, "%"); ok {
		n, err := strconv.ParseFloat(percent, 64)
		return n / 100 * parent, err == nil
	}
	for _, u := range lengthUnits {
		if digits, ok := strings.CutSuffix(s, u.name); ok {
			if n, err := strconv.ParseFloat(digits, 64); err == nil {
				return n * u.points, true
			}
		}
	}
	return 0, false
}

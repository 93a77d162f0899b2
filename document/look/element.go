package look

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An Element is one of a page, or of another format with styles as pages have.
type Element struct {
	Name, ID string
	Classes  []string
	Look     Look
	Veiled   bool // by its visibility, which what is in it may have again

	Backwards bool   // its characters are shown in the other order
	Tight     bool   // the spaces in it are not seen
	Content   string // what a style sheet puts in its place, as the sheet has it
	Flow      Flow   // how it is beside what is around it, if that is said

	gone      bool    // nothing of it is in the page
	faint     float64 // how much of it does not show through, 0 for nothing
	rightLeft bool    // its direction
}

// A Flow says how an element is beside what is around it.
type Flow uint8

// The ways.
const (
	Usual  Flow = iota // as such elements are
	Inline             // in the same line, with nothing between
	Block              // in lines of its own
)

// Unseen says why text of the element is not seen, "" where it is, and whether
// it takes room.
func (e Element) Unseen() (why string, room bool) {
	l := e.Look
	l.Veiled = l.Veiled || e.Veiled
	return l.Unseen()
}

// Apply changes how an element looks by properties, the weakest first.
func (e *Element) Apply(list []Property) {
	set := map[string]string{}
	strong := map[string]bool{}
	for _, p := range list {
		if strong[p.Name] && !p.Important {
			continue
		}
		strong[p.Name] = p.Important
		set[p.Name] = p.Value
	}
	e.place(set)
	e.colours(set)
	e.measure(set)
	e.order(set)
	e.flow(set)
	e.Content = set["content"]
}

// order applies what is said of the order of characters, and of what is between them.
func (e *Element) order(set map[string]string) {
	switch set["direction"] {
	case "rtl":
		e.rightLeft = true
	case "ltr":
		e.rightLeft = false
	}
	switch set["unicode-bidi"] {
	case "bidi-override", "isolate-override":
		e.Backwards = e.rightLeft
	case "normal", "embed", "isolate", "plaintext":
		e.Backwards = false
	}
	if n, ok := Points(set["word-spacing"], 1); ok {
		e.Tight = n <= tightSpace && strings.HasSuffix(set["word-spacing"], "em") || n <= tightSpace*DefaultSize
	}
	if n, ok := Points(set["letter-spacing"], 1); ok && n <= -0.4 && strings.HasSuffix(set["letter-spacing"], "em") {
		e.Look.Loose = true
	}
}

// tightSpace is by how much of its size the space between words becomes narrower where
// nobody sees it.
const tightSpace = -0.15

// boxes are the properties that part an element from what is beside it.
var boxes = []string{"margin", "margin-left", "margin-right", "padding", "padding-left", "padding-right", "border", "border-left", "border-right", "width", "min-width"}

// Beside says how the element is beside what is around it.
func (e Element) Beside() Flow {
	if e.gone {
		return Inline
	}
	return e.Flow
}

// flow applies what is said of how the element is beside others.
func (e *Element) flow(set map[string]string) {
	e.Flow = Usual
	display := set["display"]
	e.gone = e.gone || display == "none"
	switch {
	case display == "inline", display == "inline-block", display == "inline-flex", display == "contents", set["float"] == "left":
		e.Flow = Inline
	case display == "block", display == "flex", display == "grid", display == "list-item", display == "table":
		e.Flow = Block
	}
	for _, name := range boxes {
		if v, ok := set[name]; ok && e.Flow == Inline && v != "auto" && strings.Trim(v, "0px noe") != "" {
			e.Flow = Usual
		}
	}
}

// colours applies what is said of colours and whether anything is drawn.
func (e *Element) colours(set map[string]string) {
	l := &e.Look
	for _, name := range []string{"color", "-webkit-text-fill-color"} {
		if c := CSS(set[name]); c.kind != noTone {
			l.Ink = c
		}
	}
	for _, name := range []string{"background-color", "background", "background-image", "filter"} {
		value, ok := set[name]
		if ok {
			l.Ground = Ground(value).Over(l.Ground)
		}
	}
	switch set["visibility"] {
	case "hidden", "collapse":
		e.Veiled = true
	case "visible":
		e.Veiled = false
	}
	if o, ok := set["opacity"]; ok {
		e.faint = 1 - (1-e.faint)*Share(o, 1)
	}
	if call, ok := strings.CutPrefix(set["filter"], "opacity("); ok {
		e.faint = 1 - (1-e.faint)*Share(strings.TrimSuffix(call, ")"), 1)
	}
	for _, name := range []string{"mask", "mask-image", "-webkit-mask", "-webkit-mask-image"} {
		if allClear(set[name]) {
			e.faint = 1
		}
	}
	l.Veiled = l.Veiled || e.faint >= 0.95
}

// allClear reports whether a mask is a gradient from nothing to nothing.
func allClear(mask string) bool {
	_, list, ok := strings.Cut(mask, "gradient(")
	if !ok {
		return false
	}
	for c := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ",") {
		if strings.TrimSpace(c) != "transparent" {
			return false
		}
	}
	return true
}

// Ground reads a background: a colour among other things, or a picture.
func Ground(value string) Tone {
	if strings.Contains(value, "url(") || strings.Contains(value, "gradient") || strings.Contains(value, "var(") {
		return Unknown
	}
	for _, open := range []string{"rgb", "hsl"} {
		if at := strings.Index(value, open); at >= 0 {
			call, _, _ := strings.Cut(value[at:], ")")
			return CSS(call + ")")
		}
	}
	for _, word := range strings.Fields(value) {
		if t := CSS(word); t.kind == rgb {
			return t
		}
	}
	return Tone{}
}

// place applies what is said of where an element is and how much of it is
// shown.
func (e *Element) place(set map[string]string) {
	l := &e.Look
	if set["display"] == "none" || strings.Contains(set["transform"], "scale(0") || set["scale"] == "0" || set["content-visibility"] == "hidden" {
		l.Hidden = true
	}
	if z, ok := set["zoom"]; ok && Share(z, 1) <= 0.1 {
		l.Hidden = true
	}
	if set["overflow"] == "hidden" || set["overflow"] == "clip" {
		for _, name := range []string{"width", "height", "max-width", "max-height"} {
			if n, ok := Points(set[name], DefaultSize); ok && n <= 1 {
				l.Hidden = true
			}
		}
	}
	if clip := set["clip"] + set["clip-path"]; strings.Contains(clip, "rect(0") || strings.Contains(clip, "rect(1px") || strings.Contains(clip, "inset(50%") ||
		strings.Contains(clip, "inset(100%") || strings.Contains(clip, "circle(0") || isPoint(clip) {
		l.Hidden = true
	}
	moved := []string{"text-indent", "margin-left", "margin-top"}
	if position := set["position"]; position == "absolute" || position == "fixed" || position == "relative" {
		moved = append(moved, "left", "top", "right", "bottom", "inset")
		l.Loose = l.Loose || position != "relative"
	}
	far := func(length string) bool {
		n, ok := Points(strings.Trim(length, "() ,"), DefaultSize)
		return ok && n < awayPoints
	}
	for _, name := range moved {
		l.Away = l.Away || slices.ContainsFunc(strings.Fields(set[name]), far)
	}
	shift := set["translate"]
	if _, call, ok := strings.Cut(set["transform"], "translate"); ok {
		shift, _, _ = strings.Cut(strings.TrimLeft(call, "xy3d("), ")")
	}
	l.Away = l.Away || slices.ContainsFunc(strings.Fields(strings.ReplaceAll(shift, ",", " ")), far)
}

// awayPoints is how far to the left or above what is moved is outside of the page.
const awayPoints = -400

// isPoint reports whether a clip is a polygon all of whose corners are at one place.
func isPoint(clip string) bool {
	_, list, ok := strings.Cut(clip, "polygon(")
	corners := strings.Split(strings.TrimSuffix(list, ")"), ",")
	for _, c := range corners {
		if !slices.Equal(strings.Fields(c), strings.Fields(corners[0])) {
			return false
		}
	}
	return ok
}

// DefaultSize is the size in points of text where nothing is said.
const DefaultSize = 12

var fontSize = regexp.MustCompile(`(^|\s)(\d*\.?\d+(px|pt|em|rem|%)?)(/\S+)?\s+\S`)

// measure applies what is said of the size of text.
func (e *Element) measure(set map[string]string) {
	parent := e.Look.Size
	if parent == 0 {
		parent = DefaultSize
	}
	value := set["font-size"]
	if m := fontSize.FindStringSubmatch(set["font"]); m != nil && value == "" {
		value = m[2]
	}
	if n, ok := Points(value, parent); ok {
		e.Look.Size = max(n, 0.001)
	}
}

// units of lengths in points.
var lengthUnits = []struct {
	name   string
	points float64
}{{"px", 0.75}, {"pt", 1}, {"rem", DefaultSize}, {"in", 72}, {"cm", 28.35}, {"mm", 2.835}, {"vw", 8}, {"vh", 6}, {"", 0.75}}

// Points reads a length; parent is what an em and 100 % are.
func Points(s string, parent float64) (float64, bool) {
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

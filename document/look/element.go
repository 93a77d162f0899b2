package look

import (
	"regexp"
	"strconv"
	"strings"
)

// An Element is one of a page, or of another format with styles as pages have.
type Element struct {
	Name, ID string
	Classes  []string
	Look     Look
	Veiled   bool // by its visibility, which what is in it may have again
}

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
	if o, ok := set["opacity"]; ok && Share(o, 1) <= 0.05 {
		l.Veiled = true
	}
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
	if set["display"] == "none" || strings.Contains(set["transform"], "scale(0") {
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
		strings.Contains(clip, "inset(100%") || strings.Contains(clip, "circle(0") {
		l.Hidden = true
	}
	moved := []string{"text-indent", "margin-left", "margin-top"}
	if position := set["position"]; position == "absolute" || position == "fixed" || position == "relative" {
		moved = append(moved, "left", "top", "right", "bottom")
	}
	for _, name := range moved {
		if n, ok := Points(set[name], DefaultSize); ok && n < -400 {
			l.Away = true
		}
	}
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

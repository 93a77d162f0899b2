package look

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/format"
)

// An Element is an element of a page, or of another format with CSS-like styles.
type Element struct {
	Name, ID string
	Classes  []string
	Look     Look
	Veiled   bool // invisible by visibility, which nested elements may reset

	Backwards bool   // characters are displayed in reverse order
	Tight     bool   // spaces are too narrow to see
	Content   string // replacement text of a style sheet, unparsed
	Flow      Flow   // display type, if a style sets it
	Generated Generated
	Spot      Spot
	Doubt     string // property that may move or clip the text out of sight and is not evaluated

	gone      bool    // not rendered at all
	faint     float64 // share of transparency, 0 for opaque
	rightLeft bool    // text direction is right to left

	drawing             bool // inside a drawing of SVG, whose text has these
	unfilled, unstroked bool
	clear               bool // its fill is transparent

	paint    *paint // of the element and those around it; nil for none
	grounded *paint // the one in which the ground is

	kind *kind // of the style sheet; nil before it is known

	Attributes    map[string]string // if a style sheet needs them
	index, ofType int               // position among its siblings, and among those with the same name, from 1
	siblings      *Siblings         // earlier ones
	vars          map[string]string // variables of style sheets, which descendants inherit
}

// A Flow is the display type of an element relative to its surroundings.
type Flow uint8

// The display types.
const (
	Usual  Flow = iota // default of the element
	Inline             // in the same line, without separation
	Block              // on separate lines
)

// Unseen returns why the element's text is invisible, "" if it is visible, and whether it
// takes up space.
func (e Element) Unseen() (why string, room bool) {
	l := e.Look
	l.Veiled = l.Veiled || e.Veiled || e.drawing && (e.unfilled || e.clear) && e.unstroked
	if e.paint != nil {
		l.Ink, l.Ground = e.painted(cmp.Or(l.Ink, Black), cmp.Or(l.Ground, White))
	}
	return l.Unseen()
}

// Raised reports whether the element's text is raised above the line.
func (e Element) Raised() bool { return e.Look.Up }

// Apply applies properties, in rising order of precedence.
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
	e.evaluate(set)
	if e.Name == "html" || e.Name == "body" {
		// Many pages hide everything until a script has run, so a rule that hides the whole page
		// hides nothing from a reader.
		maps.DeleteFunc(set, func(name, _ string) bool { return !rootProperties[name] })
	}
	e.place(set)
	e.repaint(set)
	e.colours(set)
	e.measure(set)
	e.order(set)
	e.flow(set)
	e.generate(set)
	e.spot(set)
	e.Content = set["content"]
}

// evaluate takes the variables out of a set of declarations and resolves the values of the others. A
// declaration that refers to a variable that is not set has no effect, but leaves a background unknown.
func (e *Element) evaluate(set map[string]string) {
	own := false
	for name, value := range set {
		if name != "content" && strings.Contains(value, "attr(") {
			if typed, ok := e.attributed(value); ok {
				value, set[name] = typed, typed
			} else if !strings.HasPrefix(name, "--") {
				delete(set, name)
			}
		}
		if !strings.HasPrefix(name, "--") {
			continue
		}
		if !own {
			e.vars, own = maps.Clone(e.vars), true
			if e.vars == nil {
				e.vars = map[string]string{}
			}
		}
		if len(e.vars) < maxVariables {
			e.vars[name] = value
		}
		delete(set, name)
	}
	for name, value := range set {
		switch resolved, ok := e.resolve(value); {
		case ok, resolved == tooLong && name == "content":
			set[name] = resolved
		case !strings.HasPrefix(name, "background"):
			delete(set, name)
		}
	}
}

// maxVariables limits the variables of an element.
const maxVariables = 2000

// rootProperties are the properties that are applied to the whole page.
var rootProperties = format.Names("color", "-webkit-text-fill-color", "background", "background-color", "background-image", "font", "font-size", "line-height",
	"direction", "unicode-bidi", "word-spacing", "letter-spacing", "quotes", "list-style", "list-style-type", "counter-reset", "counter-increment", "counter-set")

// order applies properties about the order of characters and the space between them.
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
	if n, ok := Points(set["letter-spacing"], cmp.Or(e.Look.Size, DefaultSize)); ok {
		e.Look.Apart = n
		e.Look.Loose = e.Look.Loose || n <= -0.4*cmp.Or(e.Look.Size, DefaultSize)
	} else if set["letter-spacing"] == "normal" {
		e.Look.Apart = 0
	}
}

// tightSpace is the word spacing, relative to the font size, below which a space is invisible.
const tightSpace = -0.15

// boxes are the properties that separate an inline element from its neighbours.
var boxes = []string{"margin", "margin-left", "margin-right", "padding", "padding-left", "padding-right", "border", "border-left", "border-right", "width", "min-width"}

// Beside returns the display type of the element.
func (e Element) Beside() Flow {
	if e.gone {
		return Inline
	}
	return e.Flow
}

// flow applies properties about the display type.
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

// colours applies properties about colours and visibility.
func (e *Element) colours(set map[string]string) {
	l := &e.Look
	for _, name := range []string{"color", "-webkit-text-fill-color"} {
		if c := CSS(set[name]); c.kind != noTone {
			l.Ink = c
		}
	}
	for _, name := range []string{"background-color", "background", "background-image", "filter"} {
		ground := Ground(set[name])
		if set[name] == "currentcolor" {
			l.Ink = cmp.Or(l.Ink, Black)
			ground = l.Ink
		}
		if ground.Over(Tone{}).Stated() {
			l.Ground, e.grounded = ground, e.paint
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
	for _, name := range []string{"mask", "mask-image", "-webkit-mask", "-webkit-mask-image"} {
		if allClear(set[name]) {
			e.faint = 1
		}
	}
	if security := set["-webkit-text-security"]; security != "" && security != "none" {
		l.Veiled = true
	}
	l.Veiled = l.Veiled || e.faint >= 0.95
	if fill, ok := set["fill"]; ok {
		e.unfilled = fill == "none" || CSS(fill) == Clear
	}
	if o, ok := set["fill-opacity"]; ok {
		e.clear = Share(o, 1) <= 0.05
	}
	if stroke, ok := set["stroke"]; ok {
		e.unstroked = stroke == "none" || CSS(stroke) == Clear
	}
}

// allClear reports whether a mask is a gradient between transparent colours.
func allClear(mask string) bool {
	_, list, ok := strings.Cut(mask, "gradient(")
	if !ok {
		return false
	}
	list, _ = bracket(list)
	for _, c := range split(list, atComma) {
		c = strings.TrimSpace(c)
		if at := strings.LastIndexByte(c, ' '); at >= 0 && strings.HasSuffix(c, "%") {
			c = c[:at]
		}
		if CSS(c) != Clear {
			return false
		}
	}
	return true
}

// Ground parses a background: a colour among other values, or a picture.
func Ground(value string) Tone {
	if strings.Contains(value, "url(") || strings.Contains(value, "gradient") || strings.Contains(value, "var(") {
		return Unknown
	}
	if m := colourCall.FindStringIndex(value); m != nil {
		argument, _ := bracket(value[m[1]:])
		return CSS(value[m[0]:m[1]] + argument + ")")
	}
	for _, word := range strings.Fields(value) {
		if t := CSS(word); t.kind == rgb {
			return t
		}
	}
	return Tone{}
}

// place applies properties about position and clipping.
func (e *Element) place(set map[string]string) {
	l := &e.Look
	if set["display"] == "none" || flattens(set["transform"]) || flattens("scale("+set["scale"]+")") || flattens("rotate("+set["rotate"]+")") || set["content-visibility"] == "hidden" {
		l.Hidden = true
	}
	if strings.HasPrefix(set["content"], "url(") && e.Name != "" { // a picture in place of the text
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
		strings.Contains(clip, "inset(100%") || strings.Contains(clip, "circle(0") || isPoint(clip) || insetWhole(clip) || isPath(clip) {
		l.Hidden = true
	}
	moved := []string{"text-indent", "margin-left", "margin-top"}
	const movedInFlow = 3
	if position := set["position"]; position == "absolute" || position == "fixed" || position == "relative" {
		moved = append(moved, "left", "top", "right", "bottom", "inset")
		l.Loose = l.Loose || position != "relative"
	}
	far := func(length string) bool {
		n, ok := Points(strings.Trim(length, "() ,"), DefaultSize)
		return ok && n < AwayPoints
	}
	for _, name := range moved {
		l.Away = l.Away || slices.ContainsFunc(strings.Fields(set[name]), far)
	}
	e.Doubt = doubtful(set, len(moved) > movedInFlow)
	shift := set["translate"]
	if _, call, ok := strings.Cut(set["transform"], "translate"); ok {
		shift, _, _ = strings.Cut(strings.TrimLeft(call, "xy3d("), ")")
	}
	l.Away = l.Away || slices.ContainsFunc(strings.Fields(strings.ReplaceAll(shift, ",", " ")), far)
}

// doubtful returns the property that may move or clip text out of sight and is not evaluated, "" if there is none: an offset of twice the
// size of what is around, as in a row of slides, a path, or a place before the screen.
func doubtful(set map[string]string, placed bool) string {
	if path := set["offset-path"]; path != "" && path != "none" {
		return "offset-path"
	}
	for name := range calls(set["clip-path"]) {
		if name == "path" || name == "shape" {
			return "clip-path"
		}
	}
	for name, argument := range calls(set["transform"]) {
		depth := argument
		if at := strings.LastIndexByte(argument, ','); at >= 0 && name == "translate3d" {
			depth = argument[at+1:]
		}
		if n, ok := Points(strings.TrimSpace(depth), DefaultSize); ok && n > 0 && (name == "translatez" || name == "translate3d") {
			return "perspective"
		}
	}
	for _, name := range []string{"left", "right", "top", "bottom"} {
		if placed && strings.HasSuffix(set[name], "%") && Share(set[name], 1) <= farShare {
			return name + ": " + set[name]
		}
	}
	return ""
}

// farShare is the offset, relative to the size of what is around, that may move text out of the page.
const farShare = -2

// flattens reports whether a transform leaves text no width or no height: a scale of almost zero, a
// turn out of the plane by a right angle, or a matrix of that effect.
func flattens(transform string) bool {
	for transform != "" {
		name, rest, ok := strings.Cut(transform, "(")
		if !ok {
			return false
		}
		argument, after := bracket(rest)
		transform = after
		values := strings.FieldsFunc(argument, func(r rune) bool { return r == ',' || r == ' ' })
		switch name = strings.TrimSpace(name); name {
		case "scale", "scale3d", "scalex", "scaley":
			for _, v := range values[:min(len(values), 2)] {
				if math.Abs(Share(v, 1)) <= leastScale {
					return true
				}
			}
		case "matrix":
			if len(values) == 6 && math.Abs(Share(values[0], 1)*Share(values[3], 1)-Share(values[1], 1)*Share(values[2], 1)) <= leastScale*leastScale {
				return true
			}
		case "rotatex", "rotatey":
			if len(values) == 1 && upright(values[0]) {
				return true
			}
		case "rotate": // the property has an axis
			if len(values) == 2 && (values[0] == "x" || values[0] == "y") && upright(values[1]) {
				return true
			}
		}
	}
	return false
}

// leastScale is the scale up to which text is unreadable.
const leastScale = 0.02

// upright reports whether an angle is almost 90 or 270 degrees.
func upright(angle string) bool {
	for unit, degrees := range map[string]float64{"deg": 1, "grad": 0.9, "turn": 360} {
		number, ok := strings.CutSuffix(angle, unit)
		if n, err := strconv.ParseFloat(number, 64); ok && err == nil {
			return math.Abs(math.Abs(math.Remainder(n*degrees, 180))-90) < 1
		}
	}
	return false
}

// AwayPoints is the offset to the left or above, in points, beyond which an element is outside
// the page.
const AwayPoints = -400

// isPoint reports whether a clip path is a polygon with all corners at one point.
func isPoint(clip string) bool {
	_, list, ok := strings.Cut(clip, "polygon(")
	corners := strings.Split(strings.TrimSuffix(list, ")"), ",")
	return !slices.ContainsFunc(corners, func(c string) bool { return !slices.Equal(strings.Fields(c), strings.Fields(corners[0])) }) && ok
}

// isPath reports whether a clip path is a path that never leaves its first point.
func isPath(clip string) bool {
	for name, argument := range calls(clip) {
		if name == "path" {
			numbers := pathNumbers.FindAllString(argument, maxPath)
			return len(numbers) <= 2 || !slices.ContainsFunc(numbers, func(n string) bool { return strings.Trim(n, "+-.0") != "" })
		}
	}
	return false
}

// maxPath is the maximum number of coordinates of a path that are read.
const maxPath = 20

// pathNumbers matches the numbers of a path.
var pathNumbers = regexp.MustCompile(`[-+]?[.\d]+`)

// insetWhole reports whether a clip path leaves nothing between two opposite sides.
func insetWhole(clip string) bool {
	for name, argument := range calls(clip) {
		sides := strings.Fields(before(argument, "round"))
		if name != "inset" || len(sides) == 0 {
			continue
		}
		for len(sides) < 4 {
			sides = append(sides, sides[max(len(sides)-2, 0)])
		}
		cut := func(side int) float64 {
			if !strings.HasSuffix(sides[side], "%") {
				return 0
			}
			return Share(sides[side], 1)
		}
		return cut(0)+cut(2) >= 1 || cut(1)+cut(3) >= 1
	}
	return false
}

// DefaultSize is the default font size in points.
const DefaultSize = 12

// colourCall matches the start of a function that is a colour.
var colourCall = regexp.MustCompile(`\b(rgba?|hsla?|hwb|(ok)?(lab|lch)|color(-mix)?|light-dark)\(`)

var fontSize = regexp.MustCompile(`(^|\s)(\d*\.?\d+(px|pt|em|rem|%)?)(/\S+)?\s+\S`)

// measure applies properties about the font size.
func (e *Element) measure(set map[string]string) {
	parent := cmp.Or(e.Look.Size, DefaultSize)
	value := set["font-size"]
	if m := fontSize.FindStringSubmatch(set["font"]); m != nil && value == "" {
		value = m[2]
	}
	if n, ok := Points(value, parent); ok {
		e.Look.Size = max(n, 0.001)
	}
	if set["font-size-adjust"] == "0" {
		e.Look.Size = 0.001
	}
	height, _ := Points(set["vertical-align"], parent)
	top, _ := Points(set["top"], parent)
	e.Look.Up = e.Look.Up || set["vertical-align"] == "super" || e.Look.Size > 0 && e.Look.Size < parent && (height > 0 || set["position"] == "relative" && top < 0 && -top < parent)
}

// lengthUnits are units of length in points.
var lengthUnits = []struct {
	name   string
	points float64
}{{"px", 0.75}, {"pt", 1}, {"rem", DefaultSize}, {"in", 72}, {"cm", 28.35}, {"mm", 2.835}, {"vw", 8}, {"vh", 6}, {"", 0.75}}

// Points parses a length in points; parent is the length of 1 em and of 100 %.
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

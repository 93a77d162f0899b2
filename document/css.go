package document

import (
	"slices"
	"strconv"
	"strings"
)

// Bounds of a page's style sheets.
const (
	maxRules   = 20_000
	maxParents = 64 // elements that a selector is looked for in
)

// A sheet has the rules of style sheets that may hide text.
type sheet struct {
	rules  map[string][]*rule // by ".class", "#id", "tag" or "*" of the element
	count  int
	remote bool // a sheet was not read, so that grounds are not known
}

// A rule says what holds for the elements that a selector names.
type rule struct {
	chain   []compound // of the element, then of what it stands in
	weight  int        // specificity, then order
	styles  []property
	guessed bool // something in the selector was not understood
}

// A compound names one element: div.note#a.
type compound struct {
	tag, id string
	classes []string
	direct  bool // the next one is the parent
}

type property struct {
	name, value string
	important   bool
}

// lookProperties are those that may hide text.
var lookProperties = setOf("display", "visibility", "opacity", "color", "-webkit-text-fill-color", "background", "background-color",
	"background-image", "font-size", "font", "position", "left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top", "clip", "clip-path",
	"overflow", "width", "height", "max-width", "max-height", "transform", "filter")

// add reads a style sheet. What it does not understand it leaves out, but for
// grounds, which it then takes as not known.
func (s *sheet) add(css string) {
	s.block(withoutComments(css), false)
}

func withoutComments(css string) string {
	css = strings.NewReplacer("<!--", "", "-->", "").Replace(css)
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(css, "/*")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, css, _ = strings.Cut(rest, "*/")
	}
}

// block reads rules one after the other; guessed says that they hold only
// under conditions.
func (s *sheet) block(css string, guessed bool) {
	for {
		head, rest, found := strings.Cut(css, "{")
		if !found {
			return
		}
		for {
			statement, after, more := strings.Cut(head, ";")
			if !more {
				break
			}
			s.remote = s.remote || strings.Contains(strings.ToLower(statement), "@import")
			head = after
		}
		end := closing(rest)
		body := rest[:end]
		css = rest[min(end+1, len(rest)):]
		switch head = strings.ToLower(strings.TrimSpace(head)); {
		case strings.HasPrefix(head, "@media"):
			if media := strings.TrimSpace(head[len("@media"):]); media != "print" {
				s.block(body, guessed || media != "screen" && media != "all" && media != "only screen")
			}
		case strings.HasPrefix(head, "@supports"), strings.HasPrefix(head, "@layer"):
			s.block(body, guessed)
		case strings.HasPrefix(head, "@"):
		default:
			s.rule(head, body, guessed)
		}
	}
}

// closing returns where the block ends that css starts in.
func closing(css string) int {
	depth := 1
	for i := range len(css) {
		switch css[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(css)
}

func (s *sheet) rule(selectors, body string, guessed bool) {
	styles := properties(body)
	if len(styles) == 0 {
		return
	}
	for _, selector := range strings.Split(selectors, ",") {
		r := &rule{styles: styles, guessed: guessed}
		if s.count >= maxRules || !r.parse(selector) {
			continue
		}
		s.count++
		r.weight += s.count
		key := r.chain[0].key()
		if s.rules == nil {
			s.rules = map[string][]*rule{}
		}
		s.rules[key] = append(s.rules[key], r)
	}
}

// properties reads declarations, of those that may hide text.
func properties(css string) []property {
	var list []property
	for _, declaration := range strings.Split(strings.ToLower(css), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !lookProperties[name] {
			continue
		}
		plain, important := strings.CutSuffix(value, "!important")
		list = append(list, property{name, strings.TrimSpace(plain), important})
	}
	return list
}

// weights of a selector, so far apart that order comes last.
const (
	tagWeight   = 1 << 20
	classWeight = 1 << 28
	idWeight    = 1 << 36
)

// parse reads one selector. It reports false for those that no text is shown
// by: of what is before an element, or under the mouse.
func (r *rule) parse(selector string) bool {
	for _, moving := range []string{"::", ":before", ":after", ":hover", ":focus", ":active", ":visited", ":target", ":checked", ":disabled"} {
		if strings.Contains(selector, moving) {
			return false
		}
	}
	selector = strings.NewReplacer(">", " > ", "+", " + ", "~", " ~ ").Replace(selector)
	direct := false
	for _, part := range strings.Fields(selector) {
		switch part {
		case ">":
			direct = true
			continue
		case "+", "~":
			r.guessed, r.chain = true, nil
			continue
		}
		c := r.compound(part)
		if len(r.chain) > 0 {
			c.direct = direct
		}
		r.chain = append(r.chain, c)
		direct = false
	}
	slices.Reverse(r.chain)
	return len(r.chain) > 0
}

func (r *rule) compound(part string) compound {
	var c compound
	if at := strings.IndexAny(part, ":["); at >= 0 {
		if part[at:] != ":root" {
			r.guessed = true
		}
		part = part[:at]
	}
	for len(part) > 0 {
		end := strings.IndexAny(part[1:], ".#") + 1
		if end == 0 {
			end = len(part)
		}
		switch name := part[:end]; name[0] {
		case '.':
			c.classes = append(c.classes, name[1:])
			r.weight += classWeight
		case '#':
			c.id = name[1:]
			r.weight += idWeight
		case '*':
		default:
			c.tag = name
			r.weight += tagWeight
		}
		part = part[end:]
	}
	return c
}

// key is what an element surely has that the compound names.
func (c compound) key() string {
	switch {
	case c.id != "":
		return "#" + c.id
	case len(c.classes) > 0:
		return "." + c.classes[0]
	case c.tag != "":
		return c.tag
	}
	return "*"
}

func (c compound) matches(e *element) bool {
	if c.tag != "" && c.tag != e.name || c.id != "" && c.id != e.id {
		return false
	}
	for _, class := range c.classes {
		if !slices.Contains(e.classes, class) {
			return false
		}
	}
	return true
}

// matches reports whether the rule is for e, which stands in the elements of
// open.
func (r *rule) matches(e *element, open []element) bool {
	if !r.chain[0].matches(e) {
		return false
	}
	left := maxParents
	at := len(open) - 1
	for i, c := range r.chain[1:] {
		direct := r.chain[i].direct
		for ; at >= 0 && left > 0 && !c.matches(&open[at]); at-- {
			if left--; direct {
				return false
			}
		}
		if at < 0 || left == 0 {
			return false
		}
		at--
	}
	return true
}

// styles returns what the sheets say of e, which stands in open, the weakest
// first.
func (s *sheet) styles(e *element, open []element) []property {
	var found []*rule
	try := func(key string) {
		for _, r := range s.rules[key] {
			if r.matches(e, open) {
				found = append(found, r)
			}
		}
	}
	try("*")
	try(e.name)
	if e.id != "" {
		try("#" + e.id)
	}
	for _, c := range e.classes {
		try("." + c)
	}
	slices.SortFunc(found, func(a, b *rule) int { return a.weight - b.weight })
	var list []property
	for _, r := range found {
		for _, p := range r.styles {
			if r.guessed {
				if !strings.HasPrefix(p.name, "background") {
					continue
				}
				p.value = "var(--unknown)"
			}
			list = append(list, p)
		}
	}
	return list
}

// colourNames are the names of colours that people use, and all of those that
// are nearly white.
var colourNames = map[string]string{
	"white": "ffffff", "snow": "fffafa", "ivory": "fffff0", "ghostwhite": "f8f8ff", "floralwhite": "fffaf0", "mintcream": "f5fffa",
	"azure": "f0ffff", "aliceblue": "f0f8ff", "seashell": "fff5ee", "whitesmoke": "f5f5f5", "honeydew": "f0fff0", "lavenderblush": "fff0f5",
	"black": "000000", "silver": "c0c0c0", "gray": "808080", "grey": "808080", "maroon": "800000", "red": "ff0000", "purple": "800080",
	"fuchsia": "ff00ff", "magenta": "ff00ff", "green": "008000", "lime": "00ff00", "olive": "808000", "yellow": "ffff00", "navy": "000080",
	"blue": "0000ff", "teal": "008080", "aqua": "00ffff", "cyan": "00ffff", "orange": "ffa500", "lightgray": "d3d3d3", "lightgrey": "d3d3d3",
	"darkgray": "a9a9a9", "darkgrey": "a9a9a9", "darkblue": "00008b", "darkred": "8b0000", "darkgreen": "006400", "brown": "a52a2a", "pink": "ffc0cb",
}

// cssTone reads a colour.
func cssTone(s string) tone {
	if hex, ok := strings.CutPrefix(s, "#"); ok {
		switch {
		case len(hex) == 4 && hex[3] == '0', len(hex) == 8 && hex[6] == '0':
			return tone{kind: clearTone}
		case len(hex) == 4:
			hex = hex[:3]
		case len(hex) == 8:
			hex = hex[:6]
		}
		return hexTone(hex).over(tone{kind: unknownTone})
	}
	switch s {
	case "transparent":
		return tone{kind: clearTone}
	case "inherit", "initial", "unset", "":
		return tone{}
	}
	if hex, ok := colourNames[s]; ok {
		return hexTone(hex)
	}
	name, list, ok := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	if !ok {
		return tone{kind: unknownTone}
	}
	return toneOf(strings.TrimSuffix(name, "a"), strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" ,/", r) }))
}

// toneOf reads rgb(255, 255, 255), or the white, black and grey ones of hsl().
func toneOf(function string, values []string) tone {
	unknown := tone{kind: unknownTone}
	if len(values) < 3 {
		return unknown
	}
	if len(values) > 3 && share(values[3], 1) <= 0.05 {
		return tone{kind: clearTone}
	}
	switch function {
	case "rgb":
		var c [3]uint8
		for i := range c {
			c[i] = uint8(255 * min(max(share(values[i], 255), 0), 1))
		}
		return tone{rgb, c[0], c[1], c[2]}
	case "hsl":
		light := min(max(share(values[2], 100), 0), 1)
		if share(values[1], 100) <= 0.05 || light >= 0.97 || light <= 0.03 {
			return tone{rgb, uint8(255 * light), uint8(255 * light), uint8(255 * light)}
		}
	}
	return unknown
}

// share returns a value as a share of whole; percentages are of 100.
func share(s string, whole float64) float64 {
	if percent, ok := strings.CutSuffix(s, "%"); ok {
		s, whole = percent, 100
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 1
	}
	return n / whole
}

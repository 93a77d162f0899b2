package look

import (
	"slices"
	"strings"

	"github.com/otisk/otisk/document/format"
)

// Bounds of a page's style sheets.
const (
	maxRules   = 20_000
	maxParents = 64 // elements that a selector is looked for in
)

// A Sheet has the rules of style sheets that may hide text.
type Sheet struct {
	rules  map[string][]*rule // by ".class", "#id", "tag" or "*" of the element
	count  int
	Remote bool // a sheet was not read, so that grounds are not known
}

// A rule says what holds for the elements that a selector names.
type rule struct {
	chain   []compound // of the element, then of what it stands in
	weight  int        // specificity, then order
	styles  []Property
	guessed bool // something in the selector was not understood
}

// A compound names one element: div.note#a.
type compound struct {
	tag, id string
	classes []string
	direct  bool // the next one is the parent
}

// A Property is a declaration of a style sheet.
type Property struct {
	Name, Value string
	Important   bool
}

// lookProperties are those that may hide text.
var lookProperties = format.Names("display", "visibility", "opacity", "color", "-webkit-text-fill-color", "background", "background-color",
	"background-image", "font-size", "font", "position", "left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top", "clip", "clip-path",
	"overflow", "width", "height", "max-width", "max-height", "transform", "filter")

// Add reads a style sheet. What it does not understand it leaves out, but for
// grounds, which it then takes as not known.
func (s *Sheet) Add(css string) {
	s.block(withoutComments(css), false)
}

// Empty reports whether no rule is known.
func (s *Sheet) Empty() bool { return s.rules == nil }

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
func (s *Sheet) block(css string, guessed bool) {
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
			s.Remote = s.Remote || strings.Contains(strings.ToLower(statement), "@import")
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

func (s *Sheet) rule(selectors, body string, guessed bool) {
	styles := Properties(body)
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

// Properties reads declarations, of those that may hide text.
func Properties(css string) []Property {
	var list []Property
	for _, declaration := range strings.Split(strings.ToLower(css), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !lookProperties[name] {
			continue
		}
		plain, important := strings.CutSuffix(value, "!important")
		list = append(list, Property{name, strings.TrimSpace(plain), important})
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

func (c compound) matches(e *Element) bool {
	if c.tag != "" && c.tag != e.Name || c.id != "" && c.id != e.ID {
		return false
	}
	for _, class := range c.classes {
		if !slices.Contains(e.Classes, class) {
			return false
		}
	}
	return true
}

// matches reports whether the rule is for e, which stands in the elements of
// open.
func (r *rule) matches(e *Element, open []Element) bool {
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

// Styles returns what the sheets say of e, which stands in open, the weakest
// first.
func (s *Sheet) Styles(e *Element, open []Element) []Property {
	var found []*rule
	try := func(key string) {
		for _, r := range s.rules[key] {
			if r.matches(e, open) {
				found = append(found, r)
			}
		}
	}
	try("*")
	try(e.Name)
	if e.ID != "" {
		try("#" + e.ID)
	}
	for _, c := range e.Classes {
		try("." + c)
	}
	slices.SortFunc(found, func(a, b *rule) int { return a.weight - b.weight })
	var list []Property
	for _, r := range found {
		for _, p := range r.styles {
			if r.guessed {
				if !strings.HasPrefix(p.Name, "background") {
					continue
				}
				p.Value = "var(--unknown)"
			}
			list = append(list, p)
		}
	}
	return list
}

package look

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"

	"github.com/otisk/otisk/document/format"
)

// Bounds of a page's style sheets.
const (
	maxRules   = 20_000
	maxParents = 64 // elements that a selector is looked for in
)

// A Sheet has the rules of style sheets that may hide text.
type Sheet struct {
	rules   [sides]map[string][]*rule // by ".class", "#id", "tag" or "*" of the element
	guesses map[string]*rule          // those that are guessed, by their chain
	count   int
	Remote  bool // a sheet was not read, so that grounds are not known
	attrs   bool // what is put beside elements is of their attributes
}

// A Side says where a style sheet puts text beside that of an element.
type Side uint8

// The sides.
const (
	within Side = iota
	Before
	After
	sides
)

// sideNames are what selectors call the sides; one colon is enough.
var sideNames = [sides]string{Before: "::before", After: "::after"}

// A rule says what holds for the elements that a selector names.
type rule struct {
	chain   []compound // of the element, then of what it is in
	side    Side       // of the element, where the rule puts text
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

// Add reads a style sheet. What it does not understand it leaves out, but for
// grounds, which it then takes as not known. The error is that of the context.
func (s *Sheet) Add(ctx context.Context, text string) error {
	r := newReader(ctx, text)
	var open []bool // blocks of rules that are open, and whether they hold only under conditions
	for {
		guessed := len(open) > 0 && open[len(open)-1]
		switch head, end := r.head(len(open) > 0); end {
		case css.ErrorToken:
			return r.err
		case css.SemicolonToken:
			s.Remote = s.Remote || strings.Contains(head, "@import")
		case css.RightBraceToken:
			open = open[:len(open)-1]
		default:
			switch kind, media := blockOf(head); kind {
			case ruleBlock:
				s.rule(head, r.declarations(), guessed)
			case groupBlock:
				open = append(open, guessed || media)
			case otherBlock:
				r.skip(css.RightBraceToken)
			}
		}
	}
}

// A block is what a pair of braces is around.
type block uint8

const (
	ruleBlock  block = iota // declarations
	groupBlock              // rules
	otherBlock              // neither, or what holds on paper only
)

// blockOf recognises a block by what is before it; guessed says that its rules hold only
// under conditions.
func blockOf(head string) (kind block, guessed bool) {
	media, isMedia := strings.CutPrefix(head, "@media")
	switch media = strings.TrimSpace(media); {
	case isMedia && media == "print":
		return otherBlock, false
	case isMedia:
		return groupBlock, media != "screen" && media != "all" && media != "only screen"
	case strings.HasPrefix(head, "@supports"), strings.HasPrefix(head, "@layer"):
		return groupBlock, false
	case strings.HasPrefix(head, "@"):
		return otherBlock, false
	}
	return ruleBlock, false
}

// rule adds a rule for each selector of head.
func (s *Sheet) rule(head string, styles []Property, guessed bool) {
	if len(styles) == 0 {
		return
	}
	for selector := range strings.SplitSeq(head, ",") {
		r := &rule{styles: styles, guessed: guessed}
		if !r.parse(selector) {
			continue
		}
		if s.count++; s.count > maxRules {
			s.Remote = true
			return
		}
		r.weight += s.count
		s.put(r)
	}
}

// put adds a rule. Of one that is guessed only grounds count, and all of one
// selector are one: thousands of them would be tried for each element.
func (s *Sheet) put(r *rule) {
	if s.guesses == nil {
		s.guesses = map[string]*rule{}
	}
	if r.guessed {
		r.styles = unknownGrounds(r.styles)
		id := fmt.Sprint(r.chain, r.side)
		if old := s.guesses[id]; old != nil {
			old.weight, old.styles = r.weight, unknownGrounds(append(old.styles, r.styles...))
			return
		}
		s.guesses[id] = r
	}
	if key := r.chain[0].key(); len(r.styles) > 0 {
		if s.rules[r.side] == nil {
			s.rules[r.side] = map[string][]*rule{}
		}
		s.rules[r.side][key] = append(s.rules[r.side][key], r)
	}
	if r.side != within {
		s.attrs = s.attrs || slices.ContainsFunc(r.styles, func(p Property) bool { return strings.Contains(p.Value, "attr(") })
	}
}

// unknownGrounds returns the grounds among properties, as not known, each once.
func unknownGrounds(list []Property) []Property {
	var grounds []Property
	for _, p := range list {
		same := func(g Property) bool { return g.Name == p.Name && g.Important == p.Important }
		if strings.HasPrefix(p.Name, "background") && !slices.ContainsFunc(grounds, same) {
			grounds = append(grounds, Property{p.Name, "var(--unknown)", p.Important})
		}
	}
	return grounds
}

// Empty reports whether no rule is known.
func (s *Sheet) Empty() bool { return s.guesses == nil }

// Puts reports whether rules put text beside that of elements, and whether that is what
// attributes of these say.
func (s *Sheet) Puts() (any, attrs bool) {
	return s.rules[Before] != nil || s.rules[After] != nil, s.attrs
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
	selector = r.beside(selector)
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

// beside takes off what says that a rule is for text that it puts before or after an
// element.
func (r *rule) beside(selector string) string {
	selector = strings.TrimSpace(selector)
	for side := Before; side < sides; side++ {
		of, ok := strings.CutSuffix(selector, sideNames[side])
		if !ok {
			of, ok = strings.CutSuffix(selector, sideNames[side][1:])
		}
		if ok {
			r.side = side
			if of == "" || strings.HasSuffix(of, " ") {
				of += "*"
			}
			return of
		}
	}
	return selector
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

// matches reports whether the rule is for e, which is in the elements of
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

// Styles returns what the sheets say of e, which is in open, the weakest
// first. The error is that of the pulse.
func (s *Sheet) Styles(pulse *format.Pulse, e *Element, open []Element) ([]Property, error) {
	return s.styles(pulse, e, open, within)
}

// Beside returns the element that the sheets put before or after what is in e, which is
// in open; its content is "" where there is none.
func (s *Sheet) Beside(pulse *format.Pulse, e *Element, open []Element, side Side) (Element, error) {
	list, err := s.styles(pulse, e, open, side)
	if len(list) == 0 {
		return Element{}, err
	}
	inner := e.Inside("")
	inner.Apply(list)
	return inner, err
}

func (s *Sheet) styles(pulse *format.Pulse, e *Element, open []Element, side Side) ([]Property, error) {
	if s.rules[side] == nil {
		return nil, nil
	}
	var found []*rule
	var err error
	try := func(key string) {
		for _, r := range s.rules[side][key] {
			if err == nil {
				err = pulse.Err()
			}
			if err == nil && r.matches(e, open) {
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
		list = append(list, r.styles...)
	}
	return list, err
}

// Inside returns an element within e, which looks as e does.
func (e Element) Inside(name string) Element {
	return Element{Name: name, Look: e.Look, Veiled: e.Veiled, Backwards: e.Backwards, Tight: e.Tight, gone: e.gone, faint: e.faint, rightLeft: e.rightLeft}
}

package look

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"

	"github.com/otisk/otisk/document/format"
)

// Limits for the style sheets of a page.
const (
	maxRules   = 20_000
	maxParents = 64 // ancestors that a selector is compared with
)

// A Sheet holds the rules of style sheets that may hide text.
type Sheet struct {
	rules   [sides]map[string][]*rule // by ".class", "#id", "tag" or "*" of the element
	guesses map[string]*rule          // rules with unsupported selectors, by their chain
	count   int
	Remote  bool // a sheet was not read, so that backgrounds are unknown
	attrs   bool // generated text depends on attributes
}

// A Side is a position at which a style sheet generates text.
type Side uint8

// The sides.
const (
	within Side = iota
	Before
	After
	sides
)

// sideNames are the pseudo-elements of the sides; a single colon is valid, too.
var sideNames = [sides]string{Before: "::before", After: "::after"}

// A rule is a set of declarations with one selector.
type rule struct {
	chain   []compound // selector of the element, then of its ancestors
	side    Side       // where the rule generates text
	weight  int        // specificity, then order
	styles  []Property
	guessed bool // part of the selector is unsupported
}

// A compound is a compound selector: div.note#a.
type compound struct {
	tag, id string
	classes []string
	direct  bool // the next one must match the parent
}

// Add parses a style sheet. It ignores unsupported rules, except that the backgrounds that
// they set become unknown. The error is that of the context.
func (s *Sheet) Add(ctx context.Context, text string) error {
	r := newReader(ctx, text)
	var open []bool // open blocks of rules, and whether they are conditional
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

// A block is the kind of content between two braces.
type block uint8

const (
	ruleBlock  block = iota // declarations
	groupBlock              // rules
	otherBlock              // neither, or only for print
)

// blockOf returns the kind of a block by the text before it; guessed reports whether its rules
// are conditional.
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

// put adds a rule. A guessed rule counts for backgrounds only, and all guessed rules with one
// selector are merged: otherwise thousands would be tried for each element.
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

// unknownGrounds returns the background properties in list, once each, with unknown values.
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

// Empty reports whether there are no rules.
func (s *Sheet) Empty() bool { return s.guesses == nil }

// Puts reports whether rules generate text, and whether that text depends on attributes.
func (s *Sheet) Puts() (any, attrs bool) {
	return s.rules[Before] != nil || s.rules[After] != nil, s.attrs
}

// Weights of a selector, so far apart that order counts last.
const (
	tagWeight   = 1 << 20
	classWeight = 1 << 28
	idWeight    = 1 << 36
)

// parse parses one selector. It returns false for selectors that never match static text, such
// as :hover.
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

// beside sets the side of a rule and returns the selector without the pseudo-element.
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

// key returns a feature that every matching element has.
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

// matches reports whether the rule matches e, whose ancestors are open.
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

// Styles returns the declarations of the sheets for e, whose ancestors are open, in rising
// order of precedence. The error is that of the pulse.
func (s *Sheet) Styles(pulse *format.Pulse, e *Element, open []Element) ([]Property, error) {
	return s.styles(pulse, e, open, within)
}

// Beside returns the text that the sheets generate on one side of e, whose ancestors are open,
// as an element; its content is "" if there is none.
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

// Inside returns a child of e with the inherited look.
func (e Element) Inside(name string) Element {
	return Element{Name: name, Look: e.Look, Veiled: e.Veiled, Backwards: e.Backwards, Tight: e.Tight, gone: e.gone, faint: e.faint, rightLeft: e.rightLeft}
}

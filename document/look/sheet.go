package look

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// Limits for the style sheets of a page.
const (
	maxRules   = 20_000
	maxParents = 128 // nearest ancestors that a selector is compared with
)

// A Sheet holds the rules of style sheets that may hide text.
type Sheet struct {
	rules  map[string]*rule // by selector
	places [sides]bool      // sides that rules have declarations for
	count  int
	index  *index // of the rules, nil if there are new ones
	Remote bool   // a sheet was not read, so that backgrounds are unknown
	attrs  bool   // generated text depends on attributes
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

// A rule has all declarations for one selector.
type rule struct {
	chain   []compound // selector of the element, then of its ancestors
	side    Side       // where the rule generates text
	weight  int        // specificity
	styles  []declared
	guessed bool // part of the selector is unsupported
}

// A declared is a declaration with its rank: the specificity of its selector, then its order.
type declared struct {
	Property
	rank int
}

// A compound is a compound selector: div.note#a.
type compound struct {
	features []string // that a matching element has: "div", ".note", "#a"
	direct   bool     // the next one must match the parent
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
		r := &rule{guessed: guessed}
		if !r.parse(selector) {
			continue
		}
		if s.count++; s.count > maxRules {
			s.Remote = true
			return
		}
		s.put(r, styles, r.weight+s.count)
	}
}

// put adds declarations to a rule, and the rule if it is new. A guessed rule counts for
// backgrounds only.
func (s *Sheet) put(r *rule, styles []Property, rank int) {
	if s.rules == nil {
		s.rules = map[string]*rule{}
	}
	s.index = nil
	if r.guessed {
		styles = unknownGrounds(styles)
	}
	if len(styles) == 0 {
		return
	}
	id := fmt.Sprint(r.chain, r.side, r.guessed)
	if old := s.rules[id]; old != nil {
		r = old
	}
	s.rules[id] = r
	r.declare(styles, rank)
	s.places[r.side] = true
	if r.side != within {
		s.attrs = s.attrs || slices.ContainsFunc(styles, func(p Property) bool { return strings.Contains(p.Value, "attr(") })
	}
}

// declare adds declarations, which replace earlier ones of the same property and importance:
// the rule matches the same elements as before.
func (r *rule) declare(styles []Property, rank int) {
	for _, p := range styles {
		same := func(d declared) bool { return d.Name == p.Name && d.Important == p.Important }
		if at := slices.IndexFunc(r.styles, same); at >= 0 {
			r.styles[at] = declared{p, rank}
		} else {
			r.styles = append(r.styles, declared{p, rank})
		}
	}
	if r.guessed {
		for i := range r.styles {
			r.styles[i].rank = rank // the values are all unknown
		}
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
func (s *Sheet) Empty() bool { return s.rules == nil }

// Puts reports whether rules generate text, and whether that text depends on attributes.
func (s *Sheet) Puts() (any, attrs bool) {
	return s.places[Before] || s.places[After], s.attrs
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
			c.features = append(c.features, name)
			r.weight += classWeight
		case '#':
			if len(name) > 1 {
				c.features = append(c.features, name)
			}
			r.weight += idWeight
		case '*':
		default:
			c.features = append(c.features, name)
			r.weight += tagWeight
		}
		part = part[end:]
	}
	return c
}

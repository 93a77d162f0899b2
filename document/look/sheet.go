package look

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/css"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
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
	index  *index         // of the rules, nil if there are new ones
	Remote bool           // a sheet was not read, so that backgrounds are unknown
	attrs  bool           // generated text depends on attributes
	layers map[string]int // ranks by name
	layer  int            // rank of the open layer
	frames map[string]frames

	Unread format.Unread // words that a browser may show and that are not read, by construct

	tests     map[string]*test // conditions of selectors, by their names
	undecided map[string]bool  // parts of selectors and conditions of rules that may hide text, which are not evaluated
}

// Undecided returns what rules depend on that may hide text and are not evaluated, such as :has, sorted.
func (s *Sheet) Undecided() []string { return slices.Sorted(maps.Keys(s.undecided)) }

// Attributes reports whether selectors name attributes of elements.
func (s *Sheet) Attributes() bool {
	for _, t := range s.tests {
		if t.kind == attribute {
			return true
		}
	}
	return false
}

// Ordered reports whether selectors depend on the siblings of elements, see [Siblings].
func (s *Sheet) Ordered() bool {
	for _, t := range s.tests {
		if t.kind == nth || t.kind == next || t.kind == later {
			return true
		}
	}
	return false
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
	guessed string // part of the selector, or condition, that is not evaluated
}

// A declared is a declaration with its rank: the specificity of its selector, then its order.
type declared struct {
	Property
	rank int
}

// A compound is a compound selector: div.note#a.
type compound struct {
	features []string         // that a matching element has: "div", ".note", "#a", and names of tests
	tests    map[string]*test // of the sheet, if the features name any
	direct   bool             // the next one must match the parent
}

// Add parses a style sheet. It ignores unsupported rules, except that the backgrounds that
// they set become unknown. The error is that of the context.
func (s *Sheet) Add(ctx context.Context, text string) error {
	r := newReader(ctx, text)
	var open []string // open blocks of rules, and the conditions that are not evaluated
	layers := []int{unlayered}
	for {
		s.layer = layers[len(layers)-1]
		guessed := ""
		if len(open) > 0 {
			guessed = open[len(open)-1]
		}
		switch head, end := r.head(len(open) > 0); end {
		case css.ErrorToken:
			return r.err
		case css.SemicolonToken:
			s.Remote = s.Remote || strings.Contains(head, "@import")
			if names, ok := strings.CutPrefix(head, "@layer"); ok {
				for name := range strings.SplitSeq(names, ",") {
					s.layerOf(name)
				}
			}
		case css.RightBraceToken:
			open, layers = open[:len(open)-1], layers[:len(layers)-1]
		default:
			switch kind, condition := blockOf(head); kind {
			case ruleBlock:
				list, nested := r.block()
				s.rule([]string{head}, list, nested, guessed)
			case groupBlock:
				open = append(open, cmp.Or(guessed, condition))
				if name, ok := strings.CutPrefix(head, "@layer"); ok {
					layers = append(layers, s.layerOf(name))
				} else {
					layers = append(layers, s.layer)
				}
			case otherBlock:
				block := r.skip(css.RightBraceToken)
				if _, name, ok := strings.Cut(head, "keyframes "); ok && head[0] == '@' {
					s.keyframes(ctx, name, block)
				} else {
					s.defined(head, block)
				}
			}
		}
	}
}

// Layers precede specificity: rules in none override those in any, and a layer overrides those
// named before it.
const (
	layerStep  = 1 << 48
	mostLayers = 1 << 12
	unlayered  = mostLayers * layerStep
)

// layerOf returns the rank of a layer; one without a name is new.
func (s *Sheet) layerOf(name string) int {
	name = strings.TrimSpace(name)
	if s.layers == nil {
		s.layers = map[string]int{}
	}
	if name == "" {
		name = "\x00" + strconv.Itoa(len(s.layers))
	}
	if _, known := s.layers[name]; !known {
		s.layers[name] = min(len(s.layers), mostLayers-1) * layerStep
	}
	return s.layers[name]
}

// A block is the kind of content between two braces.
type block uint8

const (
	ruleBlock  block = iota // declarations
	groupBlock              // rules
	otherBlock              // neither, or only for print
)

// blockOf returns the kind of a block by the text before it, and the condition of its rules if
// that is not evaluated or depends on the screen.
func blockOf(head string) (kind block, guessed string) {
	media, isMedia := strings.CutPrefix(head, "@media")
	switch {
	case isMedia && !desktop.applies(media):
		return otherBlock, ""
	case isMedia:
		return groupBlock, ""
	case strings.HasPrefix(head, "@supports"), strings.HasPrefix(head, "@layer"):
		return groupBlock, ""
	case strings.HasPrefix(head, "@container"), strings.HasPrefix(head, "@scope"), strings.HasPrefix(head, "@document"), strings.HasPrefix(head, "@-moz-document"), strings.HasPrefix(head, "@starting-style"):
		name, _, _ := strings.Cut(head, " ")
		return groupBlock, name
	case strings.HasPrefix(head, "@"):
		return otherBlock, ""
	}
	return ruleBlock, ""
}

// maxDepth limits the depth of nested rules.
const maxDepth = 8

// rule adds a rule for each selector of the last of the heads, and its nested rules. The heads
// before it are those of the rules around it.
func (s *Sheet) rule(heads []string, styles []Property, nested []nestedRule, guessed string) {
	var selectors []string
	for selector := range slices.Values(split(heads[len(heads)-1], atComma)) {
		selectors = append(selectors, nestedIn(heads[:len(heads)-1], selector))
	}
	for _, selector := range selectors {
		if len(styles) == 0 {
			break
		}
		r := &rule{guessed: guessed}
		if !s.parse(r, selector) {
			s.Unread.Words(r.guessed, shows(styles))
			continue
		}
		if s.count++; s.count > maxRules {
			s.Remote = true
			return
		}
		s.put(r, styles, s.layer+r.weight+s.count)
	}
	if len(heads) == maxDepth {
		return
	}
	for _, n := range nested {
		inner, condition := heads, guessed
		switch kind, undecided := blockOf(n.head); kind {
		case groupBlock:
			condition = cmp.Or(guessed, undecided)
		case ruleBlock:
			inner = append(slices.Clone(heads), n.head)
		default:
			continue
		}
		s.rule(inner, n.list, n.nested, condition)
	}
}

// nestedIn returns a selector that is nested in rules with the heads: & is replaced by the selector around it.
func nestedIn(heads []string, selector string) string {
	selector = strings.TrimSpace(selector)
	if len(heads) == 0 {
		return selector
	}
	last := len(heads) - 1
	around := heads[last]
	if alternatives := split(around, atComma); len(alternatives) > 1 {
		around = ":is(" + around + ")"
	}
	around = nestedIn(heads[:last], around)
	if strings.Contains(selector, "&") {
		return strings.ReplaceAll(selector, "&", around)
	}
	return around + " " + selector
}

// put adds declarations to a rule, and the rule if it is new. A guessed rule counts for
// backgrounds only.
func (s *Sheet) put(r *rule, styles []Property, rank int) {
	if s.rules == nil {
		s.rules = map[string]*rule{}
	}
	s.index = nil
	if r.guessed != "" {
		if hides(styles) {
			lists.Put(&s.undecided, r.guessed, true)
		}
		s.Unread.Words(r.guessed, shows(styles))
		styles = unknownGrounds(styles)
	}
	if len(styles) == 0 {
		return
	}
	id := r.id()
	if old := s.rules[id]; old != nil {
		r = old
	}
	s.rules[id] = r
	r.declare(styles, rank)
	s.places[r.side] = true
	s.attrs = s.attrs || slices.ContainsFunc(styles, func(p Property) bool {
		return strings.Contains(p.Value, "attr(")
	})
	Unshown(styles, s.Unread.Words)
}

// id returns a string that is equal for rules with the same selector.
func (r *rule) id() string {
	var b strings.Builder
	for _, c := range r.chain {
		b.WriteString(strings.Join(c.features, "\x00"))
		fmt.Fprintf(&b, "\x01%t ", c.direct)
	}
	fmt.Fprint(&b, r.side, r.guessed != "")
	return b.String()
}

// hides reports whether declarations hide text on a white page.
func hides(list []Property) bool {
	e := Element{Look: Look{Ground: White}}
	e.Apply(list)
	why, _ := e.Unseen()
	return why != ""
}

// declare adds declarations, which replace earlier ones of the same property and importance:
// the rule matches the same elements as before.
func (r *rule) declare(styles []Property, rank int) {
	for _, p := range styles {
		same := func(d declared) bool { return d.Name == p.Name && d.Important == p.Important }
		if at := slices.IndexFunc(r.styles, same); at >= 0 {
			if rank >= r.styles[at].rank {
				r.styles[at] = declared{p, rank}
			}
		} else {
			r.styles = append(r.styles, declared{p, rank})
		}
	}
	if r.guessed != "" {
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

// Weights of a selector. They are so far apart that the order of rules only decides ties.
const (
	tagWeight   = 1 << 20
	classWeight = 1 << 28
	idWeight    = 1 << 36
)

// parse parses one selector. It returns false for selectors that match no static text, such as
// :hover; the texts that their rules generate may be shown.
func (s *Sheet) parse(r *rule, selector string) bool {
	if s.tests == nil {
		s.tests = map[string]*test{}
	}
	p := selectorParser{tests: s.tests}
	selector = r.beside(selector)
	r.chain, r.weight = p.chain(selector)
	r.guessed = cmp.Or(r.guessed, p.guessed, p.never)
	return len(r.chain) > 0 && p.never == ""
}

// beside sets the side of a rule and returns the selector without the pseudo-element.
func (r *rule) beside(selector string) string {
	selector = strings.TrimSpace(selector)
	if of, ok := strings.CutSuffix(selector, "::marker"); ok {
		selector = of + "::before"
	}
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

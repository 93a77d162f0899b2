package look

import (
	"slices"
	"strconv"
	"strings"
)

// maxTests limits the distinct conditions in the selectors of a page. Rules with further ones are not evaluated.
const maxTests = 400

// A test is a condition of a compound selector besides names, classes and identifiers: attributes,
// the position among siblings, and lists of other compound selectors.
type test struct {
	name  string // in features
	kind  testKind
	list  []compound // for anyOf, noneOf, next and later
	a, b  int        // for nth: an+b
	same  bool       // for nth: among siblings with the same name
	key   string     // for attribute, lower case
	op    byte       // for attribute: 0 for its presence, or the sign before =, or = itself
	value string
}

type testKind uint8

const (
	attribute testKind = iota
	nth
	anyOf
	noneOf
	next  // directly after a sibling
	later // after a sibling
	root
)

// Siblings are the children of an element so far.
type Siblings struct {
	count int
	names map[string]int
	seen  []Element // distinct by the features of a sheet, without their siblings
	last  Element
}

// maxSeen limits the earlier siblings that a selector is compared with.
const maxSeen = 32

// Enter makes e the next child.
func (s *Siblings) Enter(e *Element) {
	if s.names == nil {
		s.names = map[string]int{}
	}
	s.count++
	s.names[e.Name]++
	e.index, e.ofType, e.siblings = s.count, s.names[e.Name], s
}

// Leave records e, which [Siblings.Enter] made a child, as an earlier sibling of the children to come.
func (s *Siblings) Leave(e Element) {
	e.siblings = nil
	s.last = e
	same := func(o Element) bool {
		return o.Name == e.Name && o.ID == e.ID && slices.Equal(o.Classes, e.Classes) && len(o.Attributes) == 0 && len(e.Attributes) == 0
	}
	if len(s.seen) < maxSeen && !slices.ContainsFunc(s.seen, same) {
		s.seen = append(s.seen, e)
	}
}

// holds reports whether an element meets the condition.
func (t *test) holds(e *Element) bool {
	on := func(e *Element) bool {
		return slices.ContainsFunc(t.list, func(c compound) bool { return c.on(e) })
	}
	switch t.kind {
	case attribute:
		value, ok := e.Attributes[t.key]
		return ok && t.compares(value)
	case nth:
		n := e.index
		if t.same {
			n = e.ofType
		}
		return n > 0 && inSteps(n, t.a, t.b)
	case anyOf:
		return on(e)
	case noneOf:
		return !on(e)
	case next:
		return e.siblings != nil && e.index > 1 && on(&e.siblings.last)
	case later:
		return e.siblings != nil && slices.ContainsFunc(e.siblings.seen, func(o Element) bool { return on(&o) })
	case root:
		return e.Name == "html"
	}
	return false
}

// inSteps reports whether n equals a·k+b for some k ≥ 0.
func inSteps(n, a, b int) bool {
	if a == 0 {
		return n == b
	}
	return (n-b)%a == 0 && (n-b)/a >= 0
}

// compares compares the value of an attribute.
func (t *test) compares(value string) bool {
	value = strings.ToLower(value)
	switch t.op {
	case 0:
		return true
	case '=':
		return value == t.value
	case '~':
		return slices.Contains(strings.Fields(value), t.value)
	case '|':
		return value == t.value || strings.HasPrefix(value, t.value+"-")
	case '^':
		return t.value != "" && strings.HasPrefix(value, t.value)
	case '$':
		return t.value != "" && strings.HasSuffix(value, t.value)
	case '*':
		return t.value != "" && strings.Contains(value, t.value)
	}
	return false
}

// on reports whether the compound selector matches an element.
func (c compound) on(e *Element) bool {
	for _, f := range c.features {
		ok := false
		switch f[0] {
		case '.':
			ok = slices.Contains(e.Classes, f[1:])
		case '#':
			ok = e.ID == f[1:]
		case ':', '[', '+', '~':
			ok = c.tests[f].holds(e)
		default:
			ok = e.Name == f
		}
		if !ok {
			return false
		}
	}
	return true
}

// moving are pseudo-classes and pseudo-elements that match no text without action of a reader, or do not affect its visibility.
var moving = []string{":hover", ":focus", ":active", ":visited", ":target", ":empty", ":autofill", ":fullscreen", ":-", ":user-", "::"}

// A parser of a selector collects its conditions.
type selectorParser struct {
	tests   map[string]*test // of the sheet
	guessed string           // a part that is not supported
	never   string           // a part that matches no text without action of a reader
}

// split splits a selector list or a compound at separators outside brackets and strings.
func split(s string, sep func(c byte) bool) []string {
	var parts []string
	depth, from := 0, 0
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[':
			depth++
		case depth == 0 && sep(c):
			parts = append(parts, s[from:i])
			from = i + 1
		case c == ')' || c == ']':
			depth = max(depth-1, 0)
		}
	}
	return append(parts, s[from:])
}

func atComma(c byte) bool { return c == ',' }

// chain parses a complex selector: compound selectors, the element's first.
func (p *selectorParser) chain(selector string) (chain []compound, weight int) {
	var spaced strings.Builder
	for i, part := range splitKeeping(selector, ">+~") {
		if i > 0 {
			spaced.WriteString(" ")
		}
		spaced.WriteString(part)
	}
	direct, after := false, byte(0)
	for _, part := range split(spaced.String(), isCSSSpace) {
		switch part {
		case "":
			continue
		case ">":
			direct = true
			continue
		case "+", "~":
			after = part[0]
			continue
		}
		c, w := p.compound(part)
		weight += w
		if after != 0 && len(chain) > 0 {
			sibling := chain[len(chain)-1]
			c.direct = sibling.direct
			chain[len(chain)-1] = p.with(c, &test{name: string(after) + sibling.text(), kind: map[byte]testKind{'+': next, '~': later}[after], list: []compound{sibling}})
		} else {
			c.direct = direct && len(chain) > 0
			chain = append(chain, c)
		}
		direct, after = false, 0
	}
	slices.Reverse(chain)
	return chain, weight
}

func isCSSSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// splitKeeping splits s at the signs outside brackets and keeps them as parts.
func splitKeeping(s, signs string) []string {
	var parts []string
	rest := s
	for {
		before := split(rest, func(c byte) bool { return strings.IndexByte(signs, c) >= 0 })[0]
		parts = append(parts, before)
		if len(before) == len(rest) {
			return parts
		}
		parts = append(parts, rest[len(before):len(before)+1])
		rest = rest[len(before)+1:]
	}
}

// text returns a compound selector as a string that is equal for equal ones.
func (c compound) text() string {
	s := strings.Join(c.features, "")
	if c.direct {
		return ">" + s
	}
	return s
}

// with returns a compound selector with a further condition.
func (p *selectorParser) with(c compound, t *test) compound {
	if known := p.tests[t.name]; known != nil {
		t = known
	} else if len(p.tests) >= maxTests {
		p.guessed = "more than " + strconv.Itoa(maxTests) + " conditions"
		return c
	} else {
		p.tests[t.name] = t
	}
	c.features = append(c.features, t.name)
	c.tests = p.tests
	return c
}

// compound parses a compound selector.
func (p *selectorParser) compound(part string) (c compound, weight int) {
	for part != "" {
		var piece string
		piece, part = cutSimple(part)
		switch piece[0] {
		case '.':
			c.features = append(c.features, unescaped(piece))
			weight += classWeight
		case '#':
			if len(piece) > 1 {
				c.features = append(c.features, unescaped(piece))
			}
			weight += idWeight
		case '*', '&':
		case '[':
			c = p.attribute(c, piece)
			weight += classWeight
		case ':':
			var w int
			c, w = p.pseudo(c, piece)
			weight += w
		default:
			c.features = append(c.features, piece)
			weight += tagWeight
		}
	}
	return c, weight
}

// unescaped returns a name without the backslashes before signs.
func unescaped(name string) string {
	if strings.IndexByte(name, '\\') < 0 {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] == '\\' && i+1 < len(name) {
			i++
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// cutSimple returns the first simple selector of a compound and the rest.
func cutSimple(s string) (simple, rest string) {
	if s[0] == '[' {
		first := split(s[1:], func(c byte) bool { return c == ']' })[0] // its bracket is not open here
		return s[:min(len(first)+2, len(s))], s[min(len(first)+2, len(s)):]
	}
	depth := 0
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '(' || c == '[' && depth > 0:
			depth++
		case c == ')' || c == ']' && depth > 0:
			depth--
		case depth == 0 && strings.IndexByte(".#:[", c) >= 0 && (c != ':' || s[i-1] != ':'):
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// attribute adds a condition on an attribute.
func (p *selectorParser) attribute(c compound, piece string) compound {
	inner := strings.TrimSuffix(strings.TrimPrefix(piece, "["), "]")
	key, value, valued := strings.Cut(inner, "=")
	t := &test{name: "[" + inner, kind: attribute}
	if valued {
		t.op = '='
		if n := len(key); n > 0 && strings.IndexByte("~|^$*", key[n-1]) >= 0 {
			t.op, key = key[n-1], key[:n-1]
		}
		value = strings.TrimSpace(value)
		value = strings.TrimSuffix(strings.TrimSuffix(value, " i"), " s")
		t.value = strings.Trim(value, "\"' ")
	}
	t.key = strings.TrimSpace(key)
	return p.with(c, t)
}

// pseudo adds the condition of a pseudo-class.
func (p *selectorParser) pseudo(c compound, piece string) (compound, int) {
	name, argument, _ := strings.Cut(strings.TrimSuffix(piece, ")"), "(")
	switch name {
	case ":first-child":
		return p.with(c, &test{name: piece, kind: nth, b: 1}), classWeight
	case ":first-of-type":
		return p.with(c, &test{name: piece, kind: nth, b: 1, same: true}), classWeight
	case ":nth-child", ":nth-of-type":
		if a, b, ok := steps(argument); ok {
			return p.with(c, &test{name: piece, kind: nth, a: a, b: b, same: name == ":nth-of-type"}), classWeight
		}
	case ":root", ":scope":
		return p.with(c, &test{name: ":root", kind: root}), classWeight
	case ":link", ":any-link":
		c.features = append(c.features, "a")
		return p.attribute(c, "[href]"), classWeight
	case ":defined":
		return c, classWeight
	case ":not", ":is", ":where", ":matches":
		t := &test{name: piece, kind: anyOf}
		if name == ":not" {
			t.kind = noneOf
		}
		most := 0
		for alternative := range slices.Values(split(argument, atComma)) {
			q := selectorParser{tests: p.tests}
			chain, w := q.chain(alternative)
			if p.guessed == "" {
				p.guessed = q.guessed
			}
			if len(chain) > 1 {
				p.guessed = name
			}
			if len(chain) == 1 && q.never == "" {
				t.list = append(t.list, chain[0])
				most = max(most, w)
			}
		}
		if name == ":where" {
			most = 0
		}
		return p.with(c, t), most
	}
	switch strings.TrimPrefix(name, ":") {
	case ":first-letter", ":first-line", "first-letter", "first-line":
		p.guessed = name
		return c, 0
	}
	for _, m := range moving {
		if strings.HasPrefix(piece, m) {
			p.never = name
			return c, 0
		}
	}
	p.guessed = name
	return c, 0
}

// steps parses the formula of :nth-child: odd, even, 3, n, 2n+1, -n+3.
func steps(s string) (a, b int, ok bool) {
	s = strings.Join(strings.Fields(s), "")
	switch s {
	case "odd":
		return 2, 1, true
	case "even":
		return 2, 0, true
	}
	first, second, isStep := strings.Cut(s, "n")
	if !isStep {
		n, err := strconv.Atoi(s)
		return 0, n, err == nil
	}
	switch first {
	case "", "+":
		a = 1
	case "-":
		a = -1
	default:
		n, err := strconv.Atoi(strings.TrimPrefix(first, "+"))
		if err != nil {
			return 0, 0, false
		}
		a = n
	}
	if second == "" {
		return a, 0, true
	}
	n, err := strconv.Atoi(strings.TrimPrefix(second, "+"))
	return a, n, err == nil
}

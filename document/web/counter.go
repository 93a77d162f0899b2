package web

import (
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/look"
)

// A counter is a counter of style sheets. It is in scope in the siblings of the element that created
// it, and in their content.
type counter struct {
	name  string
	value int
	depth int // number of ancestors of the element that created it
}

// counters are the counters in scope, the innermost last.
type counters []counter

// maxCounters limits the counters in scope.
const maxCounters = 1000

// count applies the properties of an element, with depth elements around it.
func (c *counters) count(g look.Generated, depth int) {
	for _, n := range counts(g.Reset, 0) {
		if at := c.find(n.name); at >= 0 && (*c)[at].depth == depth {
			(*c)[at].value = n.value
		} else {
			c.add(counter{n.name, n.value, depth})
		}
	}
	for _, n := range counts(g.Increment, 1) {
		*c.at(n.name, depth) += n.value
	}
	for _, n := range counts(g.Counter, 0) {
		*c.at(n.name, depth) = n.value
	}
}

// find returns the index of the innermost counter of a name, -1 without one.
func (c *counters) find(name string) int {
	for i := len(*c) - 1; i >= 0; i-- {
		if (*c)[i].name == name {
			return i
		}
	}
	return -1
}

func (c *counters) add(n counter) {
	if len(*c) < maxCounters {
		*c = append(*c, n)
	}
}

// at returns the value of a counter, which is created if there is none.
func (c *counters) at(name string, depth int) *int {
	if c.find(name) < 0 {
		c.add(counter{name: name, depth: depth})
	}
	if at := c.find(name); at >= 0 {
		return &(*c)[at].value
	}
	return new(int)
}

// end removes the counters whose scope ends when only depth elements stay open.
func (c *counters) end(depth int) {
	for len(*c) > 0 && (*c)[len(*c)-1].depth > depth {
		*c = (*c)[:len(*c)-1]
	}
}

// counts parses the value of a property: names, each with an optional number.
func counts(value string, usual int) (list []counter) {
	if value == "none" {
		return nil
	}
	for _, word := range strings.Fields(value) {
		if n, err := strconv.Atoi(word); err == nil && len(list) > 0 {
			list[len(list)-1].value = n
		} else {
			list = append(list, counter{name: word, value: usual})
		}
	}
	return list
}

// counterStyles maps the styles of counters to patterns of labels; others are decimal.
var counterStyles = map[string]string{
	"lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A", "lower-roman": "i", "upper-roman": "I",
	"none": "", "disc": "", "circle": "", "square": "",
}

// text evaluates the arguments of the functions counter and, if all is set, counters. The numbers
// of lists are left out, as in other documents.
func (c *counters) text(argument string, all bool) string {
	name, argument, _ := strings.Cut(argument, ",")
	separator := ""
	if argument = strings.TrimSpace(argument); all && argument != "" && strings.ContainsRune(`"'`, rune(argument[0])) {
		separator, argument = cssString(argument)
		_, argument, _ = strings.Cut(argument, ",")
	}
	if name = strings.TrimSpace(name); name == "list-item" {
		return ""
	}
	pattern, known := counterStyles[strings.TrimSpace(argument)]
	if !known {
		pattern = "1"
	}
	var values []string
	for _, n := range *c {
		if n.name == name {
			values = append(values, flow.Label(pattern, n.value))
		}
	}
	switch {
	case len(values) == 0:
		return flow.Label(pattern, 0)
	case all:
		return strings.Join(values, separator)
	}
	return values[len(values)-1]
}

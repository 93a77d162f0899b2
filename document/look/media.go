package look

import (
	"slices"
	"strings"
)

// A screen has a size in points.
type screen struct{ width, height float64 }

// desktop is the screen that conditions of style sheets are evaluated for, of 1280 × 800 pixels.
var desktop = screen{960, 600}

// applies reports whether a media query list applies to the screen.
func (s screen) applies(queries string) bool {
	return slices.ContainsFunc(split(queries, atComma), func(q string) bool { return s.query(strings.TrimSpace(q)) })
}

// query evaluates one media query: a type and conditions that "and" joins.
func (s screen) query(q string) bool {
	negated := false
	if rest, ok := strings.CutPrefix(q, "not "); ok {
		negated, q = true, rest
	}
	q = strings.TrimPrefix(q, "only ")
	all := true
	for _, part := range strings.Split(q, " and ") {
		all = all && s.condition(strings.TrimSpace(part))
	}
	return all != negated
}

// condition evaluates a media type or a condition in brackets.
func (s screen) condition(text string) bool {
	switch text {
	case "screen", "all", "":
		return true
	}
	inner, ok := strings.CutPrefix(text, "(")
	if !ok {
		return false // print, speech
	}
	inner = strings.TrimSpace(strings.TrimSuffix(inner, ")"))
	for _, dimension := range []struct {
		name string
		size float64
	}{{"width", s.width}, {"height", s.height}} {
		if decided, holds := compared(inner, dimension.name, dimension.size); decided {
			return holds
		}
	}
	name, value, _ := strings.Cut(inner, ":")
	switch value = strings.TrimSpace(value); strings.TrimSpace(name) {
	case "prefers-color-scheme":
		return value == "light"
	case "prefers-reduced-motion", "prefers-contrast", "prefers-reduced-transparency", "forced-colors", "inverted-colors":
		return value == "no-preference" || value == "none"
	case "hover", "any-hover":
		return value == "hover" || value == ""
	case "pointer", "any-pointer":
		return value == "fine" || value == ""
	case "orientation":
		return value == "landscape" == (s.width > s.height)
	case "color", "scripting":
		return value == "" || value == "enabled"
	}
	return strings.HasPrefix(inner, "(") && s.condition(inner)
}

// compared evaluates min-width: 600px, width >= 600px and 400px <= width.
func compared(inner, name string, size float64) (decided, holds bool) {
	if rest, ok := strings.CutPrefix(inner, "min-"+name); ok {
		n, ok := length(strings.TrimPrefix(strings.TrimSpace(rest), ":"))
		return ok, size >= n
	}
	if rest, ok := strings.CutPrefix(inner, "max-"+name); ok {
		n, ok := length(strings.TrimPrefix(strings.TrimSpace(rest), ":"))
		return ok, size <= n
	}
	before, after, ok := strings.Cut(inner, name)
	if !ok || strings.ContainsAny(before+after, ":") || before != "" && !strings.HasSuffix(strings.TrimSpace(before), "<") && !strings.HasSuffix(strings.TrimSpace(before), "=") && !strings.HasSuffix(strings.TrimSpace(before), ">") {
		return false, false
	}
	holds = true
	if before = strings.TrimSpace(before); before != "" {
		digits := strings.TrimRight(before, "<>= ")
		n, ok := length(digits)
		if !ok {
			return false, false
		}
		holds = holds && ordered(n, strings.TrimSpace(before[len(digits):]), size)
	}
	if after = strings.TrimSpace(after); after != "" {
		digits := strings.TrimLeft(after, "<>= ")
		n, ok := length(digits)
		if !ok {
			return false, false
		}
		holds = holds && ordered(size, strings.TrimSpace(after[:len(after)-len(digits)]), n)
	}
	return true, holds
}

func length(s string) (float64, bool) { return Points(strings.TrimSpace(s), DefaultSize) }

// ordered compares two lengths by an operator.
func ordered(a float64, operator string, b float64) bool {
	switch operator {
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case ">=":
		return a >= b
	}
	return a == b
}

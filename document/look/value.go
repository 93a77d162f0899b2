package look

import (
	"cmp"
	"strconv"
	"strings"
)

// maxNested limits the variables that refer to variables, and brackets in calculations.
const maxNested = 16

// maxReplaced limits the variables that are looked up for a value.
const maxReplaced = 64

// tooLong is returned for a value whose variables exceed a limit.
const tooLong = "var()"

// maxValue limits the length of a value that is evaluated, in bytes.
const maxValue = 1024

// resolve replaces variables and calculations in a value. ok is false if a variable is not set
// and has no other value.
func (e *Element) resolve(value string) (resolved string, ok bool) {
	if strings.Contains(value, "var(") {
		left := maxReplaced
		replaced, ok := e.variables(value, 0, &left)
		switch {
		case left < 0:
			return tooLong, false
		case !ok:
			return value, false
		}
		value = replaced
	}
	for _, function := range []string{"calc(", "min(", "max(", "clamp("} {
		if len(value) <= maxValue && strings.Contains(value, function) {
			return e.calculations(value), true
		}
	}
	return value, true
}

// variables replaces the variables in a value, up to the number that is left.
func (e *Element) variables(value string, depth int, left *int) (string, bool) {
	var b strings.Builder
	for {
		at := strings.Index(value, "var(")
		if at < 0 {
			b.WriteString(value)
			return b.String(), true
		}
		if depth == maxNested {
			return "", false
		}
		if *left--; *left < 0 || b.Len()+len(value) > maxValue {
			*left = -1
			return "", false
		}
		b.WriteString(value[:at])
		argument, rest := bracket(value[at+len("var("):])
		name, other, hasOther := strings.Cut(argument, ",")
		set, ok := e.vars[strings.TrimSpace(name)]
		if ok {
			set, ok = e.variables(set, depth+1, left)
		}
		if !ok && hasOther {
			set, ok = e.variables(other, depth+1, left)
		}
		if !ok {
			return "", false
		}
		b.WriteString(strings.TrimSpace(set))
		value = rest
	}
}

// attributed replaces the attributes in a value, those that have a type. ok is false if one is missing and has
// no other value.
func (e *Element) attributed(value string) (string, bool) {
	var b strings.Builder
	for b.Len()+len(value) <= maxValue {
		inner, call, ok := strings.Cut(value, "attr(")
		b.WriteString(inner)
		if !ok {
			return b.String(), true
		}
		argument, rest := bracket(call)
		typed, other, hasOther := strings.Cut(argument, ",")
		name, kind, _ := strings.Cut(strings.TrimSpace(typed), " ")
		switch stated, ok := e.Attributes[name]; {
		case ok && kind == "%", ok && kind != "" && len(kind) <= len("turn"): // a unit
			b.WriteString(strings.TrimSpace(stated) + kind)
		case ok && kind != "":
			b.WriteString(strings.ToLower(strings.TrimSpace(stated)))
		case hasOther:
			b.WriteString(strings.TrimSpace(other))
		default:
			return "", false
		}
		value = rest
	}
	return "", false
}

// bracket returns the text up to the closing bracket of an open one, and the rest after it.
func bracket(s string) (inner, rest string) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return s[:i], s[i+1:]
			}
			depth--
		}
	}
	return s, ""
}

// calculations replaces calculations in a value by their results, those that can be computed.
func (e *Element) calculations(value string) string {
	var b strings.Builder
	for at := 0; at < len(value); {
		start := at
		for _, function := range []string{"calc(", "min(", "max(", "clamp("} {
			if strings.HasPrefix(value[at:], function) && (at == 0 || strings.IndexByte(" ,(+-*/", value[at-1]) >= 0) {
				argument, rest := bracket(value[at+len(function):])
				call := value[at : len(value)-len(rest)]
				if n, plain, ok := e.calculate(function[:len(function)-1], argument, 0); ok {
					b.WriteString(strconv.FormatFloat(n, 'f', -1, 64))
					if !plain {
						b.WriteString("pt")
					}
				} else {
					b.WriteString(call)
				}
				at += len(call)
				break
			}
		}
		if at == start {
			b.WriteByte(value[at])
			at++
		}
	}
	return b.String()
}

// calculate evaluates a function of lengths in points or of numbers without a unit; plain reports
// the latter.
func (e *Element) calculate(function, argument string, depth int) (n float64, plain, ok bool) {
	if depth == maxNested {
		return 0, false, false
	}
	var list []float64
	for i, part := range split(argument, atComma) {
		v, without, ok := e.sum(part, depth)
		if !ok || i > 0 && without != plain {
			return 0, false, false
		}
		list, plain = append(list, v), without
	}
	switch {
	case function == "calc" && len(list) == 1:
		return list[0], plain, true
	case function == "min":
		for i, v := range list {
			if i == 0 || v < n {
				n = v
			}
		}
		return n, plain, true
	case function == "max":
		for i, v := range list {
			if i == 0 || v > n {
				n = v
			}
		}
		return n, plain, true
	case function == "clamp" && len(list) == 3:
		return max(list[0], min(list[1], list[2])), plain, true
	}
	return 0, false, false
}

// sum evaluates terms between + and -, which have spaces around them.
func (e *Element) sum(s string, depth int) (n float64, plain, ok bool) {
	sign := 1.0
	term := ""
	terms := 0
	add := func() bool {
		v, without, ok := e.product(term, depth)
		if !ok || terms > 0 && without != plain {
			return false
		}
		n, plain, terms, term = n+sign*v, without, terms+1, ""
		return true
	}
	for _, word := range split(strings.TrimSpace(s), isCSSSpace) {
		switch {
		case (word == "+" || word == "-") && term != "":
			if !add() {
				return 0, false, false
			}
			if sign = 1; word == "-" {
				sign = -1
			}
		default:
			term += word
		}
	}
	return n, plain, add()
}

// product evaluates factors.
func (e *Element) product(s string, depth int) (n float64, plain, ok bool) {
	n, plain = 1, true
	parts := splitKeeping(s, "*/")
	for i := 0; i < len(parts); i += 2 {
		v, without, ok := e.factor(strings.TrimSpace(parts[i]), depth)
		if !ok {
			return 0, false, false
		}
		switch {
		case i > 0 && parts[i-1] == "/":
			if !without || v == 0 {
				return 0, false, false
			}
			n /= v
		case !plain && !without:
			return 0, false, false
		default:
			n, plain = n*v, plain && without
		}
	}
	return n, plain, true
}

// calculatedWidth is the width in points that percentages in calculations refer to.
const calculatedWidth = 600

// factor evaluates a number, a length, a bracket or a function.
func (e *Element) factor(s string, depth int) (n float64, plain, ok bool) {
	if at := strings.IndexByte(s, '('); at >= 0 {
		argument, rest := bracket(s[at+1:])
		if rest != "" {
			return 0, false, false
		}
		return e.calculate(cmp.Or(s[:at], "calc"), argument, depth+1)
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return n, true, true
	}
	size := cmp.Or(e.Look.Size, DefaultSize)
	if strings.HasSuffix(s, "%") {
		size = calculatedWidth
	}
	n, ok = Points(s, size)
	return n, false, ok
}

package pick

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Where is a list of conditions that must all hold.
type Where []condition

type condition struct {
	typed, name, operator, value string
	pattern                      *regexp.Regexp // compiled value
}

// operators are tried in this order, longer ones before their prefixes.
var operators = []string{"!=", "<=", ">=", "=", "<", ">"}

func noCondition(typed string, cause error) error {
	return phrase.Error("pick.condition", "{typed} is not a condition: {cause}", "typed", strconv.Quote(typed), "cause", cause)
}

// ParseWhere parses conditions such as author=*novak*, year>=2015 or faculty!=law. A
// condition concerns the name, prefix or format of a document, its title, author, year,
// address, words, language, or a label of any other name. A name alone holds if there is a value
// under it. Comparison ignores case and whether accents are composed; * matches any
// characters, ? one. The operators < <= > and >= compare numbers and dates: they accept no
// other operand, and hold for no other value.
func ParseWhere(typed []string) (Where, error) {
	var where Where
	for _, t := range typed {
		t = norm.NFC.String(t)
		c := condition{typed: t, name: strings.TrimSpace(t)}
		if at := strings.IndexAny(t, "=<>!"); at >= 0 {
			i := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(t[at:], o) })
			if i < 0 {
				return nil, noCondition(t, phrase.Error("pick.operators", "write NAME=VALUE, or use != < <= > >= in place of ="))
			}
			c.name, c.operator, c.value = strings.TrimSpace(t[:at]), operators[i], strings.TrimSpace(t[at+len(operators[i]):])
			c.pattern = compileValue(c.value)
			if strings.ContainsAny(c.operator, "<>") && !hasOrder(c.value) {
				return nil, noCondition(t, phrase.Error("pick.ordered", "{operator} compares numbers and dates, such as 2015 or 2015-05-20, and {value} is neither", "operator", c.operator, "value", strconv.Quote(c.value)))
			}
		}
		if c.name == "" {
			return nil, noCondition(t, phrase.Error("pick.no-name", "it names nothing before {operator}", "operator", strconv.Quote(c.operator)))
		}
		where = append(where, c)
	}
	return where, nil
}

func compileValue(value string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?si)^`)
	for _, r := range value {
		switch r {
		case '*':
			b.WriteString(`.*`)
		case '?':
			b.WriteString(`.`)
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return regexp.MustCompile(b.String() + `$`)
}

func (w Where) holds(d *store.Document) bool {
	for i := range w {
		if value, ok := d.Field(w[i].name); !w[i].holds(value, ok) {
			return false
		}
	}
	return true
}

// holds evaluates the condition for a value; ok is false if there is none. Without a value,
// only != holds.
func (c *condition) holds(value string, ok bool) bool {
	value = norm.NFC.String(value)
	switch c.operator {
	case "":
		return ok && (value != "" || !c.own())
	case "=":
		return ok && c.pattern.MatchString(value)
	case "!=":
		return !ok || !c.pattern.MatchString(value)
	}
	if !ok || !hasOrder(value) {
		return false
	}
	order := compareValues(value, c.value)
	switch c.operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func hasOrder(value string) bool {
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return strings.ContainsAny(value, "0123456789") // NaN and Inf are text
	}
	return value != "" && value[0] >= '0' && value[0] <= '9'
}

// compareValues compares two values, as numbers if both are numbers.
func compareValues(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return strings.Compare(strings.ToLower(a), strings.ToLower(b))
}

// own reports whether c concerns a field that every document has.
func (c *condition) own() bool { return store.IsOwn(c.name) }

// Unknown returns the conditions on labels that no document given to Match had: probably
// misspelt.
func (p *Picker) Unknown() (list []string) {
	for i := range p.opts.Where {
		c := &p.opts.Where[i]
		if !c.own() && !p.labels[strings.ToLower(c.name)] {
			list = append(list, c.typed)
		}
	}
	return list
}

func (p *Picker) note(d *store.Document) {
	if d.Language != "" {
		p.labels["language"] = true
	}
	for _, labels := range []map[string]string{d.Labels, d.Said.Labels} {
		for name := range labels {
			if !p.labels[name] {
				p.labels[name] = true
			}
		}
	}
}

// asLabel parses an argument as a condition. It returns nil if the argument is not a condition.
func asLabel(typed string) Where {
	where, err := ParseWhere([]string{typed})
	if err != nil || where[0].operator == "" && where[0].own() {
		return nil
	}
	return where
}

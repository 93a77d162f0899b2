package look

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// A Generated holds the properties of an element that generate text, unparsed.
type Generated struct {
	Quotes                    string // inherited
	Marker                    string // label of list items, a string with its quotation marks; inherited
	Reset, Increment, Counter string // of counters; Counter is the property counter-set
	listed                    bool   // displayed as a list item
}

// generate applies properties that generate text.
func (e *Element) generate(set map[string]string) {
	g := &e.Generated
	g.Reset, g.Increment, g.Counter = set["counter-reset"], set["counter-increment"], set["counter-set"]
	if v, ok := set["quotes"]; ok && v != "inherit" {
		g.Quotes = v
	}
	for _, name := range []string{"list-style", "list-style-type"} {
		if v, ok := set[name]; ok && v != "inherit" {
			g.Marker = v[min(len(v), len(before(before(v, `"`), "'"))):]
		}
	}
	g.listed = set["display"] == "list-item"
}

// Gone reports whether the element is not rendered.
func (e Element) Gone() bool { return e.gone }

// Listed reports whether the element has a marker as list items have.
func (e Element) Listed() bool { return e.Generated.listed || e.Name == "li" && e.Flow == Usual }

// textProperties are the properties whose strings a browser shows and that are not read.
var textProperties = []string{"text-overflow", "hyphenate-character", "text-emphasis", "text-emphasis-style"}

// StringWords returns the number of words in the strings of a value.
func StringWords(value string) int {
	n := 0
	for lexer := css.NewLexer(parse.NewInputString(value)); ; {
		switch t, data := lexer.Next(); t {
		case css.ErrorToken:
			return n
		case css.StringToken:
			n += len(strings.Fields(strings.Trim(string(data), `"'`)))
		}
	}
}

// Unshown counts the words of declarations that a browser shows and that are not read, by their property.
func Unshown(list []Property, count func(property string, words int)) {
	for _, p := range list {
		for _, name := range textProperties {
			if p.Name == name {
				count(name, StringWords(p.Value))
			}
		}
	}
}

// shows counts the words that declarations generate.
func shows(list []Property) int {
	n := 0
	for _, p := range list {
		if p.Name == "content" || p.Name == "quotes" || strings.HasPrefix(p.Name, "list-style") {
			n += StringWords(p.Value)
		}
	}
	return n
}

// signs are the descriptors of counter styles that define text.
var signs = []string{"symbols", "additive-symbols", "prefix", "suffix", "negative", "pad"}

// defined counts the words that the block of an at-rule defines, such as the symbols of counters.
func (s *Sheet) defined(head, block string) {
	rule, _, _ := strings.Cut(head, " ")
	for _, declaration := range split(block, func(c byte) bool { return c == ';' }) {
		name, value, _ := strings.Cut(declaration, ":")
		switch name = strings.TrimSpace(name); rule {
		case "@counter-style":
			for _, sign := range signs {
				if name == sign {
					s.Unread.Words(rule, len(strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t\n\r\f\"',", r) })))
				}
			}
		case "@property":
			s.Unread.Words(rule, StringWords(value))
		}
	}
}

package lang

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

// saidPrefix is the prefix of the names of messages that are stored in results in English:
// notes, flags, and reasons why a file was not read. The latter wrap causes, whose names have
// causePrefix.
const saidPrefix, causePrefix = "said.", "cause."

// Said translates an English text of the program, such as a note in a result, into
// the language of p. It splits the text at colons and translates the pieces that
// match a message whose name starts with "said." or "cause."; other pieces stay in English.
func (p *Printer) Said(english string) string {
	if p.tag == source {
		return english
	}
	pieces := strings.Split(english, ": ")
	for i, piece := range pieces {
		pieces[i] = p.saidPiece(piece)
	}
	return strings.Join(pieces, ": ")
}

// saidPiece translates a text without a colon.
func (p *Printer) saidPiece(english string) string {
	for _, f := range p.catalog.said() {
		found := f.text.FindStringSubmatch(english)
		if found == nil {
			continue
		}
		var args []any
		for i, name := range f.text.SubexpNames() {
			if i > 0 {
				args = append(args, name, p.saidArgument(name, found[i]))
			}
		}
		return p.Text(f.name, args...)
	}
	return english
}

// saidArgument converts an argument of an English message to an argument of Text:
// names are unchanged, numbers are parsed, and other values are translated.
func (p *Printer) saidArgument(name, value string) any {
	switch name {
	case "name":
		return value
	case "percent":
		if share, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64); err == nil {
			return p.Limit(share)
		}
	case "n", "all":
		value = strings.ReplaceAll(value, ",", "") // thousands separators in English
	}
	if n, err := strconv.Atoi(value); err == nil {
		return n
	}
	return p.Said(value)
}

// A saidForm matches the English text of one message.
type saidForm struct {
	name string
	text *regexp.Regexp
}

// saidForms returns the patterns of the English messages, sorted by descending
// length of their text without arguments, so that the most specific one matches
// first.
func saidForms(messages map[string]*i18n.Message) []saidForm {
	type form struct{ name, text string }
	var forms []form
	for name, m := range messages {
		if strings.HasPrefix(name, saidPrefix) || strings.HasPrefix(name, causePrefix) {
			forms = append(forms, form{name, m.Other})
			if m.One != "" {
				forms = append(forms, form{name, m.One})
			}
		}
	}
	own := func(f form) int { return len(argument.ReplaceAllString(f.text, "")) }
	slices.SortFunc(forms, func(a, b form) int {
		if d := own(b) - own(a); d != 0 {
			return d
		}
		return strings.Compare(a.text, b.text)
	})
	list := make([]saidForm, len(forms))
	for i, f := range forms {
		pattern := quotedArgument.ReplaceAllString(regexp.QuoteMeta(f.text), "(?P<$1>.+?)")
		list[i] = saidForm{f.name, regexp.MustCompile("(?s)^" + pattern + "$")}
	}
	return list
}

// argument matches an argument in a message.
var argument = regexp.MustCompile(`\{(\w+)\}`)

// quotedArgument matches an argument in a message that was quoted for use in a
// regular expression.
var quotedArgument = regexp.MustCompile(`\\\{(\w+)\\\}`)

package lang

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

// saidPrefix starts the names of messages that the program wrote in English into
// results: notes, flags, and why a file was not read.
const saidPrefix = "said."

// Said returns a text that the program wrote in English, such as a note in a
// result, in the language of p. It knows the messages whose names start with
// "said.", alone and joined by a colon; all else stays as it is.
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

// saidPiece says a text without a colon.
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

// saidArgument returns an argument as Text takes it: names as they are, numbers
// as numbers, and what else the program says in English.
func (p *Printer) saidArgument(name, value string) any {
	switch name {
	case "name":
		return value
	case "percent":
		if share, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64); err == nil {
			return p.Limit(share)
		}
	case "n", "all":
		value = strings.ReplaceAll(value, ",", "") // as English messages write it
	}
	if n, err := strconv.Atoi(value); err == nil {
		return n
	}
	return p.Said(value)
}

// A saidForm recognises one message in English.
type saidForm struct {
	name string
	text *regexp.Regexp
}

// saidForms returns the forms of the English messages, those with the most
// text of their own first.
func saidForms(messages map[string]*i18n.Message) []saidForm {
	type form struct{ name, text string }
	var forms []form
	for name, m := range messages {
		if strings.HasPrefix(name, saidPrefix) {
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

// argument is an argument in a message.
var argument = regexp.MustCompile(`\{(\w+)\}`)

// quotedArgument is an argument in a message that was made a pattern.
var quotedArgument = regexp.MustCompile(`\\\{(\w+)\\\}`)

package lang

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// A Message is the name of a message with its arguments. It is created before the language of
// the output is known, and translated later by [Printer.Message] or [Printer.Err]. A Message is also
// an error with an English text, which wraps those of its arguments that are errors.
type Message struct {
	name string
	args []any
}

// NewMessage returns a message. Its arguments are those of [Printer.Text], and may be messages
// themselves.
func NewMessage(name string, args ...any) Message { return Message{name, args} }

// Error implements error. It returns the message in English.
func (m Message) Error() string { return Of(source).Message(m) }

// Unwrap returns the arguments that are errors.
func (m Message) Unwrap() []error {
	var list []error
	for _, a := range m.args {
		if err, ok := a.(error); ok {
			list = append(list, err)
		}
	}
	return list
}

// Message returns the message m in the language of p, with its arguments translated, too.
func (p *Printer) Message(m Message) string {
	args := make([]any, len(m.args))
	for i, a := range m.args {
		switch v := a.(type) {
		case error:
			a = p.Err(v)
		case phrase.List:
			list := lists.Map(v, func(x *phrase.Phrase) string { return p.Err(x) })
			a = strings.Join(list, ", ")
		}
		args[i] = a
	}
	return p.Text(m.name, args...)
}

// Note returns an English text of a result, such as a note, in the language of p. messages are those of the result, by
// their English texts. A text without a message, as in results of earlier versions, stays in English.
func (p *Printer) Note(english string, messages phrase.Table) string {
	m, ok := messages[english]
	if !ok {
		return p.Fixed(english)
	}
	return p.Stored(english, &m)
}

// Stored returns the text of a stored message in the language of p, or english if this version does not have the
// message. Without a message it is that of [Printer.Fixed].
func (p *Printer) Stored(english string, m *phrase.Stored) string {
	if m == nil {
		return p.Fixed(english)
	}
	if p.tag == source || !p.knows(*m) {
		return english
	}
	return p.stored(*m)
}

// knows reports whether p has the message m and those among its arguments.
func (p *Printer) knows(m phrase.Stored) bool {
	_, isVerbatim := m.Verbatim()
	if _, isFixed := m.Fixed(); isFixed || isVerbatim {
		return true
	}
	if _, ok := m.Parts(); !ok && p.catalog.message(source, m.Name) == nil {
		return false
	}
	for _, value := range m.Args {
		switch v := value.(type) {
		case phrase.Stored:
			if !p.knows(v) {
				return false
			}
		case []phrase.Stored:
			if slices.ContainsFunc(v, func(m phrase.Stored) bool { return !p.knows(m) }) {
				return false
			}
		}
	}
	return true
}

// stored returns a stored message that p knows, in the language of p.
func (p *Printer) stored(m phrase.Stored) string {
	if text, ok := m.Verbatim(); ok {
		return text
	}
	if text, ok := m.Fixed(); ok {
		return p.Fixed(text)
	}
	if parts, ok := m.Parts(); ok {
		var b strings.Builder
		for _, part := range parts {
			b.WriteString(p.stored(part))
		}
		return b.String()
	}
	var args []any
	for name, value := range m.Args {
		switch v := value.(type) {
		case phrase.Stored:
			value = p.stored(v)
		case []phrase.Stored:
			list := lists.Map(v, p.stored)
			value = strings.Join(list, ", ")
		}
		args = append(args, name, value)
	}
	return p.Text(m.Name, args...)
}

// English returns the text in English of an error with the method Message.
func English(err interface{ Message() (string, []any) }) string {
	name, args := err.Message()
	return Of(source).Message(NewMessage(name, args...))
}

// Err returns the text of an error in the language of p. It translates each error that is a
// [Message] or has the method Message, as those of package phrase do, and errors of the system,
// wherever err wraps them. Other parts of the text are unchanged.
func (p *Printer) Err(err error) string {
	if p.tag == source {
		return err.Error()
	}
	switch e := err.(type) {
	case Message:
		return p.Message(e)
	case phrase.Fixed:
		return p.Fixed(string(e))
	case phrase.Told:
		return p.Stored(e.English, &e.Message)
	case interface{ Message() (string, []any) }:
		name, args := e.Message()
		return p.Message(NewMessage(name, args...))
	case *fs.PathError:
		return e.Path + ": " + p.Err(e.Err)
	case *os.LinkError:
		return e.New + ": " + p.Err(e.Err)
	}
	text, inner := err.Error(), phrase.Wrapped(err)
	if name := phrase.System(err); name != "" && len(inner) == 0 {
		return p.Text(name)
	}
	var b strings.Builder
	for _, part := range inner {
		before, after, found := strings.Cut(text, part.Error())
		if found {
			b.WriteString(before + p.Err(part))
			text = after
		}
	}
	return b.String() + text
}

// Fixed returns a fixed term of results, such as the kind of a flag, in the language of p. It is
// the English text of a message without arguments. Other texts are unchanged.
func (p *Printer) Fixed(english string) string {
	if name := p.catalog.fixed()[english]; name != "" && p.tag != source {
		return p.Text(name)
	}
	return english
}

// fixedArea is the area of the messages for such texts.
const fixedArea = "said"

// fixedTexts returns the names of these messages by their English texts.
func fixedTexts(messages map[string]*i18n.Message) map[string]string {
	names := map[string]string{}
	for name, m := range messages {
		if !argument.MatchString(m.Other) {
			names[m.Other] = name
		}
	}
	return names
}

// argument matches an argument in a message.
var argument = regexp.MustCompile(`\{(\w+)\}`)

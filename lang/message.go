package lang

import (
	"errors"
	"strings"
)

// A Message is the name of a message with its arguments. It is created before the language of
// the output is known, and translated later by [Printer.Say] or [Printer.Err]. A Message is also
// an error with an English text, which wraps those of its arguments that are errors.
type Message struct {
	name string
	args []any
}

// Say returns a message. Its arguments are those of [Printer.Text], and may be messages
// themselves.
func Say(name string, args ...any) Message { return Message{name, args} }

// Error implements error. It returns the message in English.
func (m Message) Error() string { return Of(source).Say(m) }

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

// Say returns the message m in the language of p, with its arguments translated, too.
func (p *Printer) Say(m Message) string {
	args := make([]any, len(m.args))
	for i, a := range m.args {
		if err, ok := a.(error); ok {
			a = p.Err(err)
		}
		args[i] = a
	}
	return p.Text(m.name, args...)
}

// Err returns the text of an error in the language of p. If err is or wraps a [Message], that
// part of the text is translated, and the rest is unchanged. Otherwise, the text is translated
// by [Printer.Said].
func (p *Printer) Err(err error) string {
	text := err.Error()
	var m Message
	if !errors.As(err, &m) {
		return p.Said(text)
	}
	before, after, found := strings.Cut(text, m.Error())
	if !found {
		return p.Said(text)
	}
	return before + p.Say(m) + after
}

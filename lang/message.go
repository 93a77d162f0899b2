package lang

import (
	"errors"
	"strings"
)

// A Message is one of the messages with its arguments. It is made where it arises, and
// said in a language where that is known. It is an error, too, which says itself in
// English; arguments that are errors are wrapped by it.
type Message struct {
	name string
	args []any
}

// Say returns a message. Its arguments are those of [Printer.Text], and may be messages.
func Say(name string, args ...any) Message { return Message{name, args} }

// Error implements error, in English.
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

// Say returns a message in the language, with its arguments.
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

// Err returns what an error says in the language: the message that it is or wraps, within
// what is said around it, or else its English if that is one of the messages of results.
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

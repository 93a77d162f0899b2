// Package phrase has errors that can be translated. A package that finds an error creates it by
// [Error], with the name of a message of package lang, its English text and the values of its
// arguments. The program that shows the error translates it by the name and the values, and
// takes no text apart. A test of package lang compares the English texts with its messages.
package phrase

import (
	"fmt"
	"strings"

	"github.com/otisk/otisk/internal/lists"
)

// A Phrase is an error with the name and the arguments of its message.
type Phrase struct {
	name, text string
	args       []any
	kind       error // may be nil
}

// Error returns an error with the message of this name. text is the message in English, with
// arguments in braces; args alternates their names and values. Arguments that are errors are
// wrapped.
//
//	phrase.Error("read.too-many", "more than {n} pages: {cause}", "n", 9, "cause", err)
func Error(name, text string, args ...any) *Phrase {
	return &Phrase{name: name, text: text, args: args}
}

// Counted returns a phrase about n items, with the argument "n". Its English text is one if n is 1, else others.
func Counted(name, one, others string, n int, args ...any) *Phrase {
	text := others
	if n == 1 {
		text = one
	}
	return Error(name, text, append([]any{"n", n}, args...)...)
}

// CountsNone reports whether p is a phrase about 0 items, which many callers omit.
func (p *Phrase) CountsNone() bool { return len(p.args) > 1 && p.args[0] == "n" && p.args[1] == 0 }

// With returns a phrase that adds details to p, after a colon.
func (p *Phrase) With(details any) *Phrase {
	return Error("said.details", "{what}: {details}", "what", p, "details", details)
}

// A Fixed is an argument or an error: the English text of a message without arguments, by which results name something.
type Fixed string

// Error implements error. It returns the text in English.
func (f Fixed) Error() string { return string(f) }

// A List is an argument of several phrases, which are separated by commas.
type List []*Phrase

// String returns the phrases in English.
func (l List) String() string {
	parts := lists.Map(l, func(p *Phrase) string { return p.Error() })
	return strings.Join(parts, ", ")
}

// Of sets the kind of p, an error that p wraps and that its text does not contain, and returns p.
func (p *Phrase) Of(kind error) *Phrase {
	p.kind = kind
	return p
}

// Error implements error. It returns the text in English.
func (p *Phrase) Error() string {
	pairs := make([]string, 0, len(p.args))
	for i := 0; i+1 < len(p.args); i += 2 {
		pairs = append(pairs, fmt.Sprint("{", p.args[i], "}"), fmt.Sprint(p.args[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(p.text)
}

// Message returns the name and the arguments of the message.
func (p *Phrase) Message() (name string, args []any) { return p.name, p.args }

// Unwrap returns the kind and the arguments that are errors.
func (p *Phrase) Unwrap() (list []error) {
	if p.kind != nil {
		list = append(list, p.kind)
	}
	for _, a := range p.args {
		if err, ok := a.(error); ok {
			list = append(list, err)
		}
	}
	return list
}

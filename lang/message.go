package lang

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/otisk/otisk/internal/phrase"
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
		switch v := a.(type) {
		case error:
			a = p.Err(v)
		case phrase.List:
			var list []string
			for _, x := range v {
				list = append(list, p.Err(x))
			}
			a = strings.Join(list, ", ")
		}
		args[i] = a
	}
	return p.Text(m.name, args...)
}

// Note returns an English text of a result, such as a note, in the language of p. messages are those of the result, by
// their English texts. A text without a message, as in results of earlier versions, is translated by [Printer.Said].
func (p *Printer) Note(english string, messages map[string]phrase.Stored) string {
	m, ok := messages[english]
	if !ok || p.tag == source || p.catalog.messages[source][m.Name] == nil {
		return p.Said(english)
	}
	return p.stored(m)
}

// stored returns a stored message in the language of p, or its name if p does not have it.
func (p *Printer) stored(m phrase.Stored) string {
	var args []any
	for name, value := range m.Args {
		switch v := value.(type) {
		case phrase.Stored:
			value = p.stored(v)
		case []phrase.Stored:
			var list []string
			for _, x := range v {
				list = append(list, p.stored(x))
			}
			value = strings.Join(list, ", ")
		}
		args = append(args, name, value)
	}
	return p.Text(m.Name, args...)
}

// English returns the text in English of an error with the method Message.
func English(err interface{ Message() (string, []any) }) string {
	name, args := err.Message()
	return Of(source).Say(Say(name, args...))
}

// Err returns the text of an error in the language of p. It translates each error that is a
// [Message] or has the method Message, as those of package phrase do, and errors of the system,
// wherever err wraps them. Other parts of the text are translated by [Printer.Said].
func (p *Printer) Err(err error) string {
	if p.tag == source {
		return err.Error()
	}
	switch e := err.(type) {
	case Message:
		return p.Say(e)
	case interface{ Message() (string, []any) }:
		name, args := e.Message()
		return p.Say(Say(name, args...))
	case *fs.PathError:
		return e.Path + ": " + p.Err(e.Err)
	case *os.LinkError:
		return e.New + ": " + p.Err(e.Err)
	}
	text, inner := err.Error(), wrapped(err)
	if name := systemMessage(err); name != "" && len(inner) == 0 {
		return p.Text(name)
	}
	var b strings.Builder
	for _, part := range inner {
		before, after, found := strings.Cut(text, part.Error())
		if found {
			b.WriteString(p.Said(before) + p.Err(part))
			text = after
		}
	}
	return b.String() + p.Said(text)
}

// wrapped returns the errors that err wraps.
func wrapped(err error) (list []error) {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		list = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		list = e.Unwrap()
	}
	return slices.DeleteFunc(list, func(err error) bool { return err == nil || err.Error() == "" })
}

// systemErrors are the messages of errors of the system.
var systemErrors = []struct {
	err     error
	message string
}{
	{fs.ErrNotExist, "system.no-such"}, {fs.ErrPermission, "system.denied"}, {fs.ErrExist, "system.exists"},
	{syscall.ENOTDIR, "system.no-folder"}, {syscall.EISDIR, "system.folder"}, {syscall.ENOSPC, "system.full"}, {syscall.EDQUOT, "system.quota"},
	{syscall.EROFS, "system.read-only"}, {syscall.EMFILE, "system.open-files"}, {syscall.EIO, "system.device"},
	{syscall.ENAMETOOLONG, "system.long-name"}, {syscall.EINVAL, "system.invalid"}, {syscall.ECONNREFUSED, "system.refused"},
	{io.ErrUnexpectedEOF, "system.cut-off"}, {io.EOF, "system.end"}, {context.Canceled, "system.interrupted"}, {context.DeadlineExceeded, "system.time"},
}

// systemMessage returns the name of the message of an error of the system, "" for other errors.
func systemMessage(err error) string {
	for _, s := range systemErrors {
		if errors.Is(err, s.err) {
			return s.message
		}
	}
	return ""
}

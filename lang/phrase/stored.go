package phrase

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"

	"github.com/otisk/otisk/internal/lists"
)

// Stored is a phrase in a stored result: its message and arguments, without the English text.
type Stored struct {
	Name string         `json:"name"`
	Args map[string]any `json:"args,omitempty"` // strings, numbers (int, float64), Stored and []Stored
}

// Stored returns p for storing. Arguments of other types than those of Stored become their text.
func (p *Phrase) Stored() Stored {
	s := Stored{Name: p.name}
	for i := 0; i+1 < len(p.args); i += 2 {
		lists.Put(&s.Args, fmt.Sprint(p.args[i]), stored(p.args[i+1]))
	}
	return s
}

func stored(value any) any {
	switch v := value.(type) {
	case string, int:
		return v
	case int64:
		return int(v)
	case float64:
		return v
	case error:
		return Store(v)
	case List:
		list := make([]Stored, len(v))
		for i, p := range v {
			list[i] = p.Stored()
		}
		return list
	}
	return fmt.Sprint(value)
}

// Store returns an error for storing. It stores each phrase and each error of the system that err wraps by the name of
// its message, and the text around it as it is.
func Store(err error) Stored {
	switch e := err.(type) {
	case Told:
		return e.Message
	case Fixed:
		return Stored{Name: fixedName, Args: map[string]any{"text": string(e)}}
	case interface{ Message() (string, []any) }:
		name, args := e.Message()
		return (&Phrase{name: name, args: args}).Stored()
	case *fs.PathError:
		return chain(verbatim(e.Path+": "), Store(e.Err))
	case *os.LinkError:
		return chain(verbatim(e.New+": "), Store(e.Err))
	}
	inner := Wrapped(err)
	if name := System(err); name != "" && len(inner) == 0 {
		return Stored{Name: name}
	}
	text, parts := err.Error(), []Stored(nil)
	if len(inner) == 0 {
		return verbatim(text)
	}
	for _, part := range inner {
		if before, after, found := strings.Cut(text, part.Error()); found {
			parts = append(parts, verbatim(before), Store(part))
			text = after
		}
	}
	return chain(append(parts, verbatim(text))...)
}

func chain(parts ...Stored) Stored {
	return Stored{Name: chainName, Args: map[string]any{"parts": parts}}
}

// Names of stored texts that are not messages: the parts of an error, a text that is the same in all languages, and a
// [Fixed].
const (
	chainName    = "chain"
	verbatimName = "verbatim"
	fixedName    = "fixed"
)

func verbatim(text string) Stored {
	return Stored{Name: verbatimName, Args: map[string]any{"text": text}}
}

// Verbatim returns the text of s if it is not a message.
func (s Stored) Verbatim() (text string, ok bool) {
	text, ok = s.Args["text"].(string)
	return text, ok && s.Name == verbatimName
}

// IsVerbatim reports whether s is a text that is the same in all languages.
func (s Stored) IsVerbatim() bool { return s.Name == verbatimName }

// Fixed returns the text of s if it is a [Fixed].
func (s Stored) Fixed() (text string, ok bool) {
	text, ok = s.Args["text"].(string)
	return text, ok && s.Name == fixedName
}

// Parts returns the parts of s if s is an error that is not a message but may wrap messages.
func (s Stored) Parts() (parts []Stored, ok bool) {
	parts, ok = s.Args["parts"].([]Stored)
	return parts, ok && s.Name == chainName
}

// A Table has stored phrases by their English texts.
type Table map[string]Stored

// Add adds p to t and returns its English text.
func (t *Table) Add(p *Phrase) string {
	if *t == nil {
		*t = Table{}
	}
	text := p.Error()
	(*t)[text] = p.Stored()
	return text
}

// Of returns an English text with its message, which is the text itself if t does not have one, as a [Told].
func (t Table) Of(english string) Told {
	s, ok := t[english]
	if !ok {
		s = Store(Fixed(english))
	}
	return Told{english, s}
}

// A Told is an error with a text that was stored.
type Told struct {
	English string
	Message Stored
}

// Error implements error. It returns the text in English.
func (t Told) Error() string { return t.English }

// StoredOf returns the message of err for storing beside its English text, nil if err has no message.
func StoredOf(err error) *Stored {
	if m := Store(err); !m.IsVerbatim() {
		return &m
	}
	return nil
}

// Kept returns an error with a text that was stored and its message by [Keep].
func Kept(english string, message *Stored) error {
	if message == nil {
		return errors.New(english)
	}
	return Told{english, *message}
}

// Merge adds all phrases of other to t.
func (t *Table) Merge(other Table) {
	if *t == nil && len(other) > 0 {
		*t = Table{}
	}
	maps.Copy(*t, other)
}

// UnmarshalJSON reads a phrase with the types of arguments that Stored has.
func (s *Stored) UnmarshalJSON(data []byte) error {
	var raw struct {
		Name string                     `json:"name"`
		Args map[string]json.RawMessage `json:"args"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	s.Name, s.Args = raw.Name, nil
	for name, value := range raw.Args {
		arg, err := unmarshal(value)
		if err != nil {
			return fmt.Errorf("argument %q of message %q: %w", name, s.Name, err)
		}
		lists.Put(&s.Args, name, arg)
	}
	return nil
}

func unmarshal(data json.RawMessage) (any, error) {
	switch data[0] {
	case '{':
		return decode[Stored](data)
	case '[':
		return decode[[]Stored](data)
	case '"':
		return decode[string](data)
	}
	if bytes.ContainsAny(data, ".eE") {
		return decode[float64](data)
	}
	return decode[int](data)
}

func decode[T any](data []byte) (any, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}

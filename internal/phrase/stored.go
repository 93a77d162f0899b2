package phrase

import (
	"encoding/json"
	"fmt"
)

// Stored is a phrase in a stored result: its message and arguments, without the English text.
type Stored struct {
	Name string         `json:"name"`
	Args map[string]any `json:"args,omitempty"` // strings, whole numbers (int), Stored and []Stored
}

// Stored returns p for storing. Arguments of other types than those of Stored become their text.
func (p *Phrase) Stored() Stored {
	s := Stored{Name: p.name}
	for i := 0; i+1 < len(p.args); i += 2 {
		if s.Args == nil {
			s.Args = map[string]any{}
		}
		s.Args[fmt.Sprint(p.args[i])] = stored(p.args[i+1])
	}
	return s
}

func stored(value any) any {
	switch v := value.(type) {
	case string, int:
		return v
	case *Phrase:
		return v.Stored()
	case List:
		list := make([]Stored, len(v))
		for i, p := range v {
			list[i] = p.Stored()
		}
		return list
	}
	return fmt.Sprint(value)
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
		if s.Args == nil {
			s.Args = map[string]any{}
		}
		s.Args[name] = arg
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
	return decode[int](data)
}

func decode[T any](data []byte) (any, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}

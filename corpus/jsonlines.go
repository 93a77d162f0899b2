package corpus

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/otisk/otisk/lang/phrase"
)

var (
	errNotObject error = phrase.Error("cause.not-object", "not a JSON object")
	errNotString error = phrase.Error("cause.not-string", "its value is not a string")
)

func (in *Input) parseJSON(f File, data []byte, number int64, give func(*Doc, error)) {
	for ; len(data) > 0; number++ {
		var line []byte
		if line, data, _ = bytes.Cut(data, newline); len(bytes.TrimSpace(line)) > 0 {
			d := &Doc{Form: JSONLines, Raw: line, Time: f.Time, Where: place(f.Path, number, "line")}
			give(d, in.fillJSON(d))
		}
	}
}

func (in *Input) fillJSON(d *Doc) error {
	if !utf8.Valid(d.Raw) {
		return errNotUTF8
	}
	ids := in.IDFields()
	spans, err := findFields(d.Raw, append([]string{in.field(), "date"}, ids...)...)
	if err != nil {
		return err
	}
	if err := spans[0].check(in.field()); err != nil {
		return err
	}
	text, ok := Unquote(d.Raw[spans[0].start:spans[0].end])
	if !ok {
		return phrase.Error("corpus.field", "field {field}: {cause}", "field", in.field(), "cause", errNotString)
	}
	d.Text = text
	d.ID = d.Where
	for i := range ids {
		if id := spans[2+i].text(d.Raw); id != "" {
			d.ID = id
			break
		}
	}
	if date, ok := parseDate(spans[1].text(d.Raw)); ok {
		d.Time = date
	}
	d.normalised(in.Norms, false, "text/plain", "txt")
	return nil
}

// Unquote returns the value of a valid JSON string; ok is false for any other value. Unpaired
// surrogates become U+FFFD.
func Unquote(raw []byte) (text string, ok bool) {
	if raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	unquoted, _ := jsontext.AppendUnquote(nil, raw) // the error only reports unpaired surrogates
	return string(unquoted), true
}

// FindField returns the offsets of the value of a field in a JSON object. Duplicate
// fields are an error.
func FindField(line []byte, name string) (start, end int, err error) {
	spans, err := findFields(line, name)
	if err != nil {
		return 0, 0, err
	}
	if err := spans[0].check(name); err != nil {
		return 0, 0, err
	}
	return spans[0].start, spans[0].end, nil
}

// SetField returns a JSON object with a field set to a value, which is JSON. A new field is
// the last one.
func SetField(line []byte, name, value string) ([]byte, error) {
	spans, err := findFields(line, name)
	if err != nil {
		return nil, err
	}
	start, end := spans[0].start, spans[0].end
	if spans[0].again {
		return nil, spans[0].check(name)
	}
	if end == 0 {
		start = bytes.LastIndexByte(line, '}')
		end = start
		value = fmt.Sprintf("%q:%s", name, value)
		if before := bytes.TrimSpace(line[:start]); before[len(before)-1] != '{' {
			value = "," + value
		}
	}
	return slices.Concat(line[:start], []byte(value), line[end:]), nil
}

// A span is the place of the value of a field in a JSON object.
type span struct {
	start, end int  // offsets; end is 0 if the object does not have the field
	again      bool // the object has the field more than once
}

func (s span) check(name string) error {
	switch {
	case s.again:
		return phrase.Error("cause.fields", "more than one field {name}", "name", name)
	case s.end == 0:
		return phrase.Error("cause.no-line-field", "no field {name}", "name", name)
	}
	return nil
}

// text returns the value of a string or number as text, "" if it has another type, or if
// the object does not have the field exactly once.
func (s span) text(line []byte) string {
	if s.end == 0 || s.again {
		return ""
	}
	value := line[s.start:s.end]
	if c := value[0]; c == '-' || '0' <= c && c <= '9' {
		return string(value)
	}
	text, _ := Unquote(value)
	return text
}

// findFields returns the places of the values of the named fields of a JSON object.
func findFields(line []byte, names ...string) ([]span, error) {
	spans := make([]span, len(names))
	dec := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if start, err := dec.ReadToken(); err != nil || start.Kind() != '{' {
		return nil, errNotObject
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, errNotObject
		}
		name := key.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, errNotObject
		}
		end := int(dec.InputOffset())
		for n := range names {
			if names[n] == name {
				spans[n] = span{end - len(value), end, spans[n].end > 0}
			}
		}
	}
	if _, err := dec.ReadToken(); err != nil { // the end of the object
		return nil, errNotObject
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errNotObject
	}
	return spans, nil
}

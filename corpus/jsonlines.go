package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/phrase"
)

// Problems of a line of JSON Lines.
var (
	errNotObject error = phrase.Error("cause.not-object", "not an object of JSON")
	errNotString error = phrase.Error("cause.not-string", "its value is not a string")
)

// takeJSON parses the documents of a block of JSON Lines.
func (in *Input) takeJSON(f File, data []byte, number int64, give func(*Doc, error)) {
	for ; len(data) > 0; number++ {
		var line []byte
		if line, data, _ = bytes.Cut(data, newline); len(bytes.TrimSpace(line)) > 0 {
			d := &Doc{Form: JSONLines, Raw: line, Time: f.Time, Where: place(f.Path, number, "line")}
			give(d, in.fillJSON(d))
		}
	}
}

// fillJSON sets the fields of the document from its JSON object.
func (in *Input) fillJSON(d *Doc) error {
	if !utf8.Valid(d.Raw) {
		return errNotUTF8
	}
	start, end, err := FindField(d.Raw, in.field())
	if err != nil {
		return err
	}
	var text string
	if json.Unmarshal(d.Raw[start:end], &text) != nil || d.Raw[start] != '"' {
		return fmt.Errorf("field %s: %w", in.field(), errNotString)
	}
	d.Text = text
	d.ID = d.Where
	for _, name := range in.IDFields() {
		if id := in.stringField(d.Raw, name); id != "" {
			d.ID = id
			break
		}
	}
	if date, ok := parseDate(in.stringField(d.Raw, "date")); ok {
		d.Time = date
	}
	d.normalised(in.Norms, false, "text/plain", "txt")
	return nil
}

// stringField returns the value of a string or number as text, "" if the field is
// missing or has another type.
func (in *Input) stringField(line []byte, name string) string {
	start, end, err := FindField(line, name)
	if err != nil {
		return ""
	}
	value := line[start:end]
	switch c := value[0]; {
	case c == '"':
		var s string
		if json.Unmarshal(value, &s) == nil {
			return s
		}
	case c == '-', '0' <= c && c <= '9':
		return string(value)
	}
	return ""
}

// FindField returns the offsets of the value of a field in a JSON object. Duplicate
// fields are an error.
func FindField(line []byte, name string) (start, end int, err error) {
	start, end, err = findField(line, name)
	if err == nil && end == 0 {
		err = phrase.Error("cause.no-line-field", "no field {name}", "name", name)
	}
	return start, end, err
}

// SetField returns a JSON object with a field set to a value, which is JSON. A new field is
// the last one.
func SetField(line []byte, name, value string) ([]byte, error) {
	start, end, err := findField(line, name)
	if err != nil {
		return nil, err
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

// findField returns the offsets of the value of a field; end is 0 if there is none.
func findField(line []byte, name string) (start, end int, err error) {
	if !json.Valid(line) {
		return 0, 0, errNotObject
	}
	i := skipSpace(line, 0)
	if line[i] != '{' {
		return 0, 0, errNotObject
	}
	for i = skipSpace(line, i+1); line[i] != '}'; {
		keyEnd := skipValue(line, i)
		from := skipSpace(line, skipSpace(line, keyEnd)+1) // after the colon
		to := skipValue(line, from)
		if isKey(line[i:keyEnd], name) {
			if end > 0 {
				return 0, 0, phrase.Error("cause.fields", "more than one field {name}", "name", name)
			}
			start, end = from, to
		}
		if i = skipSpace(line, to); line[i] == ',' {
			i = skipSpace(line, i+1)
		}
	}
	return start, end, nil
}

// isKey reports whether a JSON string equals name.
func isKey(quoted []byte, name string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:len(quoted)-1]) == name
	}
	var s string
	return json.Unmarshal(quoted, &s) == nil && s == name
}

func skipSpace(line []byte, i int) int {
	for line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n' {
		i++
	}
	return i
}

// skipValue returns the end of the value that starts at i. The line must be valid.
func skipValue(line []byte, i int) int {
	switch line[i] {
	case '"':
		return skipString(line, i)
	case '{', '[':
		return skipNested(line, i)
	}
	for i < len(line) && bytes.IndexByte([]byte(",]} \t\r\n"), line[i]) < 0 {
		i++
	}
	return i
}

func skipString(line []byte, i int) int {
	for i++; line[i] != '"'; i++ {
		if line[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func skipNested(line []byte, i int) int {
	for depth := 0; ; i++ {
		switch line[i] {
		case '"':
			i = skipString(line, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

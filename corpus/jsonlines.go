package corpus

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/otisk/otisk/lang/phrase"
)

// Problems of a line of JSON Lines.
var (
	errNotObject error = phrase.Error("cause.not-object", "not a JSON object")
	errNotString error = phrase.Error("cause.not-string", "its value is not a string")
)

// parseJSON parses the documents of a block of JSON Lines.
func (in *Input) parseJSON(f File, data []byte, number int64, give func(*Doc, error)) {
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

// check returns an error unless the object has the field exactly once.
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
//
// It validates the object in the same pass: the validator of encoding/json takes 3 ns a
// byte, and long texts need only a search for their end.
func findFields(line []byte, names ...string) ([]span, error) {
	spans := make([]span, len(names))
	i := after(line, skipSpace(line, 0), '{')
	for first := true; after(line, i, '}') < 0; first = false {
		if !first {
			i = after(line, i, ',')
		}
		keyEnd := stringEnd(line, i)
		start := after(line, skipSpace(line, keyEnd), ':')
		end := valueEnd(line, start)
		if end < 0 {
			return nil, errNotObject
		}
		for n, name := range names {
			if isKey(line[i:keyEnd], name) {
				spans[n] = span{start, end, spans[n].end > 0}
			}
		}
		i = skipSpace(line, end)
	}
	if after(line, i, '}') < len(line) {
		return nil, errNotObject
	}
	return spans, nil
}

// isKey reports whether a JSON string equals name.
func isKey(quoted []byte, name string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:len(quoted)-1]) == name
	}
	key, _ := Unquote(quoted)
	return key == name
}

// The functions below return offsets in a line, and -1 if it is not valid there or if
// they are passed -1.

// skipSpace returns the offset of the next byte that is not white space.
func skipSpace(line []byte, i int) int {
	for 0 <= i && i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n') {
		i++
	}
	return i
}

// after returns the offset after the byte c and the white space that follows it.
func after(line []byte, i int, c byte) int {
	if i < 0 || i >= len(line) || line[i] != c {
		return -1
	}
	return skipSpace(line, i+1)
}

func valueEnd(line []byte, i int) int {
	if i < 0 || i >= len(line) {
		return -1
	}
	end := i
	switch line[i] {
	case '"':
		return stringEnd(line, i)
	case '{', '[':
		end = nestedEnd(line, i)
	default:
		for end < len(line) && bytes.IndexByte([]byte(",]} \t\r\n"), line[end]) < 0 {
			end++
		}
	}
	if end < 0 || !json.Valid(line[i:end]) {
		return -1
	}
	return end
}

func stringEnd(line []byte, i int) int {
	if i < 0 || i >= len(line) || line[i] != '"' {
		return -1
	}
	for i++; i < len(line); {
		if i+8 <= len(line) && literal(binary.LittleEndian.Uint64(line[i:])) {
			i += 8
			continue
		}
		switch c := line[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = escapeEnd(line, i); i < 0 {
				return -1
			}
		case c < ' ':
			return -1
		default:
			i++
		}
	}
	return -1
}

// literal reports whether none of eight bytes is a quotation mark, a backslash or a
// control character. Subtracting 1 from a byte sets its highest bit if it was 0, and
// subtracting 32 if it was below 32, unless the bit was set before.
func literal(eight uint64) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, slash := eight^'"'*ones, eight^'\\'*ones
	special := (quote-ones)&^quote | (slash-ones)&^slash | (eight-' '*ones)&^eight
	return special&highs == 0
}

func escapeEnd(line []byte, i int) int {
	size := 2
	if i+1 < len(line) && line[i+1] == 'u' {
		size = 6
	}
	if i+size > len(line) || size == 2 && bytes.IndexByte([]byte(`"\/bfnrt`), line[i+1]) < 0 {
		return -1
	}
	for _, c := range line[i+2 : i+size] {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
			return -1
		}
	}
	return i + size
}

// nestedEnd returns the end of the object or array that starts at i, if it is valid.
func nestedEnd(line []byte, i int) int {
	for depth := 0; 0 <= i && i < len(line); {
		switch line[i] {
		case '"':
			i = stringEnd(line, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

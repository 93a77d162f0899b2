package container

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/lang/phrase"
)

// lines reads JSON Lines: one object a line, with a field that has the text.
func (r *reader) lines() error {
	for number := r.count + 1; ; number++ {
		r.count = number
		if err := r.ended(); err != nil {
			return err
		}
		line, err := r.line()
		if err == io.EOF {
			return r.manyBad(number)
		}
		if err == nil {
			line = bytes.TrimSpace(bytes.TrimPrefix(line, format.BOM))
			if len(line) == 0 {
				continue
			}
		}
		rec := Record{Name: "line " + strconv.Itoa(number)}
		if err == nil {
			rec, err = r.object(line, rec)
		}
		if err := r.giveLine(rec, number, err); err != nil {
			return err
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return r.manyBad(number + 1) // nothing follows
		}
	}
}

// LooksJSONLines reports whether head, the start of a file, is that of JSON Lines: the
// first line is an object and another one follows, or the first line is longer than the
// 64 KiB of head and starts an object that has the field. A field of "" accepts any first
// line that is an object.
func LooksJSONLines(head []byte, field string) bool {
	line, rest, whole := bytes.Cut(bytes.TrimPrefix(head, format.BOM), []byte("\n"))
	d := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return false
	}
	several, has := field == "" || whole && bytes.HasPrefix(bytes.TrimSpace(rest), []byte("{")), field == ""
	for d.PeekKind() != '}' {
		key, err := d.ReadValue()
		has = has || err == nil && string(unquoted(key)) == field
		if err == nil {
			err = d.SkipValue()
		}
		if err != nil {
			return has && !whole && len(head) >= jsonSize-len(format.BOM) && errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
	_, err := d.ReadToken()
	_, end := d.ReadToken()
	return several && err == nil && end == io.EOF
}

// mostBad is how many consecutive bad lines are reported one by one. A file that is not
// of the format that its name says may have billions.
const mostBad = 100

// giveLine reports a line or its error. Of consecutive bad lines, only the first
// mostBad are reported; manyBad reports the number of the others.
func (r *reader) giveLine(rec Record, number int, err error) error {
	if err == nil {
		if err := r.manyBad(number); err != nil {
			return err
		}
		r.bad = 0
		return r.give(rec, nil)
	}
	if r.bad++; r.bad > mostBad {
		r.lastBad = err
		return nil
	}
	return r.give(rec, err)
}

// manyBad reports how many bad lines before this line were not reported one by one.
func (r *reader) manyBad(number int) error {
	if r.bad <= mostBad {
		return nil
	}
	err := fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.jsonl-many", "{count} more lines before this one could not be read; the error of the last one: {cause}", "count", r.bad-mostBad, "cause", r.lastBad))
	return r.give(Record{Name: "line " + strconv.Itoa(number-1)}, err)
}

// line returns the next line without its line end. A line above the size limit is
// skipped and returned as an error.
func (r *reader) line() (line []byte, err error) {
	long := false
	for {
		part, err := r.from.ReadSlice('\n')
		if long = long || int64(len(line)+len(part)) > r.opts.MaxBytes; !long {
			line = append(line, part...)
		}
		switch {
		case err == nil && long:
			return nil, r.tooLarge()
		case err == nil:
			return line, nil
		case errors.Is(err, packed.ErrPart):
			return nil, lost(err)
		case err == io.EOF && len(line)+len(part) == 0:
			return nil, io.EOF
		case err == io.EOF && long:
			return nil, r.tooLarge()
		case err == io.EOF:
			return line, nil
		case !errors.Is(err, errFull):
			return nil, lost(errors.Join(io.ErrUnexpectedEOF, err))
		}
	}
}

// object fills rec from the JSON object in a line.
func (r *reader) object(line []byte, rec Record) (Record, error) {
	if !utf8.Valid(line) {
		return rec, fmt.Errorf("%w: %w", format.ErrEncoding, phrase.Error("cause.jsonl-utf8", "a line of JSON must be UTF-8"))
	}
	fields, err := fieldsOf(line)
	if err != nil {
		if valid, err := fieldsOf(withoutNaN(line)); err == nil {
			fields = valid
		}
	}
	if fields == nil {
		return rec, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	if name := cmp.Or(stringOf(fields[cmp.Or(r.opts.ID, "id")]), stringOf(fields["url"])); name != "" {
		rec.Name = name
	}
	field := cmp.Or(r.opts.Field, "text")
	for name, raw := range fields {
		if name != field && name != cmp.Or(r.opts.ID, "id") || name == "url" {
			if kind := raw.Kind(); kind == '[' || kind == '{' {
				rec.unread.Words(name, proseWords(string(raw)))
			}
			rec.describe(name, stringOf(raw))
		}
	}
	raw, ok := fields[field]
	switch {
	case !ok:
		return rec, fmt.Errorf("%w %q: %s", format.ErrNoField, field, strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
	case raw.Kind() != '"' && raw.Kind() != 'n':
		return rec, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.field-string", "field {name} is not a string", "name", fmt.Sprintf("%q", field)))
	}
	rec.Data, rec.Text = unquoted(raw), rec.asItIs("utf-8")
	return rec, nil
}

// notNumber matches a string, or a value that the module json of Python writes for a number that JSON does not have.
var notNumber = format.Pattern(`"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)`)

// withoutNaN returns a line with null in place of such values.
func withoutNaN(line []byte) []byte {
	return notNumber().ReplaceAllFunc(line, func(m []byte) []byte {
		if m[0] == '"' {
			return m
		}
		return []byte("null")
	})
}

// fieldsOf returns the fields of a JSON object in UTF-8. The values are slices of line.
func fieldsOf(line []byte) (map[string]jsontext.Value, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // unpaired surrogates in escape sequences
	fields := map[string]jsontext.Value{}
	if d.PeekKind() != '{' {
		return nil, errNoObject
	}
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() != '}' {
		var name, value jsontext.Value
		if name, err = d.ReadValue(); err != nil {
			break
		}
		key := string(unquoted(name))
		if _, again := fields[key]; again {
			return nil, phrase.Error("cause.jsonl-again", "duplicate field {name}", "name", fmt.Sprintf("%q", key))
		}
		if value, err = d.ReadValue(); err == nil {
			end := int(d.InputOffset())
			fields[key] = line[end-len(value) : end]
		}
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoObject, err)
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("%w: %w", errNoObject, phrase.Error("cause.jsonl-more", "more text follows the object"))
	}
	return fields, nil
}

var errNoObject error = phrase.Error("cause.no-object", "not a JSON object")

// unquoted returns the value of a JSON string, nil for any other value. Unpaired
// surrogates become U+FFFD; the error, which only reports them, is ignored.
func unquoted(raw jsontext.Value) []byte {
	if raw.Kind() != '"' {
		return nil
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return text
}

// asItIs returns a reader of plain text that was decoded from this encoding. It notes the fields of the record
// that are not read.
func (rec *Record) asItIs(encoding string) func(context.Context, []byte) (*format.Text, error) {
	unread := rec.unread
	return func(_ context.Context, data []byte) (*format.Text, error) {
		t := &format.Text{Text: string(data), Encoding: encoding}
		unread.NoteMany(t)
		return t, t.Check()
	}
}

// stringOf returns the value of a string or the digits of a number, "" for other
// values.
func stringOf(raw jsontext.Value) string {
	if raw.Kind() == '0' {
		return string(raw)
	}
	return string(unquoted(raw))
}

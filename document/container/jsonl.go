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
)

// lines reads JSON Lines: an object a line, of which one field has the text.
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

// mostBad is how many lines that follow one another are named that are not what they
// should be. What is not of the kind that it says could have billions.
const mostBad = 100

// giveLine gives a line, or why there is none. Of many bad ones in a row the first are
// named, and then how many there are.
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

// manyBad tells of bad lines that were not named, before the line of this number.
func (r *reader) manyBad(number int) error {
	if r.bad <= mostBad {
		return nil
	}
	err := fmt.Errorf("%w: %d more lines before it are not what they should be either; of the last one: %w", format.ErrDamaged, r.bad-mostBad, r.lastBad)
	return r.give(Record{Name: "line " + strconv.Itoa(number-1)}, err)
}

// line returns the next line, without its end. One that is too long is left
// out, which is its error.
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

// object makes the record of a line.
func (r *reader) object(line []byte, rec Record) (Record, error) {
	if !utf8.Valid(line) {
		return rec, fmt.Errorf("%w: a line of JSON must be UTF-8", format.ErrEncoding)
	}
	fields, err := fieldsOf(line)
	if err != nil {
		return rec, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	if name := cmp.Or(stringOf(fields[cmp.Or(r.opts.ID, "id")]), stringOf(fields["url"])); name != "" {
		rec.Name = name
	}
	field := cmp.Or(r.opts.Field, "text")
	for name, raw := range fields {
		if name != field && name != cmp.Or(r.opts.ID, "id") || name == "url" {
			rec.describe(name, stringOf(raw))
		}
	}
	raw, ok := fields[field]
	switch {
	case !ok:
		return rec, fmt.Errorf("%w %q: %s", format.ErrNoField, field, strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
	case raw.Kind() != '"' && raw.Kind() != 'n':
		return rec, fmt.Errorf("%w: its field %q is no text", format.ErrDamaged, field)
	}
	rec.Data, rec.Text = unquoted(raw), asItIs("utf-8")
	return rec, nil
}

// fieldsOf takes an object of JSON in UTF-8 apart: its values are as they are in line.
func fieldsOf(line []byte) (map[string]jsontext.Value, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // halves of a character, escaped
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
			return nil, fmt.Errorf("more than one of its fields is called %q", key)
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
		return nil, fmt.Errorf("%w: there is more behind it", errNoObject)
	}
	return fields, nil
}

var errNoObject = errors.New("no object of JSON")

// unquoted returns what a string of JSON says; nothing for what is none. Half of a character
// is U+FFFD in it, of which the error is.
func unquoted(raw jsontext.Value) []byte {
	if raw.Kind() != '"' {
		return nil
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return text
}

// asItIs makes a text of what needs no reading, and was in this encoding.
func asItIs(encoding string) func(context.Context, []byte) (*format.Text, error) {
	return func(_ context.Context, data []byte) (*format.Text, error) {
		t := &format.Text{Text: string(data), Encoding: encoding}
		return t, t.Check()
	}
}

// stringOf returns a field that is a string or a number; "" for any other.
func stringOf(raw jsontext.Value) string {
	if raw.Kind() == '0' {
		return string(raw)
	}
	return string(unquoted(raw))
}

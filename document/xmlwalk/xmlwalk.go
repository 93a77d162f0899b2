// Package xmlwalk parses XML as a stream and calls a [Handler] for elements and text. Memory
// does not depend on the size of the file. Only predefined entities are expanded, so that
// entities of a hostile file cannot grow.
package xmlwalk

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// maxXMLDepth is the largest depth of nested elements.
const maxXMLDepth = 10_000

// A Handler receives the elements and the text of an XML file. Names have no namespace prefix.
type Handler interface {
	Start(name string, attrs []xml.Attr)
	End(name string)
	Text(s []byte)
}

// Starts is a [Handler] that only needs the starts of elements.
type Starts func(name string, attrs []xml.Attr)

// Start implements Handler.
func (f Starts) Start(name string, attrs []xml.Attr) { f(name, attrs) }

// End implements Handler.
func (Starts) End(string) {}

// Text implements Handler.
func (Starts) Text([]byte) {}

// Walk parses r and calls h. It expands the five predefined entities only and skips a
// document type declaration.
func Walk(ctx context.Context, r io.Reader, h Handler) error {
	return walk(ctx, r, nil, declaredReader, h)
}

// declaredReader decodes the character encoding with this label.
func declaredReader(label string, r io.Reader) (io.Reader, error) {
	enc, err := charset.Lookup(label)
	if err != nil {
		return nil, err
	}
	return enc.NewDecoder().Reader(r), nil
}

// WalkData is like [Walk] for data in memory.
func WalkData(ctx context.Context, data []byte, h Handler) error {
	return Walk(ctx, format.NewReader(ctx, data), h)
}

// WalkText is like [WalkData] for data in UTF-8, whatever encoding it declares. It also expands
// the entities of HTML; undefined ones and single ampersands are text.
func WalkText(ctx context.Context, data []byte, h Handler) error {
	return WalkEntities(ctx, data, nil, h)
}

// WalkEntities is like [WalkText] with further entities, whose values must not contain
// entities. h must limit the size of the expanded text.
func WalkEntities(ctx context.Context, data []byte, entities map[string]string, h Handler) error {
	all := xml.HTMLEntity
	if len(entities) > 0 {
		all = maps.Clone(xml.HTMLEntity)
		maps.Copy(all, entities)
	}
	asIs := func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return walk(ctx, format.NewReader(ctx, asVersion10(bytes.TrimPrefix(data, format.BOM))), all, asIs, h)
}

// asVersion10 returns a document that declares XML 1.1, which the decoder rejects, as one of 1.0.
func asVersion10(data []byte) []byte {
	const start = len(`<?xml version="1.`)
	if len(data) <= start || data[start] != '1' || !bytes.HasPrefix(data, []byte(`<?xml version="1.`)) && !bytes.HasPrefix(data, []byte(`<?xml version='1.`)) {
		return data
	}
	data = bytes.Clone(data)
	data[start] = '0'
	return data
}

var errDeep = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.xml-deep", "XML elements are nested more than {depth} deep", "depth", maxXMLDepth))

func errNotOpen(name string) error {
	return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.xml-end-tag", "XML end tag {name} without a start tag", "name", fmt.Sprintf("</%s>", name)))
}

// walk calls h for the content of r, which decode decodes from the encoding that it declares.
func walk(ctx context.Context, r io.Reader, entities map[string]string, decode func(string, io.Reader) (io.Reader, error), h Handler) error {
	dec := xml.NewDecoder(r)
	dec.Entity, dec.CharsetReader, dec.Strict = entities, decode, entities == nil
	for depth := 0; ; {
		tok, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			if depth > 0 {
				return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.xml-ends", "XML ends within an element"))
			}
			return nil
		}
		if err != nil {
			return xmlError(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if depth++; depth > maxXMLDepth {
				return errDeep
			}
			if err := format.Ended(ctx); err != nil {
				return err
			}
			h.Start(tok.Name.Local, tok.Attr)
		case xml.EndElement:
			if depth--; depth < 0 {
				return errNotOpen(tok.Name.Local)
			}
			h.End(tok.Name.Local)
		case xml.CharData:
			h.Text(tok)
		}
	}
}

// xmlError returns errors of limits unchanged and wraps all others in [format.ErrDamaged].
func xmlError(err error) error {
	for _, known := range []error{format.ErrTooLarge, format.ErrDamaged, format.ErrEncoding, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return err
		}
	}
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		err = phrase.Error("cause.xml-syntax", "XML syntax error on line {line}: {details}", "line", syntax.Line, "details", phrase.XML(syntax))
	}
	return fmt.Errorf("%w: %w", format.ErrDamaged, err)
}

// Attr returns the value of the attribute with this name, or "".
func Attr(attrs []xml.Attr, name string) string {
	for _, a := range attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// maxField is the size limit for the text of a field, in bytes.
const maxField = 4096

// Fields is a [Handler] that collects the text of the first element with each of some names.
type Fields struct {
	want map[string]bool
	got  map[string]string
	open string
	buf  strings.Builder
}

// NewFields returns a handler for the elements of these names.
func NewFields(names ...string) *Fields {
	return &Fields{want: format.Names(names...), got: map[string]string{}}
}

// Get returns the text of the element called name, "" if it has none.
func (f *Fields) Get(name string) string { return f.got[name] }

// Start implements Handler.
func (f *Fields) Start(name string, _ []xml.Attr) {
	if f.open == "" && f.want[name] {
		f.open = name
		f.buf.Reset()
	}
}

// End implements Handler.
func (f *Fields) End(name string) {
	if name != f.open {
		return
	}
	if f.got[name] == "" {
		f.got[name] = flow.OneLine(f.buf.String())
	}
	f.open = ""
}

// Text implements Handler.
func (f *Fields) Text(s []byte) {
	if f.open != "" && f.buf.Len() < maxField {
		f.buf.Write(s)
	}
}

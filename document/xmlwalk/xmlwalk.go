// Package xmlwalk goes through XML from start to end, and gives a [Handler] what it
// meets. Nothing is held but what the handler keeps, so that a file may be large,
// and no entity but those of XML is known, so that none can grow.
package xmlwalk

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
)

// maxXMLDepth is how deep the elements of a document may be nested.
const maxXMLDepth = 10_000

// A Handler gets what an XML file consists of. Names are without prefix.
type Handler interface {
	Start(name string, attrs []xml.Attr)
	End(name string)
	Text(s []byte)
}

// Walk gives h what r consists of. No entity but the five of XML is known,
// so that none can grow; a document type is skipped.
func Walk(ctx context.Context, r io.Reader, h Handler) error {
	dec := xml.NewDecoder(r)
	dec.CharsetReader = declaredReader
	return walk(ctx, dec, place{}, h)
}

// declaredReader decodes what is in an encoding of that label.
func declaredReader(label string, r io.Reader) (io.Reader, error) {
	enc, err := charset.Lookup(label)
	if err != nil {
		return nil, err
	}
	return enc.NewDecoder().Reader(r), nil
}

// WalkData does the same for data that is in memory, in less time. What h keeps of it
// keeps all of it.
func WalkData(ctx context.Context, data []byte, h Handler) error {
	return walkData(ctx, data, nil, declaredReader, h)
}

// walkData scans data, and has encoding/xml read what is left from where that gave up.
func walkData(ctx context.Context, data []byte, entities map[string]string, decode func(string, io.Reader) (io.Reader, error), h Handler) error {
	s := scanner{data: data, entities: entities}
	depth, err := s.scan(ctx, h)
	if err != nil || s.at == len(data) && depth == 0 {
		return err
	}
	dec := xml.NewDecoder(format.NewReader(ctx, data[s.at:]))
	dec.Entity, dec.CharsetReader = entities, decode
	return walk(ctx, dec, place{depth, bytes.Count(data[:s.at], []byte("\n"))}, h)
}

// WalkText does the same for data that is in UTF-8, whatever it declares. The
// entities of HTML are known, too.
func WalkText(ctx context.Context, data []byte, h Handler) error {
	return WalkEntities(ctx, data, nil, h)
}

// WalkEntities does the same with entities that the document declares, none of which may
// hold others. h has to bound what they make.
func WalkEntities(ctx context.Context, data []byte, entities map[string]string, h Handler) error {
	all := xml.HTMLEntity
	if len(entities) > 0 {
		all = maps.Clone(xml.HTMLEntity)
		maps.Copy(all, entities)
	}
	asIs := func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return walkData(ctx, bytes.TrimPrefix(data, format.BOM), all, asIs, h)
}

var errDeep = fmt.Errorf("%w: XML elements more than %d deep in each other", format.ErrDamaged, maxXMLDepth)

func errNotOpen(name string) error {
	return fmt.Errorf("%w: XML element </%s> was not open", format.ErrDamaged, name)
}

// A place is where dec begins: within so many elements, after so many lines.
type place struct{ depth, lines int }

// walk gives h what dec reads, which begins at a place.
func walk(ctx context.Context, dec *xml.Decoder, from place, h Handler) error {
	for depth := from.depth; ; {
		tok, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			if depth > 0 {
				return fmt.Errorf("%w: XML ends within an element", format.ErrDamaged)
			}
			return nil
		}
		if err != nil {
			return xmlError(moved(err, from.lines))
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if depth++; depth > maxXMLDepth {
				return errDeep
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
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

// xmlError keeps errors of the limits and calls all others damage.
func xmlError(err error) error {
	for _, known := range []error{format.ErrTooLarge, format.ErrDamaged, format.ErrEncoding, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", format.ErrDamaged, err)
}

// Attr returns the value of an attribute, "" without it.
func Attr(attrs []xml.Attr, name string) string {
	for _, a := range attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

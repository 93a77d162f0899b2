package document

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxXMLDepth is how deep the elements of a document may stand in each other.
const maxXMLDepth = 10_000

// A handler is told what an XML file consists of. Names are without prefix.
type handler interface {
	start(name string, attrs []xml.Attr)
	end(name string)
	text(s []byte)
}

// walkXML tells h what r consists of. No entity but the five of XML is known,
// so that none can grow; a document type is skipped.
func walkXML(ctx context.Context, r io.Reader, h handler) error {
	dec := xml.NewDecoder(r)
	dec.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		enc, err := lookup(label)
		if err != nil {
			return nil, err
		}
		return enc.NewDecoder().Reader(r), nil
	}
	return walk(ctx, dec, h)
}

func walk(ctx context.Context, dec *xml.Decoder, h handler) error {
	for depth := 0; ; {
		tok, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			if depth > 0 {
				return fmt.Errorf("%w: XML ends within an element", ErrDamaged)
			}
			return nil
		}
		if err != nil {
			return xmlError(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if depth++; depth > maxXMLDepth {
				return fmt.Errorf("%w: XML elements more than %d deep in each other", ErrDamaged, maxXMLDepth)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			h.start(tok.Name.Local, tok.Attr)
		case xml.EndElement:
			if depth--; depth < 0 {
				return fmt.Errorf("%w: XML element </%s> was not open", ErrDamaged, tok.Name.Local)
			}
			h.end(tok.Name.Local)
		case xml.CharData:
			h.text(tok)
		}
	}
}

// xmlError keeps errors of the limits and calls all others damage.
func xmlError(err error) error {
	for _, known := range []error{ErrTooLarge, ErrDamaged, ErrEncoding, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// attr returns the value of an attribute, "" without it.
func attr(attrs []xml.Attr, name string) string {
	for _, a := range attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// A fields handler collects the texts of a few elements, the first of each.
type fields struct {
	want map[string]bool
	got  map[string]string
	open string
	buf  strings.Builder
}

func (f *fields) start(name string, _ []xml.Attr) {
	if f.open == "" && f.want[name] {
		f.open = name
		f.buf.Reset()
	}
}

func (f *fields) end(name string) {
	if name != f.open {
		return
	}
	if f.got[name] == "" {
		f.got[name] = oneLine(f.buf.String())
	}
	f.open = ""
}

func (f *fields) text(s []byte) {
	if f.open != "" && f.buf.Len() < 4096 {
		f.buf.Write(s)
	}
}

// properties returns the texts of the elements called names in a member of c.
// What says nothing about a document's text is no reason to refuse it, so that
// a missing or broken member has none.
func (c *container) properties(member string, names ...string) map[string]string {
	f := &fields{want: map[string]bool{}, got: map[string]string{}}
	for _, n := range names {
		f.want[n] = true
	}
	if r, err := c.open(member); err == nil {
		defer r.Close()
		_ = walkXML(c.ctx, r, f)
	}
	return f.got
}

// number returns the value of a number with a unit after it, 0 if it is none.
func number(s string) float64 {
	n, err := strconv.ParseFloat(strings.TrimRight(s, "ptcmxin%"), 64)
	if err != nil {
		return 0
	}
	return n
}

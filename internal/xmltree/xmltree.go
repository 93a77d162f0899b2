// Package xmltree reads small XML files that people write, such as settings, as a tree. Its errors
// name the line.
package xmltree

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// An Element is an XML element.
type Element struct {
	Name     string // without its name space
	Attrs    []xml.Attr
	Line     int
	Children []*Element

	chars []byte
}

// Text returns all text directly in the element.
func (e *Element) Text() string { return string(e.chars) }

// Value returns the text directly in the element, without white space around it.
func (e *Element) Value() string { return strings.TrimSpace(e.Text()) }

// Attr returns the value of an attribute, whose name may be in upper or lower case.
func (e *Element) Attr(name string) string {
	for _, a := range slices.Backward(e.Attrs) {
		if strings.EqualFold(a.Name.Local, name) {
			return a.Value
		}
	}
	return ""
}

// Wrong returns an error about the element.
func (e *Element) Wrong(cause error) error {
	return phrase.Error("settings.element", "line {line}: {element}: {cause}", "line", e.Line, "element", e.Name, "cause", cause)
}

// AtLine returns an error about a line.
func AtLine(line int, cause error) error {
	return phrase.Error("settings.line", "line {line}: {cause}", "line", line, "cause", cause)
}

// Limits are what a file may have.
type Limits struct {
	Depth int  // of nested elements
	Text  bool // outside of any element
}

// Parse returns the outermost elements. It returns an error for XML that is not well-formed, and
// for a DOCTYPE with its declarations of entities: encoding/xml expands only the five entities of
// XML.
func (l Limits) Parse(data []byte) ([]*Element, error) {
	dec := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, format.BOM)))
	dec.CharsetReader = decode
	open := []*Element{{}} // the document, and the open elements in it
	for {
		line, _ := dec.InputPos()
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return open[0].Children, nil
		}
		if err != nil {
			return nil, syntax(err, line)
		}
		parent := open[len(open)-1]
		switch tok := tok.(type) {
		case xml.StartElement:
			if len(open) > l.Depth {
				return nil, AtLine(line, phrase.Error("settings.nested", "elements are nested more than {most} deep", "most", l.Depth))
			}
			e := &Element{Name: tok.Name.Local, Attrs: tok.Attr, Line: line}
			parent.Children = append(parent.Children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if rest := bytes.TrimLeft(tok, " \t\r\n"); len(open) == 1 && len(rest) > 0 && !l.Text {
				line += bytes.Count(tok[:len(tok)-len(rest)], []byte("\n"))
				return nil, AtLine(line, phrase.Error("settings.text-outside", "text outside of any element"))
			}
			parent.chars = append(parent.chars, tok...)
		case xml.Directive:
			return nil, AtLine(line, phrase.Error("settings.doctype", "<!DOCTYPE> and entity declarations are not allowed"))
		}
	}
}

// decode returns what r has in the encoding that the file declares.
func decode(label string, r io.Reader) (io.Reader, error) {
	enc, err := charset.Lookup(label)
	if err != nil {
		return nil, phrase.Error("settings.encoding", "unknown encoding {name}", "name", strconv.Quote(label))
	}
	return enc.NewDecoder().Reader(r), nil
}

// syntax moves the line of an XML error to the start, as in other errors.
func syntax(err error, line int) error {
	if se, ok := errors.AsType[*xml.SyntaxError](err); ok {
		line = se.Line
	}
	return AtLine(line, phrase.Error("settings.broken", "broken XML: {cause}", "cause", phrase.XML(err)))
}

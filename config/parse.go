package config

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/otisk/otisk/lang/phrase"
)

// maxDepth is the largest depth of nested elements; settings need 4.
const maxDepth = 16

type element struct {
	name     string
	attrs    []xml.Attr
	chars    []byte // all text directly in the element
	line     int
	children []*element
}

// text returns all text directly in the element.
func (e *element) text() string { return string(e.chars) }

func (e *element) wrong(cause error) error {
	return phrase.Error("settings.element", "line {line}: {element}: {cause}", "line", e.line, "element", e.name, "cause", cause)
}

func atLine(line int, cause error) error {
	return phrase.Error("settings.line", "line {line}: {cause}", "line", line, "cause", cause)
}

// unknown returns an error about an element whose name has no meaning there.
func (e *element) unknown() error {
	return atLine(e.line, phrase.Error("settings.unknown-element", "unknown element {name}", "name", strconv.Quote(e.name)))
}

// parse returns the outermost elements. It returns an error with its line for XML that is not
// well-formed or has a refused construct. encoding/xml expands only the five entities of XML.
func parse(data []byte) ([]*element, error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.CharsetReader = charset
	open := []*element{{}} // the document, and the open elements in it
	for {
		line, _ := dec.InputPos()
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return open[0].children, nil
		}
		if err != nil {
			return nil, syntax(err, line)
		}
		parent := open[len(open)-1]
		switch tok := tok.(type) {
		case xml.StartElement:
			e := &element{name: tok.Name.Local, attrs: tok.Attr, line: line}
			parent.children = append(parent.children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			parent.chars = append(parent.chars, tok...)
		}
		if err := refuse(tok, len(open)-1, line); err != nil {
			return nil, err
		}
	}
}

// refuse returns an error for a token that settings do not need. depth is the number of open
// elements; the token starts on line.
func refuse(tok xml.Token, depth, line int) error {
	switch tok := tok.(type) {
	case xml.StartElement:
		if depth > maxDepth {
			return atLine(line, phrase.Error("settings.nested", "elements are nested more than {most} deep", "most", maxDepth))
		}
	case xml.CharData:
		if rest := bytes.TrimLeft(tok, " \t\r\n"); depth == 0 && len(rest) > 0 {
			line += bytes.Count(tok[:len(tok)-len(rest)], []byte("\n"))
			return atLine(line, phrase.Error("settings.text-outside", "text outside of any element"))
		}
	case xml.Directive:
		return atLine(line, phrase.Error("settings.doctype", "<!DOCTYPE> and entity declarations are not allowed"))
	}
	return nil
}

// charset returns a decoder for the encoding that the file declares.
func charset(label string, r io.Reader) (io.Reader, error) {
	enc, err := htmlindex.Get(label)
	if err != nil {
		return nil, phrase.Error("settings.encoding", "unknown encoding {name}", "name", strconv.Quote(label))
	}
	return enc.NewDecoder().Reader(r), nil
}

// syntax moves the line of an XML error to the start, as in other errors.
func syntax(err error, line int) error {
	var se *xml.SyntaxError
	if errors.As(err, &se) {
		line = se.Line
	}
	return atLine(line, phrase.Error("settings.broken", "broken XML: {cause}", "cause", phrase.XML(err)))
}

// unwrap returns the elements of settings: the given ones or, if they have a root element of any
// name, its children. Attributes and text of the root are refused, since they may be intended as
// settings.
func unwrap(elements []*element) ([]*element, error) {
	if len(elements) != 1 || known(elements[0].name) {
		return elements, nil
	}
	root := elements[0]
	for _, a := range root.attrs {
		if known(a.Name.Local) {
			return nil, root.wrong(phrase.Error("settings.attribute", "settings are elements: write <{name}> in it", "name", a.Name.Local))
		}
	}
	text := strings.TrimSpace(root.text())
	switch {
	case text == "":
		return root.children, nil
	case len(root.children) == 0:
		return elements, nil
	}
	return nil, root.wrong(phrase.Error("settings.text-between", "has text outside of its elements: {text}", "text", strconv.Quote(strings.Join(strings.Fields(text), " "))))
}

package config

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/beevik/etree"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/otisk/otisk/internal/phrase"
)

// maxDepth is the largest depth of nested elements; settings need 4.
const maxDepth = 16

// An element is an element of the configuration file.
type element struct {
	*etree.Element
	line     int
	children []*element
}

// wrong returns an error about the element.
func (e *element) wrong(cause error) error {
	return phrase.Error("settings.element", "line {line}: {element}: {cause}", "line", e.line, "element", e.Tag, "cause", cause)
}

// atLine returns an error about a line.
func atLine(line int, cause error) error {
	return phrase.Error("settings.line", "line {line}: {cause}", "line", line, "cause", cause)
}

// unknown returns an error about an element whose name has no meaning there.
func (e *element) unknown() error {
	return atLine(e.line, phrase.Error("settings.unknown-element", "unknown element {name}", "name", strconv.Quote(e.Tag)))
}

// text returns all text directly in the element.
func (e *element) text() string {
	var b strings.Builder
	for _, t := range e.Child {
		if data, ok := t.(*etree.CharData); ok {
			b.WriteString(data.Data)
		}
	}
	return b.String()
}

// parse returns the outermost elements. It takes two passes: the first one reads tokens, refuses
// constructs that settings do not need, and records lines, which the tree does not have; the
// second one builds the tree.
func parse(data []byte) ([]*element, error) {
	lines, err := scan(data)
	if err != nil {
		return nil, err
	}
	doc := etree.NewDocument()
	doc.ReadSettings = etree.ReadSettings{CharsetReader: charset, PreserveDuplicateAttrs: true}
	if err := doc.ReadFromBytes(data); err != nil {
		return nil, phrase.Error("settings.broken", "broken XML: {cause}", "cause", phrase.XML(err))
	}
	return numbered(doc.ChildElements(), &lines), nil
}

// numbered sets the lines of elements and their children from the lines of start tags, in order.
func numbered(list []*etree.Element, lines *[]int) []*element {
	var out []*element
	for _, e := range list {
		line := (*lines)[0]
		*lines = (*lines)[1:]
		out = append(out, &element{e, line, numbered(e.ChildElements(), lines)})
	}
	return out
}

// scan returns the line of each start tag. It returns an error with its line for XML that is not
// well-formed or has a refused construct. encoding/xml expands only the five entities of XML.
func scan(data []byte) (lines []int, err error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.CharsetReader = charset
	for depth := 0; ; {
		line, _ := dec.InputPos()
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, syntax(err, line)
		}
		switch tok.(type) {
		case xml.StartElement:
			depth++
			lines = append(lines, line)
		case xml.EndElement:
			depth--
		}
		if err := refuse(tok, depth, line); err != nil {
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
// name, its children. Attributes and text of the root that may be meant as settings are refused.
func unwrap(elements []*element) ([]*element, error) {
	if len(elements) != 1 || known(elements[0].Tag) {
		return elements, nil
	}
	root := elements[0]
	for _, a := range root.Attr {
		if known(a.Key) {
			return nil, root.wrong(phrase.Error("settings.attribute", "settings are elements: write <{name}> in it", "name", a.Key))
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

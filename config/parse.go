package config

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
)

// maxDepth is how deep elements may stand in each other: the settings need 4.
const maxDepth = 16

// An element is one of the configuration file.
type element struct {
	name     string
	line     int
	attrs    []xml.Attr
	text     string // all text directly in it
	children []*element
}

// errorf returns an error about the element.
func (e *element) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %s: %w", e.line, e.name, fmt.Errorf(format, args...))
}

// A parser builds the elements of one file.
type parser struct {
	dec   *xml.Decoder
	stack []*element // the open ones, below a root of our own
}

// parse returns the elements that stand outermost. encoding/xml expands the
// five entities of XML and no other.
func parse(data []byte) ([]*element, error) {
	p := &parser{dec: xml.NewDecoder(bytes.NewReader(data)), stack: []*element{{}}}
	p.dec.CharsetReader = charset
	for {
		line, _ := p.dec.InputPos()
		tok, err := p.dec.Token()
		if errors.Is(err, io.EOF) {
			return p.stack[0].children, nil
		}
		if err != nil {
			return nil, syntax(err, line)
		}
		if err := p.token(tok, line); err != nil {
			return nil, err
		}
	}
}

// token takes one token, which starts on line.
func (p *parser) token(tok xml.Token, line int) error {
	top := p.stack[len(p.stack)-1]
	switch tok := tok.(type) {
	case xml.StartElement:
		if len(p.stack) > maxDepth {
			return fmt.Errorf("line %d: elements stand more than %d deep in each other", line, maxDepth)
		}
		e := &element{name: tok.Name.Local, line: line, attrs: tok.Attr}
		top.children = append(top.children, e)
		p.stack = append(p.stack, e)
	case xml.EndElement:
		p.stack = p.stack[:len(p.stack)-1]
	case xml.CharData:
		if rest := bytes.TrimLeft(tok, " \t\r\n"); len(p.stack) == 1 && len(rest) > 0 {
			line += bytes.Count(tok[:len(tok)-len(rest)], []byte("\n"))
			return fmt.Errorf("line %d: text outside of any element", line)
		}
		top.text += string(tok)
	case xml.Directive:
		return fmt.Errorf("line %d: a <!DOCTYPE> is refused, and so are entities of one's own", line)
	}
	return nil
}

// charset decodes the encoding that the file declares.
func charset(label string, r io.Reader) (io.Reader, error) {
	enc, err := htmlindex.Get(label)
	if err != nil {
		return nil, fmt.Errorf("unknown encoding %q", label)
	}
	return enc.NewDecoder().Reader(r), nil
}

// syntax puts the line of an XML error where all errors have it.
func syntax(err error, line int) error {
	var se *xml.SyntaxError
	if errors.As(err, &se) {
		return fmt.Errorf("line %d: broken XML: %s", se.Line, se.Msg)
	}
	return fmt.Errorf("line %d: %s", line, strings.TrimPrefix(err.Error(), "xml: "))
}

// unwrap returns the settings: the elements themselves or, where all stand in a
// root of any name, those in it.
func unwrap(elements []*element) []*element {
	if len(elements) != 1 || known(elements[0].name) {
		return elements
	}
	root := elements[0]
	if len(root.children) == 0 && strings.TrimSpace(root.text) != "" {
		return elements
	}
	return root.children
}

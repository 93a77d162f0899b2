package report

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/beevik/etree"
)

// A markup writes an indented XML document, as trees: each child of the root
// is built whole, written and dropped, so that a document of any length takes
// the memory of its largest child. The first error sticks.
//
// XML 1.0 cannot express every character, not even by number. Each one that it
// cannot (control characters other than tab, line feed and carriage return;
// U+FFFE and U+FFFF; bytes that are not UTF-8) becomes one U+FFFD, so offsets
// in code points still hold in the text that is read back.
type markup struct {
	w    io.Writer
	err  error
	root *etree.Element
	top  *etree.Element // the innermost element that is open

	begun bool // the root's start tag is written
}

// An attr is an attribute. One without value is left out, unless it is
// required.
type attr struct {
	name, value string
	required    bool
}

// open starts an element.
func (m *markup) open(name string, attrs ...attr) {
	e := etree.NewElement(name)
	for _, a := range attrs {
		if a.value != "" || a.required {
			e.CreateAttr(a.name, a.value)
		}
	}
	if m.top == nil {
		m.root = e
	} else {
		m.top.AddChild(e)
	}
	m.top = e
}

// close ends the element that was opened last.
func (m *markup) close() {
	m.top = m.top.Parent()
	switch m.top {
	case nil:
		m.end()
	case m.root:
		m.child()
	}
}

// leaf writes an element with text, or none.
func (m *markup) leaf(name, text string, attrs ...attr) {
	m.open(name, attrs...)
	if text != "" {
		m.top.CreateText(text)
	}
	m.close()
}

// indentation is that of our documents: two spaces, and texts as they are.
var indentation = etree.IndentSettings{Spaces: 2, PreserveLeafWhitespace: true}

// child writes the only child that the root has now, and drops it.
func (m *markup) child() {
	m.begin(">")
	m.root.IndentWithSettings(&indentation)
	m.put(encode(m.root.Child[:2]...)) // the white space before the child, and the child
	m.root.Child = nil
}

// begin writes the declaration and the root's start tag, once. tag ends it.
func (m *markup) begin(tag string) {
	if m.begun {
		return
	}
	m.begun = true
	m.put([]byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n"))
	empty := &etree.Element{Tag: m.root.Tag, Attr: m.root.Attr}
	m.put(append(bytes.TrimSuffix(encode(empty), []byte("/>")), tag...))
}

// end writes the end of the root, all of it where it has no child.
func (m *markup) end() {
	if m.begun {
		m.put([]byte("\n</" + m.root.Tag + ">\n"))
		return
	}
	m.begin("/>\n")
}

func (m *markup) put(data []byte) {
	if m.err == nil {
		_, m.err = m.w.Write(data)
	}
}

// encode returns tokens as they are written.
func encode(tokens ...etree.Token) []byte {
	var b encoder
	for _, t := range tokens {
		t.WriteTo(&b, &etree.WriteSettings{CanonicalText: true, CanonicalAttrVal: true})
	}
	return b.Bytes()
}

// An encoder is what etree writes into. Tags come by WriteByte and Write, what
// stands in for a character by Write, and everything else by WriteString. It
// writes > in attributes as &gt;, and numbers of characters in decimals: the
// form that our reports have always had.
type encoder struct{ bytes.Buffer }

// WriteString implements [etree.Writer].
func (e *encoder) WriteString(s string) (int, error) {
	return e.Buffer.WriteString(strings.ReplaceAll(s, ">", "&gt;"))
}

// Write implements [etree.Writer].
func (e *encoder) Write(p []byte) (int, error) {
	if hex, ok := bytes.CutPrefix(p, []byte("&#x")); ok {
		n, err := strconv.ParseUint(string(bytes.TrimSuffix(hex, []byte(";"))), 16, 32)
		if err != nil {
			return 0, err
		}
		return e.Buffer.WriteString("&#" + strconv.FormatUint(n, 10) + ";")
	}
	return e.Buffer.Write(p)
}

// text is an attribute that is left out where it is empty.
func text(name, value string) attr { return attr{name: name, value: value} }

// required is an attribute that may be empty, but is always there.
func required(name, value string) attr { return attr{name, value, true} }

func number[T int | int64](name string, n T) attr {
	return required(name, strconv.FormatInt(int64(n), 10))
}

// optional is left out where it is 0.
func optional[T int | int64](name string, n T) attr {
	if n == 0 {
		return attr{name: name}
	}
	return number(name, n)
}

// moment is left out where it is not known.
func moment(name string, t time.Time) attr {
	if t.IsZero() {
		return attr{name: name}
	}
	return text(name, t.Format(time.RFC3339))
}

func decimal(name string, f float64) attr { return required(name, formatFloat(f)) }

func truth(name string, b bool) attr { return required(name, strconv.FormatBool(b)) }

// formatFloat writes f with as many digits as it takes to read the same f
// again, as JSON does.
func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

package report

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/beevik/etree"
)

// A markup writes an indented XML document. It builds, writes and drops one child of the
// root after the other, so memory is bounded by the largest child. After an error, calls
// do nothing.
//
// XML 1.0 cannot express every character, not even as a reference. Each such character (control characters other than tab, line feed and carriage return;
// U+FFFE and U+FFFF; bytes that are not UTF-8) becomes one U+FFFD, so offsets
// in code points are valid in the text that is read back.
type markup struct {
	w    io.Writer
	err  error
	root *etree.Element
	top  *etree.Element // the innermost element that is open

	begun bool // the root's start tag is written
}

// An attr is an attribute. An empty one is omitted unless it is required.
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

// close ends the innermost open element.
func (m *markup) close() {
	m.top = m.top.Parent()
	switch m.top {
	case nil:
		m.end()
	case m.root:
		m.child()
	}
}

// leaf writes an element that contains only text, which may be empty.
func (m *markup) leaf(name, text string, attrs ...attr) {
	m.open(name, attrs...)
	if text != "" {
		m.top.CreateText(text)
	}
	m.close()
}

// indentation is two spaces; texts are not indented.
var indentation = etree.IndentSettings{Spaces: 2, PreserveLeafWhitespace: true}

// child writes and drops the current child of the root.
func (m *markup) child() {
	m.begin(">")
	m.root.IndentWithSettings(&indentation)
	m.put(encode(m.root.Child[:2]...)) // the white space before the child, and the child
	m.root.Child = nil
}

// begin writes the declaration and the root's start tag, once. tag is the end of that.
func (m *markup) begin(tag string) {
	if m.begun {
		return
	}
	m.begun = true
	m.put([]byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n"))
	empty := &etree.Element{Tag: m.root.Tag, Attr: m.root.Attr}
	m.put(append(bytes.TrimSuffix(encode(empty), []byte("/>")), tag...))
}

// end writes the end of the root, or all of a root without children.
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

// encode returns the serialised tokens.
func encode(tokens ...etree.Token) []byte {
	var b encoder
	for _, t := range tokens {
		t.WriteTo(&b, &etree.WriteSettings{CanonicalText: true, CanonicalAttrVal: true})
	}
	return b.Bytes()
}

// An encoder is the buffer that etree writes to. etree writes tags by WriteByte and
// Write, character references by Write, and everything else by WriteString. The encoder
// writes > in attributes as &gt;, and character references in decimal, as in earlier
// reports.
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

// text is an attribute that is omitted if it is empty.
func text(name, value string) attr { return attr{name: name, value: value} }

// required is an attribute that is written even if it is empty.
func required(name, value string) attr { return attr{name, value, true} }

func number[T int | int64](name string, n T) attr {
	return required(name, strconv.FormatInt(int64(n), 10))
}

// optional is an attribute that is omitted if it is 0.
func optional[T int | int64](name string, n T) attr {
	if n == 0 {
		return attr{name: name}
	}
	return number(name, n)
}

// moment is an attribute that is omitted if the time is zero.
func moment(name string, t time.Time) attr {
	if t.IsZero() {
		return attr{name: name}
	}
	return text(name, t.Format(time.RFC3339))
}

func decimal(name string, f float64) attr { return required(name, formatFloat(f)) }

func truth(name string, b bool) attr { return required(name, strconv.FormatBool(b)) }

// ifTrue is an attribute that is omitted if it is false.
func ifTrue(name string, b bool) attr {
	if !b {
		return attr{name: name}
	}
	return truth(name, b)
}

// formatFloat returns the shortest decimal that parses as f, as in JSON.
func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

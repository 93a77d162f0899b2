package report

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A markup writes indented XML. The first error sticks.
//
// XML 1.0 cannot say every character, not even by number. Each one that it
// cannot say (control characters but tab, line feed and carriage return;
// U+FFFE and U+FFFF; bytes that are not UTF-8) becomes one U+FFFD, so offsets
// in code points still hold in the text that is read back. Carriage returns,
// and line ends and tabs in attributes, are written by number, because a
// parser would change them otherwise.
type markup struct {
	w     io.Writer
	err   error
	stack []string
	text  bool // the open element has text: no line break before its end
	fresh bool // the start tag is still open
}

// An attr is an attribute. One without value is left out, unless it is
// required.
type attr struct {
	name, value string
	required    bool
}

func (m *markup) write(parts ...string) {
	for _, s := range parts {
		if m.err == nil {
			_, m.err = io.WriteString(m.w, s)
		}
	}
}

// open starts an element.
func (m *markup) open(name string, attrs ...attr) {
	m.finishTag()
	m.newLine()
	m.write("<", name)
	for _, a := range attrs {
		if a.value != "" || a.required {
			m.write(" ", a.name, `="`, escape(a.value, true), `"`)
		}
	}
	m.stack = append(m.stack, name)
	m.fresh, m.text = true, false
}

// close ends the element that was opened last.
func (m *markup) close() {
	name := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	switch {
	case m.fresh:
		m.write("/>")
	case m.text:
		m.write("</", name, ">")
	default:
		m.newLine()
		m.write("</", name, ">")
	}
	m.fresh, m.text = false, false
	if len(m.stack) == 0 {
		m.write("\n")
	}
}

// leaf writes an element with text, or none.
func (m *markup) leaf(name, text string, attrs ...attr) {
	m.open(name, attrs...)
	if text != "" {
		m.finishTag()
		m.write(escape(text, false))
		m.text = true
	}
	m.close()
}

func (m *markup) finishTag() {
	if m.fresh {
		m.write(">")
		m.fresh = false
	}
}

func (m *markup) newLine() {
	m.write("\n", strings.Repeat("  ", len(m.stack)))
}

// escape returns s as the content of an element or of an attribute.
func escape(s string, attribute bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>': // in ]]> it must not stand as it is
			b.WriteString("&gt;")
		case r == '"' && attribute:
			b.WriteString("&quot;")
		case r == '\r', attribute && (r == '\n' || r == '\t'):
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		case !sayable(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// sayable says whether XML 1.0 can express r.
func sayable(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return true
	case r < ' ', r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return true
}

// text is an attribute that is left out where it is empty.
func text(name, value string) attr { return attr{name: name, value: value} }

// required is an attribute that may be empty, but is always there.
func required(name, value string) attr { return attr{name, value, true} }

func number[T int | int64](name string, n T) attr {
	return required(name, strconv.FormatInt(int64(n), 10))
}

// optional is left out where it is 0.
func optional(name string, n int) attr {
	if n == 0 {
		return attr{name: name}
	}
	return number(name, n)
}

func decimal(name string, f float64) attr { return required(name, formatFloat(f)) }

func truth(name string, b bool) attr { return required(name, strconv.FormatBool(b)) }

// formatFloat writes f with as many digits as it takes to read the same f
// again, as JSON does.
func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

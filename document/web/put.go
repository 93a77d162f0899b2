package web

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/look"
)

// What a browser shows is not only what is between the tags: style sheets put text before
// and after elements, turn characters round, and say which elements part words.

// A put is text that a style sheet puts beside that of an element.
type put struct {
	text string
	in   look.Element
}

// Unseen says why the text is not seen.
func (p put) Unseen() (why string, room bool) { return p.in.Unseen() }

// beside returns what the sheets put on a side of what is in e.
func (h *hiding) beside(e *look.Element, side look.Side, attrs map[string]string) *put {
	inner, err := h.sheet.Beside(h.pulse, e, h.open, side)
	if err != nil {
		h.err = err
		return nil
	}
	if inner.Content == "" {
		return nil
	}
	return &put{content(inner.Content, attrs), inner}
}

// content reads what a sheet says that is to be shown: strings, and attributes of the
// element. Signs alone are no text.
func content(value string, attrs map[string]string) string {
	var b strings.Builder
	for value = strings.TrimSpace(value); value != ""; value = strings.TrimSpace(value) {
		var s string
		switch value[0] {
		case '"', '\'':
			s, value = cssString(value)
		default:
			call, rest, ok := strings.Cut(value, ")")
			name, isAttr := strings.CutPrefix(call, "attr(")
			if !ok || !isAttr {
				return ""
			}
			s, value = attrs[strings.TrimSpace(name)], rest
		}
		b.WriteString(s)
	}
	if strings.IndexFunc(b.String(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return ""
	}
	return b.String()
}

// cssString reads the string at the start of s, and returns what follows it.
func cssString(s string) (text, rest string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), s[i+1:]
		case s[i] != '\\' || i+1 == len(s):
			b.WriteByte(s[i])
		default:
			r, size := cssEscape(s[i+1:])
			b.WriteRune(r)
			i += size
		}
	}
	return b.String(), ""
}

// cssEscape reads what follows a backslash.
func cssEscape(s string) (r rune, size int) {
	for size < min(len(s), 6) && strings.IndexByte("0123456789abcdef", s[size]) >= 0 {
		size++
	}
	if size == 0 {
		return utf8.DecodeRuneInString(s)
	}
	n, _ := strconv.ParseUint(s[:size], 16, 32) // hexadecimal digits
	if size < len(s) && s[size] == ' ' {
		size++
	}
	if n == 0 {
		return ' ', size
	}
	return rune(n), size
}

// put adds text of a style sheet. A letter alone is a picture, mostly, unless it goes on
// with a word.
func (r *htmlReader) put(p *put) {
	if p == nil || p.text == "" || utf8.RuneCountInString(p.text) == 1 && !r.flow.WithinWord() || r.raw != 0 || r.template > 0 || r.hiding.left() {
		return
	}
	if p.in.Look.Loose { // in the margin, mostly
		r.flow.Gap(flow.Space)
		defer r.flow.Gap(flow.Space)
	}
	r.flow.Show([]byte(p.text), p)
}

// gap notes the gap that an element makes at its start or end.
func (r *htmlReader) gap(usual flow.Gap, how look.Flow) {
	switch {
	case r.hiding.left() && r.strips == keepAll:
		return
	case how == look.Inline && usual == flow.Part:
		r.beside = true
		return
	case how == look.Block && usual == flow.None:
		usual = flow.Line
	}
	if usual == flow.Part {
		r.turn(false)
		r.putNotes()
	}
	r.flow.Gap(usual)
}

// touch decides about elements in a line, between which is nothing, before the text that
// follows: they are parts of a word where that goes on in small letters. Others have room
// between them that is made by what is in them.
func (r *htmlReader) touch(s []byte) {
	if !r.beside || len(s) == 0 {
		return
	}
	r.beside = false
	if next, _ := utf8.DecodeRune(s); !unicode.IsLower(next) || !r.flow.WithinWord() {
		r.flow.Gap(flow.Part)
	}
}

// turn says whether the characters that follow are shown in the other order, by the sign
// that says so of plain text.
func (r *htmlReader) turn(backwards bool) {
	if backwards == r.turned {
		return
	}
	if r.turned = backwards; backwards {
		r.flow.Text([]byte("\u202e"))
	} else {
		r.flow.Text([]byte("\u202c"))
	}
}

// show adds running text as it looks here.
func (r *htmlReader) show(s []byte) {
	e := r.hiding.element()
	if why, _ := r.hiding.Unseen(); why == "" && (e.Backwards || r.turned) && len(strings.TrimSpace(string(s))) > 0 {
		r.turn(e.Backwards)
	}
	if e.Tight && strings.ContainsAny(string(s), " \t\n") {
		s = []byte(strings.Join(strings.Fields(string(s)), ""))
		r.flow.Unseen([]byte{'-'}, "too small to see", false)
	}
	r.flow.Show(s, &r.hiding)
}

// element returns the one that is open.
func (h *hiding) element() look.Element {
	if n := len(h.open); n > 0 {
		return h.open[n-1]
	}
	return look.Element{}
}

// closing returns the element that an end tag closes, and what is put after it.
func (h *hiding) closing(name string) (look.Flow, *put) {
	if h.over > 0 || h.names[name] == 0 {
		return look.Usual, nil
	}
	for i := len(h.open) - 1; i >= 0; i-- {
		if h.open[i].Name == name {
			return h.open[i].Beside(), h.place[i].after
		}
	}
	return look.Usual, nil
}

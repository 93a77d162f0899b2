package web

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/look"
)

// Style sheets change the text that a browser shows: they add text before and after elements,
// reverse the order of characters, and decide which elements separate words.

// A put is text that a style sheet adds before or after the content of an element.
type put struct {
	text string
	in   look.Element
}

// Unseen returns why the text is invisible, "" if it is visible.
func (p put) Unseen() (why string, room bool) { return p.in.Unseen() }

// beside returns the text that style sheets add on one side of the content of e.
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

// content evaluates the CSS property content: strings and attributes of the element. It skips
// counters, pictures and names of quotation marks. Punctuation alone counts as no text.
func content(value string, attrs map[string]string) string {
	var b strings.Builder
	for value = strings.TrimSpace(value); value != ""; value = strings.TrimSpace(value) {
		var s string
		switch value[0] {
		case '"', '\'':
			s, value = cssString(value)
		case '/': // the rest is an alternative for screen readers
			value = ""
		default:
			word := value[:len(value)-len(strings.TrimLeft(value, "abcdefghijklmnopqrstuvwxyz-"))]
			rest, isCall := strings.CutPrefix(value[len(word):], "(")
			if word == "" && !isCall {
				return ""
			}
			argument := ""
			if value = rest; isCall {
				argument, value, _ = strings.Cut(rest, ")")
			}
			if word == "attr" {
				name, _, _ := strings.Cut(argument, ",")
				s = attrs[strings.TrimSpace(name)]
			}
		}
		b.WriteString(s)
	}
	if strings.IndexFunc(b.String(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return ""
	}
	return b.String()
}

// cssString reads the string at the start of s and returns the rest.
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

// cssEscape reads an escape sequence after the backslash.
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

// put adds text of a style sheet. A single letter is usually an icon, unless it is part of a
// word.
func (r *htmlReader) put(p *put) {
	if p == nil || p.text == "" || utf8.RuneCountInString(p.text) == 1 && !r.flow.WithinWord() || r.raw != 0 || r.template > 0 || r.hiding.left() {
		return
	}
	if p.in.Look.Loose { // usually in the margin
		r.flow.Gap(flow.Space)
		defer r.flow.Gap(flow.Space)
	}
	r.flow.Show([]byte(p.text), p)
}

// gap records the gap at the start or end of an element.
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

// touch decides whether adjacent inline elements are parts of one word, before the text that
// follows is added: they are if that starts with a lower-case letter. Otherwise padding or margins
// are assumed to separate them.
func (r *htmlReader) touch(s []byte) {
	if !r.beside || len(s) == 0 {
		return
	}
	r.beside = false
	if next, _ := utf8.DecodeRune(s); !unicode.IsLower(next) || !r.flow.WithinWord() {
		r.flow.Gap(flow.Part)
	}
}

// turn marks where characters are shown in reverse order, by the Unicode control characters for
// that.
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

// show adds running text with the current look.
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

// element returns the innermost open element.
func (h *hiding) element() look.Element {
	if n := len(h.open); n > 0 {
		return h.open[n-1]
	}
	return look.Element{}
}

// closing returns how the element that an end tag closes is displayed, and the text that a style
// sheet adds after it.
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

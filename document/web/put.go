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
	sure bool // it has counters or quotation marks, so a single letter is not an icon
	in   look.Element
}

// Unseen returns why the text is invisible, "" if it is visible.
func (p put) Unseen() (why string, room bool) { return p.in.Unseen() }

// Raised reports whether the text is raised above the line.
func (p put) Raised() bool { return p.in.Look.Up }

// generates reports whether text may be added to the content of e.
func (h *hiding) generates(e look.Element) bool {
	puts, _ := h.sheet.Puts()
	return puts || e.Generated.Quotes != "" && e.Name == "q" || e.Generated.Marker != "" && e.Listed()
}

// beside returns the text that style sheets add on one side of the content of e, nil if there is
// none: the marker of a list item, counters, and quotation marks among others.
func (h *hiding) beside(e *look.Element, side look.Side, attrs map[string]string) *put {
	inner, err := h.sheet.Beside(h.pulse, e, h.open, side)
	if err != nil {
		h.err = err
		return nil
	}
	value := inner.Content
	if value == "" {
		inner = e.Inside("")
	}
	if value == "" && e.Name == "q" && e.Generated.Quotes != "" {
		value = quoteSides[side]
	}
	if side == look.Before && e.Listed() && e.Generated.Marker != "" {
		value = e.Generated.Marker + " " + value
	}
	if value == "" {
		return nil
	}
	h.counters.count(inner.Generated, len(h.open)+1)
	c := contentReader{h: h, attrs: attrs, quotes: inner.Generated.Quotes}
	return &put{c.read(value), c.sure, inner}
}

// quoteSides are what browsers add to <q>.
var quoteSides = map[look.Side]string{look.Before: "open-quote", look.After: "close-quote"}

// A contentReader evaluates the CSS property content.
type contentReader struct {
	h      *hiding
	attrs  map[string]string // of the element
	quotes string            // the property quotes
	sure   bool              // see put
}

// read returns the text of a value: strings, attributes, counters and quotation marks. It skips
// pictures. Punctuation alone counts as no text.
func (c *contentReader) read(value string) string {
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
				argument, value = argumentOf(rest)
			}
			s = c.word(word, argument)
		}
		b.WriteString(s)
	}
	if strings.IndexFunc(b.String(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return ""
	}
	return b.String()
}

// word evaluates a keyword or a function.
func (c *contentReader) word(word, argument string) string {
	switch word {
	case "attr":
		name, other, _ := strings.Cut(argument, ",")
		if words := strings.Fields(name); len(words) > 0 { // a type may follow
			if s, ok := c.attrs[words[0]]; ok {
				return s
			}
		}
		return c.read(other)
	case "counter", "counters":
		c.sure = true
		return c.h.counters.text(argument, word == "counters")
	case "open-quote", "close-quote", "no-open-quote", "no-close-quote":
		c.sure = true
		return c.h.quote(word, c.quotes)
	case "var":
		c.h.unread.Words("var()", leastUnread)
	}
	return ""
}

// quote returns the quotation mark for a keyword and counts the nesting of quotations.
func (h *hiding) quote(word, quotes string) string {
	opens := strings.HasSuffix(word, "open-quote")
	if !opens {
		h.quoted = max(h.quoted-1, 0)
	}
	marks := cssStrings(quotes)
	at := 2 * min(h.quoted, max(len(marks)/2-1, 0))
	if opens {
		h.quoted++
	} else {
		at++
	}
	if strings.HasPrefix(word, "no-") || at >= len(marks) {
		return ""
	}
	return marks[at]
}

// argumentOf returns the argument of a function, up to its closing bracket, and the rest after it.
func argumentOf(s string) (argument, rest string) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"', '\'':
			_, after := cssString(s[i:])
			i = len(s) - len(after) - 1
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return s[:i], s[i+1:]
			}
		}
	}
	return s, ""
}

// cssStrings returns the strings in a value.
func cssStrings(value string) (list []string) {
	for {
		at := strings.IndexAny(value, `"'`)
		if at < 0 {
			return list
		}
		var s string
		s, value = cssString(value[at:])
		list = append(list, s)
	}
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
// word; many are noted.
func (r *htmlReader) put(p *put) {
	if p == nil || p.text == "" || r.raw != 0 || r.template > 0 || r.hiding.left() {
		return
	}
	if !p.sure && utf8.RuneCountInString(p.text) == 1 && !r.flow.WithinWord() {
		r.hiding.unread.Words("::before", 1)
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

// touch decides, before the following text is added, whether adjacent inline elements are parts of
// one word: they are if that text starts with a lower-case letter. Otherwise padding or margins are
// assumed to separate them.
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

// closing returns how the element that an end tag closes is displayed.
func (h *hiding) closing(name string) look.Flow {
	if h.over > 0 || h.names[name] == 0 {
		return look.Usual
	}
	for i := len(h.open) - 1; i >= 0; i-- {
		if h.open[i].Name == name {
			return h.open[i].Beside()
		}
	}
	return look.Usual
}

// putEnded adds the text of style sheets at the end of the elements that ended.
func (r *htmlReader) putEnded() {
	for _, p := range r.hiding.ended {
		r.put(p)
	}
	r.hiding.ended = nil
}

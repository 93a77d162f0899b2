package markup

import (
	"context"
	"fmt"
	"strings"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/lang/phrase"
)

// maxTypst is the largest depth of nested brackets.
const maxTypst = 1000

var (
	typstName    = format.Pattern(`^[\pL_][\pL\pN_.-]*`)
	typstLabel   = format.Pattern(`^<[\pL_][\pL\pN_.:-]*>`)
	typstRef     = format.Pattern(`^@[\pL_][\pL\pN_:-]*(?:\.[\pL\pN_:-]+)*`)
	typstHead    = format.Pattern(`^=+[ \t]+`)
	typstItem    = format.Pattern(`^(?:[-+]|\d+\.|/)[ \t]+`)
	typstSize    = format.Pattern(`\bsize:\s*([\d.]+)pt`)
	typstWhite   = format.Pattern(`(?:^|[(,\s])(?:fill:\s*)?(?:white|rgb\("#?[fF]{3}(?:[fF]{3})?"\)|luma\((?:255|100%)\))\s*(?:[,)]|$)`)
	typstMeta    = format.Pattern(`\b(title|authors?):\s*\(?\s*(?:name:\s*|\(\s*name:\s*)?(?:\[([^\[\]]*)\]|"([^"]*)")`)
	typstContent = format.Pattern(`"((?:[^"\\]|\\.)*)"|\[([^\[\]]*)\]`)
	typstFile    = format.Pattern(`\b(?:read|csv|json|toml|yaml|xml|cbor)\("`)
	typstString  = format.Pattern(`"((?:[^"\\]|\\.)*)"`)
)

// Thresholds for text of strings, formulas and statements that is not read.
const (
	asideWords = 3  // words of a string that is not a name or an option
	leastAside = 20 // words that are worth a note
)

// setAside counts the words of the strings and contents of code.
func (r *typstReader) setAside(kind, code string) {
	r.others += len(typstFile().FindAllString(code, -1))
	for _, m := range typstContent().FindAllStringSubmatch(code, -1) {
		if n := len(strings.Fields(m[1] + m[2])); n >= asideWords {
			r.aside.Words(kind, n)
		}
	}
}

// maxArguments is how many bytes of the arguments of a function are searched for its look.
const maxArguments = 4096

// typstStatements are keywords after # that show no text.
var typstStatements = format.Names("let", "set", "show", "import", "include", "return")

// typstWords are functions whose string arguments are text.
var typstWords = format.Names("text", "emph", "strong", "quote", "footnote", "heading", "title", "smallcaps", "highlight", "par", "underline", "strike", "raw", "super", "sub")

// typstRaise are functions whose content may have a background colour.
var typstRaise = format.Names("box", "block", "rect", "square", "circle", "ellipse", "table", "grid", "highlight", "page", "cell", "table.cell", "grid.cell", "polygon", "place")

// A typstReader parses Typst.
type typstReader struct {
	*writer
	s    string
	at   int
	look []look.Change
	err  error
	deep int
	line bool // at the start of a line

	aside    format.Unread // strings and content of statements
	bodiless int           // length of s in which no body follows
}

// Typst reads the text of a Typst file. It omits formulas and does not run code.
func Typst(ctx context.Context, src *format.Source) (*format.Text, error) {
	w, text, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	w.inline = func(s string) string { return s }
	r := &typstReader{writer: w, s: text, look: []look.Change{{}}, line: true}
	r.Begin()
	r.markup(0)
	if r.err != nil {
		return nil, r.err
	}
	r.Finish()
	if r.aside.Sum() >= leastAside {
		w.unread.Merge(r.aside)
	}
	return w.done()
}

// ended reports whether the input is at its end.
func (r *typstReader) ended() bool {
	if r.err == nil {
		r.err = r.pulse.Err()
	}
	return r.err != nil || r.at >= len(r.s)
}

func (r *typstReader) hasPrefix(prefix string) bool { return strings.HasPrefix(r.s[r.at:], prefix) }

// past skips to after the next mark, or to the end.
func (r *typstReader) past(mark string) {
	if i := strings.Index(r.s[r.at:], mark); i >= 0 {
		r.at += i + len(mark)
	} else {
		r.at = len(r.s)
	}
}

// deeper calls fn to read the content of brackets, unless they are nested too deep.
func (r *typstReader) deeper(fn func()) {
	if r.deep++; r.deep > maxTypst {
		r.err = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.brackets-deep", "brackets are nested more than {depth} deep", "depth", maxTypst))
	} else {
		fn()
	}
	r.deep--
}

func (r *typstReader) show(s string) {
	r.Show([]byte(s), r.look[len(r.look)-1].Look())
}

// markup reads text up to a closing bracket, or to the end if close is 0.
func (r *typstReader) markup(close byte) {
	for !r.ended() {
		if r.line && r.starts() || r.at >= len(r.s) {
			continue
		}
		c := r.s[r.at]
		if r.line = c == '\n'; c == close && close != 0 {
			r.at++
			return
		}
		switch {
		case c == '\n':
			r.newLine()
		case c == '\\':
			r.escape()
		case r.hasPrefix("//") && (r.at == 0 || r.s[r.at-1] != ':'):
			r.past("\n")
			r.at = max(r.at-1, 0)
			if r.ended() || r.s[r.at] != '\n' {
				r.at = len(r.s)
			}
		case r.hasPrefix("/*"):
			r.past("*/")
		case c == '`':
			r.raw()
		case c == '$':
			r.at++
			start := r.at
			r.past("$")
			r.setAside("$ $", r.s[start:r.at])
			r.Gap(flow.Space)
		case c == '#':
			r.at++
			r.code()
		case c == '*' || c == '_':
			r.at++
		case c == '~':
			r.at++
			r.show("\u00a0")
		case typstLabel().MatchString(r.s[r.at:min(r.at+200, len(r.s))]):
			r.past(">")
		case typstRef().MatchString(r.s[r.at:min(r.at+200, len(r.s))]):
			r.at += len(typstRef().FindString(r.s[r.at:min(r.at+200, len(r.s))]))
		default:
			r.words()
		}
	}
}

// words reads text up to the next character that may be markup.
func (r *typstReader) words() {
	end := strings.IndexAny(r.s[r.at+1:], "\n\\/`$#*_~<@]")
	if end < 0 {
		end = len(r.s) - r.at - 1
	}
	r.show(r.s[r.at : r.at+1+end])
	r.at += 1 + end
}

// starts reads the mark of a heading or a list item at the start of a line.
func (r *typstReader) starts() bool {
	rest := strings.TrimLeft(r.s[r.at:], " \t")
	r.at = len(r.s) - len(rest)
	r.line = false
	if m := typstHead().FindString(rest[:min(len(rest), 64)]); m != "" {
		r.at += len(m)
		r.head()
		return true
	}
	if m := typstItem().FindString(rest[:min(len(rest), 64)]); m != "" {
		r.at += len(m)
		r.Gap(flow.Part)
		return true
	}
	return false
}

// head reads a heading, to the end of the line.
func (r *typstReader) head() {
	end := strings.IndexByte(r.s[r.at:], '\n')
	if end < 0 {
		end = len(r.s) - r.at
	}
	rest, after := r.s, r.at+end
	r.s = r.s[:after]
	start := r.Builder.Start(flow.Part)
	r.deeper(func() { r.markup(0) })
	r.Mark(format.Heading, start)
	r.s, r.at = rest, after
	r.Gap(flow.Part)
}

// newLine reads a line end. An empty line ends the paragraph; its footnotes follow.
func (r *typstReader) newLine() {
	r.at++
	r.show("\n")
	if rest := strings.TrimLeft(r.s[r.at:], " \t"); strings.HasPrefix(rest, "\n") {
		r.Finish()
		r.Begin()
	}
}

func (r *typstReader) escape() {
	r.at++
	switch {
	case r.ended():
	case r.s[r.at] == '\n' || r.s[r.at] == ' ':
		r.Gap(flow.Line)
	case r.hasPrefix("u{"):
		var c rune
		if _, err := fmt.Sscanf(r.s[r.at:min(r.at+12, len(r.s))], "u{%x}", &c); err == nil {
			r.show(string(c))
		}
		r.past("}")
	default:
		r.words()
	}
}

// raw reads raw text unchanged.
func (r *typstReader) raw() {
	rest := strings.TrimLeft(r.s[r.at:], "`")
	fence := r.s[r.at : len(r.s)-len(rest)]
	r.at += len(fence)
	if len(fence) == 2 {
		return
	}
	start := r.at
	r.past(fence)
	code := strings.TrimSuffix(r.s[start:r.at], fence)
	if len(fence) < 3 {
		r.show(code)
		return
	}
	if _, lines, ok := strings.Cut(code, "\n"); ok {
		code = lines
	}
	r.Gap(flow.Part)
	r.Verbatim([]byte(strings.TrimSpace(code)))
	r.Gap(flow.Part)
}

// code reads code after #.
func (r *typstReader) code() {
	name := typstName().FindString(r.s[r.at:min(r.at+200, len(r.s))])
	r.at += len(name)
	switch {
	case name == "" && r.hasPrefix("{"), name == "" && r.hasPrefix("("):
		r.arguments("")
	case name == "" && r.hasPrefix("["):
		r.content("")
	case name == "":
		r.show("#")
	case typstStatements[name]:
		if name == "include" {
			r.others++
		}
		start := r.at
		r.statement()
		r.setAside("#"+name, r.s[start:min(r.at, len(r.s))])
	case name == "if" || name == "for" || name == "while":
		if i := r.body(); i >= 0 {
			r.at += i
		}
		r.calls("")
	default:
		r.calls(name)
	}
}

// body returns the distance to the next bracket, brace or line end, where the body of a
// condition or a loop starts; -1 if none follows. Text without any is searched once.
func (r *typstReader) body() int {
	if r.bodiless == len(r.s) {
		return -1
	}
	i := strings.IndexAny(r.s[r.at:], "[{\n")
	if i < 0 {
		r.bodiless = len(r.s)
	}
	return i
}

// statement skips a statement, to the end of its line outside brackets.
func (r *typstReader) statement() {
	start, depth := r.at, 0
	for ; !r.ended(); r.at++ {
		switch c := r.s[r.at]; {
		case c == '"':
			r.at += max(len(typstString().FindString(r.s[r.at:]))-1, 0)
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			if depth--; depth < 0 {
				return
			}
		case (c == '\n' || c == ';') && depth == 0:
			r.meta(r.s[start:r.at])
			return
		}
	}
	r.meta(r.s[start:min(r.at, len(r.s))])
}

// meta reads title and author from a statement.
func (r *typstReader) meta(s string) {
	for _, m := range typstMeta().FindAllStringSubmatch(s[:min(len(s), 4096)], -1) {
		if value := flow.OneLine(m[2] + m[3]); m[1] == "title" && r.title == "" {
			r.title = value
		} else if m[1] != "title" && r.author == "" {
			r.author = value
		}
	}
}

// calls reads the arguments of a function and the content blocks after them.
func (r *typstReader) calls(name string) {
	args := ""
	side := name == "footnote"
	if side {
		r.BeginSide(format.Footnote)
	}
	before := r.look
	around := before[len(before)-1]
	r.look = append(before, typstChange(around, name, ""))
	for !r.ended() {
		switch {
		case r.hasPrefix("("):
			start := r.at
			r.arguments(name)
			args = r.s[start:min(r.at, len(r.s), start+maxArguments)]
			r.look[len(r.look)-1] = typstChange(around, name, args)
		case r.hasPrefix("["):
			r.content(name)
		case r.hasPrefix("{"):
			r.arguments("")
		case r.hasPrefix(".") && typstName().MatchString(r.s[r.at+1:min(r.at+60, len(r.s))]):
			r.at += 1 + len(typstName().FindString(r.s[r.at+1:min(r.at+60, len(r.s))]))
		case r.hasPrefix(" else"):
			if i := r.body(); i >= 0 {
				r.at += i
			} else {
				r.at += 5
			}
		default:
			goto end
		}
	}
end:
	r.look = before
	if side {
		r.EndSide()
	}
}

// typstChange returns how a function with these arguments changes the look of its text.
func typstChange(c look.Change, name, args string) look.Change {
	switch {
	case name == "hide":
		c.Veiled = look.Yes
	case name == "super":
		c.Up = look.Yes
	case name == "text":
		if typstWhite().MatchString(args) {
			c.Ink = look.White
		} else if strings.Contains(args, "fill:") {
			c.Ink = look.Unknown
		}
		if m := typstSize().FindStringSubmatch(args); m != nil {
			fmt.Sscan(m[1], &c.Size)
		}
	case typstRaise[name]:
		c.Ground = look.Unknown
	}
	return c
}

// content reads a content block.
func (r *typstReader) content(name string) {
	block := name == "figure" || name == "quote" || name == "table" || name == "grid" || name == "align" || name == "block"
	if block {
		r.Gap(flow.Part)
	}
	start := r.Len()
	r.at++
	r.deeper(func() { r.markup(']') })
	if name == "quote" {
		r.Mark(format.Quote, start)
	}
	if block {
		r.Gap(flow.Part)
	}
	r.line = false
}

// arguments reads the texts within parentheses or braces.
func (r *typstReader) arguments(name string) {
	depth := 0
	for !r.ended() {
		switch c := r.s[r.at]; {
		case c == '(' || c == '{':
			depth++
			r.at++
		case c == ')' || c == '}':
			r.at++
			if depth--; depth <= 0 {
				return
			}
		case c == '[':
			r.Gap(flow.Cell)
			if name == "figure" {
				r.Gap(flow.Part)
			}
			r.content("")
			r.Gap(flow.Cell)
		case c == '"':
			if typstFile().MatchString(r.s[max(0, r.at-len("#toml(")) : r.at+1]) {
				r.others++
			}
			m := typstString().FindStringSubmatch(r.s[r.at:])
			if m == nil {
				r.at = len(r.s)
				return
			}
			if r.at += len(m[0]); typstWords[name] && depth == 1 && !strings.HasSuffix(strings.TrimRight(r.s[:r.at-len(m[0])], " "), ":") {
				r.show(strings.ReplaceAll(m[1], `\"`, `"`))
			} else {
				r.setAside("#"+name, m[0])
			}
		case r.hasPrefix("//") && r.s[r.at-1] != ':':
			r.past("\n")
		case r.hasPrefix("/*"):
			r.past("*/")
		default:
			r.at++
		}
	}
}

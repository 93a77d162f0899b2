package markup

import (
	"context"
	"html"
	"strings"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

// textileProps are the class, style, language and alignment of a block or a span.
const textileProps = `(?:\([^()\n]*\)|\{[^{}\n]*\}|\[[^\[\]\n]*\]|[<>=()])*`

var (
	textileBlock   = format.Pattern(`^(h[1-6]|p|bq|bc|pre|notextile|div|clear|table|fn\d+|###)` + textileProps + `(\.\.?)(?::\S+)?(?: |$)`)
	textileItem    = format.Pattern(`^\s*(?:[*#]+` + textileProps + `|-)\s+`)
	textileRow     = format.Pattern(`^` + textileProps + `\. +\|`)
	textileCell    = format.Pattern(`^(?:[_<>=^~-]|[\\/]\d+|\([^()]*\)|\{[^{}]*\})+\. `)
	textileAddress = format.Pattern(`^\[[\w-]+\](?:https?://|mailto:|/)\S+$`)

	textileLink    = format.Pattern(`\[?"` + textileProps + `([^"\n]+?)(?:\([^()"]*\))?":[\w/#.][^\s<>"\])]*[\w/#]\]?`)
	textilePicture = format.Pattern(`(?:^|\s)!` + textileProps + `[^\s!()]+(?:\(([^()]*)\))?!(?::\S+)?`)
	textileMark    = format.Pattern(`\[(\d+)!?\]`)
	textileSpan    = format.Pattern(`(^|[\s\[(])(\*\*?|__?|\?\?|[-+^~%])(?:\([^()\s]+\)|\{[^{}\n]*\}|\[[a-z-]+\])+`)
	textileTag     = format.Pattern(`</?[A-Za-z][^<>]*>`)
	textileBracket = format.Pattern(`\[([*_@^~%+-]+)([^\[\]]*?)([*_@^~%+-]+)\]`)
	textileRaised  = format.Pattern(`\[\^([^\[\]^]*)\^\]`)
	textileSigns   = pairs("**", "__", "*", "_", "??", "-", "+", "^", "~", "%", "@", "==")
)

// A textileReader reads Textile.
type textileReader struct {
	*writer
	block    string // name of the open block, "" for a paragraph
	extended bool   // the block continues after blank lines
}

// Textile reads Textile.
func Textile(ctx context.Context, src *format.Source) (*format.Text, error) {
	return byLine(ctx, src, func(w *writer, _ string) liner { return &textileReader{writer: w} })
}

func (r *textileReader) clean(s string) string {
	s = textilePicture().ReplaceAllStringFunc(s, func(m string) string {
		r.countProse("!", textilePicture().FindStringSubmatch(m)[1])
		return ""
	})
	s = textileLink().ReplaceAllString(s, "$1")
	s = flow.WithoutNotes(s, textileMark())
	s = flow.WithoutNotes(s, textileRaised())
	s = textileBracket().ReplaceAllString(s, "$2")
	s = textileSpan().ReplaceAllString(s, "$1$2")
	s = without(textileSigns(), s)
	return html.UnescapeString(textileTag().ReplaceAllString(s, ""))
}

func (r *textileReader) addLine(l string) {
	m := textileBlock().FindStringSubmatch(l)
	switch {
	case m != nil:
		r.end()
		r.begin(m[1], m[2] == "..")
		if l = l[len(m[0]):]; l != "" {
			r.within(l)
		}
	case l == "" && r.extended:
		r.part()
	case l == "":
		r.end()
	default:
		r.within(l)
	}
}

// begin starts a block.
func (r *textileReader) begin(name string, extended bool) {
	r.block, r.extended = name, extended
	if name == "bq" {
		r.quoted(true)
	}
}

// end ends the open block.
func (r *textileReader) end() {
	text := strings.Join(r.lines, "\n")
	switch {
	case text == "":
	case strings.HasPrefix(r.block, "h"):
		r.lines, r.size = r.lines[:0], 0
		if r.heading(text); r.block == "h1" && r.title == "" {
			r.title = flow.OneLine(r.clean(text))
		}
	case strings.HasPrefix(r.block, "fn"):
		r.lines, r.size = r.lines[:0], 0
		r.note(text)
	}
	r.quoted(false)
	r.part()
	r.block, r.extended = "", false
}

// within reads a line of the open block.
func (r *textileReader) within(l string) {
	switch {
	case r.block == "###", r.block == "table", r.block == "clear":
		if r.block == "table" && strings.HasPrefix(l, "|") {
			r.row(l)
		}
	case r.block == "bc", r.block == "pre", r.block == "notextile":
		r.code(l)
	case r.block != "":
		r.line(l)
	case textileAddress().MatchString(l):
	case strings.HasPrefix(l, "|"):
		r.row(l)
	case textileRow().MatchString(l):
		r.row(l[strings.IndexByte(l, '|'):])
	case textileItem().MatchString(l):
		r.part()
		r.line(strings.Replace(l[len(textileItem().FindString(l)):], " := ", " ", 1))
	default:
		r.line(l)
	}
}

// row reads a row of a table.
func (r *textileReader) row(l string) {
	cells := strings.Split(strings.Trim(l, "|"), "|")
	for i, c := range cells {
		cells[i] = textileCell().ReplaceAllString(c, "")
	}
	r.cells(cells)
}

package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

var (
	mdHeading   = format.Pattern(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	mdUnderline = format.Pattern(`^ {0,3}(=+|-+)[ \t]*$`)
	mdRule      = format.Pattern(`^ {0,3}(([-*_])[ \t]*){3,}$`)
	mdFence     = format.Pattern("^[ \t]*(```+|~~~+)") // at any indentation, as in list items
	mdItem      = format.Pattern(`^[ \t]*([-*+]|\d{1,9}[.)])[ \t]+`)
	mdQuote     = format.Pattern(`^( {0,3}>[ \t]?)+`)
	mdDefine    = format.Pattern(`^ {0,3}\[[^\]^][^\]]*\]:[ \t]*\S+`)
	mdNote      = format.Pattern(`^ {0,3}\[\^[^\]]+\]:[ \t]*`)
	mdTableRule = format.Pattern(`^[ \t]*\|?[ \t:-]*-[ \t:|-]*\|[ \t:|-]*$`)
	mdField     = format.Pattern(`^([A-Za-z][\w-]*)(?::|[ \t]*=)[ \t]*[|>]?[-+]?[ \t]*(.*?)[ \t]*$`)

	mdImage    = format.Pattern(`!\[([^\]]*)\](?:` + mdTarget + `|\[[^\]]*\])`)
	mdLink     = format.Pattern(`\[((?:[^\]\[]|\[[^\]\[]*\])*)\](?:` + mdTarget + `|\[[^\]]*\])`)
	mdWiki     = format.Pattern(`!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]`)
	mdLow      = format.Pattern(`(\pL)~([^\s~]+)~`)
	mdTask     = format.Pattern(`^\[[ xX]\][ \t]+`)
	mdRole     = format.Pattern("[ \t]?\\{cite[\\w:]*\\}`[^`]*`|\\{[a-z][\\w:.-]*\\}`([^`<]*?)(?:\\s*<[^`<>]*>)?`")
	mdEnd      = format.Pattern(`\n(?:---|\.\.\.|\+\+\+)[ \t]*\n`)
	mdCall     = format.Pattern(`\[\^[^\]]+\]`)
	mdTag      = format.Pattern(`<(!--(?s:.*?)--|/?[A-Za-z][^<>]*)>`)
	mdAuto     = format.Pattern(`^<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>`)
	mdInNote   = format.Pattern(`\^\[((?:[^\[\]]|\[[^\[\]]*\])*)\]`)
	mdCite     = format.Pattern(`[ \t]?\[(?:[^\[\]]*[\s;-])?@[\w{][^\[\]]*\]`)
	mdBare     = format.Pattern(`(^|[\s(])-?@[\w][\w:.#$%&+?<>~/-]*\w`)
	mdPlace    = format.Pattern(`\\@ref\([^()\n]*\)|\(\\#[\w:-]*\)`) // references and labels of bookdown
	mdSpan     = format.Pattern(`\[([^\[\]]*)\]\{[^{}\n]*\}|\{(?::|[#.][\pL\w-])[^{}\n]*\}`)
	mdListed   = format.Pattern(`(\]` + mdTarget + `|\]\[[^\[\]]*\]|\x00)\{[^{}]*\}`) // attributes after a link, a picture or code
	mdCode     = format.Pattern(`\{\{[<%].*?[>%]\}\}|\{%.*?%\}`)
	mdString   = format.Pattern(`"([^"]*)"`)
	mdStyled   = format.Pattern(`\[([^\[\]]*)\]\{[^{}\n]*style="([^"{}\n]*)"[^{}\n]*\}`)
	mdDiv      = format.Pattern(`^[ \t]*(?:(?::{3,}|!!!|\?\?\?\+?)[ \t]*(?:\{[^{}]*\}|[\w-]*)|===\+?[ \t]+")[ \t]*"?([^":]*)"?[ \t]*:*$`)
	mdDivTitle = format.Pattern(`\b(?:title|name)="([^"]*)"`)
	mdChunk    = format.Pattern(`\bchild\s*=\s*(?:c\()?["']([^"']*)`)
	mdCaption  = format.Pattern(`\bfig\.cap\s*=\s*"((?:[^"\\]|\\.)*)"`)
	mdRaised   = format.Pattern(`\^([^\s^\[\]]+)\^`)
	mdRaw      = format.Pattern("\x00([0-9]+)\x00")
)

// mdTarget matches the address of a link and its title, in which parentheses may be in pairs.
const mdTarget = `(?:\((?:[^()]|\([^()]*\))*\)|\([^)]*\))`

// mdMarks removes the marks of strong text and of code. A regular expression took half of the time of reading.
var mdMarks = strings.NewReplacer("*", "", "__", "", "~~", "", "`", "")

// A markdownReader parses Markdown: blocks line by line, inline markup paragraph by paragraph.
//
// The library goldmark 1.8.7 was not taken: it cannot be cancelled, and takes quadratic time for
// nested list items, link definitions and unmatched backquotes (120 KB of "1. ": 7 s).
type markdownReader struct {
	flow.Builder
	title   string
	author  string
	fence   string // line that ends the open code block
	mark0   int    // offset of the start of the last line
	textual bool   // the last line was text, so that an underline makes it a heading
	parted  bool   // the last line was empty
	quote   int    // offset of the start of the open block quote, plus 1; 0 for none
	items   []mdOpenItem
	hiding  hiding
	unshown string   // mark that ends the open block that is not shown; "" for none
	quarto  bool     // Quarto or R Markdown, in which @key is a citation
	notes   []string // notes in the open paragraph
	unread  format.Unread

	at       int            // offset of the line after this one, in the text after the front matter
	lastEnds map[string]int // by mark that ends a block that is not shown, the same of the last line with it

	lines []string // lines of the open paragraph
	size  int      // bytes in lines
	raw   []string // code and addresses in lines, which are kept unchanged
}

// maxParagraph limits how many bytes of a paragraph are parsed at once for inline markup.
const maxParagraph = 1 << 20

// Markdown reads Markdown: the text without markup, with list items and headings as paragraphs
// of their own. Code is kept unchanged.
func Markdown(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return nil, err
	}
	r := &markdownReader{quarto: src.Ext == "qmd" || src.Ext == "rmd"}
	if r.hiding, err = newHiding(ctx, data, notLinked); err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(flow.AsString(bytes.TrimPrefix(data, format.BOM)), "\r\n", "\n")
	text = r.frontMatter(strings.ReplaceAll(text, "\x00", " "))
	r.lastEnds = lastEnds(text)
	for l := range strings.SplitSeq(text, "\n") {
		if err := cmp.Or(r.hiding.err, r.hiding.pulse.Err()); err != nil {
			return nil, err
		}
		for len(l) > maxParagraph {
			at := strings.IndexByte(l[maxParagraph:], ' ')
			if at < 0 {
				break
			}
			r.line(l[:maxParagraph+at])
			l = l[maxParagraph+at:]
			r.at--
		}
		r.line(l)
	}
	r.paragraph()
	r.endItems(0)
	r.quoted(false)
	t, err := r.Done()
	t.Title, t.Author, t.Encoding = r.title, r.author, encoding
	r.unread.Note(t)
	return t, err
}

// mdSettings are fields of the front matter with lists, programs and addresses.
var mdSettings = format.Names("header-includes", "include-before", "include-after", "references", "bibliography", "format", "output", "execute", "filters", "keywords", "tags", "categories",
	"resources", "css", "params", "editor", "jupyter", "crossref", "authors", "affiliations")

// frontMatter reads title, author and abstract from the front matter, if there is one, and returns the
// rest of text.
func (r *markdownReader) frontMatter(text string) string {
	if !strings.HasPrefix(text, "---\n") && !strings.HasPrefix(text, "+++\n") {
		return text
	}
	rest := text[len("---\n"):]
	end := mdEnd().FindStringIndex(rest)
	if end == nil {
		return text
	}
	block, rest := rest[:end[0]], rest[end[1]:]
	key, value := "", ""
	done := func() {
		words := len(strings.Fields(value))
		switch {
		case key == "title":
			r.title = flow.OneLine(value)
		case key == "author":
			r.author = flow.OneLine(value)
		case key == "abstract" && words > 0:
			for part := range strings.SplitSeq(strings.Trim(value, `"'`), "\n\n") {
				r.inline(strings.TrimSpace(part))
				r.Gap(flow.Part)
			}
		case words >= leastUnread && !mdSettings[key]:
			r.unread.Words(key+":", words)
		}
		key, value = "", ""
	}
	for l := range strings.SplitSeq(block, "\n") {
		if m := mdField().FindStringSubmatch(l); m != nil {
			done()
			key, value = m[1], strings.Trim(m[2], `"'`)
		} else if l = strings.TrimSpace(l); l == "" && value != "" {
			value += "\n\n"
		} else if key != "author" && key != "title" {
			value += "\n" + l
		}
	}
	done()
	return rest
}

func (r *markdownReader) line(l string) {
	r.at += len(l) + len("\n")
	l, shown := r.shown(l)
	if !shown || r.code(l) {
		return
	}
	quote := mdQuote().FindString(l)
	r.quoted(quote != "")
	l = l[len(quote):]
	textual := false
	switch {
	case strings.TrimSpace(l) == "":
		r.part()
		r.parted = true
	case r.textual && mdUnderline().MatchString(l):
		r.paragraph()
		r.Mark(format.Heading, r.mark0)
		r.Gap(flow.Part)
	case mdRule().MatchString(l), mdDefine().MatchString(l), mdDiv().MatchString(l):
		r.part()
		for _, m := range [][]string{mdDiv().FindStringSubmatch(l), mdDivTitle().FindStringSubmatch(l)} {
			if m != nil && mdDiv().MatchString(l) {
				r.inline(m[1])
				r.part()
			}
		}
	case mdTableRule().MatchString(l):
	case mdHeading().MatchString(l):
		r.part()
		r.endItems(0)
		start := r.Len()
		r.inline(mdHeading().FindStringSubmatch(l)[1])
		r.Mark(format.Heading, start)
		r.Gap(flow.Part)
	default:
		l = r.item(l)
		textual = true
		r.lines = append(r.lines, l)
		if r.size += len(l); r.size > maxParagraph {
			r.paragraph()
		}
	}
	r.textual, r.parted = textual, r.parted && !textual
}

// mdUnshown matches the start of a block of HTML that is not shown, and mdUnshownEnds has the marks that end it. It may have
// empty lines.
var mdUnshown = format.Pattern(`(?i)^ {0,3}<(!--|(?:script|style)\b)`)

var mdUnshownEnds = map[string]string{"!--": "-->", "script": "</script>", "style": "</style>"}

// lastEnds returns for each mark that ends a block that is not shown the offset after the last line with it.
func lastEnds(text string) map[string]int {
	last, at := map[string]int{}, 0
	for l := range strings.SplitSeq(text, "\n") {
		at += len(l) + len("\n")
		for _, end := range mdUnshownEnds {
			if strings.Contains(l, end[:2]) && strings.Contains(strings.ToLower(l), end) {
				last[end] = at
			}
		}
	}
	return last
}

// shown returns a line without blocks that are not shown, and reports whether anything is left of it. A block that does not end
// is text.
func (r *markdownReader) shown(l string) (rest string, ok bool) {
	for r.fence == "" {
		if r.unshown == "" {
			start := l
			if len(r.items) > 0 { // not code by its indentation
				start = strings.TrimLeft(l, " \t")
			}
			m := mdUnshown().FindStringSubmatch(start)
			if m == nil {
				break
			}
			r.unshown = mdUnshownEnds[strings.ToLower(m[1])]
		}
		end := strings.Index(strings.ToLower(l), r.unshown)
		if end < 0 && r.at >= r.lastEnds[r.unshown] {
			r.unshown = ""
			break
		} else if end < 0 {
			r.part()
			return "", false
		}
		l = l[end+len(r.unshown):]
		if r.unshown = ""; strings.TrimSpace(l) == "" {
			return "", false
		}
	}
	return l, true
}

// An mdOpenItem is an item of a list that has not ended.
type mdOpenItem struct {
	inner int // columns before its text
	start int // offset of its start
	label string
}

// item starts an item of a list or a note if the line does, and returns the line without the marker.
func (r *markdownReader) item(l string) string {
	at := len(l) - len(strings.TrimLeft(l, " \t"))
	indent := at + 3*strings.Count(l[:at], "\t")
	marker := mdItem().FindString(l)
	if m := marker + mdNote().FindString(l); m != "" {
		r.part()
		l = strings.TrimPrefix(l, m)
	}
	if marker == "" {
		if r.parted && indent < 2 {
			r.endItems(0)
		}
		return l
	}
	l = mdTask().ReplaceAllString(l, "")
	r.endItems(indent)
	label := strings.TrimSpace(marker)
	if strings.Contains("-*+", label) {
		label = ""
	}
	r.items = append(r.items, mdOpenItem{indent + len(marker) - at, r.Len(), label})
	return l
}

// endItems marks the open items whose text starts after a column.
func (r *markdownReader) endItems(column int) {
	for n := len(r.items) - 1; n >= 0 && (column == 0 || r.items[n].inner > column); n-- {
		r.paragraph()
		r.Item(r.items[n].start, n+1, r.items[n].label)
		r.items = r.items[:n]
	}
}

// paragraph adds the lines of the open paragraph.
func (r *markdownReader) paragraph() {
	if len(r.lines) > 0 {
		r.newLine()
		r.inline(strings.Join(r.lines, "\n"))
		r.lines, r.size = r.lines[:0], 0
	}
	notes := r.notes
	r.notes = nil
	for _, note := range notes {
		start := r.Start(flow.Part)
		r.inline(note)
		r.Mark(format.Footnote, start)
		r.Gap(flow.Part)
	}
}

// newLine records where a line starts.
func (r *markdownReader) newLine() {
	r.Gap(flow.Line)
	r.mark0 = r.Len()
}

// part ends the paragraph.
func (r *markdownReader) part() {
	r.paragraph()
	r.Gap(flow.Part)
}

// quoted starts or ends a block quote.
func (r *markdownReader) quoted(now bool) {
	switch {
	case now && r.quote == 0:
		r.part()
		r.quote = r.Len() + 1
	case !now && r.quote > 0:
		r.paragraph()
		r.Mark(format.Quote, r.quote-1)
		r.Gap(flow.Part)
		r.quote = 0
	}
}

// code reads a line of a code block or one of its fences, and reports whether it did.
func (r *markdownReader) code(l string) bool {
	fence := ""
	if m := mdFence().FindStringSubmatch(l); m != nil {
		fence = m[1]
	}
	switch {
	case r.fence == "" && fence == "":
		return false
	case r.fence == "":
		r.fence = fence
		r.part()
		r.chunk(l)
	case fence != "" && strings.HasPrefix(fence, r.fence):
		r.fence = ""
		r.Gap(flow.Part)
	default:
		r.Gap(flow.Line)
		r.Verbatim([]byte(l))
	}
	r.textual = false
	return true
}

// chunk reads the caption of a figure from the options of a chunk of R Markdown. A chunk can include
// another file.
func (r *markdownReader) chunk(l string) {
	if m := mdChunk().FindStringSubmatch(l); r.quarto && m != nil {
		r.unread.Part(m[1])
	}
	if m := mdCaption().FindStringSubmatch(l); r.quarto && m != nil {
		r.inline(m[1])
		r.part()
	}
}

// inline adds text without its inline markup.
func (r *markdownReader) inline(s string) {
	if r.quarto {
		s = mdPlace().ReplaceAllString(s, "")
	}
	if strings.Contains(s, "}`") { // roles of MyST
		s = mdRole().ReplaceAllString(s, "$1")
	}
	s = r.setAside(s)
	if strings.Contains(s, "^[") {
		s = mdInNote().ReplaceAllStringFunc(s, func(m string) string {
			r.notes = append(r.notes, r.putBack(mdInNote().FindStringSubmatch(m)[1]))
			return ""
		})
	}
	s = mdCode().ReplaceAllStringFunc(s, func(m string) string {
		name, _, _ := strings.Cut(strings.TrimLeft(m, "{<% "), " ")
		if strings.Contains(m, "include") || strings.Contains(m, "embed") || name == "meta" || name == "var" {
			r.unread.Part(m)
		}
		for _, value := range mdString().FindAllStringSubmatch(m, -1) {
			if n := len(strings.Fields(value[1])); n >= fieldWords {
				r.unread.Words("{{< "+name, n)
			}
		}
		return ""
	})
	if strings.Contains(s, "@") {
		s = mdCite().ReplaceAllString(s, "")
		if r.quarto {
			s = mdBare().ReplaceAllString(s, "$1")
		}
	}
	if strings.Contains(s, "{") {
		s = mdListed().ReplaceAllString(s, "$1")
		s = mdStyled().ReplaceAllString(s, `<span style="$2">$1</span>`)
		s = mdSpan().ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, "^") {
		s = flow.WithoutNotes(s, mdRaised())
	}
	if strings.Contains(s, "~") {
		s = mdLow().ReplaceAllString(s, "$1$2")
	}
	if strings.Contains(s, "[[") {
		s = mdWiki().ReplaceAllString(s, "$1")
	}
	s = mdImage().ReplaceAllString(s, "$1")
	s = mdLink().ReplaceAllString(s, "$1")
	s = mdCall().ReplaceAllString(s, "")
	at := 0
	for _, tag := range mdTag().FindAllStringIndex(s, -1) {
		r.piece(s[at:tag[0]])
		r.tag(s[tag[0]:tag[1]])
		at = tag[1]
	}
	r.piece(s[at:])
	if strings.HasSuffix(s, "  ") {
		r.Gap(flow.Line)
	}
}

// setAside moves code and addresses, which are kept unchanged, to r.raw and replaces each by its
// index between NUL characters. Characters escaped by a backslash become entities.
func (r *markdownReader) setAside(s string) string {
	r.raw = r.raw[:0]
	var b strings.Builder
	missing := map[int]bool{} // lengths of runs of backquotes without a closing run
	for len(s) > 0 {
		at := strings.IndexAny(s, "\\`<")
		if at < 0 {
			break
		}
		b.WriteString(s[:at])
		s = s[at:]
		raw, size := "", 0
		switch {
		case s[0] == '`':
			raw, size = codeSpan(s, missing)
		case s[0] == '<':
			if m := mdAuto().FindStringSubmatch(s); m != nil {
				raw, size = m[1], len(m[0])
			}
		case len(s) > 1 && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[1]) >= 0:
			fmt.Fprintf(&b, "&#%d;", s[1])
			s = s[2:]
			continue
		}
		if size == 0 {
			size = len(s) - len(strings.TrimLeft(s, s[:1]))
			if s[0] != '`' {
				size = 1
			}
			b.WriteString(s[:size])
		} else {
			fmt.Fprintf(&b, "\x00%d\x00", len(r.raw))
			r.raw = append(r.raw, raw)
		}
		s = s[size:]
	}
	return b.String() + s
}

// putBack returns text with the code that setAside removed.
func (r *markdownReader) putBack(s string) string {
	return mdRaw().ReplaceAllStringFunc(s, func(m string) string {
		if n, err := strconv.Atoi(strings.Trim(m, "\x00")); err == nil && n < len(r.raw) {
			return "`" + r.raw[n] + "`"
		}
		return ""
	})
}

// codeSpan returns the code span at the start of s and its size with backquotes; size is 0 if it
// has no end.
func codeSpan(s string, missing map[int]bool) (code string, size int) {
	rest := strings.TrimLeft(s, "`")
	n := len(s) - len(rest)
	if missing[n] {
		return "", 0
	}
	for from := n; ; {
		at := strings.IndexByte(s[from:], '`')
		if at < 0 {
			missing[n] = true
			return "", 0
		}
		at += from
		from = len(s) - len(strings.TrimLeft(s[at:], "`"))
		if from-at == n {
			return s[n:at], from
		}
	}
}

// piece adds text between tags of HTML.
func (r *markdownReader) piece(s string) {
	s = html.UnescapeString(mdMarks.Replace(s))
	at := 0
	for _, m := range mdRaw().FindAllStringSubmatchIndex(s, -1) {
		r.cells(s[at:m[0]])
		if n, err := strconv.Atoi(s[m[2]:m[3]]); err == nil && n < len(r.raw) {
			r.show(r.raw[n])
		}
		at = m[1]
	}
	r.cells(s[at:])
}

// cells adds text of several lines, and of several cells within a table.
func (r *markdownReader) cells(s string) {
	for i, l := range strings.Split(s, "\n") {
		if i > 0 {
			r.newLine()
		}
		for j, c := range strings.Split(l, "|") {
			if j > 0 {
				r.Gap(flow.Cell)
			}
			r.show(c)
		}
	}
}

// show adds text with the current look.
func (r *markdownReader) show(s string) { r.Show([]byte(s), &r.hiding) }

// tag reads how text looks from an HTML tag.
func (r *markdownReader) tag(s string) {
	z := html.NewTokenizer(strings.NewReader(s))
	switch t := z.Next(); t {
	case html.StartTagToken, html.EndTagToken:
		name, more := z.TagName()
		tag := atom.Lookup(name)
		if r.Gap(elementGaps[tag]); tag == atom.Br {
			r.Gap(flow.Space)
		}
		if t == html.EndTagToken {
			r.hiding.leave(nameOf(tag, name))
		} else {
			r.hiding.enter(z, tag, nameOf(tag, name), more)
		}
	}
}

package document

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func isMarkdownName(ext string) bool { return ext == "md" || ext == "markdown" || ext == "mdown" }

var (
	mdHeading   = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	mdUnderline = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	mdRule      = regexp.MustCompile(`^ {0,3}(([-*_])[ \t]*){3,}$`)
	mdFence     = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	mdItem      = regexp.MustCompile(`^[ \t]*([-*+]|\d{1,9}[.)])[ \t]+`)
	mdQuote     = regexp.MustCompile(`^( {0,3}>[ \t]?)+`)
	mdDefine    = regexp.MustCompile(`^ {0,3}\[[^\]^][^\]]*\]:[ \t]*\S+`)
	mdNote      = regexp.MustCompile(`^ {0,3}\[\^[^\]]+\]:[ \t]*`)
	mdTableRule = regexp.MustCompile(`^[ \t]*\|?[ \t:-]*-[ \t:|-]*\|[ \t:|-]*$`)
	mdField     = regexp.MustCompile(`^(title|author):[ \t]*["']?(.*?)["']?[ \t]*$`)

	mdImage  = regexp.MustCompile(`!\[([^\]]*)\]\([^)\s]*[^)]*\)`)
	mdLink   = regexp.MustCompile(`\[([^\]\[]*)\](\([^)\s]*[^)]*\)|\[[^\]]*\])`)
	mdCall   = regexp.MustCompile(`\[\^[^\]]+\]`)
	mdTag    = regexp.MustCompile(`<(!--.*?--|/?[A-Za-z][^<>]*)>`)
	mdStrong = regexp.MustCompile(`(\*\*\*|\*\*|\*|__|~~|` + "`+" + `)`)
	mdEscape = regexp.MustCompile("\\\\[!-/:-@\\[-`{-~]")
)

// A markdownReader takes Markdown line by line.
type markdownReader struct {
	flow
	doc     *Document
	fence   string // what ends the open block of code
	mark0   int    // where the last line started
	textual bool   // the last line was text, which an underline makes a heading
	quote   int    // where the open block quote starts, counted from 1; 0 for none
	hiding  hiding
}

// readMarkdown reads Markdown: the text without its signs, list items and
// headings as paragraphs of their own. Code stays as it is.
func readMarkdown(doc *Document, data []byte, opts Options) (err error) {
	if data, doc.Encoding, err = decode(data, "", opts); err != nil {
		return err
	}
	r := &markdownReader{doc: doc, hiding: newHiding(data, notLinked)}
	text := strings.ReplaceAll(asString(bytes.TrimPrefix(data, utf8BOM)), "\r\n", "\n")
	text = r.frontMatter(strings.ReplaceAll(text, "\x00", " "))
	for l := range strings.SplitSeq(text, "\n") {
		r.line(l)
	}
	r.quoted(false)
	doc.Format, doc.Parted, doc.Text, doc.Marks = "markdown", true, r.String(), r.marks
	doc.Flags = r.flags
	return hasText(doc)
}

// frontMatter takes title and author from the block at the start, if there is
// one, and returns what follows it.
func (r *markdownReader) frontMatter(text string) string {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return text
	}
	block, rest, ok := strings.Cut(rest, "\n---\n")
	if !ok {
		return text
	}
	for l := range strings.SplitSeq(block, "\n") {
		if m := mdField.FindStringSubmatch(l); m != nil {
			if m[1] == "title" {
				r.doc.Title = oneLine(m[2])
			} else {
				r.doc.Author = oneLine(m[2])
			}
		}
	}
	return rest
}

func (r *markdownReader) line(l string) {
	if r.code(l) {
		return
	}
	quote := mdQuote.FindString(l)
	r.quoted(quote != "")
	l = l[len(quote):]
	textual := false
	switch {
	case strings.TrimSpace(l) == "":
		r.gap(part)
	case r.textual && mdUnderline.MatchString(l):
		r.mark(Heading, textStart(r.buf, r.mark0))
		r.gap(part)
	case mdRule.MatchString(l), mdDefine.MatchString(l):
		r.gap(part)
	case mdTableRule.MatchString(l):
	case mdHeading.MatchString(l):
		r.gap(part)
		start := len(r.buf)
		r.inline(mdHeading.FindStringSubmatch(l)[1])
		r.mark(Heading, textStart(r.buf, start))
		r.gap(part)
	default:
		if m := mdItem.FindString(l) + mdNote.FindString(l); m != "" {
			r.gap(part)
			l = strings.TrimPrefix(l, m)
		}
		r.gap(line)
		r.mark0, textual = len(r.buf), true
		r.inline(l)
	}
	r.textual = textual
}

// quoted notes whether a line belongs to a block quote.
func (r *markdownReader) quoted(now bool) {
	switch {
	case now && r.quote == 0:
		r.gap(part)
		r.quote = len(r.buf) + 1
	case !now && r.quote > 0:
		r.mark(Quote, textStart(r.buf, r.quote-1))
		r.gap(part)
		r.quote = 0
	}
}

// code takes a line of a block of code, and the fences around it.
func (r *markdownReader) code(l string) bool {
	fence := ""
	if m := mdFence.FindStringSubmatch(l); m != nil {
		fence = m[1]
	}
	switch {
	case r.fence == "" && fence == "":
		return false
	case r.fence == "":
		r.fence = fence
		r.gap(part)
	case fence != "" && strings.HasPrefix(fence, r.fence):
		r.fence = ""
		r.gap(part)
	default:
		r.gap(line)
		r.verbatim([]byte(l))
	}
	r.textual = false
	return true
}

// inline adds text without the signs in it.
func (r *markdownReader) inline(s string) {
	s = mdEscape.ReplaceAllStringFunc(s, func(e string) string { return fmt.Sprintf("&#%d;", e[1]) })
	s = mdImage.ReplaceAllString(s, "$1")
	s = mdLink.ReplaceAllString(s, "$1")
	s = mdCall.ReplaceAllString(s, "")
	at := 0
	for _, tag := range mdTag.FindAllStringIndex(s, -1) {
		r.piece(s[at:tag[0]])
		r.tag(s[tag[0]:tag[1]])
		at = tag[1]
	}
	r.piece(s[at:])
	if strings.HasSuffix(s, "  ") {
		r.gap(line)
	}
}

// piece adds text between tags of HTML.
func (r *markdownReader) piece(s string) {
	why, room := r.hiding.unseen()
	for i, c := range strings.Split(html.UnescapeString(mdStrong.ReplaceAllString(s, "")), "|") {
		if i > 0 {
			r.gap(cell)
		}
		if why != "" {
			r.unseen([]byte(c), why, room)
		} else {
			r.flow.text([]byte(c))
		}
	}
}

// tag takes a tag of HTML, as far as it says how text looks.
func (r *markdownReader) tag(s string) {
	z := html.NewTokenizer(strings.NewReader(s))
	switch t := z.Next(); t {
	case html.StartTagToken, html.EndTagToken:
		name, more := z.TagName()
		tag := atom.Lookup(name)
		if t == html.EndTagToken {
			r.hiding.leave(nameOf(tag, name))
		} else {
			r.hiding.enter(z, tag, nameOf(tag, name), more)
		}
	}
}

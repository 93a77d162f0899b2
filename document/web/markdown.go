package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
)

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
	flow.Builder
	title   string
	author  string
	fence   string // what ends the open block of code
	mark0   int    // where the last line started
	textual bool   // the last line was text, which an underline makes a heading
	quote   int    // where the open block quote starts, counted from 1; 0 for none
	hiding  hiding
}

// Markdown reads Markdown: the text without its signs, list items and
// headings as paragraphs of their own. Code stays as it is.
func Markdown(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, "")
	if err != nil {
		return nil, err
	}
	r := &markdownReader{}
	if r.hiding, err = newHiding(ctx, data, notLinked); err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(flow.AsString(bytes.TrimPrefix(data, format.BOM)), "\r\n", "\n")
	text = r.frontMatter(strings.ReplaceAll(text, "\x00", " "))
	for l := range strings.SplitSeq(text, "\n") {
		if err := cmp.Or(r.hiding.err, r.hiding.pulse.Err()); err != nil {
			return nil, err
		}
		r.line(l)
	}
	r.quoted(false)
	t, err := r.Done()
	t.Title, t.Author, t.Encoding = r.title, r.author, encoding
	return t, err
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
				r.title = flow.OneLine(m[2])
			} else {
				r.author = flow.OneLine(m[2])
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
		r.Gap(flow.Part)
	case r.textual && mdUnderline.MatchString(l):
		r.Mark(format.Heading, r.mark0)
		r.Gap(flow.Part)
	case mdRule.MatchString(l), mdDefine.MatchString(l):
		r.Gap(flow.Part)
	case mdTableRule.MatchString(l):
	case mdHeading.MatchString(l):
		r.Gap(flow.Part)
		start := r.Len()
		r.inline(mdHeading.FindStringSubmatch(l)[1])
		r.Mark(format.Heading, start)
		r.Gap(flow.Part)
	default:
		if m := mdItem.FindString(l) + mdNote.FindString(l); m != "" {
			r.Gap(flow.Part)
			l = strings.TrimPrefix(l, m)
		}
		r.Gap(flow.Line)
		r.mark0, textual = r.Len(), true
		r.inline(l)
	}
	r.textual = textual
}

// quoted notes whether a line belongs to a block quote.
func (r *markdownReader) quoted(now bool) {
	switch {
	case now && r.quote == 0:
		r.Gap(flow.Part)
		r.quote = r.Len() + 1
	case !now && r.quote > 0:
		r.Mark(format.Quote, r.quote-1)
		r.Gap(flow.Part)
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
		r.Gap(flow.Part)
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
		r.Gap(flow.Line)
	}
}

// piece adds text between tags of HTML.
func (r *markdownReader) piece(s string) {
	why, room := r.hiding.unseen()
	for i, c := range strings.Split(html.UnescapeString(mdStrong.ReplaceAllString(s, "")), "|") {
		if i > 0 {
			r.Gap(flow.Cell)
		}
		if why != "" {
			r.Unseen([]byte(c), why, room)
		} else {
			r.Text([]byte(c))
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

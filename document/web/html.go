// Package web reads what is made for browsers: pages, books of them (EPUB), and
// Markdown, which holds pieces of pages.
//
// Its readers are rows of the table in package document, which tells by the other
// functions which one a file is for. Nothing is fetched and no script is run: a
// page that makes its text when it is shown has none.
package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
)

// elementGaps are the gaps that the start and the end of an element make.
var elementGaps = gapsOf(map[flow.Gap][]atom.Atom{
	flow.Part: {atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hgroup, atom.Hr,
		atom.Html, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary,
		atom.Table, atom.Textarea, atom.Ul, atom.Xmp, atom.Listing, atom.Plaintext},
	flow.Line: {atom.Tr, atom.Option, atom.Optgroup, atom.Select, atom.Rt},
	flow.Cell: {atom.Td, atom.Th},
})

func gapsOf(lists map[flow.Gap][]atom.Atom) map[atom.Atom]flow.Gap {
	gaps := map[atom.Atom]flow.Gap{}
	for g, atoms := range lists {
		for _, a := range atoms {
			gaps[a] = g
		}
	}
	return gaps
}

// An htmlReader walks the tags of a page. It has no tree, so that nesting,
// however deep or wrong, costs nothing.
type htmlReader struct {
	ctx      context.Context
	title    string
	author   string
	year     int
	said     []string
	tokens   *html.Tokenizer
	flow     flow.Builder
	pre      int       // open elements whose white space counts
	template int       // open elements whose content is no text
	heading  int       // where the open heading starts, counted from 1; 0 for none
	quotes   int       // open block quotes
	quote    int       // where the outermost of them starts
	raw      atom.Atom // element whose text comes next and is not the page's
	hiding   hiding
	runs     bool // a page has a program
	beside   bool // elements in a line are beside each other
	turned   bool // the characters are shown in the other order
	xml      bool // <script/> is an empty element, not an open one
	linked   func(href string) (css string, ok bool)
	strips   stripping
	outer    *flow.Builder   // the text around the note that is open; nil outside of notes
	sides    []*flow.Builder // notes of this paragraph
}

// notLinked knows no style sheet.
func notLinked(string) (string, bool) { return "", false }

// LooksHTML reports whether the first markup of data is that of a whole page.
func LooksHTML(data []byte) bool {
	head := bytes.TrimPrefix(format.Head(data), format.BOM)
	if head = bytes.TrimLeft(head, " \t\r\n\f"); !bytes.HasPrefix(head, []byte("<")) {
		return false
	}
	for head = bytes.ToLower(head); ; {
		head = bytes.TrimLeft(head, " \t\r\n\f")
		switch {
		case bytes.HasPrefix(head, []byte("<!doctype html")), format.StartsTag(head, "html"), format.StartsTag(head, "head"), format.StartsTag(head, "body"):
			return true
		case bytes.HasPrefix(head, []byte("<!--")):
			head = after(head, "-->")
		case bytes.HasPrefix(head, []byte("<?")):
			head = after(head, ">")
		default:
			return false
		}
	}
}

// after returns what follows the first mark in b, nothing without one.
func after(b []byte, mark string) []byte {
	_, rest, _ := bytes.Cut(b, []byte(mark))
	return rest
}

// HTML reads a page. Scripts, styles, templates and comments are no text;
// block elements part paragraphs.
func HTML(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, declaredCharset(src.Data))
	if err != nil {
		return nil, err
	}
	r := newHTMLReader(ctx)
	r.flow.Expect(len(data))
	if src.Strip {
		err = r.strip(data)
	} else {
		err = r.page(data)
	}
	if err != nil {
		return nil, err
	}
	t, err := r.done()
	t.Encoding = encoding
	return t, err
}

func newHTMLReader(ctx context.Context) *htmlReader {
	return &htmlReader{ctx: ctx, linked: notLinked}
}

// done returns the text of the pages.
func (r *htmlReader) done() (*format.Text, error) {
	t, err := r.flow.Done()
	t.Title, t.Author, t.Year, t.Notes = r.title, r.author, r.year, r.said
	if r.runs {
		excuse(t)
	}
	return t, err
}

// page reads a page in UTF-8, after those before it.
func (r *htmlReader) page(data []byte) error {
	data = bytes.TrimPrefix(data, format.BOM)
	if bytes.IndexByte(data, 0) >= 0 {
		data = bytes.ReplaceAll(data, []byte{0}, []byte{' '})
	}
	r.tokens, r.xml = html.NewTokenizer(format.NewReader(r.ctx, data)), bytes.HasPrefix(data, []byte("<?xml"))
	var err error
	if r.hiding, err = newHiding(r.ctx, data, r.linked); err != nil {
		return err
	}
	r.runs = r.runs || runs(data)
	r.pre, r.template, r.heading, r.quotes, r.raw = 0, 0, 0, 0, 0
	r.hiding.strips, r.beside = r.strips, false
	r.flow.Gap(flow.Part)
	for r.hiding.err == nil {
		if err := r.hiding.pulse.Err(); err != nil {
			return err
		}
		switch t := r.tokens.Next(); t {
		case html.ErrorToken:
			if err := r.tokens.Err(); err != io.EOF && r.ctx.Err() == nil {
				return fmt.Errorf("%w: %w", format.ErrDamaged, err)
			}
			r.turn(false)
			r.hiding.cut(0)
			r.notes()
			r.putNotes()
			return format.Ended(r.ctx)
		case html.TextToken:
			r.text(r.tokens.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			r.start(t == html.SelfClosingTagToken && r.xml)
		case html.EndTagToken:
			r.end()
		}
	}
	return r.hiding.err
}

func (r *htmlReader) text(s []byte) {
	switch {
	case r.raw == atom.Title && r.title == "":
		r.title = flow.OneLine(string(s))
	case r.raw != 0 || r.template > 0 || r.hiding.left():
	case r.pre > 0:
		if why, room := r.hiding.Unseen(); why != "" {
			r.flow.Unseen(s, why, room)
		} else {
			r.flow.Verbatim(bytes.ReplaceAll(s, []byte("\r\n"), []byte("\n")))
		}
	default:
		if r.hiding.names["math"] > 0 {
			s = withoutOperators(s)
		}
		r.touch(s)
		r.show(s)
	}
}

// withoutOperators leaves the signs out of a formula that stand for a product or a call
// and show nothing: programs put them between all letters.
func withoutOperators(s []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if 0x2061 <= r && r <= 0x2064 {
			return -1
		}
		return r
	}, s)
}

func (r *htmlReader) start(empty bool) {
	name, more := r.tokens.TagName()
	tag := atom.Lookup(name)
	how := look.Usual
	if tag != atom.Meta && !empty {
		r.hiding.enter(r.tokens, tag, nameOf(tag, name), more)
		r.notes()
		if !voidElements[tag.String()] {
			how = r.hiding.element().Beside()
		}
	}
	r.gap(elementGaps[tag], how)
	r.put(r.hiding.before)
	r.hiding.before = nil
	if empty && tag != atom.Br && tag != atom.Meta {
		r.tokens.NextIsNotRawText()
		return
	}
	switch tag {
	case atom.Br:
		r.flow.LineBreak()
	case atom.Meta:
		if more {
			r.meta()
		}
	case atom.Title, atom.Script, atom.Style, atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript:
		r.raw = tag
	case atom.Template:
		r.template++
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.heading = r.flow.Len() + 1
	case atom.Blockquote:
		if r.quotes++; r.quotes == 1 {
			r.quote = r.flow.Len()
		}
	case atom.Pre, atom.Textarea, atom.Xmp, atom.Listing, atom.Plaintext:
		r.pre++
	}
}

func (r *htmlReader) end() {
	name, _ := r.tokens.TagName()
	tag := atom.Lookup(name)
	how, after := r.hiding.closing(nameOf(tag, name))
	r.put(after)
	r.hiding.leave(nameOf(tag, name))
	r.notes()
	switch tag {
	case r.raw:
		r.raw = 0
	case atom.Template:
		r.template = max(r.template-1, 0)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if r.heading > 0 {
			r.flow.Mark(format.Heading, r.heading-1)
		}
		r.heading = 0
	case atom.Blockquote:
		if r.quotes == 1 {
			r.flow.Mark(format.Quote, r.quote)
		}
		r.quotes = max(r.quotes-1, 0)
	case atom.Pre, atom.Textarea, atom.Xmp, atom.Listing:
		r.pre = max(r.pre-1, 0)
	}
	r.gap(elementGaps[tag], how)
}

// nameOf returns the name of an element, in memory of its own.
func nameOf(tag atom.Atom, name []byte) string {
	if tag != 0 {
		return tag.String()
	}
	return string(name)
}

// yearNames are what pages call the date of publication.
var yearNames = map[string]bool{
	"citation_publication_date": true, "citation_date": true, "citation_year": true, "dc.date": true, "dc.date.issued": true, "dcterms.issued": true,
	"article:published_time": true, "date": true, "pubdate": true,
}

// meta takes the author and the year that the page names.
func (r *htmlReader) meta() {
	attrs := attributes(r.tokens)
	name := strings.ToLower(cmp.Or(attrs["name"], attrs["property"]))
	if (name == "author" || name == "dc.creator" || name == "citation_author") && r.author == "" {
		r.author = flow.OneLine(attrs["content"])
	}
	if yearNames[name] && r.year == 0 {
		r.year = format.Year(attrs["content"])
	}
}

// attributes returns those of the current tag; of doubled ones the first.
func attributes(z *html.Tokenizer) map[string]string {
	attrs := map[string]string{}
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		if _, twice := attrs[string(key)]; !twice {
			attrs[string(key)] = string(value)
		}
	}
	return attrs
}

// declaredCharset returns what the head of a page declares, in <meta> or in
// the XML declaration; "" where it declares nothing.
func declaredCharset(data []byte) string {
	head := format.Head(data)
	if label := charset.XMLDeclared(head); label != "" {
		return label
	}
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, more := z.TagName(); more && atom.Lookup(name) == atom.Meta {
				if label := metaCharset(attributes(z)); label != "" {
					return label
				}
			}
		}
	}
}

func metaCharset(attrs map[string]string) string {
	if label := attrs["charset"]; label != "" {
		return label
	}
	if !strings.EqualFold(attrs["http-equiv"], "content-type") {
		return ""
	}
	_, params, err := mime.ParseMediaType(attrs["content"])
	if err != nil {
		return ""
	}
	return params["charset"]
}

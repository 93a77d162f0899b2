package document

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// elementGaps are the gaps that the start and the end of an element make.
var elementGaps = gapsOf(map[gap][]atom.Atom{
	part: {atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hgroup, atom.Hr,
		atom.Html, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary,
		atom.Table, atom.Textarea, atom.Ul, atom.Xmp, atom.Listing, atom.Plaintext},
	line: {atom.Tr, atom.Option, atom.Optgroup, atom.Select, atom.Rp},
	cell: {atom.Td, atom.Th},
})

func gapsOf(lists map[gap][]atom.Atom) map[atom.Atom]gap {
	gaps := map[atom.Atom]gap{}
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
	doc      *Document
	tokens   *html.Tokenizer
	flow     flow
	pre      int       // open elements whose white space counts
	template int       // open elements whose content is no text
	heading  int       // where the open heading starts, counted from 1; 0 for none
	quotes   int       // open block quotes
	quote    int       // where the outermost of them starts
	raw      atom.Atom // element whose text comes next and is not the page's
	hiding   hiding
	xml      bool // <script/> is an empty element, not an open one
	linked   func(href string) (css string, ok bool)
	strips   stripping
}

// notLinked knows no style sheet.
func notLinked(string) (string, bool) { return "", false }

// readHTML reads a page. Scripts, styles, templates and comments are no text;
// block elements part paragraphs.
func readHTML(doc *Document, data []byte, opts Options) (err error) {
	data, doc.Encoding, err = decode(data, declaredCharset(data), opts)
	if err != nil {
		return err
	}
	doc.Format, doc.Parted = "html", true
	r := &htmlReader{doc: doc, linked: notLinked}
	r.flow.expect(len(data))
	if opts.Strip {
		err = r.strip(data)
	} else {
		err = r.page(data)
	}
	if err != nil {
		return err
	}
	doc.Text, doc.Marks, doc.Flags = r.flow.String(), r.flow.marks, r.flow.flags
	return hasText(doc)
}

// page reads a page in UTF-8, after those before it.
func (r *htmlReader) page(data []byte) error {
	data = bytes.TrimPrefix(data, utf8BOM)
	if bytes.IndexByte(data, 0) >= 0 {
		data = bytes.ReplaceAll(data, []byte{0}, []byte{' '})
	}
	r.tokens, r.xml = html.NewTokenizer(bytes.NewReader(data)), bytes.HasPrefix(data, []byte("<?xml"))
	r.pre, r.template, r.heading, r.quotes, r.raw, r.hiding = 0, 0, 0, 0, 0, newHiding(data, r.linked)
	r.hiding.strips = r.strips
	r.flow.gap(part)
	for {
		switch t := r.tokens.Next(); t {
		case html.ErrorToken:
			if err := r.tokens.Err(); err != io.EOF {
				return fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			return nil
		case html.TextToken:
			r.text(r.tokens.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			r.start(t == html.SelfClosingTagToken && r.xml)
		case html.EndTagToken:
			r.end()
		}
	}
}

func (r *htmlReader) text(s []byte) {
	switch {
	case r.raw == atom.Title && r.doc.Title == "":
		r.doc.Title = oneLine(string(s))
	case r.raw != 0 || r.template > 0 || r.hiding.left():
	default:
		if why, room := r.hiding.unseen(); why != "" {
			r.flow.unseen(s, why, room)
		} else if r.pre > 0 {
			r.flow.verbatim(bytes.ReplaceAll(s, []byte("\r\n"), []byte("\n")))
		} else {
			r.flow.text(s)
		}
	}
}

func (r *htmlReader) start(empty bool) {
	name, more := r.tokens.TagName()
	tag := atom.Lookup(name)
	r.flow.gap(elementGaps[tag])
	if tag != atom.Meta && !empty {
		r.hiding.enter(r.tokens, tag, nameOf(tag, name), more)
	}
	if empty && tag != atom.Br && tag != atom.Meta {
		r.tokens.NextIsNotRawText()
		return
	}
	switch tag {
	case atom.Br:
		r.flow.lineBreak()
	case atom.Meta:
		if more {
			r.meta()
		}
	case atom.Title, atom.Script, atom.Style, atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript:
		r.raw = tag
	case atom.Template:
		r.template++
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.heading = len(r.flow.buf) + 1
	case atom.Blockquote:
		if r.quotes++; r.quotes == 1 {
			r.quote = len(r.flow.buf)
		}
	case atom.Pre, atom.Textarea, atom.Xmp, atom.Listing, atom.Plaintext:
		r.pre++
	}
}

func (r *htmlReader) end() {
	name, _ := r.tokens.TagName()
	tag := atom.Lookup(name)
	r.hiding.leave(nameOf(tag, name))
	switch tag {
	case r.raw:
		r.raw = 0
	case atom.Template:
		r.template = max(r.template-1, 0)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if r.heading > 0 {
			r.flow.mark(Heading, textStart(r.flow.buf, r.heading-1))
		}
		r.heading = 0
	case atom.Blockquote:
		if r.quotes == 1 {
			r.flow.mark(Quote, textStart(r.flow.buf, r.quote))
		}
		r.quotes = max(r.quotes-1, 0)
	case atom.Pre, atom.Textarea, atom.Xmp, atom.Listing:
		r.pre = max(r.pre-1, 0)
	}
	r.flow.gap(elementGaps[tag])
}

// nameOf returns the name of an element, in memory of its own.
func nameOf(tag atom.Atom, name []byte) string {
	if tag != 0 {
		return tag.String()
	}
	return string(name)
}

// meta takes the author that the page names.
func (r *htmlReader) meta() {
	attrs := attributes(r.tokens)
	name := strings.ToLower(attrs["name"])
	if (name == "author" || name == "dc.creator" || name == "citation_author") && r.doc.Author == "" {
		r.doc.Author = oneLine(attrs["content"])
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

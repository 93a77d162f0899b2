package document

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"strings"
)

// inlineElements do not part paragraphs, in TEI and in other kinds of XML: what
// is not here does.
var inlineElements = setOf("hi", "emph", "foreign", "title", "ref", "rs", "name", "persName", "placeName", "orgName",
	"date", "num", "measure", "seg", "w", "c", "pc", "s", "phr", "term", "mentioned", "soCalled", "gloss", "said", "distinct",
	"abbr", "expan", "am", "ex", "orig", "reg", "sic", "corr", "choice", "add", "supplied", "unclear", "subst", "gap", "ptr", "anchor", "milestone",
	"i", "b", "em", "strong", "u", "sub", "sup", "span", "a", "code", "tt", "small", "big", "font", "emphasis", "link", "quote", "email",
	"literal", "acronym", "italic", "bold", "xref", "ext-link", "surname", "forename", "address", "g", "lb", "pb", "cb")

// notTextElements are the elements of TEI whose content is no text of the document;
// of two readings of a passage the author's counts.
var notTextElements = setOf("teiHeader", "fw", "del", "reg", "corr", "expan", "figDesc", "script", "style", "facsimile", "sourceDoc", "standOff", "front-matter-meta")

func setOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// An xmlReader takes the text out of XML of any kind, and knows TEI.
type xmlReader struct {
	*body
	skip   int
	header int // open teiHeader elements
	fields fields
	heads  []int // where open headings start
	depth  int   // open elements
	looks  []xmlLook
}

// An xmlLook is how the text of the open element of that depth looks.
type xmlLook struct {
	depth   int
	element element
}

// enter looks at how an element says that its text looks: by style as in HTML,
// or by the words of TEI for it.
func (r *xmlReader) enter(attrs []xml.Attr) {
	r.depth++
	styles := properties(attr(attrs, "style"))
	for _, word := range strings.Fields(strings.ToLower(attr(attrs, "rend") + " " + attr(attrs, "rendition"))) {
		switch value, ok := strings.CutPrefix(strings.TrimSuffix(word, ")"), "color("); {
		case ok:
			styles = append(styles, property{name: "color", value: value})
		case word == "hidden" || word == "invisible":
			styles = append(styles, property{name: "display", value: "none"})
		default:
			styles = append(styles, properties(word)...)
		}
	}
	if len(styles) == 0 {
		return
	}
	var e element
	if n := len(r.looks); n > 0 {
		e = r.looks[n-1].element
	}
	e.apply(styles)
	r.looks = append(r.looks, xmlLook{r.depth, e})
}

func (r *xmlReader) leave() {
	if n := len(r.looks); n > 0 && r.looks[n-1].depth == r.depth {
		r.looks = r.looks[:n-1]
	}
	r.depth--
}

// readXML reads TEI and other XML. Only the five entities of XML and those of
// HTML are known.
func readXML(ctx context.Context, doc *Document, data []byte, opts Options) (err error) {
	if data, doc.Encoding, err = decode(data, xmlCharset(data), opts); err != nil {
		return err
	}
	if isFlatODT(data) {
		return readFlatODT(ctx, doc, data)
	}
	r := &xmlReader{body: newBody(), fields: fields{want: setOf("title", "author"), got: map[string]string{}}}
	if err := walk(ctx, decodedXML(data), r); err != nil {
		return err
	}
	doc.Format, doc.Title, doc.Author = "xml", r.fields.got["title"], r.fields.got["author"]
	return r.done(doc)
}

// decodedXML reads data, which is UTF-8 whatever it declares.
func decodedXML(data []byte) *xml.Decoder {
	dec := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, utf8BOM)))
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return dec
}

func (r *xmlReader) start(name string, attrs []xml.Attr) {
	if r.header > 0 || name == "teiHeader" {
		r.header++
		r.fields.start(name, attrs)
		return
	}
	if r.skip > 0 || notTextElements[name] {
		r.skip++
		return
	}
	r.enter(attrs)
	switch {
	case name == "note":
		r.beginSide(Footnote)
	case name == "head":
		r.gap(part)
		r.heads = append(r.heads, len(r.buf))
	case name == "lb", name == "pb", name == "cb":
		if attr(attrs, "break") != "no" {
			r.gap(space)
		}
	case name == "w":
		r.gap(space)
	case name == "l":
		r.gap(line)
	case name == "cell":
		r.gap(cell)
	case name == "row":
		r.gap(line)
	case name == "p" || name == "ab":
		r.begin()
	case !inlineElements[name]:
		r.gap(part)
	}
}

func (r *xmlReader) end(name string) {
	if r.header > 0 {
		r.header--
		r.fields.end(name)
		return
	}
	if r.skip > 0 {
		r.skip--
		return
	}
	r.leave()
	switch {
	case name == "note":
		r.endSide()
	case name == "head":
		if n := len(r.heads); n > 0 {
			r.mark(Heading, textStart(r.buf, r.heads[n-1]))
			r.heads = r.heads[:n-1]
		}
		r.gap(part)
	case name == "w":
		r.gap(space)
	case name == "p" || name == "ab":
		r.finish()
	case name == "l" || name == "cell" || name == "row":
	case !inlineElements[name]:
		r.gap(part)
		if len(r.outer) == 0 {
			r.sides()
		}
	}
}

func (r *xmlReader) text(s []byte) {
	if r.header > 0 {
		r.fields.text(s)
	} else if r.skip > 0 {
		return
	} else if n := len(r.looks); n == 0 {
		r.flow.text(s)
	} else if why, room := r.looks[n-1].element.unseen(); why != "" {
		r.unseen(s, why, room)
	} else {
		r.flow.text(s)
	}
}

// looksLikeXML reports whether data is XML: by its declaration, or by the root
// of TEI.
func looksLikeXML(data []byte) bool {
	head := bytes.TrimLeft(bytes.TrimPrefix(data[:min(len(data), headSize)], utf8BOM), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<?xml")) || startsTag(head, "TEI") || startsTag(head, "teiCorpus")
}

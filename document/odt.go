package document

import (
	"bytes"
	"context"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
)

// An odtReader walks the content of an OpenDocument text. Deletions of tracked
// changes and annotations are no text.
type odtReader struct {
	*body
	styles map[string]looks // automatic styles that make text unseen
	shades map[string]bool  // styles that give a ground of its own
	quotes map[string]bool  // styles of quotations
	shaded []bool           // of the open cells and paragraphs
	style  string           // the one being defined
	skip   int              // open elements within one that is no text
	inBody bool
	spans  []looks  // of the open paragraphs and spans
	kind   MarkKind // of the current paragraph
	start0 int
}

// odtSkipped are the elements whose content is no text of the document.
var odtSkipped = map[string]bool{
	"tracked-changes": true, "annotation": true, "note-citation": true, "forms": true, "ruby-text": true,
	"sequence-decls": true, "event-listeners": true, "object": true, "binary-data": true, "desc": true, "title": true,
	"hidden-text": false,
}

// readODT reads an OpenDocument text.
func readODT(ctx context.Context, doc *Document, data []byte, opts Options) error {
	c, err := newContainer(ctx, data, opts)
	if err != nil {
		return err
	}
	r := newODTReader()
	if c.has("styles.xml") {
		if err := c.walk("styles.xml", r); err != nil {
			return err
		}
	}
	if err := c.walk("content.xml", r); err != nil {
		return err
	}
	props := c.properties("meta.xml", "title", "initial-creator", "creator")
	doc.Format, doc.Title, doc.Author = "odt", props["title"], props["initial-creator"]
	if doc.Author == "" {
		doc.Author = props["creator"]
	}
	return r.done(doc)
}

func newODTReader() *odtReader {
	return &odtReader{body: newBody(), styles: map[string]looks{}, shades: map[string]bool{}, quotes: map[string]bool{"Quotations": true}}
}

// isFlatODT reports whether data is an OpenDocument text that is one file of
// XML: styles, content and all.
func isFlatODT(data []byte) bool {
	head := data[:min(len(data), 4*headSize)]
	return bytes.Contains(head, []byte("<office:document")) && bytes.Contains(head, []byte("application/vnd.oasis.opendocument.text"))
}

func readFlatODT(ctx context.Context, doc *Document, data []byte) error {
	r := newODTReader()
	if err := walk(ctx, decodedXML(data), r); err != nil {
		return err
	}
	props := &fields{want: setOf("title", "initial-creator"), got: map[string]string{}}
	if err := walk(ctx, decodedXML(data), props); err != nil {
		return err
	}
	doc.Format, doc.Title, doc.Author = "odt", props.got["title"], props.got["initial-creator"]
	return r.done(doc)
}

func (r *odtReader) start(name string, attrs []xml.Attr) {
	if r.skip > 0 || odtSkipped[name] {
		r.skip++
		return
	}
	switch name {
	case "style":
		r.style = attr(attrs, "name")
		if r.quotes[attr(attrs, "parent-style-name")] {
			r.quotes[r.style] = true
		}
	case "text-properties":
		r.define(attrs)
	case "table-cell-properties", "paragraph-properties":
		if color := attr(attrs, "background-color"); coloured(color) {
			r.shades[r.style] = true
		}
	case "body":
		r.inBody = true
	}
	if r.inBody {
		r.content(name, attrs)
	}
}

// define notes what a style does to text.
func (r *odtReader) define(attrs []xml.Attr) {
	var l looks
	for _, a := range attrs {
		switch a.Name.Local {
		case "display":
			l.hidden = a.Value == "none"
		case "color":
			l.white = strings.EqualFold(a.Value, "#ffffff")
		case "font-size":
			l.tiny = strings.HasSuffix(a.Value, "pt") && number(a.Value) > 0 && number(a.Value) <= 2
		}
	}
	if coloured(attr(attrs, "background-color")) {
		l.white = false
	}
	if l != (looks{}) {
		r.styles[r.style] = l
	}
}

// coloured reports whether white text can be seen on that ground.
func coloured(color string) bool {
	return color != "" && color != "transparent" && !strings.EqualFold(color, "#ffffff")
}

func (r *odtReader) content(name string, attrs []xml.Attr) {
	switch name {
	case "p", "h":
		r.begin()
		r.start0, r.kind = len(r.buf), ""
		switch style := attr(attrs, "style-name"); {
		case name == "h":
			r.kind = Heading
		case r.quotes[style]:
			r.kind = Quote
		}
		r.spans = append(r.spans, r.styles[attr(attrs, "style-name")])
		r.shaded = append(r.shaded, r.shades[attr(attrs, "style-name")])
	case "span":
		r.span(r.styles[attr(attrs, "style-name")])
	case "s":
		r.gap(space)
		if n, err := strconv.Atoi(attr(attrs, "c")); err == nil && n > 1 {
			r.gap(space)
		}
	case "tab":
		r.gap(space)
	case "line-break":
		r.lineBreak()
	case "table":
		r.gap(part)
	case "table-cell", "covered-table-cell":
		r.beginCell()
		r.shaded = append(r.shaded, r.shades[attr(attrs, "style-name")])
	case "note-body":
		r.beginSide(Footnote)
	case "text-box":
		r.beginSide("")
	case "hidden-text", "hidden-paragraph":
		r.span(looks{hidden: true})
	}
}

// span opens a stretch of text with a style of its own, on top of that around.
func (r *odtReader) span(l looks) {
	if n := len(r.spans); n > 0 {
		outer := r.spans[n-1]
		l = looks{l.hidden || outer.hidden, l.white || outer.white, l.tiny || outer.tiny}
	}
	r.spans = append(r.spans, l)
}

func (r *odtReader) end(name string) {
	if r.skip > 0 {
		r.skip--
		return
	}
	if !r.inBody {
		return
	}
	switch name {
	case "body":
		r.inBody = false
	case "p", "h":
		r.mark(r.kind, textStart(r.buf, r.start0))
		r.kind = ""
		r.closeSpan()
		r.unshade()
		r.finish()
	case "span", "hidden-text", "hidden-paragraph":
		r.closeSpan()
	case "table-cell", "covered-table-cell":
		r.endCell()
		r.unshade()
		r.gap(cell)
	case "table-row":
		r.gap(line)
	case "table":
		r.gap(part)
		if len(r.cells) == 0 && len(r.outer) == 0 {
			r.sides()
		}
	case "note-body", "text-box":
		r.endSide()
	}
}

func (r *odtReader) closeSpan() {
	if n := len(r.spans); n > 0 {
		r.spans = r.spans[:n-1]
	}
}

func (r *odtReader) unshade() {
	if n := len(r.shaded); n > 0 {
		r.shaded = r.shaded[:n-1]
	}
}

func (r *odtReader) text(s []byte) {
	if !r.inBody || r.skip > 0 || len(r.spans) == 0 {
		return
	}
	if why := r.spans[len(r.spans)-1].why(slices.Contains(r.shaded, true)); why != "" {
		r.hide(s, why)
		return
	}
	r.flow.text(s)
}

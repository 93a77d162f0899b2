package document

import (
	"bytes"
	"context"
	"encoding/xml"
	"strconv"
)

// An odtReader walks the content of an OpenDocument text. Deletions of tracked
// changes and annotations are no text.
type odtReader struct {
	*body
	look   odtLook
	quotes map[string]bool // styles of quotations
	skip   int             // open elements within one that is no text
	inBody bool
	texts  int      // open paragraphs
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
	return &odtReader{body: newBody(), look: odtLook{styles: styles{}}, quotes: map[string]bool{"Quotations": true}}
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
		if r.quotes[attr(attrs, "parent-style-name")] {
			r.quotes[attr(attrs, "name")] = true
		}
	case "body":
		r.inBody = true
	}
	if r.inBody {
		r.look.enter(name, attrs)
		r.content(name, attrs)
	} else {
		r.look.define(name, attrs)
	}
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
		r.texts++
	case "s":
		n, err := strconv.Atoi(attr(attrs, "c"))
		if err != nil {
			n = 1
		}
		r.flow.text([]byte("  "[:min(max(n, 1), 2)]))
	case "tab":
		r.gap(space)
	case "line-break":
		r.lineBreak()
	case "table":
		r.gap(part)
	case "table-cell", "covered-table-cell":
		r.beginCell()
	case "note-body":
		r.beginSide(Footnote)
	case "text-box":
		r.beginSide("")
	}
}

func (r *odtReader) end(name string) {
	if r.skip > 0 {
		r.skip--
		return
	}
	if !r.inBody {
		return
	}
	r.look.leave(name)
	switch name {
	case "body":
		r.inBody = false
	case "p", "h":
		r.mark(r.kind, textStart(r.buf, r.start0))
		r.kind = ""
		r.texts = max(r.texts-1, 0)
		r.finish()
	case "table-cell", "covered-table-cell":
		r.endCell()
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

func (r *odtReader) text(s []byte) {
	if !r.inBody || r.skip > 0 || r.texts == 0 {
		return
	}
	if why, room := r.look.unseen(); why != "" {
		r.unseen(s, why, room)
		return
	}
	r.flow.text(s)
}

package office

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"path"
	"strconv"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/xmlwalk"
)

// An odtReader reads the content of an OpenDocument file. Tracked deletions and annotations are
// not text.
type odtReader struct {
	*flow.Body
	look    odtLook
	quotes  map[string]bool // styles of quotations
	indexes int             // open tables of contents, figures and the like
	remark  bool            // in an annotation
	running paragraphWords  // text of the open header or footer of pages
	remarks int             // words of annotations
	skip    int             // depth inside an element that is not text
	inBody  bool
	lists   odtLists
	texts   int             // number of open paragraphs
	kind    format.MarkKind // kind of the current paragraph
	start0  int
	headed  bool    // the next paragraph is a heading
	more    odfMore // for presentations and spreadsheets
	hidden  hiddenParts

	sections  []linkedSection                   // the open ones
	linked    func(address string) *format.Text // reads a linked file, as Linked of [format.Source]; nil if links are not followed
	master    bool                              // a linked section has no content
	unread    format.Unread
	element   string             // last element that started
	container *archive.Container // nil for a single XML file
	others    int                // such sections whose files are not read
}

// A linkedSection is a section that may show another file.
type linkedSection struct {
	address string // of the file; "" for none
	part    string // section of the file; "" for the whole
	start   int    // length of the text before the section
}

// odfMore reads elements that only presentations and spreadsheets have.
type odfMore interface {
	// start processes an element and reports whether to skip it.
	start(r *odtReader, name string, attrs []xml.Attr) bool
	end(r *odtReader, name string)
}

// odtSkipped are elements whose content is not text of the document.
var odtSkipped = map[string]bool{
	"tracked-changes": true, "annotation": true, "note-citation": true, "footnote-citation": true, "endnote-citation": true, "forms": true, "ruby-text": true,
	"sequence-decls": true, "event-listeners": true, "object": true, "binary-data": true, "desc": true, "title": true,
	"hidden-text": false,
}

// odfRunning are the headers and footers of pages.
var odfRunning = format.Names("header", "header-left", "header-first", "footer", "footer-left", "footer-first")

// odtType is the media type of an OpenDocument text.
const odtType = "application/vnd.oasis.opendocument.text"

// oldType is the media type of a text of OpenOffice 1, whose elements are almost the same.
const oldType = "application/vnd.sun.xml.writer"

// HoldsODT reports whether a member of a zip archive states that it is a text of OpenDocument or
// OpenOffice 1.
func HoldsODT(f *zip.File) bool {
	mime := archive.MIME(f)
	return strings.HasPrefix(mime, odtType) || strings.HasPrefix(mime, oldType)
}

// ODT reads an OpenDocument text.
func ODT(ctx context.Context, src *format.Source) (*format.Text, error) {
	return odf(ctx, src, newODTReader())
}

// odf reads an OpenDocument file with r.
func odf(ctx context.Context, src *format.Source, r *odtReader) (*format.Text, error) {
	c, err := archive.NewContainer(ctx, src)
	if err != nil {
		return nil, err
	}
	r.container = c
	if odfEncrypted(c) {
		return nil, format.ErrEncrypted
	}
	if src.Linked != nil {
		r.linked = func(address string) *format.Text { return src.Linked(ctx, address) }
	}
	if c.Has("styles.xml") {
		if err := c.Walk("styles.xml", r); err != nil {
			return nil, err
		}
	}
	if err := c.Walk("content.xml", r); err != nil {
		return nil, err
	}
	t, err := r.text()
	props := c.Fields("meta.xml", "title", "initial-creator", "creator")
	t.Title, t.Author = props.Get("title"), cmp.Or(props.Get("initial-creator"), props.Get("creator"))
	return t, err
}

func newODTReader() *odtReader {
	return &odtReader{Body: flow.NewBody(), look: odtLook{styles: look.Styles{}, drawn: true}, quotes: map[string]bool{"Quotations": true}}
}

// LooksFlatODT reports whether data is an OpenDocument text in a single XML file.
func LooksFlatODT(data []byte) bool {
	head := bytes.TrimLeft(bytes.TrimPrefix(data[:min(len(data), 4*format.HeadSize)], format.BOM), " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<?xml")) && !bytes.HasPrefix(head, []byte("<office:document")) {
		return false
	}
	return bytes.Contains(head, []byte("<office:document")) && bytes.Contains(head, []byte(odtType))
}

// FlatODT reads an OpenDocument text in a single XML file.
func FlatODT(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, charset.XMLDeclared(src.Data))
	if err != nil {
		return nil, err
	}
	r := newODTReader()
	if err := xmlwalk.WalkText(ctx, data, r); err != nil {
		return nil, err
	}
	props := xmlwalk.NewFields("title", "initial-creator")
	if err := xmlwalk.WalkText(ctx, data, props); err != nil {
		return nil, err
	}
	t, err := r.text()
	t.Title, t.Author, t.Encoding = props.Get("title"), props.Get("initial-creator"), encoding
	return t, err
}

// countObject counts the words of an embedded document, which is shown as a picture. A formula has
// none.
func (r *odtReader) countObject(href string) {
	if r.container == nil || href == "" {
		return
	}
	name := path.Clean(href)
	words := paragraphWords{}
	r.container.WalkIf(path.Join(name, "content.xml"), &words)
	r.unread.Words(name, countWords(words.String()))
}

// A paragraphWords collects the text of the paragraphs of a document.
type paragraphWords struct {
	strings.Builder
	depth int // of paragraphs
}

func (p *paragraphWords) Start(name string, _ []xml.Attr) {
	if name == "p" || name == "h" {
		p.WriteByte(' ')
		p.depth++
	}
}

func (p *paragraphWords) End(name string) {
	if name == "p" || name == "h" {
		p.depth--
	}
}

func (p *paragraphWords) Text(s []byte) {
	if p.depth > 0 {
		p.Write(s)
	}
}

// text returns the text that was read, with its notes.
func (r *odtReader) text() (*format.Text, error) {
	t, err := r.Done()
	r.hidden.note(t)
	r.lists.labels.count(&r.unread, "num-prefix")
	r.unread.Words("<annotation>", r.remarks)
	r.unread.Note(t)
	t.Note(format.Elsewhere(r.others))
	if r.master && err == format.ErrEmpty {
		err = errMaster
	}
	return t, err
}

func (r *odtReader) Start(name string, attrs []xml.Attr) {
	r.element = name
	if name == "object" && r.skip == 0 {
		r.countObject(xmlwalk.Attr(attrs, "href"))
	}
	if r.skip > 0 || odtSkipped[name] {
		if value := xmlwalk.Attr(attrs, "current-value"); name == "text" || name == "textarea" {
			r.unread.Words("<form>", countWords(value))
		}
		r.remark = r.remark || name == "annotation"
		r.skip++
		return
	}
	if r.more != nil && r.more.start(r, name, attrs) {
		r.skip++
		return
	}
	switch name {
	case "style":
		if r.quotes[xmlwalk.Attr(attrs, "parent-style-name")] {
			r.quotes[xmlwalk.Attr(attrs, "name")] = true
		}
	case "body":
		r.inBody = true
	}
	if !r.inBody {
		r.lists.define(name, attrs)
		r.running.Start(name, attrs)
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
	case "table-of-content", "illustration-index", "table-index", "object-index", "user-index":
		r.indexes++
	case "section":
		r.sections = append(r.sections, linkedSection{})
	case "section-source":
		if n := len(r.sections); n > 0 {
			r.sections[n-1] = linkedSection{xmlwalk.Attr(attrs, "href"), xmlwalk.Attr(attrs, "section-name"), r.Len()}
		}
	case "p", "h":
		r.Begin()
		r.start0, r.kind = r.Len(), ""
		switch style := xmlwalk.Attr(attrs, "style-name"); {
		case name == "h", r.headed:
			r.kind = format.Heading
			r.headed = false
		case r.quotes[style]:
			r.kind = format.Quote
		case r.indexes > 0:
			r.kind = format.Contents
		}
		r.texts++
		level := 0
		if name == "h" {
			level, _ = strconv.Atoi(xmlwalk.Attr(attrs, "outline-level"))
		}
		if label := r.lists.label(level); label != "" {
			r.Builder.Text([]byte(label + " "))
		}
	case "s":
		n, err := strconv.Atoi(xmlwalk.Attr(attrs, "c"))
		if err != nil {
			n = 1
		}
		r.Builder.Text([]byte("  "[:min(max(n, 1), 2)]))
	case "tab":
		r.Gap(flow.Space)
	case "line-break":
		r.LineBreak()
	case "list":
		r.lists.begin(xmlwalk.Attr(attrs, "style-name"))
	case "list-item":
		r.lists.item(r.Builder)
	case "table":
		r.Gap(flow.Part)
	case "table-cell", "covered-table-cell":
		r.BeginCell()
	case "note-body", "footnote-body", "endnote-body":
		r.BeginSide(format.Footnote)
	case "text-box":
		if r.texts > 0 { // else it has its place between the paragraphs
			r.BeginSide("")
		}
	}
}

func (r *odtReader) End(name string) {
	if r.skip > 0 {
		r.skip--
		r.remark = r.remark && r.skip > 0
		return
	}
	if !r.inBody {
		if r.running.End(name); odfRunning[name] {
			r.unread.Words("<"+name+">", countWords(r.running.String()))
			r.running = paragraphWords{}
		}
		return
	}
	r.look.leave(name)
	if r.more != nil {
		r.more.end(r, name)
	}
	switch name {
	case "body":
		r.inBody = false
	case "table-of-content", "illustration-index", "table-index", "object-index", "user-index":
		r.indexes--
	case "section":
		if n := len(r.sections); n > 0 {
			r.endSection(r.sections[n-1])
			r.sections = r.sections[:n-1]
		}
	case "p", "h":
		r.Mark(r.kind, r.start0)
		r.kind = ""
		r.texts = max(r.texts-1, 0)
		r.Finish()
	case "table-cell", "covered-table-cell":
		r.EndCell()
		r.Gap(flow.Cell)
	case "table-row":
		r.Gap(flow.Line)
	case "list":
		r.lists.end(r.Builder)
	case "list-item":
		r.lists.EndItem(r.Builder)
	case "table":
		r.Table()
	case "note-body", "footnote-body", "endnote-body":
		r.EndSide()
	case "text-box":
		if r.texts > 0 {
			r.EndSide()
		} else {
			r.Table()
		}
	}
}

// endSection reads the file of a section that has no content, as in a master document. A part of a
// file is not read.
func (r *odtReader) endSection(s linkedSection) {
	if s.address == "" || s.start != r.Len() {
		return
	}
	r.master = true
	if r.linked == nil || s.part != "" {
		r.others++
	} else if t := r.linked(s.address); t != nil {
		r.Put(t)
	}
}

func (r *odtReader) Text(s []byte) {
	if !r.inBody && r.skip == 0 {
		r.running.Text(s)
	}
	switch {
	case r.remark:
		r.remarks += countWords(string(s))
		return
	case !r.inBody || r.skip > 0:
		return
	case r.texts == 0:
		r.unread.Words("<"+r.element+">", countWords(string(s)))
		return
	}
	r.Show(s, &r.look)
}

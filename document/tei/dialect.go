package tei

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"html"
	"strings"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
	"github.com/otisk/otisk/lang/phrase"
)

// A dialect describes the elements of an XML format for articles and books. An element that
// is not listed separates paragraphs.
type dialect struct {
	skip   map[string]bool // elements that are not text
	keep   map[string]bool // elements that are text even within those of skip
	inline map[string]bool // elements that separate nothing
	spaced map[string]bool // elements that separate words
	notes  map[string]bool
	heads  map[string]bool
	quotes map[string]bool
	title  string // element of the title
	first  string // element of an author's first name
	last   string // element of an author's last name
}

// docBook describes DocBook, a format for manuals.
var docBook = &dialect{
	skip: format.Names("info", "bookinfo", "articleinfo", "chapterinfo", "sectioninfo", "prefaceinfo", "partinfo", "appendixinfo", "setinfo", "blockinfo", "objectinfo",
		"indexterm", "index", "toc", "remark", "mediaobject", "inlinemediaobject", "imageobject", "beginpage", "colspec", "titleabbrev", "footnoteref"),
	keep: format.Names("abstract", "title", "subtitle", "caption"),
	inline: format.Names("emphasis", "literal", "code", "command", "filename", "link", "ulink", "xref", "quote", "phrase", "trademark", "superscript", "subscript", "foreignphrase",
		"citetitle", "citation", "acronym", "abbrev", "application", "classname", "constant", "email", "envar", "errorcode", "errorname", "errortext", "function", "guibutton", "guilabel", "guimenu",
		"guimenuitem", "guisubmenu", "guiicon", "hardware", "interface", "interfacename", "keycap", "keycombo", "keysym", "markup", "medialabel", "menuchoice", "methodname", "option", "optional",
		"parameter", "prompt", "property", "replaceable", "returnvalue", "structfield", "structname", "symbol", "systemitem", "sgmltag", "tag", "token", "type", "uri", "userinput",
		"varname", "wordasword", "productname", "productnumber", "firstterm", "glossterm", "inlineequation", "mathphrase", "computeroutput", "package", "anchor", "co", "database", "action", "accel", "olink", "database", "exceptionname", "date", "person", "b", "i"),
	spaced: format.Names("personname", "firstname", "surname", "othername", "honorific", "lineage", "pubdate", "publishername", "author", "editor", "volumenum", "issuenum", "pagenums", "year", "arg", "subject"),
	notes:  format.Names("footnote"),
	heads:  format.Names("title", "subtitle", "bridgehead"),
	quotes: format.Names("blockquote", "epigraph"),
	title:  "title", first: "firstname", last: "surname",
}

// jats is JATS, the format of journal articles.
var jats = &dialect{
	skip: format.Names("front", "front-stub", "article-meta", "journal-meta", "tex-math", "math", "processing-meta", "object-id", "supplementary-material", "inline-supplementary-material", "floats-group-meta",
		"pub-id", "alt-text", "alternatives-meta", "permissions", "ext-link-meta"),
	keep: format.Names("abstract", "trans-abstract"),
	inline: format.Names("bold", "italic", "monospace", "overline", "roman", "sans-serif", "sc", "strike", "underline", "sub", "sup", "xref", "ext-link", "uri", "email", "named-content", "styled-content",
		"inline-formula", "inline-graphic", "abbrev", "target", "milestone-start", "milestone-end", "code", "related-article", "alternatives", "chem-struct", "fixed-case", "private-char", "break-in"),
	spaced: format.Names("label", "name", "surname", "given-names", "suffix", "prefix", "string-name", "collab", "person-group", "year", "month", "day", "source", "article-title", "chapter-title", "volume", "issue",
		"fpage", "lpage", "page-range", "publisher-name", "publisher-loc", "conf-name", "conf-loc", "edition", "etal", "comment", "trans-title", "elocation-id", "date-in-citation", "element-citation", "mixed-citation", "nlm-citation", "citation", "break"),
	notes:  format.Names("fn"),
	heads:  format.Names("title"),
	quotes: format.Names("disp-quote"),
	title:  "article-title", first: "given-names", last: "surname",
}

// fictionBook is FictionBook 2, a format of electronic books, whose pictures are text in the file.
var fictionBook = &dialect{
	skip:   format.Names("description", "binary", "stylesheet"),
	inline: format.Names("strong", "emphasis", "style", "a", "strikethrough", "sub", "sup", "code", "image"),
	heads:  format.Names("title", "subtitle"),
	quotes: format.Names("cite", "epigraph"),
	title:  "book-title", first: "first-name", last: "last-name",
}

var (
	docBookRoot = format.Pattern(`//DTD (Simplified )?DocBook|<\w+[^<>]*xmlns="http://docbook\.org/ns/docbook"`)
	fb2Root     = format.Pattern(`<FictionBook[\s>]`)
	jatsRoot    = format.Pattern(`//DTD (JATS|Journal (Archiving|Publishing)|[\w ]*Journal)|<article[^<>]*(dtd-version|article-type)=`)
)

// LooksDocBook reports whether data is DocBook.
func LooksDocBook(data []byte) bool {
	return startsXML(data) && docBookRoot().Match(format.Head(data))
}

// LooksJATS reports whether data is an article in JATS or its predecessor, the NLM DTD.
func LooksJATS(data []byte) bool { return startsXML(data) && jatsRoot().Match(format.Head(data)) }

// LooksFB2 reports whether data is a book in FictionBook 2.
func LooksFB2(data []byte) bool { return startsXML(data) && fb2Root().Match(format.Head(data)) }

func startsXML(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(format.Head(data), format.BOM), " \t\r\n"), []byte("<"))
}

// DocBook reads DocBook.
func DocBook(ctx context.Context, src *format.Source) (*format.Text, error) {
	return docBook.read(ctx, src)
}

// JATS reads an article in JATS.
func JATS(ctx context.Context, src *format.Source) (*format.Text, error) { return jats.read(ctx, src) }

// FB2 reads a book in FictionBook 2.
func FB2(ctx context.Context, src *format.Source) (*format.Text, error) {
	return fictionBook.read(ctx, src)
}

// metaElements hold metadata, of which only prose counts as text that may be shown.
var metaElements = format.Names("front", "front-stub", "article-meta", "journal-meta", "processing-meta", "object-id", "pub-id", "info", "bookinfo", "articleinfo", "chapterinfo", "sectioninfo", "prefaceinfo",
	"partinfo", "appendixinfo", "setinfo", "blockinfo", "objectinfo", "indexterm", "index", "toc", "titleabbrev", "description")

// noteReferences are the types of references of JATS whose number follows a word.
var noteReferences = format.Names("fn", "table-fn", "bibr")

// leastProse is the number of words in a row that are prose.
const leastProse = 20

// skipped counts the words of text that is not read.
func (r *dialectReader) skipped(within string, s []byte) {
	if n := len(bytes.Fields(s)); !silentElements[within] && (n >= leastProse || !metaElements[within]) {
		r.unread.Words("<"+within+">", n)
	}
}

// A dialectReader walks the elements of a dialect.
type dialectReader struct {
	*flow.Body
	d      *dialect
	open   []dialectElement
	fields *xmlwalk.Fields
	unread format.Unread
	others int // includes of other files
	most   int64
	long   bool // the text exceeds the limit
}

// A dialectElement is an open element: whether its content is text, and raised, and where it
// starts.
type dialectElement struct {
	text   bool
	raised bool
	start  int
	within string // outermost element whose content is not text
}

func (d *dialect) read(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, charset.XMLDeclared(src.Data))
	if err != nil {
		return nil, err
	}
	r := &dialectReader{Body: flow.NewBody(), d: d, fields: xmlwalk.NewFields(d.title, d.first, d.last, "year", "pubdate"), most: src.Bytes}
	if err := xmlwalk.WalkEntities(ctx, data, entities(data), r); err != nil {
		return nil, err
	}
	if r.long {
		return nil, fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.text-exceeds", "its text exceeds {bytes} bytes", "bytes", r.most))
	}
	t, err := r.Done()
	t.Title, t.Encoding = r.fields.Get(d.title), encoding
	t.Author = strings.TrimSpace(r.fields.Get(d.first) + " " + r.fields.Get(d.last))
	t.Year = format.Year(r.fields.Get("year") + " " + r.fields.Get("pubdate"))
	t.Note(format.Elsewhere(r.others))
	r.unread.NoteMany(t)
	return t, err
}

var entityValue = format.Pattern(`<!ENTITY\s+([\w.-]+)\s+(?:"([^"&%<]{0,200})"|'([^'&%<]{0,200})')\s*>`)

// entities returns the entities that a document declares whose values are plain text.
func entities(data []byte) map[string]string {
	found := map[string]string{}
	for _, m := range entityValue().FindAllSubmatch(data[:min(len(data), 16*format.HeadSize)], -1) {
		found[string(m[1])] = string(m[2]) + string(m[3])
	}
	return found
}

// entityLeft matches a reference to an entity in text.
var entityLeft = format.Pattern(`&[A-Za-z_][\w.-]*;`)

// noteUndefined adds references to undefined entities, which s has as text, to u.
func noteUndefined(u *format.Unread, s []byte) {
	if bytes.IndexByte(s, '&') < 0 {
		return
	}
	for _, m := range entityLeft().FindAllString(string(s), -1) {
		if html.UnescapeString(m) == m {
			u.Part(m)
		}
	}
}

func (r *dialectReader) Start(name string, attrs []xml.Attr) {
	r.fields.Start(name, attrs)
	if name == "include" {
		r.others++
	}
	text, within, raised := true, "", raisedElements[name] || noteReferences[xmlwalk.Attr(attrs, "ref-type")] || name == "a" && xmlwalk.Attr(attrs, "type") == "note"
	if n := len(r.open); n > 0 {
		text, within, raised = r.open[n-1].text, r.open[n-1].within, raised || r.open[n-1].raised
	}
	switch {
	case r.d.skip[name]:
		text, within = false, cmp.Or(within, name)
	case r.d.keep[name]:
		text, within = true, ""
	}
	if text {
		r.gap(name)
		switch {
		case r.d.notes[name]:
			r.BeginSide(format.Footnote)
		case name == "para" || name == "simpara" || name == "p":
			r.Begin()
		}
	}
	r.open = append(r.open, dialectElement{text, raised, r.Len(), within})
}

// gap separates the text before a tag from the text after it.
func (r *dialectReader) gap(name string) {
	switch {
	case r.d.inline[name] || r.d.notes[name]:
	case r.d.spaced[name]:
		r.Gap(flow.Space)
	case name == "entry" || name == "td" || name == "th":
		r.Gap(flow.Cell)
	case name == "row" || name == "tr" || name == "verse-line" || name == "member" || name == "v":
		r.Gap(flow.Line)
	default:
		r.Gap(flow.Part)
	}
}

func (r *dialectReader) End(name string) {
	r.fields.End(name)
	n := len(r.open) - 1
	if n < 0 {
		return
	}
	e := r.open[n]
	r.open = r.open[:n]
	if !e.text {
		return
	}
	switch {
	case r.d.notes[name]:
		r.EndSide()
		return
	case r.d.heads[name]:
		r.Mark(format.Heading, e.start)
	case r.d.quotes[name]:
		r.Mark(format.Quote, e.start)
	case name == "para" || name == "simpara" || name == "p":
		r.Finish()
		return
	}
	if r.gap(name); !r.d.inline[name] && !r.d.spaced[name] {
		r.endBlock()
	}
}

// endBlock starts a paragraph for text that follows a block outside any paragraph.
func (r *dialectReader) endBlock() {
	if len(r.open) < 2 {
		r.Table()
	}
}

func (r *dialectReader) Text(s []byte) {
	r.fields.Text(s)
	n := len(r.open)
	if n == 0 || r.long {
		return
	}
	if e := r.open[n-1]; !e.text {
		r.skipped(e.within, s)
		return
	}
	if r.long = int64(r.Len()+len(s)) > r.most; !r.long {
		noteUndefined(&r.unread, s)
		r.Raise(r.open[n-1].raised)
		r.Builder.Text(s)
	}
}

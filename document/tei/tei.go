// Package tei reads XML: TEI (Text Encoding Initiative), whose header has title and author,
// DocBook, JATS, and any other XML by default rules.
package tei

import (
	"bytes"
	"context"
	"encoding/xml"
	"strings"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/xmlwalk"
)

// inlineElements do not separate paragraphs, in TEI and in unknown formats. All other
// elements do.
var inlineElements = format.Names("hi", "emph", "foreign", "title", "ref", "rs", "name", "persName", "placeName", "orgName",
	"date", "num", "measure", "seg", "w", "c", "pc", "s", "phr", "term", "mentioned", "soCalled", "gloss", "said", "distinct",
	"abbr", "expan", "am", "ex", "orig", "reg", "sic", "corr", "choice", "add", "supplied", "unclear", "subst", "gap", "ptr", "anchor", "milestone",
	"q", "app", "lem", "rdg", "damage", "restore", "mod", "secl", "surplus", "geogName", "settlement", "country", "region", "roleName", "addName", "nameLink", "time", "cl", "m", "idno", "formula", "handShift", "space",
	"i", "b", "em", "strong", "u", "sub", "sup", "span", "a", "code", "tt", "small", "big", "font", "emphasis", "link", "quote", "email",
	"literal", "acronym", "italic", "bold", "xref", "ext-link", "surname", "forename", "address", "g", "lb", "pb", "cb",
	"style", "B", "I", "U", "S", "Sub", "Sup", "Span", "Font") // of HTML in cells of Excel 2003

// valueElements are inline elements that hold a value: two in a row are separate words.
var valueElements = format.Names("title", "name", "persName", "placeName", "orgName", "date", "num", "measure", "term", "gloss", "quote", "email", "surname", "forename", "address")

// notTextElements are elements of TEI whose content is not text of the document.
var notTextElements = format.Names("teiHeader", "fw", "del", "figDesc", "script", "style", "facsimile", "sourceDoc", "standOff", "front-matter-meta")

// editedElements are readings of an editor. Within a choice, the original reading counts.
var editedElements = format.Names("reg", "corr", "expan")

// silentElements are elements whose content a program does not show as text of the document.
var silentElements = format.Names("fw", "script", "style", "reg", "corr", "expan", "binary", "stylesheet", "math", "tex-math")

// An xmlReader reads TEI and unknown XML formats.
type xmlReader struct {
	*flow.Body
	skip   int
	choice int    // number of open choice elements
	first  bool   // the first reading of the last apparatus was met
	left   string // element that is skipped
	unread format.Unread
	others int // includes of other files
	header int // number of open elements of the teiHeader, outside of its abstract
	beside int // header, while an abstract is open
	fields *xmlwalk.Fields
	source int    // number of open sourceDesc elements
	date   bool   // the open element is a date in a sourceDesc
	year   int    // earliest year in a sourceDesc
	heads  []int  // offsets of the starts of open headings
	depth  int    // number of open elements
	ended  string // element that ended, without text after it
	looks  []xmlLook
}

// An xmlLook is how the text of the open element at this depth looks.
type xmlLook struct {
	depth   int
	element look.Element
}

// raisedElements are raised above the line in all formats.
var raisedElements = format.Names("sup", "superscript")

// enter reads how the text of an element looks: from a style attribute as in HTML, or from the
// values of the TEI attribute rend.
func (r *xmlReader) enter(name string, attrs []xml.Attr) {
	r.depth++
	up := raisedElements[name] || name == "ref" || noteReferences[xmlwalk.Attr(attrs, "ref-type")]
	styles := look.Properties(xmlwalk.Attr(attrs, "style"))
	for _, word := range strings.Fields(strings.ToLower(xmlwalk.Attr(attrs, "rend") + " " + xmlwalk.Attr(attrs, "rendition"))) {
		switch value, ok := strings.CutPrefix(strings.TrimSuffix(word, ")"), "color("); {
		case ok:
			styles = append(styles, look.Property{Name: "color", Value: value})
		case word == "hidden" || word == "invisible":
			styles = append(styles, look.Property{Name: "display", Value: "none"})
		case strings.Contains(word, "sup"):
			up = true
		default:
			styles = append(styles, look.Properties(word)...)
		}
	}
	if len(styles) == 0 && !up {
		return
	}
	var e look.Element
	if n := len(r.looks); n > 0 {
		e = r.looks[n-1].element
	}
	e.Apply(styles)
	e.Look.Up = e.Look.Up || up
	r.looks = append(r.looks, xmlLook{r.depth, e})
}

func (r *xmlReader) leave() {
	if n := len(r.looks); n > 0 && r.looks[n-1].depth == r.depth {
		r.looks = r.looks[:n-1]
	}
	r.depth--
}

// XML reads TEI and other XML. It expands the predefined entities of XML and those of HTML.
func XML(ctx context.Context, src *format.Source) (*format.Text, error) {
	data, encoding, err := charset.Decode(ctx, src, charset.XMLDeclared(src.Data))
	if err != nil {
		return nil, err
	}
	r := &xmlReader{Body: flow.NewBody(), fields: xmlwalk.NewFields("title", "author")}
	if err := xmlwalk.WalkText(ctx, data, r); err != nil {
		return nil, err
	}
	t, err := r.Done()
	t.Year = r.year
	r.unread.NoteMany(t)
	t.Note(format.Elsewhere(r.others))
	t.Title, t.Author, t.Encoding = r.fields.Get("title"), r.fields.Get("author"), encoding
	return t, err
}

// startSource reads the dates of the source of a text: the date of the digital edition is not
// that of the work.
func (r *xmlReader) startSource(name string, attrs []xml.Attr) {
	if name == "sourceDesc" {
		r.source++
	}
	if r.date = name == "date" && r.source > 0; r.date {
		r.dated(xmlwalk.Attr(attrs, "when"))
	}
}

// attributeWord matches a word of prose in the value of an attribute, with the space before it.
var attributeWord = format.Pattern(`(?:^|\s)\pL[\pL'’-]*`)

// dated keeps the earliest year.
func (r *xmlReader) dated(date string) {
	if y := format.Year(date); y > 0 && (r.year == 0 || y < r.year) {
		r.year = y
	}
}

func (r *xmlReader) Start(name string, attrs []xml.Attr) {
	if r.header > 0 && name == "abstract" {
		r.beside, r.header = r.header, 0
	}
	if r.header > 0 || name == "teiHeader" {
		r.header++
		r.fields.Start(name, attrs)
		r.startSource(name, attrs)
		return
	}
	styled := name == "style" && xmlwalk.Attr(attrs, "face") != "" // text in a font, as EndNote writes it
	if r.skip > 0 || notTextElements[name] && !styled || r.choice > 0 && editedElements[name] || name == "rdg" && r.first {
		if r.skip++; r.skip == 1 {
			r.left = name
		}
		return
	}
	for _, a := range attrs {
		if len(a.Value) < 2*leastProse-1 {
			continue // letters and the spaces between them do not fit, as in most attributes
		}
		if words := len(attributeWord().FindAllString(a.Value, -1)); words >= leastProse { // as in OPML
			r.unread.Words("<"+name+" "+a.Name.Local+">", words)
		}
	}
	switch name {
	case "choice":
		r.choice++
	case "app", "lem", "rdg":
		r.first = name != "app"
	case "include":
		r.others++
	}
	r.enter(name, attrs)
	if valueElements[name] && valueElements[r.ended] {
		r.Gap(flow.Space)
	}
	r.ended = ""
	switch {
	case name == "note":
		r.BeginSide(format.Footnote)
	case name == "head":
		r.Gap(flow.Part)
		r.heads = append(r.heads, r.Len())
	case name == "lb", name == "pb", name == "cb":
		if xmlwalk.Attr(attrs, "break") != "no" {
			r.Builder.Text([]byte("\n")) // a hyphen before it divides a word
		}
	case name == "w":
		r.Gap(flow.Space)
	case name == "l":
		r.Gap(flow.Line)
	case name == "cell":
		r.Gap(flow.Cell)
	case name == "row":
		r.Gap(flow.Line)
	case name == "p" || name == "ab":
		r.Begin()
	case !inlineElements[name]:
		r.Gap(flow.Part)
	}
}

func (r *xmlReader) End(name string) {
	if r.header > 0 {
		r.header--
		r.fields.End(name)
		r.date = false
		if name == "sourceDesc" {
			r.source--
		}
		return
	}
	if r.skip > 0 {
		r.skip--
		return
	}
	r.leave()
	if name == "abstract" && r.beside > 0 {
		r.header, r.beside = r.beside, 0
	}
	r.ended = name
	if name == "choice" {
		r.choice--
	}
	switch {
	case name == "note":
		r.EndSide()
	case name == "head":
		if n := len(r.heads); n > 0 {
			r.Mark(format.Heading, r.heads[n-1])
			r.heads = r.heads[:n-1]
		}
		r.Gap(flow.Part)
	case name == "w":
		r.Gap(flow.Space)
	case name == "p" || name == "ab":
		r.Finish()
	case name == "l" || name == "cell" || name == "row":
	case !inlineElements[name]:
		r.Table()
	}
}

func (r *xmlReader) Text(s []byte) {
	if r.header > 0 {
		r.fields.Text(s)
		if r.date {
			r.dated(string(s))
		}
		return
	}
	if r.skip > 0 {
		if !silentElements[r.left] {
			r.unread.Words("<"+r.left+">", len(bytes.Fields(s)))
		}
		return
	}
	r.ended = ""
	noteUndefined(&r.unread, s)
	if len(r.looks) == 0 {
		r.Raise(false)
		r.Builder.Text(s)
	} else {
		r.Show(s, r.looks[len(r.looks)-1].element)
	}
}

// namespaced matches a first element with a namespace.
var namespaced = format.Pattern(`^(?:<!--(?s:.*?)-->\s*)*<([A-Za-z][\w:.-]*)\s[^<>]*\bxmlns(?::[\w-]+)?\s*=`)

// LooksXML reports whether data is XML, by its declaration, or its root element.
func LooksXML(data []byte) bool {
	head := bytes.TrimLeft(bytes.TrimPrefix(format.Head(data), format.BOM), " \t\r\n")
	if m := namespaced().FindSubmatch(head); m != nil && bytes.HasSuffix(bytes.TrimRight(data, " \t\r\n"), []byte("</"+string(m[1])+">")) {
		return true
	}
	return bytes.HasPrefix(head, []byte("<?xml")) || format.StartsTag(head, "TEI") || format.StartsTag(head, "teiCorpus")
}

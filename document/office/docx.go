// Package office reads the formats of office programs: Word, PowerPoint and Excel, both Office
// Open XML and the binary formats before it, OpenDocument, and Rich Text Format.
//
// Its readers are rows of the table in package document, which detects the format by the other
// functions. Text hidden by formatting is read and flagged; tracked deletions are not
// text.
package office

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"strings"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
	"github.com/otisk/otisk/lang/phrase"
)

// A docxReader reads the body of a Word document. Tracked deletions, field codes and comments are
// not text.
type docxReader struct {
	*flow.Body
	notes        map[string]*flow.Builder // footnotes and endnotes by element and id
	skip         int                      // depth inside an element that is not text
	inRun        bool                     // properties apply to characters
	look         docxLook
	inText       bool
	formulas     int             // number of open formulas
	inCode       bool            // inside the code of a field
	numbering    *docxNumbering  // nil for none
	item         docxItem        // of the current paragraph
	kind         format.MarkKind // kind of the current paragraph by its style
	start0       int             // offset of the start of the current paragraph
	fields       wordFields
	choice       *choice // drop-down list of the open field; nil without one
	inProps      bool    // inside the properties of a paragraph
	noteID       string
	noteKind     string // footnote or endnote while a part with notes is read
	chunks       *chunkReader
	bound        map[string]bool // ids of the data that content controls show
	others       int             // documents that belong in the text and are not read
	alternatives alternatives
	unread       *format.Unread
	element      string // last element that started
	turned       []bool // by open override of the writing direction: whether it is right to left
}

// docxSkipped are elements whose content is not text of the document.
var docxSkipped = map[string]bool{
	"del": true, "moveFrom": true, "delText": true, "delInstrText": true, "rt": true,
	"rPrChange": true, "pPrChange": true, "tblPrChange": true, "tcPrChange": true, "trPrChange": true,
	"sectPr": true, "tblGrid": true, "sdtPr": true, "pict": false, "posOffset": true,
	"FieldCodes": true, "LinkType": true, "LockedField": true, "fldData": true, "binData": true, "align": true, "pctWidth": true, "pctHeight": true, "pctPosHOffset": true, "pctPosVOffset": true,
}

// HoldsDOCX reports whether a member of a zip archive is one of a Word document.
func HoldsDOCX(f *zip.File) bool {
	kind := archive.ContentType(f)
	return strings.HasPrefix(strings.ToLower(f.Name), "word/document") || strings.Contains(kind, ".wordprocessingml.") || strings.Contains(kind, ".ms-word.")
}

// DOCX reads a Word document in Office Open XML.
func DOCX(ctx context.Context, src *format.Source) (*format.Text, error) {
	c, err := archive.NewContainer(ctx, src)
	if err != nil {
		return nil, err
	}
	main := mainPart(c, "word/document.xml")
	parts := c.Relations(main)
	styles := partsOf(c, parts, main, "styles")
	r := &docxReader{Body: flow.NewBody(), notes: map[string]*flow.Builder{}, bound: map[string]bool{}, look: readStyles(c, styles), unread: &format.Unread{}}
	for _, kind := range []string{"footnote", "endnote"} {
		for _, name := range partsOf(c, parts, main, kind+"s") {
			if err := r.readNotes(c, name, kind); err != nil {
				return nil, err
			}
		}
	}
	r.numbering = readNumbering(c, partsOf(c, parts, main, "numbering"), styles)
	r.chunks = &chunkReader{ctx: ctx, src: src, container: c, parts: parts, read: map[string]bool{}}
	if err := c.Walk(main, r); err != nil {
		return nil, err
	}
	if r.chunks.err != nil {
		return nil, r.chunks.err
	}
	t, err := r.Done()
	r.chunks.note(t)
	if r.others > 0 {
		t.Note(format.Elsewhere(r.others))
		if err == format.ErrEmpty {
			err = errMaster
		}
	}
	if n := boundWords(c, r, t.Text); n > 0 {
		t.Note(phrase.Error("said.bound-data", "content controls have data of {words} words that are not in the text: Word shows them", "words", n))
	}
	r.numbering.labels.count(r.unread, "<lvlText>")
	countParts(c, r.chunks.parts, r.unread, map[string]bool{})
	r.unread.Note(t)
	coreFields(c, t)
	return t, err
}

// linked adds the text of the document that a master document links to by this relation id.
func (r *docxReader) linked(id string) {
	if r.chunks == nil || r.chunks.src.Linked == nil || r.chunks.parts.Outside(id) == "" {
		r.others++
		return
	}
	if t := r.chunks.src.Linked(r.chunks.ctx, r.chunks.parts.Outside(id)); t != nil {
		r.Put(t)
	}
}

// readNotes reads the notes of a kind.
func (r *docxReader) readNotes(c *archive.Container, member, kind string) error {
	if !c.Has(member) {
		r.unread.Part(member)
		return nil
	}
	return c.Walk(member, &docxReader{Body: flow.NewBody(), notes: r.notes, look: r.look, noteKind: kind, unread: r.unread})
}

func (r *docxReader) Start(name string, attrs []xml.Attr) {
	if name == "dataBinding" && r.chunks != nil {
		r.bound[xmlwalk.Attr(attrs, "storeItemID")] = true
	}
	if r.inProps && r.skip == 0 && (name == "del" || name == "moveFrom" || name == "framePr" && initials[xmlwalk.Attr(attrs, "dropCap")]) {
		r.JoinNext()
	}
	if r.skip > 0 || docxSkipped[name] || r.alternatives.skips(name, attrs) {
		r.skip++
		return
	}
	r.element = name
	r.look.start(name, attrs)
	switch name {
	case "p":
		r.Begin()
		r.kind, r.start0, r.item = "", r.Len(), docxItem{}
	case "pStyle":
		r.kind = r.look.kindOf(xmlwalk.Attr(attrs, "val"))
		if r.item.list == "" { // properties of the paragraph take precedence, and some programs write them first
			r.item = r.numbering.ofStyle(xmlwalk.Attr(attrs, "val"))
		}
	case "ilvl", "numId":
		r.item.set(name, xmlwalk.Attr(attrs, "val"))
	case "outlineLvl":
		r.kind = format.Heading
	case "r":
		r.inRun = true
	case "pPr":
		r.inProps = true
	case "t":
		r.inText = true
	case "oMath":
		r.formulas++
	case "fldChar":
		kind := xmlwalk.Attr(attrs, "fldCharType")
		r.fields.mark(kind)
		if kind == "end" {
			r.Show([]byte(r.fields.shown), &r.look)
			r.putChoice()
		}
	case "ddList":
		r.choice = &choice{before: r.Len()}
	case "listEntry", "result", "default":
		r.choice.set(name, xmlwalk.Attr(attrs, "val"))
	case "instrText":
		r.inCode = true
	case "footnote", "endnote":
		if kind := xmlwalk.Attr(attrs, "type"); kind != "" && kind != "normal" {
			r.skip++
			return
		}
		r.noteID = r.noteKind + xmlwalk.Attr(attrs, "id")
		r.BeginSide(format.Footnote)
	default:
		r.insert(name, attrs)
	}
}

// insert adds the character or text that an element represents.
func (r *docxReader) insert(name string, attrs []xml.Attr) {
	switch name {
	case "tab", "ptab":
		if r.inRun {
			r.Gap(flow.Space)
		}
	case "br", "cr":
		r.LineBreak()
	case "noBreakHyphen":
		r.Builder.Text([]byte("\u2011"))
	case "tbl":
		r.Gap(flow.Part)
	case "tc":
		r.BeginCell()
	case "txbxContent":
		r.BeginSide("")
	case "sym":
		r.symbol(attrs)
	case "bdo":
		r.override(xmlwalk.Attr(attrs, "val") == "rtl")
	case "textpath":
		r.BeginSide("")
		r.Builder.Text([]byte(xmlwalk.Attr(attrs, "string")))
		r.EndSide()
	case "OLEObject":
		if !strings.HasPrefix(xmlwalk.Attr(attrs, "ProgID"), equationClass) {
			r.unread.Part("<OLEObject>")
		}
	case "relIds":
		r.diagram(xmlwalk.Attr(attrs, "dm"))
	case "subDoc":
		r.linked(xmlwalk.Attr(attrs, "id"))
	case "altChunk":
		if r.chunks != nil {
			if t := r.chunks.text(xmlwalk.Attr(attrs, "id")); t != nil {
				r.Put(t)
			}
		}
	case "footnoteReference", "endnoteReference":
		r.refer(strings.TrimSuffix(name, "Reference") + xmlwalk.Attr(attrs, "id"))
	}
}

// initials are the kinds of frames with the first letter of the next paragraph.
var initials = format.Names("drop", "margin")

// quoteStyles are the ids of Word's quotation styles: English, Czech (where Word drops accented
// letters), German and Polish.
var quoteStyles = format.Names("quote", "intensequote", "blocktext", "citt", "vrazncitt", "zitat", "intensiveszitat", "cytat", "cytatintensywny")

// kindOfStyle returns the kind of paragraphs with this style.
func kindOfStyle(style string) format.MarkKind {
	s := strings.ToLower(style)
	switch {
	case strings.HasPrefix(s, "heading"), strings.HasPrefix(s, "nadpis"), s == "title":
		return format.Heading
	case quoteStyles[s]:
		return format.Quote
	case len(s) == len("toc1") && strings.HasPrefix(s, "toc"), s == "tableoffigures":
		return format.Contents
	}
	return ""
}

// refer adds a note to the notes of the paragraph; a second reference adds nothing.
func (r *docxReader) refer(id string) {
	if note := r.notes[id]; note != nil {
		r.Beside(note, format.Footnote)
		delete(r.notes, id)
	}
}

func (r *docxReader) End(name string) {
	if r.skip > 0 {
		r.skip--
		return
	}
	r.look.end(name)
	r.alternatives.end(name)
	switch name {
	case "p":
		if r.kind == "" && r.fields.inContents() {
			r.kind = format.Contents
		}
		r.Mark(r.kind, r.start0)
		if r.kind != format.Heading && r.item.list != "" && r.item.list != "0" {
			r.numbering.mark(r.Builder, r.start0, r.item)
		}
		r.kind = ""
		r.fields.show()
		r.Finish()
	case "r":
		r.inRun = false
	case "pPr":
		r.inProps = false
		if label := r.numbering.prose(r.item); label != "" {
			r.Builder.Text([]byte(label + " "))
		}
	case "t":
		r.inText = false
	case "oMath":
		r.formulas--
	case "instrText":
		r.inCode = false
	case "tc":
		r.EndCell()
		r.Gap(flow.Cell)
	case "tr":
		r.Gap(flow.Line)
	case "tbl":
		r.Table()
	case "txbxContent":
		r.EndSide()
	case "bdo":
		r.overridden()
	case "footnote", "endnote":
		r.EndSide()
		if sides := r.DetachSides(); len(sides) > 0 {
			r.notes[r.noteID] = sides[len(sides)-1]
		}
	}
}

func (r *docxReader) Text(s []byte) {
	switch {
	case r.skip > 0:
		return
	case r.inCode:
		r.fields.code(s)
		return
	case r.fields.hide():
		return
	case !r.inText:
		r.unread.Words("<"+r.element+">", countWords(string(s)))
		return
	case r.formulas > 0:
		s = fromFormula(s)
	}
	r.Show(s, &r.look)
}

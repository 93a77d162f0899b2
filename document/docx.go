package document

import (
	"context"
	"encoding/xml"
	"path"
	"strings"
)

// A docxReader walks the body of a Word document. Deletions of tracked changes,
// field codes and comments are no text.
type docxReader struct {
	*body
	notes    map[string]*flow // footnotes and end notes, by element and id
	skip     int              // open elements within one that is no text
	inRun    bool             // properties belong to characters
	look     docxLook
	inText   bool
	inCode   bool        // of a field
	kind     MarkKind    // of the current paragraph, by its style
	start0   int         // where the current paragraph starts
	fields   []wordField // that are open
	inProps  bool        // properties of a paragraph
	noteID   string
	noteKind string // footnote or endnote while a file of notes is read
}

// docxSkipped are the elements whose content is no text of the document.
var docxSkipped = map[string]bool{
	"del": true, "moveFrom": true, "delText": true, "delInstrText": true, "Fallback": true,
	"rPrChange": true, "pPrChange": true, "tblPrChange": true, "tcPrChange": true, "trPrChange": true,
	"sectPr": true, "tblGrid": true, "sdtPr": true, "pict": false, "posOffset": true,
	"align": true, "pctWidth": true, "pctHeight": true, "pctPosHOffset": true, "pctPosVOffset": true,
}

// readDOCX reads a Word document of Office Open XML.
func readDOCX(ctx context.Context, doc *Document, data []byte, opts Options) error {
	c, err := newContainer(ctx, data, opts)
	if err != nil {
		return err
	}
	main := c.mainPart()
	r := &docxReader{body: newBody(), notes: map[string]*flow{}, look: c.docxLook(path.Join(path.Dir(main), "styles.xml"))}
	for kind, name := range map[string]string{"footnote": "footnotes.xml", "endnote": "endnotes.xml"} {
		if err := c.notes(path.Join(path.Dir(main), name), kind, r); err != nil {
			return err
		}
	}
	if err := c.walk(main, r); err != nil {
		return err
	}
	props := c.properties("docProps/core.xml", "title", "creator")
	doc.Format, doc.Title, doc.Author = "docx", props["title"], props["creator"]
	return r.done(doc)
}

// mainPart returns the name of the member that holds the text.
func (c *container) mainPart() string {
	const usual = "word/document.xml"
	if c.has(usual) {
		return usual
	}
	f := relations{}
	if r, err := c.open("_rels/.rels"); err == nil {
		defer r.Close()
		_ = walkXML(c.ctx, r, f)
	}
	for kind, target := range f {
		if strings.HasSuffix(kind, "/officeDocument") {
			return strings.TrimPrefix(path.Clean("/"+target), "/")
		}
	}
	return usual
}

// relations are the targets in a file of relationships, by type.
type relations map[string]string

func (f relations) start(name string, attrs []xml.Attr) {
	if name == "Relationship" {
		f[attr(attrs, "Type")] = attr(attrs, "Target")
	}
}
func (relations) end(string)  {}
func (relations) text([]byte) {}

// walk tells h what a member consists of.
func (c *container) walk(member string, h handler) error {
	r, err := c.open(member)
	if err != nil {
		return err
	}
	defer r.Close()
	return walkXML(c.ctx, r, h)
}

// notes reads the notes of a kind for r, if the document has any.
func (c *container) notes(member, kind string, r *docxReader) error {
	if !c.has(member) {
		return nil
	}
	return c.walk(member, &docxReader{body: newBody(), notes: r.notes, look: r.look, noteKind: kind})
}

func (r *docxReader) start(name string, attrs []xml.Attr) {
	if r.inProps && r.skip == 0 && (name == "del" || name == "moveFrom") {
		r.joinNext()
	}
	if r.skip > 0 || docxSkipped[name] {
		r.skip++
		return
	}
	r.look.start(name, attrs)
	switch name {
	case "p":
		r.begin()
		r.kind = ""
	case "pStyle":
		r.kind = kindOfStyle(attr(attrs, "val"))
	case "outlineLvl":
		r.kind = Heading
	case "r":
		r.inRun = true
	case "pPr":
		r.inProps = true
	case "t":
		r.inText = true
	case "fldChar":
		r.fieldChar(attr(attrs, "fldCharType"))
	case "instrText":
		r.inCode = true
	case "tab", "ptab":
		if r.inRun {
			r.gap(space)
		}
	case "br", "cr":
		r.lineBreak()
	case "noBreakHyphen":
		r.flow.text([]byte("\u2011"))
	case "tbl":
		r.gap(part)
	case "tc":
		r.beginCell()
	case "txbxContent":
		r.beginSide("")
	case "footnoteReference", "endnoteReference":
		r.refer(strings.TrimSuffix(name, "Reference") + attr(attrs, "id"))
	case "footnote", "endnote":
		if kind := attr(attrs, "type"); kind != "" && kind != "normal" {
			r.skip++
			return
		}
		r.noteID = r.noteKind + attr(attrs, "id")
		r.beginSide(Footnote)
	}
	if name == "p" {
		r.start0 = len(r.buf)
	}
}

// quoteStyles are the ids that Word gives its styles for quotations: English,
// Czech (whose letters with accents it drops), German and Polish.
var quoteStyles = setOf("quote", "intensequote", "blocktext", "citt", "vrazncitt", "zitat", "intensiveszitat", "cytat", "cytatintensywny")

// kindOfStyle returns what a style says of its paragraphs.
func kindOfStyle(style string) MarkKind {
	s := strings.ToLower(style)
	switch {
	case strings.HasPrefix(s, "heading"), strings.HasPrefix(s, "nadpis"), s == "title":
		return Heading
	case quoteStyles[s]:
		return Quote
	}
	return ""
}

// refer puts a note beside the paragraph; a second reference adds nothing.
func (r *docxReader) refer(id string) {
	if note := r.notes[id]; note != nil {
		r.after = append(r.after, side{note, Footnote})
		delete(r.notes, id)
	}
}

func (r *docxReader) end(name string) {
	if r.skip > 0 {
		r.skip--
		return
	}
	r.look.end(name)
	switch name {
	case "p":
		r.mark(r.kind, textStart(r.buf, r.start0))
		r.kind = ""
		r.showFields()
		r.finish()
	case "r":
		r.inRun = false
	case "pPr":
		r.inProps = false
	case "t":
		r.inText = false
	case "instrText":
		r.inCode = false
	case "tc":
		r.endCell()
		r.gap(cell)
	case "tr":
		r.gap(line)
	case "tbl":
		r.gap(part)
		if len(r.cells) == 0 && len(r.outer) == 0 {
			r.sides()
		}
	case "txbxContent":
		r.endSide()
	case "footnote", "endnote":
		r.endSide()
		if n := len(r.after); n > 0 {
			r.notes[r.noteID] = r.after[n-1].flow
		}
		r.after = nil
	}
}

func (r *docxReader) text(s []byte) {
	switch {
	case r.skip > 0:
		return
	case r.inCode:
		r.fieldCode(s)
		return
	case !r.inText || r.inField():
		return
	}
	if why, room := r.look.unseen(); why != "" {
		r.unseen(s, why, room)
		return
	}
	r.flow.text(s)
}

// textStart skips the gap that was written at from.
func textStart(buf []byte, from int) int {
	for from < len(buf) && buf[from] <= ' ' {
		from++
	}
	return from
}

package office

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/ole"
	"github.com/otisk/otisk/lang/phrase"
)

// A document of Word 97 to 2003 is a stream of characters in pieces, with one or two bytes a
// character: the text first, then footnotes, headers, comments, endnotes and text boxes.
// Formatting is stored separately, by offset in the stream. The format is documented in
// [MS-DOC]; comments name its structures.

// wordStream is the stream with the characters, which every Word document has.
const wordStream = "WordDocument"

// LooksDOC reports whether data is a Word document in the binary format used until 2007.
func LooksDOC(data []byte) bool { return ole.Holds(data, wordStream) }

// A docReader reads the characters of a document.
type docReader struct {
	*flow.Body
	docFile
	pulse   *format.Pulse
	letters *[256]rune // characters of pieces with one byte a character
	fields  wordFields
	beside  map[int]*flow.Builder // notes and text boxes by the character that refers to them
	high    rune                  // high surrogate of UTF-16
	buf     []byte                // consecutive characters with the same look
	now     docRun                // look of the characters in buf
	begun   bool                  // a paragraph is open
	start0  int                   // offset of its start in the text
	table   bool                  // inside a table
	cell    bool                  // inside a cell
}

// DOC reads a document of Word 6 to 2003. Tracked deletions, field codes, comments, headers and
// footers are not text.
func DOC(ctx context.Context, src *format.Source) (*format.Text, error) {
	f, err := ole.Open(src.Data)
	if err != nil {
		return nil, err
	}
	r := &docReader{Body: flow.NewBody(), pulse: format.NewPulse(ctx), beside: map[int]*flow.Builder{}}
	if err := r.open(f); err != nil {
		return nil, err
	}
	r.letters = &windows1252
	var encoding string
	if r.word95 {
		if r.letters, encoding, err = r.letters95(ctx, src); err != nil {
			return nil, err
		}
	}
	if err := r.notes(); err != nil {
		return nil, err
	}
	if err := r.story(0, r.size[0]); err != nil {
		return nil, err
	}
	r.left()
	t, err := r.Done()
	t.Title, t.Author = ole.Summary(f)
	t.Encoding = encoding
	r.noteUnread(t, f)
	if r.word95 {
		t.Note(phrase.Error("said.word-95", "a document of Word 6 or 95: hidden text is read as text, since how its letters look is not known"))
	}
	return t, err
}

// noteUnread notes what a document shows and this reader omits: prose of headers and comments, and
// embedded objects other than formulas.
func (r *docReader) noteUnread(t *format.Text, f *ole.File) {
	var aside besides
	for story, kind := range map[int]string{storyHeaders: "header", storyHeaderBoxes: "header", storyComments: "comment"} {
		from := r.start(story)
		for text := range strings.SplitSeq(r.plain(from, from+r.size[story]), "\r\r") {
			aside.count(kind, text)
		}
	}
	if f.Count("_1") > f.Count("Equation Native") {
		aside.Part("ObjectPool")
	}
	aside.Note(t)
}

// plain returns the characters [from, to) without the codes of fields.
func (r *docReader) plain(from, to int) string {
	var text strings.Builder
	codes := 0
	for _, p := range r.pieces {
		for at := max(p.from, from); at < min(p.to, to); at++ {
			offset := p.offset + (at-p.from)*p.width()
			c := rune(r.letters[r.main[offset]])
			if !p.narrow {
				c = rune(binary.LittleEndian.Uint16(r.main[offset:]))
			}
			switch {
			case c == docBegin:
				codes++
			case c == docSeparate || c == docEnd:
				codes = max(codes-1, 0)
			case codes == 0 && (c >= ' ' || c == docParagraph):
				text.WriteRune(c)
			case codes == 0:
				text.WriteByte(' ')
			}
		}
	}
	return text.String()
}

// notes reads footnotes, endnotes and text boxes.
func (r *docReader) notes() error {
	for _, part := range r.sides() {
		for i, p := range part.places[:min(len(part.places), len(part.calls))] {
			r.BeginSide(part.kind)
			if err := r.story(p.from, p.to); err != nil {
				return err
			}
			r.EndSide()
			if texts := r.DetachSides(); len(texts) > 0 && !texts[len(texts)-1].Blank() {
				r.beside[part.calls[i]] = texts[len(texts)-1]
			}
		}
	}
	return nil
}

// story reads the characters [from, to).
func (r *docReader) story(from, to int) error {
	r.fields, r.begun, r.table, r.cell = wordFields{}, false, false, false
	at := from
	first, _ := slices.BinarySearchFunc(r.pieces, from, func(p docPiece, at int) int { return cmp.Compare(p.to, at+1) })
	for _, p := range r.pieces[first:] {
		if p.from >= to {
			break
		}
		if p.to <= at {
			continue
		}
		if p.from > at {
			return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.doc-gap", "characters {from} to {to} are missing in the piece table", "from", at, "to", p.from))
		}
		end := min(p.to, to)
		if err := r.piece(p, at, end); err != nil {
			return err
		}
		at = end
	}
	if at < to {
		return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.doc-rest", "the last {count} characters are missing in the piece table", "count", to-at))
	}
	if r.flush(); r.begun {
		r.Finish()
	}
	r.endTable()
	return nil
}

// piece reads the characters [from, to) of a piece.
func (r *docReader) piece(p docPiece, from, to int) error {
	width := p.width()
	for at := from; at < to; {
		if err := r.pulse.Err(); err != nil {
			return err
		}
		offset := p.offset + (at-p.from)*width
		run, end := r.runAt(p, offset)
		run.at = at
		if run != r.now {
			r.flush()
			r.now = run
		}
		for ; at < to && offset < end; at, offset = at+1, offset+width {
			if p.narrow {
				r.char(r.letters[r.main[offset]], at, offset)
				continue
			}
			unit := rune(binary.LittleEndian.Uint16(r.main[offset:]))
			if r.word95 && unit>>8 == 0x10 { // in the code page
				unit = r.letters[unit&0xFF]
			}
			if utf16.IsSurrogate(unit) {
				r.pair(unit)
			} else {
				r.char(unit, at, offset)
			}
		}
	}
	return nil
}

// windows1252 are the characters of pieces with one byte a character.
var windows1252 = func() (chars [256]rune) {
	for i := range chars {
		chars[i], _ = charset.FromPage(usualPage, []byte{byte(i)})
	}
	return chars
}()

// pair reads a surrogate of UTF-16.
func (r *docReader) pair(unit rune) {
	if whole := utf16.DecodeRune(r.high, unit); whole != '\uFFFD' {
		r.add(whole)
		r.high = 0
		return
	}
	r.high = unit
}

// Control characters: ends of units, and anchors of objects.
const (
	docPicture   = 0x01
	docNote      = 0x02
	docComment   = 0x05
	docCell      = 0x07 // end of a cell or row
	docDrawn     = 0x08
	docLine      = 0x0B
	docPage      = 0x0C // page break or end of a section
	docParagraph = 0x0D
	docColumn    = 0x0E
	docBegin     = 0x13 // start of a field
	docSeparate  = 0x14
	docEnd       = 0x15
	docHyphen    = 0x1E // non-breaking hyphen
	docSoft      = 0x1F // soft hyphen
	docSymbol    = '('  // character of a symbol font, if its run is special
)

// char reads character number at, whose bytes are at offset.
func (r *docReader) char(c rune, at, offset int) {
	if c >= ' ' && !(r.now.special && c == docSymbol) {
		r.add(c)
		return
	}
	switch c {
	case '\t', docColumn:
		r.gap(flow.Space, offset)
	case docLine:
		r.flush()
		if r.shown() {
			r.LineBreak()
		}
	case docParagraph, docPage:
		r.paragraph(offset)
	case docCell:
		r.endCell(offset)
	case docBegin:
		r.field("begin")
	case docSeparate:
		r.field("separate")
	case docEnd:
		r.field("end")
	case docHyphen:
		r.add('\u2011')
	case docNote, docDrawn:
		r.call(at, offset)
	case docPicture, docComment, docSoft, docSymbol, 0, 3, 4:
	default:
		r.add(c)
	}
}

func (r *docReader) add(c rune) { r.buf = append(r.buf, string(c)...) }

func (r *docReader) field(mark string) {
	r.flush()
	if r.fields.mark(mark); mark == "end" {
		r.buf = append(r.buf, r.fields.shown...)
	}
}

// shown reports whether the next characters are text of the document.
func (r *docReader) shown() bool { return !r.now.deleted && !r.fields.hide() }

func (r *docReader) gap(g flow.Gap, offset int) {
	r.flush()
	if r.shown() {
		r.begin(offset)
		r.Gap(g)
	}
}

// flush adds the buffered characters.
func (r *docReader) flush() {
	r.high = 0
	if len(r.buf) == 0 {
		return
	}
	if r.fields.inCode() {
		r.fields.code(r.buf)
	} else if r.shown() {
		r.begin(r.now.offset)
		c := r.now.look
		if r.table || r.mayBeOnDrawing(r.now.at) {
			c.Ground = c.Ground.Over(look.Unknown)
		}
		r.Show(r.buf, c.Look())
	}
	r.buf = r.buf[:0]
}

// begin starts a paragraph unless one is open; offset is any byte in it.
func (r *docReader) begin(offset int) {
	if r.begun {
		return
	}
	r.begun = true
	if p := r.paragraphAt(offset); p.table && !r.table {
		r.Gap(flow.Part)
		r.table = true
	} else if !p.table {
		r.endTable()
	}
	if r.table && !r.cell {
		r.BeginCell()
		r.cell = true
	}
	r.Begin()
	r.start0 = r.Len()
}

func (r *docReader) endTable() {
	if r.cell {
		r.EndCell()
	}
	if r.table {
		r.Table()
	}
	r.table, r.cell = false, false
}

// paragraph ends the paragraph.
func (r *docReader) paragraph(offset int) {
	r.flush()
	p := r.paragraphAt(offset)
	r.begin(offset)
	if p.kind == "" && r.fields.inContents() {
		p.kind = format.Contents
	}
	r.Mark(p.kind, r.start0)
	if r.now.deleted {
		r.JoinNext()
	}
	r.fields.show()
	r.Finish()
	r.begun = false
}

// endCell ends a cell or a row; the end of a row is a paragraph of its own.
func (r *docReader) endCell(offset int) {
	r.flush()
	if r.paragraphAt(offset).row {
		r.Gap(flow.Line)
		return
	}
	r.paragraph(offset)
	if r.cell {
		r.EndCell()
		r.cell = false
	}
	r.Gap(flow.Cell)
}

// call adds the note or text box that character at refers to after its paragraph.
func (r *docReader) call(at, offset int) {
	if text := r.beside[at]; text != nil && r.shown() {
		r.flush()
		r.begin(offset)
		r.Beside(text, r.sideKind(at))
		delete(r.beside, at)
	}
}

// left adds the text boxes that no character of the text refers to, such as those in drawings of
// Word itself.
func (r *docReader) left() {
	for _, at := range slices.Sorted(maps.Keys(r.beside)) {
		r.Begin()
		r.Beside(r.beside[at], r.sideKind(at))
		r.Finish()
	}
}

func (r *docReader) sideKind(at int) format.MarkKind {
	if r.boxes[at] {
		return ""
	}
	return format.Footnote
}

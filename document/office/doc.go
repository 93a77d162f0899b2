package office

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf16"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/look"
	"github.com/otisk/otisk/document/ole"
)

// A document of Word 97 to 2003 is a stream of characters in pieces, of one byte or
// two each: the text first, then footnotes, headers, comments, end notes and text
// boxes. How a character looks is said of its place in the stream, apart from it. The
// documentation calls this [MS-DOC]; names of its structures are in the comments.

// wordStream is the stream that every document of Word has.
const wordStream = "WordDocument"

// LooksDOC reports whether data is a document of Word from before 2007.
func LooksDOC(data []byte) bool {
	if !ole.Looks(data) {
		return false
	}
	f, err := ole.Open(data)
	return err == nil && f.Has(wordStream)
}

// A docReader goes through the characters.
type docReader struct {
	*flow.Body
	docFile
	pulse   *format.Pulse
	letters *[256]rune // of pieces of one byte each
	fields  wordFields
	beside  map[int]*flow.Builder // notes and text boxes, by where they are called
	high    rune                  // first half of a pair of UTF-16
	buf     []byte                // characters that look alike
	now     docRun                // how they look
	begun   bool                  // the paragraph has begun
	start0  int                   // where in the text
	table   bool                  // within a table
	cell    bool                  // within one of its cells
}

// DOC reads a document of Word 6 to 2003. Deletions of tracked changes, field
// codes, comments and running heads are no text.
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
	if r.word95 {
		t.Notes = append(t.Notes, "a document of Word 6 or 95: hidden text is read as text, since how its letters look is not known")
	}
	return t, err
}

// notes reads what is beside the text: notes, and text boxes.
func (r *docReader) notes() error {
	for _, part := range r.sides() {
		for i, p := range part.places[:min(len(part.places), len(part.calls))] {
			r.BeginSide(part.kind)
			if err := r.story(p.from, p.to); err != nil {
				return err
			}
			r.EndSide()
			if texts := r.TakeSides(); len(texts) > 0 && !texts[len(texts)-1].Blank() {
				r.beside[part.calls[i]] = texts[len(texts)-1]
			}
		}
	}
	return nil
}

// story reads the characters from one place to another.
func (r *docReader) story(from, to int) error {
	r.fields, r.begun, r.table, r.cell = nil, false, false, false
	at := from
	for _, p := range r.pieces {
		if p.to <= at || p.from >= to {
			continue
		}
		if p.from > at {
			return fmt.Errorf("%w: characters %d to %d are in no piece", format.ErrDamaged, at, p.from)
		}
		end := min(p.to, to)
		if err := r.piece(p, at, end); err != nil {
			return err
		}
		at = end
	}
	if at < to {
		return fmt.Errorf("%w: %d characters are missing at the end", format.ErrDamaged, to-at)
	}
	if r.flush(); r.begun {
		r.Finish()
	}
	r.endTable()
	return nil
}

// piece reads the characters of a piece from one place to another.
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
			if utf16.IsSurrogate(unit) {
				r.pair(unit)
			} else {
				r.char(unit, at, offset)
			}
		}
	}
	return nil
}

// windows1252 are the characters of pieces of one byte each.
var windows1252 = func() (chars [256]rune) {
	for i := range chars {
		chars[i], _ = charset.FromPage(usualPage, []byte{byte(i)})
	}
	return chars
}()

// pair takes half of a character in UTF-16.
func (r *docReader) pair(unit rune) {
	if whole := utf16.DecodeRune(r.high, unit); whole != '\uFFFD' {
		r.add(whole)
		r.high = 0
		return
	}
	r.high = unit
}

// Characters that are not text: ends, and places of what is not a character.
const (
	docPicture   = 0x01
	docNote      = 0x02
	docComment   = 0x05
	docCell      = 0x07 // or the end of a row
	docDrawn     = 0x08
	docLine      = 0x0B
	docPage      = 0x0C // or the end of a section
	docParagraph = 0x0D
	docColumn    = 0x0E
	docBegin     = 0x13 // of a field
	docSeparate  = 0x14
	docEnd       = 0x15
	docHyphen    = 0x1E // that does not break
	docSoft      = 0x1F // hyphen where a line may end
	docSymbol    = '('  // of a font of symbols, where it is special
)

// char takes the character at a place, whose bytes are at offset.
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
	r.fields.mark(mark)
}

// shown reports whether text that comes now is text of the document.
func (r *docReader) shown() bool { return !r.now.deleted && !r.fields.hide() }

func (r *docReader) gap(g flow.Gap, offset int) {
	r.flush()
	if r.shown() {
		r.begin(offset)
		r.Gap(g)
	}
}

// flush adds the characters that look alike.
func (r *docReader) flush() {
	r.high = 0
	if len(r.buf) == 0 {
		return
	}
	if n := len(r.fields); n > 0 && !r.fields[n-1].result {
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

// begin starts the paragraph, unless it has begun; offset is somewhere in it.
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

// paragraph ends one.
func (r *docReader) paragraph(offset int) {
	r.flush()
	p := r.paragraphAt(offset)
	r.begin(offset)
	r.Mark(p.kind, r.start0)
	if r.now.deleted {
		r.JoinNext()
	}
	r.fields.show()
	r.Finish()
	r.begun = false
}

// endCell ends a cell, or a row, whose end is a paragraph by itself.
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

// call puts what is beside the text at a place after its paragraph.
func (r *docReader) call(at, offset int) {
	if text := r.beside[at]; text != nil && r.shown() {
		r.flush()
		r.begin(offset)
		r.Beside(text, r.sideKind(at))
		delete(r.beside, at)
	}
}

// left adds what no character of the text calls: boxes in what Word draws by itself.
func (r *docReader) left() {
	var places []int
	for at := range r.beside {
		places = append(places, at)
	}
	slices.Sort(places)
	for _, at := range places {
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

package office

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/ole"
)

// A workbook of Excel 5 to 2003 is a stream of records: two bytes say the kind, two how
// long what follows is. First come those of the whole workbook: its sheets, and the texts
// of cells, which are kept together from Excel 97 on. Then come the sheets. The
// documentation calls this [MS-XLS].

// xlsStreams are what the stream is called, from Excel 97 on and before.
var xlsStreams = []string{"Workbook", "Book"}

// LooksXLS reports whether data is a workbook of Excel from before 2007.
func LooksXLS(data []byte) bool {
	if !ole.Looks(data) {
		return false
	}
	f, err := ole.Open(data)
	return err == nil && (f.Has(xlsStreams[0]) || f.Has(xlsStreams[1]))
}

// The kinds of records that are read.
const (
	xlsFormula   = 0x0006
	xlsEnd       = 0x000A
	xlsPassword  = 0x002F
	xlsMore      = 0x003C
	xlsPage      = 0x0042
	xlsObject    = 0x005D
	xlsSheet     = 0x0085
	xlsNumbers   = 0x00BD
	xlsRichLabel = 0x00D6
	xlsShared    = 0x00FC
	xlsSharedAt  = 0x00FD
	xlsBox       = 0x01B6
	xlsNumber    = 0x0203
	xlsLabel     = 0x0204
	xlsResult    = 0x0207
	xlsColumns   = 0x007D
	xlsRow       = 0x0208
	xlsShort     = 0x027E
	xlsBegin     = 0x0809
)

const (
	xlsVersion8 = 0x0600 // of Excel 97 and later
	xlsComment  = 0x19   // the kind of an object that is a comment
)

// An xlsListed is a sheet that is listed.
type xlsListed struct {
	at    int
	state byte
	name  string
}

// An xlsReader reads a workbook.
type xlsReader struct {
	*flow.Body
	pulse  *format.Pulse
	data   []byte
	old    bool // made by Excel 5 or 95
	page   int  // code page of its texts
	sheets []xlsListed
	shared []string
	hidden hiddenParts
	most   int64 // bytes of text
	row    int   // of the cell before
	object int   // kind of the object before
	err    error
}

// XLS reads a workbook of Excel 5 to 2003: its sheets, each after its name. Numbers and
// dates are as they are stored.
func XLS(ctx context.Context, src *format.Source) (*format.Text, error) {
	f, err := ole.Open(src.Data)
	if err != nil {
		return nil, err
	}
	r := &xlsReader{Body: flow.NewBody(), pulse: format.NewPulse(ctx), page: 1252, most: src.Bytes}
	if r.data, err = f.Stream(xlsStreams[0]); err != nil {
		if r.data, err = f.Stream(xlsStreams[1]); err != nil {
			return nil, err
		}
	}
	if err := r.workbook(); err != nil {
		return nil, err
	}
	seen := map[int]bool{}
	for _, s := range r.sheets {
		if seen[s.at] {
			continue
		}
		seen[s.at] = true
		if err := r.sheet(s); err != nil {
			return nil, err
		}
	}
	t, err := r.Done()
	t.Notes = r.hidden.notes()
	t.Title, t.Author = ole.Summary(f)
	return t, r.hidden.check(err)
}

var errXLS = fmt.Errorf("%w: records of the workbook", format.ErrDamaged)

// A xlsRecord is a record, and where the one after it is.
type xlsRecord struct {
	kind int
	body []byte
	next int
}

// record returns the record at a place; ok is false at the end.
func (r *xlsReader) record(at int) (rec xlsRecord, ok bool) {
	const head = 4
	if at < 0 || at+head > len(r.data) {
		return rec, false
	}
	rec.kind = u16(r.data, at)
	rec.next = min(at+head+u16(r.data, at+2), len(r.data))
	rec.body = r.data[at+head : rec.next]
	return rec, true
}

// workbook reads the records of the whole workbook.
func (r *xlsReader) workbook() error {
	first, ok := r.record(0)
	if !ok || first.kind != xlsBegin || len(first.body) < 2 {
		return errXLS
	}
	r.old = u16(first.body, 0) < xlsVersion8
	for at := first.next; ; {
		rec, ok := r.record(at)
		if !ok || rec.kind == xlsEnd {
			break
		}
		if err := r.pulse.Err(); err != nil {
			return err
		}
		switch at = rec.next; rec.kind {
		case xlsPassword:
			return format.ErrEncrypted
		case xlsPage:
			if len(rec.body) >= 2 {
				r.page = xlsCodePage(u16(rec.body, 0))
			}
		case xlsSheet:
			r.list(rec.body)
		case xlsShared:
			if err := r.texts(r.stretch(rec)); err != nil {
				return err
			}
		}
	}
	if len(r.sheets) == 0 {
		return errXLS
	}
	return nil
}

// xlsCodePage returns the number that others have for a code page.
func xlsCodePage(page int) int {
	switch page {
	case 0x8000:
		return 10000
	case 0x8001:
		return 1252
	}
	return page
}

// list notes a sheet. What is none, such as a chart, has no cells.
func (r *xlsReader) list(body []byte) {
	const head, worksheet = 6, 0
	if len(body) < head+2 || body[5] != worksheet {
		return
	}
	s := xlsListed{at: int(u32(body, 0)), state: body[4] & 3}
	name := xlsText{parts: [][]byte{body[head:]}}
	s.name, _ = r.string(&name, 1)
	r.sheets = append(r.sheets, s)
}

// sheet reads a sheet that is listed.
func (r *xlsReader) sheet(s xlsListed) error {
	first, ok := r.record(s.at)
	if !ok || first.kind != xlsBegin {
		r.hidden.missing = append(r.hidden.missing, "sheet "+s.name)
		return nil
	}
	if s.state != 0 {
		r.hidden.sheets = append(r.hidden.sheets, s.name)
	}
	start := r.Builder.Start(flow.Part)
	r.Builder.Text([]byte(s.name))
	r.Mark(format.Heading, start)
	r.Gap(flow.Part)
	r.row = -1
	inner := 0 // charts in the sheet that are open
	for at := first.next; ; {
		rec, ok := r.record(at)
		if !ok {
			break
		}
		if err := r.pulse.Err(); err != nil {
			return err
		}
		at = rec.next
		switch {
		case rec.kind == xlsBegin:
			inner++
		case rec.kind == xlsEnd && inner == 0:
			r.boxes()
			return r.err
		case rec.kind == xlsEnd:
			inner--
		case inner == 0:
			r.cells(rec)
		}
		if r.err != nil {
			return r.err
		}
	}
	r.boxes()
	return r.err
}

// boxes adds what is written into boxes on the sheet, after its cells.
func (r *xlsReader) boxes() {
	r.Gap(flow.Part)
	for _, b := range r.TakeSides() {
		r.Append(b)
		r.Gap(flow.Part)
	}
}

// cells adds what a record of a sheet says of cells.
func (r *xlsReader) cells(rec xlsRecord) {
	const head = 6 // row, column, looks
	b := rec.body
	switch {
	case rec.kind == xlsRow && len(b) >= 16:
		if u32(b, 12)&0x20 != 0 {
			r.hidden.rows++
		}
	case rec.kind == xlsColumns && len(b) >= 10:
		if u16(b, 8)&1 != 0 {
			r.hidden.columns++
		}
	case rec.kind == xlsObject && len(b) >= 6:
		r.object = u16(b, 4)
	case rec.kind == xlsBox && r.object != xlsComment:
		r.box(rec)
	case rec.kind == xlsResult:
		r.text(xlsText{parts: r.stretch(rec)})
	case len(b) < head:
	case rec.kind == xlsSharedAt && len(b) >= head+4:
		if n := int64(u32(b, head)); n < int64(len(r.shared)) {
			r.cell(u16(b, 0), r.shared[n])
		}
	case rec.kind == xlsLabel || rec.kind == xlsRichLabel:
		r.row = r.gap(u16(b, 0))
		r.text(xlsText{parts: [][]byte{b[head:]}})
	case rec.kind == xlsNumber && len(b) >= head+8:
		r.cell(u16(b, 0), xlsFloat(b[head:]))
	case rec.kind == xlsShort && len(b) >= head+4:
		r.cell(u16(b, 0), xlsCompact(u32(b, head)))
	case rec.kind == xlsNumbers:
		for at := 4; at+8 <= len(b); at += 6 {
			r.cell(u16(b, 0), xlsCompact(u32(b, at+2)))
		}
	case rec.kind == xlsFormula && len(b) >= head+8:
		if u16(b, head+6) != 0xFFFF {
			r.cell(u16(b, 0), xlsFloat(b[head:]))
		} else {
			r.row = r.gap(u16(b, 0)) // a record with its text follows, or it has none
		}
	}
}

// gap separates a cell of a row from the one before, and returns the row.
func (r *xlsReader) gap(row int) int {
	if r.row >= 0 && row != r.row {
		r.Gap(flow.Line)
	} else {
		r.Gap(flow.Cell)
	}
	return row
}

// cell adds a cell. A text that is kept once may be in any number of cells.
func (r *xlsReader) cell(row int, text string) {
	r.row = r.gap(row)
	if r.err = roomFor(int64(r.Len()+len(text)), r.most, int64(len(r.data))); r.err != nil {
		return
	}
	r.Builder.Text([]byte(text))
}

// text adds a text to the cell that is open.
func (r *xlsReader) text(t xlsText) {
	if s, err := r.string(&t, 2); err == nil {
		r.Builder.Text([]byte(s))
	}
}

// box keeps the text of a box for the end of the sheet: the records after it hold its
// characters, without their number, and how they look.
func (r *xlsReader) box(rec xlsRecord) {
	const countAt = 10
	if len(rec.body) < countAt+2 || r.old {
		return
	}
	parts := r.stretch(rec)[1:]
	if len(parts) == 0 || len(parts[0]) == 0 {
		return
	}
	t := xlsText{parts: parts}
	wide := t.byte()&1 != 0
	s := t.chars(u16(rec.body, countAt), wide)
	text := new(flow.Builder)
	text.Text([]byte(s))
	r.Beside(text, "")
}

// stretch returns the body of a record, and those of the records after it that go on with
// it.
func (r *xlsReader) stretch(rec xlsRecord) [][]byte {
	parts := [][]byte{rec.body}
	for next, ok := r.record(rec.next); ok && next.kind == xlsMore; next, ok = r.record(next.next) {
		parts = append(parts, next.body)
	}
	return parts
}

// xlsFloat returns a number as people write it.
func xlsFloat(b []byte) string {
	return xlsWritten(math.Float64frombits(uint64(u32(b, 4))<<32 | uint64(u32(b, 0))))
}

// xlsCompact returns a number of four bytes: the upper ones of a usual one, or a whole
// number; either may be a hundred times what is meant.
func xlsCompact(n uint32) string {
	v := math.Float64frombits(uint64(n&^3) << 32)
	if n&2 != 0 {
		v = float64(int32(n) >> 2)
	}
	if n&1 != 0 {
		v /= 100
	}
	return xlsWritten(v)
}

func xlsWritten(v float64) string {
	if math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// texts reads the texts that cells share. Damage ends them.
func (r *xlsReader) texts(parts [][]byte) error {
	const head = 8
	if len(parts[0]) < head {
		return nil
	}
	t := xlsText{parts: parts}
	t.skip(head)
	for {
		if err := r.pulse.Err(); err != nil {
			return err
		}
		s, err := r.string(&t, 2)
		if errors.Is(err, errXLSText) {
			return nil
		}
		r.shared = append(r.shared, s)
	}
}

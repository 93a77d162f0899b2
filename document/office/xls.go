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
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// A workbook of Excel 5 to 2003 is a stream of records: two bytes for the type, two for the size of
// the body. The first records describe the whole workbook: its sheets and, since Excel 97, the
// texts shared by cells. The sheets follow. The format is documented in [MS-XLS].

// xlsStreams are the names of the stream: since Excel 97, and before.
var xlsStreams = []string{"Workbook", "Book"}

// LooksXLS reports whether data is an Excel workbook in the binary format used until 2007.
func LooksXLS(data []byte) bool { return ole.Holds(data, xlsStreams...) }

// Types of the records that are read.
const (
	xlsFormula   = 0x0006
	xlsEnd       = 0x000A
	xlsHeader    = 0x0014
	xlsFooter    = 0x0015
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
	xlsSeries    = 0x100D // text of a chart
)

const (
	xlsVersion8 = 0x0600 // of Excel 97 and later
	xlsComment  = 0x19   // object type of a comment
	xlsTextBox  = 0x06   // of a box of text
)

// An xlsListed is an entry of the list of sheets.
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
	old    bool // written by Excel 5 or 95
	page   int  // code page of texts
	sheets []xlsListed
	charts []int // offsets of sheets that are a chart
	shared []string
	hidden hiddenParts
	aside  besides
	most   int64 // size limit for the text in bytes
	row    int   // row of the previous cell
	object int   // type of the previous object
	err    error
}

// XLS reads a workbook of Excel 5 to 2003: the name of each sheet followed by its cells. Numbers and
// dates appear as stored.
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
	if err := lists.Each(r.charts, r.chart); err != nil {
		return nil, err
	}
	t, err := r.Done()
	r.hidden.note(t)
	if f.Count("MBD") > f.Count("Equation Native") {
		r.aside.Part("MBD")
	}
	r.aside.Note(t)
	t.Title, t.Author = ole.Summary(f)
	return t, r.hidden.check(err)
}

var errXLS = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.xls-records", "the records of the workbook are not valid"))

// An xlsRecord is a record and the offset of the next one.
type xlsRecord struct {
	kind int
	body []byte
	next int
}

// record returns the record at offset at; ok is false at the end.
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

// chart counts the texts of a sheet that is a chart.
func (r *xlsReader) chart(at int) error {
	for rec, ok := r.record(at); ok && rec.kind != xlsEnd; rec, ok = r.record(rec.next) {
		if err := r.pulse.Err(); err != nil {
			return err
		}
		if rec.kind == xlsSeries && len(rec.body) > 2 {
			r.aside.count("chart", r.stated(rec.body[2:], 1))
		}
	}
	return nil
}

// xlsCodePage maps the code page numbers of Excel to those of Windows.
func xlsCodePage(page int) int {
	switch page {
	case 0x8000:
		return 10000
	case 0x8001:
		return 1252
	}
	return page
}

// list adds an entry of the list of sheets. Charts and macros are skipped: they have no cells.
func (r *xlsReader) list(body []byte) {
	const head, worksheet, chart = 6, 0, 2
	if len(body) >= head && body[5] == chart {
		r.charts = append(r.charts, int(u32(body, 0)))
	}
	if len(body) < head+2 || body[5] != worksheet {
		return
	}
	s := xlsListed{at: int(u32(body, 0)), state: body[4] & 3}
	name := xlsText{parts: [][]byte{body[head:]}}
	s.name, _ = r.string(&name, 1)
	r.sheets = append(r.sheets, s)
}

// sheet reads a sheet of the list.
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
	inner := 0 // number of open charts in the sheet
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
		case rec.kind == xlsSeries && len(rec.body) > 2:
			r.aside.count("chart", r.stated(rec.body[2:], 1))
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

// boxes adds the text of boxes on the sheet, after its cells.
func (r *xlsReader) boxes() {
	r.Gap(flow.Part)
	for _, b := range r.DetachSides() {
		r.Append(b)
		r.Gap(flow.Part)
	}
}

// cells adds the cells of a record.
func (r *xlsReader) cells(rec xlsRecord) {
	const head = 6 // row, column, format
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
		if r.object = u16(b, 4); r.old && r.object == xlsTextBox {
			r.aside.Part("OBJ")
		}
	case rec.kind == xlsBox && r.object != xlsComment:
		r.box(rec)
	case rec.kind == xlsBox:
		r.aside.count("comment", r.boxText(rec))
	case rec.kind == xlsHeader || rec.kind == xlsFooter:
		r.aside.count("header", r.stated(b, 2))
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
			r.row = r.gap(u16(b, 0)) // a record with its text follows, unless it has none
		}
	}
}

// gap separates a cell from the previous one and returns its row.
func (r *xlsReader) gap(row int) int {
	if r.row >= 0 && row != r.row {
		r.Gap(flow.Line)
	} else {
		r.Gap(flow.Cell)
	}
	return row
}

// cell adds a cell. The total size is limited, since any number of cells may share a text.
func (r *xlsReader) cell(row int, text string) {
	r.row = r.gap(row)
	if r.err = roomFor(int64(r.Len()+len(text)), r.most, int64(len(r.data))); r.err != nil {
		return
	}
	r.Builder.Text([]byte(text))
}

// text adds a text to the open cell.
func (r *xlsReader) text(t xlsText) {
	if s, err := r.string(&t, 2); err == nil {
		r.Builder.Text([]byte(s))
	}
}

// box stores the text of a box for the end of the sheet.
func (r *xlsReader) box(rec xlsRecord) {
	if s := r.boxText(rec); s != "" {
		text := new(flow.Builder)
		text.Text([]byte(s))
		r.Beside(text, "")
	}
}

// boxText returns the text of a box. Its characters, without their number, and its formatting are in
// the records that follow.
func (r *xlsReader) boxText(rec xlsRecord) string {
	const countAt = 10
	if len(rec.body) < countAt+2 || r.old {
		return ""
	}
	parts := r.stretch(rec)[1:]
	if len(parts) == 0 || len(parts[0]) == 0 {
		return ""
	}
	t := xlsText{parts: parts}
	wide := t.byte()&1 != 0
	return t.chars(u16(rec.body, countAt), wide)
}

// stated returns the text in the body of a record, after its number of characters in size bytes.
func (r *xlsReader) stated(body []byte, size int) string {
	s, err := r.string(&xlsText{parts: [][]byte{body}}, size)
	if err != nil {
		return ""
	}
	return s
}

// stretch returns the body of a record and those of its continuation records.
func (r *xlsReader) stretch(rec xlsRecord) [][]byte {
	parts := [][]byte{rec.body}
	for next, ok := r.record(rec.next); ok && next.kind == xlsMore; next, ok = r.record(next.next) {
		parts = append(parts, next.body)
	}
	return parts
}

// xlsFloat formats a floating-point number.
func xlsFloat(b []byte) string {
	return xlsWritten(math.Float64frombits(uint64(u32(b, 4))<<32 | uint64(u32(b, 0))))
}

// xlsCompact formats a number encoded in four bytes (RkNumber): the upper bytes of a floating-point
// number, or an integer, either possibly multiplied by 100.
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

// texts reads the texts shared by cells, up to the first damage.
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

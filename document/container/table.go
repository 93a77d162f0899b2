package container

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/packed"
)

// A table has rows of values with commas, semicolons or tabs between them. Its
// first row names the columns, one of which has the text of a document.
//
// A value may be in quotes, and then have line ends in it. So one quote too many
// could take all rows that follow for its value: a row that ends nowhere, or has
// more or fewer values than there are columns, is an error, and the next one is
// looked for on the next line.
type table struct {
	lines rowLines
	sep   byte
	head  []string // names of the columns, as they are written; "" for one that another has before it
	again []string // names that are there again

	text, id int // columns; -1 for none

	cells  []byte // of the last row, one after another
	ends   []int  // of each in cells; no more are kept than there are columns, and one
	number int    // of the line that the row starts on
}

// maxColumns is how many columns a table may have.
const maxColumns = 10_000

// asTable reports whether the stream is a table with the column that has the text,
// and makes it one in UTF-8. Where that column was asked for by name, it need not be
// there: [Stream.Each] says that it is missing.
func (s *Stream) asTable(ctx context.Context, from *start, name string) bool {
	head := wholeLines(from.head)
	plain, encoding, err := charset.Decode(ctx, &format.Source{Data: head, Encoding: s.opts.Encoding}, "")
	if err != nil {
		return false // the reader of text says what is wrong
	}
	t := &table{sep: separatorOf(plain, name), lines: rowLines{data: plain, ended: true, max: int64(len(plain))}}
	if s.opts.Field == "" && (t.columns(s.opts) != nil || t.text < 0) {
		return false
	}
	if s.encoding, s.sep = encoding, t.sep; encoding != "utf-8" {
		enc, err := charset.Lookup(encoding)
		if err != nil {
			return false
		}
		s.plain = bufio.NewReaderSize(enc.NewDecoder().Reader(&untilDamage{from}), 1<<20)
	}
	return true
}

// wholeLines returns the lines in a sample, so that no character is cut.
func wholeLines(sample []byte) []byte {
	end := bytes.LastIndexByte(sample, '\n') + 1
	if len(sample) < sampleSize || end == 0 {
		return sample
	}
	if end%2 != 0 && end < len(sample) && sample[end] == 0 {
		end++ // of UTF-16
	}
	return sample[:end]
}

// An untilDamage reads up to where something is lost: what decodes its bytes cannot go
// on after that.
type untilDamage struct{ from io.Reader }

func (u *untilDamage) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if errors.Is(err, packed.ErrPart) {
		err = fmt.Errorf("%w: %s", io.ErrUnexpectedEOF, err)
	}
	return n, err
}

// separatorOf returns what is between the values: of comma, semicolon and tab, the
// one that the first line has most often; in a file of type .tsv the tab.
func separatorOf(head []byte, name string) byte {
	if strings.Contains(strings.ToLower(name), ".tsv") {
		return '\t'
	}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	return slices.MaxFunc([]byte(",;\t"), func(a, b byte) int {
		return bytes.Count(first, []byte{a}) - bytes.Count(first, []byte{b})
	})
}

// columns reads the names of the columns, and finds those that are asked for.
func (t *table) columns(opts Options) error {
	if err := t.row(); err != nil {
		return err
	}
	if len(t.ends) > maxColumns {
		return fmt.Errorf("%w: a table of more than %d columns", format.ErrTooLarge, maxColumns)
	}
	var head []string
	seen := map[string]bool{}
	for i := range t.ends {
		name := bytes.TrimPrefix(t.cell(i), format.BOM)
		column := strings.TrimSpace(strings.ToValidUTF8(string(name), "\ufffd"))
		if lower := strings.ToLower(column); lower != "" && seen[lower] {
			t.again, column = append(t.again, column), ""
		} else {
			seen[lower] = true
		}
		head = append(head, column)
	}
	t.head = head
	t.text, t.id = t.column(cmp.Or(opts.Field, "text")), t.column(cmp.Or(opts.ID, "id"))
	return nil
}

// column returns the place of a column, -1 for none.
func (t *table) column(name string) int {
	return slices.IndexFunc(t.head, func(have string) bool { return strings.EqualFold(have, name) })
}

func (t *table) cell(i int) []byte {
	if i == 0 {
		return t.cells[:t.ends[0]]
	}
	return t.cells[t.ends[i-1]:t.ends[i]]
}

// table reads the rows of a table.
func (r *reader) table() error {
	t := &table{lines: rowLines{from: r.from, max: r.opts.MaxBytes, ctx: r.ctx}, sep: r.sep}
	if err := t.columns(r.opts); err != nil {
		return lost(err)
	}
	if t.text < 0 {
		return fmt.Errorf("%w %q: %s", format.ErrNoField, r.opts.Field, strings.Join(t.head, ", "))
	}
	for _, name := range t.again {
		if err := r.give(Record{Name: "line 1"}, fmt.Errorf("%w: more than one column is called %q, and only the first of them is read", format.ErrDamaged, name)); err != nil {
			return err
		}
	}
	for {
		err := t.row()
		if err == io.EOF {
			return r.manyBad(t.number)
		}
		if ended := r.ended(); ended != nil {
			return ended
		}
		rec := Record{Name: "line " + strconv.Itoa(t.number)}
		if err == nil {
			err = r.cells(t, &rec)
		}
		if err := r.giveLine(rec, t.number, err); err != nil {
			return err
		}
	}
}

// cells makes the record of a row.
func (r *reader) cells(t *table, rec *Record) error {
	if bad := bytes.Contains(t.cells, []byte("\ufffd")) && r.encoding != "utf-8"; bad || !utf8.Valid(t.cells) {
		return fmt.Errorf("%w: a row that is not %s, as the table starts", format.ErrEncoding, r.encoding)
	}
	for i, name := range t.head {
		if i != t.text && i != t.id {
			rec.describe(name, string(t.cell(i)))
		}
	}
	name := ""
	if t.id >= 0 {
		name = strings.TrimSpace(string(t.cell(t.id)))
		if strings.EqualFold(t.head[t.id], "url") || strings.EqualFold(t.head[t.id], "address") {
			rec.Address = name
		}
	}
	rec.Name = cmp.Or(name, rec.Address, rec.Name)
	rec.Data, rec.Text = bytes.Clone(t.cell(t.text)), asItIs(r.encoding)
	return nil
}

var (
	errOpen   = fmt.Errorf("%w: a value starts with a quote and ends nowhere", format.ErrDamaged)
	errQuoted = fmt.Errorf("%w: there is more after the quote that ends a value", format.ErrDamaged)
)

// row reads the next row that is not blank. After one that is broken the next one
// is looked for on the next line. The error is io.EOF at the end.
func (t *table) row() error {
	l := &t.lines
	for {
		l.forget()
		line, err := l.next()
		if err != nil {
			t.number = l.number + 1
			return cmp.Or(l.pass(err), err)
		}
		if len(bytes.TrimSpace(line)) == 0 && !l.cut() {
			continue
		}
		t.number = l.number
		return t.from(l.at)
	}
}

// from reads the row of which the first line was read, which ends at this place.
func (t *table) from(end int) error {
	l := &t.lines
	err := t.quoted(l.data[:end])
	several := l.at > end
	if err == nil && t.head != nil && len(t.ends) != len(t.head) {
		err = fmt.Errorf("%w: %s, and the table has %s", format.ErrDamaged, format.Counted(len(t.ends), "%d value", "%d values"), format.Counted(len(t.head), "%d column", "%d columns"))
	}
	if t.sep == '\t' && (err != nil && t.fits(l.data[:end]) || err == nil && several && t.fit(l.data[:l.at])) {
		t.plain(l.data[:end])
		err = nil
		l.back(end, t.number)
	}
	switch {
	case l.cut():
		err = lost(l.why)
	case err == nil:
		return nil
	}
	l.back(end, t.number)
	return err
}

// most is how many values of a row are kept.
func (t *table) most() int {
	if t.head == nil {
		return maxColumns + 1
	}
	return len(t.head) + 1
}

// end ends a value.
func (t *table) end() {
	if len(t.ends) < t.most() {
		t.ends = append(t.ends, len(t.cells))
	} else if len(t.ends) > 0 {
		t.cells = t.cells[:t.ends[len(t.ends)-1]]
	}
}

// quoted takes a row apart of which the first line is given.
func (t *table) quoted(line []byte) (err error) {
	if cap(t.cells) > 16<<20 {
		t.cells = nil // a long row does not come twice
	}
	t.cells, t.ends = t.cells[:0], t.ends[:0]
	for {
		if len(line) > 0 && line[0] == '"' {
			if line, err = t.value(line[1:]); err != nil {
				return err
			}
		} else {
			size := bytes.IndexByte(line, t.sep)
			if size < 0 {
				size = len(bytes.TrimRight(line, "\r\n"))
			}
			t.cells, line = append(t.cells, line[:size]...), line[size:]
		}
		t.end()
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return nil
		}
		if line[0] != t.sep {
			return errQuoted
		}
		line = line[1:]
	}
}

// value takes a value that is in quotes, and returns what follows the second one.
func (t *table) value(line []byte) (rest []byte, err error) {
	for {
		size := bytes.IndexByte(line, '"')
		if size < 0 {
			t.cells = append(t.cells, line...)
			if line, err = t.lines.next(); err == io.EOF {
				err = errOpen
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		t.cells, line = append(t.cells, line[:size]...), line[size+1:]
		if len(line) == 0 || line[0] != '"' {
			return line, nil
		}
		t.cells, line = append(t.cells, '"'), line[1:]
	}
}

// fits reports whether a line is a row where quotes mean nothing, as many programs
// write values with tabs.
func (t *table) fits(line []byte) bool {
	return bytes.Count(line, []byte{t.sep}) == len(t.head)-1
}

// fit reports whether each of these lines is one.
func (t *table) fit(lines []byte) bool {
	for line := range bytes.Lines(lines) {
		if !t.fits(line) {
			return false
		}
	}
	return true
}

// plain takes a line apart in which quotes mean nothing.
func (t *table) plain(line []byte) {
	t.cells, t.ends = t.cells[:0], t.ends[:0]
	for cell := range bytes.SplitSeq(bytes.TrimRight(line, "\r\n"), []byte{t.sep}) {
		t.cells = append(t.cells, cell...)
		t.end()
	}
}

// rowLines are the lines of a table. Those of the row that is being read are kept,
// so that it can be gone back to each of them.
type rowLines struct {
	from *bufio.Reader
	ctx  context.Context
	max  int64 // bytes that a row may have

	data   []byte // from the start of the row
	at     int    // where the next line starts
	number int    // lines so far
	cuts   []int  // places in data where something is lost
	why    error  // it is
	ended  bool   // nothing follows data
}

// forget lets go of the lines so far: another row starts.
func (l *rowLines) forget() {
	l.cuts = slices.DeleteFunc(l.cuts, func(at int) bool { return at < l.at })
	for i := range l.cuts {
		l.cuts[i] -= l.at
	}
	if l.at == len(l.data) {
		l.data = l.data[:0]
	} else {
		l.data = l.data[l.at:]
	}
	l.at = 0
}

// back goes back to the line after so many, which starts there.
func (l *rowLines) back(at, number int) { l.at, l.number = at, number }

// cut reports whether something is lost in the lines so far.
func (l *rowLines) cut() bool { return len(l.cuts) > 0 && l.cuts[0] < l.at }

// next returns the next line with its end.
func (l *rowLines) next() ([]byte, error) {
	for searched := l.at; ; {
		if size := bytes.IndexByte(l.data[searched:], '\n'); size >= 0 && int64(searched+size) <= l.max {
			return l.take(searched + size + 1), nil
		}
		searched = len(l.data)
		switch {
		case int64(searched) > l.max:
			return nil, fmt.Errorf("%w: a row of more than %d bytes", format.ErrTooLarge, l.max)
		case l.ended && searched > l.at:
			return l.take(searched), nil
		case l.ended:
			return nil, io.EOF
		}
		if err := l.more(); err != nil {
			return nil, err
		}
	}
}

func (l *rowLines) take(end int) []byte {
	line := l.data[l.at:end]
	l.at = end
	l.number++
	return line
}

// more reads a line, or the next part of one. Where something is lost, the line
// ends.
func (l *rowLines) more() error {
	if err := format.Ended(l.ctx); err != nil {
		return err
	}
	part, err := l.from.ReadSlice('\n')
	l.data = append(l.data, part...)
	if l.ended = err != nil && !errors.Is(err, errFull) && !errors.Is(err, packed.ErrPart); l.ended || errors.Is(err, packed.ErrPart) {
		if err != io.EOF {
			l.cuts, l.data, l.why = append(l.cuts, len(l.data)), append(l.data, '\n'), err
		}
	}
	return nil
}

// pass goes past a line that is too long, where that is the error.
func (l *rowLines) pass(err error) error {
	if !errors.Is(err, format.ErrTooLarge) {
		return nil
	}
	l.number++
	for {
		if size := bytes.IndexByte(l.data[l.at:], '\n'); size >= 0 {
			l.at += size + 1
			return nil
		}
		l.data, l.at, l.cuts = l.data[:0], 0, nil
		if l.ended {
			return nil
		}
		if err := l.more(); err != nil {
			return err
		}
	}
}

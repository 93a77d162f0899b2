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
	"github.com/otisk/otisk/lang/phrase"
)

// A table has rows of values separated by commas, semicolons or tabs. The first row
// names the columns, one of which has the text of a document.
//
// A value in quotes may contain line ends. A single stray quote could therefore
// swallow all following rows: a row that does not end, or whose number of values is
// not the number of columns, is an error, and parsing resumes on the line after the
// first line of that row.
type table struct {
	lines rowLines
	sep   byte
	head  []string // names of the columns as written; "" for a duplicate name
	means []string // meaning of each column: see [Headings]
	again []string // duplicate names

	text, id int // indices of columns; -1 for none

	cells  []byte // values of the last row, concatenated
	ends   []int  // end of each value in cells; at most one more than there are columns
	number int    // of the first line of the row, counted from 1
}

// maxColumns is the largest number of columns that is read.
const maxColumns = 10_000

// asTable reports whether the stream is a table with a column for the text, and makes
// s.plain return it in UTF-8. If the column was named by the caller, it may be missing:
// [Stream.Each] reports that.
func (s *Stream) asTable(ctx context.Context, from *start, name string) bool {
	head := wholeLines(from.head)
	plain, encoding, err := charset.Decode(ctx, &format.Source{Data: head, Encoding: s.opts.Encoding}, "")
	if err != nil {
		return false // the reader of plain text reports the error
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

// wholeLines returns the complete lines of a sample, so that no character is split.
func wholeLines(sample []byte) []byte {
	end := bytes.LastIndexByte(sample, '\n') + 1
	if len(sample) < sampleSize || end == 0 {
		return sample
	}
	if end%2 != 0 && end < len(sample) && sample[end] == 0 {
		end++ // second byte of a newline in UTF-16
	}
	return sample[:end]
}

// An untilDamage ends at the first missing part, since a decoder of characters cannot
// resume after it.
type untilDamage struct{ from io.Reader }

func (u *untilDamage) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if errors.Is(err, packed.ErrPart) {
		err = fmt.Errorf("%w: %s", io.ErrUnexpectedEOF, err)
	}
	return n, err
}

// separatorMark is the start of a first line that states the separator, as Excel writes it.
const separatorMark = "sep="

// separatorOf returns the separator of values: the one that the first line states, a tab if the
// name contains .tsv, otherwise the most frequent of comma, semicolon and tab in the first line.
func separatorOf(head []byte, name string) byte {
	first, _, _ := bytes.Cut(bytes.TrimPrefix(head, format.BOM), []byte("\n"))
	if stated := strings.TrimPrefix(strings.ToLower(string(first)), `"`); strings.HasPrefix(stated, separatorMark) {
		if sep := strings.TrimRight(stated[len(separatorMark):], "\"\r "); sep != "" && strings.Trim(sep[1:], ",") == "" {
			return sep[0]
		}
	}
	if strings.Contains(strings.ToLower(name), ".tsv") {
		return '\t'
	}
	return slices.MaxFunc([]byte(",;\t"), func(a, b byte) int {
		return bytes.Count(first, []byte{a}) - bytes.Count(first, []byte{b})
	})
}

// columns reads the header row and finds the columns of text and id.
func (t *table) columns(opts Options) error {
	if err := t.row(); err != nil {
		return err
	}
	first := strings.ToLower(strings.TrimSpace(string(bytes.TrimPrefix(t.cells, format.BOM))))
	if strings.TrimRight(first, ",") == separatorMark && len(t.ends) > 1 || first == separatorMark+string(rune(t.sep)) {
		if err := t.row(); err != nil { // the row before states the separator
			return err
		}
	}
	if len(t.ends) > maxColumns {
		return fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.many-columns", "a table of more than {count} columns", "count", maxColumns))
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
	t.head, t.means = head, Headings(head)
	t.text, t.id = t.column(cmp.Or(opts.Field, "text")), t.column(cmp.Or(opts.ID, "id"))
	return nil
}

// column returns the index of the column with this name, ignoring case, or -1.
func (t *table) column(name string) int {
	return slices.IndexFunc(t.head, func(have string) bool { return strings.EqualFold(have, name) })
}

func (t *table) cell(i int) []byte {
	if i == 0 {
		return t.cells[:t.ends[0]]
	}
	return t.cells[t.ends[i-1]:t.ends[i]]
}

// table reads a table, which gives one record a row.
func (r *reader) table() error {
	t := &table{lines: rowLines{from: r.from, max: r.opts.MaxBytes, ctx: r.ctx}, sep: r.sep}
	if err := t.columns(r.opts); err != nil {
		return lost(err)
	}
	if t.text < 0 {
		return fmt.Errorf("%w %q: %s", format.ErrNoField, r.opts.Field, strings.Join(t.head, ", "))
	}
	for _, name := range t.again {
		if err := r.give(Record{Name: "line 1"}, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.column-again", "more than one column is called {name}, and only the first of them is read", "name", fmt.Sprintf("%q", name)))); err != nil {
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

// cells fills rec from the values of the row.
func (r *reader) cells(t *table, rec *Record) error {
	if bad := bytes.Contains(t.cells, []byte("\ufffd")) && r.encoding != "utf-8"; bad || !utf8.Valid(t.cells) {
		return fmt.Errorf("%w: %w", format.ErrEncoding, phrase.Error("cause.row-encoding", "a row that is not {encoding}, as the table starts", "encoding", r.encoding))
	}
	for i, name := range t.means {
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
	rec.Data, rec.Text = bytes.Clone(t.cell(t.text)), rec.asItIs(r.encoding)
	return nil
}

var (
	errOpen   = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.quote-open", "the opening quote of a value has no closing quote"))
	errQuoted = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.quote-after", "the closing quote of a value is not followed by a separator"))
)

// row reads the next row that is not blank. After a damaged row, parsing resumes on the
// line after its first one. At the end, the error is io.EOF.
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

// from parses the row whose first line is in l.data[:end].
func (t *table) from(end int) error {
	l := &t.lines
	err := t.quoted(l.data[:end])
	several := l.at > end
	if err == nil && t.head != nil && len(t.ends) != len(t.head) {
		err = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.row-values", "{values}, and the table has {columns}", "values", phrase.Counted("cause.row-n-values", "{n} value", "{n} values", len(t.ends)), "columns", phrase.Counted("cause.row-n-columns", "{n} column", "{n} columns", len(t.head))))
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

// most returns how many values of a row are kept.
func (t *table) most() int {
	if t.head == nil {
		return maxColumns + 1
	}
	return len(t.head) + 1
}

// end records the end of a value in t.cells.
func (t *table) end() {
	if len(t.ends) < t.most() {
		t.ends = append(t.ends, len(t.cells))
	} else if len(t.ends) > 0 {
		t.cells = t.cells[:t.ends[len(t.ends)-1]]
	}
}

// quoted splits a row that starts with line into values, which may be in quotes.
func (t *table) quoted(line []byte) (err error) {
	if cap(t.cells) > 16<<20 {
		t.cells = nil // release the buffer of an unusually long row
	}
	t.cells, t.ends = t.cells[:0], t.ends[:0]
	if t.head == nil {
		line = bytes.TrimPrefix(line, format.BOM) // a quote may follow it
	}
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

// value reads a value after its opening quote and returns the rest of the line after
// the closing quote.
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
		escaped := bytes.HasSuffix(line[:size], []byte(`\`))
		t.cells, line = append(t.cells, line[:size]...), line[size+1:]
		if escaped && len(bytes.TrimRight(line, "\r\n")) > 0 && line[0] != t.sep && line[0] != '"' {
			t.cells[len(t.cells)-1] = '"' // escaped as some databases do
			continue
		}
		if len(line) == 0 || line[0] != '"' {
			return line, nil
		}
		t.cells, line = append(t.cells, '"'), line[1:]
	}
}

// fits reports whether the line has the right number of values if quotes are ordinary
// characters, as in the tab-separated output of many programs.
func (t *table) fits(line []byte) bool {
	return bytes.Count(line, []byte{t.sep}) == len(t.head)-1
}

// fit reports whether all of these lines fit.
func (t *table) fit(lines []byte) bool {
	for line := range bytes.Lines(lines) {
		if !t.fits(line) {
			return false
		}
	}
	return true
}

// plain splits a line in which quotes are ordinary characters.
func (t *table) plain(line []byte) {
	t.cells, t.ends = t.cells[:0], t.ends[:0]
	for cell := range bytes.SplitSeq(bytes.TrimRight(line, "\r\n"), []byte{t.sep}) {
		t.cells = append(t.cells, cell...)
		t.end()
	}
}

// rowLines reads the lines of a table. It keeps the lines of the current row, so that
// the parser can return to any of them.
type rowLines struct {
	from *bufio.Reader
	ctx  context.Context
	max  int64 // size limit for a row, in bytes

	data   []byte // from the start of the row
	at     int    // offset of the next line in data
	number int    // lines so far
	cuts   []int  // offsets in data where content is missing
	why    error  // reason for the last of cuts
	ended  bool   // no more input follows data
}

// forget drops the lines of the previous row.
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

// back returns to the line that starts at offset at and follows number lines.
func (l *rowLines) back(at, number int) { l.at, l.number = at, number }

// cut reports whether content is missing in the lines of the row so far.
func (l *rowLines) cut() bool { return len(l.cuts) > 0 && l.cuts[0] < l.at }

// next returns the next line including its line end.
func (l *rowLines) next() ([]byte, error) {
	for searched := l.at; ; {
		if size := bytes.IndexByte(l.data[searched:], '\n'); size >= 0 && int64(searched+size) <= l.max {
			return l.cutAt(searched + size + 1), nil
		}
		searched = len(l.data)
		switch {
		case int64(searched) > l.max:
			return nil, fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.row-bytes", "a row of more than {bytes} bytes", "bytes", l.max))
		case l.ended && searched > l.at:
			return l.cutAt(searched), nil
		case l.ended:
			return nil, io.EOF
		}
		if err := l.more(); err != nil {
			return nil, err
		}
	}
}

func (l *rowLines) cutAt(end int) []byte {
	line := l.data[l.at:end]
	l.at = end
	l.number++
	return line
}

// more reads up to the next line end or the size of the buffer. A line ends where
// content is missing.
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

// pass skips the rest of the line if err is that the line is too long.
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

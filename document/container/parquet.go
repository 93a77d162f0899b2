package container

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	parquetformat "github.com/parquet-go/parquet-go/format"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// parquetMark is the start and the end of a Parquet file.
const parquetMark = "PAR1"

// rowBatch is how many rows of a Parquet file are read at once.
const rowBatch = 16

// A parquetTable is an open Parquet file. A column is named by its path, "author.name",
// without the steps that only form lists.
type parquetTable struct {
	file     *parquet.File
	names    []string        // of the columns
	repeated []bool          // the column may have several values in a row
	units    []time.Duration // of a column of dates or times, 0 for others
	text, id int             // indices of columns; -1 for none
}

// parquet reads a Parquet file, which gives one record a row. The pages of a file are
// read as they are needed. The values of a text column that has several in a row are
// paragraphs.
func (r *reader) parquet(from seeker) (err error) {
	defer damagedParquet(&err)
	t, err := openParquet(from, r.opts)
	if err != nil {
		return err
	}
	if t.text < 0 {
		return fmt.Errorf("%w %q: %s", format.ErrNoField, cmp.Or(r.opts.Field, "text"), strings.Join(t.names, ", "))
	}
	return t.each(func(n int, row parquet.Row) error {
		if err := r.ended(); err != nil {
			return err
		}
		r.count = n
		rec := Record{Name: "row " + strconv.Itoa(n)}
		bad := r.parquetRow(t, row, &rec)
		return r.giveLine(rec, n, bad)
	})
}

// damagedParquet sets err if the library panics, as it does on some damaged files.
func damagedParquet(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", format.ErrDamaged, p)
	}
}

// IsParquet reports whether a file with this start is a Parquet file.
func IsParquet(head []byte) bool { return bytes.HasPrefix(head, []byte(parquetMark)) }

// ParquetRows returns the names of the columns of a Parquet file of size bytes, and the values of
// each row as text. Columns that may have several values in a row are left out. It returns an error
// that wraps [format.ErrTooLarge] if the values have more than most bytes.
func ParquetRows(from io.ReaderAt, size, most int64) (table [][]string, err error) {
	defer damagedParquet(&err)
	t, err := openParquet(io.NewSectionReader(from, 0, size), Options{})
	if err != nil {
		return nil, err
	}
	var head []string
	at := make([]int, len(t.names)) // of a column in head
	for i, name := range t.names {
		if at[i] = len(head); !t.repeated[i] {
			head = append(head, name)
		}
	}
	table = append(table, head)
	err = t.each(func(_ int, row parquet.Row) error {
		cells := make([]string, len(head))
		for _, v := range row {
			if i := v.Column(); !t.repeated[i] && !v.IsNull() {
				cells[at[i]] = t.value(v)
				most -= int64(len(cells[at[i]]))
			}
		}
		if table = append(table, cells); most < 0 {
			return format.ErrTooLarge
		}
		return nil
	})
	return table, err
}

func openParquet(from seeker, opts Options) (*parquetTable, error) {
	size, err := from.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(from, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	t := &parquetTable{file: file, text: -1, id: -1}
	text, id := cmp.Or(opts.Field, "text"), cmp.Or(opts.ID, "id")
	for i, path := range file.Schema().Columns() {
		leaf, _ := file.Schema().Lookup(path...)
		name := columnName(path)
		t.names, t.repeated = append(t.names, name), append(t.repeated, leaf.MaxRepetitionLevel > 0)
		t.units = append(t.units, timeUnit(leaf.Node.Type().LogicalType()))
		switch {
		case t.text < 0 && strings.EqualFold(name, text):
			t.text = i
		case t.id < 0 && strings.EqualFold(name, id) && leaf.MaxRepetitionLevel == 0:
			t.id = i
		}
	}
	return t, nil
}

// columnName returns the name of a column. Writers of Parquet put the values of a list in
// the groups list and element, or names like these.
func columnName(path []string) string {
	var parts []string
	for i, part := range path {
		if i > 0 && (part == "list" || part == "element" || part == "item" || part == "array" || part == "bag") {
			continue
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ".")
}

// each calls fn with each row and its number, from 1. The row is valid only during the call.
func (t *parquetTable) each(fn func(n int, row parquet.Row) error) error {
	n := 0
	for _, group := range t.file.RowGroups() {
		if err := eachOf(group, &n, fn); err != nil {
			return err
		}
	}
	return nil
}

// eachOf calls fn with the rows of a part of a file; n counts them.
func eachOf(group parquet.RowGroup, n *int, fn func(n int, row parquet.Row) error) (err error) {
	rows := group.Rows()
	defer func() {
		err = cmp.Or(err, rows.Close())
	}()
	buf := make([]parquet.Row, rowBatch)
	for {
		read, err := rows.ReadRows(buf)
		for _, row := range buf[:read] {
			*n++
			if err := fn(*n, row); err != nil {
				return err
			}
		}
		if err == nil && read == 0 {
			err = io.ErrNoProgress
		}
		switch err {
		case nil:
		case io.EOF:
			return nil
		default:
			return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.after-row", "after row {row}: {cause}", "row", *n, "cause", err))
		}
	}
}

// parquetRow fills rec from the values of a row.
func (r *reader) parquetRow(t *parquetTable, row parquet.Row, rec *Record) error {
	name := ""
	var text [][]byte
	size := int64(0)
	for _, v := range row {
		at := v.Column()
		switch {
		case v.IsNull():
		case at == t.text:
			value := valueBytes(v)
			size += int64(len(value))
			text = append(text, value)
		case at == t.id:
			name = strings.TrimSpace(string(valueBytes(v)))
		case t.repeated[at] && v.Kind() == parquet.ByteArray:
			rec.unread.Words(t.names[at], proseWords(string(v.ByteArray())))
		case !t.repeated[at]:
			rec.describe(t.names[at], t.value(v))
		}
	}
	rec.Name = cmp.Or(name, rec.Address, rec.Name)
	if size > r.opts.MaxBytes {
		return r.tooLarge()
	}
	rec.Data, rec.Text = bytes.Join(text, []byte("\n\n")), rec.asItIs("utf-8")
	if !utf8.Valid(rec.Data) {
		return fmt.Errorf("%w: %w", format.ErrEncoding, phrase.Error("cause.row-utf8", "the text is not UTF-8"))
	}
	return nil
}

// timeUnit returns the unit of a column of dates or times since 1970, 0 for another column.
func timeUnit(kind *parquetformat.LogicalType) time.Duration {
	if kind == nil {
		return 0
	}
	switch is := kind.Value.(type) {
	case *parquetformat.DateType:
		return day
	case *parquetformat.TimestampType:
		if is.Unit.Value != nil {
			return is.Unit.Value.Duration()
		}
	}
	return 0
}

const day = 24 * time.Hour

// value returns a value of a column of metadata as text.
func (t *parquetTable) value(v parquet.Value) string {
	switch unit := t.units[v.Column()]; unit {
	case 0:
		return string(valueBytes(v))
	case day:
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(v.Int32())).Format(time.DateOnly)
	case time.Millisecond:
		return time.UnixMilli(v.Int64()).UTC().Format(time.RFC3339)
	case time.Microsecond:
		return time.UnixMicro(v.Int64()).UTC().Format(time.RFC3339)
	}
	return time.Unix(0, v.Int64()).UTC().Format(time.RFC3339)
}

// valueBytes returns a value as text.
func valueBytes(v parquet.Value) []byte {
	if v.Kind() == parquet.ByteArray || v.Kind() == parquet.FixedLenByteArray {
		return v.ByteArray()
	}
	return []byte(v.String())
}

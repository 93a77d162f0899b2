package container

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/document/container/parquet"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// parquet reads a Parquet file, which gives one record a row. The pages of a file are
// read as they are needed. The values of a text column that has several in a row are
// paragraphs.
func (r *reader) parquet(from seeker) error {
	size, err := from.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	file, err := parquet.Open(from, size)
	if err != nil {
		return err
	}
	row := rowReader{reader: r, columns: file.Columns, text: -1, id: -1}
	text, id := cmp.Or(r.opts.Field, "text"), cmp.Or(r.opts.ID, "id")
	var names []string
	for i, c := range file.Columns {
		names = append(names, c.Name)
		switch {
		case row.text < 0 && strings.EqualFold(c.Name, text):
			row.text = i
		case row.id < 0 && strings.EqualFold(c.Name, id) && !c.Repeated:
			row.id = i
		}
	}
	if row.text < 0 {
		return fmt.Errorf("%w %q: %s", format.ErrNoField, text, strings.Join(names, ", "))
	}
	if err := file.Each(row.wants, row.add, row.end); err != nil {
		return err
	}
	return r.manyBad(r.count + 1)
}

// IsParquet reports whether a file with this start is a Parquet file.
func IsParquet(head []byte) bool { return bytes.HasPrefix(head, []byte(parquet.Magic)) }

// ParquetRows returns the names of the columns of a Parquet file of size bytes, and the values of
// each row as text. Columns that may have several values in a row are left out. It returns an error
// that wraps [format.ErrTooLarge] if the values, with a separator after each, have more than most bytes.
func ParquetRows(from io.ReaderAt, size, most int64) (table [][]string, err error) {
	file, err := parquet.Open(from, size)
	if err != nil {
		return nil, err
	}
	var head []string
	at := make([]int, len(file.Columns)) // of a column in head
	for i, c := range file.Columns {
		if at[i] = len(head); !c.Repeated {
			head = append(head, c.Name)
		}
	}
	table = append(table, head)
	cells := make([]string, len(head))
	err = file.Each(func(i int) bool { return !file.Columns[i].Repeated }, func(i int, v []byte) {
		cells[at[i]] = file.Columns[i].Label(v)
		most -= int64(len(cells[at[i]]))
	}, func() error {
		table = append(table, cells)
		cells = make([]string, len(head))
		if most -= int64(len(head)); most < 0 {
			return format.ErrTooLarge
		}
		return nil
	})
	return table, err
}

// A rowReader makes records of the rows of a Parquet file.
type rowReader struct {
	*reader
	columns  []parquet.Column
	text, id int // indices of columns; -1 for none

	rec    Record
	name   string
	texts  int // values of the text
	isLong bool
}

// wants reports whether the values of a column are read. Of those with several values in a row,
// numbers are neither text nor metadata.
func (p *rowReader) wants(i int) bool {
	c := p.columns[i]
	return i == p.text || !c.Repeated || c.Kind == parquet.ByteArray
}

// add adds a value.
func (p *rowReader) add(i int, v []byte) {
	switch c := &p.columns[i]; {
	case i == p.text:
		if p.texts++; p.texts > 1 {
			p.rec.Data = append(p.rec.Data, "\n\n"...)
		}
		p.rec.Data = append(p.rec.Data, c.Text(v)...)
		if p.isLong = p.isLong || int64(len(p.rec.Data)) > p.opts.MaxBytes; p.isLong {
			p.rec.Data = nil
		}
	case i == p.id:
		p.name = strings.TrimSpace(string(c.Text(v)))
	case c.Repeated:
		p.rec.unread.Words(c.Name, proseWords(string(v)))
	default:
		p.rec.describe(c.Name, c.Label(v))
	}
}

// end reports the record of the row, and starts the next one.
func (p *rowReader) end() error {
	if err := p.ended(); err != nil {
		return err
	}
	p.count++
	rec := p.rec
	rec.Name = cmp.Or(p.name, rec.Address, "row "+strconv.Itoa(p.count))
	var bad error
	if p.isLong {
		bad = p.tooLarge()
	} else if rec.Text = rec.asItIs("utf-8"); !utf8.Valid(rec.Data) {
		bad = fmt.Errorf("%w: %w", format.ErrEncoding, phrase.Error("cause.row-utf8", "the text is not UTF-8"))
	}
	p.rec, p.name, p.texts, p.isLong = Record{}, "", 0, false
	return p.giveLine(rec, p.count, bad)
}

// Package parquet reads Parquet files row by row, as the specification defines them
// (github.com/apache/parquet-format).
//
// [Open] reads the footer, which lists the columns and the groups of rows; [File.Each] then
// decompresses the wanted columns page by page. A column is one leaf of the schema: the values
// of a list, a map or a structure are in columns of their own.
//
// A file of a few hundred bytes can state gigabytes of values: pages that repeat one value,
// pages that are one run of nulls, groups of rows that share their pages. So the memory of all
// pages that are open at once is limited (maxMemory), and so is what a file expands to
// (maxRatio); values and levels are decoded one by one.
//
// All encodings of the specification are supported, and all compressions except LZO and the
// deprecated LZ4. Columns that are encrypted are refused. Statistics, indexes and Bloom filters
// are not read. The library parquet-go, which writes the files of the tests, would be a tenth of
// the program.
package parquet

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// Magic is the start and the end of a Parquet file.
const Magic = "PAR1"

const (
	maxFooter  = 128 << 20 // size of a footer, in bytes
	maxColumns = 1 << 16
	maxName    = 1 << 12 // size of the name of a column, in bytes

	maxMemory     = 1 << 30   // sum of the sizes of the pages of all columns that are open at once
	maxDensity    = 1 << 18   // of the size of a page to its compressed size: only a page of one value has more
	leastExpanded = 256 << 20 // what any file may expand to
	maxRatio      = 1000      // of what a file expands to, to its size
	entryCost     = 16        // what a value counts for in addition to its bytes, and a null
)

// A Kind is a physical type of values.
type Kind int64

// The kinds of values.
const (
	Boolean Kind = iota
	Int32
	Int64
	Int96
	Float
	Double
	ByteArray
	FixedLenByteArray
)

// A Column is a column of a file.
type Column struct {
	Name     string // its path, "author.name", without the steps that only form lists
	Kind     Kind
	Repeated bool          // it may have several values in a row
	Unit     time.Duration // of a column of dates (24 hours) or times since 1970; 0 for others

	isUnsigned bool // of integers
	size       int  // of a value in bytes, unless it is a ByteArray or a Boolean
	rep, def   int  // highest levels
}

// A File is an open Parquet file.
type File struct {
	Columns []Column

	from     io.ReaderAt
	end      int64 // offset of the footer
	groups   []group
	buf      *bufio.Reader
	memory   int64 // size of the open pages
	expanded int64 // what was decoded so far
	gzip     gzip.Reader
	zstd     *zstd.Decoder // nil before it is needed
	brotli   brotli.Reader
}

type footer struct {
	Schema []element `id:"2"`
	Groups []group   `id:"4"`
}

// An element is a column or a group of columns, whose elements follow it.
type element struct {
	Kind       *Kind  `id:"1"` // nil for a group
	Size       int64  `id:"2"`
	Repetition int64  `id:"3"` // 1 if it may be null, 2 if it may have several values
	Name       string `id:"4"`
	Children   int64  `id:"5"`
	Converted  int64  `id:"6"` // the older form of Logical
	Logical    struct {
		Date *struct{} `id:"6"`
		Time struct {
			Unit struct {
				Millisecond *struct{} `id:"1"`
				Microsecond *struct{} `id:"2"`
				Nanosecond  *struct{} `id:"3"`
			} `id:"2"`
		} `id:"8"`
	} `id:"10"`
}

// A group is a group of rows.
type group struct {
	Chunks []chunk `id:"1"` // of the columns
	Rows   int64   `id:"3"`
}

// A chunk is the part of a column in a group of rows.
type chunk struct {
	Meta struct {
		Codec      int64 `id:"4"`
		Entries    int64 `id:"5"` // values and nulls
		Data       int64 `id:"9"` // offset of the first page, unless that is Dictionary
		Dictionary int64 `id:"11"`
	} `id:"3"`
	Encryption *struct{} `id:"8"`
}

var (
	errInconsistent = phrase.Error("cause.parquet-inconsistent", "its content is inconsistent")
	errFooter       = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.parquet-footer", "its footer is damaged or missing"))
)

// Open reads the footer of a file of size bytes.
func Open(from io.ReaderAt, size int64) (*File, error) {
	var tail [8]byte
	if _, err := from.ReadAt(tail[:], max(size-8, 0)); err != nil && err != io.EOF {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	f := &File{from: from, end: size - 8 - length}
	switch mark := string(tail[4:]); {
	case mark == "PARE":
		return nil, format.ErrEncrypted
	case mark != Magic || f.end < int64(len(Magic)):
		return nil, errFooter
	case length > maxFooter:
		return nil, fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.parquet-footer-bytes", "its footer exceeds {bytes} bytes", "bytes", maxFooter))
	}
	f.buf = bufio.NewReader(io.NewSectionReader(from, f.end, length))
	d, foot := decoder{Reader: f.buf}, footer{}
	d.structure(reflect.ValueOf(&foot).Elem())
	d.check(len(f.addColumns(&d, foot.Schema, Column{}, 0)) == 0)
	for _, g := range foot.Groups {
		d.check(len(g.Chunks) == len(f.Columns))
	}
	if f.groups = foot.Groups; d.err != nil {
		return nil, fmt.Errorf("%w: %w", errFooter, d.err)
	}
	return f, nil
}

// addColumns adds the columns of the first element of a list, and returns the elements after it.
func (f *File) addColumns(d *decoder, list []element, c Column, depth int) []element {
	if !d.check(len(list) > 0 && depth < maxDepth && len(f.Columns) < maxColumns) {
		return nil
	}
	e := list[0]
	list = list[1:]
	if depth > 0 { // the name and the repetition of the root have no meaning
		c.Name = childName(c.Name, e.Name)
		c.def += int(min(e.Repetition, 1))
		c.rep += int(e.Repetition / 2)
		d.check(e.Repetition >= 0 && e.Repetition <= 2 && len(c.Name) <= maxName)
	}
	for n := e.Children; e.Kind == nil && n > 0 && d.err == nil; n-- {
		list = f.addColumns(d, list, c, depth+1)
	}
	if e.Kind == nil {
		return list
	}
	c.Kind, c.Repeated, c.isUnsigned = *e.Kind, c.rep > 0, e.Converted >= 11 && e.Converted <= 14
	c.size = map[Kind]int{Int32: 4, Float: 4, Int64: 8, Double: 8, Int96: 12, FixedLenByteArray: int(e.Size)}[c.Kind]
	switch logical := e.Logical; {
	case c.Kind == Int32 && (e.Converted == 6 || logical.Date != nil):
		c.Unit = day
	case c.Kind != Int64:
	case e.Converted == 9 || logical.Time.Unit.Millisecond != nil:
		c.Unit = time.Millisecond
	case e.Converted == 10 || logical.Time.Unit.Microsecond != nil:
		c.Unit = time.Microsecond
	case logical.Time.Unit.Nanosecond != nil:
		c.Unit = time.Nanosecond
	}
	f.Columns = append(f.Columns, c)
	return list
}

const day = 24 * time.Hour

// childName returns the name of a column in a group. Writers of Parquet put the values of a
// list in the groups list and element, or names like these.
func childName(group, name string) string {
	switch {
	case group == "":
		return name
	case name == "list" || name == "element" || name == "item" || name == "array" || name == "bag":
		return group
	}
	return group + "." + name
}

// Each calls value with each value of the wanted columns that is not null, in the order of rows
// and, in a row, of columns; and end after each row. A value is valid only during the call; it
// is little-endian as in the file: see [Column.Text]. If end returns an error, Each stops and
// returns that error. If no column is wanted, there are no rows.
func (f *File) Each(want func(column int) bool, value func(column int, v []byte), end func() error) error {
	row := 0
	for _, g := range f.groups {
		f.memory = 0
		var open []*cursor
		for i := range f.Columns {
			if want(i) {
				open = append(open, newCursor(f, i, g.Chunks[i]))
			}
		}
		for n := int64(0); len(open) > 0 && n < g.Rows; n++ {
			for _, c := range open {
				if err := c.row(value); err != nil {
					return c.failed(row, err)
				}
			}
			row++
			if err := end(); err != nil {
				return err
			}
		}
		for _, c := range open {
			if c.left+c.page != 0 {
				return c.failed(row, errInconsistent)
			}
		}
	}
	return nil
}

// failed returns an error after a row.
func (c *cursor) failed(row int, err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	err = phrase.Error("cause.parquet-column", "column {name}: {cause}", "name", c.Name, "cause", err)
	return format.Damage(phrase.Error("cause.after-row", "after row {row}: {cause}", "row", row, "cause", err))
}

// Text returns a value as it is stored, numbers in decimal digits. It may be v itself. An Int96
// is always a time.
func (c *Column) Text(v []byte) []byte {
	le := binary.LittleEndian
	switch c.Kind {
	case Boolean:
		return strconv.AppendBool(nil, v[0] != 0)
	case Int32:
		if c.isUnsigned {
			return strconv.AppendUint(nil, uint64(le.Uint32(v)), 10)
		}
		return strconv.AppendInt(nil, int64(int32(le.Uint32(v))), 10)
	case Int64:
		if c.isUnsigned {
			return strconv.AppendUint(nil, le.Uint64(v), 10)
		}
		return strconv.AppendInt(nil, int64(le.Uint64(v)), 10)
	case Int96: // nanoseconds of a day, whose Julian number follows
		const epoch = 2440588 // Julian number of 1 January 1970
		days := int64(int32(le.Uint32(v[8:]))) - epoch
		return time.Unix(days*int64(day/time.Second), int64(le.Uint64(v))).UTC().AppendFormat(nil, time.RFC3339)
	case Float:
		return strconv.AppendFloat(nil, float64(math.Float32frombits(le.Uint32(v))), 'g', -1, 32)
	case Double:
		return strconv.AppendFloat(nil, math.Float64frombits(le.Uint64(v)), 'g', -1, 64)
	}
	return v
}

// Label returns a value as text, dates and times in the form of RFC 3339.
func (c *Column) Label(v []byte) string {
	switch c.Unit {
	case 0:
		return string(c.Text(v))
	case day:
		days := int32(binary.LittleEndian.Uint32(v))
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(days)).Format(time.DateOnly)
	}
	n, second := int64(binary.LittleEndian.Uint64(v)), int64(time.Second/c.Unit)
	return time.Unix(n/second, n%second*int64(c.Unit)).UTC().Format(time.RFC3339)
}

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
// are not read.
package parquet

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/andybalholm/brotli"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// Magic is the start and the end of a Parquet file.
const Magic = "PAR1"

const (
	maxFooter  = 128 << 20 // size of a footer, in bytes
	maxColumns = 1 << 16
	maxNames   = 16 << 20 // sum of the sizes of the names of columns, in bytes
	maxLevel   = 255      // depth of nested columns

	maxMemory = 1 << 30 // sum of the sizes of the pages of all columns that are open at once
	maxRatio  = 1000    // of what a file expands to, to its size; beyond the first leastExpanded bytes
	entryCost = 16      // what a value counts for in addition to its bytes, and a null

	leastExpanded = 1 << 30
)

// A Kind is a physical type of values.
type Kind int

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
	gzip     *gzip.Reader
	zstd     *zstd.Decoder
	brotli   *brotli.Reader
}

// A group is a group of rows.
type group struct {
	rows   int64
	chunks []chunk // of the columns
}

// A chunk is the part of a column in a group of rows.
type chunk struct {
	codec     int32
	encrypted bool
	entries   int64 // values and nulls
	at        int64 // offset of the first page
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
	return f, f.footer(&thrift{from: f.buf})
}

// footer reads the columns and the groups of rows.
func (f *File) footer(t *thrift) error {
	s := schema{file: f}
	t.fields(kindStruct, func(id int64, kind byte) {
		switch id {
		case 2:
			t.list(kind, func(kind byte) { s.element(t, kind) })
		case 4:
			t.list(kind, func(kind byte) { f.group(t, kind) })
		default:
			t.skip(kind)
		}
	})
	for _, g := range f.groups {
		t.check(len(g.chunks) == len(f.Columns))
	}
	if !t.check(len(s.open) == 0 && s.root) {
		return fmt.Errorf("%w: %w", errFooter, t.err)
	}
	return nil
}

// A schema makes columns of the elements of a schema, which are in the order of a tree: each is
// followed by those in it.
type schema struct {
	file  *File
	root  bool   // the root was read
	open  []node // groups whose elements are not all read
	names int    // sum of the sizes of names
}

// A node is a group of columns.
type node struct {
	name     string // of its columns up to here
	rep, def int
	left     int64 // elements of the group not read yet
}

func (s *schema) element(t *thrift, kind byte) {
	c, name, children, leaf := Column{}, "", int64(0), false
	repetition, converted, logical := int64(0), int64(-1), false
	t.fields(kind, func(id int64, kind byte) {
		switch id {
		case 1:
			c.Kind, leaf = Kind(t.int(kind)), true
		case 2:
			c.size = int(t.int(kind))
		case 3:
			repetition = t.int(kind)
		case 4:
			name = t.string(kind)
		case 5:
			children = t.int(kind)
		case 6:
			converted = t.int(kind)
		case 10:
			logical = true
			c.Unit = logicalUnit(t, kind)
		default:
			t.skip(kind)
		}
	})
	if !logical {
		c.Unit = map[int64]time.Duration{6: day, 9: time.Millisecond, 10: time.Microsecond}[converted]
	}
	c.isUnsigned = converted >= 11 && converted <= 14
	if !s.root { // its name and repetition have no meaning
		s.root = true
		s.push(t, node{left: children})
		return
	}
	if !t.check(len(s.open) > 0) {
		return
	}
	in := &s.open[len(s.open)-1]
	n := node{name: childName(in.name, name), rep: in.rep, def: in.def, left: children}
	if repetition != 0 {
		n.def++
	}
	if repetition == 2 {
		n.rep++
	}
	s.names += len(n.name)
	in.left--
	t.check(s.names <= maxNames && n.def <= maxLevel)
	if leaf {
		c.Name, c.rep, c.def, c.Repeated = n.name, n.rep, n.def, n.rep > 0
		s.column(t, c)
		n.left = 0
	}
	s.push(t, n)
}

// push adds a group to those that are open, and removes those that are read.
func (s *schema) push(t *thrift, n node) {
	t.check(n.left >= 0 && len(s.open) <= maxLevel)
	s.open = append(s.open, n)
	for len(s.open) > 0 && s.open[len(s.open)-1].left <= 0 {
		s.open = s.open[:len(s.open)-1]
	}
}

func (s *schema) column(t *thrift, c Column) {
	switch c.Kind {
	case Int32, Float:
		c.size = 4
	case Int64, Double:
		c.size = 8
	case Int96:
		c.size = 12
	}
	if c.Unit == day && c.Kind != Int32 || c.Unit != day && c.Kind != Int64 {
		c.Unit = 0
	}
	if t.check(len(s.file.Columns) < maxColumns) {
		s.file.Columns = append(s.file.Columns, c)
	}
}

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

const day = 24 * time.Hour

// logicalUnit returns the unit of a logical type of dates or times, 0 for other types.
func logicalUnit(t *thrift, kind byte) (unit time.Duration) {
	t.fields(kind, func(id int64, kind byte) {
		switch id {
		case 6:
			unit = day
			t.skip(kind)
		case 8:
			t.fields(kind, func(id int64, kind byte) {
				if id != 2 {
					t.skip(kind)
					return
				}
				t.fields(kind, func(id int64, kind byte) {
					unit = map[int64]time.Duration{1: time.Millisecond, 2: time.Microsecond, 3: time.Nanosecond}[id]
					t.skip(kind)
				})
			})
		default:
			t.skip(kind)
		}
	})
	return unit
}

// group reads a group of rows.
func (f *File) group(t *thrift, kind byte) {
	var g group
	t.fields(kind, func(id int64, kind byte) {
		switch id {
		case 1:
			t.list(kind, func(kind byte) { g.chunks = append(g.chunks, readChunk(t, kind)) })
		case 3:
			g.rows = t.int(kind)
		default:
			t.skip(kind)
		}
	})
	t.check(len(g.chunks) > 0 || len(f.Columns) == 0)
	f.groups = append(f.groups, g)
}

func readChunk(t *thrift, kind byte) (c chunk) {
	dictionary := int64(0)
	t.fields(kind, func(id int64, kind byte) {
		switch id {
		case 3:
			t.fields(kind, func(id int64, kind byte) {
				switch id {
				case 4:
					c.codec = int32(t.int(kind))
				case 5:
					c.entries = t.int(kind)
				case 9:
					c.at = t.int(kind)
				case 11:
					dictionary = t.int(kind)
				default:
					t.skip(kind)
				}
			})
		case 8:
			c.encrypted = true
			t.skip(kind)
		default:
			t.skip(kind)
		}
	})
	if dictionary > 0 && dictionary < c.at {
		c.at = dictionary
	}
	return c
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
				open = append(open, &cursor{file: f, Column: &f.Columns[i], index: i, chunk: g.chunks[i], left: g.chunks[i].entries})
			}
		}
		for n := int64(0); len(open) > 0 && n < g.rows; n++ {
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
			if c.left != 0 || c.page != 0 {
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
	return format.Damage(phrase.Error("cause.after-row", "after row {row}: {cause}", "row", row, "cause",
		phrase.Error("cause.parquet-column", "column {name}: {cause}", "name", c.Name, "cause", err)))
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
	le := binary.LittleEndian
	switch c.Unit {
	case 0:
		return string(c.Text(v))
	case day:
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(int32(le.Uint32(v)))).Format(time.DateOnly)
	case time.Millisecond:
		return time.UnixMilli(int64(le.Uint64(v))).UTC().Format(time.RFC3339)
	case time.Microsecond:
		return time.UnixMicro(int64(le.Uint64(v))).UTC().Format(time.RFC3339)
	}
	return time.Unix(0, int64(le.Uint64(v))).UTC().Format(time.RFC3339)
}

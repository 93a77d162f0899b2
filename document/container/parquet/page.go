package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// A cursor reads the values of a column in a group of rows.
type cursor struct {
	*Column
	chunk
	file  *File
	index int   // of the column
	at    int64 // offset of the next page
	left  int64 // entries in the pages not read yet

	page             int64 // entries left in this page
	repLevels        levels
	defLevels        levels
	next             func() ([]byte, error) // returns the next value of this page
	dictionary       [][]byte
	memory           int64  // size of this page
	packed, unpacked []byte // this page, for use by the next one
}

func newCursor(f *File, index int, from chunk) *cursor {
	at := from.Meta.Data
	if dictionary := from.Meta.Dictionary; dictionary > 0 && dictionary < at {
		at = dictionary
	}
	return &cursor{Column: &f.Columns[index], chunk: from, file: f, index: index, at: at, left: from.Meta.Entries}
}

// row calls value with the values of the next row.
func (c *cursor) row(value func(column int, v []byte)) error {
	for first := true; first || c.rep > 0; first = false {
		if c.page == 0 && c.left == 0 && !first {
			return nil
		}
		for c.page == 0 {
			if err := c.load(); err != nil {
				return err
			}
		}
		if c.rep > 0 {
			switch rep, err := c.repLevels.peek(); {
			case err != nil:
				return err
			case first && rep != 0: // the row has started before the chunk
				return errInconsistent
			case !first && rep == 0:
				return nil
			}
			c.repLevels.left--
		}
		c.page--
		def, err := uint64(0), error(nil)
		if c.def > 0 {
			def, err = c.defLevels.next()
		}
		var v []byte
		if err == nil && def == uint64(c.def) {
			if v, err = c.next(); err == nil {
				value(c.index, v)
			}
		}
		if err == nil {
			err = c.file.expand(int64(len(v)) + entryCost)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expand counts bytes of decoded content.
func (f *File) expand(n int64) error {
	if most := max(leastExpanded, f.end*maxRatio); f.expanded > most-n {
		return fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.more-bytes", "more than {bytes} bytes", "bytes", most))
	}
	f.expanded += n
	return nil
}

// hold counts the memory of pages.
func (f *File) hold(n int64) error {
	if f.memory += n; f.memory > maxMemory {
		return tooMuch(f.memory)
	}
	return nil
}

func tooMuch(memory int64) error {
	return fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.7z-memory", "decompression takes {bytes} bytes of memory", "bytes", memory))
}

// A header is the header of a page.
type header struct {
	Kind   int64  `id:"1"` // 0 and 3 for data of version 1 and 2, 2 for a dictionary; other pages are skipped
	Size   int64  `id:"2"` // of the content in bytes, decompressed
	Packed int64  `id:"3"` // the same as it is in the file
	Sum    *int64 `id:"4"`
	V1     struct {
		Entries  int64 `id:"1"`
		Encoding int64 `id:"2"`
		Def      int64 `id:"3"` // encodings of levels
		Rep      int64 `id:"4"`
	} `id:"5"`
	Dictionary struct {
		Entries int64 `id:"1"`
	} `id:"7"`
	V2 struct {
		Entries      int64 `id:"1"`
		Encoding     int64 `id:"4"`
		Def          int64 `id:"5"` // sizes of levels in bytes
		Rep          int64 `id:"6"`
		IsCompressed *bool `id:"7"` // nil if it is
	} `id:"8"`
}

// load reads the next page.
func (c *cursor) load() error {
	switch {
	case c.Encryption != nil:
		return format.ErrEncrypted
	case c.Kind < Boolean || c.Kind > FixedLenByteArray:
		return unsupported("type", int64(c.Kind))
	case c.left <= 0:
		return io.ErrUnexpectedEOF
	case c.at < int64(len(Magic)) || c.at >= c.file.end || c.size < 0 || c.size > math.MaxInt32:
		return errInconsistent
	}
	h, err := c.read()
	if err != nil {
		return err
	}
	switch h.Kind {
	case 0:
		err = c.openV1(h)
	case 2:
		err = c.openDictionary(h)
	case 3:
		err = c.openV2(h)
	}
	return err
}

// read reads the header and the content of the next page.
func (c *cursor) read() (h header, err error) {
	section := io.NewSectionReader(c.file.from, c.at, c.file.end-c.at)
	c.file.buf.Reset(section)
	d := decoder{Reader: c.file.buf}
	d.structure(reflect.ValueOf(&h).Elem())
	at, _ := section.Seek(0, io.SeekCurrent) // cannot fail
	c.at += at - int64(c.file.buf.Buffered())
	if d.check(h.Packed >= 0 && h.Packed <= c.file.end-c.at && h.Size >= 0); d.err != nil {
		return h, d.err
	}
	err = c.file.hold(h.Size + h.Packed - c.memory)
	if c.memory = h.Size + h.Packed; h.Kind == 2 {
		c.memory = 0 // a dictionary stays
	}
	if err == nil && h.Size > (h.Packed+16)*maxDensity {
		err = tooMuch(h.Size)
	}
	if err == nil {
		err = c.file.expand(h.Size)
	}
	if err != nil {
		return h, err
	}
	c.at += h.Packed
	c.packed = slices.Grow(c.packed[:0], int(h.Packed))[:h.Packed]
	if _, err = io.ReadFull(c.file.buf, c.packed); err == nil && h.Sum != nil && uint32(*h.Sum) != crc32.ChecksumIEEE(c.packed) {
		err = phrase.Error("cause.7z-sum", "its checksum is wrong")
	}
	return h, err
}

func (c *cursor) openDictionary(h header) error {
	const reference = 24 // bytes of memory for a value
	data, err := c.unpack(c.packed, h.Size)
	if err == nil && h.Dictionary.Entries > 0 {
		err = c.file.hold(min(h.Dictionary.Entries, math.MaxInt32) * reference)
	}
	c.packed, c.unpacked, c.dictionary = nil, nil, nil
	for next := c.plain(data); err == nil && int64(len(c.dictionary)) < h.Dictionary.Entries; {
		var v []byte
		v, err = next()
		c.dictionary = append(c.dictionary, v)
	}
	return err
}

func (c *cursor) openV1(h header) error {
	data, err := c.unpack(c.packed, h.Size)
	if err == nil {
		c.repLevels, data, err = levelsV1(data, c.rep, h.V1.Rep, h.V1.Entries)
	}
	if err == nil {
		c.defLevels, data, err = levelsV1(data, c.def, h.V1.Def, h.V1.Entries)
	}
	if err != nil {
		return err
	}
	return c.open(h.V1.Entries, h.V1.Encoding, data)
}

func (c *cursor) openV2(h header) (err error) {
	rep, data := h.V2.Rep, c.packed
	def := rep + h.V2.Def
	if rep < 0 || def < rep || def > min(h.Size, h.Packed) {
		return errInconsistent
	}
	c.repLevels, c.defLevels = levels{data: data[:rep], width: width(c.rep)}, levels{data: data[rep:def], width: width(c.def)}
	if data = data[def:]; h.V2.IsCompressed == nil || *h.V2.IsCompressed {
		if data, err = c.unpack(data, h.Size-def); err != nil {
			return err
		}
	}
	return c.open(h.V2.Entries, h.V2.Encoding, data)
}

// open makes a page with these values the current one.
func (c *cursor) open(entries, encoding int64, data []byte) (err error) {
	if entries < 0 || entries > c.left {
		return errInconsistent
	}
	c.page = entries
	c.left -= entries
	c.next, err = c.values(encoding, data)
	return err
}

func width(level int) int { return bits.Len(uint(level)) }

// levelsV1 returns the levels at the start of a page of version 1, and what follows.
func levelsV1(data []byte, most int, encoding, entries int64) (l levels, rest []byte, err error) {
	l.width = width(most)
	switch {
	case most == 0:
		return l, data, nil
	case encoding != encodingBitPacked:
		l.data, rest, err = prefixed(data)
		return l, rest, err
	case entries < 0 || entries > 8*int64(len(data))/int64(l.width):
		return l, nil, errInconsistent
	}
	size := (int(entries)*l.width + 7) / 8
	l.packed, l.isPacked, l.isReversed, l.count, l.left = data[:size], true, true, int(entries), int(entries)
	return l, data[size:], nil
}

// prefixed returns the bytes of data after their number, and what follows.
func prefixed(data []byte) (part, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := int64(binary.LittleEndian.Uint32(data))
	if data = data[4:]; n > int64(len(data)) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return data[:n], data[n:], nil
}

// unpack returns the decompressed content of a page, of size bytes.
func (c *cursor) unpack(src []byte, size int64) ([]byte, error) {
	if c.Meta.Codec == 0 {
		return src, nil
	}
	if size == 0 {
		return nil, nil
	}
	c.unpacked = slices.Grow(c.unpacked[:0], int(size))[:size]
	dst, from, f := c.unpacked, bytes.NewReader(src), c.file
	var err error
	switch c.Meta.Codec {
	case 1:
		n, bad := s2.DecodedLen(src)
		if bad != nil || int64(n) != size {
			return nil, errInconsistent
		}
		_, err = s2.Decode(dst, src)
	case 2:
		if err = f.gzip.Reset(from); err == nil {
			_, err = io.ReadFull(&f.gzip, dst)
		}
	case 4:
		_ = f.brotli.Reset(from) // never fails
		_, err = io.ReadFull(&f.brotli, dst)
	case 6:
		if f.zstd == nil {
			f.zstd, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true)) // fails only by its options
		}
		dst, err = f.zstd.DecodeAll(src, dst[:0])
	case 7:
		var n int
		n, err = lz4.UncompressBlock(src, dst)
		dst = dst[:max(n, 0)]
	default:
		err = unsupported("codec", c.Meta.Codec)
	}
	if err == nil && int64(len(dst)) != size {
		err = errInconsistent
	}
	return dst, err
}

func unsupported(what string, number int64) error {
	name := what + " " + strconv.FormatInt(number, 10)
	switch name {
	case "codec 3":
		name = "LZO"
	case "codec 5":
		name = "LZ4"
	}
	return fmt.Errorf("%w: %w", format.ErrBinary, phrase.Error("cause.parquet-method", "{name} is not supported: write the file with another encoding or compression", "name", name))
}

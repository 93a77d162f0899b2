package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// A cursor reads the values of a column in a group of rows.
type cursor struct {
	*Column
	chunk
	file  *File
	index int   // of the column
	left  int64 // entries in the pages not read yet

	page       int // entries left in this page
	rep, def   hybrid
	next       values
	dictionary func(i uint64) ([]byte, error) // nil if there was none
	memory     int64                          // size of this page
	raw, data  []byte                         // of this page, for use by the next one
}

// row calls value with the values of the next row.
func (c *cursor) row(value func(column int, v []byte)) error {
	for first := true; ; first = false {
		if c.page == 0 {
			if c.left == 0 && !first {
				return nil
			}
			if err := c.load(); err != nil {
				return err
			}
		}
		if c.Column.rep > 0 {
			switch rep, err := c.rep.peek(); {
			case err != nil:
				return err
			case first && rep != 0: // the row has started before the chunk
				return errInconsistent
			case !first && rep == 0:
				return nil
			}
			c.rep.left--
		}
		v, ok, err := c.entry()
		if err == nil {
			err = c.file.expand(int64(len(v)) + entryCost)
		}
		if err != nil {
			return err
		}
		if ok {
			value(c.index, v)
		}
		if c.Column.rep == 0 {
			return nil
		}
	}
}

// entry returns the next value of the page; ok is false if it is null.
func (c *cursor) entry() (v []byte, ok bool, err error) {
	c.page--
	if c.Column.def > 0 {
		level, err := c.def.next()
		if err != nil || level < uint64(c.Column.def) {
			return nil, false, err
		}
	}
	v, err = c.next()
	return v, true, err
}

// expand counts bytes of decoded content.
func (f *File) expand(n int64) error {
	if f.expanded += n; f.expanded > leastExpanded && f.expanded/maxRatio > f.end {
		return fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.more-bytes", "more than {bytes} bytes", "bytes", f.expanded-n))
	}
	return nil
}

// A header is the header of a page.
type header struct {
	kind           int64
	size, packed   int64 // of the content in bytes, decompressed and as it is in the file
	sum            *int64
	entries        int64
	encoding       int64
	repCode        int64 // encodings of levels
	defCode        int64
	repSize        int64 // of levels in bytes, in pages of version 2
	defSize        int64
	isUncompressed bool
}

// Kinds of pages. Others are skipped.
const (
	pageV1         = 0
	pageDictionary = 2
	pageV2         = 3
)

func readHeader(t *thrift) (h header, err error) {
	t.fields(kindStruct, func(id int64, kind byte) {
		switch id {
		case 1:
			h.kind = t.int(kind)
		case 2:
			h.size = t.int(kind)
		case 3:
			h.packed = t.int(kind)
		case 4:
			sum := t.int(kind)
			h.sum = &sum
		case 5, 7, 8:
			version := id
			t.fields(kind, func(id int64, kind byte) { h.field(t, version, id, kind) })
		default:
			t.skip(kind)
		}
	})
	t.check(max(h.entries, h.size) <= math.MaxInt32 && h.entries >= 0 && h.repSize >= 0 && h.defSize >= 0 && h.size >= h.repSize+h.defSize && h.packed >= h.repSize+h.defSize)
	return h, t.err
}

// field reads a field of the part of a header that depends on the kind of the page: 5, 7 or 8.
func (h *header) field(t *thrift, part, id int64, kind byte) {
	switch {
	case id == 1:
		h.entries = t.int(kind)
	case part != 8 && id == 2, part == 8 && id == 4:
		h.encoding = t.int(kind)
	case part == 5 && id == 3:
		h.defCode = t.int(kind)
	case part == 5 && id == 4:
		h.repCode = t.int(kind)
	case part == 8 && id == 5:
		h.defSize = t.int(kind)
	case part == 8 && id == 6:
		h.repSize = t.int(kind)
	case part == 8 && id == 7:
		h.isUncompressed = kind == kindFalse
	default:
		t.skip(kind)
	}
}

// load reads pages up to the next one that has values.
func (c *cursor) load() error {
	switch {
	case c.encrypted:
		return format.ErrEncrypted
	case c.Kind < Boolean || c.Kind > FixedLenByteArray:
		return unsupported("type " + strconv.Itoa(int(c.Kind)))
	case c.at < int64(len(Magic)) || c.at >= c.file.end || c.size < 0 || c.size > math.MaxInt32:
		return errInconsistent
	}
	for c.page == 0 {
		if c.left <= 0 {
			return io.ErrUnexpectedEOF
		}
		h, err := c.read()
		if err == nil {
			switch h.kind {
			case pageV1, pageV2:
				err = c.open(h)
			case pageDictionary:
				err = c.openDictionary(h)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read reads the header and the content of the next page.
func (c *cursor) read() (h header, err error) {
	section := io.NewSectionReader(c.file.from, c.at, c.file.end-c.at)
	c.file.buf.Reset(section)
	if h, err = readHeader(&thrift{from: c.file.buf}); err != nil {
		return h, err
	}
	at, _ := section.Seek(0, io.SeekCurrent) // cannot fail
	if c.at += at - int64(c.file.buf.Buffered()); h.packed > c.file.end-c.at {
		return h, io.ErrUnexpectedEOF
	}
	c.at += h.packed
	c.file.memory += h.size + h.packed - c.memory
	if c.memory = h.size + h.packed; h.kind == pageDictionary {
		c.memory = 0 // it stays
	}
	if c.file.memory > maxMemory {
		return h, fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.7z-memory", "decompression takes {bytes} bytes of memory", "bytes", c.file.memory))
	}
	c.raw = slices.Grow(c.raw[:0], int(h.packed))[:h.packed]
	if _, err = io.ReadFull(c.file.buf, c.raw); err != nil {
		return h, err
	}
	if h.sum != nil && uint32(*h.sum) != crc32.ChecksumIEEE(c.raw) {
		return h, phrase.Error("cause.7z-sum", "its checksum is wrong")
	}
	return h, c.file.expand(h.size)
}

func (c *cursor) openDictionary(h header) (err error) {
	data, err := c.file.unpack(nil, c.raw, c.codec, int(h.size))
	if err == nil {
		c.raw = nil
		c.dictionary, err = c.dictionaryOf(data, h.entries)
	}
	return err
}

// open makes a page of data the current one.
func (c *cursor) open(h header) (err error) {
	if h.entries > c.left {
		return errInconsistent
	}
	c.left -= h.entries
	c.page = int(h.entries)
	levels := c.raw
	if h.kind == pageV2 {
		rep, def := h.repSize, h.repSize+h.defSize
		c.rep, c.def = levelsOf(c.raw[:rep], c.Column.rep), levelsOf(c.raw[rep:def], c.Column.def)
		levels = c.raw[def:]
		h.size -= def
	}
	data := levels
	if !h.isUncompressed {
		if data, err = c.file.unpack(c.data[:0], levels, c.codec, int(h.size)); err != nil {
			return err
		}
		if c.codec != 0 {
			c.data = data
		}
	}
	if h.kind == pageV1 {
		if c.rep, data, err = levelsV1(data, c.Column.rep, h.repCode, c.page); err == nil {
			c.def, data, err = levelsV1(data, c.Column.def, h.defCode, c.page)
		}
		if err != nil {
			return err
		}
	}
	c.next, err = c.decoder(h.encoding, data)
	return err
}

func levelsOf(data []byte, most int) hybrid {
	return hybrid{data: data, width: bits.Len(uint(most))}
}

// levelsV1 returns the levels at the start of a page of version 1, and what follows.
func levelsV1(data []byte, most int, encoding int64, entries int) (h hybrid, rest []byte, err error) {
	if most == 0 {
		return h, data, nil
	}
	if encoding == encodingBitPacked {
		h = levelsOf(nil, most)
		size := (int64(entries)*int64(h.width) + 7) / 8
		if size > int64(len(data)) {
			return h, nil, io.ErrUnexpectedEOF
		}
		h.packed, h.isPacked, h.isReversed, h.count, h.left = data[:size], true, true, entries, entries
		return h, data[size:], nil
	}
	part, rest, err := prefixed(data)
	return levelsOf(part, most), rest, err
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

// codecs are the names of compressions.
var codecs = []string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

// unpack appends the decompressed content of src, of size bytes at most, to dst. It returns src
// if it is not compressed.
func (f *File) unpack(dst, src []byte, codec int32, size int) (_ []byte, err error) {
	if size == 0 {
		return dst, nil
	}
	from := bytes.NewReader(src)
	switch codec {
	case 0:
		return src, nil
	case 1:
		n, err := s2.DecodedLen(src)
		if err != nil || n > size || n > 32*len(src) { // Snappy is never denser
			return nil, errInconsistent
		}
		return s2.Decode(slices.Grow(dst, n)[:n], src)
	case 2:
		if f.gzip == nil {
			f.gzip = new(gzip.Reader)
		}
		if err = f.gzip.Reset(from); err != nil {
			return nil, err
		}
		return drain(dst, f.gzip, size)
	case 4:
		if f.brotli == nil {
			f.brotli = brotli.NewReader(nil)
		}
		_ = f.brotli.Reset(from) // never fails
		return drain(dst, f.brotli, size)
	case 6:
		if f.zstd == nil {
			f.zstd, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true)) // fails only by its options
		}
		if size/(1<<16) > len(src) { // Zstandard is never denser
			return nil, errInconsistent
		}
		return f.zstd.DecodeAll(src, slices.Grow(dst, size))
	case 7:
		return unpackLZ4(dst, src, size)
	}
	name := "codec " + strconv.Itoa(int(codec))
	if codec >= 0 && int(codec) < len(codecs) {
		name = codecs[codec]
	}
	return nil, unsupported(name)
}

func unsupported(name string) error {
	return fmt.Errorf("%w: %w", format.ErrBinary, phrase.Error("cause.parquet-method", "{name} is not supported: write the file with another encoding or compression", "name", name))
}

// drain appends what it reads, size bytes at most, to dst. The memory grows with what is there.
func drain(dst []byte, from io.Reader, size int) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	b.Grow(min(size+bytes.MinRead, 1<<20))
	if _, err := b.ReadFrom(io.LimitReader(from, int64(size)+1)); err != nil {
		return nil, err
	}
	if b.Len() > size {
		return nil, errInconsistent
	}
	return b.Bytes(), nil
}

// unpackLZ4 decompresses a block of LZ4: each sequence has literal bytes, and then a part of the
// content before them, which the last one omits.
func unpackLZ4(dst, src []byte, size int) ([]byte, error) {
	for len(src) > 0 {
		token := src[0]
		n, rest := lengthLZ4(int(token>>4), src[1:])
		if n > len(rest) || n > size-len(dst) {
			return nil, errInconsistent
		}
		if dst, src = append(dst, rest[:n]...), rest[n:]; len(src) == 0 {
			return dst, nil
		}
		if len(src) < 2 {
			return nil, io.ErrUnexpectedEOF
		}
		offset := int(binary.LittleEndian.Uint16(src))
		n, src = lengthLZ4(int(token&15), src[2:])
		n += 4
		if offset == 0 || offset > len(dst) || n > size-len(dst) {
			return nil, errInconsistent
		}
		for n > 0 { // the part may reach into what it appends
			part := dst[len(dst)-offset:]
			part = part[:min(n, offset)]
			dst = append(dst, part...)
			n -= len(part)
			offset += len(part)
		}
	}
	return nil, io.ErrUnexpectedEOF
}

// lengthLZ4 returns a length that starts with n, and what follows.
func lengthLZ4(n int, src []byte) (int, []byte) {
	for more := n == 15; more && len(src) > 0; src = src[1:] {
		n += int(src[0])
		more = src[0] == 255
	}
	return n, src
}

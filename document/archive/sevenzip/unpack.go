package sevenzip

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"context"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz/lzma"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

// Method ids, as Methods.txt of 7-Zip lists them.
const (
	methodCopy    = 0x00
	methodDelta   = 0x03
	methodLZMA    = 0x030101
	methodLZMA2   = 0x21
	methodBZip2   = 0x040202
	methodDeflate = 0x040108
	methodZstd    = 0x04f71101
	methodAES     = 0x06f10701
)

var refused = map[uint64]string{
	0x04: "BCJ", 0x05: "PPC", 0x06: "IA64", 0x07: "ARM", 0x08: "ARMT", 0x09: "SPARC", 0x0a: "ARM64", 0x0b: "RISCV", 0x030401: "PPMd", 0x03030103: "BCJ",
	0x0303011b: "BCJ2", 0x03030205: "PPC", 0x03030401: "IA64", 0x03030501: "ARM", 0x03030701: "ARMT", 0x03030805: "SPARC", 0x040109: "Deflate64", 0x04f71102: "Brotli", 0x04f71104: "LZ4",
}

// folder parses the coders of a folder and the links between them. Only linear chains of
// coders are supported.
func (p *parser) folder(f *folder) {
	coders, in, out := p.number(), uint64(0), uint64(0)
	if p.bad = p.bad || coders == 0 || coders > 32; p.bad {
		return
	}
	for range coders {
		c, ins, outs := p.coder()
		f.coders, in, out = append(f.coders, c), in+ins, out+outs
		if ins != 1 || outs != 1 {
			f.reason = notRead(c.method)
		}
	}
	if p.bad = p.bad || in > 64 || out != coders || in < out; p.bad {
		return
	}
	f.links = make([]int, in)
	for i := range f.links {
		f.links[i] = -1
	}
	f.last = int(coders*(coders-1)) / 2 // sum of all indices; subtracting those of the others leaves the last
	for range out - 1 {
		into, of := p.number(), p.number()
		if p.bad = p.bad || into >= in || of >= out; p.bad {
			return
		}
		f.links[into] = int(of)
		f.last -= int(of)
	}
	p.bad = p.bad || f.last < 0 || f.last >= len(f.coders)
	if packed := in - (out - 1); packed > 1 {
		for range packed {
			p.number()
		}
		f.reason = cmp.Or(f.reason, notRead(f.coders[0].method))
	}
}

// coder parses one coder and the numbers of its inputs and outputs.
func (p *parser) coder() (c coder, in, out uint64) {
	flags := p.byte()
	for _, b := range p.readBytes(uint64(flags & 0x0f)) {
		c.method = c.method<<8 | uint64(b)
	}
	in, out = 1, 1
	if flags&0x10 != 0 {
		in, out = p.number(), p.number()
	}
	if flags&0x20 != 0 {
		c.properties = p.readBytes(p.number())
	}
	p.bad = p.bad || flags&0xc0 != 0 || flags&0x0f > 8 || in > 32 || out > 32
	return c, in, out
}

// order sorts the coders in the order of decompression and reports whether they form a chain.
func (f *folder) order() bool {
	f.size = f.coders[f.last].size
	if f.reason != nil || f.size > math.MaxInt64 {
		return f.reason != nil
	}
	var row []coder
	for from := -1; len(row) < len(f.coders); {
		next := -1
		for i, l := range f.links {
			if l == from {
				next = i
			}
		}
		if next < 0 {
			return false
		}
		row, from = append(row, f.coders[next]), next
		f.links[next] = math.MinInt
	}
	f.coders = row
	return true
}

func notRead(method uint64) error {
	if method == methodAES {
		return format.ErrEncrypted
	}
	name := cmp.Or(refused[method], fmt.Sprintf("%x", method))
	return fmt.Errorf("%w: %w", format.ErrBinary, phrase.Error("cause.7z-method", "the 7-Zip method {name} is not supported: compress the archive with LZMA2", "name", name))
}

// unpack returns a reader of the decompressed content of a folder.
func (r *Reader) unpack(ctx context.Context, f *folder) (io.ReadCloser, error) {
	u := &unpacking{Reader: bufio.NewReaderSize(io.NewSectionReader(r.from, f.at, f.packed), 64<<10)}
	if f.reason != nil {
		return nil, f.reason
	}
	for _, c := range f.coders {
		if err := u.add(c, f.packed, r.memory); err != nil {
			_ = u.Close()
			return nil, err
		}
	}
	return u, nil
}

// An unpacking is a chain of decompressors.
type unpacking struct {
	io.Reader
	close []func()
}

func (u *unpacking) Close() error {
	for _, end := range u.close {
		end()
	}
	return nil
}

// add appends a coder to the chain; packed is the compressed size of the folder in bytes.
func (u *unpacking) add(c coder, packed, memory int64) error {
	switch c.method {
	case methodCopy:
		return nil
	case methodBZip2:
		u.Reader = bzip2.NewReader(u.Reader)
	case methodDeflate:
		u.Reader = flate.NewReader(u.Reader)
	case methodDelta:
		if len(c.properties) != 1 {
			return errList
		}
		u.Reader = &delta{from: u.Reader, before: make([]byte, int(c.properties[0])+1)}
	case methodZstd:
		z, err := zstd.NewReader(u.Reader, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(memory)))
		if err != nil {
			return damaged(err)
		}
		u.Reader, u.close = z, append(u.close, z.Close)
	case methodLZMA, methodLZMA2:
		return u.lzma(c, packed, memory)
	default:
		return notRead(c.method)
	}
	return nil
}

func (u *unpacking) lzma(c coder, packed, memory int64) (err error) {
	asked, ok := c.dictionary()
	if !ok {
		return errList
	}
	size := dictionary(asked, c.size, packed)
	if size > memory {
		return fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.7z-memory", "decompression takes {bytes} bytes of memory", "bytes", size))
	}
	if c.method == methodLZMA2 {
		u.Reader, err = lzma.Reader2Config{DictCap: int(size)}.NewReader2(u.Reader)
	} else {
		head := le.AppendUint64(le.AppendUint32([]byte{c.properties[0]}, uint32(size)), c.size)
		u.Reader, err = lzma.ReaderConfig{DictCap: int(size)}.NewReader(bufio.NewReader(io.MultiReader(bytes.NewReader(head), u.Reader)))
	}
	if err != nil {
		return damaged(err)
	}
	return nil
}

// dictionary returns the stated dictionary size of an LZMA coder, in bytes.
func (c *coder) dictionary() (size uint64, ok bool) {
	if c.method == methodLZMA {
		if len(c.properties) != 5 {
			return 0, false
		}
		return uint64(le.Uint32(c.properties[1:])), true
	}
	if len(c.properties) != 1 || c.properties[0] > 40 {
		return 0, false
	}
	bits := c.properties[0]
	if bits == 40 {
		return math.MaxUint32, true
	}
	return uint64(2|bits&1) << (bits/2 + 11), true
}

// mostPacked is the largest compression factor of LZMA: 273 bytes take at least one bit,
// which costs at least 2⁻¹¹ of a bit.
const mostPacked = 1 << 14

// dictionary returns the memory for an LZMA coder in bytes: the stated dictionary size, but no
// more than the decompressed content can have.
func dictionary(asked, unpacked uint64, packed int64) int64 {
	const least = lzma.MinDictCap
	can := uint64(math.MaxInt64)
	if packed < math.MaxInt64/mostPacked {
		can = uint64(packed) * mostPacked
	}
	return int64(max(least, min(asked, unpacked, can)))
}

// A delta decodes the Delta filter: each byte is stored as its difference from an earlier
// byte.
type delta struct {
	from   io.Reader
	before []byte
	at     int
}

func (d *delta) Read(p []byte) (int, error) {
	n, err := d.from.Read(p)
	for i := range p[:n] {
		p[i] += d.before[d.at]
		d.before[d.at] = p[i]
		d.at = (d.at + 1) % len(d.before)
	}
	return n, err
}

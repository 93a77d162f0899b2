// Package packed reads files that are packed by themselves: by gzip, bzip2, xz or
// zstd.
//
// [Open] finds out by which, and reads what is packed by none as it is. What is
// damaged is never passed over in silence: [Reader.Read] gives what comes before the
// damage, and then an error wrapping [ErrPart]. gzip and bzip2 pack in parts, members and blocks; so
// reading goes on after that error with the next part that is whole, on a line of its own.
// xz and zstd do not, and their errors are the end.
//
// Who reads may go on or not: a container of many documents does, and names what it
// has lost; a text, or what is computed of all of a collection, is nothing where a part of it is missing.
package packed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"

	"github.com/otisk/otisk/document/packed/blocks"
)

// ErrPart says that a part is lost; what follows is the next one.
var ErrPart = errors.New("a part that is packed by itself is damaged, and left out")

// MostMemory is what a packed file may ask for besides its content, in bytes: what
// is packed refers to as much of what is before it.
const MostMemory = 256 << 20

// extensions are those of packed files.
var extensions = []string{".gz", ".bz2", ".xz", ".zst"}

// Unpacked returns the name that a file of this name has when it is unpacked.
func Unpacked(path string) string {
	if ext := filepath.Ext(path); slices.Contains(extensions, strings.ToLower(ext)) {
		return strings.TrimSuffix(path, ext)
	}
	return path
}

// headSize is how many bytes tell what a file is packed by.
const headSize = 10

// starts are the first bytes of what is packed by a program.
var starts = []struct{ name, start string }{
	{"gzip", "\x1f\x8b"}, {"bzip2", "BZh"}, {"xz", "\xfd7zXZ\x00"}, {"zstd", "\x28\xb5\x2f\xfd"},
}

// By returns the name of the program that has packed what starts with head, "" for none
// that is known.
func By(head []byte) string {
	for _, s := range starts {
		if bytes.HasPrefix(head, []byte(s.start)) && (s.name != "bzip2" || isBzip2(head)) {
			return s.name
		}
	}
	return ""
}

// isBzip2 tells what bzip2 packed from text that starts with the same letters.
func isBzip2(head []byte) bool {
	return len(head) >= headSize && (string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

// A Reader reads what a file unpacks to.
type Reader struct {
	from   io.Reader
	packed bool
	part   func() int64
	name   func() string
	close  func()
}

// Open returns what reads the content of r. What unpacks on several processors
// takes so many; 0 for all. The reader must be closed before r is.
func Open(r io.Reader, workers int) (*Reader, error) {
	b := bufio.NewReaderSize(r, 1<<20)
	head, err := b.Peek(headSize)
	if len(head) == 0 && err != nil && err != io.EOF {
		return nil, err
	}
	by := By(head)
	p := &Reader{from: b, packed: by != "", part: func() int64 { return 0 }, name: func() string { return "" }, close: func() {}}
	switch by {
	case "gzip":
		m := newMembers(b)
		p.from, p.part, p.name = m, func() int64 { return m.start }, func() string { return m.name }
	case "bzip2":
		z := blocks.NewReader(b, workers)
		p.from, p.part, p.close = &blockReader{from: z}, z.Stream, z.Close
	case "zstd":
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2*MostMemory))
		if err != nil {
			return nil, err
		}
		p.from, p.close = z, z.Close
	case "xz":
		if p.from, err = xz.NewReader(b, MostMemory); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Read implements [io.Reader].
func (p *Reader) Read(b []byte) (int, error) { return p.from.Read(b) }

// Packed reports whether the file is packed.
func (p *Reader) Packed() bool { return p.packed }

// Part returns where in the file what is packed by itself starts that the byte read last
// is in: unpacking can begin there as at the start of the file.
func (p *Reader) Part() int64 { return p.part() }

// Name returns the name that the file had before it was packed, "" where that is not said. It is
// known once something was read.
func (p *Reader) Name() string { return p.name() }

// Close releases what unpacking takes.
func (p *Reader) Close() { p.close() }

// A blockReader reads what bzip2 packed.
type blockReader struct {
	from *blocks.Reader
	cut  bool
}

// Read implements [io.Reader].
func (b *blockReader) Read(p []byte) (int, error) {
	if b.cut && len(p) > 0 {
		b.cut, p[0] = false, '\n'
		return 1, nil
	}
	n, err := b.from.Read(p)
	if errors.Is(err, blocks.ErrBlock) {
		b.cut, err = true, fmt.Errorf("%w: %w", ErrPart, err)
	}
	return n, err
}

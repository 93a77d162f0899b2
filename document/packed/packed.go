// Package packed decompresses single files: gzip, bzip2, xz and zstd.
//
// [Open] detects the compression; it reads other files unchanged. Damage is never skipped in
// silence: [Reader.Read] returns the content before the damage, then an error wrapping
// [ErrPart]. A file of gzip or bzip2 has independent parts, members or blocks, so reading
// continues after that error with the next undamaged part, on a new line. Files of xz and
// zstd have none: their errors are final.
//
// The caller decides whether to continue. A container of many documents does, and reports
// what is missing; a single text, or a result computed from a whole collection, would be
// wrong without the missing part.
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
	"github.com/otisk/otisk/lang/phrase"
)

// ErrPart reports that a part was skipped because it is damaged. Reading continues with the
// next part.
var ErrPart error = phrase.Error("cause.part-damaged", "a compressed part is damaged and left out")

// MostMemory limits the memory that a decompressor uses besides its output, in bytes: its
// window of earlier content.
const MostMemory = 256 << 20

var extensions = []string{".gz", ".bz2", ".xz", ".zst"}

// Unpacked returns the file name without the extension of a compression.
func Unpacked(path string) string {
	if ext := filepath.Ext(path); slices.Contains(extensions, strings.ToLower(ext)) {
		return strings.TrimSuffix(path, ext)
	}
	return path
}

// headSize is how many bytes identify the compression.
const headSize = 10

var starts = []struct{ name, start string }{
	{"gzip", "\x1f\x8b"}, {"bzip2", "BZh"}, {"xz", "\xfd7zXZ\x00"}, {"zstd", "\x28\xb5\x2f\xfd"},
}

// By returns the name of the program that compressed the file that starts with head, or "".
func By(head []byte) string {
	for _, s := range starts {
		if bytes.HasPrefix(head, []byte(s.start)) && (s.name != "bzip2" || isBzip2(head)) {
			return s.name
		}
	}
	return ""
}

// isBzip2 distinguishes bzip2 from text that starts with the same letters.
func isBzip2(head []byte) bool {
	return len(head) >= headSize && (string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

// A Reader reads the decompressed content of a file.
type Reader struct {
	from   io.Reader
	packed bool
	part   func() int64
	name   func() string
	close  func()
}

// Open returns a reader of the decompressed content of r. Formats that can be decompressed in
// parallel use this number of workers, 0 for one a processor. The reader must be closed
// before r.
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

// Packed reports whether the file is compressed.
func (p *Reader) Packed() bool { return p.packed }

// Part returns the offset in the file of the independent part that has the byte read last.
// Decompression can start there as at the start of the file.
func (p *Reader) Part() int64 { return p.part() }

// Name returns the original file name if it is stored, otherwise "". It is available after the
// first read.
func (p *Reader) Name() string { return p.name() }

// Close releases the resources of the decompression.
func (p *Reader) Close() { p.close() }

type blockReader struct {
	from *blocks.Reader
	cut  bool
}

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

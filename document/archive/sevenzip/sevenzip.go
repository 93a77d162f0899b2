// Package sevenzip reads 7-Zip archives as streams.
//
// [Open] reads the list of members, and [Reader.Each] decompresses them one after
// another. A 7z file has its list at the end, usually compressed, and states how
// much memory decompression takes: a file of a few hundred bytes can demand
// gigabytes. Every stated size is therefore checked against the number of bytes that are
// there: see [maxList] and [dictionary]. bodgit/sevenzip (1.6) allocates them.
//
// The methods LZMA, LZMA2, BZip2, Deflate, Zstandard, Delta and Copy are supported; archives
// with other methods or a password are refused, and the error names the method. Damage in
// a solid block (members that are compressed together) also affects the later
// members of that block.
package sevenzip

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/lang/phrase"
)

const magic = "7z\xbc\xaf\x27\x1c"

// startSize is the size of the header at the start of a file, in bytes.
const startSize = 32

// Is reports whether data is the start of a 7z file.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// A Member is one file of an archive.
type Member struct {
	Name    string
	ModTime time.Time // zero if the archive has none
	Size    int64     // bytes
}

// A Reader reads one archive.
type Reader struct {
	from   io.ReaderAt
	size   int64
	memory int64
	list   list
}

// Open reads the list of members of an archive of size bytes. memory limits the memory for
// decompression, in bytes.
func Open(ctx context.Context, from io.ReaderAt, size, memory int64) (*Reader, error) {
	r := &Reader{from: from, size: size, memory: memory}
	packed, err := r.end()
	if err == nil {
		r.list, err = r.readList(ctx, packed)
	}
	return r, err
}

// end returns the list at the end of the file, which may be compressed.
func (r *Reader) end() ([]byte, error) {
	start := make([]byte, startSize)
	if _, err := r.from.ReadAt(start, 0); err != nil {
		return nil, damaged(phrase.Error("cause.7z-truncated", "it is truncated"))
	}
	if !Is(start) || crc32.ChecksumIEEE(start[12:]) != le.Uint32(start[8:]) {
		return nil, damaged(phrase.Error("cause.7z-start", "the checksum of its first {bytes} bytes is wrong", "bytes", startSize))
	}
	offset, length := le.Uint64(start[12:]), le.Uint64(start[20:])
	after := uint64(r.size - startSize)
	if offset > after || length > after-offset {
		return nil, damaged(phrase.Error("cause.7z-volumes", "it is truncated, or the first of several volumes"))
	}
	if length == 0 {
		return nil, nil // an empty archive
	}
	if length > mostList {
		return nil, fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.7z-list-bytes", "its list of files exceeds {bytes} bytes", "bytes", mostList))
	}
	data := make([]byte, length)
	if _, err := r.from.ReadAt(data, startSize+int64(offset)); err != nil {
		return nil, err
	}
	if crc32.ChecksumIEEE(data) != le.Uint32(start[28:]) {
		return nil, damaged(phrase.Error("cause.7z-list-sum", "the checksum of its list of files is wrong"))
	}
	return data, nil
}

// Each calls fn for each member that is a file, with a reader of its content, in the order
// of the archive. Content that fn does not read is skipped. If content is damaged, reading it
// returns an error, as does reading the members after it in the same solid block.
// If fn returns an error, Each stops and returns that error.
func (r *Reader) Each(ctx context.Context, fn func(Member, io.Reader) error) error {
	files := r.list.files()
	for i := range r.list.folders {
		if err := r.folder(ctx, &r.list.folders[i], files, fn); err != nil {
			return err
		}
	}
	for { // members without content
		f, ok, err := files.next(false)
		if err != nil || !ok {
			return err
		}
		if err := f.give(fn, bytes.NewReader(nil)); err != nil {
			return err
		}
	}
}

// folder calls fn for the members that are compressed together.
func (r *Reader) folder(ctx context.Context, packed *folder, files *files, fn func(Member, io.Reader) error) error {
	content, err := r.unpack(ctx, packed)
	if err == nil {
		defer content.Close()
	} else {
		content = failed{err}
	}
	for i, s := range packed.streams {
		f, ok, err := files.next(true)
		if err != nil {
			return err
		}
		if !ok {
			return damaged(phrase.Error("cause.7z-more", "it has more content than files"))
		}
		f.Size = int64(s.size)
		m := &member{ctx: ctx, from: content, left: f.Size, want: s.sum, checked: s.summed}
		if err := f.give(fn, m); err != nil {
			return err
		}
		if i < len(packed.streams)-1 {
			m.finish()
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if m.err != nil {
			content = failed{m.err}
		}
	}
	return nil
}

type member struct {
	ctx     context.Context
	from    io.Reader
	left    int64
	sum     uint32
	want    uint32
	checked bool
	err     error // also of all later members in the folder
}

func (m *member) Read(p []byte) (int, error) {
	switch {
	case m.ctx.Err() != nil:
		return 0, context.Cause(m.ctx)
	case m.err != nil:
		return 0, m.err
	case m.left == 0 && m.checked && m.sum != m.want:
		return 0, damaged(phrase.Error("cause.7z-sum", "its checksum is wrong"))
	case m.left == 0:
		return 0, io.EOF
	}
	n, err := m.from.Read(p[:min(int64(len(p)), m.left)])
	m.sum = crc32.Update(m.sum, crc32.IEEETable, p[:n])
	m.left -= int64(n)
	if err != nil && m.left > 0 {
		m.err = lost(err)
		return n, m.err
	}
	return n, nil
}

func (m *member) finish() {
	for chunk := make([]byte, 64<<10); m.left > 0; {
		if _, err := m.Read(chunk); err != nil {
			return
		}
	}
}

// failed is the content of a member that cannot be decompressed.
type failed struct{ error }

func (f failed) Read([]byte) (int, error) { return 0, f.error }

func (failed) Close() error { return nil }

func damaged(cause error) error { return fmt.Errorf("%w: %w", format.ErrDamaged, cause) }

// lost returns the error for content that is missing because of err.
func lost(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return format.Damage(err)
}

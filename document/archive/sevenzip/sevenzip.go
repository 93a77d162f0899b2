// Package sevenzip reads archives of 7-Zip as streams.
//
// [Open] reads the list of members, and [Reader.Each] unpacks them one after
// another. A 7z file has its list at the end, most often packed, and it says how
// much memory unpacking takes: so a file of some hundred bytes can ask for
// gigabytes. Nothing that a file claims is believed before it is compared with how
// many bytes there are: see [maxList] and [dictionary].
//
// LZMA, LZMA2, BZip2, Deflate, Zstandard and Delta are unpacked, and what is only
// copied; other methods and passwords are refused by name. Members that are packed
// together (7-Zip calls that solid) are unpacked together: what is damaged
// concerns those after it too, up to where the next ones begin.
package sevenzip

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/otisk/otisk/document/format"
)

// magic is what a 7z file begins with.
const magic = "7z\xbc\xaf\x27\x1c"

// startSize is how long the header at the start of a file is, in bytes.
const startSize = 32

// Is reports whether data is the start of a 7z file.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// A Member is one file of an archive.
type Member struct {
	Name    string
	ModTime time.Time // zero where the archive says nothing
	Size    int64     // bytes
}

// A Reader reads one archive.
type Reader struct {
	from   io.ReaderAt
	size   int64
	memory int64
	list   list
}

// Open reads the list of members of an archive of size bytes. Unpacking may take
// so much memory.
func Open(ctx context.Context, from io.ReaderAt, size, memory int64) (*Reader, error) {
	r := &Reader{from: from, size: size, memory: memory}
	packed, err := r.end()
	if err == nil {
		r.list, err = r.readList(ctx, packed)
	}
	return r, err
}

// end returns the list as it is at the end of the file.
func (r *Reader) end() ([]byte, error) {
	start := make([]byte, startSize)
	if _, err := r.from.ReadAt(start, 0); err != nil {
		return nil, damaged("it is cut off")
	}
	if !Is(start) || crc32.ChecksumIEEE(start[12:]) != le.Uint32(start[8:]) {
		return nil, damaged("its first %d bytes do not add up", startSize)
	}
	offset, length := le.Uint64(start[12:]), le.Uint64(start[20:])
	after := uint64(r.size - startSize)
	if offset > after || length > after-offset {
		return nil, damaged("it is cut off, or the first of several volumes")
	}
	if length == 0 {
		return nil, nil // an archive of nothing
	}
	if length > mostList {
		return nil, fmt.Errorf("%w: its list of files has more than %d bytes", format.ErrTooLarge, mostList)
	}
	data := make([]byte, length)
	if _, err := r.from.ReadAt(data, startSize+int64(offset)); err != nil {
		return nil, err
	}
	if crc32.ChecksumIEEE(data) != le.Uint32(start[28:]) {
		return nil, damaged("the checksum of its list of files is wrong")
	}
	return data, nil
}

// Each calls fn for each member that is a file, with its content, in the order in
// which they are packed. What fn does not read is passed over. Reading the content
// returns an error where it is damaged, and so it does for all that is packed after it.
// An error from fn stops it and is returned as it is.
func (r *Reader) Each(ctx context.Context, fn func(Member, io.Reader) error) error {
	files := r.list.files()
	for i := range r.list.folders {
		if err := r.folder(ctx, &r.list.folders[i], files, fn); err != nil {
			return err
		}
	}
	for { // those without content
		f, ok, err := files.next(false)
		if err != nil || !ok {
			return err
		}
		if err := f.give(fn, bytes.NewReader(nil)); err != nil {
			return err
		}
	}
}

// folder gives the members that are packed together to fn.
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
			return damaged("it has more content than files")
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

// A member reads the content of one file.
type member struct {
	ctx     context.Context
	from    io.Reader
	left    int64
	sum     uint32
	want    uint32
	checked bool
	err     error // that what follows in the folder has, too
}

// Read implements [io.Reader].
func (m *member) Read(p []byte) (int, error) {
	switch {
	case m.ctx.Err() != nil:
		return 0, context.Cause(m.ctx)
	case m.err != nil:
		return 0, m.err
	case m.left == 0 && m.checked && m.sum != m.want:
		return 0, damaged("its checksum is wrong")
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

// finish passes over what was not read.
func (m *member) finish() {
	for chunk := make([]byte, 64<<10); m.left > 0; {
		if _, err := m.Read(chunk); err != nil {
			return
		}
	}
}

// failed is the content of what cannot be unpacked.
type failed struct{ error }

// Read implements [io.Reader].
func (f failed) Read([]byte) (int, error) { return 0, f.error }

// Close implements [io.Closer].
func (failed) Close() error { return nil }

// damaged is the error of a file that is wrong.
func damaged(what string, args ...any) error {
	return fmt.Errorf("%w: "+what, append([]any{format.ErrDamaged}, args...)...)
}

// lost returns why there is less content than there should be.
func lost(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return format.Damage(err)
}

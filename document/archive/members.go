package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/otisk/otisk/document/archive/sevenzip"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/lang/phrase"
)

// A Member is one file of an archive.
type Member struct {
	Name    string
	ModTime time.Time // zero if the archive has none
	Data    []byte
}

// IsTar reports whether data is a tar archive, by its first header.
func IsTar(data []byte) bool {
	return len(data) >= 512 && bytes.HasPrefix(data[257:], []byte("ustar"))
}

// Members calls fn for each file of a tar or zip archive that may be a document; it skips
// hidden files, metadata of macOS, and the names that skip returns true for; nil skips none. For a member that cannot be decompressed, fn gets the
// error. Members returns an error about the whole archive, or that of fn.
func Members(ctx context.Context, data []byte, encoding string, budget format.Budget, skip func(name string) bool, fn func(Member, error) error) error {
	u := newUnpacker(ctx, budget, fn)
	u.skip = skip
	if IsTar(data) {
		return u.tar(bytes.NewReader(data))
	}
	return u.zip(data, encoding)
}

// Tar is like [Members] for a tar archive of any size and any number of members; one member
// at a time is in memory.
func Tar(ctx context.Context, from io.Reader, budget format.Budget, skip func(name string) bool, fn func(Member, error) error) error {
	return endless(ctx, budget, skip, fn).tar(from)
}

// SevenZip is like [Tar] for a 7-Zip archive of size bytes.
func SevenZip(ctx context.Context, from io.ReaderAt, size int64, budget format.Budget, skip func(name string) bool, fn func(Member, error) error) error {
	u := endless(ctx, budget, skip, fn)
	r, err := sevenzip.Open(ctx, from, size, packed.MostMemory)
	if err != nil {
		return err
	}
	return r.Each(ctx, func(m sevenzip.Member, content io.Reader) error {
		return u.add(Member{Name: m.Name, ModTime: m.ModTime}, content, m.Size)
	})
}

// unpackFactor times the size limit of one file is the limit for the total decompressed size
// of an archive.
const unpackFactor = 16

// An unpacker calls fn for the members of one archive.
type unpacker struct {
	ctx    context.Context
	budget format.Budget          // limits for one member
	left   int64                  // bytes that may still be decompressed
	most   int                    // limit for the number of members
	held   int                    // members so far
	skip   func(name string) bool // members to skip; nil for none
	fn     func(Member, error) error
}

func newUnpacker(ctx context.Context, budget format.Budget, fn func(Member, error) error) *unpacker {
	return &unpacker{ctx: ctx, budget: budget, left: unpackFactor * budget.Bytes, most: maxMembers, fn: fn}
}

// endless returns an unpacker for an archive of any size.
func endless(ctx context.Context, budget format.Budget, skip func(name string) bool, fn func(Member, error) error) *unpacker {
	return &unpacker{ctx: ctx, budget: budget, left: math.MaxInt64, most: math.MaxInt, skip: skip, fn: fn}
}

func (u *unpacker) tar(from io.Reader) error {
	end := &tarEnd{from: from}
	for r := tar.NewReader(end); ; {
		if err := format.Ended(u.ctx); err != nil {
			return err
		}
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return end.check(u.ctx)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", format.ErrDamaged, err)
		}
		if h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeCont && h.Typeflag != tar.TypeGNUSparse {
			continue
		}
		if !utf8.ValidString(h.Name) { // an old program wrote it in the encoding of its computer
			h.Name = decoderOf([]string{h.Name}, "")(h.Name)
		}
		if err := u.add(Member{Name: h.Name, ModTime: h.ModTime}, r, h.Size); err != nil {
			return err
		}
	}
}

// A tarEnd checks the end of an archive: package tar accepts a truncated one.
type tarEnd struct {
	from  io.Reader
	zeros int // number of zero bytes that were read last
}

// Read implements [io.Reader].
func (e *tarEnd) Read(p []byte) (int, error) {
	n, err := e.from.Read(p)
	if after := len(bytes.TrimRight(p[:n], "\x00")); after > 0 {
		e.zeros = n - after
	} else {
		e.zeros += n
	}
	return n, err
}

var (
	errNoTarEnd  = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.tar-end", "the end marker of the archive is missing: it may be truncated"))
	errMoreAfter = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.tar-after", "data follow the end marker of the archive"))
)

// tarBlock is the size of a block in bytes. The end marker is two blocks of zeros; some programs
// write only one.
const tarBlock = 512

// check returns an error if the end marker is missing or data follow it.
func (e *tarEnd) check(ctx context.Context) error {
	if e.zeros < tarBlock {
		return errNoTarEnd
	}
	for rest := make([]byte, 64<<10); ; {
		if err := format.Ended(ctx); err != nil {
			return err
		}
		n, err := e.from.Read(rest)
		switch {
		case len(bytes.TrimRight(rest[:n], "\x00")) > 0:
			return errMoreAfter
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", format.ErrDamaged, err)
		}
	}
}

// Names returns the names of the members of a zip archive that [Members] iterates over, sorted.
func Names(data []byte, encoding string) ([]string, error) {
	z, err := Open(data, encoding)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range z.File {
		if f.Mode().IsRegular() && !Hidden(f.Name) && safe(f.Name) {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (u *unpacker) zip(data []byte, encoding string) error {
	z, err := Open(data, encoding)
	if err != nil {
		return err
	}
	for _, f := range z.File {
		if !f.Mode().IsRegular() {
			continue
		}
		if err := u.add(Member{Name: f.Name, ModTime: f.Modified}, &lazyFile{f: f}, int64(f.UncompressedSize64)); err != nil {
			return err
		}
	}
	return nil
}

// add decompresses one member of the stated size and calls fn with it or with its error. Errors
// about the whole archive are returned. A member whose stated size exceeds the limit is not
// decompressed; what was decompressed of a refused member counts.
func (u *unpacker) add(m Member, r io.Reader, size int64) error {
	if Hidden(m.Name) || u.skip != nil && u.skip(m.Name) {
		return nil
	}
	if u.held++; u.held > u.most {
		return tooMany()
	}
	if !safe(m.Name) {
		return u.fn(m, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("said.path-out", "its path leads out of the archive")))
	}
	if size > u.budget.Bytes {
		return u.fn(m, tooLarge(u.budget.Bytes))
	}
	ctx, cancel := u.budget.Limit(u.ctx)
	defer cancel()
	data, read, err := unpack(ctx, r, size, min(u.left, u.budget.Bytes))
	if u.ctx.Err() != nil {
		return context.Cause(u.ctx)
	}
	if u.left -= read; u.left <= 0 {
		return tooLarge(unpackFactor * u.budget.Bytes)
	}
	m.Data = data
	return u.fn(m, err)
}

// Hidden reports whether a member is not a document, by its name.
func Hidden(name string) bool {
	return strings.HasSuffix(name, "/") || strings.HasPrefix(path.Base(name), ".") || strings.HasPrefix(name, "__MACOSX/") ||
		name == "mimetype" || strings.HasPrefix(name, "META-INF/") // of a signed container (ASiC)
}

// safe reports whether name stays within the archive's folder.
func safe(name string) bool {
	return filepath.IsLocal(name) && !strings.Contains(name, `\`) && !strings.ContainsRune(name, 0)
}

// A lazyFile opens a member when it is first read.
type lazyFile struct {
	f *zip.File
	r io.ReadCloser
}

func (l *lazyFile) Read(p []byte) (int, error) {
	if l.f.Flags&1 != 0 {
		return 0, format.ErrEncrypted
	}
	if l.r == nil {
		r, err := l.f.Open()
		if err != nil {
			return 0, err
		}
		l.r = r
	}
	n, err := l.r.Read(p)
	if err != nil {
		l.r.Close()
	}
	return n, err
}

package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/container/blocks"
)

// packedBy are the extensions of files that are packed by a program which is known here.
var packedBy = []string{".gz", ".bz2", ".xz", ".zst"}

// Unpacked returns the name that a file has when it is unpacked.
func Unpacked(path string) string {
	if ext := filepath.Ext(path); slices.Contains(packedBy, strings.ToLower(ext)) {
		return strings.TrimSuffix(path, ext)
	}
	return path
}

// An unpacker reads what a file holds that is packed, piece by piece.
type unpacker struct {
	io.Reader
	close func()
}

// unpack returns what reads the content of r, which is packed if it begins like that; what
// is not packed it reads as it is.
func unpack(r *bufio.Reader) (*unpacker, error) {
	head, err := r.Peek(10)
	if len(head) == 0 && err != nil && err != io.EOF {
		return nil, err
	}
	u := &unpacker{Reader: r, close: func() {}}
	if !archive.IsPacked(head) {
		return u, nil
	}
	var z io.Reader
	switch head[0] {
	case 0x1f:
		z, err = gzip.NewReader(r)
	case 'B':
		b := blocks.NewReader(r, 0)
		z, u.close, err = b, b.Close, nil
	case 0x28:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(archive.MostMemory)); err == nil {
			z, u.close = d, d.Close
		}
	default:
		z, err = xz.NewReader(r, archive.MostMemory)
	}
	if err != nil {
		return nil, damaged(err)
	}
	u.Reader = &damageReader{z}
	return u, nil
}

// A damageReader says of what it reads that it is damaged where it cannot be unpacked.
type damageReader struct{ from io.Reader }

// Read implements [io.Reader].
func (d *damageReader) Read(p []byte) (int, error) {
	n, err := d.from.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(err)
	}
	return n, err
}

// damaged says what is wrong with a packed file. An error of the disk stays one.
func damaged(err error) error {
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it is cut off", document.ErrDamaged)
	}
	return fmt.Errorf("%w: %w", document.ErrDamaged, err)
}

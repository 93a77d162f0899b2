package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/lang/phrase"
)

// Unpacked returns the name of a file without the extension of its compression.
func Unpacked(path string) string { return packed.Unpacked(path) }

// unpack returns a reader of the content of r, decompressed if its first bytes
// are those of a compressed file. The first damage ends it.
func unpack(r io.Reader) (*unpacker, error) {
	p, err := packed.Open(r, 0)
	if err != nil {
		return nil, damaged(err)
	}
	return &unpacker{p}, nil
}

type unpacker struct{ from *packed.Reader }

func (u *unpacker) close() { u.from.Close() }

// Read implements [io.Reader]. If the file cannot be decompressed, the error wraps
// [document.ErrDamaged].
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if err != nil && err != io.EOF && u.from.Packed() {
		err = damaged(err)
	}
	return n, err
}

// damaged wraps errors of decompression in [document.ErrDamaged]. Errors of the disk
// are returned unchanged.
func damaged(err error) error {
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return phrase.Error("corpus.cut-off", "{cause}: it is cut off", "cause", document.ErrDamaged)
	}
	return fmt.Errorf("%w: %w", document.ErrDamaged, err)
}

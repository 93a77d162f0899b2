package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/packed"
)

// Unpacked returns the name that a file has when it is unpacked.
func Unpacked(path string) string { return packed.Unpacked(path) }

// unpack returns what reads the content of r, which is packed if it begins like that; what
// is not packed it reads as it is. The first damage ends it.
func unpack(r io.Reader) (*unpacker, error) {
	p, err := packed.Open(r, 0)
	if err != nil {
		return nil, damaged(err)
	}
	return &unpacker{p}, nil
}

// An unpacker reads what a file holds that may be packed, piece by piece.
type unpacker struct{ from *packed.Reader }

// close releases what unpacking takes.
func (u *unpacker) close() { u.from.Close() }

// Read implements [io.Reader]. Of what is packed it says that it is damaged where it
// cannot be unpacked.
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if err != nil && err != io.EOF && u.from.Packed() {
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

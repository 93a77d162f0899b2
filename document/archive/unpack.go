package archive

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/otisk/otisk/document/format"
)

// IsGzip reports whether data is packed by gzip.
func IsGzip(data []byte) bool { return bytes.HasPrefix(data, []byte("\x1f\x8b")) }

// Gunzip unpacks data, and returns the name that it was packed with.
func Gunzip(ctx context.Context, data []byte, budget format.Budget) ([]byte, string, error) {
	ctx, cancel := budget.Limit(ctx)
	defer cancel()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	name := z.Name
	size := int64(binary.LittleEndian.Uint32(data[len(data)-4:])) // of what was packed last, modulo 2³²
	inner, size, err := unpack(ctx, z, size, budget.Bytes)
	if err == errSize {
		if err = z.Reset(bytes.NewReader(data)); err == nil {
			inner, _, err = unpack(ctx, z, size, budget.Bytes)
		}
	}
	return inner, name, err
}

// errSize says that there is more or less than was said.
var errSize = fmt.Errorf("%w: its size is another than it says", format.ErrDamaged)

// chunk is how much is unpacked between two looks at the context.
const chunk = 64 << 10

// unpack reads r to its end, which must come within max bytes, and returns how
// many it has read. Only as many are kept as r is said to have, so that what
// unpacks to a thousand times its size takes no memory; where it has more or less,
// the error is errSize.
func unpack(ctx context.Context, r io.Reader, size, max int64) (data []byte, read int64, err error) {
	if size <= max {
		data = make([]byte, size)
	}
	spare := make([]byte, chunk)
	for err == nil {
		if err := format.Ended(ctx); err != nil {
			return nil, read, err
		}
		into := spare
		if read < int64(len(data)) {
			into = data[read:min(read+chunk, int64(len(data)))]
		}
		var n int
		n, err = r.Read(into)
		if read += int64(n); read > max {
			return nil, read, tooLarge(max)
		}
	}
	switch {
	case err != io.EOF:
		return nil, read, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	case read != size:
		return nil, read, errSize
	}
	return data, read, nil
}

package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/otisk/otisk/document/format"
)

// IsGzip reports whether data is packed by gzip.
func IsGzip(data []byte) bool { return bytes.HasPrefix(data, []byte("\x1f\x8b")) }

// Gunzip unpacks data, and returns the name that it was packed with.
func Gunzip(ctx context.Context, data []byte, budget format.Budget) ([]byte, string, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	inner, err := readAll(ctx, z, budget.Bytes)
	return inner, z.Name, err
}

// chunk is how much is unpacked between two looks at the context.
const chunk = 1 << 20

// readAll reads r to its end, which must come within max bytes.
func readAll(ctx context.Context, r io.Reader, max int64) ([]byte, error) {
	var buf bytes.Buffer
	for {
		if err := format.Ended(ctx); err != nil {
			return nil, err
		}
		n, err := io.CopyN(&buf, r, chunk)
		switch {
		case int64(buf.Len()) > max:
			return nil, tooLarge(max)
		case err == io.EOF:
			return buf.Bytes(), nil
		case err != nil:
			return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
		case n < chunk:
			return buf.Bytes(), nil
		}
	}
}

package archive

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/packed"
	"github.com/otisk/otisk/lang/phrase"
)

// IsPacked reports whether data is a single file compressed by gzip, bzip2, xz or zstd.
func IsPacked(data []byte) bool { return packed.By(data) != "" }

// Unpack decompresses data, a single compressed file, and returns the original file name if
// it is stored. If any part is damaged, Unpack returns an error and no data.
func Unpack(ctx context.Context, data []byte, budget format.Budget) (inner []byte, name string, err error) {
	ctx, cancel := budget.Limit(ctx)
	defer cancel()
	size := int64(-1)
	if packed.By(data) == "gzip" && len(data) >= 4 { // otherwise it is truncated
		size = int64(binary.LittleEndian.Uint32(data[len(data)-4:])) // of the last member, modulo 2³²
	}
	inner, name, read, err := unpackAs(ctx, data, size, budget.Bytes)
	if err == errSize {
		inner, name, _, err = unpackAs(ctx, data, read, budget.Bytes)
	}
	return inner, name, err
}

// unpackAs decompresses data, whose stated decompressed size is size, -1 if unknown, and returns
// how many bytes were decompressed.
func unpackAs(ctx context.Context, data []byte, size, max int64) (inner []byte, name string, read int64, err error) {
	from, err := packed.Open(bytes.NewReader(data), 1)
	if err != nil {
		return nil, "", 0, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	defer from.Close()
	if size < 0 {
		inner, err = unpackAll(ctx, from, max)
	} else {
		inner, read, err = unpack(ctx, from, size, max)
	}
	return inner, from.Name(), read, err
}

// unpackAll reads r to its end; more than max bytes are an error.
func unpackAll(ctx context.Context, r io.Reader, max int64) ([]byte, error) {
	var data bytes.Buffer
	for {
		if err := format.Ended(ctx); err != nil {
			return nil, err
		}
		n, err := io.CopyN(&data, r, chunk)
		switch {
		case int64(data.Len()) > max:
			return nil, tooLarge(max)
		case err == io.EOF:
			return data.Bytes(), nil
		case err != nil:
			return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
		case n == 0:
			return nil, fmt.Errorf("%w: %w", format.ErrDamaged, io.ErrNoProgress)
		}
	}
}

var errSize = fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.7z-size", "its decompressed size differs from the stated size"))

// chunk is how many bytes are decompressed between two checks of the context.
const chunk = 64 << 10

// unpack reads r to its end and returns how many bytes it has read; more than max are an error.
// At most size bytes, the stated size, are kept, so that a decompression bomb takes no
// memory. If the size of r differs, the error is errSize.
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
		return nil, read, format.Damage(err)
	case read != size:
		return nil, read, errSize
	}
	return data, read, nil
}

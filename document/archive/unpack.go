package archive

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/packed"
)

// IsPacked reports whether data is a file that is packed by itself: by gzip, bzip2, xz or
// zstd.
func IsPacked(data []byte) bool { return packed.By(data) != "" }

// Unpack unpacks data, which is packed by itself, and returns the name that it was packed
// with, if it has one. Where a part of it is damaged, there is an error and no data.
func Unpack(ctx context.Context, data []byte, budget format.Budget) (inner []byte, name string, err error) {
	ctx, cancel := budget.Limit(ctx)
	defer cancel()
	size := int64(-1)
	if packed.By(data) == "gzip" && len(data) >= 4 { // what is shorter is cut off
		size = int64(binary.LittleEndian.Uint32(data[len(data)-4:])) // of what was packed last, modulo 2³²
	}
	inner, name, read, err := unpackAs(ctx, data, size, budget.Bytes)
	if err == errSize {
		inner, name, _, err = unpackAs(ctx, data, read, budget.Bytes)
	}
	return inner, name, err
}

// unpackAs unpacks data, which is said to have so many bytes then, -1 for what does not say, and
// returns how many it has.
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

// unpackAll reads r to its end, which must come within max bytes.
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
		return nil, read, format.Damage(err)
	case read != size:
		return nil, read, errSize
	}
	return data, read, nil
}

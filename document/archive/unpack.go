package archive

import (
	"bytes"
	"compress/bzip2"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"

	"github.com/otisk/otisk/document/format"
)

// IsPacked reports whether data is a file that is packed by itself: by gzip, bzip2, xz or
// zstd.
func IsPacked(data []byte) bool { return packer(data) != "" }

// packers are the first bytes of what is packed by a program.
var packers = []struct{ name, start string }{
	{"gzip", "\x1f\x8b"}, {"bzip2", "BZh"}, {"xz", "\xfd7zXZ\x00"}, {"zstd", "\x28\xb5\x2f\xfd"},
}

// packer returns what data is packed by, "" for nothing that is known.
func packer(data []byte) string {
	for _, p := range packers {
		if bytes.HasPrefix(data, []byte(p.start)) && (p.name != "bzip2" || isBzip2(data)) {
			return p.name
		}
	}
	return ""
}

// isBzip2 tells what bzip2 packed from text that starts with the same letters.
func isBzip2(data []byte) bool {
	return len(data) >= 10 && (string(data[4:10]) == "1AY&SY" || string(data[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

// MostMemory is what a packed file may ask for besides its content, in bytes: what
// is packed refers to as much of what is before it.
const MostMemory = 256 << 20

// Unpack unpacks data, which is packed by itself, and returns the name that it was packed
// with, if it has one.
func Unpack(ctx context.Context, data []byte, budget format.Budget) (inner []byte, name string, err error) {
	ctx, cancel := budget.Limit(ctx)
	defer cancel()
	var from io.Reader
	switch packer(data) {
	case "bzip2":
		from = bzip2.NewReader(bytes.NewReader(data))
	case "xz":
		from, err = xz.NewReader(bytes.NewReader(data), MostMemory)
	case "zstd":
		var z *zstd.Decoder
		if z, err = zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MostMemory)); err == nil {
			defer z.Close()
		}
		from = z
	default:
		return gunzip(ctx, data, budget)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	inner, err = unpackAll(ctx, from, budget.Bytes)
	return inner, "", err
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

// gunzip unpacks what gzip packed.
func gunzip(ctx context.Context, data []byte, budget format.Budget) ([]byte, string, error) {
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
		return nil, read, format.Damage(err)
	case read != size:
		return nil, read, errSize
	}
	return data, read, nil
}

package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// accepted are the content encodings that servers are told of. What they send in
// others is undone too, but is not asked for: what was received is kept, and many
// readers of archives of the web cannot undo it (warcio 1.8 with brotli 1.2).
const accepted = "gzip, deflate"

// maxEncodings is how many encodings of one body are undone.
const maxEncodings = 3

// decode undoes the content encodings of a body, to at most limit bytes.
func decode(raw []byte, head http.Header, limit int64) ([]byte, error) {
	body, err := unpack(raw, head, limit)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("%w: %d bytes unpack to more than %d", ErrTooLarge, len(raw), limit)
	}
	return body, nil
}

// decodeStart undoes the encodings of what is the start of a body.
func decodeStart(raw []byte, head http.Header, limit int64) ([]byte, error) {
	body, err := unpack(raw, head, limit)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	return body[:min(int64(len(body)), limit)], nil
}

// unpack returns at most a byte more than limit.
func unpack(raw []byte, head http.Header, limit int64) ([]byte, error) {
	list := encodings(head)
	if len(list) == 0 || len(raw) == 0 {
		return raw, nil
	}
	if len(list) > maxEncodings {
		return nil, fmt.Errorf("%d encodings, one in another", len(list))
	}
	var r io.Reader = bytes.NewReader(raw)
	for _, name := range slices.Backward(list) {
		z, err := unpacker(name, r, limit)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if c, ok := z.(*zstd.Decoder); ok {
			defer c.Close()
		}
		r = z
	}
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return body, fmt.Errorf("%s: %w", strings.Join(list, ", "), err)
	}
	return body, nil
}

// encodings returns what a body is packed by, in the order it was done.
func encodings(head http.Header) (list []string) {
	for name := range strings.SplitSeq(strings.Join(head.Values("Content-Encoding"), ","), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
			list = append(list, name)
		}
	}
	return list
}

// unpacker returns what undoes one encoding.
func unpacker(name string, r io.Reader, limit int64) (io.Reader, error) {
	switch name {
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(limit, 8<<20))))
	case "deflate":
		// With the header of zlib, as the standard says, or without, as some do.
		b := bufio.NewReader(r)
		if h, _ := b.Peek(2); len(h) == 2 && h[0]&0x0f == 8 && (int(h[0])<<8|int(h[1]))%31 == 0 {
			return zlib.NewReader(b)
		}
		return flate.NewReader(b), nil
	}
	return nil, errors.New("not known here")
}

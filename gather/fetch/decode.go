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

	"github.com/otisk/otisk/lang/phrase"
)

// accepted is the Accept-Encoding of requests. Other encodings are decoded, too,
// but not requested: responses are kept as received, and many readers of web
// archives cannot decode them (warcio 1.8 with brotli 1.2).
const accepted = "gzip, deflate"

const maxEncodings = 3

// decode decodes the content encodings of a body. It returns an error if the
// decoded body has more than limit bytes.
func decode(raw []byte, head http.Header, limit int64) ([]byte, error) {
	body, err := unpack(raw, head, limit)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	if int64(len(body)) > limit {
		return nil, phrase.Error("gather.unpacks", "{cause}: {bytes} bytes unpack to more than {limit}", "cause", ErrTooLarge, "bytes", len(raw), "limit", limit)
	}
	return body, nil
}

// decodeStart decodes a body that may be truncated, and returns at most limit bytes.
func decodeStart(raw []byte, head http.Header, limit int64) ([]byte, error) {
	body, err := unpack(raw, head, limit)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	return body[:min(int64(len(body)), limit)], nil
}

// unpack decodes a body. It returns at most limit+1 bytes.
func unpack(raw []byte, head http.Header, limit int64) ([]byte, error) {
	list := encodings(head)
	if len(list) == 0 || len(raw) == 0 {
		return raw, nil
	}
	if len(list) > maxEncodings {
		return nil, phrase.Error("gather.encodings", "{encodings} nested encodings", "encodings", len(list))
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

// encodings returns the content encodings of a body, in the order they were applied.
func encodings(head http.Header) (list []string) {
	for name := range strings.SplitSeq(strings.Join(head.Values("Content-Encoding"), ","), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
			list = append(list, name)
		}
	}
	return list
}

// unpacker returns a reader that decodes one encoding.
func unpacker(name string, r io.Reader, limit int64) (io.Reader, error) {
	switch name {
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(limit, 8<<20))))
	case "deflate":
		// The standard requires a zlib header; some servers omit it.
		b := bufio.NewReader(r)
		if h, _ := b.Peek(2); len(h) == 2 && h[0]&0x0f == 8 && (int(h[0])<<8|int(h[1]))%31 == 0 {
			return zlib.NewReader(b)
		}
		return flate.NewReader(b), nil
	}
	return nil, phrase.Error("gather.not-supported", "not supported")
}

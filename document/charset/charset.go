// Package charset converts bytes to UTF-8.
//
// Declared encodings are often wrong, so [Decode] examines the bytes first. It guesses
// encodings by the letters that each would yield.
package charset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/otisk/otisk/document/format"
)

// Decode returns the data of src in UTF-8 and the name of its encoding. The first of these
// decides: the encoding that the source requests, a byte order mark, valid UTF-8, the declared
// encoding, a guess by the bytes. The byte order mark of UTF-8 stays, so that the text is the
// file.
func Decode(ctx context.Context, src *format.Source, declared string) ([]byte, string, error) {
	data := src.Data
	if err := format.Ended(ctx); err != nil {
		return nil, "", err
	}
	if src.Decoded != "" {
		return data, src.Decoded, nil
	}
	if src.Encoding != "" {
		return decodeAs(ctx, data, src.Encoding)
	}
	switch {
	case bytes.HasPrefix(data, format.BOM):
		return data, "utf-8", checkText(data)
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")) && len(data)%4 == 0:
		return decodeAs(ctx, data[4:], "utf-32le")
	case bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		return decodeAs(ctx, data[4:], "utf-32be")
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return decodeAs(ctx, data[2:], "utf-16le")
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return decodeAs(ctx, data[2:], "utf-16be")
	}
	if src.Stated != "" {
		if _, err := Lookup(src.Stated); err == nil {
			declared = src.Stated
		}
	}
	if declares(declared, data) {
		return decodeAs(ctx, data, declared)
	}
	if name := cmp.Or(guessUTF32(data), guessMainframe(data), guessUTF16(data)); name != "" {
		return decodeAs(ctx, data, name)
	}
	if name := shifted(data); name != "" {
		return decodeAs(ctx, data, name)
	}
	// Non-ASCII bytes are hardly ever valid UTF-8 by chance, while declarations often are
	// outdated.
	err := checkText(data)
	if !errors.Is(err, format.ErrEncoding) {
		return data, "utf-8", err
	}
	enc, unknown := Lookup(declared)
	known := declared != "" && unknown == nil && !isUnicode(enc)
	usual := known && src.Stated != "" && encodingName(enc, declared) == latin1 // mail programs use this label, and ASCII, for other encodings
	if known && !usual {
		return decodeAs(ctx, data, declared)
	}
	if name := guessDouble(data); name != "" {
		src.Guessed = &format.Guess{Encoding: name}
		return decodeAs(ctx, data, name)
	}
	if name, other := guessLegacy(data); name != "" {
		src.Guessed = &format.Guess{Encoding: name, Other: other}
		return decodeAs(ctx, data, name)
	}
	if usual {
		return decodeAs(ctx, data, declared)
	}
	return nil, "", err
}

// latin1 is the encoding with which ASCII and ISO 8859-1 are decoded, too.
const latin1 = "windows-1252"

// declares reports whether data is in the encoding of this label, which uses only ASCII bytes,
// so that only a declaration can tell it from ASCII.
func declares(label string, data []byte) bool {
	label = strings.ToLower(strings.TrimSpace(label))
	return strings.HasPrefix(label, "iso-2022-") && bytes.IndexByte(data, 0x1B) >= 0 || label == "hz-gb-2312" && bytes.Contains(data, []byte("~{")) ||
		strings.HasSuffix(label, "utf-7") && isASCII(data)
}

// Lookup returns the encoding of a label as defined for web pages or by IANA, or of a short one such as
// maccyrillic.
func Lookup(label string) (encoding.Encoding, error) {
	label = strings.ToLower(strings.TrimSpace(label))
	if mac, ok := strings.CutPrefix(label, "mac"); ok && mac != "intosh" { // as in Python, with or without a hyphen
		label = "x-mac-" + strings.TrimLeft(mac, "-_")
	}
	if enc, err := htmlindex.Get(label); err == nil && enc != encoding.Replacement {
		return enc, nil
	}
	if enc, err := ianaindex.IANA.Encoding(label); err == nil && enc != nil {
		return enc, nil
	}
	if enc := own[label]; enc != nil {
		return enc, nil
	}
	return nil, fmt.Errorf("%w: %q", format.ErrEncoding, label)
}

// MostStray is the most stray bytes that [Repair] replaces. A text with more is in another
// encoding.
const MostStray = 100

// Repair replaces the bytes of data that are not UTF-8 by U+FFFD, one by one as browsers do,
// and returns their number. ok is false if there are more than [MostStray].
func Repair(data []byte) (good []byte, stray int, ok bool) {
	good = make([]byte, 0, len(data)+2*MostStray)
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			if stray++; stray > MostStray {
				return nil, stray, false
			}
		}
		good, rest = utf8.AppendRune(good, r), rest[size:]
	}
	return good, stray, true
}

// IsUTF8 reports whether a label means UTF-8.
func IsUTF8(label string) bool {
	enc, err := Lookup(label)
	return err == nil && encodingName(enc, "") == "utf-8"
}

// isUnicode reports whether enc can be detected by its bytes alone.
func isUnicode(enc encoding.Encoding) bool {
	name := encodingName(enc, "")
	return name == "utf-8" || strings.HasPrefix(name, "utf-16") || strings.HasPrefix(name, "utf-32")
}

func encodingName(enc encoding.Encoding, label string) string {
	if name, err := htmlindex.Name(enc); err == nil {
		return name
	}
	return strings.ToLower(label)
}

// decodeAs decodes data from the encoding with this label. Invalid bytes become U+FFFD.
func decodeAs(ctx context.Context, data []byte, label string) ([]byte, string, error) {
	enc, err := Lookup(label)
	if err != nil {
		return nil, "", err
	}
	name := encodingName(enc, label)
	switch name {
	case "utf-8":
		return data, name, checkText(data)
	case "utf-16le":
		enc = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		enc = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	decoded, err := transformAll(ctx, enc.NewDecoder(), data)
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%w: %s: %w", format.ErrEncoding, name, err)
	}
	return decoded, name, checkText(decoded)
}

// piece is the number of bytes decoded between two checks of the context.
const piece = 1 << 20

// transformAll decodes data piece by piece.
func transformAll(ctx context.Context, d *encoding.Decoder, data []byte) ([]byte, error) {
	out := make([]byte, 0, len(data)+len(data)/4+64)
	for {
		if err := format.Ended(ctx); err != nil {
			return nil, err
		}
		n := min(len(data), piece)
		written, read, err := d.Transform(out[len(out):cap(out)], data[:n], n == len(data))
		out, data = out[:len(out)+written], data[read:]
		switch {
		case err == nil && len(data) == 0:
			return out, nil
		case errors.Is(err, transform.ErrShortDst):
			out = slices.Grow(out, len(data)+64)
		case err != nil && !(errors.Is(err, transform.ErrShortSrc) && read > 0):
			return nil, err
		}
	}
}

// guessUTF16 returns the form of UTF-16 of data without a byte order mark: that of a text with
// many ASCII characters, whose other bytes are 0.
func guessUTF16(data []byte) string {
	head := data[:min(len(data), format.HeadSize)&^1]
	if len(data)%2 != 0 || len(head) < 4 {
		return ""
	}
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i&1]++
		}
	}
	half := len(head) / 2
	switch {
	case zeros[1]*2 > half && zeros[0]*50 < half:
		return "utf-16le"
	case zeros[0]*2 > half && zeros[1]*50 < half:
		return "utf-16be"
	case zeros[0]+zeros[1] == 0:
		return ""
	case readable(head, unicode.LittleEndian):
		return "utf-16le"
	case readable(head, unicode.BigEndian):
		return "utf-16be"
	}
	return ""
}

// minReadable is the least share of European letters and common signs in UTF-16 without zero
// bytes: Russian has few characters with a zero byte.
const minReadable = 0.95

// readable reports whether data is text in UTF-16 of this byte order.
func readable(data []byte, order unicode.Endianness) bool {
	text, err := unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes(data)
	if err != nil {
		return false
	}
	good, all := 0, 0
	for _, r := range string(text) {
		all++
		switch {
		case r < 0x20:
			if strings.ContainsRune("\t\n\r\f", r) {
				good++
			}
		case r < 0x7F, 0xA0 <= r && r < 0x530, 0x1E00 <= r && r < 0x20D0:
			good++
		}
	}
	return float64(good) >= minReadable*float64(all)
}

// damagedUTF8 reports whether invalid UTF-8 mostly is valid: then it is a damaged text and not
// another encoding.
func damagedUTF8(data []byte) bool {
	good, bad := 0, 0
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 1:
			good += size
		}
		data = data[size:]
	}
	return good > bad
}

// XMLDeclared returns the encoding in the XML declaration at the start of head.
func XMLDeclared(head []byte) string {
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(head, format.BOM), []byte("<?xml"))
	if !ok {
		return ""
	}
	decl, _, _ := bytes.Cut(rest, []byte("?>"))
	_, value, ok := strings.Cut(string(decl), "encoding=")
	if !ok || len(value) < 2 {
		return ""
	}
	label, _, _ := strings.Cut(value[1:], value[:1])
	return label
}

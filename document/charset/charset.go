// Package charset turns bytes into UTF-8.
//
// What a file says of its characters is often wrong, so [Decode] believes the
// bytes first. Which of the encodings of one byte a character they are in is guessed
// by the letters that each would make of them.
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

// Decode returns the data of src in UTF-8 and the name of the encoding it was in. What
// the source asks for counts before a byte order mark, that before valid UTF-8, that
// before what the format declares, that before what the bytes look like. The byte order mark of UTF-8
// stays, since the text is then the file.
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
	if _, err := Lookup(src.Stated); src.Stated != "" && err == nil {
		declared = src.Stated
	}
	if declares(declared, data) {
		return decodeAs(ctx, data, declared)
	}
	if name := cmp.Or(guessUTF32(data), guessMainframe(data), guessUTF16(data)); name != "" {
		return decodeAs(ctx, data, name)
	}
	// Bytes above ASCII that are UTF-8 by chance do not happen, declarations
	// that stayed when a page was saved again do.
	err := checkText(data)
	if !errors.Is(err, format.ErrEncoding) {
		return data, "utf-8", err
	}
	enc, unknown := Lookup(declared)
	known := declared != "" && unknown == nil && !isUnicode(enc)
	usual := known && src.Stated != "" && encodingName(enc, declared) == latin1 // mail programs write this label, and ASCII, over other encodings
	if known && !usual {
		return decodeAs(ctx, data, declared)
	}
	if name := guessLegacy(data); name != "" {
		return decodeAs(ctx, data, name)
	}
	if usual {
		return decodeAs(ctx, data, declared)
	}
	return nil, "", err
}

// latin1 is what ASCII and ISO 8859-1 are read as, too.
const latin1 = "windows-1252"

// declares reports whether data is in an encoding of that label whose bytes are all
// ASCII: it cannot be told from ASCII but by what is declared.
func declares(label string, data []byte) bool {
	label = strings.ToLower(strings.TrimSpace(label))
	return strings.HasPrefix(label, "iso-2022-") && bytes.IndexByte(data, 0x1B) >= 0
}

// Lookup returns the encoding of a label, as web pages use it or as IANA has
// it.
func Lookup(label string) (encoding.Encoding, error) {
	if enc, err := htmlindex.Get(label); err == nil {
		return enc, nil
	}
	if enc, err := ianaindex.IANA.Encoding(strings.TrimSpace(label)); err == nil && enc != nil {
		return enc, nil
	}
	if enc := own[strings.ToLower(strings.TrimSpace(label))]; enc != nil {
		return enc, nil
	}
	return nil, fmt.Errorf("%w: %q", format.ErrEncoding, label)
}

// isUnicode reports whether enc is one whose bytes show it by themselves.
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

// decodeAs decodes data from the encoding of that label. Bytes that have no
// meaning in it become U+FFFD.
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

// piece is how much is decoded between two looks at the context.
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

// guessUTF16 names the form of UTF-16 that data without a byte order mark is
// in: that of a text with many ASCII characters, whose other bytes are 0.
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

// minReadable is the share of characters of the alphabets of Europe and of
// common signs from which UTF-16 is taken for text: Russian has few characters
// with a zero.
const minReadable = 0.95

// readable reports whether data is text in UTF-16 of that order.
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

// damagedUTF8 reports whether data, which is not UTF-8, mostly is: then it is
// a damaged text and no other encoding.
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

// XMLDeclared returns what the XML declaration at the start of head declares.
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

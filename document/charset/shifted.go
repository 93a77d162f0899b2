package charset

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/transform"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

var (
	hzText   = format.Pattern(`~\{((?:[!-}][!-~])+)~\}`)
	utf7Text = format.Pattern(`\+([A-Za-z0-9+/]{3,})`)
)

// escapes are sequences of encodings that switch between scripts, in the order in which they are looked for.
var escapes = []struct{ sequence, name string }{
	{"\x1b$B", "iso-2022-jp"}, {"\x1b$@", "iso-2022-jp"}, {"\x1b$)C", "iso-2022-kr"}, {"\x1b$)A", "iso-2022-cn"}, {"\x1b$)G", "iso-2022-cn"},
}

// leastShifted is the number of places in HZ or UTF-7 that are no chance.
const leastShifted = 5

// shifted returns the encoding of data whose ASCII bytes mean letters of other scripts, "" if they mean
// ASCII. Some of the encodings that it returns are not supported.
func shifted(data []byte) string {
	if !isASCII(data) {
		return ""
	}
	if first := bytes.IndexByte(data, 0x1b); first >= 0 {
		for _, x := range escapes {
			if bytes.Contains(data[first:], []byte(x.sequence)) {
				return x.name
			}
		}
	}
	if pieces := hzText().FindAll(format.Head(data[max(bytes.Index(data, []byte("~{")), 0):]), -1); len(pieces) >= leastShifted || isChinese(pieces) {
		return "hz-gb-2312"
	}
	if bytes.Count(data, []byte("+")) < leastShifted {
		return ""
	}
	found := lists.Count(utf7Text().FindAllSubmatch(data, -1), func(m [][]byte) bool { return foreignLetters(m[1]) })
	if found >= leastShifted && 2*found > bytes.Count(data, []byte("+")) {
		return "utf-7"
	}
	return ""
}

// isChinese reports whether pieces in HZ have frequent characters of Chinese.
func isChinese(pieces [][]byte) bool {
	text, err := simplifiedchinese.HZGB2312.NewDecoder().Bytes(bytes.Join(pieces, nil))
	usual := lists.Runes(string(text), func(r rune) bool { return strings.ContainsRune(simplified, r) })
	return err == nil && usual >= fewest && float64(usual) > leastUsual*float64(utf8.RuneCount(text))
}

// foreignLetters reports whether a piece of UTF-7 is letters that ASCII does not have, of scripts with alphabets: a word
// after a plus sign may mean Chinese.
func foreignLetters(piece []byte) bool {
	text, ok := sevenBits(piece)
	for _, r := range text {
		ok = ok && r >= utf8.RuneSelf && r < 0x2000 && unicode.IsLetter(r)
	}
	return ok
}

// sevenBits decodes a piece of UTF-7 between the signs around it.
func sevenBits(piece []byte) (text []rune, ok bool) {
	data, err := base64.RawStdEncoding.Strict().DecodeString(string(piece))
	if err != nil || len(data)%2 != 0 {
		return nil, false
	}
	units := make([]uint16, len(data)/2)
	_, _ = binary.Decode(data, binary.BigEndian, units)
	return utf16.Decode(units), true
}

// utf7 is UTF-7 (RFC 2152). Sequences that are not valid stay as they are.
type utf7 struct{ transform.NopResetter }

func (utf7) NewDecoder() *encoding.Decoder { return &encoding.Decoder{Transformer: utf7{}} }

func (utf7) NewEncoder() *encoding.Encoder { return encoding.Nop.NewEncoder() }

// Transform implements [transform.Transformer].
func (utf7) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	for read < len(src) {
		piece, size := src[read:read+1], 1
		if piece[0] == '+' {
			end := read + 1 + bytes.IndexFunc(src[read+1:], func(r rune) bool { return !strings.ContainsRune(base64Letters, r) })
			if end == read && !atEOF {
				return written, read, transform.ErrShortSrc
			} else if end == read {
				end = len(src)
			}
			piece, size = src[read:end], end-read
			if text, ok := sevenBits(piece[1:]); ok {
				if size > 1 {
					piece = []byte(string(text))
				}
				if end < len(src) && src[end] == '-' {
					size++
				}
			}
		}
		if len(dst)-written < len(piece) {
			return written, read, transform.ErrShortDst
		}
		written, read = written+copy(dst[written:], piece), read+size
	}
	return written, read, nil
}

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

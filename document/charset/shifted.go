package charset

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/lists"
)

var (
	hzText   = format.Pattern(`~\{((?:[!-}][!-~])+)~\}`)
	utf7Text = format.Pattern(`\+([A-Za-z0-9+/]{3,})-`)
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

// foreignLetters reports whether a piece of UTF-7 is letters that ASCII does not have.
func foreignLetters(piece []byte) bool {
	units, err := base64.RawStdEncoding.DecodeString(string(piece))
	if err != nil || len(units)%2 != 0 {
		return false
	}
	var text []uint16
	for ; len(units) > 0; units = units[2:] {
		text = append(text, binary.BigEndian.Uint16(units))
	}
	return !slices.ContainsFunc(utf16.Decode(text), func(r rune) bool { return r < utf8.RuneSelf || !unicode.IsLetter(r) })
}

package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/otisk/otisk/internal/lists"
)

// Metadata of a PDF is in UTF-16 or in PDFDocEncoding, where many programs put bytes of
// another encoding: T1, Windows or UTF-8. «Ověření» then becomes «Ov¥°ení». The words of the
// text show which encoding it was.

// pdfCode are the characters of PDFDocEncoding that differ from Latin 1.
var pdfCode = func() map[rune]byte {
	m := map[rune]byte{'€': 0xA0}
	for at, list := range map[byte]string{0x18: "˘ˇˆ˙˝˛˚˜", 0x80: "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž"} {
		for _, r := range list {
			m[r] = at
			at++
		}
	}
	return m
}()

// statedCodes decode bytes that were read as PDFDocEncoding.
var statedCodes = []func(raw []byte) string{
	func(raw []byte) string {
		if !utf8.Valid(raw) {
			return ""
		}
		return string(raw)
	},
	func(raw []byte) string {
		latin := lists.Map(raw, func(b byte) rune { return rune(b) })
		return fromCork(string(latin))
	},
	decoder(charmap.Windows1250),
	decoder(charmap.ISO8859_2),
	decoder(charmap.Windows1252),
}

func decoder(code *charmap.Charmap) func(raw []byte) string {
	return func(raw []byte) string {
		var b strings.Builder
		for _, c := range raw {
			b.WriteRune(code.DecodeByte(c))
		}
		return b.String()
	}
}

// mendStated decodes a title or a name with the encoding that makes most of its non-ASCII words
// occur in the text. If the stated encoding is as good as any, it is retained.
func mendStated(s, text string) string {
	raw, ok := pdfBytes(s)
	if !ok {
		return s
	}
	words := map[string]bool{}
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		words[strings.TrimFunc(w, notLetter)] = true
	}
	best, most := s, known(s, words)
	for _, read := range statedCodes {
		if other := read(raw); known(other, words) > most {
			best, most = other, known(other, words)
		}
	}
	return best
}

// pdfBytes returns the bytes of s in PDFDocEncoding; ok is false if they are all ASCII or s
// has other characters.
func pdfBytes(s string) (raw []byte, ok bool) {
	for _, r := range s {
		b, special := pdfCode[r]
		switch {
		case special:
		case r > 0xFF:
			return nil, false
		default:
			b = byte(r)
		}
		ok = ok || b >= utf8.RuneSelf
		raw = append(raw, b)
	}
	return raw, ok
}

// known counts the non-ASCII words of a title that occur in the text.
func known(title string, words map[string]bool) (n int) {
	for w := range strings.FieldsSeq(strings.ToLower(title)) {
		w = strings.TrimFunc(w, notLetter)
		if strings.ContainsFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) && words[w] {
			n++
		}
	}
	return n
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

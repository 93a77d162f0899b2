package charset

import (
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// single are the single-byte code pages.
var single = map[int]byteCode{
	437: charmap.CodePage437, 720: arabicTable, 737: greekTable, 775: balticTable, 850: charmap.CodePage850, 852: charmap.CodePage852, 855: charmap.CodePage855, 857: turkishTable, 858: charmap.CodePage858,
	860: charmap.CodePage860, 861: icelandicTable, 862: charmap.CodePage862, 863: charmap.CodePage863, 864: arabicFormsTable, 865: charmap.CodePage865, 866: charmap.CodePage866, 874: charmap.Windows874, 1125: ukrainianTable,
	1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252, 1253: charmap.Windows1253, 1254: charmap.Windows1254,
	1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258,
	10000: charmap.Macintosh, 10006: macGreekTable, 10007: charmap.MacintoshCyrillic, 10010: macRomanianTable, 10029: macCentralTable, 10079: macIcelandTable, 10081: macTurkishTable,
	20866: charmap.KOI8R, 21866: charmap.KOI8U, 28591: charmap.ISO8859_1, 28592: charmap.ISO8859_2, 28593: charmap.ISO8859_3, 28594: charmap.ISO8859_4,
	28595: charmap.ISO8859_5, 28596: charmap.ISO8859_6, 28597: charmap.ISO8859_7, 28598: charmap.ISO8859_8, 28599: charmap.ISO8859_9, 28605: charmap.ISO8859_15,
}

// double are the code pages with one or two bytes a character.
var double = map[int]encoding.Encoding{
	932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
}

// utf8Page is the code page of UTF-8.
const utf8Page = 65001

// HasPage reports whether the code page with this number is supported.
func HasPage(page int) bool {
	return single[page] != nil || double[page] != nil || page == utf8Page
}

// FromPage decodes the character at the start of b in a supported code page. ok is false if it
// needs more bytes.
func FromPage(page int, b []byte) (r rune, ok bool) {
	switch {
	case b[0] < utf8.RuneSelf:
		return rune(b[0]), true
	case page == utf8Page:
		r, _ = utf8.DecodeRune(b)
		return r, utf8.FullRune(b)
	case single[page] != nil:
		return single[page].DecodeByte(b[0]), true
	}
	s, err := double[page].NewDecoder().Bytes(b)
	if r, _ = utf8.DecodeRune(s); err != nil || len(s) == 0 {
		r = utf8.RuneError
	}
	return r, r != utf8.RuneError || len(b) > 1
}

// PageString decodes text in a code page. Unsupported code pages are read as Windows-1252.
func PageString(page int, b []byte) string {
	if !HasPage(page) {
		page = 1252
	}
	var text []rune
	for start, i := 0, 1; i <= len(b); i++ {
		if r, ok := FromPage(page, b[start:i]); ok || i == len(b) {
			text, start = append(text, r), i
		}
	}
	return string(text)
}

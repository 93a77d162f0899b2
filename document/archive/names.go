package archive

import (
	"archive/zip"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/internal/lists"
)

// Zip archives that do not declare UTF-8 have names in the code page of the computer that wrote
// them. It is not stated, so it is the one in which the names look most like words.

// namePages are the code pages of names, those of Windows Explorer first. Of two that fit equally
// well, the first counts.
var namePages = []int{852, 850, 437, 866, 737, 857, 775, 1250, 1252, 1251, 1254, 1253, 1257, 28592, 20866, 932, 936, 950, 949}

// alphabets are the letters of languages beyond those of English.
var alphabets = []string{
	"áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "ăâîșțşţ", "čćđšž", "äöüß", "àâæçèéêëîïôœùûüÿ",
	"áéíñóúü¿¡", "àáâãçéêíóôõúü", "àèéìíòóùú", "æøå", "äöå", "çğıiöşü", "ąčęėįšųūž", "āčēģīķļņšūž", "áðéíóúýþæö",
	"абвгдежзийклмнопрстуфхцчшщъыьэюяё", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", "абвгдђежзијклљмнњопрстћуфхцчџш", "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώ",
	"的一是不了在人有我他这中大来上个国和说们为子年时会学生论文件文献资料新建报告课程设计毕业作业第章",
	"的一是不了在人有我他這中大來上個國和說們為子年時會學生論文件文獻資料新增報告課程設計畢業作業第章",
	"卒業論文資料報告書第章年月日学生研究新規本文参考文献",
	"이다는을의에가고하지한기로사리은도자대인정시아부일서과보장제나전어주문수논공학생글본결안구용연습새",
}

// usual are the most frequent letters of Russian, by which text in KOI8-R differs from that in Windows-1251.
const usual = "оеаинтсрвл"

// rename decodes the names of members to UTF-8, from encoding if it is not empty and fits, and
// replaces the separators of Windows. If one name without a declaration is not UTF-8, none is.
func rename(files []*zip.File, encoding string) {
	var undeclared []*zip.File
	foreign := false
	for _, f := range files {
		if name, ok := unicodeName(f); ok {
			f.Name = name
		} else if f.Flags&declaresUTF8 == 0 || !utf8.ValidString(f.Name) {
			undeclared = append(undeclared, f)
			foreign = foreign || !utf8.ValidString(f.Name)
		}
	}
	if foreign {
		names := lists.Map(undeclared, func(f *zip.File) string { return f.Name })
		decode := decoderOf(names, encoding)
		for _, f := range undeclared {
			f.Name = decode(f.Name)
		}
	}
	for _, f := range files {
		f.Name = strings.ReplaceAll(f.Name, `\`, "/")
	}
}

// declaresUTF8 is the flag of members with names in UTF-8.
const declaresUTF8 = 1 << 11

// Fields of the extra data of a member with its name in UTF-8: an id and a size of two bytes each,
// a version, the checksum of the name that it replaces, and the name.
const (
	unicodeNameID   = 0x7075
	unicodeNameHead = 1 + 4
)

// unicodeName returns the name in UTF-8 that the extra data of a member state.
func unicodeName(f *zip.File) (string, bool) {
	for extra := f.Extra; len(extra) >= 4; {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; size > len(extra) {
			break
		}
		field := extra[:size]
		extra = extra[size:]
		if id == unicodeNameID && size > unicodeNameHead && binary.LittleEndian.Uint32(field[1:]) == crc32.ChecksumIEEE([]byte(f.Name)) && utf8.Valid(field[unicodeNameHead:]) {
			return string(field[unicodeNameHead:]), true
		}
	}
	return "", false
}

// decoderOf returns a function that decodes the names of members.
func decoderOf(names []string, encoding string) func(string) string {
	if enc, err := charset.Lookup(encoding); encoding != "" && err == nil && !charset.IsUTF8(encoding) {
		return func(name string) string {
			s, err := enc.NewDecoder().String(name)
			if err != nil {
				return strings.ToValidUTF8(name, "\ufffd")
			}
			return s
		}
	}
	best, most := 0, 0
	for _, page := range namePages {
		score := 0
		for _, alphabet := range alphabets {
			sum := lists.Sum(names[:min(len(names), maxScored)], func(name string) int { return likeness(charset.PageString(page, []byte(name)), alphabet) })
			if alphabet == alphabets[0] || sum > score {
				score = sum
			}
		}
		if best == 0 || score > most {
			best, most = page, score
		}
	}
	return func(name string) string { return charset.PageString(best, []byte(name)) }
}

// maxScored is the number of names that decide on the code page.
const maxScored = 1000

// likeness rates how much the letters of a name beyond ASCII look like those of a language.
func likeness(name, alphabet string) (score int) {
	before := ' '
	for _, r := range name {
		switch lower := unicode.ToLower(r); {
		case unicode.IsLetter(r) && unicode.IsLetter(before) && wide(r) != wide(before):
			score -= 8 // half a character of two bytes
		case r < utf8.RuneSelf:
		case wide(r) && (unicode.In(r, unicode.Hiragana, unicode.Katakana) || strings.ContainsRune(alphabet, r)):
			score += 8
		case wide(r):
			score += 3
		case !unicode.IsLetter(r):
			score -= 3
		case unicode.IsUpper(r) && unicode.IsLower(before), unicode.IsLetter(before) && unicode.Is(unicode.Latin, r) != unicode.Is(unicode.Latin, before):
			score -= 2
		case strings.ContainsRune(alphabet, lower):
			score += 4
			if strings.ContainsRune(usual, lower) {
				score++
			}
			if unicode.IsUpper(r) && !unicode.IsLetter(before) {
				score++
			}
		}
		before = r
	}
	return score
}

// wide reports whether r is a character of Chinese, Japanese or Korean, which the code pages of these have in
// two bytes.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) && r < 0xFF00
}

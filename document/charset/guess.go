package charset

import (
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// guessSample is the number of non-ASCII bytes examined to guess an encoding.
const guessSample = 64 << 10

// minFit is the least share of non-ASCII letters that must belong to one language: texts quote
// other languages.
const minFit = 0.85

// candidates are the encodings that are distinguished, the likelier first: two that fit a text
// equally well mostly decode it alike.
var candidates = []struct {
	name      string
	chars     byteCode
	languages []string // non-ASCII letters of each language, in lower case
}{
	{"windows-1250", charmap.Windows1250, central},
	{"iso-8859-2", charmap.ISO8859_2, central},
	{"windows-1252", charmap.Windows1252, western},
	{"windows-1251", charmap.Windows1251, cyrillic},
	{"koi8-r", charmap.KOI8R, cyrillic},
	{"ibm852", charmap.CodePage852, central},
	{"ibm866", charmap.CodePage866, cyrillic},
	{"windows-1256", charmap.Windows1256, arabic},
	{"x-mac-ce", macCentralTable, central},
}

// A byteCode is a single-byte encoding.
type byteCode interface {
	DecodeByte(b byte) rune
}

var (
	central = []string{
		"áčďéěíňóřšťúůýž",   // Czech
		"áäčďéíĺľňóôŕšťúýž", // Slovak
		"ąćęłńóśźż",         // Polish
		"áéíóöőúüű",         // Hungarian
		"čćđšž",             // Croatian, Slovene
		"ăâîşţ",             // Romanian
		"äöüß",              // German
	}
	western = []string{
		"äöüß",            // German
		"àâæçéèêëîïôœùûü", // French
		"áéíñóúü",         // Spanish
		"àèéìîòù",         // Italian
		"áâãàçéêíóôõú",    // Portuguese
		"æøåéòôäöü",       // Danish, Norwegian, Swedish, Finnish
		"éëïèöü",          // Dutch
	}
	cyrillic = []string{
		"абвгдежзийклмнопрстуфхцчшщъыьэюяё", // Russian, Bulgarian
		"абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", // Ukrainian
	}
)

// arabic has the vowel marks, which few texts use, and the letters of Persian and Urdu.
var arabic = []string{"ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيـًٌٍَُِّْ،؛؟پچژگکہھ\u200c\u200d\u200e\u200f"}

// guessLegacy returns the single-byte encoding of data, "" if none fits. Windows-1250 and ISO
// 8859-2 differ in few letters, among them š, ť and ž; each candidate is rated by the share of
// its non-ASCII letters that belong to one language.
func guessLegacy(data []byte) string {
	if damagedUTF8(data) {
		return ""
	}
	best, name := minFit, ""
	for _, c := range candidates {
		if f := fit(data, c.chars, c.languages); f > best {
			best, name = f, c.name
		}
	}
	return name
}

// fit returns the share of non-ASCII letters that belong to the language with the largest
// share. Control characters, symbols and capital letters inside words, which texts do not
// have, count against it.
func fit(data []byte, chars byteCode, languages []string) float64 {
	in := membership(languages)
	hits := make([]int, len(languages))
	seen, letters := 0, 0
	previous := ' '
	for i := 0; i < len(data) && seen < guessSample; i++ {
		r := chars.DecodeByte(data[i])
		before := previous
		previous = r
		if data[i] < 0x80 {
			continue
		}
		seen++
		if typographic(r, before) {
			continue
		}
		letters++
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			continue
		}
		for l, mask := 0, in[unicode.ToLower(r)]; mask != 0; l, mask = l+1, mask>>1 {
			hits[l] += int(mask & 1)
		}
	}
	if letters == 0 {
		// Only quotes and dashes: an encoding that has them explains the bytes
		return 1
	}
	best := 0
	for _, h := range hits {
		best = max(best, h)
	}
	return float64(best) / float64(letters)
}

// membership maps each letter to a bit set of the languages that use it.
func membership(languages []string) map[rune]uint16 {
	in := map[rune]uint16{}
	for l, alphabet := range languages {
		for _, r := range alphabet {
			in[r] |= 1 << l
		}
	}
	return in
}

// typographic reports whether r is a punctuation mark of any language at a plausible place:
// inside a word it is a misread letter.
func typographic(r, before rune) bool {
	switch r {
	case '’', '‘', '\u00a0', '\u00ad':
		return true
	case '“', '”', '„', '‚', '–', '—', '…', '•', '«', '»', '§', '°', '©', '®', '™', '€', '×', '†', '‹', '›', '¿', '¡':
		return !unicode.IsLower(before) || r == '“' || r == '”' || r == '–' || r == '—' || r == '…' || r == '»' || r == '›'
	}
	return false
}

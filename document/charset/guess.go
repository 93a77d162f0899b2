package charset

import (
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// guessSample is how many bytes above ASCII are looked at to guess an encoding.
const guessSample = 64 << 10

// minFit is the share of letters above ASCII that must belong to one language
// for an encoding to be taken: texts quote other languages.
const minFit = 0.85

// candidates are the encodings that are distinguished, the likelier
// first: where two fit a text equally well they mostly decode it alike.
var candidates = []struct {
	name      string
	chars     byteCode
	languages []string // letters above ASCII of each language, in lower case
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

// A byteCode is an encoding of one byte a character.
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

// arabic has the marks for vowels, which few texts have, and the letters of Persian and Urdu.
var arabic = []string{"ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيـًٌٍَُِّْ،؛؟پچژگکہھ\u200c\u200d\u200e\u200f"}

// guessLegacy names the encoding of one byte a character that data is in, ""
// where none fits. Windows-1250 and ISO 8859-2 differ in few letters, š, ť and
// ž among them; each reading is measured by how many of its letters above ASCII
// belong to one language.
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

// fit returns the share of the letters above ASCII that belong to the language
// which most of them belong to. What no text has counts against it: control
// characters, symbols and capital letters inside a word.
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
		// Quotes and dashes only: an encoding that has them explains the bytes.
		return 1
	}
	best := 0
	for _, h := range hits {
		best = max(best, h)
	}
	return float64(best) / float64(letters)
}

// membership returns for each letter the languages that have it, as bits.
func membership(languages []string) map[rune]uint16 {
	in := map[rune]uint16{}
	for l, alphabet := range languages {
		for _, r := range alphabet {
			in[r] |= 1 << l
		}
	}
	return in
}

// typographic reports whether r is a sign that texts of any language have, at a
// place where it may be: such a sign inside a word is a letter misread.
func typographic(r, before rune) bool {
	switch r {
	case '’', '‘', '\u00a0', '\u00ad':
		return true
	case '“', '”', '„', '‚', '–', '—', '…', '•', '«', '»', '§', '°', '©', '®', '™', '€', '×', '†', '‹', '›', '¿', '¡':
		return !unicode.IsLower(before) || r == '“' || r == '”' || r == '–' || r == '—' || r == '…' || r == '»' || r == '›'
	}
	return false
}

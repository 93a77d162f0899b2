package charset

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// guessSample is the number of non-ASCII bytes examined to guess an encoding.
const guessSample = 64 << 10

// minFit is the least share of non-ASCII letters that must belong to one language: texts quote
// other languages.
const minFit = 0.85

// leastLead is how much better than another encoding a guessed one must fit, or the guess is unsure.
const leastLead = 0.02

// rankWeight is the weight of the frequency of letters in the fit of an encoding of an alphabet other
// than Latin: nearly all bytes of a text in Greek, Hebrew or Russian are letters of the other two.
const (
	rankWeight    = 0.2
	capitalWeight = 0.05 // of the share of capitals after capitals
	usualLetters  = 30   // letters of an alphabet
)

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
	{"koi8-u", charmap.KOI8U, cyrillic},
	{"ibm852", charmap.CodePage852, central},
	{"ibm866", charmap.CodePage866, cyrillic},
	{"cp1125", ukrainianTable, cyrillic},
	{"cp720", arabicTable, arabic},
	{"ibm862", charmap.CodePage862, hebrew},
	{"windows-1256", charmap.Windows1256, arabic},
	{"x-mac-ce", macCentralTable, central},
	{"windows-1257", charmap.Windows1257, baltic},
	{"iso-8859-13", charmap.ISO8859_13, baltic},
	{"windows-1254", charmap.Windows1254, turkish}, // and ISO 8859-9
	{"windows-1253", charmap.Windows1253, greek},
	{"iso-8859-7", charmap.ISO8859_7, greek},
	{"windows-1255", charmap.Windows1255, hebrew}, // and ISO 8859-8
	{"iso-8859-5", charmap.ISO8859_5, cyrillic},
	{"x-mac-cyrillic", charmap.MacintoshCyrillic, cyrillic},
	{"iso-8859-15", charmap.ISO8859_15, western},
	{"macintosh", charmap.Macintosh, western},
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
		"áæðéíóöúýþ",      // Icelandic
		"éëïèöü",          // Dutch
	}
	baltic = []string{
		"ąčęėįšųūž",   // Lithuanian
		"āčēģīķļņšūž", // Latvian
		"äõöüšž",      // Estonian
	}
	turkish = []string{"âçğıiîöşûü"}

	// The letters of these are in the order of their frequency.
	cyrillic = []string{
		"оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", // Russian
		"оаниівтерслкудмпзяьбгйчхцїжєюшфщґ", // Ukrainian
		"аоиетнрсвлкдпмзяъугбчйжщцхшюьф",    // Bulgarian
		"аоиенрсјтудквмплзгбљњчцћшхжџђф",    // Serbian
	}
	greek  = []string{"αοιετσνηυρπκμλςωίόάγέδχήθφβύώξζψϊϋ"}
	hebrew = []string{"יוהלארתבשמנדעחקפכטזגסםצןףךץ"}
)

// arabic has the vowel marks, which few texts use, and the letters of Persian and Urdu.
var arabic = []string{"اليمنوترهبعدسفكقةحجأىشصطخءضذزثغئإظآؤـًٌٍَُِّْ،؛؟پچژگکہھ\u200c\u200d\u200e\u200f"}

// guessLegacy returns the single-byte encoding of data, "" if none fits, and another one that fits
// about as well and decodes data differently, "" if there is none. Windows-1250 and ISO
// 8859-2 differ in few letters, among them š, ť and ž; each candidate is rated by the share of
// its non-ASCII letters that belong to one language.
func guessLegacy(data []byte) (name, other string) {
	if damagedUTF8(data) {
		return "", ""
	}
	scores := make([]float64, len(candidates))
	best := -1
	for i, c := range candidates {
		scores[i] = fit(data, c.chars, c.languages)
		if scores[i] > 0 && (best < 0 || scores[i] > scores[best]) {
			best = i
		}
	}
	if best < 0 {
		return "", ""
	}
	used := [256]bool{}
	for _, b := range data[:min(len(data), guessSample)] {
		used[b] = true
	}
	for i, c := range candidates {
		if i != best && scores[i] > scores[best]-leastLead && differ(&used, c.chars, candidates[best].chars) {
			return candidates[best].name, c.name
		}
	}
	return candidates[best].name, ""
}

// differ reports whether two encodings decode one of the used bytes differently.
func differ(used *[256]bool, a, b byteCode) bool {
	for i, ok := range used {
		if ok && a.DecodeByte(byte(i)) != b.DecodeByte(byte(i)) {
			return true
		}
	}
	return false
}

// fit rates an encoding by the share of non-ASCII letters that belong to the language with the largest
// share, 0 if it is less than minFit. Control characters, symbols and capital letters inside words, which
// texts do not have, count against it, and so do letters of other alphabets beside Latin ones.
func fit(data []byte, chars byteCode, languages []string) float64 {
	var counts [256]int // letters at plausible places
	alphabetic, _ := utf8.DecodeRuneInString(languages[0])
	latin := unicode.Is(unicode.Latin, alphabetic)
	seen, letters, capitals := 0, 0, 0
	word, foreign := 0, false // end of the current word, and whether most of its letters are ASCII
	for i, b := range data {
		if b < 0x80 {
			continue
		}
		if seen == guessSample {
			break
		}
		seen++
		r, before := chars.DecodeByte(b), ' '
		if i > 0 {
			before = chars.DecodeByte(data[i-1])
		}
		if typographic(r, before) {
			continue
		}
		letters++
		if i >= word && !latin {
			word, foreign = wordAt(data, i, chars)
		}
		if unicode.IsUpper(r) && unicode.IsUpper(before) {
			capitals++
		}
		if !foreign && !(unicode.IsUpper(r) && unicode.IsLower(before)) {
			counts[b]++
		}
	}
	if letters == 0 {
		// Only quotes and dashes: an encoding that has them explains the bytes
		return 1
	}
	best := 0.0
	for _, alphabet := range languages {
		ranks := ranksOf(alphabet)
		hits, sum := 0, 0
		for b, n := range counts {
			if n > 0 && b >= 0x80 {
				if rank, ok := ranks[unicode.ToLower(chars.DecodeByte(byte(b)))]; ok {
					hits, sum = hits+n, sum+n*rank
				}
			}
		}
		share := float64(hits) / float64(letters)
		if share < minFit {
			continue
		}
		if !latin {
			share -= rankWeight*float64(sum)/float64(hits*usualLetters) + capitalWeight*float64(capitals)/float64(letters)
		}
		best = max(best, share)
	}
	return best
}

// wordAt returns the end of the word around data[i], and whether most of its letters are ASCII.
func wordAt(data []byte, i int, chars byteCode) (end int, foreign bool) {
	isPart := func(b byte) bool { return unicode.IsLetter(chars.DecodeByte(b)) }
	start := i
	for start > 0 && i-start < longestWord && isPart(data[start-1]) {
		start--
	}
	for end = i; end < len(data) && end-i < longestWord && isPart(data[end]); end++ {
	}
	ascii := 0
	for _, b := range data[start:end] {
		if b < 0x80 {
			ascii++
		}
	}
	return max(end, i+1), 2*ascii > end-start
}

const longestWord = 40 // bytes examined on each side

// ranksOf returns the position of each letter in an alphabet.
func ranksOf(alphabet string) map[rune]int {
	ranks := map[rune]int{}
	for _, r := range alphabet {
		ranks[r] = len(ranks)
	}
	return ranks
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

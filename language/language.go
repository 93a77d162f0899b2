// Package language describes languages by their function words and a light stemmer for each, and
// detects the language of a text. No other package has rules for single languages.
//
// [Detect] returns the language of a text. [Of] returns a language by its code; its
// [Language.Stem] reduces the inflected forms of a word to one stem, and its
// [Language.Common] reports function words.
//
// Stems compare words, and are not for display: they have no accents, and may be cut. A
// language is added by one row in the table of this file.
package language

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/internal/lists"
)

// A Language has the names, function words and stemmer of a language.
type Language struct {
	Code string // ISO 639-1, as in cs
	ISO3 string // ISO 639-3, as in ces
	Kin  string // code of a language whose dictionaries serve this one as well, or empty

	particles string                 // what dictionaries add to a base form: articles, reflexive pronouns
	stem      func(string) string    // from a folded word
	words     func() map[string]bool // function words
	folded    func() map[string]bool // function words without accents
}

// commonWords has a block for each language: its code, and its function words in lower case with their accents.
// Function words occur in every text of a language, whatever its subject. They identify the language, and are never
// evidence of a translation. Words that several languages share are listed in each.
//
//go:embed common.txt
var commonWords string

var table = sync.OnceValue(func() []*Language {
	list := []*Language{
		{Code: "en", ISO3: "eng", particles: "the a an to be of", stem: stemEnglish},
		{Code: "cs", ISO3: "ces", particles: "se si", stem: stemCzech},
		{Code: "sk", ISO3: "slk", Kin: "cs", particles: "sa si", stem: stemCzech},
		{Code: "pl", ISO3: "pol", particles: "się", stem: stemPolish},
		{Code: "de", ISO3: "deu", particles: "der die das ein eine sich zu", stem: stemGerman},
		{Code: "fr", ISO3: "fra", particles: "le la les un une se s de", stem: snow("french")},
		{Code: "es", ISO3: "spa", particles: "el la los las un una se", stem: snow("spanish")},
		{Code: "it", ISO3: "ita", particles: "il lo la un uno una", stem: stemItalian},
		{Code: "hu", ISO3: "hun", particles: "a az egy", stem: snow("hungarian")},
		{Code: "ru", ISO3: "rus", stem: snow("russian")},
	}
	common := map[string]string{}
	for block := range strings.SplitSeq(commonWords, "\n\n") {
		code, words, _ := strings.Cut(block, "\n")
		common[code] = words
	}
	for _, l := range list {
		l.words = sync.OnceValue(func() map[string]bool {
			return lists.Set(strings.Fields(common[l.Code]))
		})
		l.folded = sync.OnceValue(func() map[string]bool {
			set := map[string]bool{}
			for w := range l.words() {
				set[Fold(w)] = true
			}
			return set
		})
	}
	return list
})

// Of returns the language with a code of ISO 639-1 or 639-3, such as cs or ces, or nil if the
// table has none. The bibliographic codes cze, slo, ger and fre are accepted.
func Of(code string) *Language {
	code = strings.ToLower(code)
	if other, ok := bibliographic[code]; ok {
		code = other
	}
	i := slices.IndexFunc(table(), func(l *Language) bool { return l.Code == code || l.ISO3 == code })
	if i < 0 {
		return nil
	}
	return table()[i]
}

var bibliographic = map[string]string{"cze": "ces", "slo": "slk", "ger": "deu", "fre": "fra"}

// Codes returns the codes of all languages of the table.
func Codes() []string {
	return lists.Map(table(), func(l *Language) string { return l.Code })
}

// Common reports whether a word, in lower case with its accents, is a function word.
func (l *Language) Common(word string) bool { return l.words()[word] }

// Particle reports whether dictionaries add this word, in lower case, to the base form of
// others, such as the article in "the house".
func (l *Language) Particle(word string) bool {
	return slices.Contains(strings.Fields(l.particles), word)
}

// Stem returns the stem of a word. Numbers are their own stems.
func (l *Language) Stem(word string) string {
	word = Fold(word)
	if word == "" || word[0] >= '0' && word[0] <= '9' {
		return word
	}
	return l.stem(word)
}

// Fold returns a word in lower case without accents, and with the letters ß, ł, ø, đ, æ and œ
// replaced by their usual transcription.
func Fold(word string) string {
	ascii := true
	for i := 0; i < len(word) && ascii; i++ {
		ascii = word[i] < 0x80
	}
	word = strings.ToLower(word)
	if ascii {
		return word
	}
	var room [64]byte
	if b, ok := appendLatin(room[:0], word); ok {
		return string(b)
	}
	return foldAny(word)
}

// foldAny folds a word in lower case.
func foldAny(word string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(word) {
		if other, ok := transcribed[r]; ok {
			b.WriteString(other)
		} else if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// appendLatin appends a word in lower case, folded; ok is false if it has other letters than those of latin.
func appendLatin(b []byte, word string) (folded []byte, ok bool) {
	list := latin()
	for _, r := range word {
		switch {
		case r < 0x80:
			b = append(b, byte(r))
		case int(r) < len(list):
			b = append(b, list[r]...)
		default:
			return nil, false
		}
	}
	return b, true
}

// latin has the folded letters of European languages, by their code points up to U+017F.
var latin = sync.OnceValue(func() *[0x180]string {
	list := new([0x180]string)
	for r := range list {
		list[r] = foldAny(string(rune(r)))
	}
	return list
})

var transcribed = map[rune]string{'ß': "ss", 'ł': "l", 'ø': "o", 'đ': "d", 'æ': "ae", 'œ': "oe", 'ı': "i"}

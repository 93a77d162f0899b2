package language

import (
	"strings"
	"unicode/utf8"

	"github.com/kljensen/snowball"
)

// The stemmers strip one ending and cut the rest, because dictionaries list base forms and texts
// have inflected ones. A cut stem joins some unrelated words, but finds more translations. The
// first ending in a list that fits is stripped, so longer ones come first. At least three bytes
// remain; four after an ending marked with +.

var (
	endingsEnglish = strings.Fields("ingly edly ings ing ies ed es ly s e y")
	endingsCzech   = strings.Fields("ejsimi ejsich ejsiho iho imu ymi imi ami emi ich ych ach ech eho emu ove ova ovi ou um am em im ym ala alo ali aly ila ilo ili ily ela elo eli ely at it et al il el la+ lo+ li+ ly+ a e i o u y")
	endingsPolish  = strings.Fields("iejszych iejszym iejsza iejsze iejszy ajacych ajacej owanie owania iego iemu ymi imi ami owie owi ach ich ych iej ego emu ala alo ali aly ila ilo ili ily om em im ym ac ic ec al il el la+ lo+ li+ ly+ ow a e i o u y")
	endingsGerman  = strings.Fields("ern en er es em e n s+ t+")
	endingsItalian = strings.Fields("amento amenti mente azione azioni ando endo ato ata ati ate ito ita iti ite are ere ire ano ono a e i o")
)

func stemEnglish(word string) string { return cut(strip(word, endingsEnglish), 6) }
func stemCzech(word string) string   { return cut(strip(word, endingsCzech), 6) }
func stemPolish(word string) string  { return cut(strip(word, endingsPolish), 6) }
func stemGerman(word string) string  { return cut(strip(word, endingsGerman), 7) }
func stemItalian(word string) string { return cut(strip(word, endingsItalian), 7) }

// strip removes the first of the endings that leaves enough of the word.
func strip(word string, endings []string) string {
	for _, end := range endings {
		least := 3
		if text, ok := strings.CutSuffix(end, "+"); ok {
			end, least = text, 4
		}
		if rest, ok := strings.CutSuffix(word, end); ok && len(rest) >= least {
			return rest
		}
	}
	return word
}

func cut(word string, n int) string {
	for i := range word {
		if n == 0 {
			return word[:i]
		}
		n--
	}
	return word
}

// snow returns a stemmer of the Snowball project.
func snow(name string) func(string) string {
	return func(word string) string {
		if !utf8.ValidString(word) {
			return word
		}
		stem, err := snowball.Stem(word, name, true)
		if err != nil || stem == "" {
			return word
		}
		return stem
	}
}

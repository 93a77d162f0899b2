package language

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// stories are the same few sentences in each language of the table.
var stories = map[string]string{
	"en": "In the morning the old man went to the market, because he had promised his daughter that he would bring her apples. The road was long and it was raining, but he did not want to return without them.",
	"cs": "Ráno šel starý muž na trh, protože slíbil své dceři, že jí přinese jablka. Cesta byla dlouhá a pršelo, ale nechtěl se vrátit bez nich. Když pak přišel do města, už tam nikdo nebyl a všechny stánky byly prázdné.",
	"sk": "Ráno išiel starý muž na trh, pretože sľúbil svojej dcére, že jej prinesie jablká. Cesta bola dlhá a pršalo, ale nechcel sa vrátiť bez nich. Keď potom prišiel do mesta, už tam nikto nebol a všetky stánky boli prázdne.",
	"pl": "Rano stary człowiek poszedł na targ, ponieważ obiecał swojej córce, że przyniesie jej jabłka. Droga była długa i padało, ale nie chciał wracać bez nich. Kiedy potem przyszedł do miasta, nikogo już tam nie było.",
	"de": "Am Morgen ging der alte Mann auf den Markt, weil er seiner Tochter versprochen hatte, dass er ihr Äpfel mitbringt. Der Weg war lang und es regnete, aber er wollte nicht ohne sie zurückkehren.",
	"fr": "Le matin, le vieil homme est allé au marché, parce qu'il avait promis à sa fille de lui apporter des pommes. La route était longue et il pleuvait, mais il ne voulait pas revenir sans elles.",
	"es": "Por la mañana el viejo fue al mercado, porque había prometido a su hija que le traería manzanas. El camino era largo y llovía, pero no quería volver a casa sin ellas.",
	"it": "La mattina il vecchio andò al mercato, perché aveva promesso alla figlia che le avrebbe portato delle mele. La strada era lunga e pioveva, ma non voleva tornare a casa senza di esse.",
	"hu": "Reggel az öreg ember a piacra ment, mert megígérte a lányának, hogy almát hoz neki. Az út hosszú volt és esett az eső, de nem akart nélkülük hazatérni. Amikor pedig a városba ért, már nem volt ott senki.",
	"ru": "Утром старик пошёл на рынок, потому что он обещал своей дочери, что принесёт ей яблоки. Дорога была длинная, и шёл дождь, но он не хотел возвращаться без них.",
}

func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func detected(words []string) string {
	if l := Detect(slices.Values(words)); l != nil {
		return l.Code
	}
	return ""
}

func TestDetect(t *testing.T) {
	t.Parallel()
	if len(stories) != len(Codes()) {
		t.Errorf("%d stories for %d languages", len(stories), len(Codes()))
	}
	for code, story := range stories {
		words := split(story)
		if got := detected(words); got != code {
			t.Errorf("the text in %s is detected as %q", code, got)
		}
		if got := detected(append(words, words...)); got != code {
			t.Errorf("twice the text in %s is detected as %q", code, got)
		}
		if got := detected(words[:leastWords-1]); got != "" {
			t.Errorf("%d words in %s are detected as %q, want none", leastWords-1, code, got)
		}
		var plain []string
		for _, w := range words {
			plain = append(plain, Fold(w))
		}
		if got := detected(plain); got != code {
			t.Errorf("the text in %s without accents is detected as %q", code, got)
		}
	}
}

// TestReset: a counter that is used again detects the language of the new text.
func TestReset(t *testing.T) {
	t.Parallel()
	var c Counter
	for _, code := range []string{"en", "de", "cs"} {
		c.Reset()
		for _, w := range split(stories[code]) {
			c.Add([]byte(w))
		}
		if l := c.Language(); l == nil || l.Code != code {
			t.Errorf("the text in %s is detected as %v after others", code, l)
		}
	}
}

// TestDetectNone: texts that are in no language of the table.
func TestDetectNone(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"names":     strings.Repeat("Novák Jan, Svobodová Marie, Smith John, Dvořák Petr, Müller Hans, ", 10),
		"figures":   strings.Repeat("12 4.5 77 1999 a b 3 ", 20),
		"one word":  strings.Repeat("the ", 100),
		"Finnish":   "Aamulla vanha mies meni torille, koska hän oli luvannut tyttärelleen, että hän toisi hänelle omenoita. Tie oli pitkä ja satoi vettä, mutta hän ei halunnut palata ilman niitä.",
		"two":       stories["en"] + " " + stories["de"],
		"no spaces": "朝、老人は市場に行きました。",
	} {
		if got := detected(split(text)); got != "" {
			t.Errorf("%s: detected as %q, want none", name, got)
		}
	}
}

func TestStem(t *testing.T) {
	t.Parallel()
	for code, groups := range map[string][]string{
		"en": {"commit commits committed committing", "house houses", "philosophy philosophies"},
		"cs": {"škola školy školu školou", "zajímavý zajímavého zajímavým", "1999"},
		"sk": {"škola školy školou", "štúdia štúdie"},
		"pl": {"szkoła szkoły szkołą", "ważny ważnego ważnym"},
		"de": {"Haus Hauses Hause", "Schule Schulen", "große großen großer"},
		"fr": {"maison maisons"}, "es": {"casa casas"}, "it": {"ragazzo ragazza ragazzi"}, "hu": {"ház házak"}, "ru": {"школа школы школу"},
	} {
		for _, group := range groups {
			words := strings.Fields(group)
			for _, w := range words[1:] {
				if a, b := Of(code).Stem(words[0]), Of(code).Stem(w); a != b || a == "" {
					t.Errorf("%s: stems of %s and %s are %q and %q", code, words[0], w, a, b)
				}
			}
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"cs": "cs", "CES": "cs", "cze": "cs", "slo": "sk", "ger": "de", "deu": "de", "xx": "", "": ""} {
		l := Of(code)
		if (l == nil) != (want == "") || l != nil && l.Code != want {
			t.Errorf("Of(%q) = %v, want %q", code, l, want)
		}
	}
	for _, code := range Codes() {
		if l := Of(code); l.Kin != "" && Of(l.Kin) == nil || Of(l.ISO3) != l {
			t.Errorf("%s: kin %q or code %q is not in the table", code, l.Kin, l.ISO3)
		}
	}
}

func FuzzStem(f *testing.F) {
	for _, w := range []string{"", "committing", "žluťoučký", "ß", "1a", "\xff", "ий", "a\u0301"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, word string) {
		for _, l := range table() {
			stem := l.Stem(word)
			if stem != l.Stem(strings.ToUpper(Fold(word))) && Fold(strings.ToUpper(Fold(word))) == Fold(word) {
				t.Errorf("%s: the stem of %q depends on case", l.Code, word)
			}
			if len(stem) > 4*len(word)+4 {
				t.Errorf("%s: the stem of %q is %q", l.Code, word, stem)
			}
		}
	})
}

// TestFoldLatin: words of Latin letters are folded as others.
func TestFoldLatin(t *testing.T) {
	t.Parallel()
	for r := range rune(0x250) {
		for _, word := range []string{string(r), "a" + string(r), string(r) + "\u0301b", "ž" + string(r) + "š"} {
			word = strings.ToLower(word)
			if got, want := Fold(word), foldAny(word); got != want {
				t.Errorf("Fold(%q) = %q, want %q", word, got, want)
			}
		}
	}
	for _, word := range []string{"\xff", "a\xc5", "é\xc5"} {
		if got, want := Fold(word), foldAny(strings.ToLower(word)); got != want {
			t.Errorf("Fold(%q) = %q, want %q", word, got, want)
		}
	}
}

// TestFunctionWordsAreNumbered: the function words of all languages have different numbers, and words that begin like
// them have none.
func TestFunctionWordsAreNumbered(t *testing.T) {
	words, seen := map[string]bool{}, map[int32]string{}
	for _, l := range table() {
		maps.Copy(words, l.words())
		maps.Copy(words, l.folded())
	}
	for w := range words {
		n, ok := listed().number([]byte(w))
		if other, twice := seen[n]; !ok || twice {
			t.Errorf("%s has number %d, %v, as has %q", w, n, ok, other)
		}
		seen[n] = w
		for _, other := range []string{w + "\x00", w + "zz", w[:len(w)-1]} {
			if n, ok := listed().number([]byte(other)); ok != words[other] {
				t.Errorf("%q has number %d, %v", other, n, ok)
			}
		}
	}
	if len(words) != len(listed().words) || 3*len(words) > len(listed().slots) {
		t.Errorf("%d words, %d numbers in %d slots", len(words), len(listed().words), len(listed().slots))
	}
}

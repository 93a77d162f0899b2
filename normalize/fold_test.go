package normalize

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// textsOf returns the words of a text by the default rules.
func textsOf(t *testing.T, text string) []string {
	t.Helper()
	words, _ := mustNew(t, DefaultRules()).Words(text, Whole)
	var list []string
	for _, w := range words {
		list = append(list, w.Text)
	}
	return list
}

// TestSpellings: two spellings of a text have the same words.
func TestSpellings(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"Arabic vowel marks", "كَتَبَ الوَلَدُ", "كتب الولد"},
		{"tatweel", "كتـــب", "كتب"},
		{"alef and yeh", "إلى أحمد", "الي احمد"},
		{"Persian letters", "کتاب فارسی", "كتاب فارسي"},
		{"Arabic presentation forms", "ﻛﺘﺐ ﻻ", "كتب لا"},
		{"Arabic digits", "١٩٤٨", "1948"},
		{"Hebrew points", "בְּרֵאשִׁית", "בראשית"},
		{"Hebrew presentation forms", "שׁלוֹם", "שלום"},
		{"Greek accents", "ἄνθρωπος ἐν τῷ κόσμῳ", "ανθρωποσ εν τω κοσμω"},
		{"Greek capitals", "ΆΝΘΡΩΠΟΣ", "ανθρωπος"},
		{"dotless i", "ısı", "isi"},
		{"dotted capital in lower case", "i\u0307stanbul", "istanbul"},
		{"stress", "за́мок и замо́к, во́дът", "замок и замок, водът"},
		{"nukta", "क़लम", "कलम"},
		{"joiners", "क्\u200dष", "क्ष"},
		{"Devanagari digits", "१९४८", "1948"},
		{"full width", "Ｗｏｒｄ９", "word9"},
		{"half width", "ｶﾞｲﾄﾞ", "ガイド"},
		{"traditional characters", "國際會議", "国际会议"},
		{"ligatures", "ﬁrst oﬃcial reﬂection, stuﬀ, aﬄuent, ﬆ, Ĳsselmeer, ǆep", "first official reflection, stuff, affluent, st, ijsselmeer, džep"},
		{"long s", "Wiſſenſchaft ẛ", "Wissenschaft ṡ"},
		{"n after an apostrophe", "ŉ man", "'n man"},
		{"raised letters", "1ª 2º 19ᵗʰ", "1a 2o 19th"},
		{"mathematical letters", "𝐰𝐨𝐫𝐝 𝟗 ℓ ℝ", "word 9 l R"},
		{"Roman numbers", "Ⅷ ⅳ", "VIII iv"},
		{"hyphens at line ends", "extensi-\nve docu\u00ad\r\n  ment certi¬\nfication Er⸗\nlangen two‐ \nfold", "extensive document certification Erlangen twofold"},
		{"compounds at line ends", "well-\nknown COVID-\n19 Jean-\nPaul", "well-known COVID-19 Jean-Paul"},
		{"radicals", "⽂⼈", "文人"},
		{"strokes", "w\u0336o\u0336rd", "word"},
		{"circles", "a\u20dd\u093eb", "a\u093eb"},
		{"dots that no language has", "wȯrd wu\u0307nd", "word wund"},
		{"vowel of Khmer that is not shown", "wo\u17b4rd", "word"},
		{"placeholder of an object", "wo\ufffcrd", "word"},
	}
	for _, tt := range tests {
		if a, b := textsOf(t, tt.a), textsOf(t, tt.b); !slices.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: words of %q are %q, of %q %q", tt.name, tt.a, a, tt.b, b)
		}
	}
}

// TestLatinForms: the table has all forms of Latin letters, and nothing that is equal to its form.
func TestLatinForms(t *testing.T) {
	for r := rune(0x80); r < 0x20000; r++ {
		letterlike := 0x2100 <= r && r < 0x2150 && unicode.IsLetter(r)
		latin := unicode.Is(unicode.Latin, r) && unicode.In(r, unicode.L, unicode.Nl)
		want := (latin || letterlike) && norm.NFKC.String(string(r)) != norm.NFC.String(string(r))
		if want && !isForm(r) || !want && unicode.Is(latinForms, r) {
			t.Errorf("%U %c: a form: %t, want %t", r, r, isForm(r), want)
		}
	}
}

// TestNotDivided: no words are joined where a hyphen or a line end does not divide one.
func TestNotDivided(t *testing.T) {
	for _, text := range []string{"pre-\nand postwar", "Haupt-\nund Nebenfach", "word -\nword", "word--\nword", "word‐-\nword", "word-\n\nword", "word-\n- word", "word¬ word", "word-\n(word)", "don'\nt"} {
		for _, w := range textsOf(t, text) {
			if !strings.Contains(strings.ToLower(text), w) {
				t.Errorf("words of %q: %q", text, textsOf(t, text))
			}
		}
	}
	words, breaks := mustNew(t, DefaultRules()).Words("a line that ends in extensi-\nve", Line)
	if len(breaks) != 2 || words[len(words)-1].Text != "ve" {
		t.Errorf("words of two paragraphs: %v, which begin at %v", words, breaks)
	}
}

// TestLatinAccentsCount: accents of Latin and Cyrillic letters make another word.
func TestLatinAccentsCount(t *testing.T) {
	for _, pair := range [][2]string{{"být", "byt"}, {"schön", "schon"}, {"all", "ałł"}, {"мой", "мои"}, {"hoà", "hoa"}} {
		if a, b := textsOf(t, pair[0]), textsOf(t, pair[1]); slices.Equal(a, b) {
			t.Errorf("words of %q and %q are both %q", pair[0], pair[1], a)
		}
	}
}

// unspacedTexts are sentences in scripts without spaces.
var unspacedTexts = map[string]string{
	"Chinese":  "人人生而自由在尊严和权利上一律平等他们赋有理性和良心并应以兄弟关系的精神相对待",
	"Japanese": "すべての人間は生まれながらにして自由でありかつ尊厳と権利とについて平等である",
	"Thai":     "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิต่างมีเหตุผลและมโนธรรม",
	"Khmer":    "មនុស្សទាំងអស់កើតមកមានសេរីភាពនិងសមភាពក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរនិងសិទ្ធិ",
	"Burmese":  "လူတိုင်းသည်တူညီလွတ်လပ်သောဂုဏ်သိက္ခာဖြင့်လည်းကောင်းတူညီလွတ်လပ်သောအခွင့်အရေးများဖြင့်လည်းကောင်း",
	"Lao":      "ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີສິດທິເສລີພາບແລະຄວາມສະເໝີພາບເທົ່າທຽມກັນ",
}

// TestUnspacedWords: words of scripts without spaces have a few characters, do not depend on
// white space or on the text around them, and a changed character changes only the words
// that touch it.
func TestUnspacedWords(t *testing.T) {
	for name, text := range unspacedTexts {
		words := textsOf(t, text)
		runes := []rune(text)
		if n := len(runes) / len(words); n < 1 || n > 6 {
			t.Errorf("%s: %d characters are %d words", name, len(runes), len(words))
		}
		for _, space := range []string{" ", "\n", "\u200b", "\u3000"} {
			var b strings.Builder
			for i, r := range runes {
				if i > 0 && i%3 == 0 && !unicode.IsMark(r) {
					b.WriteString(space)
				}
				b.WriteRune(r)
			}
			if got := textsOf(t, b.String()); !slices.Equal(got, words) {
				t.Errorf("%s with %q every three characters: words %q, want %q", name, space, got, words)
			}
		}
		around := textsOf(t, "Before. "+text+" (after)")
		if got := around[1 : len(around)-1]; !slices.Equal(got, words) {
			t.Errorf("%s between other words: %q, want %q", name, got, words)
		}
		changed := slices.Clone(runes)
		changed[len(changed)/2] = changed[0]
		if lost := len(words) - common(words, textsOf(t, string(changed))); lost > 3 {
			t.Errorf("%s: a changed character changes %d of %d words", name, lost, len(words))
		}
	}
}

// common returns the number of words in the first and last parts that two lists share.
func common(a, b []string) int {
	start, end := 0, 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start + end
}

package main

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/bench/plant"
)

// A change is a way to write a text otherwise. It returns the text as it is where it does
// not apply.
type change struct {
	name string
	of   func(text string) string
}

// changes are all ways. The names are those of the table.
var changes = []change{
	{"none", func(s string) string { return s }},
	{"capitals", strings.ToUpper},
	{"small letters", strings.ToLower},
	{"decomposed", norm.NFD.String},
	{"lines of 30 characters", wrapped},
	{"spaces between all characters", spacedOut},
	{"spaces between words", segmented},
	{"no spaces", joinedBy("")},
	{"words joined by a hyphen", joinedBy("-")},
	{"words joined by an apostrophe", joinedBy("'")},
	{"words joined by a backtick", joinedBy("`")},
	{"words joined by an underscore", joinedBy("_")},
	{"words joined in twos", inTwos},
	{"zero-width space", inside('\u200b')},
	{"soft hyphen", inside('\u00ad')},
	{"vowel of Khmer that is not shown", inside('\u17b4')},
	{"annotation of lines", inside('\ufff9')},
	{"placeholder of an object", inside('\ufffc')},
	{"musical sign that is not shown", inside('\U0001d173')},
	{"Hangul filler", inside('\u3164')},
	{"variation selector", inside('\ufe0f')},
	{"dots above vowels", marked('\u0307')},
	{"lines below vowels", marked('\u0332')},
	{"strokes through vowels", marked('\u0336')},
	{"circles around vowels", marked('\u20dd')},
	{"without marks", withoutMarks},
	{"full width", fullWidth},
	{"half width", halfWidth},
	{"presentation forms", presentation},
	{"tatweel", tatweel},
	{"variants of alef and yeh", replaced("أ", "ا", "إ", "ا", "آ", "ا", "ى", "ي", "ة", "ه")},
	{"Persian letters", replaced("ي", "ی", "ك", "ک")},
	{"dotless i", replaced("i", "ı")},
	{"dotted i", replaced("ı", "i")},
	{"joiners after a virama", replaced("्", "्\u200d", "্", "্\u200d", "్", "్\u200c", "്", "്\u200d")},
	{"without nukta", replaced("़", "", "়", "")},
	{"traditional characters", traditional},
	{"katakana", katakana},
	{"Latin letters for Cyrillic", latinized},
	{"digits of ASCII", digits},
}

func replaced(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }

// wrapped breaks lines at 30 characters: at a space if there is one, else anywhere.
func wrapped(s string) string {
	var b strings.Builder
	column := 0
	for _, p := range strings.Split(s, "\n\n") {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		column = 0
		for _, w := range strings.Fields(p) {
			for i, r := range w {
				if column >= 30 && (i == 0 || plant.IsUnspaced(r)) && !unicode.IsMark(r) {
					b.WriteByte('\n')
					column = 0
				} else if i == 0 && column > 0 {
					b.WriteByte(' ')
				}
				b.WriteRune(r)
				column++
			}
		}
	}
	return b.String()
}

// between inserts a string between the letters of a word wherever where returns true for
// the number of letters before.
func between(s, insert string, where func(n int, next rune) bool) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			n = 0
		} else if !unicode.IsMark(r) {
			if n > 0 && where(n, r) {
				b.WriteString(insert)
			}
			n++
		}
		b.WriteRune(r)
	}
	return b.String()
}

func spacedOut(s string) string { return between(s, " ", func(int, rune) bool { return true }) }

// segmented puts a space after every two letters of a script without spaces.
func segmented(s string) string {
	return between(s, " ", func(n int, next rune) bool { return n%2 == 0 && plant.IsUnspaced(next) })
}

func joinedBy(sign string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, " ", sign) }
}

// inTwos joins each two words, as compounds are in some languages.
func inTwos(s string) string {
	words := strings.Split(s, " ")
	var b strings.Builder
	for i, w := range words {
		if i > 0 && i%2 == 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// inside puts a character into each word, after its second letter.
func inside(r rune) func(string) string {
	return func(s string) string { return between(s, string(r), func(n int, _ rune) bool { return n == 2 }) }
}

// marked adds a mark to each vowel, or to each letter in scripts without vowels.
func marked(mark rune) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for _, r := range norm.NFC.String(s) {
			b.WriteRune(r)
			if strings.ContainsRune("aeiouAEIOUаеиоуіыяюєαειουω", r) || r > 0x530 && unicode.IsLetter(r) {
				b.WriteRune(mark)
			}
		}
		return b.String()
	}
}

// withoutMarks leaves out all marks: accents, vowel marks, points; not those of scripts
// whose vowels are marks.
func withoutMarks(s string) string {
	keep := func(r rune) bool { return r >= 0x0900 && r < 0x1AB0 }
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsMark(r) && !keep(r) && r != 0x3099 && r != 0x309A:
			return -1
		case r == 'đ':
			return 'd'
		case r == 'Đ':
			return 'D'
		}
		return r
	}, norm.NFD.String(s)))
}

// fullWidth writes letters and digits of ASCII as wide as Chinese ones.
func fullWidth(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7F && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r - ' ' + 0xFF00
		}
		return r
	}, s)
}

// backwards inverts the compatibility mapping of Unicode for a range: for each character that
// a character of the range is mapped to, it returns that character of the range.
func backwards(from, to rune) map[rune]rune {
	m := map[rune]rune{}
	for r := from; r <= to; r++ {
		if plain := []rune(norm.NFKC.String(string(r))); len(plain) == 1 && plain[0] != r && m[plain[0]] == 0 {
			m[plain[0]] = r
		}
	}
	return m
}

func mapped(s string, m map[rune]rune) string {
	return strings.Map(func(r rune) rune {
		if other, ok := m[r]; ok {
			return other
		}
		return r
	}, s)
}

func halfWidth(s string) string {
	m := backwards(0xFF65, 0xFF9D)
	return mapped(norm.NFD.String(mapped(s, m)), map[rune]rune{0x3099: 0xFF9E, 0x309A: 0xFF9F})
}

func presentation(s string) string { return mapped(s, backwards(0xFE80, 0xFEF4)) }

// tatweel stretches each Arabic word.
func tatweel(s string) string {
	return between(s, "ـ", func(n int, next rune) bool { return n == 1 && unicode.Is(unicode.Arabic, next) })
}

// traditional writes some of the most frequent simplified characters in their traditional form.
func traditional(s string) string {
	pairs := []rune("国國会會这這来來时時为為们們个個说說对對发發经經过過学學动動种種现現实實业業进進关關长長应應开開问問体體总總间間头頭从從无無义義与與产產见見两兩东東门門书書权權处處务務联聯报報济濟战戰统統级級强強电電员員则則组組织織护護际際选選视視认認达達须須罗羅随隨导導众眾习習请請兰蘭严嚴热熱证證亲親划劃论論医醫庭庭县縣审審迁遷讼訟离離独獨种種类類项項约約条條区區别別颁頒语語财財产產岁歲阶階层層劳勞")
	m := map[rune]rune{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return mapped(s, m)
}

// katakana writes hiragana as katakana.
func katakana(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x3041 && r <= 0x3096 {
			return r + 0x60
		}
		return r
	}, s)
}

// latinized writes Cyrillic in the Latin letters of Serbian, and of Russian and Ukrainian
// by ISO 9.
func latinized(s string) string {
	return replaced("а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "ђ", "đ", "е", "e", "ж", "ž", "з", "z", "и", "i", "ј", "j", "к", "k", "л", "l",
		"љ", "lj", "м", "m", "н", "n", "њ", "nj", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "ћ", "ć", "у", "u", "ф", "f", "х", "h", "ц", "c",
		"ч", "č", "џ", "dž", "ш", "š", "щ", "ŝ", "ы", "y", "ь", "′", "ъ", "″", "э", "è", "ю", "û", "я", "â", "й", "j", "ё", "ë", "і", "ì", "ї", "ï", "є", "ê", "ґ", "g")(strings.ToLower(s))
}

// digits writes digits of all scripts as those of ASCII.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 || !unicode.IsDigit(r) {
			return r
		}
		first := r
		for unicode.IsDigit(first - 1) {
			first--
		}
		return '0' + (r-first)%10
	}, s)
}

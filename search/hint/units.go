package hint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/fingerprint"
)

// Sizes of the units that are compared, in words.
const (
	leastUnit = 20  // a shorter paragraph is joined with the next one
	mostUnit  = 180 // a longer one is cut at ends of sentences
	cutUnit   = 120 // after which it is cut at the next end of a sentence
)

// units cuts a text into the units that are compared: paragraphs, where these have a usual length.
func units(t *Text) []Range {
	var list []Range
	for i, from := range t.Breaks {
		to := len(t.Words)
		if i+1 < len(t.Breaks) {
			to = t.Breaks[i+1]
		}
		if last := len(list) - 1; last >= 0 && list[last].Len() < leastUnit {
			from = list[last].From
			list = list[:last]
		}
		list = append(list, cut(t, Range{from, to})...)
	}
	return list
}

// cut cuts a long paragraph at ends of sentences.
func cut(t *Text, p Range) []Range {
	if p.Len() <= mostUnit {
		return []Range{p}
	}
	var list []Range
	from := p.From
	for i := p.From + 1; i < p.To; i++ {
		if i-from >= cutUnit && (endsSentence(t, i) || i-from >= mostUnit) && p.To-i >= leastUnit {
			list = append(list, Range{from, i})
			from = i
		}
	}
	return append(list, Range{from, p.To})
}

// endsSentence reports whether a sentence ends before word i: with a full stop or a similar mark, and white space unless the script has none.
func endsSentence(t *Text, i int) bool {
	between := t.Original[t.Words[i-1].End:t.Words[i].Start]
	at := strings.IndexAny(between, ".!?…。！？।؟")
	if at < 0 {
		return false
	}
	r, size := utf8.DecodeRuneInString(between[at:])
	return r > unicode.MaxLatin1 && r != '…' || strings.ContainsFunc(between[at+size:], unicode.IsSpace)
}

// formLetters is how many letters of a word are compared.
const formLetters = 6

// form returns the form by which words are compared, its first letters, "" for a word that is not compared: a number or a
// very short word, unless its script writes in syllables or whole words.
func form(word string) string {
	count := 0
	for i, r := range word {
		if unicode.IsDigit(r) {
			return ""
		}
		if count == formLetters {
			return word[:i]
		}
		count++
	}
	first, _ := utf8.DecodeRuneInString(word)
	if count <= 2 && unicode.In(first, unicode.Latin, unicode.Greek, unicode.Cyrillic) || count < 2 {
		return ""
	}
	return word
}

// A key identifies a form. It holds the bytes of the form and their number, or, of a form of more than keyBytes, the CityHash64.
// The key of the empty form is 0.
type key uint64

// keyBytes is how many bytes of a form fit into its key.
const keyBytes = 7

// keyOf returns the key of the form of a word. It is several times faster than form for words in English letters.
func keyOf(word string) key {
	if len(word) <= 2 {
		return short(word)
	}
	const one, high = 0x01010101010101, 0x80808080808080 // in each byte of letters
	letters := firstBytes(word)                          // those of the form, and the next one
	if letters&high != 0 {
		return keyOfForm(form(word))
	}
	if value := letters ^ '0'*one; (value-10*one)&^value&high != 0 { // the value of a digit is below 10
		return 0
	}
	return letters&mask(formLetters) | key(min(len(word), formLetters))<<(8*keyBytes)
}

// firstBytes returns the first bytes of a word of at least three, at most keyBytes, the first one lowest.
func firstBytes(word string) key {
	switch n := len(word); {
	case n > keyBytes:
		return (four(word) | four(word[4:])<<32) & mask(keyBytes)
	case n >= 4:
		return four(word) | four(word[n-4:])<<(8*(n-4))
	default:
		return key(word[0]) | key(word[1])<<8 | key(word[2])<<16
	}
}

// four returns the first four bytes of a word, the first one lowest.
func four(word string) key {
	return key(word[0]) | key(word[1])<<8 | key(word[2])<<16 | key(word[3])<<24
}

// mask returns the bits of the lowest n bytes.
func mask(n int) key { return 1<<(8*n) - 1 }

// short returns the key of the form of a word of at most two bytes.
func short(word string) key {
	if word != "" && word[0]|0x20 >= 'a' && word[0]|0x20 <= 'z' { // of one or two Latin letters
		return 0
	}
	return keyOfForm(form(word))
}

// keyOfForm returns the key of a form.
func keyOfForm(form string) key {
	if len(form) > keyBytes {
		var room [32]byte
		return key(fingerprint.Sum64(append(room[:0], form...)))
	}
	k := key(len(form)) << (8 * keyBytes)
	for i := range len(form) {
		k |= key(form[i]) << (8 * i)
	}
	return k
}

package hint

import (
	"strings"
	"unicode"
	"unicode/utf8"
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

// form returns the form by which words are compared, its first letters, "" for a word that is not compared: a number or a
// very short word, unless its script writes in syllables or whole words.
func form(word string) string {
	const letters = 6
	count := 0
	for i, r := range word {
		if unicode.IsDigit(r) {
			return ""
		}
		if count == letters {
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

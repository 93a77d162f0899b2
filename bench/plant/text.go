// Package plant makes texts with copied passages at known places, to measure detectors.
//
// [Parse] reads the texts: sources to copy from, hosts to copy into. A [Kind]
// copies a passage of a source in one way, [Insert] puts copies between the
// sentences of a host, and [Layout] returns the text and the place of each copy. All
// random numbers come from the caller's generator, so the same seed gives the same
// bytes.
package plant

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Text is a text and its sentences.
type Text struct {
	Name      string
	Body      string
	Sentences []Sentence
}

// A Sentence is consecutive words of one paragraph, with their place in the text.
type Sentence struct {
	Words      []string // as they are, with punctuation
	Start, End int      // byte range
	Paragraph  int      // counted from 0
}

// Parse splits a text into sentences. Paragraphs are separated by blank lines, or by line
// ends if there is no blank line.
func Parse(name, body string) *Text {
	t := &Text{Name: name, Body: body}
	separator := "\n\n"
	if !strings.Contains(body, separator) {
		separator = "\n"
	}
	at := 0
	for i, p := range strings.SplitAfter(body, separator) {
		t.parseParagraph(i, at, p)
		at += len(p)
	}
	return t
}

// parseParagraph adds the sentences of paragraph number n, which starts at at.
func (t *Text) parseParagraph(n, at int, text string) {
	words, from := fields(text)
	first := 0
	for i, w := range words {
		if i+1 < len(words) && !endsSentence(w, words[i+1]) {
			continue
		}
		t.Sentences = append(t.Sentences, Sentence{
			Words: words[first : i+1], Start: at + from[first], End: at + from[i] + len(strings.TrimPrefix(w, Glue)), Paragraph: n,
		})
		first = i + 1
	}
}

// fields returns the words between white space, and where each one starts. Text in a
// script without spaces is cut into pieces of a few characters, each after the first
// preceded by [Glue].
func fields(s string) (words []string, from []int) {
	start := -1
	for i, r := range s + " " {
		if unicode.IsSpace(r) {
			if start >= 0 {
				words, from = appendPieces(words, from, s[start:i], start)
			}
			start = -1
		} else if start < 0 {
			start = i
		}
	}
	return words, from
}

// Glue is the prefix of a word that follows its predecessor without a space.
const Glue = "\u2060"

// unspaced are the scripts without spaces, and the greatest number of characters of a piece.
var unspaced = []struct {
	scripts []*unicode.RangeTable
	most    int
}{
	{[]*unicode.RangeTable{unicode.Han}, 3},
	{[]*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}, 4},
	{[]*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}, 6},
}

// mostOf returns the greatest number of characters of a piece that begins with r, 0 if r is
// of a script with spaces.
func mostOf(r rune) int {
	for _, u := range unspaced {
		if unicode.In(r, u.scripts...) {
			return u.most
		}
	}
	return 0
}

// IsUnspaced reports whether r is of a script without spaces between words.
func IsUnspaced(r rune) bool { return mostOf(r) > 0 }

// appendPieces appends the pieces of a word that starts at offset at. The lengths are by
// chance and do not depend on the characters, so that no rule of a detector is favoured.
func appendPieces(words []string, from []int, word string, at int) ([]string, []int) {
	start, left, most := 0, 0, 0
	glue := ""
	for i, r := range word {
		m := mostOf(r)
		switch {
		case m == 0 && most == 0, unicode.IsMark(r), !unicode.IsLetter(r) && most > 0:
			continue // letters of scripts with spaces; marks and punctuation follow their word
		case m == most && left > 0:
			left--
			continue
		}
		if i > 0 {
			words, from = append(words, glue+word[start:i]), append(from, at+start)
			glue = Glue
		}
		start, most = i, m
		if m > 0 {
			left = int(uint32(at+i)*2654435761>>16) % m // by chance, but the same each time
		}
	}
	return append(words, glue+word[start:]), append(from, at+start)
}

// Fields returns the words of a text, as they are in sentences.
func Fields(text string) []string {
	words, _ := fields(text)
	return words
}

// Join joins words by spaces, except where there is glue.
func Join(words []string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.Join(words, " "), " "+Glue, ""), Glue)
}

// endsSentence reports whether a sentence ends between two words. It may split sentences
// after abbreviations, which does no harm here.
func endsSentence(word, next string) bool {
	const quotes = `"'“”„‚‘’»«)(—–-」』`
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(word, quotes))
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, quotes+Glue))
	if strings.ContainsRune("。！？।။។؟", last) {
		return true
	}
	return strings.ContainsRune(".!?…", last) && unicode.IsLetter(first) && !unicode.IsLower(first)
}

// Words returns the words of sentences, one after the other.
func Words(sentences []Sentence) []string {
	var words []string
	for _, s := range sentences {
		words = append(words, s.Words...)
	}
	return words
}

// CodePoints converts a byte range of text to offset and length in code points, as in the
// files with true passages.
func CodePoints(text string, start, end int) (offset, length int) {
	return utf8.RuneCountInString(text[:start]), utf8.RuneCountInString(text[start:end])
}

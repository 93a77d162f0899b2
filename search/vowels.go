package search

import (
	"strings"

	"github.com/otisk/otisk/normalize"
)

// vowels adds the words with marks that most texts of their script leave out, where there
// are more than a few. With a source without them they share no n-gram.
func (o *omitter) vowels(sus *suspect, open leftOver) {
	count, words, many := open.among(sus, func(word string) bool { return strings.ContainsFunc(word, normalize.MarksVowel) })
	if !many {
		return
	}
	o.add(Unsearched{Kind: UnsearchedVowels, Count: int64(count), Words: words},
		"%s vowel marks. Forms with and without them count as different words: copies from texts without vowel marks are not found; in no passage: %s",
		plural(int64(count), "word has", "words have"), plural(int64(words), "word", "words"))
}

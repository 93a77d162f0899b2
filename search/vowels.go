package search

import (
	"strings"

	"github.com/otisk/otisk/normalize"
)

// vowelShare is from which percent of the suspect's words on marks of vowels are told: a
// quoted verse is no reason.
const vowelShare = 1

// vowels adds the words with marks that most texts of their script leave out, where there
// are more than a few. With a source without them they share no n-gram.
func (o *omitter) vowels(sus *suspect, open leftOver) {
	count, words := 0, 0
	for i, w := range sus.words {
		if strings.ContainsFunc(w.Text, normalize.MarksVowel) {
			count++
			words += open.count(i, i+1)
		}
	}
	if count*100 < vowelShare*len(sus.words) {
		return
	}
	o.add(Unsearched{Kind: UnsearchedVowels, Count: int64(count), Words: words},
		"%s marks of vowels, and the word without them is another one here: copies from texts without are not found; in no passage: %s",
		plural(int64(count), "word has", "words have"), plural(int64(words), "word", "words"))
}

package search

import "unicode"

// unspaced are scripts that have no spaces between words. What is between two
// marks of punctuation is one word there, and is equal as a whole or not at all:
// a copied sentence is too few words for an n-gram.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// clauseLetters are so many letters of such a script that they are more than one word.
const clauseLetters = 6

// unspaced adds the words that are clauses of such scripts, where there are more
// than a few.
func (o *omitter) unspaced(sus *suspect, open leftOver) {
	count, words, many := open.among(sus, isClause)
	if !many {
		return
	}
	o.add(Unsearched{Kind: UnsearchedUnspaced, Count: int64(count), Words: words},
		"%s in a script without spaces between words, so that short copies are not found; in no passage: %s",
		plural(int64(count), "word is a clause", "words are clauses"), plural(int64(words), "word", "words"))
}

// isClause reports whether a word has so many letters of scripts without spaces
// that it is several words.
func isClause(word string) bool {
	if len(word) < 3*clauseLetters { // bytes: each of these letters has three or more
		return false
	}
	n := 0
	for _, r := range word {
		if unicode.In(r, unspaced...) {
			n++
		}
	}
	return n >= clauseLetters
}

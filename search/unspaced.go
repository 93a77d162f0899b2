package search

import "unicode"

// unspaced are scripts without spaces between words. In them, text between two punctuation marks is one
// word, which only matches as a whole: a copied sentence has too few words for an n-gram.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// clauseLetters is the number of letters of such a script that are certainly more than one word.
const clauseLetters = 6

// unspaced reports words that are clauses in such scripts if there are more than a few.
func (o *omitter) unspaced(sus *suspect, open leftOver) {
	count, words, many := open.among(sus, isClause)
	if !many {
		return
	}
	o.add(Unsearched{Kind: UnsearchedUnspaced, Count: int64(count), Words: words},
		"%s in a script without spaces between words, so that short copies are not found; in no passage: %s",
		plural(int64(count), "word is a clause", "words are clauses"), plural(int64(words), "word", "words"))
}

// isClause reports whether a word has at least clauseLetters letters of scripts without spaces.
func isClause(word string) bool {
	if len(word) < 3*clauseLetters { // each of these letters has at least three bytes
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

package language

import "iter"

// Figures of [Detect].
const (
	leastWords  = 20   // fewer words identify no language
	leastShare  = 0.16 // of the words that must be function words of the language
	leastLead   = 1.15 // times the function words of the next language
	mostOne     = 33   // a word counts up to once in so many words, since one frequent word is no evidence
	mostCounted = 5000 // words that are counted
)

// Detect returns the language of a text, given as its words in lower case, or nil if the text
// is too short, in none of the languages of the table, or in several of them. It counts the
// function words of each language. Words without accents are compared as they are first, and
// only if no language is found with the accents of the lists removed.
func Detect(words iter.Seq[string]) *Language {
	plain := tally(words, func(l *Language) map[string]bool { return l.words() })
	if plain != nil {
		return plain
	}
	return tally(words, func(l *Language) map[string]bool { return l.folded() })
}

// tally returns the language most of whose words occur, if it is sure.
func tally(words iter.Seq[string], listed func(*Language) map[string]bool) *Language {
	times, n := map[string]int{}, 0
	for w := range words {
		if n == mostCounted {
			break
		}
		times[w]++
		n++
	}
	if n < leastWords {
		return nil
	}
	most := max(1, n/mostOne)
	var best *Language
	first, second := 0, 0
	for _, l := range table() {
		count := 0
		for w := range listed(l) {
			count += min(times[w], most)
		}
		if count > first {
			best, first, second = l, count, first
		} else {
			second = max(second, count)
		}
	}
	if float64(first) < leastShare*float64(n) || float64(first) < leastLead*float64(second) {
		return nil
	}
	return best
}

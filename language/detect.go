package language

import (
	"iter"
	"sync"
)

// Figures of detection.
const (
	leastWords  = 20   // fewer words identify no language
	leastShare  = 0.16 // of the words that must be function words of the language
	leastLead   = 1.15 // times the function words of the next language
	mostOne     = 33   // a word counts at most once per this many words, since one frequent word is no evidence
	mostCounted = 5000 // words that are counted
)

// Detect returns the language of a text, given as its words in lower case, or nil if the text
// is too short, in none of the languages of the table, or in several of them.
func Detect(words iter.Seq[string]) *Language {
	var c Counter
	for w := range words {
		if !c.Add([]byte(w)) {
			break
		}
	}
	return c.Language()
}

// A Counter detects the language of a text from its words. It counts the function words of
// each language. The zero value is ready to use.
type Counter struct {
	words int
	times []int32 // by number of the function word
}

// Add counts the next word of the text, in lower case. It returns false if no further word is
// counted.
func (c *Counter) Add(word []byte) bool {
	if c.words == mostCounted {
		return false
	}
	if c.times == nil {
		c.times = make([]int32, len(listed().number))
	}
	c.words++
	if n, ok := listed().number[string(word)]; ok {
		c.times[n]++
	}
	return true
}

// Language returns the language of the words, or nil if [Detect] would return nil. Words
// without accents are compared as they are first, and only if no language is found with the
// accents of the lists removed.
func (c *Counter) Language() *Language {
	if c.words < leastWords {
		return nil
	}
	if l := c.most(listed().plain); l != nil {
		return l
	}
	return c.most(listed().folded)
}

// most returns the language most of whose words occur, if it is sure. lists has the numbers
// of the function words of each language.
func (c *Counter) most(lists [][]int32) *Language {
	limit := int32(max(1, c.words/mostOne))
	var best *Language
	first, second := 0, 0
	for i, l := range table() {
		count := 0
		for _, n := range lists[i] {
			count += int(min(c.times[n], limit))
		}
		if count > first {
			best, first, second = l, count, first
		} else {
			second = max(second, count)
		}
	}
	if float64(first) < leastShare*float64(c.words) || float64(first) < leastLead*float64(second) {
		return nil
	}
	return best
}

// numbered numbers the function words of all languages.
type numbered struct {
	number        map[string]int32
	plain, folded [][]int32 // of each language of the table, with and without accents
}

var listed = sync.OnceValue(func() *numbered {
	all := &numbered{number: map[string]int32{}}
	numbers := func(words map[string]bool) (list []int32) {
		for w := range words {
			n, ok := all.number[w]
			if !ok {
				n = int32(len(all.number))
				all.number[w] = n
			}
			list = append(list, n)
		}
		return list
	}
	for _, l := range table() {
		all.plain = append(all.plain, numbers(l.words()))
		all.folded = append(all.folded, numbers(l.folded()))
	}
	return all
})

package language

import (
	"encoding/binary"
	"iter"
	"sync"

	"github.com/otisk/otisk/normalize"
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
	words  int
	times  []int32 // by number of the function word
	listed *numbered
}

// Reset prepares c for another text.
func (c *Counter) Reset() {
	c.words = 0
	clear(c.times)
}

// Add counts the next word of the text, in lower case. It returns false if no further word is
// counted.
func (c *Counter) Add(word []byte) bool {
	if c.words == mostCounted {
		return false
	}
	if c.times == nil {
		c.listed = listed()
		c.times = make([]int32, len(c.listed.words))
	}
	c.words++
	if n, ok := c.listed.number(word); ok {
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
	words         []string              // by number
	slots         [1 << slotBits]uint16 // 1 + the number of a word with this hash or one before it, 0 for none
	plain, folded [][]int32             // of each language of the table, with and without accents
}

// slotBits is large enough for most of the slots to be empty, and small enough for them to stay in the cache.
const slotBits = 14

// number returns the number of a word. It is faster than a map, because most words are found or missed in one slot.
func (l *numbered) number(word []byte) (n int32, ok bool) {
	for at := slot(word); l.slots[at] > 0; at = (at + 1) % uint64(len(l.slots)) {
		if n := l.slots[at] - 1; l.words[n] == string(word) {
			return int32(n), true
		}
	}
	return 0, false
}

// slot returns the slot at which the search for a word starts. It depends on the first eight bytes of the word.
func slot(word []byte) uint64 {
	var head uint64
	if cap(word) >= 8 { // what follows a short word is read with it, and removed
		head = binary.LittleEndian.Uint64(word[:8])
		if len(word) < 8 {
			head &= 1<<(8*len(word)) - 1
		}
	} else {
		for i, c := range word {
			head |= uint64(c) << (8 * i)
		}
	}
	return head * 0x9E3779B97F4A7C15 >> (64 - slotBits)
}

// add returns the number of a word, which is a new one if the word has none.
func (l *numbered) add(word string) int32 {
	n, ok := l.number([]byte(word))
	if !ok {
		n = int32(len(l.words))
		l.words = append(l.words, word)
		at := slot([]byte(word))
		for l.slots[at] > 0 {
			at = (at + 1) % uint64(len(l.slots))
		}
		l.slots[at] = uint16(n + 1)
	}
	return n
}

var listed = sync.OnceValue(func() *numbered {
	all := new(numbered)
	numbers := func(words map[string]bool) (list []int32) {
		for w := range words {
			list = append(list, all.add(w))
		}
		return list
	}
	for _, l := range table() {
		all.plain = append(all.plain, numbers(l.words()))
		all.folded = append(all.folded, numbers(l.folded()))
	}
	return all
})

// Unknown is the code of a language that is not recognized.
const Unknown = "unknown"

// plain splits texts into all their words: the rules of a collection may omit function words.
var plain = sync.OnceValue(func() *normalize.Normalizer {
	n, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		panic(err)
	}
	return n
})

// CodeOf returns the code of the language of a text, or [Unknown].
func CodeOf(text string) string {
	var c Counter
	for s := plain().Scan(text, normalize.Blank); s.Next() && c.Add(s.Word()); {
	}
	if l := c.Language(); l != nil {
		return l.Code
	}
	return Unknown
}

// Package lexicon reads bilingual dictionaries and stores them where searches find them.
//
// [Read] reads a dictionary in one of four formats: dictd, StarDict, the TEI of FreeDict, and
// lines of tab-separated values. It returns a [Lexicon] of pairs of single words: expressions,
// examples, grammar and pronunciation are left out, because texts are linked word by word. A
// [Shelf] has the lexica that a user added and those that the system has installed.
//
// Dictionaries come from anywhere. Every reader therefore bounds its memory, and returns an
// error, not a shorter lexicon, if a file is damaged, has no pair, or has too many.
package lexicon

import (
	"cmp"
	"slices"

	"github.com/otisk/otisk/lang/phrase"
)

// Limits of the readers.
const (
	MostPairs   = 1_000_000  // pairs of words in one lexicon; the largest of FreeDict that was read has 281,000
	mostEntries = 4_000_000  // entries of one dictionary
	mostBytes   = 1024 << 20 // decompressed bytes of one file
	mostEntry   = 1 << 20    // bytes of one entry
	mostWord    = 64         // bytes of a word; longer ones are left out
)

// Errors of the readers, which [Read] wraps with the path. They are compared with [errors.Is].
var (
	ErrEmpty     error = phrase.Error("lexicon.empty", "no pair of single words")
	ErrTooMany   error = phrase.Error("lexicon.too-many", "more than {n} pairs of words", "n", MostPairs)
	ErrTooLarge  error = phrase.Error("lexicon.too-large", "more than {n} entries or {mb} MB", "n", mostEntries, "mb", mostBytes>>20)
	ErrFormat    error = phrase.Error("lexicon.format", "not a dictionary in a known format (dictd, StarDict, TEI or TSV)")
	ErrLanguages error = phrase.Error("lexicon.languages", "the file name does not contain two languages, as in eng-ces")
	ErrDamaged   error = phrase.Error("lexicon.damaged", "the dictionary is damaged or cut off")
)

func damaged(cause error) error {
	return phrase.Error("lexicon.damage", "{damaged}: {cause}", "damaged", ErrDamaged, "cause", cause)
}

// A Pair is a word and its translation, both in lower case.
type Pair struct{ Word, Translation string }

// A Lexicon has the translations of words of one language into another.
type Lexicon struct {
	Name     string // of the file, without its folder and its extension
	From, To string // codes: of ISO 639-1 where package language knows them, otherwise of three letters
	Pairs    []Pair // sorted, each once
}

// A collector gathers pairs, each once, and enforces the limits.
type collector struct {
	from, to reducer
	pairs    []Pair
	sorted   int // pairs that the last compact left
	entries  int
}

func (c *collector) add(heads, translations []string) error {
	if c.entries++; c.entries > mostEntries {
		return ErrTooLarge
	}
	for _, h := range heads {
		word, ok := c.from.single(h)
		if !ok {
			continue
		}
		for _, t := range translations {
			if other, ok := c.to.single(t); ok {
				c.pairs = append(c.pairs, Pair{word, other})
			}
		}
	}
	if len(c.pairs) > c.sorted+MostPairs/2 {
		c.compact()
	}
	if c.sorted > MostPairs {
		return ErrTooMany
	}
	return nil
}

func (c *collector) compact() {
	slices.SortFunc(c.pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.Translation, b.Translation))
	})
	c.pairs = slices.Compact(c.pairs)
	c.sorted = len(c.pairs)
}

// finish returns the pairs, or an error if there are none or too many.
func (c *collector) finish() ([]Pair, error) {
	c.compact()
	switch {
	case len(c.pairs) == 0:
		return nil, ErrEmpty
	case len(c.pairs) > MostPairs:
		return nil, ErrTooMany
	}
	return slices.Clip(c.pairs), nil
}

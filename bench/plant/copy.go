package plant

import (
	"math/rand/v2"
	"slices"
)

// A Run is consecutive words, either the host's own or copied from an origin.
type Run struct {
	Words  []string
	Origin *Origin // nil for the host's own
}

// An Origin is the place that words were copied from.
type Origin struct {
	Source     *Text
	Start, End int // byte range
}

// A Kind copies passages, one of each source, and returns consecutive runs. It may insert
// words of others.
type Kind func(r *rand.Rand, others []string, passages ...Passage) []Run

// A Passage is consecutive sentences of a source.
type Passage struct {
	Source    *Text
	Sentences []Sentence
}

// Pick returns a passage of at least this number of words and, if the source has them,
// three sentences. It may be shorter at the end of the source.
func Pick(r *rand.Rand, source *Text, words int) Passage {
	all := source.Sentences
	first := r.IntN(max(1, len(all)*3/4))
	last, n := first, 0
	for last < len(all) && (n < words || last-first < 3) {
		n += len(all[last].Words)
		last++
	}
	return Passage{source, all[first:last]}
}

// Run returns words as copied from all of p.
func (p Passage) Run(words []string) Run {
	s := p.Sentences
	return Run{words, &Origin{p.Source, s[0].Start, s[len(s)-1].End}}
}

// Verbatim copies word for word.
func Verbatim(_ *rand.Rand, _ []string, passages ...Passage) []Run {
	var runs []Run
	for _, p := range passages {
		runs = append(runs, p.Run(Words(p.Sentences)))
	}
	return runs
}

// Swapped replaces one word in every, at random, by another one.
func Swapped(every int) Kind {
	return func(r *rand.Rand, others []string, passages ...Passage) []Run {
		return edit(passages, func(word string) []string {
			if r.IntN(every) > 0 {
				return []string{word}
			}
			return []string{others[r.IntN(len(others))]}
		})
	}
}

// LeftOut removes one word in every, at random, and inserts as many others.
func LeftOut(every int) Kind {
	return func(r *rand.Rand, others []string, passages ...Passage) []Run {
		return edit(passages, func(word string) []string {
			switch r.IntN(every) {
			case 0:
				return nil
			case 1:
				return []string{word, others[r.IntN(len(others))]}
			}
			return []string{word}
		})
	}
}

// edit copies passages and applies change to all words but the first and the last, so that
// the bounds of the copy are exact.
func edit(passages []Passage, change func(word string) []string) []Run {
	var runs []Run
	for _, p := range passages {
		words := Words(p.Sentences)
		last := len(words) - 1
		if last < 1 {
			runs = append(runs, p.Run(words))
			continue
		}
		edited := words[:1:1]
		for _, w := range words[1:last] {
			edited = append(edited, change(w)...)
		}
		runs = append(runs, p.Run(append(edited, words[last])))
	}
	return runs
}

// Reordered shuffles the sentences.
func Reordered(r *rand.Rand, _ []string, passages ...Passage) []Run {
	var runs []Run
	for _, p := range passages {
		order := r.Perm(len(p.Sentences))
		if slices.IsSorted(order) {
			slices.Reverse(order)
		}
		var words []string
		for _, i := range order {
			words = append(words, p.Sentences[i].Words...)
		}
		runs = append(runs, p.Run(words))
	}
	return runs
}

// wovenWords is the minimum number of words of one source that Woven copies at a time.
const wovenWords = 25

// Woven copies some sentences of each passage in turn, and then the rest of the longest
// one. Each piece is a run with its own origin.
func Woven(_ *rand.Rand, _ []string, passages ...Passage) []Run {
	var runs []Run
	rest := slices.Clone(passages)
	for len(rest) > 0 {
		for i := range rest {
			n := pieceLength(rest[i].Sentences)
			if len(rest) == 1 {
				n = len(rest[i].Sentences)
			}
			piece := Passage{rest[i].Source, rest[i].Sentences[:n]}
			rest[i].Sentences = rest[i].Sentences[n:]
			runs = append(runs, piece.Run(Words(piece.Sentences)))
		}
		rest = slices.DeleteFunc(rest, func(p Passage) bool { return len(p.Sentences) == 0 })
	}
	return runs
}

// pieceLength returns the number of sentences of the next piece: all of them if the rest
// would be too short for another piece.
func pieceLength(sentences []Sentence) int {
	n, words := 0, 0
	for n < len(sentences) && words < wovenWords {
		words += len(sentences[n].Words)
		n++
	}
	if len(Words(sentences[n:])) < wovenWords {
		return len(sentences)
	}
	return n
}

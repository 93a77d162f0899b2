package search

import (
	"slices"

	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/store"
)

// A passage has at least a dozen words, since shorter runs are often chance. A text can
// nevertheless be composed of such runs, half a sentence from each source; its score alone would
// suggest that nothing was copied.
const (
	scatteredRun   = 7 // least words of a run that counts: fewer are shared by chance, where n-grams are short
	scatteredShare = 5 // minimum percent of the suspect's words that is reported; texts without copies have at most 1
)

// scattered adds the runs that are too short for a passage, where they are much
// of the text.
func (o *omitter) scattered(found answers, own map[store.DocID]bool, open leftOver) {
	least := align.DefaultParams().Verbatim
	runs, words := found.scattered(own, open)
	if words*100 < scatteredShare*len(open) {
		return
	}
	o.add(Unsearched{Kind: UnsearchedScattered, Count: runs, Limit: int64(least), Words: words},
		"%s too short for a passage, which has %d words or more; in no passage for that reason: %s",
		plural(runs, "unchanged run is", "unchanged runs are"), least, plural(int64(words), "word", "words"))
}

// scattered counts the runs of n-grams that are in sources other than the text
// itself, and the words of them that are in no passage.
func (a answers) scattered(own map[store.DocID]bool, open leftOver) (runs int64, words int) {
	for _, s := range a {
		others := s.elsewhere(own)
		for g := 0; g < len(s.list); {
			end := s.runFrom(g, others)
			from, to := int(s.list[g].word), int(s.list[max(g, end-1)].word)+s.n
			if end > g && to-from >= scatteredRun {
				if n := open.count(from, to); n > 0 {
					runs, words = runs+1, words+n
				}
			}
			g = max(end, g+1)
		}
	}
	return runs, words
}

// runFrom returns the n-gram after the run of n-grams at successive words that
// starts with g, each of which has a document in others; g itself where there is
// none.
func (s *shared) runFrom(g int, others []int32) int {
	end := g
	for end < len(s.list) && others[end] > 0 && s.list[end].word == s.list[g].word+int32(end-g) {
		end++
	}
	return end
}

// elsewhere returns, by n-gram, how many documents other than own have it, 0 if
// it is common.
func (s *shared) elsewhere(own map[store.DocID]bool) []int32 {
	others := slices.Clone(s.holders)
	for doc := range own {
		t := s.tallies[doc]
		if t == nil {
			continue
		}
		end := int32(0)
		for _, r := range t.done { // by the first n-gram; they may overlap
			for g := max(r.gram, end); g < r.end(); g++ {
				others[g]--
			}
			end = max(end, r.end())
		}
	}
	return others
}

// LeftOver has, for each word of a suspect, whether a passage covers it or it has been
// counted.
type leftOver []byte

const (
	counted   = 1
	inPassage = 2
)

// uncovered returns the words of a suspect with those marked that passages have,
// but for those of the text itself.
func uncovered(sus *suspect, sources []*source, passages []found, own map[store.DocID]bool) leftOver {
	open := make(leftOver, len(sus.words))
	for _, p := range passages {
		if own[sources[p.Source].doc] {
			continue
		}
		for i := p.from; i < p.to; i++ {
			open[i] = inPassage
		}
	}
	return open
}

// inPassages reports whether all of these words are in passages.
func (l leftOver) inPassages(from, to int) bool {
	return !slices.ContainsFunc(l[from:to], func(b byte) bool { return b != inPassage })
}

// count returns how many of these words are in no passage and were not counted
// before.
func (l leftOver) count(from, to int) int {
	n := 0
	for i, b := range l[from:to] {
		if b == 0 {
			l[from+i] = counted
			n++
		}
	}
	return n
}

// telling is the minimum percentage of the letters of the suspect that is reported, so that
// a few names or a formula are not.
const telling = 1

package search

import (
	"slices"

	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/store"
)

// A passage has a dozen words at least, since shorter runs are often chance. A
// text can be made of such runs all the same, a sentence from here and half of
// one from there. Then the score alone would say that it has copied nothing.
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
		for g := 0; g < len(s.list); {
			end := s.runFrom(g, own)
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
// starts with g, all of them in sources other than own; g itself where there is
// none.
func (s *shared) runFrom(g int, own map[store.DocID]bool) int {
	end := g
	for end < len(s.list) && s.elsewhere(end, own) && s.list[end].word == s.list[g].word+int32(end-g) {
		end++
	}
	return end
}

// elsewhere reports whether an n-gram that is not common is in a source other
// than own.
func (s *shared) elsewhere(g int, own map[store.DocID]bool) bool {
	return s.matched[g] && !s.common[g] && !own[s.alone[g]]
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

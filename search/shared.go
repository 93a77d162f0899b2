package search

import (
	"slices"

	"github.com/otisk/otisk/search/score"
	"github.com/otisk/otisk/store"
)

// Shared is the result of a look-up of the suspect's n-grams. Each size of n-grams and each kind of
// key has its own.
type shared struct {
	suspect *suspect
	grams
	asked   int // requested n-gram size in words
	limits  listLimits
	tallies map[store.DocID]*tally
	matched []bool  // by n-gram: whether a source contains it
	common  []bool  // by n-gram: it is common
	holders []int32 // by n-gram: number of documents that have it, 0 if it is common
}

// ListLimits has the limits from which a source is listed. A source must reach at least one.
type listLimits struct {
	percent *float64
	run     *int
}

// reach reports whether a match is listed.
func (l listLimits) reach(m Match) bool {
	if l.percent == nil && l.run == nil {
		return m.Matched > 0
	}
	return l.percent != nil && m.Matched > 0 && m.Percent >= *l.percent || l.run != nil && m.Run > 0 && m.Run >= *l.run
}

// union counts the n-grams [from, to) that are in any source; run is the longest run of words there.
func (s *shared) union(from, to, run int) Match {
	m := Match{Grams: to - from, Run: run}
	for g := from; g < to; g++ {
		if s.matched[g] {
			m.Matched++
		}
		if s.common[g] {
			m.Common++
		}
	}
	m.Percent = score.Percent(m.Matched, m.Grams)
	return m
}

// whole returns the match of the whole suspect with all sources: n-grams of the requested size, and
// the longest run in any source.
func (a answers) whole() Match {
	run := 0
	for _, s := range a {
		for _, t := range s.tallies {
			run = max(run, s.runWords(t.longest))
		}
	}
	return a[0].union(0, len(a[0].list), run)
}

// listed reports whether a document reaches the limits for the whole suspect or for one paragraph.
func (s *shared) listed(t *tally) bool {
	return s.limits.reach(s.match(t)) ||
		slices.ContainsFunc(t.parts, func(p part) bool { return s.limits.reach(s.partMatch(p)) })
}

// match returns the match of the whole suspect with one document.
func (s *shared) match(t *tally) Match { return s.matchOf(t.matched, len(s.list), t.longest) }

// partMatch returns the match of one paragraph with one document.
func (s *shared) partMatch(p part) Match {
	from, to := s.of(int(p.paragraph))
	return s.matchOf(p.matched, to-from, p.best.k)
}

func (s *shared) matchOf(matched, grams int, longest int32) Match {
	return Match{N: s.other(), Grams: grams, Matched: matched, Percent: score.Percent(matched, grams), Run: s.runWords(longest)}
}

// other returns the size of the n-grams if it differs from the requested one, otherwise 0.
func (s *shared) other() int {
	if s.n == s.asked {
		return 0
	}
	return s.n
}

// commonShare returns the share of common n-grams among [from, to), 0 to 1.
func (s *shared) commonShare(from, to int32) float64 {
	if to <= from {
		return 0
	}
	common := 0
	for g := from; g < to; g++ {
		if s.common[g] {
			common++
		}
	}
	return float64(common) / float64(to-from)
}

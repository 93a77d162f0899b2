package report

import (
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// longestRuns returns the longest run of equal words with each source, and the longest
// with any source that is not the text itself. Such a run crosses ends of paragraphs, as
// the runs of passages do. [search.Match.Run] does not; it is used for sources without a
// passage.
func longestRuns(r *Report) (ofSources []int, longest int) {
	ofSources = make([]int, len(r.Sources))
	for i, s := range r.Sources {
		ofSources[i] = s.Match.Run
	}
	for _, p := range r.Passages {
		ofSources[p.Source] = max(ofSources[p.Source], p.Run)
	}
	found := others(r)
	for i, s := range r.Sources {
		if s.Own != search.OwnFile {
			longest = max(longest, ofSources[i])
		}
	}
	if found.itself == 0 {
		longest = max(longest, r.Match.Run)
	}
	return ofSources, longest
}

// A tally counts the passages from texts other than the checked one, which may be in the index,
// too.
type tally struct {
	sources, passages int
	itself            int // sources that are the text itself
}

// others counts the passages from texts other than the checked one.
func others(r *Report) tally {
	t := tally{sources: len(r.Sources)}
	t.sources -= hintedOnly(r)
	for _, s := range r.Sources {
		if s.Own == search.OwnFile {
			t.sources--
			t.itself++
		}
	}
	for _, p := range r.Whole() {
		if r.Sources[p.Source].Own != search.OwnFile {
			t.passages++
		}
	}
	return t
}

// hintedOnly returns the number of sources that are listed for their hints only.
func hintedOnly(r *Report) int {
	return lists.Count(r.Sources, func(s search.Source) bool { return s.Hinted })
}

// hintedShown returns the number of those with a hint that the review does not leave out.
func hintedShown(r *Report) int {
	sources := map[int]bool{}
	_, shown := hintsOf(r)
	for _, i := range shown {
		if s := r.Hints[i].Source; r.Sources[s].Hinted {
			sources[s] = true
		}
	}
	return len(sources)
}

// paragraphRun returns the longest run of words, within a paragraph, that a text shares
// with another one.
func paragraphRun(r *Report) int {
	if others(r).itself == 0 {
		return r.Match.Run
	}
	run := 0
	for _, s := range r.Sources {
		if s.Own != search.OwnFile {
			run = max(run, s.Match.Run)
		}
	}
	return run
}

// otherGrams returns, for each other size of n-grams by which sources were found, the
// highest share of a source. The match of the whole text does not count these.
func otherGrams(p *lang.Printer, r *Report) []string {
	best := map[int]int{}
	var sizes []int
	for i, s := range r.Sources {
		n := s.Match.N
		if n == 0 {
			continue
		}
		first, known := best[n]
		if !known {
			sizes = append(sizes, n)
		}
		if !known || s.Match.Percent > r.Sources[first].Match.Percent {
			best[n] = i
		}
	}
	slices.Sort(sizes)
	var list []string
	for _, n := range slices.Backward(sizes) {
		i := best[n]
		list = append(list, p.Text("common.grams-other", "size", n, "percent", p.Percent(r.Sources[i].Match.Percent), "number", i+1))
	}
	return list
}

// noneIndexed reports whether no document is indexed under the size searched: then a
// share of these n-grams has no meaning.
func noneIndexed(x search.Index) bool { return x.Grams == 0 && len(x.Sizes) > 0 }

// byPerson reports whether a person made the review, and not flags such as --exclude.
func byPerson(v *Review) bool {
	return v.By != "" || !v.At.IsZero() || len(v.Verdicts) > 0
}

// calledFully returns the title or file name of a source, and its full name if that
// differs.
func calledFully(s *search.Source) string {
	if title := called(s); title != s.Name {
		return title + " · " + s.Name
	}
	return s.Name
}

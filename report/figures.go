package report

import (
	"slices"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// longestRuns returns the longest run of equal words that a text has with each
// source, and the longest of all. Such a run goes on over the end of a paragraph,
// as those of passages do. [search.Match.Run] does not, and is the only figure where
// a source has no passage.
func longestRuns(r *search.Result) (ofSources []int, longest int) {
	ofSources = make([]int, len(r.Sources))
	for i, s := range r.Sources {
		ofSources[i] = s.Match.Run
	}
	for _, p := range r.Passages {
		ofSources[p.Source] = max(ofSources[p.Source], p.Run)
	}
	return ofSources, slices.Max(append(ofSources, r.Match.Run))
}

// otherGrams returns, for each other size of n-grams by which sources were found, the
// highest share that one of them has. The match of the whole text counts none of these.
func otherGrams(p *lang.Printer, r *search.Result) []string {
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

// noneIndexed reports whether no document is indexed under the size searched, so that
// a share of these n-grams says nothing.
func noneIndexed(x search.Index) bool { return x.Grams == 0 && len(x.Sizes) > 0 }

// byPerson reports whether a person reviewed the text. Flags such as --exclude make
// a review, too.
func byPerson(v *search.Review) bool {
	return v.By != "" || !v.At.IsZero() || len(v.Verdicts) > 0
}

// calledFully returns what people call a source, and its name where that is another.
func calledFully(s *search.Source) string {
	if title := called(s); title != s.Name {
		return title + " · " + s.Name
	}
	return s.Name
}

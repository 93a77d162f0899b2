package report

import (
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// Apply counts what remains of r once its review is applied, and writes it
// into the review. All other figures of r stay. A result without a review has
// nothing to apply.
func Apply(r *search.Result) {
	if r.Review == nil {
		return
	}
	total := inputOf(r).Count(choiceOf(r.Review))
	r.Review.Score = scoreOf(r.Suspect.Words, total)
	r.Review.Remains = make([]search.Remains, len(total.Sources))
	for i, s := range total.Sources {
		r.Review.Remains[i] = search.Remains{Passages: s.Passages, Covered: s.Covered, Percent: s.Percent, Counted: s.Counted}
	}
}

// remaining counts what remains of r by its review, or what was found without one.
func remaining(r *search.Result) score.Total {
	if r.Review == nil {
		return inputOf(r).Count(score.Choice{})
	}
	return inputOf(r).Count(choiceOf(r.Review))
}

// inputOf returns what the score must know of a result.
func inputOf(r *search.Result) *score.Input {
	in := &score.Input{Words: r.Suspect.Words, Sources: len(r.Sources), Grades: len(grades)}
	for _, p := range r.Passages {
		in.Passages = append(in.Passages, score.Passage{
			Source: p.Source, Word: p.Word, Words: p.Words, Matched: p.Matched, Grade: gradeOf(p.Grade)})
	}
	for _, e := range r.Exclusions {
		in.Excluded = append(in.Excluded, score.Stretch{Kind: e.Kind, Word: e.Word, Words: e.Words})
	}
	return in
}

// choiceOf returns what a review leaves out.
func choiceOf(v *search.Review) score.Choice {
	c := score.Choice{
		Kinds: map[string]bool{}, Grades: map[int]bool{}, Sources: map[int]bool{}, Passages: map[int]bool{},
		PassageWords: v.Filter.PassageWords, SourceWords: v.Filter.SourceWords, SourcePercent: v.Filter.SourcePercent,
	}
	for _, k := range v.Filter.Kinds {
		c.Kinds[k] = true
	}
	for _, g := range v.Filter.Grades {
		c.Grades[gradeOf(g)] = true
	}
	for _, d := range v.Sources {
		c.Sources[d.Index] = true
	}
	for _, d := range v.Passages {
		c.Passages[d.Index] = true
	}
	for _, d := range v.Places {
		c.Places = append(c.Places, score.Stretch{Word: d.Word, Words: d.Words})
	}
	return c
}

// scoreOf returns a total as a score; grades without a word are not in it.
func scoreOf(words int, t score.Total) search.Score {
	s := search.Score{Words: words, Covered: t.Covered, Percent: t.Percent, Grades: map[string]int{}}
	for i, n := range t.Grades {
		if n > 0 {
			s.Grades[grades[i]] = n
		}
	}
	return s
}

package report

import (
	"errors"
	"fmt"
	"slices"

	"github.com/otisk/otisk/search"
)

// Bounds of the figures of a report that is read: sums of them fit an int, and a score
// can be counted in memory.
const (
	maxOffset = 1 << 40
	maxWords  = 1 << 28
)

// A checker finds the first inconsistency of a report that would make a writer fail: an index past the end of a
// list, or a place outside the text. The error has the fields of the JSON report with their values, which are the
// same in every language.
type checker struct {
	*Report
	err error
}

// refuse records an error unless there was one before.
func (c *checker) refuse(wrong bool, format string, args ...any) {
	if wrong && c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// wrap records an error of an item of lists, such as "passages[%d]".
func (c *checker) wrap(err error, item string, at ...int) {
	if err == nil || c.err != nil {
		return
	}
	args := make([]any, 0, len(at)+1)
	for _, i := range at {
		args = append(args, i)
	}
	c.err = fmt.Errorf(item+": %w", append(args, err)...)
}

// check returns an error if r is inconsistent.
func check(r *Report) error {
	c := &checker{Report: r}
	s := r.Suspect
	c.refuse(s.Words < 0 || s.Words > maxWords || s.Bytes < 0 || s.Bytes > maxOffset || s.Runes < 0 || s.Runes > s.Bytes, "suspect: words=%d bytes=%d runes=%d", s.Words, s.Bytes, s.Runes)
	c.refuse(len(s.Text) > 0 && len(s.Text) != s.Bytes, "suspect: len(text)=%d bytes=%d", len(s.Text), s.Bytes)
	c.refuse(r.Index.Among < 0, "index.among=%d", r.Index.Among)
	c.refuse(r.Unlisted < 0, "unlisted=%d", r.Unlisted)
	for _, u := range r.Unsearched {
		c.refuse(u.Count < 0 || u.Words < 0 || u.Words > s.Words, "unsearched %s: count=%d words=%d", u.Kind, u.Count, u.Words)
	}
	for i := range r.Sources {
		c.source(i, &r.Sources[i])
	}
	for i := range r.Paragraphs {
		c.paragraph(i, &r.Paragraphs[i])
	}
	for i := range r.Passages {
		c.passage(i, &r.Passages[i])
	}
	c.joined()
	c.hints()
	for i, e := range r.Exclusions {
		c.wrap(checkWords(r, e.Place, e.Word, e.Words), "exclusions[%d]", i)
	}
	if c.err != nil {
		return c.err
	}
	return errors.Join(checkPlaces(&r.Suspect), checkReview(r))
}

// checkPlaces returns an error if a page, a heading or an item of a list is outside the text.
func checkPlaces(s *search.Suspect) error {
	c := new(checker)
	for i, at := range s.PageStarts {
		c.refuse(at < 0 || at > s.Bytes, "suspect: page_starts[%d]=%d bytes=%d", i, at, s.Bytes)
	}
	for i, h := range s.Headings {
		c.wrap(checkSpan(h, s.Bytes), "suspect.headings[%d]", i)
	}
	for i, x := range s.Items {
		c.wrap(checkSpan(x.Span, s.Bytes), "suspect.items[%d]", i)
	}
	return c.err
}

func (c *checker) source(i int, s *search.Source) {
	c.refuse(s.Bytes < 0 || s.Bytes > maxOffset || s.Words < 0, "sources[%d]: words=%d bytes=%d", i, s.Words, s.Bytes)
	c.refuse(s.Share < 0 || s.Share > c.Suspect.Words, "sources[%d]: share=%d", i, s.Share)
	end := 0
	for j, e := range s.Excerpts {
		c.wrap(checkSpan(e.Span, maxOffset), "sources[%d]: excerpts[%d]", i, j)
		c.refuse(e.Start < end || e.End-e.Start != len(e.Text), "sources[%d]: excerpts[%d]: start=%d end=%d previous=%d len(text)=%d", i, j, e.Start, e.End, end, len(e.Text))
		end = e.End
	}
	if like := s.LikeSource; like != nil {
		c.refuse(*like < 0 || *like >= i || s.Alike != 0 || c.Sources[*like].LikeSource != nil, "sources[%d].like_source=%d", i, *like)
	}
}

func (c *checker) paragraph(i int, p *search.Paragraph) {
	c.wrap(checkSpan(p.Place, c.Suspect.Bytes), "paragraphs[%d]", i)
	for _, s := range p.Sources {
		c.refuse(s.Source < 0 || s.Source >= len(c.Sources), "paragraphs[%d]: source=%d len(sources)=%d", i, s.Source, len(c.Sources))
		for _, at := range s.Places {
			c.wrap(checkSpan(at.Suspect, c.Suspect.Bytes), "paragraphs[%d]", i)
			c.wrap(checkSpan(at.Source, maxOffset), "paragraphs[%d]", i)
		}
	}
}

func (c *checker) passage(i int, p *search.Passage) {
	c.refuse(p.Source < 0 || p.Source >= len(c.Sources), "passages[%d]: source=%d len(sources)=%d", i, p.Source, len(c.Sources))
	c.refuse(gradeOf(p.Grade) < 0, "passages[%d]: grade=%q", i, p.Grade)
	c.refuse(p.Group != "" && !slices.Contains(search.Groups(), p.Group), "passages[%d]: group=%q", i, p.Group)
	c.wrap(checkWords(c.Report, p.Suspect, p.Word, p.Words), "passages[%d]", i)
	c.wrap(checkSpan(p.Origin, maxOffset), "passages[%d]", i)
	c.refuse(p.Matched < 0 || p.Matched > maxWords, "passages[%d]: matched=%d", i, p.Matched)
	for _, e := range p.Equal {
		if !inside(e.Suspect, p.Suspect) || !inside(e.Origin, p.Origin) { // there are many, and each argument is an allocation
			c.refuse(true, "passages[%d]: equal=%v", i, e.Suspect)
		}
	}
	c.refuse(p.Number != i+1, "passages[%d].number=%d", i, p.Number)
}

// joined refuses a joined passage that names a passage that does not exist, is of another source or is a part of
// another joined passage.
func (c *checker) joined() {
	known, words := map[int]bool{}, c.Suspect.Words
	for i, j := range c.Joined {
		c.refuse(len(j.Parts) < 2, "joined[%d]: len(parts)=%d", i, len(j.Parts))
		for _, part := range j.Parts {
			c.refuse(part < 1 || part > len(c.Passages) || known[part] || c.Passages[part-1].Source != j.Source, "joined[%d]: parts=%d", i, part)
			known[part] = true
		}
		c.wrap(checkSpan(j.Suspect, c.Suspect.Bytes), "joined[%d]", i)
		c.wrap(checkSpan(j.Origin, maxOffset), "joined[%d]", i)
		c.refuse(j.Words < 0 || j.Words > words || j.Between < 0 || j.Between > words, "joined[%d]: words=%d between=%d", i, j.Words, j.Between)
	}
}

func inside(at [2]int, s search.Span) bool {
	return at[0] >= s.Start && at[0] <= at[1] && at[1] <= s.End
}

func checkWords(r *Report, s search.Span, word, words int) error {
	if word < 0 || words < 0 || word > r.Suspect.Words || words > r.Suspect.Words-word {
		return fmt.Errorf("words=%d word=%d suspect.words=%d", words, word, r.Suspect.Words)
	}
	return checkSpan(s, r.Suspect.Bytes)
}

func checkSpan(s search.Span, limit int) error {
	if s.Start < 0 || s.Start > s.End || s.End > limit {
		return fmt.Errorf("start=%d end=%d bytes=%d", s.Start, s.End, limit)
	}
	if s.RuneStart < 0 || s.RuneStart > s.RuneEnd || s.RuneEnd > s.End {
		return fmt.Errorf("rune_start=%d rune_end=%d start=%d end=%d", s.RuneStart, s.RuneEnd, s.Start, s.End)
	}
	return nil
}

func checkReview(r *Report) error {
	v := r.Review
	if v == nil {
		return nil
	}
	c := &checker{Report: r}
	c.refuse(len(v.Remains) != len(r.Sources), "review: len(remains)=%d len(sources)=%d", len(v.Remains), len(r.Sources))
	for _, g := range v.Filter.Grades {
		c.refuse(gradeOf(g) < 0, "review.filter: grade=%q", g)
	}
	for _, d := range v.Sources {
		c.refuse(d.Index < 0 || d.Index >= len(r.Sources), "review.sources: index=%d len=%d", d.Index, len(r.Sources))
	}
	for _, d := range v.Passages {
		c.refuse(d.Index < 0 || d.Index >= len(r.Passages), "review.passages: index=%d len=%d", d.Index, len(r.Passages))
	}
	for _, i := range v.NoHints {
		c.refuse(i < 0 || i >= len(r.Hints), "review: no_hints=%d len(hints)=%d", i, len(r.Hints))
	}
	for _, d := range v.Hints {
		c.refuse(d.Index < 0 || d.Index >= len(r.Hints), "review.hints: index=%d len(hints)=%d", d.Index, len(r.Hints))
	}
	for i, p := range v.Places {
		c.wrap(checkWords(r, search.Span{Start: p.Suspect[0], End: p.Suspect[1]}, p.Word, p.Words), "review.places[%d]", i)
	}
	limits := map[string]int{OfReport: 1, OfSource: len(r.Sources), OfPassage: len(r.Passages)}
	for _, x := range v.Verdicts {
		c.refuse(!slices.Contains(Verdicts, x.Verdict) || x.Index < 0 || x.Index >= limits[x.Of], "review.verdicts: verdict=%q of=%s index=%d", x.Verdict, x.Of, x.Index)
	}
	return c.err
}

// grades are the grades of a passage, the most certain first.
var grades = []string{search.Verbatim, search.Edited, search.Reworded}

// gradeOf returns the index of a grade in grades, or -1.
func gradeOf(name string) int { return slices.Index(grades, name) }

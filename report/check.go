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

// check returns an error if r is inconsistent in a way that would make a writer fail: an
// index past the end of a list, or a place outside the text. The error has the fields of the JSON report with
// their values, which are the same in every language.
func check(r *Report) error {
	if s := r.Suspect; s.Words < 0 || s.Words > maxWords || s.Bytes < 0 || s.Bytes > maxOffset || s.Runes < 0 || s.Runes > s.Bytes {
		return fmt.Errorf("suspect: words=%d bytes=%d runes=%d", s.Words, s.Bytes, s.Runes)
	}
	if n := len(r.Suspect.Text); n > 0 && n != r.Suspect.Bytes {
		return fmt.Errorf("suspect: len(text)=%d bytes=%d", n, r.Suspect.Bytes)
	}
	if r.Index.Among < 0 {
		return fmt.Errorf("index.among=%d", r.Index.Among)
	}
	if r.Unlisted < 0 {
		return fmt.Errorf("unlisted=%d", r.Unlisted)
	}
	for _, u := range r.Unsearched {
		if u.Count < 0 || u.Words < 0 || u.Words > r.Suspect.Words {
			return fmt.Errorf("unsearched %s: count=%d words=%d", u.Kind, u.Count, u.Words)
		}
	}
	for i, s := range r.Sources {
		if err := checkSource(&s, r.Suspect.Words); err != nil {
			return fmt.Errorf("sources[%d]: %w", i, err)
		}
		if like := s.LikeSource; like != nil && (*like < 0 || *like >= i || s.Alike != 0 || r.Sources[*like].LikeSource != nil) {
			return fmt.Errorf("sources[%d].like_source=%d", i, *like)
		}
	}
	for i, p := range r.Paragraphs {
		if err := checkParagraph(r, &p); err != nil {
			return fmt.Errorf("paragraphs[%d]: %w", i, err)
		}
	}
	for i, p := range r.Passages {
		if err := checkPassage(r, &p); err != nil {
			return fmt.Errorf("passages[%d]: %w", i, err)
		}
		if p.Number != i+1 {
			return fmt.Errorf("passages[%d].number=%d", i, p.Number)
		}
	}
	if err := checkJoined(r); err != nil {
		return err
	}
	if err := checkHints(r); err != nil {
		return err
	}
	for i, e := range r.Exclusions {
		if err := checkWords(r, e.Place, e.Word, e.Words); err != nil {
			return fmt.Errorf("exclusions[%d]: %w", i, err)
		}
	}
	return errors.Join(checkPlaces(&r.Suspect), checkReview(r))
}

// checkPlaces returns an error if a page, a heading or an item of a list is outside the text.
func checkPlaces(s *search.Suspect) error {
	for i, at := range s.PageStarts {
		if at < 0 || at > s.Bytes {
			return fmt.Errorf("suspect: page_starts[%d]=%d bytes=%d", i, at, s.Bytes)
		}
	}
	for i, h := range s.Headings {
		if err := checkSpan(h, s.Bytes); err != nil {
			return fmt.Errorf("suspect.headings[%d]: %w", i, err)
		}
	}
	for i, x := range s.Items {
		if err := checkSpan(x.Span, s.Bytes); err != nil {
			return fmt.Errorf("suspect.items[%d]: %w", i, err)
		}
	}
	return nil
}

func checkSource(s *search.Source, words int) error {
	if s.Bytes < 0 || s.Bytes > maxOffset || s.Words < 0 {
		return fmt.Errorf("words=%d bytes=%d", s.Words, s.Bytes)
	}
	if s.Share < 0 || s.Share > words {
		return fmt.Errorf("share=%d", s.Share)
	}
	end := 0
	for i, e := range s.Excerpts {
		if err := checkSpan(e.Span, maxOffset); err != nil {
			return fmt.Errorf("excerpts[%d]: %w", i, err)
		}
		if e.Start < end || e.End-e.Start != len(e.Text) {
			return fmt.Errorf("excerpts[%d]: start=%d end=%d previous=%d len(text)=%d", i, e.Start, e.End, end, len(e.Text))
		}
		end = e.End
	}
	return nil
}

func checkParagraph(r *Report, p *search.Paragraph) error {
	if err := checkSpan(p.Place, r.Suspect.Bytes); err != nil {
		return err
	}
	for _, s := range p.Sources {
		if s.Source < 0 || s.Source >= len(r.Sources) {
			return fmt.Errorf("source=%d len(sources)=%d", s.Source, len(r.Sources))
		}
		for _, at := range s.Places {
			if err := checkSpan(at.Suspect, r.Suspect.Bytes); err != nil {
				return err
			}
			if err := checkSpan(at.Source, maxOffset); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkPassage(r *Report, p *search.Passage) error {
	if p.Source < 0 || p.Source >= len(r.Sources) {
		return fmt.Errorf("source=%d len(sources)=%d", p.Source, len(r.Sources))
	}
	if gradeOf(p.Grade) < 0 {
		return fmt.Errorf("grade=%q", p.Grade)
	}
	if p.Group != "" && !slices.Contains(search.Groups(), p.Group) {
		return fmt.Errorf("group=%q", p.Group)
	}
	if err := checkWords(r, p.Suspect, p.Word, p.Words); err != nil {
		return err
	}
	if err := checkSpan(p.Origin, maxOffset); err != nil {
		return err
	}
	if p.Matched < 0 || p.Matched > maxWords {
		return fmt.Errorf("matched=%d", p.Matched)
	}
	for _, e := range p.Equal {
		if !inside(e.Suspect, p.Suspect) || !inside(e.Origin, p.Origin) {
			return fmt.Errorf("equal=%v", e.Suspect)
		}
	}
	return nil
}

// checkJoined returns an error if a joined passage names a passage that does not exist, is of another source or is a part of
// another joined passage.
func checkJoined(r *Report) error {
	known := map[int]bool{}
	for i, j := range r.Joined {
		if len(j.Parts) < 2 {
			return fmt.Errorf("joined[%d]: len(parts)=%d", i, len(j.Parts))
		}
		for _, part := range j.Parts {
			if part < 1 || part > len(r.Passages) || known[part] || r.Passages[part-1].Source != j.Source {
				return fmt.Errorf("joined[%d]: parts=%d", i, part)
			}
			known[part] = true
		}
		if err := checkSpan(j.Suspect, r.Suspect.Bytes); err != nil {
			return fmt.Errorf("joined[%d]: %w", i, err)
		}
		if err := checkSpan(j.Origin, maxOffset); err != nil {
			return fmt.Errorf("joined[%d]: %w", i, err)
		}
		if j.Words < 0 || j.Words > r.Suspect.Words || j.Between < 0 || j.Between > r.Suspect.Words {
			return fmt.Errorf("joined[%d]: words=%d between=%d", i, j.Words, j.Between)
		}
	}
	return nil
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
	if len(v.Remains) != len(r.Sources) {
		return fmt.Errorf("review: len(remains)=%d len(sources)=%d", len(v.Remains), len(r.Sources))
	}
	for _, g := range v.Filter.Grades {
		if gradeOf(g) < 0 {
			return fmt.Errorf("review.filter: grade=%q", g)
		}
	}
	if err := checkDecisions(v.Sources, len(r.Sources)); err != nil {
		return fmt.Errorf("review.sources: %w", err)
	}
	if err := checkDecisions(v.Passages, len(r.Passages)); err != nil {
		return fmt.Errorf("review.passages: %w", err)
	}
	for _, i := range v.NoHints {
		if i < 0 || i >= len(r.Hints) {
			return fmt.Errorf("review: no_hints=%d len(hints)=%d", i, len(r.Hints))
		}
	}
	for _, d := range v.Hints {
		if d.Index < 0 || d.Index >= len(r.Hints) {
			return fmt.Errorf("review.hints: index=%d len(hints)=%d", d.Index, len(r.Hints))
		}
	}
	for i, p := range v.Places {
		if err := checkWords(r, search.Span{Start: p.Suspect[0], End: p.Suspect[1]}, p.Word, p.Words); err != nil {
			return fmt.Errorf("review.places[%d]: %w", i, err)
		}
	}
	limits := map[string]int{OfReport: 1, OfSource: len(r.Sources), OfPassage: len(r.Passages)}
	for _, x := range v.Verdicts {
		if !slices.Contains(Verdicts, x.Verdict) || x.Index < 0 || x.Index >= limits[x.Of] {
			return fmt.Errorf("review.verdicts: verdict=%q of=%s index=%d", x.Verdict, x.Of, x.Index)
		}
	}
	return nil
}

func checkDecisions(list []Decision, limit int) error {
	for _, d := range list {
		if d.Index < 0 || d.Index >= limit {
			return fmt.Errorf("index=%d len=%d", d.Index, limit)
		}
	}
	return nil
}

// grades are the grades of a passage, the most certain first.
var grades = []string{search.Verbatim, search.Edited, search.Reworded}

// gradeOf returns the index of a grade in grades, or -1.
func gradeOf(name string) int { return slices.Index(grades, name) }

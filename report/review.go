package report

import (
	"slices"
	"time"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// A Report is the result of a search and what its readers decided about it.
type Report struct {
	search.Result
	Review *Review `json:"review,omitempty"` // nil if nothing was decided
	Pages  *Pages  `json:"-"`                // pictures of the suspect's pages, which HTML reports show; nil for none
}

// Final returns the score that counts: what remains after the review, or all that was
// found if there is no review.
func (r *Report) Final() search.Score {
	if r.Review != nil {
		return r.Review.Score
	}
	return r.Score
}

// A Review records what readers or limits left out of a result, the verdicts, and
// the score that remains. The figures of the Result stay as the search found them;
// [Apply] counts those of the review.
type Review struct {
	Filter   Filter       `json:"filter"`
	Sources  []Decision   `json:"sources"`            // sources left out, by index
	Passages []Decision   `json:"passages"`           // passages left out, by index
	Places   []LeftOut    `json:"places,omitempty"`   // stretches left out for all sources
	Hints    []Accepted   `json:"hints,omitempty"`    // hints that count like passages
	NoHints  []int        `json:"no_hints,omitempty"` // hints left out with their places or sources, by index in Result.Hints
	Score    search.Score `json:"score"`              // of what remains
	Remains  []Remains    `json:"remains"`            // by source
	By       string       `json:"by,omitempty"`       // name that the reader gave
	At       time.Time    `json:"at,omitzero"`        // when the decisions were saved
	Verdicts []Verdict    `json:"verdicts,omitempty"` // no verdict changes a score
}

// Subjects of a verdict.
const (
	OfReport  = "report"
	OfSource  = "source"
	OfPassage = "passage"
)

// A Verdict is a reader's judgement of a passage, a source, or the whole text.
type Verdict struct {
	Of      string    `json:"of"`              // OfReport, OfSource or OfPassage
	Index   int       `json:"index,omitempty"` // in Result.Sources or Result.Passages
	Verdict string    `json:"verdict"`         // one of Verdicts
	Note    string    `json:"note,omitempty"`
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at,omitzero"`
}

// A Filter leaves out the kinds and grades that it names, and whatever is below its
// limits.
type Filter struct {
	Kinds         []string `json:"kinds"`          // of exclusions
	Grades        []string `json:"grades"`         // of passages
	PassageWords  int      `json:"passage_words"`  // minimum words of a passage
	SourceWords   int      `json:"source_words"`   // minimum words covered by a source
	SourcePercent float64  `json:"source_percent"` // minimum share covered by a source, 0 to 100
}

// A Decision leaves out one source or one passage.
type Decision struct {
	Index  int       `json:"index"`  // in Result.Sources or Result.Passages
	Reason string    `json:"reason"` // one of Reasons
	Note   string    `json:"note,omitempty"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at,omitzero"`
}

// A LeftOut is a stretch of the suspect that counts in no passage of any source.
type LeftOut struct {
	Suspect [2]int    `json:"suspect"` // bytes
	Word    int       `json:"word"`    // first word, counted from 0
	Words   int       `json:"words"`
	Reason  string    `json:"reason"` // one of Reasons
	Note    string    `json:"note,omitempty"`
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at,omitzero"`
}

// Remains is the part of one source that remains after the review.
type Remains struct {
	Passages int     `json:"passages"` // 0 for a source that is left out
	Covered  int     `json:"covered"`  // words of the suspect
	Percent  float64 `json:"percent"`  // covered of the suspect's words, 0 to 100
	Counted  int     `json:"counted"`  // words for which this is the best remaining source
}

// Itself is the note of the decision that leaves out the text itself.
const Itself = "the text itself"

// NewReview returns a review that leaves out what the score of r does not count: the text
// itself, if it is in the index.
func NewReview(r *Report) *Review {
	v := &Review{}
	if r.WithItself == nil {
		return v
	}
	for i, s := range r.Sources {
		if s.Own == search.OwnFile {
			v.Sources = append(v.Sources, Decision{Index: i, Reason: "own", Note: Itself})
		}
	}
	return v
}

// IncludeSelf counts the text itself in the score of r like any other source.
func IncludeSelf(r *Report) {
	r.WithItself = nil
	recount(r)
}

// Exclude adds a filter to the review of r, and decisions on the sources for which reason returns a text: their notes. It
// makes a review if there is none and something is excluded. reason may be nil.
func Exclude(r *Report, f Filter, reason func(*search.Source) string) {
	v := r.Review
	if v == nil {
		v = NewReview(r)
	}
	before := len(v.Sources)
	for _, k := range f.Kinds {
		if !slices.Contains(v.Filter.Kinds, k) {
			v.Filter.Kinds = append(v.Filter.Kinds, k)
		}
	}
	v.Filter.PassageWords = max(v.Filter.PassageWords, f.PassageWords)
	v.Filter.SourceWords = max(v.Filter.SourceWords, f.SourceWords)
	v.Filter.SourcePercent = max(v.Filter.SourcePercent, f.SourcePercent)
	for i, src := range r.Sources {
		if slices.ContainsFunc(v.Sources, func(d Decision) bool { return d.Index == i }) {
			continue
		}
		if src.Own == search.OwnFile && r.WithItself != nil {
			v.Sources = append(v.Sources, Decision{Index: i, Reason: "own", Note: Itself})
		} else if reason == nil {
			continue
		} else if why := reason(&src); why != "" {
			v.Sources = append(v.Sources, Decision{Index: i, Reason: "other", Note: why})
		}
	}
	asked := len(f.Kinds) > 0 || f.PassageWords > 0 || f.SourceWords > 0 || f.SourcePercent > 0
	if r.Review != nil || asked || len(v.Sources) > before {
		r.Review = v
		Apply(r)
	}
}

// recount counts the score of r from its passages.
func recount(r *Report) {
	found := &Report{Result: r.Result}
	total := remaining(found)
	r.Score = search.NewScore(r.Suspect.Words, total)
	if r.WithItself != nil {
		r.WithItself = new(search.NewScore(r.Suspect.Words, inputOf(found).Count(score.Choice{})))
	}
	for i := range r.Passages {
		r.Passages[i].Counted = total.Passages[i].Counted
	}
	for i := range r.Sources {
		r.Sources[i].Counted = total.Sources[i].Counted
	}
	for i := range r.Joined {
		j := &r.Joined[i]
		j.Counted = 0
		for _, part := range j.Parts {
			j.Counted += total.Passages[part-1].Counted
		}
	}
}

// upgrade adds the figures that results of earlier versions lack. Their scores counted the
// text itself, which only their reviews left out.
func upgrade(r *Report) {
	if r.Score.Percents != nil {
		return
	}
	if r.Review != nil && slices.ContainsFunc(r.Review.Sources, func(d Decision) bool { return r.Sources[d.Index].Own == search.OwnFile }) {
		r.WithItself = &r.Score
	}
	recount(r)
	Apply(r)
}

// Apply counts what remains of r once its review is applied, and writes it
// into the review. All other figures of r stay. A result without a review has
// nothing to apply.
func Apply(r *Report) {
	if r.Review == nil {
		return
	}
	total := remaining(r)
	r.Review.Score = search.NewScore(r.Suspect.Words, total)
	r.Review.NoHints, _ = hintsOf(r)
	r.Review.Remains = make([]Remains, len(total.Sources))
	for i, s := range total.Sources {
		r.Review.Remains[i] = Remains{Passages: s.Passages, Covered: s.Covered, Percent: s.Percent, Counted: s.Counted}
	}
}

// remaining counts what remains of r after its review, or its score without a review.
func remaining(r *Report) score.Total { return inputOf(r).Count(choiceOf(r)) }

// inputOf returns the input of the score for a result.
func inputOf(r *Report) *score.Input {
	in := &score.Input{Words: r.Suspect.Words, Sources: len(r.Sources), Grades: len(grades)}
	in.Shares = append(in.Shares, lists.Map(r.Sources, func(s search.Source) int { return s.Share })...)
	joined := joinedNumbers(r)
	for i, p := range r.Passages {
		in.Passages = append(in.Passages, score.Passage{
			Source: p.Source, Word: p.Word, Words: p.Words, Matched: p.Matched, Run: p.Run, Grade: gradeOf(p.Grade), Joined: joined[i]})
	}
	if r.Review != nil {
		in.Passages = append(in.Passages, lists.Map(r.Review.Hints, func(d Accepted) score.Passage { return scored(&r.Hints[d.Index]) })...)
	}
	for _, e := range r.Exclusions {
		in.Excluded = append(in.Excluded, score.Stretch{Kind: e.Kind, Word: e.Word, Words: e.Words})
	}
	return in
}

// choiceOf returns the parts of r that do not count.
func choiceOf(r *Report) score.Choice {
	v := r.Review
	if v == nil {
		v = NewReview(r)
	}
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

package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/otisk/otisk/search"
)

// maxDecisions bounds a file of decisions.
const maxDecisions = 64 << 20

// Reasons are the words for why a reader leaves something out.
var Reasons = []string{"quoted", "template", "common", "own", "other"}

// Decisions are what a reader left out of a report, as its page saves them.
// They name sources by id and passages by their places, so they also fit the
// report of a later search in which numbers have changed.
type Decisions struct {
	Kind    string `json:"otisk"`
	Format  int    `json:"format"`
	Suspect struct {
		Path  string `json:"path"`
		Bytes int    `json:"bytes"`
		Words int    `json:"words"`
	} `json:"suspect"`
	Filter   search.Filter     `json:"filter"`
	Sources  []SourceDecision  `json:"sources"`
	Passages []PassageDecision `json:"passages"`
	Score    search.Score      `json:"score"` // that the reader saw
}

// A SourceDecision leaves out one source.
type SourceDecision struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Note   string `json:"note,omitempty"`
}

// A PassageDecision leaves out one passage.
type PassageDecision struct {
	Number  int    `json:"number"`  // it had
	Source  string `json:"source"`  // id
	Suspect [2]int `json:"suspect"` // bytes
	Origin  [2]int `json:"origin"`
	Reason  string `json:"reason"`
	Note    string `json:"note,omitempty"`
}

// ReadDecisions reads what the page of a report saved.
func ReadDecisions(r io.Reader) (*Decisions, error) {
	in := &io.LimitedReader{R: r, N: maxDecisions + 1}
	d := new(Decisions)
	j := json.NewDecoder(in)
	j.DisallowUnknownFields() // a decision that is passed over would change the score silently
	err := j.Decode(d)
	if in.N <= 0 {
		return nil, fmt.Errorf("read decisions: longer than %d bytes", maxDecisions)
	}
	if err != nil {
		return nil, fmt.Errorf("read decisions: %w", err)
	}
	if d.Kind != "decisions" || d.Format != Version {
		return nil, fmt.Errorf("read decisions: kind %q of format %d, want \"decisions\" of %d", d.Kind, d.Format, Version)
	}
	return d, d.check()
}

func (d *Decisions) check() error {
	f := d.Filter
	if f.PassageWords < 0 || f.SourceWords < 0 || f.SourcePercent < 0 || f.SourcePercent > 100 {
		return fmt.Errorf("read decisions: a limit of the filter is out of range")
	}
	for _, g := range f.Grades {
		if gradeOf(g) < 0 {
			return fmt.Errorf("read decisions: unknown grade %q", g)
		}
	}
	for _, s := range d.Sources {
		if !slices.Contains(Reasons, s.Reason) {
			return fmt.Errorf("read decisions: source %s: unknown reason %q", s.ID, s.Reason)
		}
	}
	for _, p := range d.Passages {
		if !slices.Contains(Reasons, p.Reason) {
			return fmt.Errorf("read decisions: passage %d: unknown reason %q", p.Number, p.Reason)
		}
	}
	return nil
}

// Decide puts decisions into r, in the place of a review it had, and counts
// again. It returns an error if they were made on another text. Decisions on
// what r does not hold are noted in r.Notes.
func Decide(r *search.Result, d *Decisions) error {
	if s := r.Suspect; d.Suspect.Bytes != s.Bytes || d.Suspect.Words != s.Words {
		return fmt.Errorf("decisions were made on %s of %s, this report is on %s of %s",
			d.Suspect.Path, count(d.Suspect.Words, "word"), s.Path, count(s.Words, "word"))
	}
	r.Review = &search.Review{Filter: d.Filter}
	lost := 0
	for _, s := range d.Sources {
		i := slices.IndexFunc(r.Sources, func(x search.Source) bool { return x.ID == s.ID })
		if i < 0 {
			lost++
			continue
		}
		r.Review.Sources = append(r.Review.Sources, search.Decision{Index: i, Reason: s.Reason, Note: s.Note})
	}
	places := passagePlaces(r)
	for _, p := range d.Passages {
		i, ok := places[place{p.Source, p.Suspect, p.Origin}]
		if !ok {
			lost++
			continue
		}
		r.Review.Passages = append(r.Review.Passages, search.Decision{Index: i, Reason: p.Reason, Note: p.Note})
	}
	if lost > 0 {
		r.Notes = append(r.Notes, english().Text("said.decisions-lost", "n", lost))
	}
	Apply(r)
	return nil
}

// A place distinguishes one passage from another.
type place struct {
	source          string
	suspect, origin [2]int
}

func passagePlaces(r *search.Result) map[place]int {
	m := make(map[place]int, len(r.Passages))
	for i, p := range r.Passages {
		m[place{r.Sources[p.Source].ID, [2]int{p.Suspect.Start, p.Suspect.End}, [2]int{p.Origin.Start, p.Origin.End}}] = i
	}
	return m
}

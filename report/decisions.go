package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
)

// maxDecisions bounds the size of a file of decisions.
const maxDecisions = 64 << 20

// Reasons are the reasons for which a reader leaves something out.
var Reasons = []string{"quoted", "template", "common", "own", "other"}

// Decisions are a reader's decisions on a report, as its page saves them. They
// identify sources by id and passages by their places, so they also apply to the report
// of a later search in which numbers have changed.
type Decisions struct {
	Kind    string `json:"otisk"`
	Format  int    `json:"format"`
	Suspect struct {
		Path  string `json:"path"`
		Bytes int    `json:"bytes"`
		Words int    `json:"words"`
		Sum   string `json:"sha256,omitempty"` // of its text, if the report had it
	} `json:"suspect"`
	By       string            `json:"by,omitempty"` // who decided
	At       time.Time         `json:"at,omitzero"`  // when they were saved
	Filter   Filter            `json:"filter"`
	Verdicts []VerdictOn       `json:"verdicts,omitempty"`
	Sources  []SourceDecision  `json:"sources"`
	Passages []PassageDecision `json:"passages"`
	Places   []LeftOut         `json:"places,omitempty"`
	Hints    []HintDecision    `json:"hints,omitempty"` // accepted ones
	Score    search.Score      `json:"score"`           // that the reader saw
}

// A SourceDecision leaves out one source.
type SourceDecision struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Note   string `json:"note,omitempty"`
	Stamp
}

// A Stamp records who made a decision, and when.
type Stamp struct {
	By string    `json:"by,omitempty"`
	At time.Time `json:"at,omitzero"`
}

// Verdicts are the verdicts on a passage, a source or a text, from the mildest to the
// most severe; open means that it must be discussed.
var Verdicts = []string{"acceptable", "minor", "serious", "open"}

// A VerdictOn is a verdict and its subject, identified by id or by places.
type VerdictOn struct {
	Of      string  `json:"of"`               // report, source or passage
	Source  string  `json:"source,omitempty"` // id
	Name    string  `json:"name,omitempty"`   // of the source, shown where a report lacks it
	Suspect *[2]int `json:"suspect,omitempty"`
	Origin  *[2]int `json:"origin,omitempty"`
	Verdict string  `json:"verdict"`
	Note    string  `json:"note,omitempty"`
	Stamp
}

// A PassageDecision leaves out one passage.
type PassageDecision struct {
	Number  int    `json:"number"` // in the report it was made on
	Source  string `json:"source"` // id
	Name    string `json:"name,omitempty"`
	Suspect [2]int `json:"suspect"` // bytes
	Origin  [2]int `json:"origin"`
	Reason  string `json:"reason"`
	Note    string `json:"note,omitempty"`
	Stamp
}

// ReadDecisions reads a file of decisions that the page of a report saved.
func ReadDecisions(r io.Reader) (*Decisions, error) {
	d := new(Decisions)
	err := d.decode(r)
	if err == nil {
		err = d.check()
	}
	if err != nil {
		return nil, phrase.Error("read.decisions", "read decisions: {cause}", "cause", err)
	}
	return d, nil
}

func (d *Decisions) decode(r io.Reader) error {
	in := &io.LimitedReader{R: r, N: maxDecisions + 1}
	j := json.NewDecoder(in)
	j.DisallowUnknownFields() // skipping a decision would change the score without notice
	err := j.Decode(d)
	switch {
	case in.N <= 0:
		return phrase.Error("read.longer", "longer than {most} bytes", "most", maxDecisions)
	case err != nil:
		return jsonFault(err, errNoDecisions)
	}
	if _, err := j.Token(); !errors.Is(err, io.EOF) {
		return phrase.Error("read.several-sets", "the file contains more than one set of decisions, or other data after it: put each reviewer's file into a folder, and name that")
	}
	switch {
	case d.Kind != "decisions":
		return errNoDecisions
	case d.Format != Version:
		return phrase.Error("read.format", "format {found}, this program reads {known}", "found", d.Format, "known", Version)
	}
	return nil
}

// errNoDecisions is the error for a file that has no decisions.
var errNoDecisions = phrase.Error("read.no-decisions", "not a file of decisions that the page of a report saved")

// checkReason returns an error for an unknown reason of the decision on a source, a passage or a place.
func checkReason(of error, reason string) error {
	if slices.Contains(Reasons, reason) {
		return nil
	}
	return phrase.Error("read.reason", "{of}: unknown reason {name}", "of", of, "name", strconv.Quote(reason))
}

func (d *Decisions) check() error {
	f := d.Filter
	if f.PassageWords < 0 || f.SourceWords < 0 || f.SourcePercent < 0 || f.SourcePercent > 100 {
		return phrase.Error("read.filter", "filter limit out of range")
	}
	for _, g := range f.Grades {
		if gradeOf(g) < 0 {
			return phrase.Error("read.grade", "unknown grade {name}", "name", strconv.Quote(string(g)))
		}
	}
	for _, s := range d.Sources {
		if err := checkReason(phrase.Error("read.of-source", "source {name}", "name", s.ID), s.Reason); err != nil {
			return err
		}
	}
	for _, v := range d.Verdicts {
		if !slices.Contains(Verdicts, v.Verdict) || !v.complete() {
			return phrase.Error("read.verdict", "unknown verdict {name} on {of}", "name", strconv.Quote(v.Verdict), "of", strconv.Quote(v.Of))
		}
	}
	for _, p := range d.Passages {
		if err := checkReason(phrase.Error("read.of-passage", "passage {number}", "number", p.Number), p.Reason); err != nil {
			return err
		}
	}
	for _, p := range d.Places {
		if err := checkReason(phrase.Error("read.of-place", "place at byte {byte}", "byte", p.Suspect[0]), p.Reason); err != nil {
			return err
		}
	}
	for _, h := range d.Hints {
		if hintKinds[h.Kind] == "" {
			return phrase.Error("read.hint", "unknown kind of hint {name}", "name", strconv.Quote(h.Kind))
		}
	}
	return nil
}

// complete reports whether the verdict identifies its subject.
func (v *VerdictOn) complete() bool {
	switch v.Of {
	case OfReport:
		return true
	case OfSource:
		return v.Source != ""
	case OfPassage:
		return v.Source != "" && v.Suspect != nil && v.Origin != nil
	}
	return false
}

// Fits reports whether the decisions were made on the text of r, judged by its name,
// too: a folder may have decisions on several texts of one size.
func (d *Decisions) Fits(r *Report) bool {
	return d.on(&r.Suspect) && lastPart(d.Suspect.Path) == lastPart(r.Suspect.Path)
}

// on reports whether the decisions were made on the text of s, by its checksum or, if one
// side has none, by its size.
func (d *Decisions) on(s *search.Suspect) bool {
	if sum := sumOf(s); sum != "" && d.Suspect.Sum != "" {
		return d.Suspect.Sum == sum
	}
	return d.Suspect.Bytes == s.Bytes && d.Suspect.Words == s.Words
}

// sumOf returns the SHA-256 of a text, "" if the result has no text.
func sumOf(s *search.Suspect) string {
	if s.Text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s.Text))
	return hex.EncodeToString(sum[:])
}

// Decide replaces the review of r by decisions and counts the score again. It returns an
// error if the decisions were made on another text. It notes in r.Notes how many
// decisions are about sources or passages that r does not contain.
func Decide(r *Report, d *Decisions) error {
	lost, err := setReview(r, d)
	if err != nil {
		return err
	}
	if lost > 0 {
		r.Note(phrase.Counted("said.decisions-lost", "{n} decision on a source or passage that this report does not have", "{n} decisions on a source or passage that this report does not have", lost))
	}
	Apply(r)
	return nil
}

// setReview replaces the review of r by decisions, without its score. It returns how many of them are
// about sources or passages that r does not contain.
func setReview(r *Report, d *Decisions) (lost int, err error) {
	if s := &r.Suspect; !d.on(s) {
		return 0, phrase.Error("read.other-text", "the decisions were made on another text, {decided} (words: {there}); this report is on {path} (words: {words})",
			"decided", d.Suspect.Path, "there", d.Suspect.Words, "path", s.Path, "words", s.Words)
	}
	r.Review = &Review{Filter: d.Filter, By: d.By, At: d.At}
	for _, s := range d.Sources {
		i := slices.IndexFunc(r.Sources, func(x search.Source) bool { return x.ID == s.ID })
		if i < 0 {
			lost++
			continue
		}
		r.Review.Sources = append(r.Review.Sources, Decision{Index: i, Reason: s.Reason, Note: s.Note, By: s.By, At: s.At})
	}
	places := passagePlaces(r)
	for _, p := range d.Passages {
		i, ok := places[place{p.Source, p.Suspect, p.Origin}]
		if !ok {
			lost++
			continue
		}
		r.Review.Passages = append(r.Review.Passages, Decision{Index: i, Reason: p.Reason, Note: p.Note, By: p.By, At: p.At})
	}
	for _, p := range d.Places {
		if err := checkWords(r, search.Span{Start: p.Suspect[0], End: p.Suspect[1]}, p.Word, p.Words); err != nil {
			lost++
			continue
		}
		r.Review.Places = append(r.Review.Places, p)
	}
	lost += acceptHints(r, d.Hints)
	for _, v := range d.Verdicts {
		i, ok := v.on(r, places)
		if !ok {
			lost++
			continue
		}
		r.Review.Verdicts = append(r.Review.Verdicts, Verdict{Of: v.Of, Index: i, Verdict: v.Verdict, Note: v.Note, By: v.By, At: v.At})
	}
	return lost, nil
}

// on returns the index of the source or passage of r that is the verdict's subject.
func (v *VerdictOn) on(r *Report, places map[place]int) (index int, ok bool) {
	switch v.Of {
	case OfSource:
		index = slices.IndexFunc(r.Sources, func(x search.Source) bool { return x.ID == v.Source })
		return index, index >= 0
	case OfPassage:
		index, ok = places[place{v.Source, *v.Suspect, *v.Origin}]
		return index, ok
	}
	return 0, true
}

// A place identifies a passage.
type place struct {
	source          string
	suspect, origin [2]int
}

func passagePlaces(r *Report) map[place]int {
	m := make(map[place]int, len(r.Passages))
	for i, p := range r.Passages {
		m[place{r.Sources[p.Source].ID, [2]int{p.Suspect.Start, p.Suspect.End}, [2]int{p.Origin.Start, p.Origin.End}}] = i
	}
	return m
}

package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/otisk/otisk/search"
)

// decisionsOn returns decisions on the sample, as its page would save them.
func decisionsOn(r *Report) *Decisions {
	d := &Decisions{Kind: "decisions", Format: Version}
	d.Suspect.Path, d.Suspect.Bytes, d.Suspect.Words = r.Suspect.Path, r.Suspect.Bytes, r.Suspect.Words
	d.Filter = Filter{Kinds: []string{"quotation"}, PassageWords: 3}
	d.Sources = []SourceDecision{{ID: "00000000000000b2", Reason: "own", Note: "žena <b>"}}
	p := r.Passages[0]
	d.Passages = []PassageDecision{{Number: 99, Source: "00000000000000a1", Reason: "common",
		Suspect: [2]int{p.Suspect.Start, p.Suspect.End}, Origin: [2]int{p.Origin.Start, p.Origin.End}}}
	return d
}

func readBack(t *testing.T, d *Decisions) (*Decisions, error) {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return ReadDecisions(strings.NewReader(string(text)))
}

func TestDecide(t *testing.T) {
	r := sample()
	d, err := readBack(t, decisionsOn(r))
	if err != nil {
		t.Fatal(err)
	}
	if err := Decide(r, d); err != nil {
		t.Fatal(err)
	}
	v := r.Review
	if len(v.Sources) != 1 || v.Sources[0].Index != 1 || len(v.Passages) != 1 || v.Passages[0].Index != 0 {
		t.Errorf("review = %+v, want source 1 and passage 0 left out", v)
	}
	if v.Score.Covered != 0 || r.Score.Covered != 37 {
		t.Errorf("%d words remain of %d, want 0 of 37", v.Score.Covered, r.Score.Covered)
	}
	if len(r.Notes) != 1 {
		t.Errorf("notes = %q, want only the one there was", r.Notes)
	}
}

// TestDecideVerdicts: verdicts on sources and passages belong to those that they were made on, and others are reported
// as lost.
func TestDecideVerdicts(t *testing.T) {
	r := sample()
	d := decisionsOn(r)
	p := d.Passages[0]
	beside := [2]int{p.Suspect[0] + 1, p.Suspect[1]}
	d.Verdicts = []VerdictOn{
		{Of: OfSource, Source: "00000000000000a1", Verdict: "minor"}, {Of: OfSource, Source: "00000000000000ff", Verdict: "minor"},
		{Of: OfPassage, Source: p.Source, Suspect: &p.Suspect, Origin: &p.Origin, Verdict: "serious"},
		{Of: OfPassage, Source: p.Source, Suspect: &beside, Origin: &p.Origin, Verdict: "serious"},
	}
	d, err := readBack(t, d)
	if err != nil {
		t.Fatal(err)
	}
	if err := Decide(r, d); err != nil {
		t.Fatal(err)
	}
	if v := r.Review.Verdicts; len(v) != 2 || v[0].Of != OfSource || v[0].Index != 0 || v[1].Of != OfPassage || v[1].Index != 0 {
		t.Errorf("verdicts %+v, want one on source 0 and one on passage 0", v)
	}
	if got := r.Notes[len(r.Notes)-1]; got != "2 decisions on a source or passage that this report does not have" {
		t.Errorf("last note = %q", got)
	}
}

// TestForgetInDecisions replaces the id and the name of a deleted document wherever decisions have them.
func TestForgetInDecisions(t *testing.T) {
	const id, to = "00000000000000a1", "00000000000000c3"
	d := &Decisions{
		Sources:  []SourceDecision{{ID: id, Name: "a.txt"}, {ID: "00000000000000b2", Name: "b.txt"}},
		Passages: []PassageDecision{{Source: id, Name: "a.txt"}},
		Verdicts: []VerdictOn{{Of: OfSource, Source: id, Name: "a.txt"}},
		Hints:    []HintDecision{{Source: id, Name: "a.txt"}},
	}
	if !d.Forget(map[string]string{id: to}) {
		t.Error("Forget reports no change")
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); strings.Contains(s, id) || strings.Contains(s, "a.txt") || strings.Count(s, to) != 4 || !strings.Contains(s, "b.txt") {
		t.Errorf("decisions after Forget: %s", s)
	}
	if d.Forget(map[string]string{id: to}) {
		t.Error("Forget again reports a change")
	}
}

// TestDecideByGrade: passages of a grade that the filter has are not counted.
func TestDecideByGrade(t *testing.T) {
	r := sample()
	d := decisionsOn(r)
	d.Filter, d.Sources, d.Passages = Filter{Grades: []string{search.Verbatim}}, nil, nil
	if err := Decide(r, d); err != nil {
		t.Fatal(err)
	}
	edited := r.Passages[1].Words
	if got := r.Review.Score.Covered; got == 0 || got > edited || got == r.Score.Covered {
		t.Errorf("%d words are counted without verbatim passages, want those of the edited one, at most %d", got, edited)
	}
}

func TestDecideOnOtherThings(t *testing.T) {
	r := sample()
	d := decisionsOn(r)
	d.Sources[0].ID = "00000000000000ff"
	d.Passages[0].Suspect[0]++
	if err := Decide(r, d); err != nil {
		t.Fatal(err)
	}
	if got := r.Notes[len(r.Notes)-1]; got != "2 decisions on a source or passage that this report does not have" {
		t.Errorf("last note = %q", got)
	}
	d.Suspect.Sum = sumOf(&r.Suspect)
	d.Suspect.Words++ // by other rules: the text is the same
	if err := Decide(r, d); err != nil || !d.Fits(r) {
		t.Errorf("Decide with decisions on the same text, counted otherwise = %v", err)
	}
	d.Suspect.Words--
	d.Suspect.Sum = sumOf(&search.Suspect{Text: "another text"})
	if err := Decide(r, d); err == nil || d.Fits(r) {
		t.Error("Decide with decisions on another text of the same size did not fail")
	}
	d.Suspect.Sum = ""
	d.Suspect.Words++
	if err := Decide(r, d); err == nil || !strings.Contains(err.Error(), "were made on") {
		t.Errorf("Decide with decisions on another text = %v", err)
	}
}

func TestReadDecisionsRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(d *Decisions)
		want   string
	}{
		{"a report", func(d *Decisions) { d.Kind = "report" }, "not a file of decisions"},
		{"later format", func(d *Decisions) { d.Format = 2 }, "format 2, this program reads 1"},
		{"reason", func(d *Decisions) { d.Sources[0].Reason = "bribed" }, `unknown reason "bribed"`},
		{"reason of a passage", func(d *Decisions) { d.Passages[0].Reason = "" }, "passage 99: unknown reason"},
		{"grade", func(d *Decisions) { d.Filter.Grades = []string{"all"} }, `unknown grade "all"`},
		{"limit", func(d *Decisions) { d.Filter.SourcePercent = 101 }, "out of range"},
	}
	for _, tt := range tests {
		d := decisionsOn(sample())
		tt.change(d)
		if _, err := readBack(t, d); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: ReadDecisions = %v, want an error with %q", tt.name, err, tt.want)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"", "the file is empty"},
		{"[]", "not a file of decisions"},
		{`"Tom!" No answer.`, "not a file of decisions"},
		{`{"otisk":"decisions","format":1,"leave_out":[]}`, `unknown field "leave_out"`},
	} {
		if _, err := ReadDecisions(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("ReadDecisions(%q) = %v, want an error with %q", tt.text, err, tt.want)
		}
	}
}

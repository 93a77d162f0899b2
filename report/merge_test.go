package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
)

// reviewedBy returns the decisions of one reviewer.
func reviewedBy(by string, day int, change func(*Decisions)) *Decisions {
	d := &Decisions{Kind: "decisions", Format: Version, By: by, At: time.Date(2026, 11, day, 10, 0, 0, 0, time.UTC)}
	d.Filter = Filter{Kinds: []string{}, Grades: []string{}}
	change(d)
	return d
}

func textsOf(list []*phrase.Phrase) (texts []string) {
	for _, p := range list {
		texts = append(texts, p.Error())
	}
	return texts
}

// TestDifferencesAreTranslated: the differences between reviewers are in the language of a report that is read back from JSON, with
// the names of kinds and verdicts, and a name with a colon stays as it is.
func TestDifferencesAreTranslated(t *testing.T) {
	r := sample()
	a := reviewedBy("Nová", 1, func(d *Decisions) {
		d.Filter.Kinds = []string{"quotation"}
		d.Sources = []SourceDecision{{ID: "x", Name: "a: hidden text.txt", Reason: "own"}}
		d.Verdicts = []VerdictOn{{Of: "report", Verdict: "serious", Note: "one chapter"}}
	})
	b := reviewedBy("Dvořák", 2, func(d *Decisions) { d.Verdicts = []VerdictOn{{Of: "report", Verdict: "acceptable"}} })
	_, differ := Merge([]*Decisions{a, b}, []string{"", ""})
	r.Notes = nil
	for _, d := range differ {
		r.Note(phrase.Error("error.reviewers-differ", "reviewers differ: {what}", "what", d))
	}
	stored := render(t, "json", r, Options{})
	if value, err := jsonschema.UnmarshalJSON(strings.NewReader(stored)); err != nil || jsonSchema(t, "otisk-report.schema.json").Validate(value) != nil {
		t.Error("the report with messages does not follow its schema", err)
	}
	read, err := ReadJSON(strings.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	text := render(t, "text", read, Options{Lang: lang.Of("cs"), Width: 200})
	for _, want := range []string{"posuzovatelé se liší: vše, co je citace: vynechává Nová, Dvořák nikoli", "zdroj a: hidden text.txt: vynechává Nová, Dvořák nikoli",
		"posouzení celého textu se liší: Nová: opsáno bez uvedení zdroje (one chapter), Dvořák: v pořádku"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%.1500s", want, text)
		}
	}
}

// TestMerge joins the decisions of two reviewers: nothing of either is lost, whichever comes
// first, and each difference is named with who decided what.
func TestMerge(t *testing.T) {
	first := reviewedBy("Nová", 1, func(d *Decisions) {
		d.Sources = []SourceDecision{{ID: "a", Name: "a.txt", Reason: "own"}, {ID: "b", Name: "b.txt", Reason: "quoted"}}
		d.Verdicts = []VerdictOn{{Of: "report", Verdict: "serious", Note: "one chapter"}, {Of: "source", Source: "c", Name: "c.txt", Verdict: "minor"}}
		d.Filter.Kinds, d.Filter.PassageWords = []string{"quotation"}, 20
	})
	second := reviewedBy("Dvořák", 2, func(d *Decisions) {
		d.Sources = []SourceDecision{{ID: "b", Name: "b.txt", Reason: "quoted"}}
		d.Passages = []PassageDecision{{Number: 3, Source: "c", Name: "c.txt", Suspect: [2]int{5, 9}, Origin: [2]int{1, 5}, Reason: "common"}}
		d.Verdicts = []VerdictOn{{Of: "report", Verdict: "acceptable"}, {Of: "source", Source: "c", Name: "c.txt", Verdict: "minor"}}
		d.Filter.Grades = []string{search.Reworded}
	})
	want := []string{
		"source a.txt is left out by Nová, and not by Dvořák",
		"the passage at bytes 5 to 9 from c.txt is left out by Dvořák, and not by Nová",
		"all that is quotation is left out by Nová, and not by Dvořák",
		"all that is reworded is left out by Dvořák, and not by Nová",
		"the minimum words of a passage differ, Nová 20, Dvořák 0",
		"verdicts on the whole text differ, Nová: serious (one chapter), Dvořák: acceptable",
	}
	m, differ := Merge([]*Decisions{first, second}, []string{"1.json", "2.json"})
	if got := textsOf(differ); !slices.Equal(got, want) {
		t.Errorf("differences\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(m.Sources) != 2 || len(m.Passages) != 1 || len(m.Verdicts) != 2 || m.Filter.PassageWords != 20 || m.By != "Nová, Dvořák" {
		t.Errorf("merged: %+v", m)
	}
	if v := m.Verdicts[0]; v.Verdict != "open" || v.By != "Nová, Dvořák" {
		t.Errorf("two verdicts on the whole text make %+v, want an open one by both", v)
	}
	if v := m.Verdicts[1]; v.Verdict != "minor" {
		t.Errorf("one verdict of both makes %+v", v)
	}
	other, _ := Merge([]*Decisions{second, first}, []string{"2.json", "1.json"})
	if len(other.Sources) != 2 || len(other.Passages) != 1 || other.Filter.PassageWords != 20 {
		t.Errorf("the other way round: %+v", other)
	}
}

// TestMergeStamps: each merged decision states who made it, and verdicts on two passages of one source stay two.
func TestMergeStamps(t *testing.T) {
	places := [][2]int{{5, 9}, {20, 31}}
	first := reviewedBy("Nová", 1, func(d *Decisions) {
		d.Passages = []PassageDecision{{Number: 1, Source: "c", Suspect: places[0], Origin: places[0], Reason: "common"}}
		for i, verdict := range []string{"minor", "serious"} {
			d.Verdicts = append(d.Verdicts, VerdictOn{Of: OfPassage, Source: "c", Suspect: &places[i], Origin: &places[i], Verdict: verdict})
		}
	})
	second := reviewedBy("Dvořák", 2, func(d *Decisions) {
		d.Places = []LeftOut{{Suspect: places[1]}}
	})
	m, _ := Merge([]*Decisions{first, second}, []string{"1.json", "2.json"})
	if len(m.Passages) != 1 || m.Passages[0].By != "Nová" || len(m.Places) != 1 || m.Places[0].By != "Dvořák" {
		t.Errorf("passages %+v, places %+v, want one by Nová and one by Dvořák", m.Passages, m.Places)
	}
	if v := m.Verdicts; len(v) != 2 || v[0].Verdict != "minor" || v[1].Verdict != "serious" {
		t.Errorf("verdicts %+v, want one on each passage", v)
	}
}

// TestMergeOfOneReviewer: of one person the latest decisions count; of two who gave no name,
// both do, by the names of their files.
func TestMergeOfOneReviewer(t *testing.T) {
	old := reviewedBy("Nová", 1, func(d *Decisions) { d.Sources = []SourceDecision{{ID: "a", Reason: "own"}} })
	late := reviewedBy("Nová", 2, func(d *Decisions) {})
	for _, all := range [][]*Decisions{{old, late}, {late, old}} {
		if m, differ := Merge(all, []string{"1.json", "2.json"}); m != late || len(differ) > 0 {
			t.Errorf("Merge = %+v, %q, want the later decisions", m, differ)
		}
	}
	old.By, late.By = "", ""
	_, differ := Merge([]*Decisions{old, late}, []string{"1.json", "2.json"})
	if want := []string{"source a is left out by 1.json, and not by 2.json"}; !slices.Equal(textsOf(differ), want) {
		t.Errorf("differences %q, want %q", differ, want)
	}
}

// TestDecisionsJoined refuses two files in one: the second would be passed over.
func TestDecisionsJoined(t *testing.T) {
	const one = `{"otisk": "decisions", "format": 1, "suspect": {"path": "a", "bytes": 1, "words": 1}, "filter": {}, "sources": [], "passages": [], "score": {}}`
	if _, err := ReadDecisions(strings.NewReader(one + "\n")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{one + one, one + "\n" + one + "\n", one + "x"} {
		if _, err := ReadDecisions(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "more than one set of decisions") {
			t.Errorf("ReadDecisions of two = %v, want an error that says so", err)
		}
	}
}

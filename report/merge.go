package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
)

// Merge joins the decisions of several reviewers of one text, and returns a note on
// each difference. names identify reviewers without a name, by their files for example.
//
// Of one reviewer, the latest decisions count. A passage, source or place is left out if any
// reviewer left it out, a hint counts if any reviewer accepted it, and the stricter of two limits counts. If verdicts on one subject differ, its verdict is
// "open", with a note of each reviewer's verdict, for the committee to decide.
func Merge(all []*Decisions, names []string) (merged *Decisions, differ []*phrase.Phrase) {
	reviewers := reviewersOf(all, names)
	if len(reviewers) == 1 {
		return reviewers[0].Decisions, nil
	}
	m := &merger{}
	first := reviewers[0].Decisions
	merged = &Decisions{Kind: first.Kind, Format: first.Format, Suspect: first.Suspect, Score: first.Score}
	for _, r := range reviewers {
		m.names = append(m.names, r.name)
		if r.At.After(merged.At) {
			merged.At, merged.Suspect = r.At, r.Suspect
		}
	}
	merged.By = strings.Join(m.names, ", ")
	merged.Sources = union(m, reviewers, func(d *Decisions) []SourceDecision { return d.Sources },
		func(s SourceDecision) subject {
			return subject{s.ID, phrase.Error("differ.source", "source {name}", "name", cmp.Or(s.Name, s.ID))}
		}, func(s *SourceDecision) *string { return &s.By })
	merged.Passages = union(m, reviewers, func(d *Decisions) []PassageDecision { return d.Passages }, passageKey,
		func(p *PassageDecision) *string { return &p.By })
	merged.Places = union(m, reviewers, func(d *Decisions) []LeftOut { return d.Places },
		func(p LeftOut) subject {
			return subject{fmt.Sprint(p.Suspect), phrase.Error("differ.place", "the place at bytes {start} to {end}", "start", p.Suspect[0], "end", p.Suspect[1])}
		}, func(p *LeftOut) *string { return &p.By })
	m.accepted = true
	merged.Hints = union(m, reviewers, func(d *Decisions) []HintDecision { return d.Hints }, hintKey,
		func(h *HintDecision) *string { return &h.By })
	m.accepted = false
	merged.Filter = m.filter(reviewers)
	merged.Verdicts = m.verdicts(reviewers)
	return merged, m.differ
}

// A subject is the object of a decision: a key and its name.
type subject struct {
	key  string
	name *phrase.Phrase
}

func hintKey(h HintDecision) subject {
	return subject{fmt.Sprint(h.Suspect, h.Kind, h.Source, h.Origin),
		phrase.Error("differ.hint", "the hint at bytes {start} to {end} from {name}", "start", h.Suspect[0], "end", h.Suspect[1], "name", cmp.Or(h.Name, h.Source))}
}

func passageKey(p PassageDecision) subject {
	return subject{fmt.Sprint(p.Suspect, p.Source, p.Origin),
		phrase.Error("differ.passage", "the passage at bytes {start} to {end} from {name}", "start", p.Suspect[0], "end", p.Suspect[1], "name", cmp.Or(p.Name, p.Source))}
}

// A reviewer is a name and the latest decisions under it.
type reviewer struct {
	name string
	*Decisions
}

// reviewersOf returns the reviewers, in the order of all.
func reviewersOf(all []*Decisions, names []string) (list []reviewer) {
	for i, d := range all {
		at := slices.IndexFunc(list, func(r reviewer) bool { return d.By != "" && r.By == d.By })
		switch {
		case at < 0:
			list = append(list, reviewer{cmp.Or(d.By, names[i]), d})
		case list[at].At.Before(d.At):
			list[at].Decisions = d
		}
	}
	return list
}

// A merger records differences between reviewers.
type merger struct {
	names    []string
	accepted bool // the decisions that are merged accept hints
	differ   []*phrase.Phrase
}

// only records a decision that some reviewers made and others did not.
func (m *merger) only(what *phrase.Phrase, who []string) {
	if len(who) == len(m.names) {
		return
	}
	others := slices.DeleteFunc(slices.Clone(m.names), func(name string) bool { return slices.Contains(who, name) })
	by, not := strings.Join(who, ", "), strings.Join(others, ", ")
	note := phrase.Error("differ.left-out", "{what} is left out by {by}, and not by {others}", "what", what, "by", by, "others", not)
	if m.accepted {
		note = phrase.Error("differ.accepted", "{what} is accepted by {by}, and not by {others}", "what", what, "by", by, "others", not)
	}
	m.differ = append(m.differ, note)
}

// union returns the decisions that are in the list of any reviewer, without duplicates. by returns who made one.
func union[T any](m *merger, reviewers []reviewer, list func(*Decisions) []T, of func(T) subject, by func(*T) *string) (all []T) {
	who := map[string][]string{}
	var order []subject
	for _, r := range reviewers {
		for _, x := range list(r.Decisions) {
			s := of(x)
			if slices.Contains(who[s.key], r.name) {
				continue
			}
			if who[s.key] == nil {
				*by(&x) = cmp.Or(*by(&x), r.name)
				all, order = append(all, x), append(order, s)
			}
			who[s.key] = append(who[s.key], r.name)
		}
	}
	for _, s := range order {
		m.only(s.name, who[s.key])
	}
	return all
}

// filter returns the strictest limits, and all excluded kinds and grades.
func (m *merger) filter(reviewers []reviewer) (f Filter) {
	kinds, grades := map[string][]string{}, map[string][]string{}
	limits := []struct {
		differ func(said string) *phrase.Phrase
		of     func(*Filter) float64
		set    func(float64)
	}{
		{func(said string) *phrase.Phrase {
			return phrase.Error("differ.passage-words", "the minimum words of a passage differ, {said}", "said", said)
		}, func(f *Filter) float64 { return float64(f.PassageWords) }, func(x float64) { f.PassageWords = int(x) }},
		{func(said string) *phrase.Phrase {
			return phrase.Error("differ.source-words", "the minimum words of a source differ, {said}", "said", said)
		}, func(f *Filter) float64 { return float64(f.SourceWords) }, func(x float64) { f.SourceWords = int(x) }},
		{func(said string) *phrase.Phrase {
			return phrase.Error("differ.source-percent", "the minimum percentages of a source differ, {said}", "said", said)
		}, func(f *Filter) float64 { return f.SourcePercent }, func(x float64) { f.SourcePercent = x }},
	}
	for _, r := range reviewers {
		for _, k := range r.Filter.Kinds {
			kinds[k] = append(kinds[k], r.name)
		}
		for _, g := range r.Filter.Grades {
			grades[g] = append(grades[g], r.name)
		}
	}
	m.each(kinds, kindMessages)
	m.each(grades, gradeMessages)
	f.Kinds, f.Grades = slices.Sorted(maps.Keys(kinds)), slices.Sorted(maps.Keys(grades))
	for _, l := range limits {
		most, said, differ := 0.0, []string(nil), false
		for _, r := range reviewers {
			x := l.of(&r.Filter)
			differ = differ || len(said) > 0 && x != l.of(&reviewers[0].Filter)
			most, said = max(most, x), append(said, fmt.Sprintf("%s %v", r.name, x))
		}
		if l.set(most); differ {
			m.differ = append(m.differ, l.differ(strings.Join(said, ", ")))
		}
	}
	return f
}

// each records the kinds or grades, which messages name, that only some reviewers left out.
func (m *merger) each(who map[string][]string, messages map[string]string) {
	for _, what := range slices.Sorted(maps.Keys(who)) {
		m.only(phrase.Error("differ.all", "all that is {kind}", "kind", phrase.Error(messages[what], what)), who[what])
	}
}

// verdicts returns one verdict on each subject.
func (m *merger) verdicts(reviewers []reviewer) (all []VerdictOn) {
	on := map[string][]VerdictOn{}
	var order []string
	for _, r := range reviewers {
		for _, v := range r.Verdicts {
			v.By = cmp.Or(v.By, r.name)
			key := verdictKey(v)
			if on[key] == nil {
				order = append(order, key)
			}
			on[key] = append(on[key], v)
		}
	}
	return lists.Map(order, func(key string) VerdictOn { return m.agree(on[key]) })
}

func verdictKey(v VerdictOn) string {
	key := v.Of + " " + v.Source
	if v.Suspect != nil && v.Origin != nil {
		key += fmt.Sprint(*v.Suspect, *v.Origin)
	}
	return key
}

// agree returns the joint verdict of several reviewers on one subject.
func (m *merger) agree(list []VerdictOn) VerdictOn {
	v := list[0]
	if !slices.ContainsFunc(list, func(o VerdictOn) bool { return o.Verdict != v.Verdict }) {
		return v
	}
	var said phrase.List
	var by []string
	for _, o := range list {
		verdict := phrase.Error(verdictMessages[o.Verdict], o.Verdict)
		part := phrase.Error("differ.verdict", "{name}: {verdict}", "name", o.By, "verdict", verdict)
		if o.Note != "" {
			part = phrase.Error("differ.verdict-note", "{name}: {verdict} ({note})", "name", o.By, "verdict", verdict, "note", o.Note)
		}
		said, by = append(said, part), append(by, o.By)
		if o.At.After(v.At) {
			v.At = o.At
		}
	}
	v.Verdict, v.Note, v.By = "open", said.String(), strings.Join(by, ", ")
	name := cmp.Or(v.Name, v.Source)
	switch v.Of {
	case OfReport:
		m.differ = append(m.differ, phrase.Error("differ.verdicts", "verdicts on the whole text differ, {said}", "said", said))
	case OfSource:
		m.differ = append(m.differ, phrase.Error("differ.verdicts-source", "verdicts on the source {name} differ, {said}", "name", name, "said", said))
	default:
		m.differ = append(m.differ, phrase.Error("differ.verdicts-passage", "verdicts on a passage from {name} differ, {said}", "name", name, "said", said))
	}
	return v
}

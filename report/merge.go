package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Merge joins the decisions of several reviewers of one text, and returns a sentence for
// each difference. names identify reviewers without a name, by their files for example.
//
// Of one reviewer, the latest decisions count. A passage, source or place is left out if any
// reviewer left it out, a hint counts if any reviewer accepted it, and the stricter of two limits counts. If verdicts on one subject differ, its verdict is
// "open", with a note of each reviewer's verdict, for the committee to decide.
func Merge(all []*Decisions, names []string) (merged *Decisions, differ []string) {
	reviewers := reviewersOf(all, names)
	if len(reviewers) == 1 {
		return reviewers[0].Decisions, nil
	}
	m := &merger{verb: "left out"}
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
		func(s SourceDecision) string { return "source " + cmp.Or(s.Name, s.ID) + "\x00" + s.ID }, stampSource)
	merged.Passages = union(m, reviewers, func(d *Decisions) []PassageDecision { return d.Passages }, passageKey, stampPassage)
	merged.Places = union(m, reviewers, func(d *Decisions) []LeftOut { return d.Places },
		func(p LeftOut) string {
			return fmt.Sprintf("the place at bytes %d to %d", p.Suspect[0], p.Suspect[1])
		}, stampPlace)
	m.verb = "accepted"
	merged.Hints = union(m, reviewers, func(d *Decisions) []HintDecision { return d.Hints }, hintKey, stampHint)
	m.verb = "left out"
	merged.Filter = m.filter(reviewers)
	merged.Verdicts = m.verdicts(reviewers)
	return merged, m.differ
}

func stampSource(s *SourceDecision, by string) { s.By = cmp.Or(s.By, by) }

func stampPassage(p *PassageDecision, by string) { p.By = cmp.Or(p.By, by) }

func stampPlace(p *LeftOut, by string) { p.By = cmp.Or(p.By, by) }

func stampHint(h *HintDecision, by string) { h.By = cmp.Or(h.By, by) }

func hintKey(h HintDecision) string {
	return fmt.Sprintf("the hint at bytes %d to %d from %s\x00%s %s %v", h.Suspect[0], h.Suspect[1], cmp.Or(h.Name, h.Source), h.Kind, h.Source, h.Origin)
}

func passageKey(p PassageDecision) string {
	return fmt.Sprintf("the passage at bytes %d to %d from %s\x00%s %v", p.Suspect[0], p.Suspect[1], cmp.Or(p.Name, p.Source), p.Source, p.Origin)
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
	names  []string
	verb   string // of the decisions that are merged
	differ []string
}

// only records a decision that some reviewers made and others did not.
func (m *merger) only(what string, who []string) {
	if len(who) == len(m.names) {
		return
	}
	others := slices.DeleteFunc(slices.Clone(m.names), func(name string) bool { return slices.Contains(who, name) })
	m.differ = append(m.differ, fmt.Sprintf("%s is %s by %s, and not by %s", what, m.verb, strings.Join(who, ", "), strings.Join(others, ", ")))
}

// union returns the decisions that are in the list of any reviewer, without duplicates. A
// key starts with the name of its subject, up to a zero byte.
func union[T any](m *merger, reviewers []reviewer, list func(*Decisions) []T, key func(T) string, stamp func(*T, string)) (all []T) {
	who := map[string][]string{}
	var order []string
	for _, r := range reviewers {
		for _, x := range list(r.Decisions) {
			k := key(x)
			if slices.Contains(who[k], r.name) {
				continue
			}
			if who[k] == nil {
				stamp(&x, r.name)
				all, order = append(all, x), append(order, k)
			}
			who[k] = append(who[k], r.name)
		}
	}
	for _, k := range order {
		what, _, _ := strings.Cut(k, "\x00")
		m.only(what, who[k])
	}
	return all
}

// filter returns the strictest limits, and all excluded kinds and grades.
func (m *merger) filter(reviewers []reviewer) (f Filter) {
	kinds, grades := map[string][]string{}, map[string][]string{}
	limits := []struct {
		what string
		of   func(*Filter) float64
		set  func(float64)
	}{
		{"passages below words", func(f *Filter) float64 { return float64(f.PassageWords) }, func(x float64) { f.PassageWords = int(x) }},
		{"sources below words", func(f *Filter) float64 { return float64(f.SourceWords) }, func(x float64) { f.SourceWords = int(x) }},
		{"sources below percent", func(f *Filter) float64 { return f.SourcePercent }, func(x float64) { f.SourcePercent = x }},
	}
	for _, r := range reviewers {
		for _, k := range r.Filter.Kinds {
			kinds[k] = append(kinds[k], r.name)
		}
		for _, g := range r.Filter.Grades {
			grades[g] = append(grades[g], r.name)
		}
	}
	for _, names := range []map[string][]string{kinds, grades} {
		for _, what := range slices.Sorted(maps.Keys(names)) {
			m.only("all that is "+what, names[what])
		}
	}
	f.Kinds, f.Grades = slices.Sorted(maps.Keys(kinds)), slices.Sorted(maps.Keys(grades))
	for _, l := range limits {
		most, said, differ := 0.0, []string(nil), false
		for _, r := range reviewers {
			x := l.of(&r.Filter)
			differ = differ || len(said) > 0 && x != l.of(&reviewers[0].Filter)
			most, said = max(most, x), append(said, fmt.Sprintf("%v by %s", x, r.name))
		}
		if l.set(most); differ {
			m.differ = append(m.differ, "the limit of "+l.what+" is "+strings.Join(said, ", "))
		}
	}
	return f
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
	for _, key := range order {
		all = append(all, m.agree(on[key]))
	}
	return all
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
	var said, by []string
	for _, o := range list {
		part := o.By + ": " + o.Verdict
		if o.Note != "" {
			part += " (" + o.Note + ")"
		}
		said, by = append(said, part), append(by, o.By)
		if o.At.After(v.At) {
			v.At = o.At
		}
	}
	v.Verdict, v.Note, v.By = "open", strings.Join(said, "; "), strings.Join(by, ", ")
	m.differ = append(m.differ, "verdicts on the "+cmp.Or(map[string]string{OfReport: "whole text"}[v.Of], v.Of+" "+cmp.Or(v.Name, v.Source))+" differ, "+v.Note)
	return v
}

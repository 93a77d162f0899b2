package check

import (
	"cmp"
	"slices"

	"github.com/otisk/otisk/report"
)

// A share is the amount of text that one text shares with another.
type share struct {
	name string // name of the report
	report.Share
}

// noteShares records what a text shares with other texts.
func (f *Folder) noteShares(name string, r *report.Report) {
	if r.Suspect.ID == "" {
		return
	}
	if first, known := f.ids[r.Suspect.ID]; !known || name < first {
		f.ids[r.Suspect.ID] = name
	}
	for _, s := range report.SharesOf(r) {
		f.shares = append(f.shares, share{name, s})
	}
}

// pairs returns the pairs of texts that share text, by their indices in place, those that share
// most first. Texts without a report are omitted.
func (f *Folder) pairs(place map[string]int) []report.Pair {
	found := map[[2]int]report.Pair{}
	for _, s := range f.shares {
		other, known := f.ids[s.ID]
		if !known {
			continue
		}
		a, b := place[s.name], place[other]
		key := [2]int{min(a, b), max(a, b)}
		p := found[key]
		p.A, p.B = key[0], key[1]
		p.Add(s.Shared, a == p.A)
		p.Rest.Add(s.Rest, a == p.A)
		found[key] = p
	}
	var list []report.Pair
	for _, p := range found {
		list = append(list, p)
	}
	slices.SortFunc(list, func(x, y report.Pair) int {
		return cmp.Or(cmp.Compare(y.Words, x.Words), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return list
}

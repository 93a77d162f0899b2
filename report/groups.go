package report

import (
	"slices"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

// A Group is what the score counts, after the review, of the passages of one group: see [search.Groups]. A group changes no score.
type Group struct {
	Group  string `json:"group"`
	Words  int    `json:"words"`  // for which its passages are the best ones
	Places int    `json:"places"` // with such passages
}

// groupMessages name the groups of passages.
var groupMessages = map[string]string{search.QuotedCited: "common.group-quoted-cited", search.Quoted: "common.group-quoted",
	search.Cited: "common.group-cited", search.Neither: "common.group-neither"}

// GroupName returns the name of a group for readers.
func GroupName(p *lang.Printer, group string) string { return named(p, groupMessages, group) }

// GroupsOf counts the groups of passages, nil if there are no passages, or none with a group, as an earlier version had none.
// Accepted hints and private sources are in no group.
func GroupsOf(r *Report) []Group {
	if !slices.ContainsFunc(r.Passages, func(p search.Passage) bool { return p.Group != "" }) {
		return nil
	}
	var list []Group
	total := remaining(r)
	spots := spotsOf(r, &total)
	for _, name := range search.Groups() {
		g := Group{Group: name}
		for i, p := range r.Passages {
			if p.Group == name {
				g.Words += total.Passages[i].Counted
			}
		}
		for _, s := range spots {
			if slices.ContainsFunc(s.passages, func(i int) bool { return r.Passages[i].Group == name && total.Passages[i].Counted > 0 }) {
				g.Places++
			}
		}
		list = append(list, g)
	}
	return list
}

// groupSize states the words and places of a group.
func groupSize(p *lang.Printer, g Group) string {
	return p.Text("common.words", "n", g.Words) + ", " + p.Text("common.places", "n", g.Places)
}

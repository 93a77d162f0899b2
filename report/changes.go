package report

import (
	"slices"

	"github.com/otisk/otisk/lang"
)

// A Change is a decision that was made or withdrawn, in words.
type Change struct {
	Text      string `json:"text"`
	Withdrawn bool   `json:"withdrawn,omitempty"`
}

// Changes returns, for each version of the decisions on r, what it changed in the version before. The
// review of r becomes that of the last version, without its score.
func Changes(p *lang.Printer, r *Report, versions []*Decisions) ([][]Change, error) {
	all := make([][]Change, len(versions))
	var before []string
	for i, d := range versions {
		if _, err := setReview(r, d); err != nil {
			return nil, err
		}
		now := decisionLines(p, r)
		withdrawn := slices.Clone(before)
		for _, line := range now {
			if at := slices.Index(withdrawn, line); at >= 0 {
				withdrawn = slices.Delete(withdrawn, at, at+1)
				continue
			}
			all[i] = append(all[i], Change{Text: line})
		}
		for _, line := range withdrawn {
			all[i] = append(all[i], Change{line, true})
		}
		before = now
	}
	return all, nil
}

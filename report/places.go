package report

import (
	"slices"

	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// A spot is a place of a text with all passages there: a declaration that is in 21
// sources is one spot with 21 passages. Pages count spots, and step from one to the next.
type spot struct {
	passages []int // by index, in their order
	best     int   // the one that counts for most words
	lead     int   // the longest
}

// spotsOf returns the spots of the passages that total counts, in order of the text. A
// passage joins the spot whose longest passage it overlaps most, if the overlap is at
// least half of the shorter passage. The script places.js does the same; a test compares
// the two.
func spotsOf(r *Report, total *score.Total) []spot {
	var spots, done []spot
	for i, p := range r.Passages {
		if total.Passages[i].Out {
			continue
		}
		spots = slices.DeleteFunc(spots, func(s spot) bool {
			past := end(&r.Passages[s.lead]) <= p.Word
			if past {
				done = append(done, s)
			}
			return past
		})
		if at := joins(r, spots, &p); at >= 0 {
			spots[at].add(r, total, i)
		} else {
			spots = append(spots, spot{[]int{i}, i, i})
		}
	}
	done = slices.DeleteFunc(append(done, spots...), func(s spot) bool { return total.Passages[s.best].Counted == 0 })
	slices.SortFunc(done, func(a, b spot) int { return a.passages[0] - b.passages[0] })
	return done
}

// end returns the word after a passage.
func end(p *search.Passage) int { return p.Word + p.Words }

// joins returns the index of the spot that a passage belongs to, or -1.
func joins(r *Report, spots []spot, p *search.Passage) int {
	at, most := -1, 0
	for i, s := range spots {
		lead := &r.Passages[s.lead]
		common := min(end(lead), end(p)) - max(lead.Word, p.Word)
		if common > most && 2*common >= min(lead.Words, p.Words) {
			at, most = i, common
		}
	}
	return at
}

func (s *spot) add(r *Report, total *score.Total, i int) {
	s.passages = append(s.passages, i)
	if total.Passages[i].Counted > total.Passages[s.best].Counted {
		s.best = i
	}
	if r.Passages[i].Words > r.Passages[s.lead].Words {
		s.lead = i
	}
}

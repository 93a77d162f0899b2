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

// joinedNumbers returns, for each passage, the number of the joined passage that it is a part of, from 1, or 0.
func joinedNumbers(r *Report) []int {
	numbers := make([]int, len(r.Passages))
	for i, j := range r.Joined {
		for _, part := range j.Parts {
			numbers[part-1] = i + 1
		}
	}
	return numbers
}

// spotsOf returns the spots of the passages that total counts, in order of the text. A
// passage joins the spot whose longest passage it overlaps most, if the overlap is at
// least half of the shorter passage. Spots whose best passages are parts of one joined passage
// are one spot. The script places.js does the same; a test compares
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
	return united(r, total, done)
}

// united joins spots whose best passages are parts of one joined passage.
func united(r *Report, total *score.Total, spots []spot) []spot {
	joined := joinedNumbers(r)
	at := map[int]int{} // by joined passage: index in list
	var list []spot
	for _, s := range spots {
		number := joined[s.best]
		first, known := at[number]
		if number == 0 || !known {
			at[number] = len(list)
			list = append(list, s)
			continue
		}
		for _, i := range s.passages {
			list[first].add(r, total, i)
		}
	}
	return list
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

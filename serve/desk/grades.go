package desk

import (
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/score"
)

// Grades are the words that the score of a check counts, by the grades of their passages. All are 0 for checks of earlier
// versions.
type Grades struct {
	Verbatim int `json:"verbatim" doc:"words in verbatim passages"`
	Edited   int `json:"edited" doc:"words in lightly edited passages"`
	Reworded int `json:"reworded" doc:"words in reworded passages only"`
	Run      int `json:"longest_run" doc:"longest run of equal words in these passages"`
}

// gradesOf returns the grades of a score.
func gradesOf(s search.Score) Grades {
	return Grades{s.Grades[search.Verbatim], s.Grades[search.Edited], s.Grades[search.Reworded], s.Run}
}

// Counted returns the score of a check as its report has it.
func (c *Check) Counted() search.Score {
	g := c.Grades
	return search.NewScore(c.Words, score.Total{Covered: g.Verbatim + g.Edited + g.Reworded, Percent: c.Score, Grades: []int{g.Verbatim, g.Edited, g.Reworded}, Run: g.Run})
}

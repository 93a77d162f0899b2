package desk

import (
	"github.com/otisk/otisk/report"
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

// Groups are the same words by the groups of their passages: see [search.Groups]. All are 0 for checks of earlier versions.
type Groups struct {
	QuotedCited int `json:"quoted_and_cited" doc:"words in passages that are quoted and cited"`
	Quoted      int `json:"quoted" doc:"words in passages that are only quoted"`
	Cited       int `json:"cited" doc:"words in passages that are only cited"`
	Neither     int `json:"neither" doc:"words in passages that are neither quoted nor cited"`
}

// Words returns the words by group, in the order of [search.Groups].
func (g Groups) Words() []int { return []int{g.QuotedCited, g.Quoted, g.Cited, g.Neither} }

// A countedWords is what the score of a check consists of.
type countedWords struct {
	Grades Grades
	Groups Groups
}

// countOf returns the counted words of the row of a report.
func countOf(r *report.RowCount) countedWords {
	return countedWords{Grades{r.Verbatim, r.Edited, r.Reworded, r.CountedRun}, Groups(r.RowGroups)}
}

// countColumns are the columns with counted words.
const countColumns = "verbatim, edited, reworded, longest_run, quoted_cited, quoted, cited, neither"

// values returns pointers to the values of countColumns.
func (g *Grades) values(p *Groups) []any {
	return []any{&g.Verbatim, &g.Edited, &g.Reworded, &g.Run, &p.QuotedCited, &p.Quoted, &p.Cited, &p.Neither}
}

// values returns pointers to the values of countColumns.
func (c *countedWords) values() []any { return c.Grades.values(&c.Groups) }

// Counted returns the score of a check as its report has it.
func (c *Check) Counted() search.Score {
	g := c.Grades
	return search.NewScore(c.Words, score.Total{Covered: g.Verbatim + g.Edited + g.Reworded, Percent: c.Score, Grades: []int{g.Verbatim, g.Edited, g.Reworded}, Run: g.Run})
}

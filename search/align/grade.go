package align

// A Grade says how close a passage is to its source. It is verbatim if at least
// 95 % of the words of both sides together are in equal runs of five words or
// more, lightly edited if at least 60 % are in equal runs of three words or
// more, and else reworded.
type Grade uint8

const (
	Verbatim Grade = iota // copied, with a slip at most
	Edited                // copied, with words changed here and there
	Reworded              // reworded or reordered
)

var gradeNames = [...]string{Verbatim: "verbatim", Edited: "lightly edited", Reworded: "reworded"}

// String returns the grade as reports write it.
func (g Grade) String() string { return gradeNames[g] }

// Requirements of the grades, in percent of the words of both sides.
const (
	verbatimShare = 95 // in equal runs of verbatimRun words and more
	verbatimRun   = 5
	editedShare   = 60 // in equal runs of editedRun words and more
	editedRun     = 3
)

// gradeOf returns the grade of a passage.
func gradeOf(p *Passage) Grade {
	all := p.Words + p.SourceWords
	switch {
	case 100*2*inRuns(p.Equal, verbatimRun) >= verbatimShare*all:
		return Verbatim
	case 100*2*inRuns(p.Equal, editedRun) >= editedShare*all:
		return Edited
	}
	return Reworded
}

// inRuns counts the words of one side in runs of at least that length.
func inRuns(runs []Run, length int) int {
	n := 0
	for _, r := range runs {
		if r.Len >= length {
			n += r.Len
		}
	}
	return n
}

// Package score counts how many words of a suspect its passages cover, once
// some of them are left out.
//
// A reader may leave out quotations, a bibliography, short passages, a source
// or a single passage, and wants to see what remains. The HTML report counts
// in the page and the program counts here; both follow the rules below, and a
// test compares them, so that a saved decision gives the same figures
// everywhere. All of it is arithmetic on word numbers: no text is needed.
//
// The rules, in this order:
//
//  1. Words that are in an excluded stretch of a kind that the filter names, or
//     in a place that the reader left out, are out. They count in no passage, but the suspect keeps its length: to
//     leave something out can only lower a score.
//  2. A passage is out if it or its source was excluded by the reader, if the
//     filter leaves out its grade, or if none of its words is left by rule 1, or
//     fewer than the filter's least number. The parts of a joined passage reach that number together.
//  3. A source is out, with its passages, if the words that its remaining
//     passages cover together are fewer than the filter's least number, or a
//     smaller share of the suspect than the filter's least percentage.
//  4. Each word covered by a remaining passage counts once, for the best
//     passage that covers it: the one of the surest grade; of equals the one
//     with the most words matched one to one, then the one whose source comes
//     first, then the one that comes first itself.
package score

import (
	"cmp"
	"slices"

	"github.com/otisk/otisk/internal/disjoint"
)

// A Passage is what the score must know of one.
type Passage struct {
	Source  int // index of its source
	Word    int // first word in the suspect, from 0
	Words   int
	Matched int // words matched one to one
	Run     int // longest run of equal words
	Grade   int // 0 is the surest
	Joined  int // number of the joined passage that it is a part of, from 1; 0 for none
}

// A Stretch is a range of words of the suspect that may be left out.
type Stretch struct {
	Kind  string
	Word  int // first word, from 0
	Words int
}

// An Input is everything that was found.
type Input struct {
	Words    int // of the suspect
	Sources  int
	Grades   int // how many grades there are
	Passages []Passage
	Excluded []Stretch
	Shares   []int // words of the suspect that a source covers at unknown places; nil if no source does
}

// A Choice is what is left out. The zero value leaves out nothing.
type Choice struct {
	Kinds         map[string]bool // of excluded stretches
	Grades        map[int]bool
	PassageWords  int     // least words of a passage
	SourceWords   int     // least words that a source covers
	SourcePercent float64 // least share of the suspect that a source covers, 0 to 100
	Sources       map[int]bool
	Passages      map[int]bool
	Places        []Stretch // of the suspect, whichever sources have them
}

// A Total has the figures of a text after the exclusions.
type Total struct {
	Covered  int     // words, each once
	Percent  float64 // of the suspect's words, 0 to 100
	Grades   []int   // words by the grade of their best passage, the surest that covers them
	Run      int     // longest run of equal words in a passage that is not out
	Excluded int     // words left out by their kind or place
	Sources  []Source
	Passages []Part
}

// A Source is what remains of one source.
type Source struct {
	Out      bool
	Passages int     // that are not out
	Covered  int     // words that its passages cover
	Percent  float64 // of the suspect's words, 0 to 100
	Counted  int     // words for which it has the best passage
}

// A Part is what remains of one passage.
type Part struct {
	Out     bool
	Words   int // not left out by their kind or place
	Counted int // words for which it is the best passage
}

// Percent returns part of all as 0 to 100, and 0 of nothing.
func Percent(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return 100 * float64(part) / float64(all)
}

// Count applies the rules. Ranges that leave the suspect's words are cut.
func (in *Input) Count(c Choice) Total {
	t := Total{
		Grades:   make([]int, in.Grades),
		Sources:  make([]Source, in.Sources),
		Passages: make([]Part, len(in.Passages)),
	}
	left := in.remaining(c, &t)
	joined := map[int]int{} // words of the parts of joined passages that are not out
	for i, p := range in.Passages {
		part := &t.Passages[i]
		from, to := in.cut(p.Word, p.Words)
		part.Words = left[to] - left[from]
		part.Out = c.Passages[i] || c.Sources[p.Source] || c.Grades[p.Grade] || part.Words == 0
		if p.Joined > 0 && !part.Out {
			joined[p.Joined] += part.Words
		}
	}
	for i, p := range in.Passages {
		part := &t.Passages[i]
		part.Out = part.Out || max(part.Words, joined[p.Joined]) < c.PassageWords
	}
	in.dropSources(c, left, &t)
	in.count(left, &t)
	in.share(c, &t)
	t.Percent = Percent(t.Covered, in.Words)
	return t
}

// share applies rule 5.
func (in *Input) share(c Choice, t *Total) {
	for i, words := range in.Shares {
		s := Source{Covered: words, Percent: Percent(words, in.Words), Counted: max(0, words-t.Covered)}
		if words == 0 || c.Sources[i] || c.Grades[0] || words < c.SourceWords || s.Percent < c.SourcePercent {
			continue
		}
		t.Sources[i] = s
		t.Grades[0] += s.Counted
		t.Covered += s.Counted
	}
}

// cut returns the range of words, within those of the suspect.
func (in *Input) cut(word, words int) (from, to int) {
	from = min(max(word, 0), in.Words)
	return from, min(max(word+words, from), in.Words)
}

// remaining returns, for each word and the end, how many words before it are
// not left out by their kind or place.
func (in *Input) remaining(c Choice, t *Total) []int {
	out := make([]bool, in.Words)
	stretches := slices.Clone(c.Places)
	for _, s := range in.Excluded {
		if c.Kinds[s.Kind] {
			stretches = append(stretches, s)
		}
	}
	for _, s := range stretches {
		for from, to := in.cut(s.Word, s.Words); from < to; from++ {
			out[from] = true
		}
	}
	left := make([]int, in.Words+1)
	for i := range out {
		left[i+1] = left[i]
		if out[i] {
			t.Excluded++
		} else {
			left[i+1]++
		}
	}
	return left
}

// dropSources applies the limits for sources.
func (in *Input) dropSources(c Choice, left []int, t *Total) {
	reach := make([]int, in.Sources) // words of a source counted up to here
	seen := map[int]bool{0: false}   // joined passages
	for _, i := range in.byPlace() {
		p := in.Passages[i]
		if t.Passages[i].Out {
			continue
		}
		from, to := in.cut(p.Word, p.Words)
		from = max(from, reach[p.Source])
		if from < to {
			t.Sources[p.Source].Covered += left[to] - left[from]
			reach[p.Source] = to
		}
		if !seen[p.Joined] {
			t.Sources[p.Source].Passages++
			seen[p.Joined] = p.Joined > 0
		}
	}
	for i := range t.Sources {
		s := &t.Sources[i]
		s.Percent = Percent(s.Covered, in.Words)
		if c.Sources[i] || s.Passages == 0 || s.Covered < c.SourceWords || s.Percent < c.SourcePercent {
			*s = Source{Out: true}
		}
	}
	for i, p := range in.Passages {
		if t.Sources[p.Source].Out {
			t.Passages[i].Out = true
		}
	}
}

// count gives each word to its best passage.
func (in *Input) count(left []int, t *Total) {
	free := claims{disjoint.New(in.Words + 1)}
	for _, i := range in.best() {
		if t.Passages[i].Out {
			continue
		}
		p := in.Passages[i]
		from, to := in.cut(p.Word, p.Words)
		words := free.claim(from, to, left)
		t.Passages[i].Counted = words
		t.Sources[p.Source].Counted += words
		t.Grades[p.Grade] += words
		t.Covered += words
		t.Run = max(t.Run, p.Run)
	}
}

// best returns the indexes of the passages from the best on, by rule 4.
func (in *Input) best() []int {
	return in.ranked(func(a, b Passage) int {
		return cmp.Or(cmp.Compare(a.Grade, b.Grade), cmp.Compare(b.Matched, a.Matched), cmp.Compare(a.Source, b.Source))
	})
}

// byPlace returns the indexes of the passages by their first word.
func (in *Input) byPlace() []int {
	return in.ranked(func(a, b Passage) int { return cmp.Compare(a.Word, b.Word) })
}

// ranked returns the indexes of the passages in order; of equals the first
// comes first.
func (in *Input) ranked(order func(a, b Passage) int) []int {
	list := make([]int, len(in.Passages))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(i, j int) int { return order(in.Passages[i], in.Passages[j]) })
	return list
}

// claims hand out words, each to the first that asks. The root of a word's set
// is the first free word from there on.
type claims struct{ disjoint.Sets }

// claim claims the free words of [from, to) and returns how many of them are
// not left out.
func (c claims) claim(from, to int, left []int) int {
	words := 0
	for i := c.Root(from); i < to; i = c.Root(i) {
		words += left[i+1] - left[i]
		c.Join(i, i+1)
	}
	return words
}

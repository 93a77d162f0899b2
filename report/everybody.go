package report

import (
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/search"
)

// A stretch of text that most documents share, such as a declaration, a form or the name
// of a school, is not evidence of copying. Like everything that is found, it
// counts until a reader leaves it out; reports name it once.
type stretch struct {
	word, words int
	place       [2]int // bytes
	sources, of int    // number of documents that have it, and of all
}

const (
	leastSharers = 5 // documents: half of fewer documents is not a majority
	leastShared  = 5 // words of a stretch
	sharedGap    = 4 // words that may separate two parts of one stretch, such as a name and a date
)

// A crowd is one of the two sets of documents that a text is searched in: those of the
// index, and the other texts of the run.
type crowd struct {
	size int
	has  []int // by word: number of documents that have it in a passage
}

func (c *crowd) most(word int) bool {
	return c.size > 0 && c.has[word] >= leastSharers && 2*c.has[word] >= c.size
}

// everybodyHas returns the stretches of a text that are in at least half of the documents
// of the index, or of the other texts of the run.
func everybodyHas(r *Report) []stretch {
	crowds := []crowd{{r.Index.Among, sharers(r, true)}, {int(r.Index.Searched), sharers(r, false)}}
	var list []stretch
	for word := range r.Suspect.Words {
		if !crowds[0].most(word) && !crowds[1].most(word) {
			continue
		}
		if last := len(list) - 1; last >= 0 && word-list[last].word-list[last].words <= sharedGap {
			list[last].words = word + 1 - list[last].word
		} else {
			list = append(list, stretch{word: word, words: 1})
		}
		for _, c := range crowds {
			list[len(list)-1].count(&c, word)
		}
	}
	return placed(r, slices.DeleteFunc(list, func(s stretch) bool { return s.words < leastShared }))
}

// count records how many documents of a crowd have a word of the stretch, unless the
// share is larger in the other crowd.
func (s *stretch) count(c *crowd, word int) {
	if c.most(word) && (s.of == 0 || c.has[word]*s.of > s.sources*c.size) {
		s.sources, s.of = c.has[word], c.size
	}
}

// sharers returns, for each word of the text, the number of sources that have it in a
// passage: other texts of the run, or documents of the index.
func sharers(r *Report, among bool) []int {
	steps := make([]int, r.Suspect.Words+1)
	reach := make([]int, len(r.Sources)) // words of a source counted up to here
	for _, p := range r.Passages {       // by where they start
		if r.Sources[p.Source].Among != among {
			continue
		}
		from := max(p.Word, reach[p.Source])
		if from < end(&p) {
			steps[from]++
			steps[end(&p)]--
			reach[p.Source] = end(&p)
		}
	}
	for i := 1; i < len(steps); i++ {
		steps[i] += steps[i-1]
	}
	return steps
}

// placed adds the byte ranges of stretches. Each starts and ends where a passage does.
func placed(r *Report, list []stretch) []stretch {
	starts, ends := map[int]int{}, map[int]int{}
	for _, p := range r.Passages {
		starts[p.Word], ends[end(&p)] = p.Suspect.Start, p.Suspect.End
	}
	for i := range list {
		s := &list[i]
		s.place = [2]int{starts[s.word], ends[s.word+s.words]}
	}
	return list
}

// within reports whether all words of a passage but sharedGap are in stretches.
func within(p *search.Passage, list []stretch) bool {
	inside := lists.Sum(list, func(s stretch) int { return max(0, min(end(p), s.word+s.words)-max(p.Word, s.word)) })
	return p.Words-inside <= sharedGap
}

package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otisk/otisk/search/score"
)

// A Share is the part of a text that counts, after a review, as shared with another text
// of the run.
type Share struct {
	ID string // of the other text
	Shared
	Rest Shared // without passages that most of the documents have
}

// Shared words, and their share of all words of a text, 0 to 100.
type Shared struct {
	Words   int
	Percent float64
}

// An Outside is a document of the index that a text shares text with which most of the documents do not have.
type Outside struct {
	ID, Name string // for readers
	Words    int
}

// sharesOf returns the shares of a text with other texts of the run, and with documents of the index, the largest of these first.
func sharesOf(r *Report) (list []Share, outside []Outside) {
	in, choice := inputOf(r), choiceOf(r)
	whole := in.Count(choice)
	for _, s := range everybodyHas(r) {
		choice.Places = append(choice.Places, score.Stretch{Word: s.word, Words: s.words})
	}
	rest := in.Count(choice)
	for i, s := range r.Sources {
		switch w, left := whole.Sources[i], rest.Sources[i]; {
		case s.Among && w.Covered > 0:
			list = append(list, Share{s.ID, Shared{w.Covered, w.Percent}, Shared{left.Covered, left.Percent}})
		case !s.Among && s.Own == "" && left.Covered > 0 && !strings.HasPrefix(s.Name, ForgottenName):
			outside = append(outside, Outside{s.ID, safe(called(&s)), left.Covered})
		}
	}
	slices.SortStableFunc(outside, func(a, b Outside) int { return cmp.Compare(b.Words, a.Words) })
	return list, outside[:min(len(outside), mostOutside)]
}

// mostOutside is the number of documents of the index that a [Sharing] has.
const mostOutside = 30

// A Sharing is a text of a run with its shares with others.
type Sharing struct {
	ID      string // of the text, "" if it was not compared with others
	Shares  []Share
	Outside []Outside // the largest first
}

// Both returns the document of the index that s and other share most text with, as each of them lists it. The smaller
// number of words decides. Both returns nil if no document is in both lists.
func (s *Sharing) Both(other *Sharing) (own, others *Outside) {
	least := 0
	for i := range s.Outside {
		for j := range other.Outside {
			a, b := &s.Outside[i], &other.Outside[j]
			if words := min(a.Words, b.Words); a.ID == b.ID && words > least {
				least, own, others = words, a, b
			}
		}
	}
	return own, others
}

// SharingOf returns the shares of a text with other texts of the run.
func SharingOf(r *Report) Sharing {
	if r.Suspect.ID == "" {
		return Sharing{}
	}
	shares, outside := sharesOf(r)
	return Sharing{r.Suspect.ID, shares, outside}
}

// PairsOf returns the pairs of texts that share text, by their indices in list, those that share most
// first. If texts have the same id, only the first is in pairs.
func PairsOf(list []Sharing) []Pair {
	ids := map[string]int{}
	for i, s := range list {
		if _, known := ids[s.ID]; !known && s.ID != "" {
			ids[s.ID] = i
		}
	}
	found := map[[2]int]Pair{}
	for a, text := range list {
		for _, s := range text.Shares {
			b, known := ids[s.ID]
			if !known || a == b {
				continue
			}
			key := [2]int{min(a, b), max(a, b)}
			p := found[key]
			p.A, p.B = key[0], key[1]
			p.Add(s.Shared, a == p.A)
			p.Rest.Add(s.Rest, a == p.A)
			found[key] = p
		}
	}
	var pairs []Pair
	for _, p := range found {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(x, y Pair) int {
		return cmp.Or(cmp.Compare(y.Words, x.Words), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return pairs
}

// A Pair is two suspects that share text.
type Pair struct {
	A, B int // index in Overview.Suspects
	Common
	Rest Common // without what most of the documents have
}

// Common is the text that two suspects share.
type Common struct {
	Words              int     // that both have
	PercentA, PercentB float64 // of each one's words
}

// Add adds the share of one side of the pair.
func (c *Common) Add(s Shared, isA bool) {
	c.Words = max(c.Words, s.Words)
	if isA {
		c.PercentA = s.Percent
	} else {
		c.PercentB = s.Percent
	}
}

// Share returns the larger of the two shares.
func (c *Common) Share() float64 { return max(c.PercentA, c.PercentB) }

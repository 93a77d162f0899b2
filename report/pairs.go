package report

import (
	"cmp"
	"slices"

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

// SharesOf returns the shares of a text with other texts of the run.
func SharesOf(r *Report) []Share {
	in, choice := inputOf(r), choiceOf(r)
	whole := in.Count(choice)
	for _, s := range everybodyHas(r) {
		choice.Places = append(choice.Places, score.Stretch{Word: s.word, Words: s.words})
	}
	rest := in.Count(choice)
	var list []Share
	for i, s := range r.Sources {
		if w := whole.Sources[i]; s.Among && w.Covered > 0 {
			list = append(list, Share{s.ID, Shared{w.Covered, w.Percent}, Shared{rest.Sources[i].Covered, rest.Sources[i].Percent}})
		}
	}
	return list
}

// A Sharing is a text of a run with its shares with others.
type Sharing struct {
	ID     string // of the text, "" if it was not compared with others
	Shares []Share
}

// SharingOf returns the shares of a text with other texts of the run.
func SharingOf(r *Report) Sharing {
	if r.Suspect.ID == "" {
		return Sharing{}
	}
	return Sharing{r.Suspect.ID, SharesOf(r)}
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
	Link string // address of the page of both texts, "" for none
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

// share returns the larger of the two shares.
func (c *Common) share() float64 { return max(c.PercentA, c.PercentB) }

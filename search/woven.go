package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/otisk/otisk/search/align"
)

// A text that takes its sentences from several sources in turn has short passages of each of them. Between those of one source,
// which are in order and near each other in both texts, and beside them, further sentences of it are likely, so less is required
// of them. In texts of PAN 2013, one passage changes.
const (
	leastWoven  = 2   // passages of a source
	wovenGap    = 400 // most words between two of them in the suspect, and twice as many as beside them
	wovenOrigin = 120 // the same in the source
	leastGap    = 8   // least words there in each text
	leastAlike  = 0.7 // least share of equal words, against that of the passages
)

// woven returns the parameters for passages between those of a woven text.
func woven(p align.Params) align.Params {
	p.MinCluster, p.Density, p.MinMass, p.MinPairs, p.MinWords, p.Summary = 4, 1, 2.5, .6, 8, false
	return p
}

// interwoven returns the passages between those of chains, and beside their ends.
func (s *Searcher) interwoven(ctx context.Context, src *source, b *body, all []align.Passage) (more []align.Passage, err error) {
	for _, chain := range chains(all) {
		for i := range len(chain) + 1 {
			x := box{suspect: stretch{0, len(src.in.suspect.words)}}
			if i > 0 {
				before := &chain[i-1]
				x.source = b.partOf(stretch{before.Source.From, before.Source.To}).whole()
				x.suspect = stretch{before.Suspect.To, min(before.Suspect.To+wovenGap/2, x.suspect.to)}
				x.source = stretch{before.Source.To, min(before.Source.To+wovenOrigin/2, x.source.to)}
			}
			if i < len(chain) {
				after := &chain[i]
				part := b.partOf(stretch{after.Source.From, after.Source.To}).whole()
				if i == 0 {
					x.suspect.from, x.source.from = after.Suspect.From-wovenGap/2, after.Source.From-wovenOrigin/2
				}
				x.suspect = stretch{max(x.suspect.from, 0), after.Suspect.From}
				x.source = stretch{max(x.source.from, part.from), after.Source.From}
			}
			if min(x.suspect.len(), x.source.len()) < leastGap {
				continue
			}
			found, err := alignBox(ctx, s.weaver, src, b, x)
			if err != nil {
				return nil, err
			}
			for _, p := range found {
				overlaps := func(q align.Passage) bool { return p.Suspect.From < q.Suspect.To && q.Suspect.From < p.Suspect.To }
				if isAlike(p, chain) && !slices.ContainsFunc(all, overlaps) && !slices.ContainsFunc(more, overlaps) {
					more = append(more, p)
				}
			}
		}
	}
	return more, nil
}

// isAlike reports whether a passage shares about as much as those of a chain. In a form, own words are between copied sentences.
func isAlike(p align.Passage, chain []align.Passage) bool {
	return sharedBy(p) >= leastAlike*sharedBy(chain...)
}

// sharedBy returns the share of the words of the longer sides of passages that are paired.
func sharedBy(list ...align.Passage) float64 {
	matched, words := 0, 0
	for _, p := range list {
		matched, words = matched+p.Matched, words+max(p.Words, p.SourceWords)
	}
	return float64(matched) / float64(words)
}

// chains returns the passages that are in order and near each other in both texts, if they are as many as leastWoven.
func chains(all []align.Passage) (list [][]align.Passage) {
	all = slices.DeleteFunc(slices.Clone(all), func(p align.Passage) bool { return p.Kind == align.Summary })
	slices.SortFunc(all, func(a, b align.Passage) int { return cmp.Compare(a.Suspect.From, b.Suspect.From) })
	from := 0
	for i := 1; i <= len(all); i++ {
		if i < len(all) {
			here, there := all[i].Suspect.From-all[i-1].Suspect.To, all[i].Source.From-all[i-1].Source.To
			if min(here, there) >= 0 && here <= wovenGap && there <= wovenOrigin {
				continue
			}
		}
		if i-from >= leastWoven {
			list = append(list, all[from:i])
		}
		from = i
	}
	return list
}

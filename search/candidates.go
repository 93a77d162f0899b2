package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/store"
)

// Limits for the sources of a suspect.
const (
	surelyAligned = 30   // the sources that share most are always aligned
	mostListed    = 2000 // further sources are only counted
)

// A candidate is a document whose text is to be read.
type candidate struct {
	*tally
	in           *shared // look-up that named it
	entry        store.Document
	listed       bool // it reaches the limits for listing
	align        bool // it is to be aligned
	own          bool // it has an n-gram that no better candidate has, or is one of the best
	keyed        bool // keys for translations name it
	onlyCompared bool // it is only compared, for the list of similar documents
	paired       evidence
	sites        []site
}

// Candidates are the documents whose texts are to be read, the best first.
type candidates struct {
	list     []candidate
	left     int // sources not aligned because of a limit
	faint    int // documents named by pairs alone that are not aligned because of a limit
	unlisted int // sources not listed because of a limit
	unread   int // documents named by a sampled index that are not read because of a limit
	keyed    keyed

	otherwise foundOtherwise // runs that match documents in the other alphabet
}

// candidates returns the documents that reach the limits for listing or are to be aligned, named by
// n-grams, by pairs of words or by keys for translations.
func (s *Searcher) candidates(ctx context.Context, found answers, l *lookedUp) (candidates, error) {
	near, keys := l.near, l.keyed
	out := candidates{keyed: keys, unread: l.unread, otherwise: l.otherwise}
	best, left := found.toAlign(s.bounds.aligned)
	words := found[0].suspect.different()
	paired, faint := found.brake(s.convincing(near.found, words), mostFaint(words))
	out.faint = faint
	if s.opts.AlignAll && !s.opts.Exact {
		if err := s.nameAll(ctx, paired); err != nil {
			return out, err
		}
	}
	for _, c := range found.named(paired, keys) {
		_, c.keyed = keys.docs[c.doc]
		c.listed = c.in.listed(c.tally)
		e, named := paired[c.doc]
		c.align, c.paired = !s.opts.Exact && best[c.tally] || named, e
		c.own = best[c.tally] || left[c.tally]
		if left[c.tally] && !c.align && !s.opts.Exact {
			out.left++
		}
		if c.listed || c.align || c.keyed {
			out.list = append(out.list, c)
		}
	}
	out.cut()
	out.list = s.withComparable(out.list, found, l.comparable)
	next := 0
	err := s.reader.Entries(ctx, idsOf(out.list), func(d store.Document) error {
		out.list[next].entry = d
		next++
		return nil
	})
	out.list = slices.DeleteFunc(out.list, func(c candidate) bool { return c.onlyCompared && c.entry.Words > mostWords })
	return out, err
}

func idsOf(list []candidate) []store.DocID {
	return lists.Map(list, func(c candidate) store.DocID { return c.doc })
}

func docsOf(list []*source) []store.DocID {
	return lists.Map(list, func(src *source) store.DocID { return src.doc })
}

// cut sorts candidates: those to be aligned, those with n-grams of their own, then the others; within
// each group, those that share most come first. It drops others above the limit for listing: all that
// they share is also in a source that stays.
func (c *candidates) cut() {
	rank := func(c candidate) int {
		switch {
		case c.align:
			return 0
		case c.own, c.keyed:
			return 1
		}
		return 2
	}
	slices.SortFunc(c.list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.weight, a.weight), cmp.Compare(b.paired.score, a.paired.score), cmp.Compare(a.doc, b.doc))
	})
	for len(c.list) > mostListed && rank(c.list[len(c.list)-1]) == 2 {
		c.list = c.list[:len(c.list)-1]
		c.unlisted++
	}
}

// nameAll adds the documents that neither n-grams nor pairs name.
func (s *Searcher) nameAll(ctx context.Context, named map[store.DocID]evidence) error {
	return s.reader.Documents(ctx, "", func(d store.Document) error {
		if _, ok := named[d.ID]; !ok && !s.skipped(d.ID) {
			named[d.ID] = evidence{}
		}
		return nil
	})
}

// named returns the documents that n-grams, pairs or keys name. Those that no n-gram names share nothing
// with the first look-up.
func (a answers) named(paired map[store.DocID]evidence, keys keyed) []candidate {
	var list []candidate
	known := map[store.DocID]bool{}
	for _, sh := range a {
		for _, t := range sh.tallies {
			list = append(list, candidate{tally: t, in: sh})
			known[t.doc] = true
		}
	}
	add := func(doc store.DocID) {
		if !known[doc] {
			known[doc] = true
			list = append(list, candidate{tally: &tally{doc: doc}, in: a[0]})
		}
	}
	for doc := range paired {
		add(doc)
	}
	for doc := range keys.docs {
		add(doc)
	}
	return list
}

// toAlign chooses the sources to align. An n-gram in d documents counts 1/d for each of them, so
// rare n-grams weigh more than set phrases. It takes the sources with the highest sums, then each
// source with an n-gram that none of the earlier ones has: so a run of n words is omitted only if a
// better source has the same words. left is the number of those above the limit.
func (a answers) toAlign(most int) (picked, left map[*tally]bool) {
	covered := map[*tally][]bool{} // by n-gram of the look-up that named the document
	var list []*tally
	for _, sh := range a {
		grams := make([]bool, len(sh.list))
		for _, t := range sh.tallies {
			covered[t] = grams
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *tally) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.doc, b.doc))
	})
	picked, left = map[*tally]bool{}, map[*tally]bool{}
	for i, t := range list {
		if !t.covers(covered[t]) && i >= surelyAligned {
			continue
		}
		if len(picked) == most {
			left[t] = true
			continue
		}
		picked[t] = true
	}
	return picked, left
}

// covers marks the n-grams of t in covered and reports whether one of them was not marked.
func (t *tally) covers(covered []bool) (news bool) {
	for _, r := range t.done {
		for g := r.gram; g < r.end(); g++ {
			news = news || !covered[g]
			covered[g] = true
		}
	}
	return news
}

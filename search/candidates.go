package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/otisk/otisk/store"
)

// Bounds on how many sources are aligned with one suspect.
const (
	surelyAligned = 30   // those that share most are aligned in any case
	mostAligned   = 1000 // more are not, and the result says how many
)

// A candidate is a document that is worth a look at its text.
type candidate struct {
	*tally
	in     *shared // the look-up that named it
	entry  store.Document
	listed bool // it reaches the limits
	align  bool // it is to be aligned
	paired evidence
}

// Candidates are the documents to look at, in no order.
type candidates struct {
	list []candidate
	left int // sources beyond those that are aligned
}

// candidates picks the documents that reach the limits or are to be aligned:
// those that n-grams name, and those that pairs of words do.
func (s *Searcher) candidates(ctx context.Context, found answers, paired map[store.DocID]evidence) (candidates, error) {
	var out candidates
	align := map[*tally]bool{}
	if !s.opts.Exact {
		align, out.left = found.toAlign()
	}
	if s.opts.AlignAll && !s.opts.Exact {
		if err := s.nameAll(ctx, paired); err != nil {
			return out, err
		}
	}
	for _, c := range found.named(paired) {
		c.listed = c.in.listed(c.tally)
		e, named := paired[c.doc]
		c.align, c.paired = align[c.tally] || named, e
		if !c.listed && !c.align {
			continue
		}
		var err error
		if c.entry, err = s.reader.Document(ctx, c.doc); err != nil {
			return out, err
		}
		out.list = append(out.list, c)
	}
	return out, nil
}

// nameAll names the documents that nothing else has named.
func (s *Searcher) nameAll(ctx context.Context, named map[store.DocID]evidence) error {
	return s.reader.Documents(ctx, func(d store.Document) error {
		if _, ok := named[d.ID]; !ok && (s.opts.Skip == nil || !s.opts.Skip(d.ID)) {
			named[d.ID] = evidence{}
		}
		return nil
	})
}

// named returns the documents that n-grams or pairs name. Those that pairs alone
// name share nothing with the first look-up.
func (a answers) named(paired map[store.DocID]evidence) []candidate {
	var list []candidate
	known := map[store.DocID]bool{}
	for _, sh := range a {
		for _, t := range sh.tallies {
			list = append(list, candidate{tally: t, in: sh})
			known[t.doc] = true
		}
	}
	for doc := range paired {
		if !known[doc] {
			list = append(list, candidate{tally: &tally{doc: doc}, in: a[0]})
		}
	}
	return list
}

// toAlign picks the sources to align. An n-gram that is in d documents
// counts 1/d for each of them, so that rare ones name their sources and set
// phrases hardly do. The sources that reach most are taken, and after them
// each that has an n-gram which none of those before has: so a run of n words
// is left out only where a better source has the same words. left
// is how many of them are more than can be aligned.
func (a answers) toAlign() (picked map[*tally]bool, left int) {
	covered := map[*tally][]bool{} // n-grams of the look-up that named the document
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
	picked = map[*tally]bool{}
	for i, t := range list {
		if !t.covers(covered[t]) && i >= surelyAligned {
			continue
		}
		if len(picked) == mostAligned {
			left++
			continue
		}
		picked[t] = true
	}
	return picked, left
}

// covers marks the n-grams of t in covered, and reports whether one is new.
func (t *tally) covers(covered []bool) (news bool) {
	for _, r := range t.done {
		for g := r.gram; g < r.end(); g++ {
			news = news || !covered[g]
			covered[g] = true
		}
	}
	return news
}

package search

import (
	"cmp"
	"slices"
	"sort"

	"github.com/otisk/otisk/store"
)

// A run is k consecutive n-grams of the suspect that are consecutive in
// one source: k+n-1 words.
type run struct {
	gram int32  // first n-gram in the suspect
	pos  uint32 // position of that n-gram in the source
	k    int32
}

// end returns the n-gram of the suspect after the run.
func (r run) end() int32 { return r.gram + r.k }

// last returns the position of the run's last n-gram in the source.
func (r run) last() uint32 { return r.pos + uint32(r.k) - 1 }

// A tally collects the matches of one source with the suspect, whose n-grams are added in order.
type tally struct {
	doc     store.DocID
	matched int     // number of the suspect's n-grams in the source
	weight  float64 // sum over those of 1 / number of documents
	longest int32   // longest run in n-grams
	borders borders // starts of the source's paragraphs, as far as they are needed
	parts   []part  // by paragraph
	active  []run   // runs that end at the last touched n-gram, by position
	last    int32   // last touched n-gram
	done    []run   // finished runs
	pruned  int     // length of done after the last pruning
	scratch []run   // buffer for the next active
}

// A part has the matches of the source with a paragraph.
type part struct {
	paragraph int32
	matched   int
	best      run // the longest
}

// touch records that n-gram g of a paragraph is in the source at these ascending positions. g can
// continue runs that end at reach: the previous n-gram, or an earlier one if all between are common.
func (t *tally) touch(g, paragraph, reach int32, at []store.Posting) {
	if len(t.parts) == 0 || t.parts[len(t.parts)-1].paragraph != paragraph {
		t.finish()
		t.parts = append(t.parts, part{paragraph: paragraph})
	} else if t.last < reach {
		t.finish()
	}
	step := uint32(g - t.last)
	t.matched++
	t.parts[len(t.parts)-1].matched++
	next := t.scratch[:0]
	var ended run
	i := 0
	for _, p := range at {
		for i < len(t.active) && t.active[i].last()+step < p.Pos {
			ended = ended.longer(t.active[i])
			i++
		}
		if i < len(t.active) && t.active[i].last()+step == p.Pos && !t.borders.between(t.doc, p.Pos-step, p.Pos) {
			r := t.active[i]
			r.k += int32(step)
			next = append(next, r)
			i++
			continue
		}
		next = append(next, run{g, p.Pos, 1})
	}
	for ; i < len(t.active); i++ {
		ended = ended.longer(t.active[i])
	}
	t.end(ended)
	t.active, t.scratch, t.last = next, t.active, g
}

// finish ends all active runs.
func (t *tally) finish() {
	var ended run
	for _, r := range t.active {
		ended = ended.longer(r)
	}
	t.end(ended)
	t.active = t.active[:0]
}

// longer returns the longer of two runs, the first if they are equal. Of runs that end at the same
// n-gram of the suspect, the longest covers the others, so only that one is recorded. In a text with
// few different words, hundreds end at each n-gram.
func (r run) longer(o run) run {
	if o.k > r.k {
		return o
	}
	return r
}

// end records a finished run, if there is one, and prunes the list: a repetitive text has far more
// runs than are needed to cover it.
func (t *tally) end(r run) {
	if r.k == 0 {
		return
	}
	if last := &t.parts[len(t.parts)-1]; r.k > last.best.k {
		last.best = r
	}
	t.longest = max(t.longest, r.k)
	t.done = append(t.done, r)
	if len(t.done) > 2*t.pruned+1024 {
		t.done = cover(t.done)
		t.pruned = len(t.done)
	}
}

// cover returns a smallest subset of runs that covers the same n-grams, in order of the first n-gram.
// It is greedy: next comes the run that starts at or before the end so far and reaches farthest; of
// equal ones, the first in the suspect, then in the source. It sorts runs in place.
func cover(runs []run) []run {
	slices.SortFunc(runs, func(a, b run) int { return cmp.Or(cmp.Compare(a.gram, b.gram), cmp.Compare(a.pos, b.pos)) })
	var out []run
	covered := int32(-1) // first n-gram after the covered ones; -1 at the start
	for i := 0; i < len(runs); {
		if runs[i].gram > covered {
			covered = runs[i].gram
		}
		best := runs[i]
		for i < len(runs) && runs[i].gram <= covered {
			if runs[i].end() > best.end() {
				best = runs[i]
			}
			i++
		}
		if best.end() > covered {
			out = append(out, best)
			covered = best.end()
		}
	}
	return out
}

// all returns the runs of the result: those that cover the shared n-grams, and the longest of each
// paragraph.
func (t *tally) all() []run {
	list := slices.Clone(t.done)
	for _, p := range t.parts {
		if i, ok := startingAt(t.done, p.best.gram); !ok || t.done[i] != p.best {
			list = append(list, p.best)
		}
	}
	return list
}

// holds reports whether l is inside one of the covering runs. Both their starts and their ends ascend,
// so the possible ones are neighbours.
func (t *tally) holds(l located) bool {
	i := sort.Search(len(t.done), func(i int) bool { return t.done[i].end() >= l.run.end() })
	for ; i < len(t.done) && t.done[i].gram <= l.gram; i++ {
		if l.partOf(t.done[i]) {
			return true
		}
	}
	return false
}

// startingAt returns the index of the first run, sorted by gram, that starts at gram or after it, and
// whether it starts at gram.
func startingAt(runs []run, gram int32) (i int, ok bool) {
	return slices.BinarySearchFunc(runs, gram, func(r run, gram int32) int { return cmp.Compare(r.gram, gram) })
}

package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/otisk/otisk/store"
)

// A deduper tells which new documents are nearly the same as one that is in the
// index, or that came before in this run and is not committed yet.
//
// Two documents are nearly the same if the n-grams that both have, divided by
// those that either has, reach a share; each counts as often as it is there. That is
// exact, without comparing all: two that reach it share one of the first
// n-grams of each, in any order that is the same for both, here that of their
// hashes. So of most documents a tenth of the n-grams is looked up, and of those
// that share one, all.
//
// Documents come one after another, since the first of two is to stay: a run with
// a deduper has one worker, and nothing here is guarded.
type deduper struct {
	store store.Store
	n     int
	share float64

	arrivals map[uint64][]*arrival       // by their first elements
	fresh    map[store.DocID]bool        // what arrived: what the index has of these is out of date
	held     int                         // elements of arrivals
	copies   map[store.DocID]*leftCopies // of documents that stay, what was left out since the last commit
}

// An arrival is a document of this run that is in the store and not committed yet.
type arrival struct {
	id       store.DocID
	name     string
	textSum  string
	elements []uint64
}

// leftCopies are what was left out for a document, with the text that it had.
type leftCopies struct {
	name, textSum string
	files         []file
}

// A twin is a document that another is nearly the same as.
type twin struct {
	id            store.DocID
	name, textSum string
	share         float64
}

const (
	// mostCompared is how many n-grams a document may have to be compared, 8 bytes
	// each.
	mostCompared = 8 << 20
	// mostHeld is how many n-grams of documents that are not committed may be held.
	mostHeld = 4 << 20
	// mostCopies is of how many copies a document has the names.
	mostCopies = 100
	// occurrenceBits are those of an element that count an n-gram.
	occurrenceBits = 64 - 48
)

func newDeduper(s store.Store, o Options) *deduper {
	if o.Dedup <= 0 {
		return nil
	}
	d := &deduper{store: s, n: o.N, share: o.Dedup}
	d.committed()
	return d
}

// elements returns the n-grams of a document as a rising set: where one is there
// again, its number is in the lowest bits.
func elements(g *grams, n int) []uint64 {
	list := make([]uint64, 0, g.count(n))
	for _, l := range g.sizes {
		if l.n == n {
			g.hashes(l, func(hashes []store.Hash) bool {
				for _, h := range hashes {
					list = append(list, uint64(h)<<occurrenceBits)
				}
				return true
			})
		}
	}
	slices.Sort(list)
	for i := 1; i < len(list); i++ {
		if last := list[i-1]; last>>occurrenceBits == list[i]>>occurrenceBits {
			list[i] = min(last+1, last|(1<<occurrenceBits-1))
		}
	}
	return slices.Compact(list)
}

// least returns the least whole number that is not below x, but for an error of
// rounding.
func least(x float64) int { return int(math.Ceil(x - 1e-9)) }

// prefix returns how many of the first elements of a set with so many must be looked
// at.
func (d *deduper) prefix(size int) int { return size - least(d.share*float64(size)) + 1 }

// need returns how many elements two sets must have in common.
func (d *deduper) need(a, b int) int { return least(d.share / (1 + d.share) * float64(a+b)) }

// admit returns the document that t is nearly the same as. If there is none, it returns
// what is to arrive when t is in the store. known says that the index has t: it is not
// compared then, but others are with it.
func (d *deduper) admit(ctx context.Context, t *taken, g *grams, known bool) (found *twin, a *arrival, err error) {
	a = &arrival{id: store.IDOf(t.entry.Prefix, t.entry.Path), name: t.entry.Name()}
	a.textSum = store.TextSum(t.text, t.entry.Rules, t.entry.NewLine)
	if g.count(d.n) > mostCompared {
		return nil, a, nil
	}
	a.elements = elements(g, d.n)
	if known {
		return nil, a, nil
	}
	if found, err = d.stored(ctx, a.elements); found == nil && err == nil {
		found = d.like(a)
	}
	return found, a, err
}

// stored returns the document of the index that most of a set is the same as.
func (d *deduper) stored(ctx context.Context, set []uint64) (*twin, error) {
	first := set[:d.prefix(len(set))]
	if c, err := d.count(ctx, first, 1); err != nil || c.common == 0 && len(c.shared) == 0 {
		return nil, err
	}
	for _, limit := range []int{64, 1 << 10, 1 << 14, 0} {
		c, err := d.count(ctx, set, limit)
		if err != nil {
			return nil, err
		}
		found, undecided, err := d.best(ctx, c, len(set))
		if found != nil || err != nil || !undecided {
			return found, err
		}
	}
	return nil, nil
}

// shares are how many elements of a set documents of the index have.
type shares struct {
	shared map[store.DocID]int
	common int // elements in too many documents to count
}

// lookedUp is how many n-grams are looked up at once.
const lookedUp = 1 << 16

// count looks up the n-grams of a set. Those in more documents than limit are
// common; 0 is for no limit.
func (d *deduper) count(ctx context.Context, set []uint64, limit int) (c shares, err error) {
	c.shared = map[store.DocID]int{}
	for len(set) > 0 {
		var hashes []store.Hash
		var times []int
		for len(set) > 0 && (len(hashes) < lookedUp || store.Hash(set[0]>>occurrenceBits) == hashes[len(hashes)-1]) {
			if h := store.Hash(set[0] >> occurrenceBits); len(hashes) == 0 || h != hashes[len(hashes)-1] {
				hashes, times = append(hashes, h), append(times, 0)
			}
			times[len(times)-1]++
			set = set[1:]
		}
		at := 0
		err := d.store.Lookup(ctx, d.n, hashes, store.Limits{Docs: limit, Positions: slices.Max(times)}, func(hit store.Hit) error {
			for hashes[at] != hit.Hash {
				at++
			}
			c.take(hit, times[at])
			return nil
		})
		if err != nil {
			return c, storeError{err}
		}
	}
	return c, nil
}

// take counts an n-gram that is so many times in the set.
func (c *shares) take(hit store.Hit, times int) {
	if hit.Common {
		c.common += times
		return
	}
	for i := 0; i < len(hit.Postings); {
		doc, count := hit.Postings[i].Doc, 0
		for ; i < len(hit.Postings) && hit.Postings[i].Doc == doc; i++ {
			count++
		}
		c.shared[doc] += min(count, times)
	}
}

// best returns the document that shares most with a set of so many elements, if it
// is enough. undecided says that it depends on n-grams that were not counted.
func (d *deduper) best(ctx context.Context, c shares, size int) (found *twin, undecided bool, err error) {
	undecided = c.common >= d.need(size, least(d.share*float64(size)))
	for _, id := range slices.Sorted(maps.Keys(c.shared)) {
		if float64(c.shared[id]+c.common) < d.share*float64(size)-1e-9 || d.fresh[id] {
			continue
		}
		doc, err := d.store.Document(ctx, id)
		if err != nil {
			return nil, false, storeError{err}
		}
		grams, _ := doc.Grams(d.n)
		need := d.need(size, int(grams))
		undecided = undecided || c.shared[id]+c.common >= need
		share := float64(c.shared[id]) / float64(size+int(grams)-c.shared[id])
		if c.shared[id] >= need && (found == nil || share > found.share) {
			found = &twin{id, doc.Name(), doc.TextSum, share}
		}
	}
	return found, undecided, nil
}

// like returns the arrival that a is most like, if it is enough.
func (d *deduper) like(a *arrival) (found *twin) {
	asked := map[*arrival]bool{}
	for _, e := range a.elements[:d.prefix(len(a.elements))] {
		for _, other := range d.arrivals[e] {
			if asked[other] {
				continue
			}
			asked[other] = true
			common := commonElements(a.elements, other.elements)
			share := float64(common) / float64(len(a.elements)+len(other.elements)-common)
			if common >= d.need(len(a.elements), len(other.elements)) && (found == nil || share > found.share) {
				found = &twin{other.id, other.name, other.textSum, share}
			}
		}
	}
	return found
}

// commonElements returns how many elements two rising sets share.
func commonElements(a, b []uint64) (common int) {
	for len(a) > 0 && len(b) > 0 {
		switch c := cmp.Compare(a[0], b[0]); {
		case c == 0:
			common++
			a, b = a[1:], b[1:]
		case c < 0:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return common
}

// arrive notes that a document is in the store.
func (d *deduper) arrive(a *arrival) {
	d.fresh[a.id] = true
	if len(a.elements) == 0 {
		return
	}
	d.held += len(a.elements)
	for _, e := range a.elements[:d.prefix(len(a.elements))] {
		d.arrivals[e] = append(d.arrivals[e], a)
	}
}

// full reports whether it is time for a commit, so that what arrived need not be held
// any longer.
func (d *deduper) full() bool { return d.held > mostHeld }

// left notes that a file was left out because of a document that stays.
func (d *deduper) left(f file, t *twin) {
	c := d.copies[t.id]
	if c == nil || c.textSum != t.textSum {
		c = &leftCopies{name: t.name, textSum: t.textSum}
		d.copies[t.id] = c
	}
	c.files = append(c.files, f)
}

// committed notes that what arrived is in the index now, and returns what was left
// out since the commit before.
func (d *deduper) committed() map[store.DocID]*leftCopies {
	left := d.copies
	d.arrivals, d.fresh, d.held, d.copies = map[uint64][]*arrival{}, map[store.DocID]bool{}, 0, map[store.DocID]*leftCopies{}
	return left
}

// noteCopies adds to the entries of documents the names of those that were left out
// for them, and reports whether anything is to be committed.
func (r *run) noteCopies(ctx context.Context, left map[store.DocID]*leftCopies) (any bool, err error) {
	for _, id := range slices.Sorted(maps.Keys(left)) {
		c := left[id]
		doc, err := r.store.Document(ctx, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return any, err
		}
		if err != nil || doc.TextSum != c.textSum {
			for _, f := range c.files {
				r.fail(f.path, fmt.Errorf("what it was left out for has changed, %s: index it again", c.name))
			}
			continue
		}
		before := len(doc.Copies)
		for _, f := range c.files {
			if name := r.opts.Prefix + f.document(); len(doc.Copies) < mostCopies && !slices.Contains(doc.Copies, name) {
				doc.Copies = append(doc.Copies, name)
			}
		}
		if len(doc.Copies) == before || doc.NoText {
			continue
		}
		if err := Describe(ctx, r.store, doc, doc.Said); err != nil {
			return any, err
		}
		any = true
	}
	return any, nil
}

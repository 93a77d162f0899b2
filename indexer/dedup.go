package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

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
type deduper struct {
	store store.Store
	n     int
	share float64

	committing sync.Mutex // one commit at a time

	mu       sync.Mutex // guards what follows
	commits  int
	arriving map[uint64][]*arrival       // by their first elements
	fresh    map[store.DocID]*arrival    // of them: what the index has of these is out of date
	held     int                         // elements of them
	copies   map[store.DocID]*leftCopies // of documents that stay, what was left out since the last commit
}

// An arrival is a document of this run that is not committed yet.
type arrival struct {
	id       store.DocID
	name     string
	textSum  string
	elements []uint64
	done     chan struct{} // it is in the store, or is not
	failed   bool
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
	return &deduper{
		store: s, n: o.N, share: o.Dedup,
		arriving: map[uint64][]*arrival{}, fresh: map[store.DocID]*arrival{}, copies: map[store.DocID]*leftCopies{},
	}
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

// admit returns the document that t is nearly the same as. If there is none, t arrives,
// and settle is to be called when it is in the store or cannot be. known says
// that the index has it: it is not compared then, but others are with it.
func (d *deduper) admit(ctx context.Context, t *taken, g *grams, known bool) (found *twin, settle func(error), err error) {
	a := &arrival{id: store.IDOf(t.entry.Prefix, t.entry.Path), name: t.entry.Name(), done: make(chan struct{})}
	a.textSum = store.TextSum(t.text, t.entry.Rules, t.entry.NewLine)
	if g.count(d.n) <= mostCompared {
		a.elements = elements(g, d.n)
	}
	for !known && a.elements != nil {
		commits := d.committed()
		if found, err = d.stored(ctx, a.elements); found != nil || err != nil {
			return found, nil, err
		}
		other, waited, err := d.arrived(ctx, a, commits)
		if other != nil || err != nil {
			return other, nil, err
		}
		if !waited {
			return nil, func(err error) { d.settle(a, err) }, nil
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.register(a)
	return nil, func(err error) { d.settle(a, err) }, nil
}

func (d *deduper) committed() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.commits
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
		if float64(c.shared[id]+c.common) < d.share*float64(size)-1e-9 || d.outOfDate(id) {
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

// outOfDate reports whether a document has another text in this run than in the index.
func (d *deduper) outOfDate(id store.DocID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fresh[id] != nil
}

// arrived returns the document of this run that a is nearly the same as. If there is
// none, a is one of them now, unless there was a commit meanwhile or one that
// it may be the same as was waited for: then all is to be asked again.
func (d *deduper) arrived(ctx context.Context, a *arrival, commits int) (found *twin, again bool, err error) {
	d.mu.Lock()
	if d.commits != commits {
		d.mu.Unlock()
		return nil, true, nil
	}
	other, share := d.like(a)
	if other == nil {
		d.register(a)
		d.mu.Unlock()
		return nil, false, nil
	}
	d.mu.Unlock()
	select {
	case <-other.done:
	case <-ctx.Done():
		return nil, false, context.Cause(ctx)
	}
	if other.failed {
		return nil, true, nil
	}
	return &twin{other.id, other.name, other.textSum, share}, false, nil
}

// like returns the arrival that a is most like, if it is enough. The caller holds
// d.mu.
func (d *deduper) like(a *arrival) (found *arrival, most float64) {
	asked := map[*arrival]bool{}
	for _, e := range a.elements[:d.prefix(len(a.elements))] {
		for _, other := range d.arriving[e] {
			if asked[other] {
				continue
			}
			asked[other] = true
			common := commonElements(a.elements, other.elements)
			share := float64(common) / float64(len(a.elements)+len(other.elements)-common)
			if common >= d.need(len(a.elements), len(other.elements)) && share > most {
				found, most = other, share
			}
		}
	}
	return found, most
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

// register makes a one of the arrivals. The caller holds d.mu.
func (d *deduper) register(a *arrival) {
	d.fresh[a.id] = a
	if len(a.elements) == 0 {
		return
	}
	d.held += len(a.elements)
	for _, e := range a.elements[:d.prefix(len(a.elements))] {
		d.arriving[e] = append(d.arriving[e], a)
	}
}

// settle notes that an arrival is in the store, or is not.
func (d *deduper) settle(a *arrival, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.failed = err != nil; a.failed {
		d.forget(a)
	}
	close(a.done)
}

// forget takes an arrival away. The caller holds d.mu.
func (d *deduper) forget(a *arrival) {
	if d.fresh[a.id] == a {
		delete(d.fresh, a.id)
	}
	if len(a.elements) == 0 {
		return
	}
	d.held -= len(a.elements)
	for _, e := range a.elements[:d.prefix(len(a.elements))] {
		if list := slices.DeleteFunc(d.arriving[e], func(b *arrival) bool { return b == a }); len(list) > 0 {
			d.arriving[e] = list
		} else {
			delete(d.arriving, e)
		}
	}
}

// full reports whether it is time for a commit, so that what arrived need not be held
// any longer.
func (d *deduper) full() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.held > mostHeld
}

// left notes that a file was left out because of a document that stays.
func (d *deduper) left(f file, t *twin) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.copies[t.id]
	if c == nil || c.textSum != t.textSum {
		c = &leftCopies{name: t.name, textSum: t.textSum}
		d.copies[t.id] = c
	}
	c.files = append(c.files, f)
}

// settledNow returns the arrivals that a commit from now on has.
func (d *deduper) settledNow() (list []*arrival) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.fresh {
		select {
		case <-a.done:
			list = append(list, a)
		default:
		}
	}
	return list
}

// commit notes that these are in the index now, and returns what was left out for
// documents that are.
func (d *deduper) commit(list []*arrival) map[store.DocID]*leftCopies {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.commits++
	for _, a := range list {
		d.forget(a)
	}
	ready := map[store.DocID]*leftCopies{}
	for id, c := range d.copies {
		if d.fresh[id] == nil {
			ready[id] = c
			delete(d.copies, id)
		}
	}
	return ready
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
		if err := Describe(ctx, r.store, doc, doc.Said); err != nil && !errors.Is(err, errOlder) {
			return any, err
		}
		any = true
	}
	return any, nil
}

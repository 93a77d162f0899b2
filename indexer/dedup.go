package indexer

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A deduper detects new documents that are near-duplicates of a document in the index, or of
// an earlier document of the run that is not committed yet.
//
// Two documents are near-duplicates if their multisets of n-grams have at least the given
// Jaccard similarity. The result is exact, although few pairs are compared, by prefix
// filtering (Chaudhuri, Ganti, Kaushik: A primitive operator for similarity joins in data cleaning, ICDE
// 2006): two such documents share one of their first n-grams in any common order, here that of the
// hashes. So for most documents, a tenth of the n-grams is looked up; all are looked up only
// if one of those is found.
//
// The first of two duplicates stays, so documents must be processed in order: a run with a
// deduper has one worker, and no lock is needed here.
type deduper struct {
	store store.Store
	n     int
	share float64

	arrivals map[uint64][]*arrival       // by each of their first elements
	fresh    map[store.DocID]bool        // arrivals, whose entries in the index are out of date
	held     int                         // number of elements of all arrivals
	copies   map[store.DocID]*leftCopies // by document that stays: duplicates left out since the last commit
}

// An arrival is a document of this run that was added to the store and not committed yet.
type arrival struct {
	id       store.DocID
	name     string
	textSum  string
	elements []uint64
}

// leftCopies are the duplicates that were left out because of a document, and the content that it
// had then.
type leftCopies struct {
	name, textSum string
	files         []file
}

// A twin is the document that another one duplicates.
type twin struct {
	id            store.DocID
	name, textSum string
	share         float64
}

const (
	// mostCompared is the largest number of n-grams of a document that is compared; each takes 8
	// bytes.
	mostCompared = 8 << 20
	// mostHeld limits the number of n-grams of uncommitted documents in memory.
	mostHeld = 4 << 20
	// mostCopies limits the number of duplicates that the entry of a document names.
	mostCopies = 100
	// occurrenceBits are the low bits of an element, which number repeated n-grams.
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

// elements returns the n-grams of a document as a sorted set. The lowest bits number the
// occurrences of the same n-gram.
func elements(g *grams.Grams, n int) []uint64 {
	list := make([]uint64, 0, g.Count(n))
	for _, l := range g.Sizes {
		if l.N == n {
			g.Hashes(l, func(hashes []store.Hash) bool {
				list = append(list, lists.Map(hashes, func(h store.Hash) uint64 { return uint64(h) << occurrenceBits })...)
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

// least returns the smallest integer not less than x, up to rounding errors.
func least(x float64) int { return int(math.Ceil(x - 1e-9)) }

// prefix returns how many of the first elements of a set of this size must be looked up.
func (d *deduper) prefix(size int) int { return size - least(d.share*float64(size)) + 1 }

// need returns how many elements two sets of sizes a and b must share.
func (d *deduper) need(a, b int) int { return least(d.share / (1 + d.share) * float64(a+b)) }

// admit returns the document that t duplicates. If there is none, it returns the arrival to
// register once t is in the store. If known is true, the index already has t: t is not compared,
// but later documents are compared with it.
func (d *deduper) admit(ctx context.Context, t *taken, g *grams.Grams, known bool) (found *twin, a *arrival, err error) {
	a = &arrival{id: store.IDOf(t.entry.Prefix, t.entry.Path), name: t.entry.Name()}
	a.textSum = store.TextSum(t.text, t.entry.Rules, t.entry.NewLine)
	if g.Count(d.n) > mostCompared {
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

// stored returns the document of the index that is most similar to a set.
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

// shares counts how many elements of a set each document of the index has.
type shares struct {
	shared map[store.DocID]int
	common int // elements in more documents than the limit
}

// lookedUp is how many n-grams a look-up has.
const lookedUp = 1 << 16

// count looks up the n-grams of a set. N-grams in more documents than limit count as common; a
// limit of 0 means none.
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
			c.countHit(hit, times[at])
			return nil
		})
		if err != nil {
			return c, storeError{err}
		}
	}
	return c, nil
}

// countHit counts the documents of an n-gram that the set has times times.
func (c *shares) countHit(hit store.Hit, times int) {
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

// best returns the document most similar to a set of this size, if it is similar enough. undecided
// is true if that depends on common n-grams, which were not counted.
func (d *deduper) best(ctx context.Context, c shares, size int) (found *twin, undecided bool, err error) {
	undecided = c.common >= d.need(size, least(d.share*float64(size)))
	for _, id := range slices.Sorted(maps.Keys(c.shared)) {
		if float64(c.shared[id]+c.common) < d.share*float64(size)-1e-9 || d.fresh[id] {
			continue
		}
		doc, err := store.Entry(ctx, d.store, id)
		if err != nil {
			return nil, false, storeError{err}
		}
		count, _ := doc.Grams(d.n)
		need := d.need(size, int(count))
		undecided = undecided || c.shared[id]+c.common >= need
		share := float64(c.shared[id]) / float64(size+int(count)-c.shared[id])
		if c.shared[id] >= need && (found == nil || share > found.share) {
			found = &twin{id, doc.Name(), doc.TextSum, share}
		}
	}
	return found, undecided, nil
}

// like returns the arrival most similar to a, if it is similar enough.
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

// commonElements returns how many elements two sorted sets share.
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

// arrive registers a document that was added to the store.
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

// leaveOut records that f was left out because it duplicates t.
func (d *deduper) leaveOut(f file, t *twin) {
	c := d.copies[t.id]
	if c == nil || c.textSum != t.textSum {
		c = &leftCopies{name: t.name, textSum: t.textSum}
		d.copies[t.id] = c
	}
	c.files = append(c.files, f)
}

// committed drops all arrivals, which are in the index now, and returns the duplicates left out
// since the previous commit.
func (d *deduper) committed() map[store.DocID]*leftCopies {
	left := d.copies
	d.arrivals, d.fresh, d.held, d.copies = map[uint64][]*arrival{}, map[store.DocID]bool{}, 0, map[store.DocID]*leftCopies{}
	return left
}

// noteCopies adds the names of duplicates that were left out to the entries of the documents that
// stay, and reports whether a commit is needed.
func (r *run) noteCopies(ctx context.Context, left map[store.DocID]*leftCopies) (any bool, err error) {
	for _, id := range slices.Sorted(maps.Keys(left)) {
		c := left[id]
		doc, err := store.Entry(ctx, r.store, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return any, err
		}
		if err != nil || doc.TextSum != c.textSum {
			for _, f := range c.files {
				r.ledger.Fail(f.path, phrase.Error("said.twin-changed", "it was left out because of {name}, which has changed: index it again", "name", c.name))
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

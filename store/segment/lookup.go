package segment

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/store"
)

const (
	batchLen = 2048          // hashes looked up in one segment after another
	roundLen = 16 * batchLen // hashes looked up before fn is called
)

// Lookup implements [store.Reader].
func (r *Reader) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	if n < 1 {
		return context.Cause(ctx)
	}
	return r.with(ctx, func(s *snapshot) error { return s.lookup(ctx, n, hashes, limits, fn) })
}

// LookupPairs implements [store.Reader].
func (r *Reader) LookupPairs(ctx context.Context, pairs []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	limits = limits.OfPairs()
	return r.with(ctx, func(s *snapshot) error { return s.lookup(ctx, pairList, pairs, limits, fn) })
}

// NearPairs implements [store.Reader].
func (r *Reader) NearPairs(_ context.Context, q store.PairQuery) (store.PairFinder, error) {
	return store.PairsOf(r, q), nil
}

// lookup looks up hashes of one list: n-grams of n words, or pairs.
func (s *snapshot) lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	l := lookup{dir: s.dir, limits: limits, tables: s.tables}
	for _, v := range s.segments {
		if v.n == n {
			l.lines = append(l.lines, line{view: v})
		}
	}
	// No n-gram or pair has a hash with more bits.
	end, _ := slices.BinarySearch(hashes, store.Hash(1<<bitsOf(n)))
	for round := range slices.Chunk(hashes[:end], roundLen) {
		if err := l.round(ctx, round); err != nil {
			return err
		}
		for i := range l.batches {
			if err := l.yield(&l.batches[i], fn); err != nil {
				return err
			}
		}
	}
	return nil
}

// A lookup is one call of Lookup.
type lookup struct {
	dir     string
	limits  store.Limits
	tables  layers
	lines   []line
	batches []hashBatch
	docs    documents // documents of the current hash
	kept    []store.Posting
	pruned  bool // the current hash is in too many documents to be listed
}

// A line is a segment in a look-up.
type line struct {
	*view
	near int // index of the piece that had the last posting
}

// A hashBatch holds hashes that are looked up together.
type hashBatch struct {
	hashes []store.Hash
	found  [][]found // by line, by ascending hash; not reported yet
}

// round looks up hashes, in batches that run in parallel.
func (l *lookup) round(ctx context.Context, hashes []store.Hash) error {
	l.batches = l.batches[:0]
	for some := range slices.Chunk(hashes, batchLen) {
		l.batches = append(l.batches, hashBatch{some, make([][]found, len(l.lines))})
	}
	if len(l.batches) == 1 {
		return l.find(ctx, &l.batches[0])
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range l.batches {
		group.Go(func() error {
			return guarded(l.dir, func() error { return l.find(ctx, &l.batches[i]) })
		})
	}
	return group.Wait()
}

// seekers holds unused seekers.
var seekers = sync.Pool{New: func() any { return newSeeker(batchLen) }}

// find looks up a batch in all segments.
func (l *lookup) find(ctx context.Context, b *hashBatch) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	k := seekers.Get().(*seeker)
	defer seekers.Put(k)
	for i, line := range l.lines {
		if err := k.seek(line.file, b.hashes); err != nil {
			return err
		}
		b.found[i] = slices.Clone(k.found)
	}
	return nil
}

// yield combines the results of the segments, hash by hash, and calls fn.
func (l *lookup) yield(b *hashBatch, fn func(store.Hit) error) error {
	for i := b.next(); i < len(b.hashes); i = b.next() {
		hit, ok, err := l.hit(b, i)
		if err != nil {
			return err
		}
		if ok {
			if err := fn(hit); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns the index of the next hash that a segment contains, math.MaxInt if there is
// none.
func (b *hashBatch) next() int {
	least := math.MaxInt
	for _, found := range b.found {
		if len(found) > 0 {
			least = min(least, found[0].place)
		}
	}
	return least
}

// hit combines the results of all segments for hash i of the batch.
func (l *lookup) hit(b *hashBatch, i int) (hit store.Hit, ok bool, err error) {
	l.kept = l.kept[:0]
	l.docs.clear()
	l.pruned = false
	for k := range l.lines {
		found := b.found[k]
		if len(found) == 0 || found[0].place != i {
			continue
		}
		b.found[k] = found[1:]
		line, f := &l.lines[k], found[0]
		line.near = f.piece
		if err := l.collect(line, line.cursor(f.chunk, f.posting)); err != nil {
			return hit, false, err
		}
	}
	switch {
	case l.common():
		return store.Hit{Hash: b.hashes[i], Common: true}, true, nil
	case l.docs.count() == 0:
		return hit, false, nil
	}
	return store.Hit{Hash: b.hashes[i], Postings: l.postings()}, true, nil
}

// common reports whether the current hash is in too many documents.
func (l *lookup) common() bool {
	return l.pruned || l.limits.Docs > 0 && l.docs.count() > l.limits.Docs
}

// collect adds the postings of one hash in one segment, up to the limits: the first ones of
// each document.
func (l *lookup) collect(line *line, p cursor) error {
	var (
		piece = -1 // of the last ordinal
		end   uint64
		doc   store.DocID
		live  bool
		count int // postings of doc
		shift uint32
	)
	_, pruned, err := p.pruned()
	if err != nil {
		return err
	}
	l.pruned = l.pruned || pruned
	for !l.common() {
		ordinal, ok, err := p.next()
		if !ok || err != nil {
			return err
		}
		if piece < 0 || ordinal >= end {
			line.near = line.pieceOf(ordinal, line.near)
			if err := line.ensurePiece(line.near, ordinal); err != nil {
				return err
			}
			piece, end = line.near, line.pieceEnd(line.near)
			if doc, live, err = line.live(piece, l.tables); err != nil {
				return err
			}
			at := line.piece(piece)
			shift, count = at.base-at.first, 0
			if live {
				l.docs.add(doc)
			}
		}
		if live && (l.limits.Positions == 0 || count < l.limits.Positions) {
			l.kept = append(l.kept, store.Posting{Doc: doc, Pos: uint32(ordinal) + shift})
			count++
		}
	}
	return nil
}

// postings sorts the collected postings and applies the limit of positions, which a
// document in several pieces may exceed.
func (l *lookup) postings() []store.Posting {
	slices.SortFunc(l.kept, store.ByPlace)
	if l.limits.Positions == 0 {
		return l.kept
	}
	out, count := l.kept[:0], 0
	for i, p := range l.kept {
		if i > 0 && p.Doc != l.kept[i-1].Doc {
			count = 0
		}
		if count++; count <= l.limits.Positions {
			out = append(out, p)
		}
	}
	return out
}

// documents is a set of documents. Most sets have one or two, for which a map would take
// longer than the rest of a look-up.
type documents struct {
	few  []store.DocID
	many map[store.DocID]bool // all documents, if there are more than fewDocuments
}

const fewDocuments = 16

func (d *documents) add(id store.DocID) {
	if len(d.many) > 0 {
		d.many[id] = true
		return
	}
	if slices.Contains(d.few, id) {
		return
	}
	if d.few = append(d.few, id); len(d.few) > fewDocuments {
		if d.many == nil {
			d.many = map[store.DocID]bool{}
		}
		for _, id := range d.few {
			d.many[id] = true
		}
	}
}

func (d *documents) count() int { return max(len(d.few), len(d.many)) }

func (d *documents) clear() {
	d.few = d.few[:0]
	clear(d.many)
}

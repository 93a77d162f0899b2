package segment

import (
	"context"
	"math"
	"slices"

	"github.com/otisk/otisk/store"
)

// batchLen is how many hashes are looked up in one segment after another.
const batchLen = 1024

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

// lookup looks up hashes of one list: n-grams of n words, or pairs.
func (s *snapshot) lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	l := lookup{limits: limits, catalogue: s.catalogue, docs: map[store.DocID]bool{}}
	for _, v := range s.segments {
		if v.n == n {
			l.lines = append(l.lines, line{view: v})
		}
	}
	// Nothing in the index has a hash of more bits.
	end, _ := slices.BinarySearch(hashes, store.Hash(1<<bitsOf(n)))
	l.seeker = newSeeker(min(end, batchLen))
	for batch := range slices.Chunk(hashes[:end], batchLen) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := l.batch(batch, fn); err != nil {
			return err
		}
	}
	return nil
}

// A lookup is one call of Lookup.
type lookup struct {
	limits    store.Limits
	catalogue catalogue
	lines     []line
	seeker    *seeker
	docs      map[store.DocID]bool // that have the present hash
	kept      []store.Posting
	pruned    bool // the present hash is in too many documents to be listed
}

// A line is what one segment has found of a batch.
type line struct {
	*view
	found []found // by rising hash, what has not been told
	near  int     // piece that was met last
}

// batch looks all hashes up in each segment, then puts what was found together
// hash by hash.
func (l *lookup) batch(hashes []store.Hash, fn func(store.Hit) error) error {
	for i := range l.lines {
		if err := l.lines[i].find(hashes, l.seeker); err != nil {
			return err
		}
	}
	for i := l.next(); i < len(hashes); i = l.next() {
		hit, ok, err := l.hit(i, hashes[i])
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

// next returns the place of the next hash that a segment has, a large number
// if there is none.
func (l *lookup) next() int {
	least := math.MaxInt
	for i := range l.lines {
		if found := l.lines[i].found; len(found) > 0 {
			least = min(least, found[0].place)
		}
	}
	return least
}

// find puts what the segment has of a batch into found.
func (l *line) find(hashes []store.Hash, k *seeker) error {
	if err := l.ensureChunks(hashes); err != nil {
		return err
	}
	if err := k.seek(l.file, hashes); err != nil {
		return err
	}
	l.found = append(l.found[:0], k.found...)
	return nil
}

// hit returns what all segments have of hash i of the batch.
func (l *lookup) hit(i int, h store.Hash) (hit store.Hit, ok bool, err error) {
	l.kept = l.kept[:0]
	clear(l.docs)
	l.pruned = false
	for k := range l.lines {
		line := &l.lines[k]
		if len(line.found) == 0 || line.found[0].place != i {
			continue
		}
		f := line.found[0]
		line.found = line.found[1:]
		if err := l.collect(line, line.cursor(f.chunk, f.posting)); err != nil {
			return hit, false, err
		}
	}
	switch {
	case l.common():
		return store.Hit{Hash: h, Common: true}, true, nil
	case len(l.docs) == 0:
		return hit, false, nil
	}
	return store.Hit{Hash: h, Postings: l.postings()}, true, nil
}

// common reports whether too many documents were met already.
func (l *lookup) common() bool {
	return l.pruned || l.limits.Docs > 0 && len(l.docs) > l.limits.Docs
}

// collect keeps the postings of one hash in one segment, as many as the limits
// allow: of a document, the first ones in this segment.
func (l *lookup) collect(line *line, p cursor) error {
	var (
		piece = -1 // that the last ordinal was in
		end   uint64
		doc   store.DocID
		live  bool
		count int // kept of doc
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
			if doc, live, err = line.live(piece, l.catalogue); err != nil {
				return err
			}
			at := line.piece(piece)
			shift, count = at.base-at.first, 0
			if live {
				l.docs[doc] = true
			}
		}
		if live && (l.limits.Positions == 0 || count < l.limits.Positions) {
			l.kept = append(l.kept, store.Posting{Doc: doc, Pos: uint32(ordinal) + shift})
			count++
		}
	}
	return nil
}

// postings sorts what was kept and applies the limit of positions: a document
// that several pieces hold may have more than that.
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

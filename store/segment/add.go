package segment

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

const (
	maxName  = 16 << 10 // bytes of prefix and path
	maxWords = math.MaxUint16
)

// newFile returns a number for a file name that was never used before.
func (s *Store) newFile() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextFile++
	return s.nextFile - 1
}

// newNumber returns a number for n-grams of a document that was never used before.
func (s *Store) newNumber() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextNumber++
	return s.nextNumber - 1
}

// drop marks the n-grams added under these numbers as dead.
func (s *Store) drop(numbers []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, number := range numbers {
		s.dropped[number] = true
	}
}

// enter holds the gate for reading until leave is called, unless the store cannot be
// written to.
func (s *Store) enter(ctx context.Context) error {
	s.gate.RLock()
	err := s.usable()
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		s.gate.RUnlock()
	}
	return err
}

// usable returns an error if the store is closed or aborted. The caller holds the gate.
func (s *Store) usable() error {
	if s.closed {
		return os.ErrClosed
	}
	return store.Aborted(s.aborted)
}

func (s *Store) leave() { s.gate.RUnlock() }

// Add implements [store.Store].
func (s *Store) Add(ctx context.Context, doc store.Document, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if err := s.add(ctx, doc, text, grams, pairs); err != nil {
		return phrase.Error("index.add", "add {name}: {cause}", "name", doc.Name(), "cause", err)
	}
	return nil
}

func (s *Store) add(ctx context.Context, doc store.Document, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if err := check(doc, grams); err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	keep := s.snap.index.Settings.KeepTexts
	r := &record{Document: doc}
	r.TextSum = store.TextSum(text, doc.Rules, doc.NewLine)
	r.ID, r.Sizes, r.NoText = store.IDOf(doc.Prefix, doc.Path), nil, !keep
	r.Paired, r.Pairs = false, 0
	err := guarded(s.dir, func() error { return s.addRecord(ctx, r, text, grams, pairs) })
	if err != nil {
		s.drop(r.numbers())
	}
	return err
}

// addRecord stores n-grams and text, and makes r the pending entry.
func (s *Store) addRecord(ctx context.Context, r *record, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) (err error) {
	if err := s.addHashes(ctx, r, grams, pairs); err != nil {
		return err
	}
	if !r.NoText {
		if r.Place, err = s.packs.append(text, r.Marks); err != nil {
			return err
		}
	}
	r.Marks = nil // they are stored with the text
	return s.put(r)
}

// check rejects a document that the index cannot hold.
func check(doc store.Document, grams []store.Grams) error {
	if name := len(doc.Name()); name == 0 || name > maxName {
		return phrase.Error("damage.name-bytes", "its name has {bytes} bytes, the range is 1 to {most}", "bytes", name, "most", maxName)
	}
	for i, g := range grams {
		if g.N < 1 || g.N > maxWords {
			return phrase.Error("damage.gram-words", "n-grams of {words} words: the range is 1 to {most}", "words", g.N, "most", maxWords)
		}
		if slices.ContainsFunc(grams[:i], func(o store.Grams) bool { return o.N == g.N }) {
			return fmt.Errorf("n-grams of %d words are given twice", g.N)
		}
	}
	return nil
}

// addHashes adds n-grams and pairs to a buffer, and records their numbers and counts in r.
func (s *Store) addHashes(ctx context.Context, r *record, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	var b *buffer
	select {
	case b = <-s.buffers:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { s.buffers <- b }()
	for _, g := range grams {
		number := s.newNumber()
		r.set(g.N, number, 0)
		count, err := s.addSize(ctx, b, number, g)
		if err != nil {
			return err
		}
		r.set(g.N, number, count)
	}
	if pairs == nil {
		return nil
	}
	r.Paired, r.PairNumber = true, s.newNumber()
	var err error
	r.Pairs, err = s.addPairs(ctx, b, r.PairNumber, pairs)
	return err
}

// addPairs adds pairs to b, block by block, and returns their count.
func (s *Store) addPairs(ctx context.Context, b *buffer, number uint64, pairs iter.Seq[[]store.Hash]) (count int64, err error) {
	var block []store.Hash
	for some := range pairs {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if tooWide(some, fingerprint.PairBits) {
			return 0, fmt.Errorf("a pair has more than %d bits", fingerprint.PairBits)
		}
		for len(some) > 0 {
			more := min(len(some), store.PairBlock-len(block))
			block, some = append(block, some[:more]...), some[more:]
			if count += int64(more); len(block) == store.PairBlock {
				if err := s.addPairBlock(ctx, b, number, count, block); err != nil {
					return 0, err
				}
				block = block[:0]
			}
		}
	}
	if len(block) > 0 {
		err = s.addPairBlock(ctx, b, number, count, block)
	}
	return count, err
}

// addPairBlock adds one block of pairs to b. Its last pair is pair count of the document.
func (s *Store) addPairBlock(ctx context.Context, b *buffer, number uint64, count int64, pairs []store.Hash) error {
	at := uint32((count - 1) / store.PairBlock)
	if b.addPairs(number, at, pairs) {
		return nil
	}
	if err := s.makeRoom(ctx, b); err != nil {
		return err
	}
	b.addPairs(number, at, pairs) // always fits into an empty buffer
	return nil
}

// tooWide reports whether a hash has more than the given number of bits.
func tooWide(hashes []store.Hash, bits uint) bool {
	all := store.Hash(0)
	for _, h := range hashes {
		all |= h
	}
	return all>>bits != 0
}

// addSize adds the n-grams of one size to b, and returns their count.
func (s *Store) addSize(ctx context.Context, b *buffer, number uint64, g store.Grams) (count int64, err error) {
	for hashes := range g.Hashes {
		if err = ctx.Err(); err != nil {
			return 0, context.Cause(ctx)
		}
		if tooWide(hashes, fingerprint.Bits) {
			return 0, fmt.Errorf("a hash has more than %d bits", fingerprint.Bits)
		}
		for len(hashes) > 0 {
			if count+int64(len(hashes)) > math.MaxUint32 {
				return 0, phrase.Error("damage.gram-count", "more than {most} n-grams", "most", math.MaxUint32)
			}
			took := b.add(g.N, number, uint32(count), hashes)
			hashes, count = hashes[took:], count+int64(took)
			if len(hashes) == 0 {
				break
			}
			if err := s.makeRoom(ctx, b); err != nil {
				return 0, err
			}
		}
	}
	return count, nil
}

// put makes r the pending entry of its document. If the text is unchanged, r keeps the
// sizes and pairs of the old entry that it does not have itself.
func (s *Store) put(r *record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.current(r.ID)
	if err != nil {
		return err
	}
	if old != nil {
		if err := r.SameID(&old.Document); err != nil {
			return err
		}
	}
	if old != nil && old.TextSum == r.TextSum {
		for i, size := range old.Sizes {
			if _, has := r.number(size.N); !has {
				r.set(size.N, old.Numbers[i], size.Grams)
			}
		}
		if old.Paired && !r.Paired {
			r.Paired, r.Pairs, r.PairNumber = true, old.Pairs, old.PairNumber
		}
	}
	s.replacePending(r.ID, r)
	return nil
}

// current returns the entry of a document, pending changes included, or nil if there is
// none. The caller holds s.mu.
func (s *Store) current(id store.DocID) (*record, error) {
	if r, ok := s.pending[id]; ok {
		return r, nil
	}
	r, err := s.snap.record(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return r, err
}

// replacePending makes r the pending entry, nil for a deletion. Numbers that only the
// previous pending entry had are dead. The caller holds s.mu.
func (s *Store) replacePending(id store.DocID, r *record) {
	if old := s.pending[id]; old != nil {
		for _, number := range old.numbers() {
			if r == nil || !slices.Contains(r.numbers(), number) {
				s.dropped[number] = true
			}
		}
	}
	s.pending[id] = r
}

// SetBases implements [store.Store].
func (s *Store) SetBases(ctx context.Context, bases []store.Base) error {
	if err := s.enter(ctx); err != nil {
		return phrase.Error("damage.set-bases", "set bases: {cause}", "cause", err)
	}
	defer s.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bases = new(slices.Clone(bases))
	return nil
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id store.DocID) error {
	if err := s.enter(ctx); err != nil {
		return phrase.Error("damage.delete", "delete document {id}: {cause}", "id", id, "cause", err)
	}
	defer s.leave()
	return guarded(s.dir, func() error { return s.forget(id) })
}

// forget marks a document as deleted in the pending changes.
func (s *Store) forget(id store.DocID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.current(id)
	if err != nil {
		return err
	}
	if r == nil {
		return phrase.Error("damage.delete", "delete document {id}: {cause}", "id", id, "cause", store.ErrNotFound)
	}
	s.replacePending(id, nil)
	return nil
}

// SetProgress implements [store.Store].
func (s *Store) SetProgress(progress string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress = progress
}

// Progress implements [store.Store].
func (s *Store) Progress(ctx context.Context) (progress string, err error) {
	err = s.with(ctx, func(s *snapshot) error { progress = s.index.Progress; return nil })
	return progress, err
}

// SetBookmark implements [store.Store].
func (s *Store) SetBookmark(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bookmarks[name] = value
}

// Bookmark implements [store.Store].
func (s *Store) Bookmark(ctx context.Context, name string) (value string, err error) {
	err = s.with(ctx, func(s *snapshot) error { value = s.index.Bookmarks[name]; return nil })
	return value, err
}

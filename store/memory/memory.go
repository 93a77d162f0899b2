// Package memory is an index in maps, as simple as possible. It is the oracle in tests of
// other stores, and the index of `otisk compare`.
//
// [New] returns an empty index. Documents that were added are found after the next
// [Store.Commit], as the contract says. A look-up reads all documents, so it suits hundreds
// of texts, not thousands.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A Store is an index in memory. [New] returns one.
type Store struct {
	mu       sync.RWMutex // guards the fields below
	settings store.Settings
	live     map[store.DocID]*document // as of the last commit
	next     map[store.DocID]*document // live with the pending changes
	bases    []store.Base              // as of the last commit
	newBases []store.Base              // with the pending changes

	progress, newProgress   string
	bookmarks, newBookmarks map[string]string
}

type document struct {
	entry store.Document
	text  string
	grams map[int][]store.Hash
	pairs []store.Hash
	marks *store.Marks
}

var _ store.Store = (*Store)(nil)

// New returns an empty store.
func New(settings store.Settings) *Store {
	return &Store{
		settings: settings,
		live:     map[store.DocID]*document{},
		next:     map[store.DocID]*document{},

		newBookmarks: map[string]string{},
	}
}

// Settings implements [store.Reader].
func (s *Store) Settings() store.Settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.settings
}

// Close implements [store.Reader].
func (s *Store) Close() error { return nil }

// Info implements [store.Reader].
func (s *Store) Info(context.Context) (store.Info, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	info := store.Info{Kind: "memory", Documents: int64(len(s.live))}
	sizes := map[int]store.SizeInfo{}
	for _, d := range s.live {
		info.TextBytes += d.entry.Text
		info.KeptBytes += int64(len(d.text))
		if d.entry.Paired {
			info.Pairs.Documents++
			info.Pairs.Pairs += d.entry.Pairs
		}
		for _, size := range d.entry.Sizes {
			sum := sizes[size.N]
			sizes[size.N] = store.SizeInfo{N: size.N, Documents: sum.Documents + 1, Grams: sum.Grams + size.Grams}
		}
	}
	info.Bases = slices.Clone(s.bases)
	info.Sizes = slices.SortedFunc(maps.Values(sizes), func(a, b store.SizeInfo) int { return a.N - b.N })
	return info, nil
}

// Measure implements [store.Reader]. Info is complete.
func (s *Store) Measure(context.Context, *store.Info) error { return nil }

// Entries implements [store.Reader].
func (s *Store) Entries(_ context.Context, ids []store.DocID, fn func(store.Document) error) error {
	return store.EntriesOf(ids, func(id store.DocID) (store.Document, error) {
		d, err := s.get(id)
		if err != nil {
			return store.Document{}, err
		}
		return d.entry, nil
	}, fn)
}

// Texts implements [store.Reader].
func (s *Store) Texts(_ context.Context, ids []store.DocID, fn func(i int, text string, err error) error) error {
	return store.TextsOf(ids, func(id store.DocID) (string, error) {
		d, err := s.get(id)
		if err != nil {
			return "", err
		}
		if d.entry.NoText {
			return "", fmt.Errorf("%s: %w", d.entry.Name(), store.ErrNoText)
		}
		return d.text, nil
	}, fn)
}

// Pieces implements [store.Reader].
func (s *Store) Pieces(ctx context.Context, ids []store.DocID, choose func(i int, m *store.Marks) ([]store.Piece, error), fn func(i int, pieces []string, err error) error) error {
	one := func(id store.DocID, choose func(*store.Marks) ([]store.Piece, error)) ([]string, error) {
		return s.pieces(ctx, id, choose)
	}
	return store.PiecesOf(ids, one, choose, fn)
}

func (s *Store) pieces(ctx context.Context, id store.DocID, choose func(*store.Marks) ([]store.Piece, error)) ([]string, error) {
	text, err := store.TextOf(ctx, s, id)
	if err != nil {
		return nil, err
	}
	d, err := s.get(id)
	if err != nil {
		return nil, err
	}
	if d.marks == nil {
		return nil, fmt.Errorf("%s: %w", d.entry.Name(), store.ErrNoMarks)
	}
	pieces, err := choose(d.marks)
	if err != nil {
		return nil, err
	}
	return store.Cut(text, pieces)
}

func (s *Store) get(id store.DocID) (*document, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d := s.live[id]
	if d == nil {
		return nil, phrase.Error("damage.document", "document {id}: {cause}", "id", id, "cause", store.ErrNotFound)
	}
	return d, nil
}

// Documents implements [store.Reader].
func (s *Store) Documents(_ context.Context, prefix string, fn func(store.Document) error) error {
	for _, d := range s.sorted() {
		if !strings.HasPrefix(d.entry.Name(), prefix) {
			continue
		}
		if err := fn(d.entry); err != nil {
			return err
		}
	}
	return nil
}

// LeftOut implements [store.Reader].
func (s *Store) LeftOut(ctx context.Context) (map[store.DocID]bool, error) {
	return store.LeftOutOf(ctx, s)
}

func (s *Store) sorted() []*document {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.SortedFunc(maps.Values(s.live), func(a, b *document) int {
		return cmp.Compare(a.entry.Name(), b.entry.Name())
	})
}

// Lookup implements [store.Reader].
func (s *Store) Lookup(_ context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	return report(hashes, s.postings(hashes, 1, func(d *document) []store.Hash { return d.grams[n] }), limits, fn)
}

// LookupPairs implements [store.Reader].
func (s *Store) LookupPairs(_ context.Context, pairs []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	limits = limits.OfPairs()
	return report(pairs, s.postings(pairs, store.PairBlock, func(d *document) []store.Hash { return d.pairs }), limits, fn)
}

// NearPairs implements [store.Reader].
func (s *Store) NearPairs(_ context.Context, q store.PairQuery) (store.PairFinder, error) {
	return store.PairsOf(s, q), nil
}

func report(hashes []store.Hash, found map[store.Hash][]store.Posting, limits store.Limits, fn func(store.Hit) error) error {
	for _, h := range hashes {
		if len(found[h]) == 0 {
			continue
		}
		if err := fn(hit(h, found[h], limits)); err != nil {
			return err
		}
	}
	return nil
}

// postings returns every occurrence of hashes in the lists that of returns. block
// consecutive hashes share a position.
func (s *Store) postings(hashes []store.Hash, block int, of func(*document) []store.Hash) map[store.Hash][]store.Posting {
	found := make(map[store.Hash][]store.Posting, len(hashes))
	for _, h := range hashes {
		found[h] = nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for id, d := range s.live {
		for pos, h := range of(d) {
			ps, wanted := found[h]
			at := store.Posting{Doc: id, Pos: uint32(pos / block)}
			if wanted && (len(ps) == 0 || ps[len(ps)-1] != at) {
				found[h] = append(ps, at)
			}
		}
	}
	return found
}

// hit sorts the postings of h and applies the limits.
func hit(h store.Hash, all []store.Posting, limits store.Limits) store.Hit {
	slices.SortFunc(all, store.ByPlace)
	var kept []store.Posting
	docs, positions := 0, 0
	for i, p := range all {
		if i == 0 || p.Doc != all[i-1].Doc {
			docs, positions = docs+1, 0
		}
		if limits.Positions == 0 || positions < limits.Positions {
			kept = append(kept, p)
		}
		positions++
	}
	if limits.Docs > 0 && docs > limits.Docs {
		return store.Hit{Hash: h, Common: true}
	}
	return store.Hit{Hash: h, Postings: kept}
}

// Add implements [store.Store].
func (s *Store) Add(_ context.Context, doc store.Document, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	doc.ID = store.IDOf(doc.Prefix, doc.Path)
	s.mu.Lock()
	defer s.mu.Unlock()
	doc.TextSum = store.TextSum(text, doc.Rules, doc.NewLine)
	doc.Sizes, doc.NoText, doc.Paired = nil, !s.settings.KeepTexts, pairs != nil
	d := &document{entry: doc, grams: map[int][]store.Hash{}, marks: doc.Marks}
	d.entry.Marks = nil
	if s.settings.KeepTexts {
		d.text = text
	}
	old := s.next[doc.ID]
	if old != nil {
		if err := doc.SameID(&old.entry); err != nil {
			return err
		}
	}
	if old != nil && old.entry.TextSum == doc.TextSum {
		d.grams = maps.Clone(old.grams)
		d.pairs, d.entry.Paired = old.pairs, old.entry.Paired || doc.Paired
	}
	if pairs != nil {
		d.pairs = nil
		for some := range pairs {
			d.pairs = append(d.pairs, some...)
		}
	}
	d.entry.Pairs = int64(len(d.pairs))
	for _, g := range grams {
		d.grams[g.N] = nil
		for hashes := range g.Hashes {
			d.grams[g.N] = append(d.grams[g.N], hashes...)
		}
	}
	for n, hashes := range d.grams {
		d.entry.SetGrams(n, int64(len(hashes)))
	}
	s.next[doc.ID] = d
	return nil
}

// Delete implements [store.Store].
func (s *Store) Delete(_ context.Context, id store.DocID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next[id] == nil {
		return phrase.Error("damage.document", "document {id}: {cause}", "id", id, "cause", store.ErrNotFound)
	}
	delete(s.next, id)
	return nil
}

// SetBases implements [store.Store].
func (s *Store) SetBases(_ context.Context, bases []store.Base) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newBases = slices.Clone(bases)
	return nil
}

// SetProgress implements [store.Store].
func (s *Store) SetProgress(progress string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newProgress = progress
}

// Progress implements [store.Store].
func (s *Store) Progress(context.Context) (string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.progress, nil
}

// SetBookmark implements [store.Store].
func (s *Store) SetBookmark(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newBookmarks[name] = value
}

// Bookmark implements [store.Store].
func (s *Store) Bookmark(_ context.Context, name string) (string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.bookmarks[name], nil
}

// Commit implements [store.Store]. It cannot fail.
func (s *Store) Commit(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live, s.bases, s.bookmarks = maps.Clone(s.next), s.newBases, maps.Clone(s.newBookmarks)
	s.progress, s.newProgress = s.newProgress, ""
	return nil
}

// Optimize implements [store.Store].
func (s *Store) Optimize(ctx context.Context) error { return s.Commit(ctx) }

// Recreate implements [store.Store].
func (s *Store) Recreate(_ context.Context, settings store.Settings) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = settings
	s.live, s.next = map[store.DocID]*document{}, map[store.DocID]*document{}
	s.bases, s.newBases = nil, nil
	s.progress, s.newProgress = "", ""
	s.bookmarks, s.newBookmarks = nil, map[string]string{}
	return nil
}

// Verify implements [store.Reader].
func (s *Store) Verify(context.Context, func(error)) error { return nil }

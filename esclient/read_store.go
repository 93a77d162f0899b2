package esclient

import (
	"context"

	"github.com/otisk/otisk/store"
)

func (s *Store) show(h head) {
	v := new(view)
	v.set(s.c, s.names, s.settings, h)
	v.damage = s.damage
	s.views.Lock()
	defer s.views.Unlock()
	s.now = v
}

// use returns the view of the last commit. Until release is called, s deletes nothing that
// it sees.
func (s *Store) use() (v *view, release func()) {
	s.views.Lock()
	defer s.views.Unlock()
	v = s.now
	s.users[v]++
	return v, func() {
		s.views.Lock()
		defer s.views.Unlock()
		if s.users[v]--; s.users[v] == 0 {
			delete(s.users, v)
		}
	}
}

// oldest returns the oldest commit that a read of s is using.
func (s *Store) oldest() int64 {
	s.views.Lock()
	defer s.views.Unlock()
	oldest := s.now.epoch
	for v := range s.users {
		if v.names == s.now.names {
			oldest = min(oldest, v.epoch)
		}
	}
	return oldest
}

// Settings implements [store.Reader].
func (s *Store) Settings() store.Settings {
	s.views.Lock()
	defer s.views.Unlock()
	return s.now.settings
}

// Documents implements [store.Reader].
func (s *Store) Documents(ctx context.Context, prefix string, fn func(store.Document) error) error {
	v, release := s.use()
	defer release()
	return v.Documents(ctx, prefix, fn)
}

// Entries implements [store.Reader].
func (s *Store) Entries(ctx context.Context, ids []store.DocID, fn func(store.Document) error) error {
	v, release := s.use()
	defer release()
	return v.Entries(ctx, ids, fn)
}

// Texts implements [store.Reader].
func (s *Store) Texts(ctx context.Context, ids []store.DocID, fn func(i int, text string, err error) error) error {
	v, release := s.use()
	defer release()
	return v.Texts(ctx, ids, fn)
}

// Pieces implements [store.Reader].
func (s *Store) Pieces(ctx context.Context, ids []store.DocID, choose func(i int, m *store.Marks) ([]store.Piece, error), fn func(i int, pieces []string, err error) error) error {
	v, release := s.use()
	defer release()
	return v.Pieces(ctx, ids, choose, fn)
}

// Lookup implements [store.Reader].
func (s *Store) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	v, release := s.use()
	defer release()
	return v.Lookup(ctx, n, hashes, limits, fn)
}

// LookupPairs implements [store.Reader].
func (s *Store) LookupPairs(ctx context.Context, pairs []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	v, release := s.use()
	defer release()
	return v.LookupPairs(ctx, pairs, limits, fn)
}

// NearPairs implements [store.Reader]. It reads more than a [Reader] does, and no search
// needs it: searches read by way of a Reader.
func (s *Store) NearPairs(_ context.Context, q store.PairQuery) (store.PairFinder, error) {
	return store.PairsOf(s, q), nil
}

// Grams calls fn with the hashes of a document's n-grams of n words, in the order of their
// positions. If the document does not exist or has none, the error wraps store.ErrNotFound.
func (s *Store) Grams(ctx context.Context, id store.DocID, n int, fn func([]store.Hash) error) error {
	v, release := s.use()
	defer release()
	return v.Grams(ctx, id, n, fn)
}

// Info implements [store.Reader].
func (s *Store) Info(ctx context.Context) (store.Info, error) {
	v, release := s.use()
	defer release()
	return v.Info(ctx)
}

// Measure implements [store.Reader].
func (s *Store) Measure(ctx context.Context, info *store.Info) error {
	v, release := s.use()
	defer release()
	return v.Measure(ctx, info)
}

// LeftOut implements [store.Reader].
func (s *Store) LeftOut(ctx context.Context) (map[store.DocID]bool, error) {
	v, release := s.use()
	defer release()
	return v.LeftOut(ctx)
}

// Verify implements [store.Reader].
func (s *Store) Verify(ctx context.Context, problem func(error)) error {
	v, release := s.use()
	defer release()
	return v.Verify(ctx, problem)
}

package esclient

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// SetBases implements [store.Store].
func (s *Store) SetBases(_ context.Context, bases []store.Base) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	s.bases = new(slices.Clone(bases))
	return nil
}

// SetProgress implements [store.Store].
func (s *Store) SetProgress(progress string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress = progress
}

// Progress implements [store.Store].
func (s *Store) Progress(context.Context) (string, error) { return s.lease.get().Progress, nil }

// SetBookmark implements [store.Store].
func (s *Store) SetBookmark(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lists.Put(&s.bookmarks, name, value)
}

// Bookmark implements [store.Store].
func (s *Store) Bookmark(_ context.Context, name string) (string, error) {
	return s.lease.get().Bookmarks[name], nil
}

// setBookmarks merges the bookmarks of set into those of h. An empty value deletes one.
func (h *head) setBookmarks(set map[string]string) {
	h.Bookmarks = maps.Clone(h.Bookmarks)
	for name, value := range set {
		if h.Bookmarks == nil {
			h.Bookmarks = map[string]string{}
		}
		if h.Bookmarks[name] = value; value == "" {
			delete(h.Bookmarks, name)
		}
	}
}

// Commit implements [store.Store]. It refreshes every copy of the index, so that searches find the
// added documents, and then replaces the head.
func (s *Store) Commit(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commit(ctx)
}

// commit is Commit for a caller that holds s.mu. After an error, every method that
// writes fails until the index is opened again.
func (s *Store) commit(ctx context.Context) error {
	if err := s.usable(); err != nil {
		return err
	}
	if ctx.Err() == nil && len(s.pending) == 0 && !s.settled && s.bases == nil && len(s.bookmarks) == 0 && s.progress == s.lease.get().Progress {
		s.clean(ctx)
		return nil
	}
	before := s.now.epoch
	err := s.publish(ctx)
	if err == nil {
		// The commit is done. The next one repeats a purge that fails.
		_ = s.purge(ctx, before)
		s.clean(ctx)
		return nil
	}
	if s.aborted = err; s.broken == nil {
		s.broken = s.abort(context.WithoutCancel(ctx))
	}
	return phrase.Error("cluster.commit", "commit to index {name}: {cause}", "name", s.names.base, "cause", errors.Join(err, s.broken))
}

func (s *Store) publish(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	if err := s.c.refresh(ctx, s.names.all(s.sizeList())...); err != nil {
		return err
	}
	v := new(view)
	v.set(s.c, s.names, s.settings, s.lease.get())
	v.epoch, v.sizes = s.tx, s.sizeList()
	sums, err := v.sumUp(ctx)
	if err == nil {
		err = s.noteUnits(ctx, v, &sums)
	}
	if err != nil {
		return err
	}
	err = s.lease.change(ctx, func(h *head) {
		h.Epoch, h.Tx, h.Sizes, h.Sums = s.tx, s.tx+1, s.sizeList(), &sums
		if s.bases != nil {
			h.Bases = *s.bases
		}
		h.Progress = s.progress
		h.setBookmarks(s.bookmarks)
		h.Changed = time.Now().UTC().Truncate(time.Second)
	})
	if err != nil && !errors.Is(err, store.ErrLocked) {
		err = s.outcome(context.WithoutCancel(ctx), err)
	}
	if err != nil {
		return err
	}
	s.tx, s.settled, s.bases, s.progress = s.tx+1, false, nil, ""
	clear(s.bookmarks)
	s.show(s.lease.get())
	return nil
}

// outcome returns nil if the head was replaced although the request returned err.
func (s *Store) outcome(ctx context.Context, err error) error {
	h, unknown := s.lease.current(ctx)
	switch {
	case unknown != nil:
		s.broken = phrase.Error("cluster.unknown", "unknown whether the last commit was done: {cause}", "cause", unknown)
		return err
	case h.Epoch == s.tx:
		return nil
	}
	return err
}

// abort discards the transaction. If entries of it are in the catalogue, it records its
// number in the head as that of no commit and deletes them.
func (s *Store) abort(ctx context.Context) error {
	for _, c := range s.pending {
		if c.next != nil {
			s.throw(unused(c.next, c.old), nil)
		}
	}
	clear(s.pending)
	clear(s.bookmarks)
	s.bases, s.progress = nil, ""
	if !s.settled {
		return nil
	}
	tx := s.tx
	err := s.lease.change(ctx, func(h *head) {
		h.abort(tx)
		h.Tx = tx + 1
	})
	if err == nil {
		err = s.rollback(ctx)
	}
	if err != nil {
		return phrase.Error("cluster.undo", "undo the changes that were not committed: {cause}", "cause", err)
	}
	s.tx, s.settled = tx+1, false
	s.show(s.lease.get())
	return nil
}

func (s *Store) drop(ctx context.Context) error {
	if err := s.abort(ctx); err != nil {
		return err
	}
	s.clean(ctx)
	return nil
}

// rollback deletes the entries of transactions that were not committed from the
// catalogue, including those that arrived after an earlier rollback, and restores the
// entries that these transactions replaced.
func (s *Store) rollback(ctx context.Context) error {
	v := new(view)
	v.set(s.c, s.names, s.settings, s.lease.get())
	never := func(field string) object {
		return object{"bool": object{"should": []object{
			{"range": object{field: object{"gt": v.epoch}}}, {"terms": object{field: v.notCommits()}},
		}}}
	}
	undo := []struct {
		condition object
		fn        func(t *ticket, e *version)
	}{
		{never("from"), func(t *ticket, e *version) {
			s.throw(e.pieces(), nil)
			s.bulk.delete(ctx, t, s.names.writes(documentsPart), e.id)
		}},
		{never("to"), func(t *ticket, e *version) {
			s.bulk.update(ctx, t, s.names.writes(documentsPart), e.id, e.at, []byte(`{"to":null}`))
		}},
	}
	for _, u := range undo {
		if err := s.sweepEntries(ctx, v, u.condition, u.fn); err != nil {
			return err
		}
	}
	return nil
}

package esclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/otisk/otisk/store"
)

// A change is what the transaction does to one document.
type change struct {
	next     *version // nil: it is deleted
	fresh    bool     // nothing is taken over from the version there is
	resolved bool     // old is known, and what is taken over was
	old      *version // in the catalogue; nil if there is none
}

// settleAt is how many documents a transaction holds in memory, about 1 kB
// each, before it writes their entries to the catalogue, where they wait
// unseen for the commit.
var settleAt = 2000 // a test makes it smaller

// plan puts a version that has been written in the place of the one planned
// before, if there was one.
func (s *Store) plan(v *version) {
	c := &change{next: v}
	if before := s.pending[v.Doc.ID]; before != nil {
		c.fresh = before.fresh
		switch {
		case before.next == nil:
			c.fresh = true
		case before.next.Doc.TextSum == v.Doc.TextSum:
			s.throw(v.inherit(before.next), nil)
		default:
			c.fresh = true
			s.throw(before.next.pieces(), nil)
		}
	}
	s.pending[v.Doc.ID] = c
}

// inherit gives v the sizes of an earlier version that it lacks itself, and
// returns the parts that are of no use any more.
func (v *version) inherit(old *version) (rest []piece) {
	for _, p := range old.pieces() {
		if _, ok := v.size(p.N); ok || p.N == 0 {
			rest = append(rest, p)
		} else {
			v.setSize(p)
		}
	}
	return rest
}

// SetBases implements [store.Store].
func (s *Store) SetBases(_ context.Context, bases []store.Base) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	list := slices.Clone(bases)
	s.bases = &list
	return nil
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id store.DocID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	before := s.pending[id]
	if before == nil {
		v, err := s.planned(ctx)
		if err != nil {
			return err
		}
		if old, err := v.mustEntry(ctx, id); err != nil {
			return err
		} else if old.From != s.tx {
			s.pending[id] = &change{old: old, resolved: true}
			return nil
		}
		s.pending[id] = &change{}
		return nil
	}
	if before.next == nil {
		return fmt.Errorf("document %v: %w", id, store.ErrNotFound)
	}
	s.throw(before.next.pieces(), nil)
	s.pending[id] = &change{fresh: true}
	return nil
}

// planned returns a view of the index as it will be after what has been
// settled of the transaction.
func (s *Store) planned(ctx context.Context) (*view, error) {
	if s.settled {
		if err := s.c.refresh(ctx, s.names.documents()); err != nil {
			return nil, err
		}
	}
	v := new(view)
	v.set(s.c, s.names, s.settings, s.lease.get())
	v.epoch = s.tx
	return v, nil
}

// settle writes what is pending to the catalogue. It can be run again after an
// error: what was written is recognised.
func (s *Store) settle(ctx context.Context) error {
	if err := s.resolve(ctx); err != nil {
		return err
	}
	s.settled = true
	err := s.send(ctx, func(t *ticket) error {
		for _, c := range s.pending {
			if err := s.write1(ctx, t, c); err != nil {
				return err
			}
		}
		return nil
	})
	if conflict(err) {
		err = s.confirm(ctx)
	}
	if err != nil {
		return err
	}
	for _, c := range s.pending {
		if c.old != nil && c.old.From == s.tx {
			s.throw(unused(c.old, c.next), nil)
		}
	}
	clear(s.pending)
	return nil
}

// unused returns the parts of old that next does not have.
func unused(old, next *version) []piece {
	list := old.pieces()
	if next == nil {
		return list
	}
	kept := next.gens()
	return slices.DeleteFunc(list, func(p piece) bool { return slices.Contains(kept, p.Gen) })
}

// resolve finds the versions that are replaced.
func (s *Store) resolve(ctx context.Context) error {
	var ids []store.DocID
	for id, c := range s.pending {
		if !c.resolved {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	v, err := s.planned(ctx)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(ids, entriesPage) {
		old, err := v.entries(ctx, v.live(), part)
		if err != nil {
			return err
		}
		for _, e := range old {
			s.pending[e.Doc.ID].old = e
		}
	}
	for _, id := range ids {
		c := s.pending[id]
		c.resolved = true
		if c.next != nil && c.old != nil && !c.fresh && c.old.Doc.TextSum == c.next.Doc.TextSum {
			c.next.inherit(c.old)
		}
	}
	return nil
}

// write1 writes one change: the old version is gone by this transaction, the
// new one there from it.
func (s *Store) write1(ctx context.Context, t *ticket, c *change) error {
	index := s.names.writes(documentsPart)
	var errs []error
	switch {
	case c.old == nil:
	case c.old.From == s.tx: // of this very transaction: nobody has seen it
		errs = append(errs, s.bulk.delete(ctx, t, index, c.old.id))
	default:
		errs = append(errs, s.bulk.update(ctx, t, index, c.old.id, c.old.at, marshal(object{"to": s.tx})))
	}
	if c.next != nil {
		c.next.From = s.tx
		errs = append(errs, s.bulk.create(ctx, t, index, c.next.id, c.next.encode()))
	}
	return errors.Join(errs...)
}

// send has fn put items on a ticket and waits for them. After an error nothing
// of them is under way any more.
func (s *Store) send(ctx context.Context, fn func(t *ticket) error) error {
	t := new(ticket)
	err := fn(t)
	if err == nil {
		err = t.wait(ctx)
	}
	if err != nil {
		t.fail(err)
		t.open.Wait()
	}
	return err
}

// confirm looks whether the updates of settle were done by an earlier attempt
// whose answer was lost: that is what a conflict means, as nobody else writes.
func (s *Store) confirm(ctx context.Context) error {
	return s.send(ctx, func(t *ticket) error {
		for _, c := range s.pending {
			if c.old != nil && c.old.From != s.tx {
				if err := s.reread(ctx, c.old); err != nil {
					return err
				}
			}
			if err := s.write1(ctx, t, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// reread finds the present place of an entry.
func (s *Store) reread(ctx context.Context, old *version) error {
	var a struct {
		place
		Source entrySource `json:"_source"`
	}
	path := "/" + s.names.documents() + "/_doc/" + old.id
	if err := s.c.do(ctx, request{op: "read catalogue", method: http.MethodGet, path: path, out: &a}); err != nil {
		return err
	}
	if a.Source.To != nil && *a.Source.To != s.tx {
		return fmt.Errorf("entry of %s was changed by somebody else: %w", old.Doc.Name(), store.ErrLocked)
	}
	old.at = a.place
	return nil
}

// Commit implements [store.Store]. It waits until every copy of the index can
// show what was added, and then replaces the head.
func (s *Store) Commit(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commit(ctx)
}

func (s *Store) commit(ctx context.Context) error {
	if s.broken != nil {
		return s.broken
	}
	if len(s.pending) == 0 && !s.settled && s.bases == nil {
		s.clean(ctx)
		return nil
	}
	before := s.now.epoch
	err := s.publish(ctx)
	if err == nil {
		// What this does not get done, the next one does: it is committed.
		_ = s.purge(ctx, before)
		s.clean(ctx)
		return nil
	}
	if s.broken == nil {
		s.broken = s.abort(context.WithoutCancel(ctx))
	}
	return fmt.Errorf("commit to index %s: %w", s.names.base, errors.Join(err, s.broken))
}

// publish settles the transaction and makes it the last commit.
func (s *Store) publish(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	if err := s.c.refresh(ctx, s.names.all(s.sizeList())...); err != nil {
		return err
	}
	err := s.lease.change(ctx, func(h *head) {
		h.Epoch, h.Tx, h.Sizes = s.tx, s.tx+1, s.sizeList()
		if s.bases != nil {
			h.Bases = *s.bases
		}
		h.Changed = time.Now().UTC().Truncate(time.Second)
	})
	if err != nil && !errors.Is(err, store.ErrLocked) {
		err = s.outcome(context.WithoutCancel(ctx), err)
	}
	if err != nil {
		return err
	}
	s.tx, s.settled, s.bases = s.tx+1, false, nil
	s.show(s.lease.get())
	return nil
}

// outcome finds out whether the head was replaced although the answer is err.
func (s *Store) outcome(ctx context.Context, err error) error {
	h, unknown := s.lease.current(ctx)
	switch {
	case unknown != nil:
		s.broken = fmt.Errorf("nobody knows whether the last commit was done: %w", unknown)
		return err
	case h.Epoch == s.tx:
		return nil
	}
	return err
}

// abort drops the transaction.
func (s *Store) abort(ctx context.Context) error {
	for _, c := range s.pending {
		if c.next != nil {
			s.throw(unused(c.next, c.old), nil)
		}
	}
	clear(s.pending)
	s.bases = nil
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
		return fmt.Errorf("undo what was not committed: %w", err)
	}
	s.tx, s.settled = tx+1, false
	s.show(s.lease.get())
	return nil
}

// drop aborts the transaction and deletes what it left behind.
func (s *Store) drop(ctx context.Context) error {
	if err := s.abort(ctx); err != nil {
		return err
	}
	s.clean(ctx)
	return nil
}

// rollback removes everything from the catalogue that is of no commit, and that
// of failed transactions which came late.
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
		fn        func(t *ticket, e *version) error
	}{
		{never("from"), func(t *ticket, e *version) error {
			s.throw(e.pieces(), nil)
			return s.bulk.delete(ctx, t, s.names.writes(documentsPart), e.id)
		}},
		{never("to"), func(t *ticket, e *version) error {
			return s.bulk.update(ctx, t, s.names.writes(documentsPart), e.id, e.at, []byte(`{"to":null}`))
		}},
	}
	for _, u := range undo {
		if err := s.sweepEntries(ctx, v, u.condition, u.fn); err != nil {
			return err
		}
	}
	return nil
}

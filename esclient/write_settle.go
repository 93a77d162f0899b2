package esclient

import (
	"context"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A change is the effect of the transaction on one document.
type change struct {
	next     *version // nil if the document is deleted
	fresh    bool     // next inherits nothing from old
	resolved bool     // old is known, and next has inherited its parts
	old      *version // in the catalogue; nil if the document is new
}

// plan makes v, whose parts have been written, the next version of its document. It
// replaces the version that was planned before, if any.
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

// inherit adds to v the lengths of n-grams that only old has, and returns the other
// parts of old, which are no longer needed.
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

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, id store.DocID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
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
		return phrase.Error("damage.document", "document {id}: {cause}", "id", id, "cause", store.ErrNotFound)
	}
	s.throw(before.next.pieces(), nil)
	s.pending[id] = &change{fresh: true}
	return nil
}

// planned returns a view of the index that includes the settled changes of the
// transaction.
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

// settle writes the pending changes to the catalogue, where readers ignore them until the
// commit. It is idempotent.
func (s *Store) settle(ctx context.Context) error {
	if err := s.resolve(ctx); err != nil {
		return err
	}
	s.settled = true
	err := s.send(ctx, func(t *ticket) {
		for _, c := range s.pending {
			s.write1(ctx, t, c)
		}
	})
	for range confirmTries {
		if !conflict(err) {
			break
		}
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

func unused(old, next *version) []piece {
	list := old.pieces()
	if next == nil {
		return list
	}
	kept := next.gens()
	return slices.DeleteFunc(list, func(p piece) bool { return slices.Contains(kept, p.Gen) })
}

// resolve finds the versions that the pending changes replace.
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
	for part := range slices.Chunk(ids, s.c.limits().entriesPage) {
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
		if c.next != nil && c.old != nil {
			if err := c.next.Doc.SameID(&c.old.Doc); err != nil {
				return err
			}
		}
		c.resolved = true
		if c.next != nil && c.old != nil && !c.fresh && c.old.Doc.TextSum == c.next.Doc.TextSum {
			c.next.inherit(c.old)
		}
	}
	return nil
}

// write1 writes one change: it ends the old version with this transaction and creates
// the new one.
func (s *Store) write1(ctx context.Context, t *ticket, c *change) {
	index := s.names.writes(documentsPart)
	switch {
	case c.old == nil:
	case c.old.From == s.tx: // of this transaction: no reader has seen it
		s.bulk.delete(ctx, t, index, c.old.id)
	default:
		s.bulk.update(ctx, t, index, c.old.id, c.old.at, marshal(object{"to": s.tx}))
	}
	if c.next != nil {
		c.next.From = s.tx
		s.bulk.create(ctx, t, index, c.next.id, c.next.encode())
	}
}

// send calls fn to queue items on a ticket, and waits for them. When it returns, it sends none
// of them any longer, even after an error.
func (s *Store) send(ctx context.Context, fn func(t *ticket)) error {
	t := new(ticket)
	fn(t)
	err := t.wait(ctx)
	if err != nil {
		t.fail(err)
		t.open.Wait()
	}
	return err
}

// confirmTries is how often settle repeats its updates: the answer to each attempt may be lost.
const confirmTries = 10

// confirm repeats the updates of settle after a version conflict. As nobody else writes,
// a conflict means that an earlier attempt was done and its answer was lost.
func (s *Store) confirm(ctx context.Context) error {
	return s.send(ctx, func(t *ticket) {
		for _, c := range s.pending {
			if c.old != nil && c.old.From != s.tx && t.failed() == nil {
				t.fail(s.reread(ctx, c.old))
			}
			s.write1(ctx, t, c)
		}
	})
}

func (s *Store) reread(ctx context.Context, old *version) error {
	var a struct {
		place
		Source entrySource `json:"_source"`
	}
	get := esapi.GetRequest{Index: s.names.documents(), DocumentID: old.id}
	if err := s.c.Do(ctx, wire.Request{Op: "read catalogue", Call: wire.Plain(get), Out: &a}); err != nil {
		return err
	}
	if a.Source.To != nil && *a.Source.To != s.tx {
		return phrase.Error("cluster.entry-changed", "another writer changed the entry of {name}: {cause}", "name", old.Doc.Name(), "cause", store.ErrLocked)
	}
	old.at = a.place
	return nil
}

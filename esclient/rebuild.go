package esclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/store"
)

const rebuildOp = "rebuild index"

// Upgrade gives an index of an older layout, or one whose blocks are not all counted, the
// one that is made now, and says whether it did. Who searches the index has to open it
// again; a program that does not know the layout refuses it from now on. It commits first.
//
// The blocks of pairs are written anew, and the rest is as [Store.rebuild] says.
func (s *Store) Upgrade(ctx context.Context) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return false, s.broken
	}
	if err := s.rest(ctx); err != nil {
		return false, err
	}
	sums, err := s.now.sums(ctx)
	if err != nil || s.names.layout == newLayout && sums.Units != nil {
		return false, err
	}
	plan, _, err := s.plannedShards(ctx, Config{Shards: 1}) // as many as there are
	if err != nil {
		return false, err
	}
	return true, s.rebuild(ctx, plan)
}

// rest commits, so that nothing is under way.
func (s *Store) rest(ctx context.Context) error {
	if len(s.adding) > 0 {
		return errors.New(rebuildOp + ": documents are being added")
	}
	return s.commit(ctx)
}

// rebuild makes the next build of the index, with the same content in the layout
// of today and the shards of plan, and has it take the place of this one.
//
// The server makes the parts from those that there are. The catalogue is copied,
// and so are the pairs where their blocks have another length. Then the aliases
// of all are swapped at once, so another process sees the old index or the new
// one. While it goes on, the parts cannot be written to; the head says so, and
// the next writer ends that where this one dies.
func (s *Store) rebuild(ctx context.Context, plan []Resharding) error {
	if err := s.purge(ctx, s.now.epoch); err != nil { // what is seen is all that is taken along
		return err
	}
	next := s.names.after()
	if err := s.c.drop(ctx, next.all(s.sizeList())); err != nil { // of an attempt that failed
		return err
	}
	var others []string // whose files are not those they were
	for _, r := range plan {
		if r.Now != r.Before || s.reblocks(next, r.part) {
			others = append(others, next.concrete(r.part))
		}
	}
	if err := s.makeNext(ctx, next, plan); err != nil {
		return err
	}
	for _, index := range others {
		if err := s.c.merge(ctx, index); err != nil {
			return err
		}
	}
	return nil
}

// makeNext makes the next build and switches to it. After an error the index is
// as it was.
func (s *Store) makeNext(ctx context.Context, next names, plan []Resharding) error {
	err := s.freeze(ctx, true)
	for i := 0; err == nil && i < len(plan); i++ {
		err = s.rebuildPart(ctx, next, plan[i])
	}
	if err == nil {
		err = s.moveTo(ctx, next)
	}
	if err != nil && s.broken == nil {
		ctx = context.WithoutCancel(ctx)
		err = errors.Join(err, s.freeze(ctx, false), s.c.drop(ctx, next.all(s.sizeList())))
	}
	return err
}

// rebuildPart makes one part of the next build. Where its blocks have another
// length there, it is empty: [Store.copyCatalogue] fills it.
func (s *Store) rebuildPart(ctx context.Context, next names, r Resharding) error {
	if s.reblocks(next, r.part) {
		return s.c.create(ctx, next, r.part, making{shards: r.Now, hidden: true})
	}
	if err := s.c.splitPart(ctx, s.names, next, r); err != nil {
		return err
	}
	if next.layout == s.names.layout {
		return nil
	}
	return s.c.noteLayout(ctx, next, r.part)
}

// reblocks says whether the hashes of a part are divided otherwise in another
// build.
func (s *Store) reblocks(next names, part string) bool {
	return next.block(part) != s.names.block(part)
}

// noteLayout has an index say of which layout it is.
func (c *conn) noteLayout(ctx context.Context, n names, part string) error {
	body := marshal(object{"_meta": n.mapping(part, nil, 0)["_meta"]})
	return c.do(ctx, request{op: rebuildOp, body: body, call: func(body io.Reader) esapi.Request {
		return esapi.IndicesPutMappingRequest{Index: []string{n.concrete(part)}, Body: body}
	}})
}

// freeze forbids to write to the parts but the catalogue, which the server wants
// before it makes others of them, or allows it again. The head knows before.
func (s *Store) freeze(ctx context.Context, on bool) error {
	if on {
		if err := s.lease.change(ctx, func(h *head) { h.Frozen = true }); err != nil {
			return err
		}
	}
	var block any // nil: the server's own
	if on {
		block = true
	}
	body := marshal(object{"index.blocks.write": block})
	if err := s.c.configure(ctx, rebuildOp, s.names.all(s.sizeList())[1:], body); err != nil {
		return err
	}
	if on {
		return nil
	}
	return s.lease.change(ctx, func(h *head) { h.Frozen = false })
}

// moveTo makes the catalogue of the next build, gives that the aliases, and drops
// the old one.
func (s *Store) moveTo(ctx context.Context, next names) error {
	if err := s.c.create(ctx, next, documentsPart, making{settings: &s.settings, hidden: true}); err != nil {
		return err
	}
	for _, size := range s.sizeList() {
		if err := s.c.noteSize(ctx, next, size); err != nil {
			return err
		}
	}
	if err := s.copyCatalogue(ctx, next); err != nil {
		return err
	}
	if err := s.c.refresh(ctx, next.all(s.sizeList())...); err != nil {
		return err
	}
	h := s.lease.get()
	h.Frozen = false
	v := new(view)
	v.set(s.c, next, s.settings, h)
	sums, err := v.sumUp(ctx)
	if err == nil {
		err = s.noteUnits(ctx, v, &sums)
	}
	if err != nil {
		return err
	}
	h.Sums = &sums
	at, err := s.c.writeHead(ctx, next, place{}, h)
	if err != nil {
		return err
	}
	return s.switchTo(ctx, next, h, at, func() {})
}

// copyCatalogue copies the entries that are seen to the next build, and the pairs
// of each where they are divided otherwise there.
func (s *Store) copyCatalogue(ctx context.Context, next names) error {
	v := new(view)
	v.set(s.c, s.names, s.settings, s.lease.get())
	query := object{"query": v.live()}
	return s.send(ctx, func(t *ticket) error {
		return each(ctx, v, rebuildOp, documentsPart, query, entriesPage, []string{"key"}, func(h *foundHit[entrySource]) error {
			e, err := versionOf(h)
			if err == nil && s.reblocks(next, pairsPart) {
				err = s.reblock(ctx, v, t, next, e)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", rebuildOp, err)
			}
			return s.bulk.create(ctx, t, next.writes(documentsPart), h.ID, e.encode())
		})
	})
}

// reblock writes the pairs of an entry to the next build, and makes it the entry
// that it is there.
func (s *Store) reblock(ctx context.Context, v *view, t *ticket, next names, e *version) error {
	old, ok := e.size(pairsN)
	if !ok {
		return nil
	}
	var damaged error
	hashes := func(yield func([]store.Hash) bool) {
		damaged = v.piece(ctx, e, old, func(hashes []store.Hash) error {
			if !yield(hashes) {
				return errEnough
			}
			return nil
		})
	}
	err := s.writeGrams(ctx, t, next, e, store.Grams{N: pairsN, Hashes: hashes}, old.Gen)
	if damaged != nil && !errors.Is(damaged, errEnough) {
		err = damaged
	}
	return err
}

var errEnough = errors.New("enough")

// thaw ends what a writer that died while it split the index left behind.
func (s *Store) thaw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.freeze(ctx, false); err != nil {
		return err
	}
	list, err := s.c.list(ctx)
	if err != nil {
		return err
	}
	return s.dropBuilds(ctx, list)
}

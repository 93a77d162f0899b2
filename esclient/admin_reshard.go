package esclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/pause"
	"github.com/otisk/otisk/lang/phrase"
)

const reshardOp = "reshard index"

// Reshard splits the shards of the index until each part has the number that cfg asks
// for by Shards or by Expect, and returns the numbers before and after. It commits
// first, and returns an error while documents are being added.
//
// The server builds the new indices from hard links to the files of the old ones, which
// takes little time and no space. A new shard then holds all entries of the old one,
// most of them deleted, and look-ups read them: with eight shards five times as long. So
// Reshard merges the new indices at the end, which takes time and space of the order of
// the index. The aliases of all parts move at once, so another process sees either the
// old index or the new one. Readers that are open have to open the index again.
func (s *Store) Reshard(ctx context.Context, cfg Config) ([]Resharding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.adding) > 0 {
		return nil, errors.New(reshardOp + ": documents are being added")
	}
	if err := s.commit(ctx); err != nil {
		return nil, err
	}
	plan, grows, err := s.plannedShards(ctx, cfg)
	if err != nil || !grows {
		return plan, err
	}
	s.c.cfg.Expect = max(cfg.Expect, s.c.cfg.Expect) // recorded in the new catalogue
	return plan, s.reshard(ctx, plan)
}

// plannedShards returns the present and the planned number of shards of each part but
// the catalogue, and whether any number grows.
func (s *Store) plannedShards(ctx context.Context, cfg Config) (plan []Resharding, grows bool, err error) {
	for _, part := range partsOf(s.sizeList())[1:] {
		have, err := s.c.shardsOf(ctx, s.names.concrete(part))
		if err != nil {
			return nil, false, err
		}
		r := Resharding{part, s.names.part(part), have, split(have, cfg.shards(part))}
		plan, grows = append(plan, r), grows || r.Now > have
	}
	return plan, grows, nil
}

// reshard makes the next build with the shards of plan and the same content, and
// replaces this build with it. While it runs, the head has Frozen set and the parts of
// this build are write-protected; if the process dies, the next writer removes that
// protection and the unfinished build.
func (s *Store) reshard(ctx context.Context, plan []Resharding) error {
	if err := s.purge(ctx, s.now.epoch); err != nil { // only live versions are copied
		return err
	}
	next := s.names.after()
	if err := s.c.drop(ctx, next.all(s.sizeList())); err != nil { // left by an attempt that failed
		return err
	}
	if err := s.makeNext(ctx, next, plan); err != nil {
		return err
	}
	for _, r := range plan {
		if r.Now == r.Before {
			continue
		}
		if err := s.c.merge(ctx, next.concrete(r.part)); err != nil {
			return err
		}
	}
	return nil
}

// makeNext makes the next build and switches to it. If it fails before the switch, it
// deletes the next build and allows writes again.
func (s *Store) makeNext(ctx context.Context, next names, plan []Resharding) error {
	err := s.freeze(ctx, true)
	for i := 0; err == nil && i < len(plan); i++ {
		err = s.c.splitPart(ctx, s.names, next, plan[i])
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

// freeze write-protects all parts but the catalogue, as the server requires before it
// splits or clones them, or removes the protection. The head records it first.
func (s *Store) freeze(ctx context.Context, on bool) error {
	if on {
		if err := s.lease.change(ctx, func(h *head) { h.Frozen = true }); err != nil {
			return err
		}
	}
	var block any // nil restores the server's default
	if on {
		block = true
	}
	body := marshal(object{"index.blocks.write": block})
	if err := s.c.configure(ctx, reshardOp, s.names.all(s.sizeList())[1:], body); err != nil {
		return err
	}
	if on {
		return nil
	}
	return s.lease.change(ctx, func(h *head) { h.Frozen = false })
}

// moveTo makes the catalogue of the next build, moves the aliases to that build, and
// deletes this one.
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

func (s *Store) copyCatalogue(ctx context.Context, next names) error {
	v := new(view)
	v.set(s.c, s.names, s.settings, s.lease.get())
	query := object{"query": v.live()}
	return s.send(ctx, func(t *ticket) {
		t.fail(each(ctx, v, reshardOp, documentsPart, query, s.c.limits().entriesPage, []string{"key"}, func(h *foundHit[entrySource]) error {
			e, err := versionOf(h)
			if err != nil {
				return fmt.Errorf("%w: %w", phrase.Fixed(reshardOp), err)
			}
			s.bulk.create(ctx, t, next.writes(documentsPart), h.ID, e.encode())
			return t.failed()
		}))
	})
}

// thaw undoes an unfinished resharding of a writer that died.
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

func (c *conn) shardsOf(ctx context.Context, index string) (int, error) {
	var a map[string]struct {
		Settings struct {
			Index struct {
				Shards string `json:"number_of_shards"`
			} `json:"index"`
		} `json:"settings"`
	}
	err := c.Do(ctx, wire.Request{Op: "read settings of index", Call: wire.Plain(esapi.IndicesGetSettingsRequest{Index: []string{index}}), Out: &a})
	if err != nil {
		return 0, orGone(err, index)
	}
	return strconv.Atoi(a[index].Settings.Index.Shards)
}

// splitPart makes the index of a part in another build, by a split or a clone, and waits
// until its shards are allocated.
func (c *conn) splitPart(ctx context.Context, from, to names, r Resharding) error {
	target := to.concrete(r.part)
	body := marshal(object{
		"settings": object{"index.number_of_shards": r.Now, "index.blocks.write": nil},
		"aliases":  object{to.writes(r.part): object{}},
	})
	make := func(body io.Reader) esapi.Request {
		if r.Now == r.Before {
			return esapi.IndicesCloneRequest{Index: from.concrete(r.part), Target: target, Body: body}
		}
		return esapi.IndicesSplitRequest{Index: from.concrete(r.part), Target: target, Body: body}
	}
	err := c.Do(ctx, wire.Request{Op: reshardOp, Body: body, Call: make})
	if err != nil && !wire.HasCause(err, wire.InUse) { // inUse: an earlier attempt made it and its answer was lost
		return err
	}
	return c.awaitPart(ctx, target)
}

// awaitPart waits until all primary shards of a new index are allocated, however long
// that takes. It returns an error when none has been initializing for shardsSeconds.
func (c *conn) awaitPart(ctx context.Context, index string) error {
	var idle time.Duration
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		var health struct {
			Status       string `json:"status"`
			Initializing int    `json:"initializing_shards"`
		}
		err := c.Do(ctx, wire.Request{Op: reshardOp, Out: &health, Call: wire.Plain(esapi.ClusterHealthRequest{Index: []string{index}})})
		if err != nil || health.Status != "red" {
			return err
		}
		if idle += wait; health.Initializing > 0 {
			idle = 0
		}
		if idle > shardsSeconds*time.Second {
			return c.unallocated(ctx, reshardOp, index)
		}
		if pause.For(ctx, wait) != nil {
			return fmt.Errorf("%w: %w", phrase.Fixed(reshardOp), ctx.Err())
		}
	}
}

package esclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

const reshardOp = "split shards of index"

// Reshard splits the shards of the index until there are as many as cfg asks for,
// by Shards or by Expect. It commits first.
//
// The server makes the parts anew from links to the files of the old ones, which
// takes little time and no space. The catalogue is copied. Then the aliases of
// all are swapped at once, so another process sees the old index or the new one.
// At first each new shard has all that the old one had, most of it deleted, and a
// look-up goes over that: five times the work with eight shards. So they are
// merged at the end, which takes time and space of the order of the index. While it goes on, the parts cannot be written to; the head says
// so, and the next writer ends that where this one dies. Who searches the index
// has to open it again.
func (s *Store) Reshard(ctx context.Context, cfg Config) ([]Resharding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.adding) > 0 {
		return nil, errors.New(reshardOp + ": documents are being added")
	}
	if err := s.commit(ctx); err != nil {
		return nil, err
	}
	parts := partsOf(s.sizeList())[1:] // without the catalogue
	plan, grows, err := s.plannedShards(ctx, parts, cfg)
	if err != nil || !grows {
		return plan, err
	}
	next := names{s.names.base, s.names.build + 1}
	if err := s.c.drop(ctx, next.all(s.sizeList())); err != nil { // of an attempt that failed
		return nil, err
	}
	err = s.freeze(ctx, true)
	for i := 0; err == nil && i < len(parts); i++ {
		err = s.c.splitPart(ctx, s.names, next, parts[i], plan[i])
	}
	if err == nil {
		err = s.moveTo(ctx, next, cfg)
	}
	if err != nil && s.broken == nil {
		err = errors.Join(err, s.freeze(context.WithoutCancel(ctx), false), s.c.drop(context.WithoutCancel(ctx), next.all(s.sizeList())))
	}
	for i := 0; err == nil && i < len(parts); i++ {
		err = s.c.merge(ctx, s.names.concrete(parts[i]))
	}
	return plan, err
}

// plannedShards returns what parts have, and are to have, and whether any of
// them gets more.
func (s *Store) plannedShards(ctx context.Context, parts []string, cfg Config) (plan []Resharding, grows bool, err error) {
	for _, part := range parts {
		have, err := s.c.shardsOf(ctx, s.names.concrete(part))
		if err != nil {
			return nil, false, err
		}
		r := Resharding{s.names.part(part), have, split(have, cfg.shards(part))}
		plan, grows = append(plan, r), grows || r.Now > have
	}
	return plan, grows, nil
}

// shardsOf returns how many shards an index has.
func (c *conn) shardsOf(ctx context.Context, index string) (int, error) {
	var a map[string]struct {
		Settings struct {
			Index struct {
				Shards string `json:"number_of_shards"`
			} `json:"index"`
		} `json:"settings"`
	}
	err := c.do(ctx, request{op: "read settings of index", call: plain(esapi.IndicesGetSettingsRequest{Index: []string{index}}), out: &a})
	if err != nil {
		return 0, orGone(err, index)
	}
	return strconv.Atoi(a[index].Settings.Index.Shards)
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
	for _, part := range partsOf(s.sizeList())[1:] {
		name := s.names.concrete(part)
		err := s.c.do(ctx, request{op: reshardOp, body: body, call: func(body io.Reader) esapi.Request {
			return esapi.IndicesPutSettingsRequest{Index: []string{name}, Body: body}
		}})
		if err != nil {
			return err
		}
	}
	if on {
		return nil
	}
	return s.lease.change(ctx, func(h *head) { h.Frozen = false })
}

// splitPart makes the index of a part in another build, and waits for it.
func (c *conn) splitPart(ctx context.Context, from, to names, part string, r Resharding) error {
	target := to.concrete(part)
	body := marshal(object{
		"settings": object{"index.number_of_shards": r.Now, "index.blocks.write": nil},
		"aliases":  object{to.writes(part): object{}},
	})
	make := func(body io.Reader) esapi.Request {
		if r.Now == r.Before {
			return esapi.IndicesCloneRequest{Index: from.concrete(part), Target: target, Body: body}
		}
		return esapi.IndicesSplitRequest{Index: from.concrete(part), Target: target, Body: body}
	}
	err := c.do(ctx, request{op: reshardOp, body: body, call: make})
	if err != nil && !said(err, inUse) { // it was made by an attempt whose answer was lost
		return err
	}
	return c.awaitPart(ctx, target)
}

// awaitPart waits until an index that is being made has all its shards. A large
// one takes its time; one that nothing is done about for a while is given up.
func (c *conn) awaitPart(ctx context.Context, index string) error {
	var idle time.Duration
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		var health struct {
			Status       string `json:"status"`
			Initializing int    `json:"initializing_shards"`
		}
		err := c.do(ctx, request{op: reshardOp, out: &health, call: plain(esapi.ClusterHealthRequest{Index: []string{index}})})
		if err != nil || health.Status != "red" {
			return err
		}
		if idle += wait; health.Initializing > 0 {
			idle = 0
		}
		if idle > shardsSeconds*time.Second {
			return &Error{Kind: Red, Where: c.where, Op: reshardOp, Reason: fmt.Sprintf("the server allocates no shards of %s", index)}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", reshardOp, ctx.Err())
		case <-time.After(wait):
		}
	}
}

// moveTo makes the catalogue of the next build, gives that the aliases, and drops
// the old one.
func (s *Store) moveTo(ctx context.Context, next names, cfg Config) error {
	s.c.cfg.Expect = max(cfg.Expect, s.c.cfg.Expect) // which the catalogue notes
	if err := s.c.create(ctx, next, documentsPart, &s.settings, false, true); err != nil {
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
	h := s.lease.get()
	h.Frozen = false
	at, err := s.c.writeHead(ctx, next, place{}, h)
	if err != nil {
		return err
	}
	if err := s.c.refresh(ctx, next.documents()); err != nil {
		return err
	}
	old, err := s.c.list(ctx)
	if err != nil {
		return err
	}
	if err := s.c.alias(ctx, swap(next, old)); err != nil {
		s.broken = err // it may have been done
		return err
	}
	s.names = next
	s.lease.move(next, at, h)
	s.show(h)
	return s.dropBuilds(ctx, old)
}

// copyCatalogue copies the entries that are seen to the next build.
func (s *Store) copyCatalogue(ctx context.Context, next names) error {
	v := new(view)
	v.set(s.c, s.names, s.settings, s.lease.get())
	query := object{"query": v.live()}
	return s.send(ctx, func(t *ticket) error {
		return each(ctx, v, reshardOp, documentsPart, query, entriesPage, []string{"key"}, func(h *foundHit[json.RawMessage]) error {
			return s.bulk.create(ctx, t, next.writes(documentsPart), h.ID, h.Source)
		})
	})
}

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

package esclient

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Reshard splits the shards of the index until there are as many as cfg asks for,
// by Shards or by Expect. It commits first.
//
// The server makes the parts anew from links to the files of the old ones, which
// takes little time and no space; [Store.rebuild] does the rest. At first each
// new shard has all that the old one had, most of it deleted, and a look-up goes
// over that: five times the work with eight shards. So they are merged at the
// end, which takes time and space of the order of the index. Who searches the
// index has to open it again.
func (s *Store) Reshard(ctx context.Context, cfg Config) ([]Resharding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.rest(ctx); err != nil {
		return nil, err
	}
	plan, grows, err := s.plannedShards(ctx, cfg)
	if err != nil || !grows {
		return plan, err
	}
	s.c.cfg.Expect = max(cfg.Expect, s.c.cfg.Expect) // which the catalogue notes
	return plan, s.rebuild(ctx, plan)
}

// plannedShards returns what the parts but the catalogue have, and are to have,
// and whether any of them gets more.
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

// splitPart makes the index of a part in another build, and waits for it.
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
	err := c.do(ctx, request{op: rebuildOp, body: body, call: make})
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
		err := c.do(ctx, request{op: rebuildOp, out: &health, call: plain(esapi.ClusterHealthRequest{Index: []string{index}})})
		if err != nil || health.Status != "red" {
			return err
		}
		if idle += wait; health.Initializing > 0 {
			idle = 0
		}
		if idle > shardsSeconds*time.Second {
			return &Error{Kind: Red, Where: c.where, Op: rebuildOp, Reason: fmt.Sprintf("the server allocates no shards of %s", index)}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", rebuildOp, ctx.Err())
		case <-time.After(wait):
		}
	}
}

package esclient

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/lang/phrase"
)

// severalBytes is up to how many bytes of searches are in one request: with the points in time, less than the
// 1 MB that proxies usually accept.
const severalBytes = 7 << 17

type severalAnswer struct {
	Took      *int64          `json:"took"`
	Responses []searchOutcome `json:"responses"`
}

type searchOutcome struct {
	Status       int             `json:"status"`
	Error        json.RawMessage `json:"error"`
	Hits         nearHits        `json:"hits"`
	Aggregations struct {
		Counts struct {
			Buckets []struct {
				Count int `json:"doc_count"`
			} `json:"buckets"`
		} `json:"counts"`
	} `json:"aggregations"`
}

type nearHits struct {
	Hits []struct {
		Sort []int64 `json:"sort"` // generation and number of a block
	} `json:"hits"`
}

func (a *severalAnswer) Whole() bool { return a.Took != nil }

// several sends searches of one part in the point in time, some of them in each request, and
// calls fn with the outcome of each, from several goroutines. The server first leaves out the other parts
// (PreFilterShardSize), where it would prepare thousands of words for nothing. A search that fails is repeated
// like one that is sent alone. only is the part of each answer that is needed, a path.
func (p *points) several(ctx context.Context, op, part string, queries []object, only string, fn func(i int, o *searchOutcome) error) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(asideOf)
	r := together{points: p, op: op, only: only, fn: fn}
	size := 0
	send := func() {
		full := r
		group.Go(func() error { return full.run(within) })
		r.first, r.bodies, size = r.first+len(r.bodies), nil, 0
	}
	for _, q := range queries {
		q = maps.Clone(q)
		q["query"] = object{"bool": object{"must": q["query"], "filter": object{"term": object{"_index": p.names.concrete(part)}}}}
		body := marshal(q)
		if size+len(body) > severalBytes && size > 0 {
			send()
		}
		r.bodies, size = append(r.bodies, body), size+len(body)
	}
	if size > 0 {
		send()
	}
	return group.Wait()
}

type together struct {
	*points
	op, only string
	first    int // number of the first one
	bodies   [][]byte
	fn       func(i int, o *searchOutcome) error
}

func (r *together) run(ctx context.Context) error {
	all := make([]int, len(r.bodies))
	for i := range all {
		all[i] = i
	}
	return r.send(ctx, all)
}

// send sends the searches left until each is answered, in halves if together they are too large for a proxy.
func (r *together) send(ctx context.Context, left []int) error {
	a := r.c.Attempts(r.op, 0)
	for {
		id, err := r.get(ctx, r.op)
		if err != nil {
			return err
		}
		again, why, retry := r.attempt(ctx, id, left)
		if why == nil {
			return nil
		}
		if half := len(left) / 2; half > 0 && wire.Status(why) == http.StatusRequestEntityTooLarge {
			if err := r.send(ctx, left[:half]); err != nil {
				return err
			}
			return r.send(ctx, left[half:])
		}
		if len(again) < len(left) {
			a.Progress()
		}
		left = again
		gone := wire.Status(why) == http.StatusNotFound
		if gone || wire.Status(why) >= http.StatusInternalServerError {
			r.drop(ctx, id)
		}
		if err := a.Next(ctx, why, retry || gone); err != nil {
			return err
		}
	}
}

// attempt sends the searches left once. It returns those to send again, the reason, and
// whether that may succeed.
func (r *together) attempt(ctx context.Context, id string, left []int) (again []int, why error, retry bool) {
	var body bytes.Buffer
	point := marshal(object{"id": id, "keep_alive": keepPoint})
	for _, i := range left {
		body.WriteString(`{"allow_partial_search_results":false,"request_cache":false}` + "\n" + `{"pit":`)
		body.Write(point)
		body.WriteByte(',')
		body.Write(r.bodies[i][1:])
		body.WriteByte('\n')
	}
	only := []string{"took", "error", "status", "responses.status", "responses.error", "responses." + r.only}
	var a severalAnswer
	err, retry := r.c.Try(ctx, wire.Request{Op: r.op, Body: body.Bytes(), Out: &a, Call: func(body io.Reader) esapi.Request {
		return esapi.MsearchRequest{Body: body, FilterPath: only, PreFilterShardSize: new(1)}
	}})
	if err == nil && len(a.Responses) != len(left) {
		err, retry = &wire.Error{Kind: wire.Broken, Where: r.c.Where(), Op: r.op, Reason: phrase.Error("cluster.not-every-search", "the answer does not cover every search")}, true
	}
	if err != nil {
		return left, err, retry
	}
	for n, i := range left {
		o := &a.Responses[n]
		if o.Status == http.StatusOK {
			if err := r.fn(r.first+i, o); err != nil {
				return nil, err, false
			}
			continue
		}
		refused, repeat := r.c.Refused(r.op, o.Status, o.Error)
		again = append(again, i)
		if !repeat && refused.Status != http.StatusNotFound {
			return again, refused, false
		}
		why, retry = refused, true
	}
	return again, why, retry
}

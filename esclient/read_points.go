package esclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Points has a point in time over all parts of an index: the server keeps what the
// reader sees, even after a writer has deleted it.
//
// A point in time is lost when it expires or when a node fails. A new one replaces it
// as long as no writer has deleted anything of the reader's commit, which the head
// records as Purged.
type points struct {
	c     *conn
	names names
	parts []string
	epoch int64
	turn  chan struct{} // a semaphore: whoever opens a point in time takes the token

	counts  *counts                     // expected counts; nil before the first commit
	missing func(context.Context) error // returns why none can be opened; may be nil

	mu    sync.Mutex
	id    string // "" for none
	turns int    // points in time opened so far
	stray bool   // see surplus
	newer bool
	short error // a count was too low
}

func newPoints(c *conn, n names, h head) *points {
	p := &points{c: c, names: n, parts: partsOf(h.Sizes), epoch: h.Epoch, turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	return p
}

// keepPoint is how long the server keeps a point in time that is not used: as long as it keeps a scroll by default,
// which the limit of a cluster, search.max_keep_alive, cannot be below.
const keepPoint = "5m"

// ErrStale means that the commit of a reader has been deleted in part, for example
// because the index was emptied during a search.
var ErrStale error = phrase.Error("cluster.stale", "the commit that was opened is no longer in the index; open it again")

// search sends a search of one part. If the point in time may be lost, it opens a new
// one for the next attempt.
func (p *points) search(ctx context.Context, r ask, out pointed) error {
	a := p.c.Attempts(r.op, r.slow)
	query := maps.Clone(r.query)
	query["query"] = filter(object{"term": object{"_index": p.names.concrete(r.part)}}, r.query["query"].(object))
	for {
		id, err := p.get(ctx, r.op)
		if err != nil {
			return err
		}
		query["pit"] = object{"id": id, "keep_alive": keepPoint}
		err, again := p.c.Try(ctx, wire.Request{
			Op: r.op, Body: marshal(query), Call: searching(r.only), Out: out,
		})
		if err == nil {
			if next := out.point(); next != "" {
				p.swap(id, next)
			}
			return nil
		}
		gone := wire.Status(err) == http.StatusNotFound // expired, or its node left
		if gone || wire.Status(err) >= http.StatusInternalServerError {
			p.drop(ctx, id)
		}
		if err := a.Next(ctx, err, again || gone); err != nil {
			return err
		}
	}
}

// A pointed answer has the new id of the point in time, or "".
type pointed interface{ point() string }

func (p *points) known() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

func (p *points) opened() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turns
}

// surplus reports which blocks of pairs the present point in time may have that are of no
// document of the commit: stray ones, whose generations are below [sums.Below], and newer ones.
func (p *points) surplus() (stray, newer bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stray, p.newer
}

// swap replaces the id of the point in time if it is still old.
func (p *points) swap(old, id string) (done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.id != old {
		return false
	}
	p.id = id
	return true
}

// get returns the id of the point in time, and opens one if there is none. Only callers
// that need the new one wait for it.
func (p *points) get(ctx context.Context, op string) (string, error) {
	if id := p.known(); id != "" {
		return id, nil
	}
	select {
	case <-p.turn:
		defer func() { p.turn <- struct{}{} }()
	case <-ctx.Done():
		return "", fmt.Errorf("%w: %w", phrase.Fixed(op), ctx.Err())
	}
	if id := p.known(); id != "" {
		return id, nil // another goroutine opened it
	}
	id, err := p.open(ctx, op)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id, p.turns = id, p.turns+1
	return id, nil
}

func (p *points) open(ctx context.Context, op string) (string, error) {
	indices := lists.Map(p.parts, p.names.concrete)
	a := p.c.Attempts(op, 0)
	for {
		id, err := p.c.openPoint(ctx, op, strings.Join(indices, ","), p.missing)
		if wire.HasCause(err, wire.NoIndex) {
			err = phrase.Error("index.read", "read index {name}: {cause}", "name", p.names.base, "cause", ErrStale)
		}
		if err != nil {
			return "", err
		}
		err, again := p.whole(ctx, op, id)
		if err == nil {
			return id, nil
		}
		_, _ = p.c.Try(ctx, p.c.closing(id)) // the first error says more
		if err := a.Next(ctx, err, again); err != nil {
			return "", err
		}
	}
}

// whole verifies that a point in time contains the commit. If the check failed, it
// reports whether another point in time may succeed. If the counts are too low, which a
// new point in time would not change, it records that in p.short and returns nil.
func (p *points) whole(ctx context.Context, op, id string) (err error, again bool) {
	counted := make(chan struct{})
	var short, failed error
	go func() {
		defer close(counted)
		short, failed, again = p.count(ctx, op, id)
	}()
	err = p.fresh(ctx)
	<-counted
	if err != nil {
		return err, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.short = short
	return failed, again
}

// fresh verifies that no writer has deleted anything of the commit so far.
func (p *points) fresh(ctx context.Context) error {
	h, _, err := p.c.readHead(ctx, p.names)
	if errors.Is(err, store.ErrNoIndex) || err == nil && h.Purged > p.epoch {
		err = phrase.Error("index.read", "read index {name}: {cause}", "name", p.names.base, "cause", ErrStale)
	}
	return err
}

// drop gives up a point in time that may be lost, and closes it, because a server has
// room for only some hundreds of open ones, of all programs together.
func (p *points) drop(ctx context.Context, id string) {
	if p.swap(id, "") {
		_, _ = p.c.Try(ctx, p.c.closing(id)) // if this fails, it is lost or will expire
	}
}

func (p *points) close(ctx context.Context) error {
	id := p.known()
	if id == "" || !p.swap(id, "") {
		return nil
	}
	return p.c.closePoint(ctx, id)
}

func (c *conn) openPoint(ctx context.Context, op, indices string, missing func(context.Context) error) (string, error) {
	var open esapi.Request = esapi.OpenPointInTimeRequest{Index: strings.Split(indices, ","), KeepAlive: keepPoint}
	if c.OpenSearch() {
		open = openSearch{http.MethodPost, "/" + indices + "/_search/point_in_time?allow_partial_pit_creation=false&keep_alive=" + keepPoint, nil}
	}
	var a pointAnswer
	err := c.Do(ctx, wire.Request{Op: op, Call: wire.Plain(open), Out: &a, Missing: missing})
	return a.ID + a.PIT, err
}

// A pointAnswer has the id of a point in time in the field of Elasticsearch or that of
// OpenSearch.
type pointAnswer struct {
	ID  string `json:"id"`
	PIT string `json:"pit_id"`
}

func (a *pointAnswer) Whole() bool { return a.ID+a.PIT != "" }

// An openSearch is a request of OpenSearch's own interface.
type openSearch struct {
	method, path string
	body         io.Reader
}

func (r openSearch) Do(ctx context.Context, transport esapi.Transport) (*esapi.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, r.path, r.body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := transport.Perform(req)
	if err != nil {
		return nil, err
	}
	return &esapi.Response{StatusCode: resp.StatusCode, Header: resp.Header, Body: resp.Body}, nil
}

func (c *conn) closePoint(ctx context.Context, id string) error {
	err := c.Do(ctx, c.closing(id))
	if wire.Status(err) == http.StatusNotFound {
		return nil // it was lost already
	}
	return err
}

func (c *conn) closing(id string) wire.Request {
	r := wire.Request{Op: "close index", Body: marshal(object{"id": id})}
	r.Call = func(body io.Reader) esapi.Request { return esapi.ClosePointInTimeRequest{Body: body} }
	if c.OpenSearch() {
		r.Body = marshal(object{"pit_id": []string{id}})
		r.Call = func(body io.Reader) esapi.Request {
			return openSearch{http.MethodDelete, "/_search/point_in_time", body}
		}
	}
	return r
}

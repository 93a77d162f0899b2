package esclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/otisk/otisk/store"
)

// Points are points in time of the parts of an index: what the server keeps
// for a reader, though a writer may have deleted it since.
//
// They are a convenience that a node takes with it when it fails, or that
// expires. Then a new one is as good, as long as no writer has deleted
// anything that the reader's commit has; the head says so.
type points struct {
	c     *conn
	names names
	epoch int64

	mu   sync.Mutex
	list map[string]*point // by part
}

// A point is one point in time. Only those who need it wait while it is opened.
type point struct {
	turn chan struct{} // has a token while nobody opens it
	id   string        // "" for none; guarded by points.mu
}

// keepPoint is how long a point in time lives without being used.
const keepPoint = "10m"

// errStale means that the commit that a reader reads is partly deleted.
var errStale = errors.New("the index was changed so much since it was opened that this state of it is gone; open it again")

// search sends a search for query on one part. Where the point in time may be
// lost, the next attempt is with a new one.
func (p *points) search(ctx context.Context, r ask, out pointed) error {
	a := p.c.attempts(r.op)
	a.slow = cmp.Or(r.slow, a.slow)
	for {
		id, err := p.get(ctx, r.op, r.part)
		if err != nil {
			return err
		}
		r.query["pit"] = object{"id": id, "keep_alive": keepPoint}
		err, again := p.c.try(ctx, request{
			op: r.op, body: marshal(r.query), call: searching(), out: out,
		})
		if err == nil {
			p.renew(r.part, id, out.point())
			return nil
		}
		gone := status(err) == http.StatusNotFound // expired, or its node left
		if gone || status(err) >= http.StatusInternalServerError {
			p.drop(ctx, r.part, id)
		}
		if err := a.next(ctx, err, again || gone); err != nil {
			return err
		}
	}
}

// A pointed answer has the id that the point in time has from now on.
type pointed interface{ point() string }

// known returns the point of part, and its id.
func (p *points) known(part string) (*point, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.list[part]
	if at == nil {
		at = &point{turn: make(chan struct{}, 1)}
		at.turn <- struct{}{}
		p.list[part] = at
	}
	return at, at.id
}

// swap replaces the id of a point in time, if it is still the old one.
func (p *points) swap(part, old, id string) (done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.list[part]
	if at == nil || at.id != old {
		return false
	}
	at.id = id
	return true
}

// renew notes another id of a point in time.
func (p *points) renew(part, old, id string) {
	if id != "" {
		p.swap(part, old, id)
	}
}

// get returns the point in time of part, opening it if there is none.
func (p *points) get(ctx context.Context, op, part string) (string, error) {
	at, id := p.known(part)
	if id != "" {
		return id, nil
	}
	select {
	case <-at.turn:
		defer func() { at.turn <- struct{}{} }()
	case <-ctx.Done():
		return "", fmt.Errorf("%s: %w", op, ctx.Err())
	}
	if _, id := p.known(part); id != "" {
		return id, nil // somebody else opened it meanwhile
	}
	id, err := p.open(ctx, op, part)
	if err != nil {
		return "", err
	}
	p.swap(part, "", id)
	return id, nil
}

// open opens a point in time that has what the commit has.
func (p *points) open(ctx context.Context, op, part string) (string, error) {
	id, err := p.c.openPoint(ctx, op, p.names.concrete(part))
	if err != nil {
		if said(err, noIndex) {
			err = fmt.Errorf("read index %s: %w", p.names.base, errStale)
		}
		return "", err
	}
	if err := p.fresh(ctx); err != nil {
		_ = p.c.closePoint(ctx, id) // the first error says more
		return "", err
	}
	return id, nil
}

// fresh makes sure that nothing of the commit had been deleted when the last
// point in time was opened.
func (p *points) fresh(ctx context.Context) error {
	h, _, err := p.c.readHead(ctx, p.names)
	if errors.Is(err, store.ErrNoIndex) || err == nil && h.Purged > p.epoch {
		err = fmt.Errorf("read index %s: %w", p.names.base, errStale)
	}
	return err
}

// drop forgets a point in time that may be lost, and has the server forget it,
// too: of those that are left open it has room for some hundreds only, for all
// programs together.
func (p *points) drop(ctx context.Context, part, id string) {
	if p.swap(part, id, "") {
		_, _ = p.c.try(ctx, p.c.closing(id)) // it is lost, or expires
	}
}

// close frees what the server keeps.
func (p *points) close(ctx context.Context) error {
	var errs []error
	for _, id := range p.ids() {
		errs = append(errs, p.c.closePoint(ctx, id))
	}
	return errors.Join(errs...)
}

// ids takes away all ids.
func (p *points) ids() (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range p.list {
		if at.id != "" {
			list = append(list, at.id)
		}
	}
	p.list = map[string]*point{}
	return list
}

func (c *conn) openPoint(ctx context.Context, op, index string) (string, error) {
	var open esapi.Request = esapi.OpenPointInTimeRequest{Index: []string{index}, KeepAlive: keepPoint}
	if c.open {
		open = openSearch{http.MethodPost, "/" + index + "/_search/point_in_time?allow_partial_pit_creation=false&keep_alive=" + keepPoint, nil}
	}
	var a struct {
		ID  string `json:"id"`
		PIT string `json:"pit_id"`
	}
	err := c.do(ctx, request{op: op, call: plain(open), out: &a})
	return a.ID + a.PIT, err
}

// An openSearch is a request that only OpenSearch knows.
type openSearch struct {
	method, path string
	body         io.Reader
}

// Do implements [esapi.Request].
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
	err := c.do(ctx, c.closing(id))
	if status(err) == http.StatusNotFound {
		return nil // lost before
	}
	return err
}

func (c *conn) closing(id string) request {
	r := request{op: "close index", body: marshal(object{"id": id})}
	r.call = func(body io.Reader) esapi.Request { return esapi.ClosePointInTimeRequest{Body: body} }
	if c.open {
		r.body = marshal(object{"pit_id": []string{id}})
		r.call = func(body io.Reader) esapi.Request {
			return openSearch{http.MethodDelete, "/_search/point_in_time", body}
		}
	}
	return r
}

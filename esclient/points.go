package esclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/otisk/otisk/store"
)

// Points are points in time of the parts of an index: what the server keeps
// for a reader, though a writer may have deleted it since.
//
// They are a convenience that a node takes with it when it fails, or that
// expires. Then a new one is as good, as long as no writer has deleted
// anything that the reader's commit has; the head tells.
type points struct {
	c     *conn
	names names
	epoch int64

	mu  sync.Mutex
	ids map[string]string // by part
}

// keepPoint is how long a point in time lives without being used.
const keepPoint = "10m"

// errStale means that the commit a reader stands on is partly deleted.
var errStale = errors.New("the index was changed so much since it was opened that this state of it is gone; open it again")

// search sends a search for query on one part. Where the point in time may be
// lost, the next attempt is with a new one.
func (p *points) search(ctx context.Context, op, part string, query object, out pointed) error {
	a := p.c.attempts(op)
	for {
		id, err := p.get(ctx, op, part)
		if err != nil {
			return err
		}
		query["pit"] = object{"id": id, "keep_alive": keepPoint}
		err, again := p.c.try(ctx, request{
			op: op, method: http.MethodPost, path: "/_search?" + whole, body: marshal(query), out: out,
		})
		if err == nil {
			p.renew(part, id, out.point())
			return nil
		}
		gone := status(err) == http.StatusNotFound // expired, or its node left
		if gone || status(err) != 0 {
			p.drop(part, id)
		}
		if err := a.next(ctx, err, again || gone); err != nil {
			return err
		}
	}
}

// A pointed answer tells the id that the point in time has from now on.
type pointed interface{ point() string }

// renew notes another id of a point in time.
func (p *points) renew(part, old, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id != "" && p.ids[part] == old {
		p.ids[part] = id
	}
}

// get returns the point in time of part, opening it if there is none.
func (p *points) get(ctx context.Context, op, part string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id := p.ids[part]; id != "" {
		return id, nil
	}
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
	p.ids[part] = id
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

func (p *points) drop(part, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ids[part] == id {
		delete(p.ids, part)
	}
}

// close frees what the server keeps.
func (p *points) close(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for part, id := range p.ids {
		errs = append(errs, p.c.closePoint(ctx, id))
		delete(p.ids, part)
	}
	return errors.Join(errs...)
}

func (c *conn) openPoint(ctx context.Context, op, index string) (string, error) {
	path := "/" + index + "/_pit?keep_alive=" + keepPoint
	if c.open {
		path = "/" + index + "/_search/point_in_time?keep_alive=" + keepPoint + "&allow_partial_pit_creation=false"
	}
	var a struct {
		ID  string `json:"id"`
		PIT string `json:"pit_id"`
	}
	err := c.do(ctx, request{op: op, method: http.MethodPost, path: path, out: &a})
	return a.ID + a.PIT, err
}

func (c *conn) closePoint(ctx context.Context, id string) error {
	r := request{op: "close index", method: http.MethodDelete, path: "/_pit", body: marshal(object{"id": id})}
	if c.open {
		r.path, r.body = "/_search/point_in_time", marshal(object{"pit_id": []string{id}})
	}
	err := c.do(ctx, r)
	if status(err) == http.StatusNotFound {
		return nil // lost before
	}
	return err
}

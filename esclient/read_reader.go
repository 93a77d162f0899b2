package esclient

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/otisk/otisk/store"
)

// A Reader answers from the last commit before it was opened. It is safe for concurrent
// use.
//
// A point in time on the server keeps the data that the reader sees, even if a writer replaces or
// deletes them. The point in time is lost five minutes after its last use, or when a node
// fails. The reader then opens another one, if its commit is still complete, and
// otherwise returns [ErrStale].
type Reader struct {
	view
	close sync.Once
}

var _ store.Sifter = (*Reader)(nil)

// Open opens the index for reading. If there is none, the error wraps store.ErrNoIndex; if
// another program or another version made it, store.ErrFormat.
func Open(ctx context.Context, cfg Config) (*Reader, error) {
	c, err := connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		n, m, indices, err := c.identify(ctx)
		if err != nil {
			return nil, err
		}
		r, err := c.read(ctx, n, *m.Settings, indices)
		if err == nil || attempt == openAttempts || !c.overtaken(ctx, n, err) {
			return r, err
		}
	}
}

func (c *conn) read(ctx context.Context, n names, settings store.Settings, indices map[string]indexInfo) (*Reader, error) {
	missing := func(ctx context.Context) error { return c.awaitAll(ctx, n, indices) }
	h, _, err := c.readHeadUnless(ctx, n, missing)
	if err != nil {
		return nil, err
	}
	return openAt(ctx, c, n, h, settings, indices, missing)
}

// overtaken reports whether err, of opening an index, is due to a writer that deleted
// replaced versions or the whole build meanwhile.
func (c *conn) overtaken(ctx context.Context, n names, err error) bool {
	if errors.Is(err, ErrStale) {
		return true
	}
	now, _, _, _ := c.identify(ctx) // err says more than an error of this
	return now.build > n.build
}

// openAttempts is how often Open tries again after a writer has deleted a part of the
// commit meanwhile.
const openAttempts = 5

// openAt opens the commit in the head. indices were read before the head; if parts are
// missing in them, openAt reads them again. missing is for [wire.Request.Missing].
func openAt(ctx context.Context, c *conn, n names, h head, settings store.Settings, indices map[string]indexInfo, missing func(context.Context) error) (*Reader, error) {
	var err error
	if complete(indices, n, h.Sizes) != nil {
		if indices, err = c.inspect(ctx); err == nil {
			err = complete(indices, n, h.Sizes)
		}
	}
	if err != nil {
		return nil, err
	}
	r := new(Reader)
	r.view.set(c, n, settings, h)
	r.points = newPoints(c, n, h)
	r.points.counts = r.view.counts()
	r.points.missing = missing
	if _, err := r.points.get(ctx, "open index"); err != nil {
		_ = r.Close() // the first error says more
		return nil, err
	}
	r.points.missing = nil // later failures may be temporary
	return r, nil
}

// set makes v a view of the last commit of h.
func (v *view) set(c *conn, n names, settings store.Settings, h head) {
	v.c, v.names, v.settings = c, n, settings
	v.epoch, v.aborted, v.sizes, v.bases, v.changed, v.summed = h.Epoch, h.Aborted, h.Sizes, h.Bases, h.Changed, h.Sums
}

func (v *view) Settings() store.Settings { return v.settings }

const closeTime = 10 * time.Second

// Close closes the point in time of r. A second Close does nothing.
func (r *Reader) Close() error {
	r.close.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		// If this fails, the point in time expires: no reason to fail a search that is done.
		_ = r.points.close(ctx)
	})
	return nil
}

package esclient

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/otisk/otisk/store"
)

// A Reader answers from the last commit before it was opened. It is safe for
// use by several goroutines at once.
//
// The server keeps what the reader sees, as a point in time, although a writer
// may replace or delete it; ten minutes after the last use, or when a node
// fails, it forgets. Then the reader goes on with what is there, if its commit
// is still whole, and otherwise returns an error that says so.
type Reader struct {
	view
	close sync.Once
}

var _ store.Sifter = (*Reader)(nil)

// Open opens the index for reading. Without one the error wraps
// store.ErrNoIndex; one that another program or version made is store.ErrFormat.
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

// read opens the last commit of the build that n names.
func (c *conn) read(ctx context.Context, n names, settings store.Settings, indices map[string]indexInfo) (*Reader, error) {
	missing := func(ctx context.Context) error { return c.awaitAll(ctx, n, indices) }
	h, _, err := c.readHeadUnless(ctx, n, missing)
	if err != nil {
		return nil, err
	}
	return openAt(ctx, c, n, h, settings, indices, missing)
}

// overtaken says whether an index could not be opened because a writer was faster: it
// has deleted what was replaced, or the whole build, as clean does.
func (c *conn) overtaken(ctx context.Context, n names, err error) bool {
	if errors.Is(err, ErrStale) {
		return true
	}
	now, _, _, _ := c.identify(ctx) // an error is less than the one there is
	return now.build > n.build
}

// openAttempts is how often a reader tries to get hold of a commit before a
// busy writer has deleted what was replaced since.
const openAttempts = 5

// openAt opens the commit that the head names. indices are those that were there
// before, if that is known: what they have, need not be asked for. Where the server
// cannot do it, missing says why.
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
	r.points.missing = nil // from now on, what fails may come back
	return r, nil
}

// set makes v the view of the last commit that h knows.
func (v *view) set(c *conn, n names, settings store.Settings, h head) {
	v.c, v.names, v.settings = c, n, settings
	v.epoch, v.aborted, v.sizes, v.bases, v.changed, v.summed = h.Epoch, h.Aborted, h.Sizes, h.Bases, h.Changed, h.Sums
}

// Settings returns what the index was made with.
func (v *view) Settings() store.Settings { return v.settings }

// closeTime is how long Close waits for the server.
const closeTime = 10 * time.Second

// Close has the server forget what it keeps for r. A second Close does nothing.
func (r *Reader) Close() error {
	r.close.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		// What is not given back expires: no reason to fail a search that is done.
		_ = r.points.close(ctx)
	})
	return nil
}

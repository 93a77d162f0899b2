package esclient

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/otisk/otisk/store"
)

// A head is the document of the catalogue that says where the index stands. It
// is only ever replaced as a whole, and only by who has seen the last one, so
// each change of it is atomic: a commit, and the change of writers.
//
// A transaction has a number, which the entries written in it carry. To commit
// is to set Epoch to that number. A transaction that failed, or whose writer
// died, leaves its number in Aborted and never to be used again, so that
// nothing of it can appear later, not even by a request that was on its way.
type head struct {
	Epoch   int64        `json:"epoch"`            // the last commit; 0 before the first
	Tx      int64        `json:"tx"`               // the last number that was given to a transaction
	Aborted []int64      `json:"aborted"`          // transactions up to Tx that failed
	Purged  int64        `json:"purged"`           // versions gone by this commit may have been deleted
	Sizes   []int        `json:"sizes"`            // lengths of n-grams that there are
	Bases   []store.Base `json:"bases,omitempty"`  // that names are relative to
	Changed time.Time    `json:"changed,omitzero"` // time of the last commit; older programs do not say
	Session int64        `json:"session"`          // counts the writers that there were
	Clean   int64        `json:"clean"`            // older generations that no entry has are deleted

	Owner   string       `json:"owner"` // the writer, "" for none
	Home    string       `json:"home"`  // machine of the owner
	PID     int          `json:"pid"`   // of the owner, there
	Expires time.Time    `json:"expires"`
	Loading *loadedState `json:"loading,omitempty"` // what to restore after a bulk load

	Nonce string `json:"nonce"` // tells this writing of the head from others
}

const headID = "head"

// keptAborted is how many failed transactions a head remembers. What is older
// was cleaned up many sessions ago.
const keptAborted = 100

func (h *head) abort(tx int64) {
	h.Aborted = append(slices.Clone(h.Aborted), tx)
	h.Aborted = h.Aborted[max(0, len(h.Aborted)-keptAborted):]
}

// writer names the owner for messages.
func (h *head) writer() string {
	if h.Owner == "" {
		return "another writer"
	}
	return h.Owner
}

// A place is the version of the head that was read or written.
type place struct {
	SeqNo int64 `json:"_seq_no"`
	Term  int64 `json:"_primary_term"`
}

type headAnswer struct {
	place
	Found  bool `json:"found"`
	Source struct {
		Head *head `json:"head"`
	} `json:"_source"`
}

// readHead returns the head of the documents index. The server answers this
// from the last write, not from the last refresh.
func (c *conn) readHead(ctx context.Context, n names) (head, place, error) {
	index := n.documents()
	var a headAnswer
	err := c.do(ctx, request{op: "read head of index", method: http.MethodGet, path: "/" + index + "/_doc/" + headID, out: &a})
	if said(err, noIndex) {
		return head{}, place{}, fmt.Errorf("read index %s: %w", index, store.ErrNoIndex)
	}
	if status(err) == http.StatusNotFound || err == nil && (!a.Found || a.Source.Head == nil) {
		return head{}, place{}, fmt.Errorf("read index %s: it has no head: %w", index, store.ErrDamaged)
	}
	if err != nil {
		return head{}, place{}, err
	}
	return *a.Source.Head, a.place, nil
}

// errConflict means that the head was changed by somebody else.
var errConflict = errors.New("somebody else changed the head of the index")

// writeHead replaces the head that is at p. A write whose answer was lost is
// recognised by its nonce.
func (c *conn) writeHead(ctx context.Context, n names, p place, h head) (place, error) {
	h.Nonce = rand.Text()
	path := fmt.Sprintf("/%s/_doc/%s?require_alias=true&if_seq_no=%d&if_primary_term=%d", n.writes(documentsPart), headID, p.SeqNo, p.Term)
	if p.Term == 0 {
		path = fmt.Sprintf("/%s/_create/%s?require_alias=true", n.writes(documentsPart), headID)
	}
	var a place
	err := c.do(ctx, request{
		op: "write head of index", method: http.MethodPut, path: path,
		body: marshal(map[string]any{"head": h}), out: &a,
	})
	if status(err) != http.StatusConflict {
		return a, orGone(err, n.documents())
	}
	now, at, err := c.readHead(ctx, n)
	if err != nil {
		return place{}, err
	}
	if now.Nonce != h.Nonce {
		return place{}, errConflict
	}
	return at, nil
}

// A lease is the right to write, which the head records. It is kept up by
// heart-beats, and lost when another writer finds it expired.
type lease struct {
	c *conn

	mu     sync.Mutex // held while the head is written
	names  names
	at     place
	head   head
	unsure bool // whether the last write of the head came through
	lost   error
	until  time.Time // by our clock

	stop chan struct{}
	done sync.WaitGroup
}

const leaseTime = time.Minute

var beatEvery = 10 * time.Second // a test makes it shorter

// change applies fn to the head and writes it.
func (l *lease) change(ctx context.Context, fn func(h *head)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if err := l.settle(ctx); err != nil {
			return err
		}
		h := l.head
		fn(&h)
		begin := time.Now()
		h.Expires = begin.Add(leaseTime).UTC().Truncate(time.Millisecond)
		at, err := l.c.writeHead(ctx, l.names, l.at, h)
		if err == nil {
			l.at, l.head, l.until = at, h, begin.Add(leaseTime)
			return nil
		}
		l.unsure = true
		if !errors.Is(err, errConflict) {
			return err
		}
		// Another writer, or an earlier attempt of ours that came late.
	}
}

// settle reads the head again after a write of it whose outcome is not known.
func (l *lease) settle(ctx context.Context) error {
	if l.lost != nil || !l.unsure {
		return l.lost
	}
	h, at, err := l.c.readHead(ctx, l.names)
	if err != nil {
		return err
	}
	if h.Session != l.head.Session {
		l.lost = fmt.Errorf("write to index %s: %s took it over: %w", l.names.documents(), h.writer(), store.ErrLocked)
		return l.lost
	}
	l.head, l.at, l.unsure = h, at, false
	return nil
}

// current returns the head as it is, asking for it where that is not known.
func (l *lease) current(ctx context.Context) (head, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.settle(ctx)
	return l.head, err
}

// check makes sure that nobody else writes before something is written. After a
// long silence it asks.
func (l *lease) check(ctx context.Context) error {
	l.mu.Lock()
	lost, until := l.lost, l.until
	l.mu.Unlock()
	if lost != nil || time.Now().Before(until) {
		return lost
	}
	return l.change(ctx, func(*head) {})
}

// beat renews the lease until release.
func (l *lease) beat() {
	l.stop = make(chan struct{})
	l.done.Go(func() {
		ticker := time.NewTicker(beatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-ticker.C:
			}
			ctx, cancel := context.WithTimeout(context.Background(), leaseTime)
			// An error shows at the next write, which checks the lease.
			_ = l.change(ctx, func(*head) {})
			cancel()
		}
	})
}

// get returns the head as this writer last wrote or read it.
func (l *lease) get() head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// move has the lease go on with the head of another index.
func (l *lease) move(n names, at place, h head) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.names, l.at, l.head, l.unsure = n, at, h, false
}

// release gives the lease back. Where something was left undone, the name of
// the owner stays, so that the next writer cleans up.
func (l *lease) release(ctx context.Context, clean bool) error {
	close(l.stop)
	l.done.Wait()
	err := l.change(ctx, func(h *head) {
		h.PID = 0
		if clean {
			h.Owner, h.Home, h.Clean = "", "", (h.Session+1)<<genBits
		}
	})
	if errors.Is(err, store.ErrLocked) {
		return nil // it is not ours to give back
	}
	return err
}

// acquire takes the lease of the index, and returns the head that it found.
func (c *conn) acquire(ctx context.Context, n names) (*lease, head, error) {
	before, at, err := c.readHead(ctx, n)
	if err != nil {
		return nil, before, err
	}
	if err := c.free(ctx, n, before, at); err != nil {
		return nil, before, err
	}
	l, err := c.take(ctx, n, before, at)
	return l, before, err
}

// take makes this process the writer of the index.
func (c *conn) take(ctx context.Context, n names, before head, at place) (*lease, error) {
	h := before
	h.Session, h.Owner, h.Home, h.PID = before.Session+1, owner(), home(), os.Getpid()
	if before.Owner != "" {
		h.abort(before.Tx) // whatever its writer did
	}
	for h.Tx <= h.Epoch || slices.Contains(h.Aborted, h.Tx) {
		h.Tx++
	}
	begin := time.Now()
	h.Expires = begin.Add(leaseTime).UTC().Truncate(time.Millisecond)
	at, err := c.writeHead(ctx, n, at, h)
	if errors.Is(err, errConflict) {
		return nil, fmt.Errorf("open index %s for writing: another writer was faster: %w", n.base, store.ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	l := &lease{c: c, names: n, at: at, head: h, until: begin.Add(leaseTime)}
	l.beat()
	return l, nil
}

// free returns an error wrapping store.ErrLocked while somebody writes to the
// index.
func (c *conn) free(ctx context.Context, n names, h head, at place) error {
	if h.Owner == "" || h.PID == 0 || h.dead() {
		return nil
	}
	if wait := time.Until(h.Expires); wait > 0 {
		return fmt.Errorf("open index %s for writing: %s has it, until %v at least: %w",
			n.base, h.Owner, h.Expires.Local().Format(time.TimeOnly), store.ErrLocked)
	}
	// It is expired by our clock. That of the owner may be slow: is it silent?
	timer := time.NewTimer(beatEvery + beatEvery/2)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	_, now, err := c.readHead(ctx, n)
	if err == nil && now != at {
		err = fmt.Errorf("open index %s for writing: %s has it: %w", n.base, h.Owner, store.ErrLocked)
	}
	return err
}

package esclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"sync"
	"time"

	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/internal/pause"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A lease is the right to write, recorded in the head. A heartbeat renews it; if it
// expires, another writer may take it.
type lease struct {
	c *conn

	mu     sync.Mutex // guards the fields below; held while the head is written
	names  names
	at     place
	head   head
	unsure bool // the outcome of the last write of the head is unknown
	lost   error
	until  time.Time // expiry by the clock of this process

	stop chan struct{}
	done sync.WaitGroup
}

// leaseTime is how long a lease is valid without being renewed.
const leaseTime = time.Minute

// clockSlack is the difference of clocks that is ignored.
const clockSlack = 2 * time.Second

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
		// Another writer, or an earlier attempt of this one that arrived late.
	}
}

// settle reads the head again if the outcome of its last write is unknown. The caller
// holds l.mu.
func (l *lease) settle(ctx context.Context) error {
	if l.lost != nil || !l.unsure {
		return l.lost
	}
	h, at, err := l.c.readHead(ctx, l.names)
	if err != nil {
		return err
	}
	if h.Session != l.head.Session {
		l.lost = phrase.Error("cluster.lease-taken", "write to index {name}: {owner} has taken the lease: {cause}", "name", l.names.documents(), "owner", h.writer(), "cause", store.ErrLocked)
		return l.lost
	}
	l.head, l.at, l.unsure = h, at, false
	return nil
}

func (l *lease) current(ctx context.Context) (head, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.settle(ctx)
	return l.head, err
}

// check returns an error if the lease is lost. If it has expired unnoticed, it renews it.
func (l *lease) check(ctx context.Context) error {
	l.mu.Lock()
	lost, until := l.lost, l.until
	l.mu.Unlock()
	if lost != nil || time.Now().Before(until) {
		return lost
	}
	return l.change(ctx, func(*head) {})
}

// beat starts the heartbeat, which renews the lease until release.
func (l *lease) beat() {
	l.stop = make(chan struct{})
	l.done.Go(func() {
		ticker := time.NewTicker(l.c.limits().beatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-ticker.C:
			}
			ctx, cancel := context.WithTimeout(context.Background(), leaseTime)
			// The next write checks the lease and reports the error.
			_ = l.change(ctx, func(*head) {})
			cancel()
		}
	})
}

func (l *lease) get() head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

func (l *lease) move(n names, at place, h head) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.names, l.at, l.head, l.unsure = n, at, h, false
}

// release ends the lease. If clean is false, the owner stays in the head, which makes the
// next writer clean up.
func (l *lease) release(ctx context.Context, clean bool) error {
	close(l.stop)
	l.done.Wait()
	defer sessions.Delete(l.get().Session)
	err := l.change(ctx, func(h *head) {
		h.PID = 0
		if clean {
			h.Owner, h.Home, h.Clean = "", "", (h.Session+1)<<genBits
		}
	})
	if errors.Is(err, store.ErrLocked) {
		return nil // another writer has the lease
	}
	return err
}

// acquire takes the lease of the index, and returns the head that it found. indices are
// those of the parts of the present build.
func (c *conn) acquire(ctx context.Context, n names, indices []string) (*lease, head, error) {
	before, at, err := c.readHead(ctx, n)
	if err != nil {
		return nil, before, err
	}
	if err := c.free(ctx, n, before, at); err != nil {
		return nil, before, err
	}
	used, err := c.lastGeneration(ctx, indices)
	if err != nil {
		return nil, before, err
	}
	l, err := c.becomeWriter(ctx, n, before, at, nextSession(before.Session, used, time.Now()))
	return l, before, err
}

// becomeWriter makes this process the writer of the index, in that session.
func (c *conn) becomeWriter(ctx context.Context, n names, before head, at place, session int64) (*lease, error) {
	h := before
	h.Session, h.Owner, h.Home, h.PID = session, owner(), home(), os.Getpid()
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
		return nil, phrase.Error("cluster.faster", "open index {name} for writing: another writer was faster: {cause}", "name", n.base, "cause", store.ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	sessions.Store(h.Session, true)
	l := &lease{c: c, names: n, at: at, head: h, until: begin.Add(leaseTime)}
	l.beat()
	return l, nil
}

// nextSession returns the number of a new session, from which its generations begin: the
// milliseconds since firstSession, or more if the last session or the last generation that
// was used is not below it.
//
// A generation must never be reused: the server would keep an old block of that id, and a
// document would have the n-grams of another one. If the catalogue is restored from a
// snapshot and the blocks are not, it does not know the generations of later blocks.
// The clock is beyond all of them, because opening a session takes longer than a
// millisecond and a session cannot use up 2^22 generations in one. If a clock was fast,
// the last generation decides: a long session may have begun the numbers of the next one.
func nextSession(last, used int64, now time.Time) int64 {
	return max(last+1, used>>genBits+1, now.UnixMilli()-firstSession)
}

// lastGeneration returns the highest generation among the blocks and chunks in indices,
// exact to some hundreds, or 0 if there are none.
func (c *conn) lastGeneration(ctx context.Context, indices []string) (last int64, err error) {
	const op = "open index"
	if err := c.refresh(ctx, indices...); err != nil {
		return 0, err
	}
	body := marshal(object{"size": 0, "track_total_hits": false, "aggs": object{"gen": object{"max": object{"field": "gen"}}}})
	for some := range slices.Chunk(indices, addressed) {
		var f found[struct{}]
		if err := c.Do(ctx, wire.Request{Op: op, Body: body, Out: &f, Call: searching("", some...)}); err != nil {
			return 0, err
		}
		last = max(last, int64(f.Aggregations["gen"].Value)) // null, decoded as 0, without blocks
	}
	return last, nil
}

// firstSession is the beginning of 2020 in Unix milliseconds. The numbers suffice for 69
// years.
const firstSession = 1_577_836_800_000

// free returns an error wrapping store.ErrLocked while another writer has the lease. If
// the clock does not decide that, it waits for a heartbeat.
func (c *conn) free(ctx context.Context, n names, h head, at place) error {
	if h.Owner == "" || h.PID == 0 || h.dead() {
		return nil
	}
	silence := c.limits().beatEvery * 3 / 2
	switch wait := time.Until(h.Expires); {
	case wait > leaseTime+clockSlack:
		silence = leaseTime // no lease is that long: the clock of the owner is fast, or this one is slow
	case wait > 0:
		return phrase.Error("cluster.lease-until", "open index {name} for writing: {owner} has the lease, until {time} at least: {cause}", "name", n.base, "owner", h.Owner, "time", h.Expires.Local().Format(time.TimeOnly), "cause", store.ErrLocked)
	}
	// The lease has expired, unless the clocks differ: does the owner still renew it?
	if pause.For(ctx, silence) != nil {
		return ctx.Err()
	}
	_, now, err := c.readHead(ctx, n)
	if err == nil && now != at {
		err = phrase.Error("cluster.lease", "open index {name} for writing: {owner} has the lease: {cause}", "name", n.base, "owner", h.Owner, "cause", store.ErrLocked)
	}
	return err
}

// owner describes this process in messages of other writers.
func owner() string {
	name := "somebody"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("process %d of %s on %s", os.Getpid(), name, host)
}

// home identifies the set of process ids that this process belongs to: by the host name
// and, on Linux, by the boot and the PID namespace, because containers may share host
// names.
func home() string {
	host, _ := os.Hostname() // home returns "" without it
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	if host == "" {
		return ""
	}
	return fmt.Sprintf("%s %.36s %s", host, boot, space)
}

// dead reports whether the owner of h was a process of this machine that has ended, or a
// writer of this process that was closed. The lease need not be awaited then.
func (h *head) dead() bool {
	if cmp.Or(h.Home, "?") != home() {
		return false
	}
	if h.PID == os.Getpid() {
		_, writes := sessions.Load(h.Session)
		return !writes
	}
	return !running(h.PID)
}

var sessions sync.Map

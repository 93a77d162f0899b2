package crawl

import (
	"context"
	"net/url"
	"strings"
	"sync"
)

// A job requests a feed or an article. Its error ends the run.
type job func(context.Context) error

// A queue has the jobs of each host and runs one job per host at a time, so a slow
// host blocks only one worker.
type queue struct {
	mu    sync.Mutex
	more  sync.Cond
	hosts map[string]*jobs
	ready []string // hosts with waiting jobs and none running
	count int      // jobs waiting or running
	over  bool
	fails map[string]int // consecutive failures of each host
}

// jobs are the jobs of one host. Those that failed in the last run come last, so
// that they do not delay the others in every run.
type jobs struct{ first, last []job }

func newQueue() *queue {
	q := &queue{hosts: map[string]*jobs{}, fails: map[string]int{}}
	q.more.L = &q.mu
	return q
}

// add adds a job; if last is set, it runs after the others of its host.
func (q *queue) add(host string, j job, last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.hosts[host]
	if h == nil {
		h = new(jobs)
		q.hosts[host], q.ready = h, append(q.ready, host)
	}
	if last {
		h.last = append(h.last, j)
	} else {
		h.first = append(h.first, j)
	}
	q.count++
	q.more.Signal()
}

// next waits for a job and returns it, with a function to call when it is done. It
// returns nil when no jobs are left, or after end.
func (q *queue) next() (job, func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) == 0 && q.count > 0 && !q.over {
		q.more.Wait()
	}
	if q.over || q.count == 0 {
		return nil, nil
	}
	host := q.ready[0]
	q.ready = q.ready[1:]
	return q.hosts[host].pop(), func() { q.done(host) }
}

func (j *jobs) pop() (next job) {
	from := &j.first
	if len(j.first) == 0 {
		from = &j.last
	}
	next, *from = (*from)[0], (*from)[1:]
	return next
}

func (q *queue) done(host string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count--
	if h := q.hosts[host]; len(h.first)+len(h.last) > 0 {
		q.ready = append(q.ready, host)
	} else {
		delete(q.hosts, host)
	}
	q.more.Broadcast()
}

func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	q.more.Broadcast()
}

func (q *queue) left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count
}

func (q *queue) answered(host string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if ok {
		q.fails[host] = 0
	} else {
		q.fails[host]++
	}
}

func (q *queue) isDead(host string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.fails[host] >= deadAfter
}

// hostOf returns the host of an address; "" if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

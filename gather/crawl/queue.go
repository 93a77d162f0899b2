package crawl

import (
	"context"
	"net/url"
	"strings"
	"sync"
)

// A job is a feed or an article. Its error ends the run.
type job func(context.Context) error

// A queue has the jobs of each host, of which one is done at a time: a host that
// is slow keeps one worker, and not all of them.
type queue struct {
	mu    sync.Mutex
	more  sync.Cond
	jobs  map[string][]job
	ready []string // hosts with jobs, at none of which anybody is
	count int      // jobs that are not done
	over  bool
	fails map[string]int // of each host, in a row
}

func newQueue() *queue {
	q := &queue{jobs: map[string][]job{}, fails: map[string]int{}}
	q.more.L = &q.mu
	return q
}

func (q *queue) add(host string, j job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list, busy := q.jobs[host]
	if q.jobs[host] = append(list, j); !busy {
		q.ready = append(q.ready, host)
	}
	q.count++
	q.more.Signal()
}

// next waits for a job and returns it, with what is to be called after it; nil
// when all are done.
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
	j := q.jobs[host][0]
	return j, func() { q.done(host) }
}

func (q *queue) done(host string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count--
	if q.jobs[host] = q.jobs[host][1:]; len(q.jobs[host]) > 0 {
		q.ready = append(q.ready, host)
	} else {
		delete(q.jobs, host)
	}
	q.more.Broadcast()
}

// end makes next return nothing.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	q.more.Broadcast()
}

// left returns how many jobs are not done.
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

// hostOf returns the host of an address, "" for one without.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

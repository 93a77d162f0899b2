package esclient_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// refusedForGood is a rejection that no client retries.
var refusedForGood = fault{"400 at once", func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) {
	wiretest.Refuse(w, http.StatusBadRequest, "illegal_argument_exception")
}}

// silentAtOnce gives no answer, and the server does not get the request.
var silentAtOnce = fault{"no answer at once", func(_ *proxy, _ http.ResponseWriter, r *http.Request, _ []byte) { <-r.Context().Done() }}

// A breaker lets one request fail, the one of a number counted from arm.
type breaker struct {
	mu     sync.Mutex
	fault  *fault
	left   int
	failed string // the request that failed
}

func (b *breaker) choose(r *http.Request) *fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left--; b.left != 0 {
		return nil
	}
	b.failed = r.Method + " " + kindOfPath.ReplaceAllString(r.URL.Path, "")
	return b.fault
}

// kindOfPath matches the names of indices in a path.
var kindOfPath = regexp.MustCompile(`/test[^/]*`)

// arm lets the request of that number fail; 0 for none.
func (b *breaker) arm(number int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left, b.failed = number, ""
}

// disarm returns the request that failed since arm, "" if none did.
func (b *breaker) disarm() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = 0
	return b.failed
}

// shortFault is the fault that TestEachRequestOfACommit has unless OTISK_TEST_LONG is set: the server did the
// work, and the client does not know.
const shortFault = "connection reset after the work"

// TestEachRequestOfACommit lets each request of a commit fail once, in each way, with a
// client that retries and one that does not. The index then has the old commit or the
// new one, with its documents, progress and bookmark; if the commit failed, the store
// refuses all writes, and the same changes succeed after it is opened again.
func TestEachRequestOfACommit(t *testing.T) {
	t.Parallel()
	host := server(t)
	long := os.Getenv("OTISK_TEST_LONG") != ""
	var mu sync.Mutex
	cases, failures, kinds := 0, 0, map[string]int{}
	t.Run("", func(t *testing.T) {
		for _, f := range append([]fault{refusedForGood, silentAtOnce}, faults...) {
			for _, retries := range []int{-1, 2} {
				if !long && (retries > 0 || f.name != shortFault) {
					continue
				}
				t.Run(fmt.Sprintf("%s, %d retries", f.name, max(retries, 0)), func(t *testing.T) {
					t.Parallel()
					c := newCommitter(t, host, f, retries)
					for c.next() {
						continue
					}
					c.end()
					mu.Lock()
					defer mu.Unlock()
					for kind, times := range c.kinds {
						kinds[kind] += times
						cases += times
					}
					failures += c.failures
				})
			}
		}
	})
	t.Logf("%d requests failed once, %d commits failed: %v", cases, failures, kinds)
	for _, kind := range []string{"POST /_bulk", "POST /_refresh", "POST /_search", "PUT /_doc/head"} {
		if kinds[kind] == 0 && cases > 0 {
			t.Errorf("no %s failed, only %q", kind, slices.Sorted(maps.Keys(kinds)))
		}
	}
}

// A committer moves an index between two states, with a fault in each commit.
type committer struct {
	t        *testing.T
	direct   esclient.Config
	through  esclient.Config
	breaker  *breaker
	final    bool // no commit may survive the fault by a retry
	number   int  // of the request that fails
	state    int  // of the index
	kinds    map[string]int
	failures int
}

func newCommitter(t *testing.T, host string, f fault, retries int) *committer {
	c := &committer{t: t, breaker: &breaker{fault: &f}, kinds: map[string]int{}}
	p := newProxy(t, host, c.breaker.choose)
	c.direct = config(t, host)
	c.through = c.direct
	c.through.Hosts, c.through.Retries, c.through.Pause = []string{p.URL}, retries, time.Millisecond
	c.final = retries < 0 || f.name == refusedForGood.name
	if strings.HasPrefix(f.name, "no answer") {
		c.through.Timeout = 3 * time.Second
	}
	s := create(t, c.direct)
	c.change(s, 0)
	commit(t, s)
	c.close(s)
	return c
}

// change makes the changes that lead to a state.
func (c *committer) change(s store.Store, state int) {
	c.t.Helper()
	add(c.t, s, "/a", fmt.Sprint("a", state), 1, store.Hash(10+state))
	add(c.t, s, fmt.Sprint("/only", state), "only", store.Hash(20+state))
	err := s.Delete(c.t.Context(), store.IDOf("", fmt.Sprint("/only", 1-state)))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		c.t.Fatal(err)
	}
	s.SetProgress(fmt.Sprint("progress ", state))
	s.SetBookmark("source", fmt.Sprint("bookmark ", state))
}

func (c *committer) open(cfg esclient.Config) *esclient.Store {
	c.t.Helper()
	s, err := esclient.OpenStore(c.t.Context(), cfg)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

func (c *committer) close(s store.Store) {
	c.t.Helper()
	if err := s.Close(); err != nil {
		c.t.Fatal(err)
	}
}

// wantState compares the index with the state that it should have.
func (c *committer) wantState(s store.Store) {
	c.t.Helper()
	want := fmt.Sprintf(`/a "a%d"; /only%[1]d "only"; 1: /a@0; %[2]x: /a@1; %[3]x: /only%[1]d@0`, c.state, 10+c.state, 20+c.state)
	for _, r := range []store.Reader{s, open(c.t, c.direct)} {
		if got := content(c.t, r, 1, 10, 11, 20, 21); got != want {
			c.t.Errorf("the index has %s, want %s", got, want)
		}
	}
	progress, err := s.Progress(c.t.Context())
	bookmark, failed := s.Bookmark(c.t.Context(), "source")
	if want := fmt.Sprint(c.state); err != nil || failed != nil || progress != "progress "+want || bookmark != "bookmark "+want {
		c.t.Errorf("the index has %q and %q, %v, %v, want those of state %s", progress, bookmark, err, failed, want)
	}
}

// next commits with a fault in the next request, and reports whether there was one.
func (c *committer) next() bool {
	c.number++
	s := c.open(c.through)
	c.change(s, 1-c.state)
	c.breaker.arm(c.number)
	err := s.Commit(c.t.Context())
	kind := c.breaker.disarm()
	switch {
	case err == nil:
		c.state = 1 - c.state
	case kind == "":
		c.t.Fatalf("commit without a fault = %v", err)
	case !c.final:
		c.t.Errorf("commit with %s failing once = %v, want it done by a retry", kind, err)
	default:
		c.failures++
		if !errors.Is(err, wire.ErrServer) || !strings.HasPrefix(err.Error(), "commit to index "+c.direct.Index+": ") {
			c.t.Errorf("commit with %s failing = %v, want an error of the server that names the index", kind, err)
		}
		storetest.WantAborted(c.t, s)
	}
	c.close(s)
	s = c.open(c.direct)
	c.wantState(s)
	if err != nil {
		c.state = 1 - c.state
		c.change(s, c.state)
		commit(c.t, s)
		c.wantState(s)
	}
	c.close(s)
	if kind != "" {
		c.kinds[kind]++
	}
	return kind != "" && !c.t.Failed()
}

// end merges the index, which then has nothing that no entry refers to.
func (c *committer) end() {
	s := c.open(c.direct)
	if err := s.Optimize(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	noGarbage(c.t, c.direct, s)
	c.close(s)
}

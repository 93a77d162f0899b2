package esclient_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// sometimes returns a choice that lets about one in n requests fail, but for the
// first one of a connection, which is less patient.
func sometimes(n int, list []fault) func(*http.Request) *fault {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	return func(r *http.Request) *fault {
		if rng.IntN(n) > 0 || r.URL.Path == "/" {
			return nil
		}
		return &list[rng.IntN(len(list))]
	}
}

// onceEach lets the first request to each of some paths fail that is not a GET.
func onceEach(f *fault, suffixes ...string) func(*http.Request) *fault {
	return func(r *http.Request) *fault {
		for i, suffix := range suffixes {
			if r.Method != http.MethodGet && strings.HasSuffix(r.URL.Path, suffix) {
				suffixes = slices.Delete(suffixes, i, i+1)
				return f
			}
		}
		return nil
	}
}

// TestFaults does the same to two stores, one of them behind a proxy with one
// kind of fault, and expects the same of both.
func TestFaults(t *testing.T) {
	t.Parallel()
	host := server(t)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			choose, timeout := sometimes(3, []fault{f}), 20*time.Second
			if strings.HasPrefix(f.name, "no answer") { // each takes as long as the time-out
				choose, timeout = onceEach(&f, "/_bulk", "/_refresh", "/_search", "/_doc/head", "/_forcemerge"), 2*time.Second
			}
			p := newProxy(t, host, choose)
			cfg := config(t, host)
			cfg.Pause = 5 * time.Millisecond
			esclient.LimitSettle(&cfg, 5)
			cfg.Hosts, cfg.Timeout = []string{p.URL}, timeout
			s := create(t, cfg)
			for round := range 3 {
				for i := range 12 {
					if round == 0 || i%3 == round {
						addFaulty(t, s, i, round)
					}
				}
				if round == 2 {
					if err := s.Delete(t.Context(), store.IDOf("", "/03")); err != nil {
						t.Fatal(err)
					}
				}
				commit(t, s)
			}
			if err := s.Optimize(t.Context()); err != nil {
				t.Fatal(err)
			}
			checkFaulty(t, open(t, cfg))
			if p.count[f.name] < 5 {
				t.Errorf("the fault happened %d times, want 5 or more", p.count[f.name])
			}
			cfg.Hosts = []string{host}
			noGarbage(t, cfg, s)
		})
	}
}

// TestAnswersLost loses the answers to two attempts to end entries: to the first, which ends one of two, and to the
// repetition after its conflict, which ends the other.
func TestAnswersLost(t *testing.T) {
	t.Parallel()
	host := server(t)
	var first []byte // the item that ends the first entry
	var mu sync.Mutex
	requests := 0
	refuseFirst := func(_ int, item []byte) bool {
		if first == nil && bytes.HasPrefix(item, []byte(`{"update"`)) {
			first, _, _ = bytes.Cut(item, []byte("\n"))
		}
		return first != nil && bytes.HasPrefix(item, first)
	}
	p := newProxy(t, host, func(*http.Request) *fault {
		return &fault{"answers lost", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
			if !bytes.Contains(body, []byte(`{"update"`)) {
				p.pass(w, r, body)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			switch requests++; requests {
			case 1:
				p.someItems(httptest.NewRecorder(), r, body, refuseFirst)
				reset(w)
			case 2:
				p.someItems(w, r, body, refuseFirst)
			case 3:
				p.forward(r, body)
				reset(w)
			default:
				p.pass(w, r, body)
			}
		}}
	})
	cfg := config(t, host)
	cfg.Pause = time.Millisecond
	cfg.Hosts = []string{p.URL}
	s := create(t, cfg)
	add(t, s, "/a", "a", 1)
	add(t, s, "/b", "b", 1)
	commit(t, s)
	add(t, s, "/a", "c", 2)
	add(t, s, "/b", "d", 2)
	commit(t, s)
	if got, want := content(t, s, 1, 2), `/a "c"; /b "d"; 2: /a@0 /b@0`; got != want {
		t.Errorf("the index has %s, want %s", got, want)
	}
}

// addFaulty adds what TestFaults has in a document, with pairs in four blocks.
func addFaulty(t *testing.T, s store.Store, doc, round int) {
	t.Helper()
	text := fmt.Sprint("round ", round)
	hashes := []store.Hash{1, 2, store.Hash(10*doc + round)}
	pairs := storetest.Pairs(slices.Repeat(hashes, esclient.BlockPairs)...)
	if err := s.Add(t.Context(), storetest.Doc(fmt.Sprintf("/%02d", doc), text), text, []store.Grams{storetest.Grams(7, hashes...)}, pairs); err != nil {
		t.Fatal(err)
	}
}

// checkFaulty compares an index with what TestFaults makes.
func checkFaulty(t *testing.T, r store.Reader) {
	t.Helper()
	oracle := memory.New(storetest.Settings())
	var asked []store.Hash
	for i := range 12 {
		if i != 3 {
			addFaulty(t, oracle, i, i%3)
		}
	}
	for h := range store.Hash(12 * 10) {
		asked = append(asked, h)
	}
	commit(t, oracle)
	if got, want := content(t, r, asked...), content(t, oracle, asked...); got != want {
		t.Errorf("the index has\n%s\nwant\n%s", got, want)
	}
	got, want := storetest.LookupPairs(t, r, store.Limits{}, asked...), storetest.LookupPairs(t, oracle, store.Limits{}, asked...)
	if !slices.Equal(got, want) {
		t.Errorf("of pairs the index has\n%q\nwant\n%q", got, want)
	}
}

// TestStoreWithFaults runs the whole suite behind a proxy where one request in
// nine fails somehow. It takes minutes, so it wants to be asked for.
func TestStoreWithFaults(t *testing.T) {
	need.Long(t)
	host := server(t)
	p := newProxy(t, host, sometimes(9, faults))
	conform(t, []string{host}, 1, 0, p.URL)
	t.Cleanup(func() { t.Logf("faults: %v", p.count) }) // the suite runs when this function has returned
}

// TestPointsDoNotLeak refuses two searches in five for lack of room, and counts
// the points in time that the server keeps.
func TestPointsDoNotLeak(t *testing.T) {
	host := server(t)
	cfg := config(t, host)
	cfg.Pause = time.Millisecond
	s := create(t, cfg)
	add(t, s, "/a", "a", 1, 2, 3)
	commit(t, s)
	before := openContexts(t, host)
	rng := rand.New(rand.NewPCG(4, 4))
	p := newProxy(t, host, func(r *http.Request) *fault {
		if strings.HasSuffix(r.URL.Path, "_search") && rng.IntN(5) < 2 {
			return &faults[rng.IntN(2)]
		}
		return nil
	})
	cfg.Hosts = []string{p.URL}
	r := open(t, cfg)
	for range 50 {
		if got := storetest.Lookup(t, r, 7, store.Limits{}, 1, 2, 3); len(got) != 3 {
			t.Fatalf("found %q, want 3 hashes", got)
		}
	}
	if got, want := openContexts(t, host)-before, 3; got > want {
		t.Errorf("after %v the server keeps %d points in time, want %d, one for each part", p.count, got, want)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := openContexts(t, host) - before; got != 0 {
		t.Errorf("after Close the server keeps %d points in time, want none", got)
	}
}

// openContexts returns how many searches and points in time a server keeps.
func openContexts(t *testing.T, host string) int {
	t.Helper()
	var stats struct {
		All struct {
			Total struct {
				Search struct {
					Open int `json:"open_contexts"`
				} `json:"search"`
			} `json:"total"`
		} `json:"_all"`
	}
	if err := json.Unmarshal([]byte(call(t, host, "GET", "/_stats/search", "")), &stats); err != nil {
		t.Fatal(err)
	}
	return stats.All.Total.Search.Open
}

// TestOneDocumentFails shows that a document whose blocks the server refuses is
// reported by name, that the others are kept, and that adding it again mends
// it.
func TestOneDocumentFails(t *testing.T) {
	t.Parallel()
	host := server(t)
	refusing := true
	items := &fault{"its items refused", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.someItems(w, r, body, func(_ int, item []byte) bool { return bytes.Contains(item, []byte("|d8li7ec")) })
	}}
	p := newProxy(t, host, func(r *http.Request) *fault {
		if refusing && r.URL.Path == "/_bulk" {
			return items
		}
		return nil
	})
	cfg := config(t, host)
	cfg.Pause = time.Millisecond
	cfg.Hosts = []string{p.URL}
	s := create(t, cfg)
	const bad = store.Hash(1<<48 - 1)
	add(t, s, "/a", "a", 1)
	err := s.Add(t.Context(), storetest.Doc("/bad", "bad"), "bad", []store.Grams{storetest.Grams(7, 1, bad)}, nil)
	var e *wire.Error
	if !errors.As(err, &e) || e.Kind != wire.Overloaded || !errors.Is(err, store.ErrRefused) || !strings.Contains(err.Error(), "/bad") {
		t.Errorf("Add of a document that is refused = %v, want an error of kind %s with its name", err, wire.Overloaded)
	}
	add(t, s, "/b", "b", 2)
	commit(t, s)
	if got, want := content(t, s, 1, 2, bad), `/a "a"; /b "b"; 1: /a@0; 2: /b@0`; got != want {
		t.Errorf("the index has %s, want %s", got, want)
	}
	p.mu.Lock()
	refusing = false
	p.mu.Unlock()
	add(t, s, "/bad", "bad", 1, bad)
	commit(t, s)
	if got, want := len(storetest.Documents(t, s)), 3; got != want {
		t.Errorf("there are %d documents, want %d", got, want)
	}
	cfg.Hosts = []string{host}
	noGarbage(t, cfg, s)
}

// TestServerGone disconnects the server while documents are added. The first request is
// retried. The later ones, which release points in time and the lease, are sent once each,
// because retries would take minutes.
func TestServerGone(t *testing.T) {
	t.Parallel()
	host := server(t)
	gone, asked := false, 0
	p := newProxy(t, host, func(r *http.Request) *fault {
		if !gone {
			return nil
		}
		asked++
		return &fault{"gone", func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) { reset(w) }}
	})
	set := func(to bool) (before int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		before, gone, asked = asked, to, 0
		return before
	}
	cfg := config(t, host)
	cfg.Pause = time.Millisecond
	cfg.Hosts, cfg.Retries = []string{p.URL}, 8
	s := create(t, cfg)
	add(t, s, "/a", "a", 1)
	set(true)
	err := s.Add(t.Context(), storetest.Doc("/b", "b"), "b", []store.Grams{storetest.Grams(7, 2)}, nil)
	wiretest.CheckError(t, err, wire.Unreachable, "(9 attempts in ")
	if got := set(true); got < 9 {
		t.Errorf("the first request was sent %d times, want 9", got)
	}
	err = s.Commit(t.Context())
	wiretest.CheckError(t, err, wire.Unreachable, "connection lost")
	if got := set(false); got > 10 {
		t.Errorf("a commit to a server that is gone sent %d requests, want a few", got)
	}
	storetest.WantAborted(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = create(t, cfg)
	add(t, s, "/c", "c", 3)
	commit(t, s)
	if got, want := content(t, s, 1, 2, 3), `/c "c"; 3: /c@0`; got != want {
		t.Errorf("with the server back the index has %s, want %s", got, want)
	}
	cfg.Hosts = []string{host}
	noGarbage(t, cfg, s)
}

// TestCommitFails lets the server reject the refresh of a commit, and expects the last
// commit unchanged, and that the index can be opened and written again.
func TestCommitFails(t *testing.T) {
	t.Parallel()
	host := server(t)
	refusing := false
	p := newProxy(t, host, func(r *http.Request) *fault {
		if refusing && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/_refresh") {
			return &faults[1]
		}
		return nil
	})
	cfg := config(t, host)
	cfg.Pause = time.Millisecond
	esclient.LimitSettle(&cfg, 1)
	cfg.Hosts = []string{p.URL}
	s := create(t, cfg)
	add(t, s, "/a", "old", 1)
	commit(t, s)
	set := func(on bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		refusing = on
	}
	add(t, s, "/a", "new", 2)
	add(t, s, "/b", "b", 2)
	set(true)
	if err := s.Commit(t.Context()); !errors.Is(err, wire.ErrServer) {
		t.Fatalf("Commit() = %v, want an error of the server", err)
	}
	set(false)
	if got, want := content(t, s, 1, 2), `/a "old"; 1: /a@0`; got != want {
		t.Errorf("after a failed commit the index has %s, want %s", got, want)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = create(t, cfg)
	add(t, s, "/b", "b", 2)
	commit(t, s)
	if got, want := content(t, s, 1, 2), `/a "old"; /b "b"; 1: /a@0; 2: /b@0`; got != want {
		t.Errorf("after the next commit the index has %s, want %s", got, want)
	}
	cfg.Hosts = []string{host}
	noGarbage(t, cfg, s)
}

package esclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestCommonGramsAreBounded counts the requests of a look-up whose hashes are
// in every document: few, although there are many pages of blocks with them.
func TestCommonGramsAreBounded(t *testing.T) {
	t.Parallel()
	host := server(t)
	var searches atomic.Int64
	p := newProxy(t, host, func(r *http.Request) *fault {
		if strings.Contains(r.URL.Path, "_search") {
			searches.Add(1)
		}
		return nil
	})
	cfg := config(t, host)
	cfg.Hosts = []string{p.URL}
	esclient.LimitPages(&cfg, 20)
	s := create(t, cfg)
	const docs = 400
	var adding errgroup.Group
	adding.SetLimit(16)
	for i := range docs {
		hashes := []store.Hash{store.Hash(1000 + i)}
		for h := range store.Hash(100) {
			hashes = append(hashes, h)
		}
		doc := storetest.Doc(fmt.Sprintf("/%03d", i), fmt.Sprint(i))
		adding.Go(func() error {
			return s.Add(t.Context(), doc, doc.Content, []store.Grams{storetest.Grams(7, hashes...)}, nil)
		})
	}
	if err := adding.Wait(); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	var asked []store.Hash
	for h := range store.Hash(100) {
		asked = append(asked, h)
	}
	asked = append(asked, 1000, 1000+docs-1)
	searches.Store(0)
	common, listed := 0, 0
	err := s.Lookup(t.Context(), 7, asked, store.Limits{Docs: 10}, func(h store.Hit) error {
		if h.Common {
			common++
		}
		listed += len(h.Postings)
		return nil
	})
	if err != nil || common != 100 || listed != 2 {
		t.Errorf("Lookup found %d common hashes and %d postings, %v, want 100 and 2", common, listed, err)
	}
	if got := searches.Load(); got > 6 {
		t.Errorf("Lookup took %d searches, want at most 6 where %d blocks come by 20", got, docs)
	}
}

// TestManyPostings looks up hashes with more postings than memory allows for at
// once.
func TestManyPostings(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	cfg.Memory = 1 // as little as possible: 16 MB
	s := create(t, cfg)
	const each, hashes = 60_000, 8
	grams := store.Grams{N: 7, Hashes: func(yield func([]store.Hash) bool) {
		for range each {
			for h := range store.Hash(hashes) {
				if !yield([]store.Hash{h}) {
					return
				}
			}
		}
	}}
	doc := storetest.Doc("/a", "a")
	if err := s.Add(t.Context(), doc, "a", []store.Grams{grams}, nil); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	next := store.Hash(0)
	err := s.Lookup(t.Context(), 7, []store.Hash{0, 1, 2, 3, 4, 5, 6, 7, 8}, store.Limits{}, func(h store.Hit) error {
		if h.Hash != next || len(h.Postings) != each || h.Postings[each-1].Pos != uint32((each-1)*hashes+int(h.Hash)) {
			return fmt.Errorf("hash %d has %d postings, want hash %d with %d", h.Hash, len(h.Postings), next, each)
		}
		next++
		return nil
	})
	if err != nil || next != hashes {
		t.Errorf("Lookup ended after %d hashes, %v, want %d", next, err, hashes)
	}
}

// TestTooLargeRequest has a proxy refuse requests above a size, as some do.
func TestTooLargeRequest(t *testing.T) {
	t.Parallel()
	host := server(t)
	large := &fault{"413", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		if len(body) > 20_000 {
			http.Error(w, "request entity too large", http.StatusRequestEntityTooLarge)
			return
		}
		p.pass(w, r, body)
	}}
	p := newProxy(t, host, func(*http.Request) *fault { return large })
	cfg := config(t, host)
	cfg.Hosts = []string{p.URL}
	s := create(t, cfg)
	var list []store.Hash
	for h := range store.Hash(20_000) {
		list = append(list, h)
	}
	add(t, s, "/a", "a", list...)
	commit(t, s)
	if got, want := len(storetest.Lookup(t, s, 7, store.Limits{}, list[19_000:]...)), 1000; got != want {
		t.Errorf("found %d hashes, want %d", got, want)
	}
}

// limited refuses bodies above a size, as many a proxy does, and counts how often.
func limited(t *testing.T, host string, size int) (*proxy, *atomic.Int64) {
	refused := new(atomic.Int64)
	large := &fault{"413", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		if len(body) > size {
			refused.Add(1)
			http.Error(w, "<html>413 Request Entity Too Large</html>", http.StatusRequestEntityTooLarge)
			return
		}
		p.pass(w, r, body)
	}}
	return newProxy(t, host, func(*http.Request) *fault { return large }), refused
}

// TestRequestsShrink shows that a limit of a proxy is learnt, and not run into
// again by each request.
func TestRequestsShrink(t *testing.T) {
	t.Parallel()
	host := server(t)
	p, refused := limited(t, host, 75_000)
	cfg := config(t, host)
	cfg.Hosts, cfg.Memory = []string{p.URL}, 1 // as little as possible: requests have 1 MB
	s := create(t, cfg)
	const grams = 400_000 // 3.6 MB
	hashes := make([]store.Hash, grams)
	for i := range hashes {
		hashes[i] = store.Hash(i)
	}
	add(t, s, "/a", "a", hashes...)
	commit(t, s)
	// Three workers may each halve 1 MB four times before they know.
	if got := refused.Load(); got == 0 || got > 12 {
		t.Errorf("%d requests were refused as too large, want some and at most 12", got)
	}
	if got := len(storetest.Lookup(t, s, 7, store.Limits{}, hashes[grams-1000:]...)); got != 1000 {
		t.Errorf("found %d hashes, want 1000", got)
	}
}

// TestTooLargeDocument has a proxy refuse one document for good, and expects
// the others to go on.
func TestTooLargeDocument(t *testing.T) {
	t.Parallel()
	host := server(t)
	p, _ := limited(t, host, 15_000) // less than a chunk of text in base64
	cfg := config(t, host)
	cfg.Hosts = []string{p.URL}
	s := create(t, cfg)
	noise := make([]byte, 50_000) // does not compress
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	add(t, s, "/a", "a", 1)
	err := s.Add(t.Context(), storetest.Doc("/large", "large"), string(noise), []store.Grams{storetest.Grams(7, 2)}, nil)
	if !errors.Is(err, store.ErrRefused) || !strings.Contains(err.Error(), "/large") || !strings.Contains(err.Error(), "413") {
		t.Errorf("Add of a document that is too large = %v, want store.ErrRefused with its name and 413", err)
	}
	add(t, s, "/b", "b", 3)
	commit(t, s)
	if got, want := content(t, s, 1, 2, 3), `/a "a"; /b "b"; 1: /a@0; 3: /b@0`; got != want {
		t.Errorf("the index has %s, want %s", got, want)
	}
}

// setHead replaces the head of an index, as another program would.
func setHead(t *testing.T, cfg esclient.Config, change func(head map[string]any)) {
	t.Helper()
	path := "/" + cfg.Index + "-documents-1/_doc/head"
	var doc struct {
		Source struct {
			Head map[string]any `json:"head"`
		} `json:"_source"`
	}
	d := json.NewDecoder(strings.NewReader(call(t, cfg.Hosts[0], "GET", path, "")))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	change(doc.Source.Head)
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(doc.Source); err != nil {
		t.Fatal(err)
	}
	call(t, cfg.Hosts[0], "PUT", path, body.String())
}

// TestWriterOfAnotherMachine shows when the lease of a writer is respected.
func TestWriterOfAnotherMachine(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	esclient.LimitBeat(&cfg, 100*time.Millisecond)
	s := create(t, cfg)
	add(t, s, "/a", "a", 1)
	commit(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other := func(expires time.Time) {
		setHead(t, cfg, func(h map[string]any) {
			h["owner"], h["home"], h["pid"], h["expires"] = "process 7 of eva on far", "far", 7, expires.Format(time.RFC3339)
		})
	}
	other(time.Now().Add(time.Minute))
	if _, err := esclient.OpenStore(t.Context(), cfg); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "eva on far") {
		t.Errorf("OpenStore while another machine writes = %v, want store.ErrLocked with its owner", err)
	}
	other(time.Now().Add(-time.Hour))
	ctx, stop := context.WithCancel(t.Context())
	beaten := make(chan struct{})
	go func() {
		defer close(beaten)
		for ctx.Err() == nil {
			other(time.Now().Add(-time.Hour)) // a heartbeat, by a slow clock
		}
	}()
	if _, err := esclient.OpenStore(t.Context(), cfg); !errors.Is(err, store.ErrLocked) {
		t.Errorf("OpenStore while a machine with a slow clock writes = %v, want store.ErrLocked", err)
	}
	stop()
	<-beaten
	s, err := esclient.OpenStore(t.Context(), cfg)
	if err != nil {
		t.Fatalf("OpenStore when the other machine is silent = %v", err)
	}
	defer s.Close()
	if got, want := content(t, s, 1), `/a "a"; 1: /a@0`; got != want {
		t.Errorf("the index has %s, want %s", got, want)
	}
}

// TestLostLease takes the index away from a writer, which then must not commit.
func TestLostLease(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	add(t, s, "/a", "a", 1)
	commit(t, s)
	add(t, s, "/b", "b", 2)
	setHead(t, cfg, func(h map[string]any) { h["session"], h["owner"] = 99, "process 7 of eva on far" })
	if err := s.Commit(t.Context()); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "eva on far") {
		t.Errorf("Commit after another writer took over = %v, want store.ErrLocked with its name", err)
	}
	if err := s.Add(t.Context(), storetest.Doc("/c", "c"), "c", nil, nil); !errors.Is(err, store.ErrLocked) {
		t.Errorf("Add after that = %v, want store.ErrLocked", err)
	}
	if got, want := content(t, open(t, cfg), 1, 2), `/a "a"; 1: /a@0`; got != want {
		t.Errorf("the index has %s, want %s", got, want)
	}
}

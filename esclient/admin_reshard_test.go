package esclient_test

import (
	"errors"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// shards returns how many shards each index of cfg has, as "texts-1 3".
func shards(t *testing.T, cfg esclient.Config) string {
	t.Helper()
	var list []string
	for line := range strings.Lines(call(t, cfg.Hosts[0], "GET", "/_cat/indices/"+cfg.Index+"-*?h=index,pri", "")) {
		list = append(list, strings.Join(strings.Fields(strings.TrimPrefix(line, cfg.Index+"-")), " "))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// addPaired adds a document with hashes as its 5-grams and as its pairs.
func addPaired(t *testing.T, s store.Store, path string, hashes ...store.Hash) {
	t.Helper()
	err := s.Add(t.Context(), storetest.Doc(path, path), path, []store.Grams{storetest.Grams(5, hashes...)}, slices.Values([][]store.Hash{hashes}))
	if err != nil {
		t.Fatal(err)
	}
}

func TestReshard(t *testing.T) {
	t.Parallel()
	testReshard(t, server(t))
}

// testReshard splits an index, and writes to it as before.
func testReshard(t *testing.T, host string) {
	cfg := config(t, host)
	s, oracle := create(t, cfg), memory.New(storetest.Settings())
	var asked []store.Hash
	for _, x := range []store.Store{s, oracle} {
		for _, hashes := range storetest.Fill(t, x, rand.New(rand.NewPCG(5, 6)), 20, 500) {
			asked = append(asked, hashes...)
		}
		addPaired(t, x, "/paired", 5, 6)
		commit(t, x)
	}
	asked = append(asked, 5, 6, 77)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	if got, want := shards(t, cfg), "5gram-1 1, 7gram-1 1, documents-1 1, pairs-1 1, texts-1 1"; got != want {
		t.Fatalf("the index has the shards %s, want %s", got, want)
	}
	before := open(t, cfg)
	plan, err := s.Reshard(t.Context(), esclient.Config{Expect: 50 << 30})
	if err != nil || len(plan) != 4 {
		t.Fatalf("Reshard = %v, %v", plan, err)
	}
	if got, want := shards(t, cfg), "5gram-2 5, 7gram-2 5, documents-2 1, pairs-2 3, texts-2 2"; got != want {
		t.Errorf("the index has the shards %s, want %s", got, want)
	}
	storetest.Compare(t, s, oracle, asked)
	storetest.Compare(t, open(t, cfg), oracle, asked)
	if _, err := store.TextOf(t.Context(), before, storetest.Documents(t, oracle)[0].ID); err == nil || !strings.Contains(err.Error(), "open it again") {
		t.Errorf("Text of the index as it was = %v, want an error that says so", err)
	}
	for _, x := range []store.Store{s, oracle} {
		add(t, x, "/new", "new", 77)
		commit(t, x)
	}
	storetest.Compare(t, s, oracle, asked)
	verify(t, s)
	if plan, err := s.Reshard(t.Context(), esclient.Config{Shards: 2}); err != nil || !strings.Contains(shards(t, cfg), "-2 5") {
		t.Errorf("Reshard to fewer = %v, %v, want nothing done: %s", plan, err, shards(t, cfg))
	}
	if err := s.Recreate(t.Context(), s.Settings()); err != nil {
		t.Fatal(err)
	}
	add(t, s, "/a", "a", 1)
	commit(t, s)
	if got, want := shards(t, cfg), "7gram-3 5, documents-3 1, texts-3 2"; got != want {
		t.Errorf("made again, the index has the shards %s, want %s as it expects as much", got, want)
	}
}

// TestReshardFails has the server refuse to split one of the parts, and
// expects the index as it was.
func TestReshardFails(t *testing.T) {
	t.Parallel()
	host := server(t)
	refused := fault{"split refused", func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) {
		wiretest.Refuse(w, 400, "illegal_argument_exception")
	}}
	for _, part := range []string{"texts-1", "7gram-1", "aliases"} {
		p := newProxy(t, host, func(r *http.Request) *fault {
			if strings.Contains(r.URL.Path, part+"/_split") || strings.Contains(r.URL.Path, part+"/_clone") || part == "aliases" && r.URL.Path == "/_aliases" {
				return &refused
			}
			return nil
		})
		cfg := filled(t, host)
		cfg.Pause = time.Millisecond
		cfg.Hosts = []string{p.URL}
		s, err := esclient.OpenStore(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if plan, err := s.Reshard(t.Context(), esclient.Config{Shards: 2}); err == nil {
			t.Errorf("Reshard with %s refused = %v, want an error", part, plan)
		}
		_ = s.Close() // where the swap was refused, nobody knows the state
		cfg.Hosts = []string{host}
		s = create(t, cfg)
		add(t, s, "/b", "b", 3)
		commit(t, s)
		if got, want := content(t, s, 1, 2, 3), `/a "a"; /b "b"; 1: /a@0; 2: /a@1; 3: /b@0`; got != want {
			t.Errorf("with %s refused the index has %s afterwards, want %s", part, got, want)
		}
		if got, want := shards(t, cfg), "7gram-1 1, documents-1 1, texts-1 1"; got != want {
			t.Errorf("with %s refused there are %s afterwards, want %s", part, got, want)
		}
	}
}

// TestWriterDiedWhileSplitting leaves an index as a writer does that is killed.
func TestWriterDiedWhileSplitting(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := filled(t, host)
	for _, part := range []string{"texts", "7gram"} {
		call(t, host, "PUT", "/"+cfg.Index+"-"+part+"-1/_settings", `{"index.blocks.write":true}`)
	}
	call(t, host, "POST", "/"+cfg.Index+"-texts-1/_split/"+cfg.Index+"-texts-2", `{"settings":{"index.number_of_shards":2}}`)
	setHead(t, cfg, func(h map[string]any) { h["frozen"], h["owner"] = true, "a writer that died" })
	if got, want := content(t, open(t, cfg), 1, 2), `/a "a"; 1: /a@0; 2: /a@1`; got != want {
		t.Errorf("meanwhile the index has %s, want %s", got, want)
	}
	s := create(t, cfg)
	add(t, s, "/b", "b", 3)
	commit(t, s)
	if got, want := shards(t, cfg), "7gram-1 1, documents-1 1, texts-1 1"; got != want {
		t.Errorf("there are %s afterwards, want %s", got, want)
	}
}

// TestMixedLayouts damages an index as no program does: it gives one part the layout of a
// later version.
func TestMixedLayouts(t *testing.T) {
	t.Parallel()
	cfg := filled(t, server(t))
	call(t, cfg.Hosts[0], "PUT", "/"+cfg.Index+"-7gram/_mapping", `{"_meta": {"otisk": {"layout": 3, "part": "7gram", "block": 256}}}`)
	_, err := esclient.Open(t.Context(), cfg)
	if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "-7gram-1: it has layout 3, and this program reads layout 2") {
		t.Errorf("Open = %v, want store.ErrDamaged that names both versions", err)
	}
}

// TestOldBuildStays lets the server reject the deletion of the old build. The index is the
// new build nevertheless, and the next writer deletes the old one.
func TestOldBuildStays(t *testing.T) {
	t.Parallel()
	host := server(t)
	refused := fault{"refused", func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) {
		wiretest.Refuse(w, 400, "illegal_argument_exception")
	}}
	p := newProxy(t, host, func(r *http.Request) *fault {
		if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "-1") {
			return &refused
		}
		return nil
	})
	cfg := filled(t, host)
	cfg.Pause = time.Millisecond
	through := cfg
	through.Hosts = []string{p.URL}
	s, err := esclient.OpenStore(t.Context(), through)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reshard(t.Context(), esclient.Config{Shards: 2}); err != nil {
		t.Errorf("Reshard = %v, want it done", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `/a "a"; 1: /a@0; 2: /a@1`
	if got := content(t, open(t, cfg), 1, 2); got != want {
		t.Errorf("afterwards the index has %s, want %s", got, want)
	}
	if got := content(t, create(t, cfg), 1, 2); got != want {
		t.Errorf("for the next writer the index has %s, want %s", got, want)
	}
	if got, want := shards(t, cfg), "7gram-2 2, documents-2 1, texts-2 2"; got != want {
		t.Errorf("the next writer leaves %s, want %s", got, want)
	}
}

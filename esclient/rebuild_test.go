package esclient_test

import (
	"errors"
	"fmt"
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

// fillPaired adds documents with some hundreds of pairs each, which they share
// some of, and returns all hashes.
func fillPaired(t *testing.T, rng *rand.Rand, docs int, stores ...store.Store) (all []store.Hash) {
	t.Helper()
	for i := range docs {
		hashes := storetest.Hashes(rng, 1+rng.IntN(700))
		pairs := storetest.PairsOf(hashes)
		all = append(append(all, hashes...), pairs...)
		path := fmt.Sprintf("/paired/%03d", i)
		for _, s := range stores {
			err := s.Add(t.Context(), storetest.Doc(path, path), path, []store.Grams{storetest.Grams(7, hashes...)}, storetest.Pairs(pairs...))
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// oldIndex makes an index of the first layout, and a store that has the same.
func oldIndex(t *testing.T, cfg esclient.Config) (oracle store.Store, asked []store.Hash) {
	t.Helper()
	oracle = memory.New(storetest.Settings())
	t.Run("make", func(t *testing.T) { // until its end indices are made in the old layout
		esclient.MakeOldLayout(t)
		s := create(t, cfg)
		asked = fillPaired(t, rand.New(rand.NewPCG(3, 4)), 12, s, oracle)
		for _, x := range []store.Store{s, oracle} {
			add(t, x, "/without", "pairs", 1, 2)
			commit(t, x)
			add(t, x, "/without", "pairs again", 2, 3) // which leaves an old version behind
			commit(t, x)
		}
	})
	return oracle, asked
}

// layouts returns the versions and the lengths of blocks that the parts of an
// index say they have, such as "documents 2 256, pairs 2 16".
func layouts(t *testing.T, cfg esclient.Config) string {
	t.Helper()
	var list []string
	for _, part := range []string{"documents", "texts", "7gram", "pairs"} {
		answer := call(t, cfg.Hosts[0], "GET", "/"+cfg.Index+"-"+part+"/_mapping?filter_path=*.mappings._meta", "")
		var version, block int
		_, rest, _ := strings.Cut(answer, `"otisk":`)
		if _, err := fmt.Sscanf(rest[strings.Index(rest, `"format":`):], `"format":%d`, &version); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		if _, err := fmt.Sscanf(rest[strings.Index(rest, `"block":`):], `"block":%d`, &block); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		list = append(list, fmt.Sprintf("%s %d %d", part, version, block))
	}
	return strings.Join(list, ", ")
}

const (
	oldLayouts = "documents 1 256, texts 1 256, 7gram 1 256, pairs 1 256"
	newLayouts = "documents 2 256, texts 2 256, 7gram 2 256, pairs 2 16"
)

func TestOldLayout(t *testing.T) { testOldLayout(t, server(t)) }

// testOldLayout reads an index of the first layout, writes to it, and gives it
// the layout of today.
func testOldLayout(t *testing.T, host string) {
	cfg := config(t, host)
	oracle, asked := oldIndex(t, cfg)
	before := open(t, cfg)
	storetest.Compare(t, before, oracle, asked)
	s := create(t, cfg)
	for _, x := range []store.Store{s, oracle} {
		addPaired(t, x, "/more", 5, 6)
		commit(t, x)
	}
	storetest.Compare(t, s, oracle, asked)
	if info, err := s.Info(t.Context()); err != nil || info.Format != 1 {
		t.Errorf("Info().Format = %d, %v, want 1", info.Format, err)
	}
	if got := layouts(t, cfg); got != oldLayouts {
		t.Errorf("written to, the index has %s, want %s as before", got, oldLayouts)
	}
	if done, err := s.Upgrade(t.Context()); !done || err != nil {
		t.Fatalf("Upgrade = %v, %v, want it done", done, err)
	}
	if got := layouts(t, cfg); got != newLayouts {
		t.Errorf("upgraded, the index has %s, want %s", got, newLayouts)
	}
	for _, x := range []store.Store{s, oracle} {
		addPaired(t, x, "/new", 6, 7)
		commit(t, x)
	}
	for _, x := range []store.Reader{s, open(t, cfg)} {
		storetest.Compare(t, x, oracle, append(asked, 1<<48-1))
		if info, err := x.Info(t.Context()); err != nil || info.Format != 2 {
			t.Errorf("Info().Format = %d, %v, want 2", info.Format, err)
		}
		if err := x.Verify(t.Context(), func(err error) { t.Errorf("Verify reports: %v", err) }); err != nil {
			t.Error(err)
		}
	}
	noGarbage(t, cfg, s)
	if _, err := before.Text(t.Context(), store.IDOf("", "/more")); err == nil || !strings.Contains(err.Error(), "open it again") {
		t.Errorf("Text of the index as it was = %v, want an error that says so", err)
	}
	if done, err := s.Upgrade(t.Context()); done || err != nil {
		t.Errorf("second Upgrade = %v, %v, want nothing done", done, err)
	}
}

// TestOldLayoutIsSplit: who asks for more shards gets the new layout with them.
func TestOldLayoutIsSplit(t *testing.T) {
	cfg := config(t, server(t))
	oracle, asked := oldIndex(t, cfg)
	s := create(t, cfg)
	if _, err := s.Reshard(t.Context(), esclient.Config{Shards: 2}); err != nil {
		t.Fatal(err)
	}
	if got, want := shards(t, cfg), "7gram-2 2, documents-2 1, pairs-2 2, texts-2 2"; got != want {
		t.Errorf("the index has the shards %s, want %s", got, want)
	}
	if got := layouts(t, cfg); got != newLayouts {
		t.Errorf("the index has %s, want %s", got, newLayouts)
	}
	storetest.Compare(t, open(t, cfg), oracle, asked)
}

// TestClearedIndexIsNew: an index that is begun again has the layout of today.
func TestClearedIndexIsNew(t *testing.T) {
	cfg := config(t, server(t))
	_, _ = oldIndex(t, cfg)
	s, oracle := create(t, cfg), memory.New(storetest.Settings())
	if err := s.Recreate(t.Context(), s.Settings()); err != nil {
		t.Fatal(err)
	}
	asked := fillPaired(t, rand.New(rand.NewPCG(5, 6)), 2, s, oracle)
	commit(t, s)
	commit(t, oracle)
	storetest.Compare(t, s, oracle, asked)
	if got := layouts(t, cfg); got != newLayouts {
		t.Errorf("the index has %s, want %s", got, newLayouts)
	}
}

// TestMixedLayouts damages an index as no program does: where the parts are of
// different layouts, places would be read wrong.
func TestMixedLayouts(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	fillPaired(t, rand.New(rand.NewPCG(5, 6)), 2, s)
	commit(t, s)
	call(t, cfg.Hosts[0], "PUT", "/"+cfg.Index+"-pairs/_mapping", `{"_meta": {"otisk": {"format": 1, "part": "pairs", "block": 256}}}`)
	_, err := esclient.Open(t.Context(), cfg)
	if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "-pairs-1: its layout is version 1, and that of the other parts 2") {
		t.Errorf("Open = %v, want store.ErrDamaged that names both versions", err)
	}
}

// TestBegunByAnOlderProgram: an index that an older program did not come to the
// end of making is made to its end in that layout.
func TestBegunByAnOlderProgram(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := filled(t, host)
	cfg.Index += "x"
	t.Cleanup(func() { deleteIndices(t, host, cfg.Index) })
	call(t, host, "PUT", "/"+cfg.Index+"-documents-1", `{"aliases": {"`+cfg.Index+`-documents-1-writes": {}},
		"mappings": {"_meta": {"otisk": {"format": 1, "part": "documents", "block": 256, "settings": {"normalization": {}, "keep_texts": true}}},
		"dynamic": false, "properties": {"doc": {"type": "keyword"}, "key": {"type": "keyword"}, "from": {"type": "long"}, "to": {"type": "long"}, "gens": {"type": "long"}}}}`)
	s, oracle := create(t, cfg), memory.New(storetest.Settings())
	asked := fillPaired(t, rand.New(rand.NewPCG(5, 6)), 2, s, oracle)
	commit(t, s)
	commit(t, oracle)
	storetest.Compare(t, open(t, cfg), oracle, asked)
	if got := layouts(t, cfg); got != oldLayouts {
		t.Errorf("the index has %s, want %s as it was begun", got, oldLayouts)
	}
}

// TestUpgradeFails has the server refuse a step, and expects the index as it was.
func TestUpgradeFails(t *testing.T) {
	esclient.SetFirstPause(t, time.Millisecond)
	host := server(t)
	refused := fault{"refused", func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) {
		refuse(w, 400, "illegal_argument_exception")
	}}
	cfg := config(t, host)
	oracle, asked := oldIndex(t, cfg)
	through := cfg
	for _, step := range []string{"PUT pairs-2", "PUT texts-2/_mapping", "POST documents-2,"} {
		p := newProxy(t, host, func(r *http.Request) *fault {
			if method, path, _ := strings.Cut(step, " "); r.Method == method && strings.Contains(r.URL.Path, path) {
				return &refused
			}
			return nil
		})
		through.Hosts = []string{p.URL}
		s, err := esclient.OpenStore(t.Context(), through)
		if err != nil {
			t.Fatal(err)
		}
		if done, err := s.Upgrade(t.Context()); err == nil {
			t.Errorf("Upgrade with %s refused = %v, want an error", step, done)
		}
		storetest.Compare(t, s, oracle, asked)
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
		if got, want := shards(t, cfg), "7gram-1 1, documents-1 1, pairs-1 1, texts-1 1"; got != want {
			t.Errorf("with %s refused there are %s afterwards, want %s", step, got, want)
		}
	}
	s := create(t, cfg)
	if done, err := s.Upgrade(t.Context()); !done || err != nil {
		t.Errorf("Upgrade after all = %v, %v, want it done", done, err)
	}
	storetest.Compare(t, s, oracle, asked)
}

// TestOldBuildStays has the server refuse to delete what a new build replaces:
// the index is the new one all the same, and the next writer deletes the rest.
func TestOldBuildStays(t *testing.T) {
	esclient.SetFirstPause(t, time.Millisecond)
	host := server(t)
	refused := fault{"refused", func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) {
		refuse(w, 400, "illegal_argument_exception")
	}}
	p := newProxy(t, host, func(r *http.Request) *fault {
		if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "-1") {
			return &refused
		}
		return nil
	})
	cfg := filled(t, host)
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

package esclient_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// lacking opens an index that has lost a part, in every way, and expects an
// error that names it.
func lacking(t *testing.T, cfg esclient.Config, want string) {
	t.Helper()
	_, reading := esclient.Open(t.Context(), cfg)
	_, indexing := esclient.Create(t.Context(), cfg, storetest.Settings())
	for _, err := range []error{reading, indexing} {
		if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("opening the index = %v, want store.ErrDamaged with %q", err, want)
		}
	}
}

// filled makes an index of one document, with the n-grams 1 and 2.
func filled(t *testing.T, host string) esclient.Config {
	t.Helper()
	cfg := config(t, host)
	s := create(t, cfg)
	add(t, s, "/a", "a", 1, 2)
	commit(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestPartIsGone deletes one part of an index after the other, as a curator of
// old indices does, and expects that to be reported by whatever opens it next.
func TestPartIsGone(t *testing.T) {
	t.Parallel()
	host := server(t)
	for _, part := range []string{"7gram-1", "texts-1"} {
		t.Run(part, func(t *testing.T) {
			cfg := filled(t, host)
			lost := cfg.Index + "-" + part
			call(t, host, "DELETE", "/"+lost, "")
			lacking(t, cfg, lost)
			call(t, host, "PUT", "/"+lost+"/_doc/1", `{"gen": 1}`)
			lacking(t, cfg, lost+": otisk did not make it")
			mend(t, cfg)
		})
	}
}

// mend shows that an index that has lost a part answers nothing, and is a
// sound one after Recreate.
func mend(t *testing.T, cfg esclient.Config) {
	t.Helper()
	s, err := esclient.OpenStore(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Lookup(t.Context(), 7, []store.Hash{1}, store.Limits{}, func(store.Hit) error { return nil })
	if !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Lookup without a part = %v, want store.ErrDamaged", err)
	}
	if err := s.Add(t.Context(), storetest.Doc("/b", "b"), "b", nil, nil); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Add without a part = %v, want store.ErrDamaged", err)
	}
	if err := s.Recreate(t.Context(), storetest.Settings()); err != nil {
		t.Fatal(err)
	}
	add(t, s, "/b", "b", 2)
	commit(t, s)
	if got, want := content(t, open(t, cfg), 1, 2), `/b "b"; 2: /b@0`; got != want {
		t.Errorf("made again, the index has %s, want %s", got, want)
	}
}

// TestCatalogueIsGone expects no new catalogue for existing blocks: it
// would give out their ids again.
func TestCatalogueIsGone(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := filled(t, host)
	call(t, host, "DELETE", "/"+cfg.Index+"-documents-1", "")
	lacking(t, cfg, cfg.Index+"-7gram-1, "+cfg.Index+"-texts-1, and the alias "+cfg.Index+"-documents is gone")
	cfg = filled(t, host)
	call(t, host, "DELETE", "/"+cfg.Index+"-documents-1/_alias/"+cfg.Index+"-documents", "")
	lacking(t, cfg, "there is "+cfg.Index+"-7gram-1, "+cfg.Index+"-documents-1, ")
}

// TestEntryIsGone deletes the entry of a document by hand. Searches must report that, and not
// find less.
func TestEntryIsGone(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := config(t, host)
	s := create(t, cfg)
	add(t, s, "/a", "a", 1, 2)
	add(t, s, "/b", "b", 2, 3)
	commit(t, s)
	before := open(t, cfg)
	entries := found(t, host, "/"+cfg.Index+"-documents/_search?q=doc:"+store.IDOf("", "/b").String())
	if len(entries) != 1 {
		t.Fatalf("a document has %d entries, want one", len(entries))
	}
	call(t, host, "DELETE", "/"+cfg.Index+"-documents-1/_doc/"+entries[0].ID+"?refresh=true", "")
	if got, want := content(t, before, 1, 3), `/a "a"; /b "b"; 1: /a@0; 3: /b@1`; got != want {
		t.Errorf("opened before, the index has %s, want %s", got, want)
	}
	const want = "has 1 documents, its head records 2"
	for _, h := range []store.Hash{1, 2, 3} {
		err := open(t, cfg).Lookup(t.Context(), 7, []store.Hash{h}, store.Limits{}, func(store.Hit) error { return nil })
		if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("Lookup(%d) without an entry = %v, want store.ErrDamaged with %q", h, err, want)
		}
	}
	var problems []error
	if err := open(t, cfg).Verify(t.Context(), func(err error) { problems = append(problems, err) }); err != nil {
		t.Fatal(err)
	}
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), want) {
		t.Errorf("Verify reports %v, want %q", problems, want)
	}
	add(t, s, "/b", "b", 2, 3)
	commit(t, s)
	if got, want := content(t, open(t, cfg), 1, 3), `/a "a"; /b "b"; 1: /a@0; 3: /b@1`; got != want {
		t.Errorf("added again, the index has %s, want %s", got, want)
	}
}

// short expects an error that contains want from every way to look up n-grams.
func short(t *testing.T, cfg esclient.Config, want string) {
	t.Helper()
	r := open(t, cfg)
	among, err := r.Among(t.Context(), []store.Condition{{{In: "/b"}}}, nil)
	if err != nil || among == nil {
		t.Fatalf("Among = %v, %v, want a reader", among, err)
	}
	for way, r := range map[string]store.Reader{"all": r, "some": r.Of(map[store.DocID]bool{store.IDOf("", "/b"): true}), "in": among} {
		look := func(store.Hit) error { return nil }
		for _, err := range []error{r.Lookup(t.Context(), 5, []store.Hash{9}, store.Limits{}, look), r.LookupPairs(t.Context(), []store.Hash{9}, store.Limits{}, look)} {
			if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), want) {
				t.Errorf("looking up in %s = %v, want store.ErrDamaged with %q", way, err, want)
			}
		}
	}
}

// emptied deletes the hits of a query in a part by hand.
func emptied(t *testing.T, cfg esclient.Config, part, query string) {
	t.Helper()
	list := found(t, cfg.Hosts[0], "/"+cfg.Index+"-"+part+"/_search?q="+query)
	if len(list) != 1 {
		t.Fatalf("%s has %d with %s, want one", part, len(list), query)
	}
	call(t, cfg.Hosts[0], "DELETE", "/"+cfg.Index+"-"+part+"/_doc/"+list[0].ID+"?refresh=true", "")
}

// TestBlockIsGone deletes a block of each part, and an entry, by hand. Blocks of versions that
// were replaced or deleted before still exist, and must not be counted in their place.
func TestBlockIsGone(t *testing.T) {
	t.Parallel()
	testBlockIsGone(t, server(t), "pairs-1", "5gram-1", "texts-1", "documents-1")
}

func testBlockIsGone(t *testing.T, host string, parts ...string) {
	for part, tt := range map[string]struct {
		gen           int // which of the generations of an entry
		want, problem string
	}{
		"pairs-1":     {0, "-pairs-1 has 1 blocks, the head of the index records 2", "pairs of /a"},
		"5gram-1":     {1, "-5gram-1 has 1 blocks, the head of the index records 2", "5-grams of /a"},
		"texts-1":     {2, "-texts-1 has 1 blocks, the head of the index records 2", "text of /a"},
		"documents-1": {-1, " has 1 documents, its head records 2", " has 1 documents, its head records 2"},
	} {
		if !slices.Contains(parts, part) {
			continue
		}
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			cfg := config(t, host)
			s := create(t, cfg)
			for _, path := range []string{"/a", "/b", "/c", "/c"} {
				addPaired(t, s, path, 1, 2, 3)
				commit(t, s)
			}
			if err := s.Delete(t.Context(), store.IDOf("", "/c")); err != nil {
				t.Fatal(err)
			}
			commit(t, s)
			if got := strings.Join(storetest.Lookup(t, open(t, cfg), 5, store.Limits{}, 3), ""); got != "3: /a@2 /b@2" {
				t.Errorf("the index has %s", got)
			}
			query := "doc:" + store.IDOf("", "/a").String()
			if tt.gen >= 0 {
				query = "gen:" + gensOf(t, cfg, "/a")[tt.gen].String()
			}
			emptied(t, cfg, part, query)
			short(t, cfg, cfg.Index+tt.want)
			if got := problems(t, cfg); len(got) != 1 || !strings.Contains(got[0], tt.problem) {
				t.Errorf("Verify reports %q, want %q", got, tt.problem)
			}
		})
	}
}

// TestGenerationsOfALongSession has blocks of a writer with a fast clock, which used up the
// generations of its session and began those of the next one. The next writer must not use
// these again: the server would keep the old block, and the document would have the
// n-grams of another one.
func TestGenerationsOfALongSession(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := filled(t, host)
	const session = 1 << 40 // decades ahead
	setHead(t, cfg, func(h map[string]any) { h["session"] = session })
	for gen := int64((session + 1) << 22); gen < (session+1)<<22+10; gen++ {
		id := fmt.Sprintf("%016x%08x", gen, 0)
		call(t, host, "PUT", "/"+cfg.Index+"-7gram-1/_create/"+id, fmt.Sprintf(`{"gen":%d,"no":0,"h":"!!!!!!!#"}`, gen))
	}
	s := create(t, cfg)
	add(t, s, "/b", "b", 2, 3)
	commit(t, s)
	if got, want := content(t, s, 1, 2, 3), `/a "a"; /b "b"; 1: /a@0; 2: /a@1 /b@0; 3: /b@1`; got != want {
		t.Errorf("the index has %s, want %s", got, want)
	}
}

// TestTakenOver adds a document again with n-grams of another length. The parts that the new
// version inherits are found and counted.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	addPaired(t, s, "/a", 1, 2, 3)
	commit(t, s)
	add(t, s, "/a", "/a", 4)
	commit(t, s)
	r := open(t, cfg)
	for n, want := range map[int]string{5: "3: /a@2", 7: "4: /a@0"} {
		if got := strings.Join(storetest.Lookup(t, r, n, store.Limits{}, 3, 4), ""); got != want {
			t.Errorf("under %d the index has %q, want %q", n, got, want)
		}
	}
}

// gensOf returns the generations of the parts of a document: of the pairs, n-grams and
// the text.
func gensOf(t *testing.T, cfg esclient.Config, path string) []json.Number {
	t.Helper()
	var entry struct {
		Gens []json.Number `json:"gens"`
	}
	list := found(t, cfg.Hosts[0], "/"+cfg.Index+"-documents/_search?q=doc:"+store.IDOf("", path).String())
	if err := json.Unmarshal(list[0].Source, &entry); err != nil || len(entry.Gens) != 3 {
		t.Fatalf("the entry of %s has %v, %v", path, entry.Gens, err)
	}
	return entry.Gens
}

// problems returns what Verify reports.
func problems(t *testing.T, cfg esclient.Config) (list []string) {
	t.Helper()
	if err := open(t, cfg).Verify(t.Context(), func(err error) { list = append(list, err.Error()) }); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestPartIsRed makes a part whose shards no node may have. A reader reports that sooner than
// it gives up a busy server.
func TestPartIsRed(t *testing.T) {
	t.Parallel()
	host := server(t)
	for _, part := range []string{"7gram", "documents"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			cfg := filled(t, host)
			alias := cfg.Index + "-" + part
			name := alias + "-1"
			var made map[string]map[string]any
			if err := json.Unmarshal([]byte(call(t, host, "GET", "/"+name+"?features=mappings,aliases", "")), &made); err != nil {
				t.Fatal(err)
			}
			made[name]["settings"] = map[string]any{"index.routing.allocation.require._name": "nobody", "index.number_of_replicas": 0}
			body, err := json.Marshal(made[name])
			if err != nil {
				t.Fatal(err)
			}
			call(t, host, "DELETE", "/"+name, "")
			call(t, host, "PUT", "/"+name+"?wait_for_active_shards=0", string(body))
			cfg.Timeout = 4 * time.Second
			_, err = esclient.Open(t.Context(), cfg)
			wiretest.CheckError(t, err, wire.Red, "are red: data are missing, and did not come back within 2 s")
		})
	}
}

// TestPartGoesWhileWriting deletes a part under the hands of a writer. The
// server must not make it again.
func TestPartGoesWhileWriting(t *testing.T) {
	t.Parallel()
	host := server(t)
	for _, part := range []string{"7gram-1", "texts-1", "documents-1"} {
		t.Run(part, func(t *testing.T) {
			cfg := config(t, host)
			s, err := esclient.Create(t.Context(), cfg, storetest.Settings())
			if err != nil {
				t.Fatal(err)
			}
			add(t, s, "/a", "a", 1, 2)
			commit(t, s)
			lost := cfg.Index + "-" + part
			call(t, host, "DELETE", "/"+lost, "")
			err = s.Add(t.Context(), storetest.Doc("/b", "b"), "b", []store.Grams{storetest.Grams(7, 2)}, nil)
			if err == nil {
				err = s.Commit(t.Context())
			}
			if !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrNoIndex) || !strings.Contains(err.Error(), lost) {
				t.Errorf("adding a document = %v, want store.ErrDamaged with %s", err, lost)
			}
			_ = s.Close() // it cannot clean up
			if got := call(t, host, "GET", "/_cat/indices/"+cfg.Index+"-*?h=index", ""); strings.Contains(got, lost) {
				t.Errorf("%s was made again:\n%s", lost, got)
			}
		})
	}
}

// TestCatalogueOfYesterday restores the catalogue alone, as from a snapshot. Documents that are
// added then must not share generations with those that were added meanwhile, even by
// several writers within a second.
func TestCatalogueOfYesterday(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := filled(t, host)
	var head map[string]any
	setHead(t, cfg, func(h map[string]any) { head = maps.Clone(h) })
	index := func(path string, hash store.Hash) {
		s := create(t, cfg)
		add(t, s, path, path, hash)
		commit(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5 {
		index(fmt.Sprint("/b", i), store.Hash(10+i))
	}
	for from := 2; from <= 6; from++ {
		for _, entry := range found(t, host, fmt.Sprintf("/%s-documents/_search?q=from:%d", cfg.Index, from)) {
			call(t, host, "DELETE", "/"+cfg.Index+"-documents/_doc/"+entry.ID+"?refresh=true", "")
		}
	}
	setHead(t, cfg, func(h map[string]any) {
		clear(h)
		maps.Copy(h, head)
	})
	for i := range 5 {
		index(fmt.Sprint("/c", i), store.Hash(20+i))
	}
	if got, want := content(t, open(t, cfg), 1, 2, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24),
		`/a "a"; /c0 "/c0"; /c1 "/c1"; /c2 "/c2"; /c3 "/c3"; /c4 "/c4"; 1: /a@0; 2: /a@1; 14: /c0@0; 15: /c1@0; 16: /c2@0; 17: /c3@0; 18: /c4@0`; got != want {
		t.Errorf("the index has %s, want %s", got, want)
	}
}

// TestMissingAliases opens an index that has lost its aliases for writing: a writer adds them.
func TestMissingAliases(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := filled(t, host)
	for _, part := range []string{"documents-1", "texts-1", "7gram-1"} {
		name := cfg.Index + "-" + part
		call(t, host, "DELETE", "/"+name+"/_alias/"+name+"-writes", "")
	}
	s := create(t, cfg)
	add(t, s, "/b", "b", 3)
	commit(t, s)
	if got, want := content(t, open(t, cfg), 1, 3), `/a "a"; /b "b"; 1: /a@0; 3: /b@0`; got != want {
		t.Errorf("the index has %s, want %s", got, want)
	}
}

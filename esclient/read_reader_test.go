package esclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/esclient/wire/wiretest"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

func add(t testing.TB, s store.Store, path, content string, hashes ...store.Hash) {
	t.Helper()
	if err := s.Add(context.Background(), storetest.Doc(path, content), content, []store.Grams{storetest.Grams(7, hashes...)}, nil); err != nil {
		t.Fatalf("Add(%s) = %v", path, err)
	}
}

func commit(t testing.TB, s store.Store) {
	t.Helper()
	if err := s.Commit(context.Background()); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
}

func open(t testing.TB, cfg esclient.Config) *esclient.Reader {
	t.Helper()
	r, err := esclient.Open(context.Background(), cfg)
	if err != nil {
		t.Fatalf("Open(%s) = %v", cfg.Index, err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return r
}

// content returns all that r has: documents with text and n-grams.
func content(t *testing.T, r store.Reader, hashes ...store.Hash) string {
	t.Helper()
	var b strings.Builder
	for _, d := range storetest.Documents(t, r) {
		text, err := store.TextOf(t.Context(), r, d.ID)
		if err != nil {
			t.Fatalf("Text(%s) = %v", d.Name(), err)
		}
		fmt.Fprintf(&b, "%s %q; ", d.Name(), text)
	}
	return b.String() + strings.Join(storetest.Lookup(t, r, 7, store.Limits{}, hashes...), "; ")
}

// TestVerify damages an index in ways that no client would, and expects a
// reader, which is all that a command has, to say of each.
func TestVerify(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	add(t, s, "/a", "text a", 1, 2)
	add(t, s, "/b", "text b", 2, 3)
	commit(t, s)
	problems := func() string {
		var list []string
		err := open(t, cfg).Verify(t.Context(), func(err error) {
			if !errors.Is(err, store.ErrDamaged) {
				t.Errorf("Verify reports %v, which does not wrap ErrDamaged", err)
			}
			list = append(list, err.Error())
		})
		if err != nil {
			t.Fatalf("Verify() = %v", err)
		}
		return strings.Join(list, "\n")
	}
	if got := problems(); got != "" {
		t.Errorf("a sound index has problems:\n%s", got)
	}
	host, entries, blocks := cfg.Hosts[0], "/"+cfg.Index+"-documents", "/"+cfg.Index+"-7gram"
	entry := found(t, host, entries+"/_search?size=1&q=_exists_:doc")[0]
	call(t, host, "PUT", entries+"/_doc/another?refresh=true", string(entry.Source))
	if got, want := problems(), "has two entries"; strings.Count(got, want) != 1 || strings.Contains(got, "\n") {
		t.Errorf("with an entry copied Verify reports %q, want one problem with %q", got, want)
	}
	call(t, host, "DELETE", entries+"/_doc/another?refresh=true", "")
	for _, block := range found(t, host, blocks+"/_search") {
		call(t, host, "DELETE", blocks+"/_doc/"+block.ID+"?refresh=true", "")
	}
	if got := problems(); strings.Count(got, "7-grams of /") != 2 {
		t.Errorf("without blocks Verify reports %q, want 2 problems", got)
	}
}

// TestVerifyLooksUp: Verify names each part whose hashes a look-up does not find, although its
// blocks are complete. The look-ups of several documents are one request for each kind of part.
func TestVerifyLooksUp(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	for _, path := range []string{"/a", "/b", "/c"} {
		addPaired(t, s, path, 1, 2, 3)
	}
	commit(t, s)
	var lose atomic.Bool
	var lookUps atomic.Int64
	p := newProxy(t, cfg.Hosts[0], func(*http.Request) *fault {
		return &fault{"nothing is found", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
			if !bytes.Contains(body, []byte(`"ids"`)) {
				p.pass(w, r, body)
				return
			}
			lookUps.Add(1)
			if !lose.Load() {
				p.pass(w, r, body)
				return
			}
			w.Header().Set("X-Elastic-Product", "Elasticsearch")
			fmt.Fprint(w, `{"took":1,"hits":{"hits":[]}}`)
		}}
	})
	cfg.Hosts = []string{p.URL}
	if got := problems(t, cfg); len(got) > 0 || lookUps.Load() != 2 {
		t.Errorf("of a sound index Verify reports %q after %d look-ups, want none after 2", got, lookUps.Load())
	}
	lose.Store(true)
	got := strings.Join(problems(t, cfg), "\n")
	for _, path := range []string{"/a", "/b", "/c"} {
		for _, list := range []string{"5-grams of ", "pairs of "} {
			if want := list + path + ": a look-up does not find a hash"; strings.Count(got, want) != 1 {
				t.Errorf("without hits Verify reports %q, want %q", got, want)
			}
		}
	}
}

type foundDocument struct {
	ID     string          `json:"_id"`
	Source json.RawMessage `json:"_source"`
}

// found returns the hits of a search, without the client that is tested.
func found(t *testing.T, host, path string) []foundDocument {
	t.Helper()
	var a struct {
		Hits struct {
			Hits []foundDocument `json:"hits"`
		} `json:"hits"`
	}
	if err := json.Unmarshal([]byte(call(t, host, "GET", path, "")), &a); err != nil || len(a.Hits.Hits) == 0 {
		t.Fatalf("GET %s finds nothing, %v", path, err)
	}
	return a.Hits.Hits
}

func TestReaderKeepsItsCommit(t *testing.T) {
	t.Parallel()
	testReaderKeepsItsCommit(t, server(t))
}

func testReaderKeepsItsCommit(t *testing.T, host string) {
	cfg := config(t, host)
	s := create(t, cfg)
	add(t, s, "/a", "old a", 1, 2)
	add(t, s, "/b", "old b", 2, 3)
	commit(t, s)
	r := open(t, cfg)
	const old = `/a "old a"; /b "old b"; 1: /a@0; 2: /a@1 /b@0; 3: /b@1`
	const now = `/a "new a"; 3: /a@0; 4: /a@1`
	check := func(when string, r store.Reader, want string) {
		t.Helper()
		if got := content(t, r, 1, 2, 3, 4); got != want {
			t.Errorf("%s the index has %s\nwant %s", when, got, want)
		}
	}
	check("at first", r, old)
	add(t, s, "/a", "new a", 3, 4)
	if err := s.Delete(t.Context(), store.IDOf("", "/b")); err != nil {
		t.Fatal(err)
	}
	check("before a commit", r, old)
	commit(t, s)
	check("after a commit", r, old)
	check("after a commit, for the writer", s, now)
	r.LosePoints(t)
	check("with its points in time lost", r, old)
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("after optimizing", r, old)
	check("opened now", open(t, cfg), now)

	r.LosePoints(t)
	_, err := store.TextOf(t.Context(), r, store.IDOf("", "/a"))
	if err == nil || !strings.Contains(err.Error(), "open it again") {
		t.Errorf("Text of a state that is gone = %v, want an error that says so", err)
	}
	second := open(t, cfg)
	if err := s.Recreate(t.Context(), s.Settings()); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Entry(t.Context(), second, store.IDOf("", "/a")); err == nil || !strings.Contains(err.Error(), "open it again") {
		t.Errorf("Document after another one cleared the index = %v, want an error that says so", err)
	}
	check("after clearing it", open(t, cfg), "")
}

// TestChanged: Info has the time of the last commit.
func TestChanged(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	changed := func(r store.Reader) time.Time {
		t.Helper()
		info, err := r.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.Changed
	}
	if got := changed(s); !got.IsZero() {
		t.Errorf("an index without documents was changed at %v, want no time", got)
	}
	begin := time.Now().Truncate(time.Second)
	add(t, s, "/a", "a", 1)
	commit(t, s)
	for _, r := range []store.Reader{s, open(t, cfg)} {
		if got := changed(r); got.Before(begin) || got.After(time.Now()) {
			t.Errorf("the index was changed at %v, want a time from %v to now", got, begin)
		}
	}
}

func TestNoIndex(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	if _, err := esclient.Open(t.Context(), cfg); !errors.Is(err, store.ErrNoIndex) {
		t.Errorf("Open of nothing = %v, want store.ErrNoIndex", err)
	}
	if _, err := esclient.OpenStore(t.Context(), cfg); !errors.Is(err, store.ErrNoIndex) {
		t.Errorf("OpenStore of nothing = %v, want store.ErrNoIndex", err)
	}
	cfg.Username = "reader"
	if _, err := esclient.Open(t.Context(), cfg); err == nil || !strings.HasSuffix(err.Error(), `, or none that user "reader" may see`) {
		t.Errorf("Open of nothing as a user = %v, want an error which says that it may be there", err)
	}
}

// TestDetails compares the details of the cluster in Info: the shards of all parts, and the
// worst health.
func TestDetails(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := config(t, host)
	cfg.Shards, cfg.Replicas = 2, -1
	s := create(t, cfg)
	add(t, s, "/a", "a", 1, 2)
	commit(t, s)
	call(t, host, "PUT", "/"+cfg.Index+"-7gram-1/_settings", `{"index": {"number_of_replicas": 1}}`) // there is one node
	r := open(t, cfg)
	info, err := r.Info(t.Context())
	if err := errors.Join(err, r.Measure(t.Context(), &info)); err != nil {
		t.Fatal(err)
	}
	if got, want := info.Details["health"]+": "+info.Details["shards"], "yellow: 6, with copies 6, not assigned 2"; got != want {
		t.Errorf("the details are %s, want %s", got, want)
	}
}

// TestShortestPoints reads from a cluster with the lowest limit of how long points in time are kept.
func TestShortestPoints(t *testing.T) {
	t.Parallel()
	host := server(t)
	limit := func(value string) {
		call(t, host, "PUT", "/_cluster/settings", `{"persistent": {"search.max_keep_alive": `+value+`}}`)
	}
	limit(`"5m"`)
	t.Cleanup(func() { limit("null") })
	if got := numberOfDocuments(t, filled(t, host)); got == 0 {
		t.Error("the index has no documents")
	}
}

// TestClosedPart closes a part of the index, and then all parts. Opening the index fails, the
// error names the part, and nothing is made in place of the closed parts.
func TestClosedPart(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := filled(t, host)
	all := []string{cfg.Index + "-7gram-1", cfg.Index + "-documents-1", cfg.Index + "-texts-1"}
	fails := func(closed string) {
		t.Helper()
		_, err := esclient.Open(t.Context(), cfg)
		_, cerr := esclient.Create(t.Context(), cfg, storetest.Settings())
		for _, err := range []error{err, cerr} {
			wiretest.CheckError(t, err, wire.Refused, "closed")
			var e *wire.Error
			if errors.As(err, &e) {
				if name, ok := e.ClosedIndex(); !ok || name != closed {
					t.Errorf("ClosedIndex() of %v = %q, %t, want %q", err, name, ok, closed)
				}
			}
		}
	}
	call(t, host, "POST", "/"+all[0]+"/_close", "")
	fails(all[0])
	call(t, host, "POST", "/"+strings.Join(all[1:], ",")+"/_close", "")
	fails(all[1])
	call(t, host, "POST", "/"+strings.Join(all, ",")+"/_open", "")
	call(t, host, "GET", "/_cluster/health/"+cfg.Index+"-*?wait_for_status=yellow", "")
	if got, want := content(t, open(t, cfg), 1, 3), `/a "a"; 1: /a@0`; got != want {
		t.Errorf("after opening it again the index has %s, want %s", got, want)
	}
}

// TestSlowCreation makes an index on a server that creates indices and aliases after it has
// answered, as a busy one does; its answers say that the work is not done.
func TestSlowCreation(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := config(t, host)
	var later sync.WaitGroup
	next := make(chan struct{}) // receives from other requests
	var due atomic.Int32        // how many times it still has to
	promise := fault{"a promise", func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		wait := 1 // for an index the client waits in the server
		if r.URL.Path == "/_aliases" {
			wait = 2
		}
		due.Add(int32(wait))
		later.Go(func() {
			for range wait {
				<-next
			}
			p.forward(r, body)
		})
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		fmt.Fprint(w, `{"acknowledged":false,"shards_acknowledged":false}`)
	}}
	p := newProxy(t, host, func(r *http.Request) *fault {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "-1") || r.URL.Path == "/_aliases" {
			return &promise
		}
		if due.Add(-1) >= 0 {
			next <- struct{}{}
		} else {
			due.Add(1)
		}
		return nil
	})
	cfg.Hosts = []string{p.URL}
	s := create(t, cfg)
	add(t, s, "/a", "a", 1)
	commit(t, s)
	later.Wait()
	if got, want := content(t, s, 1), `/a "a"; 1: /a@0`; got != want || p.count[promise.name] != 4 {
		t.Errorf("after %d promises the index has %s, want 4 and %s", p.count[promise.name], got, want)
	}
}

// TestForeignIndex: an index of another program or version is rejected by name, and not
// changed.
func TestForeignIndex(t *testing.T) {
	t.Parallel()
	host := server(t)
	for _, tt := range []struct{ name, body, want string }{
		{"", `{}`, "-documents: otisk did not make it"},
		{"-1", `{"aliases": {"INDEX-documents": {}}, "mappings": {"_meta": {"otisk": {"format": 2, "part": "documents", "block": 256, "settings": {}}}}}`,
			"-documents-1: its layout is older than the first release, and this program reads layout 2"},
		{"-1", `{"aliases": {"INDEX-documents": {}}, "mappings": {"_meta": {"otisk": {"layout": 99, "part": "documents"}}}}`,
			"-documents-1: it has layout 99, and this program reads layout 2"},
		{"-1", `{"aliases": {"INDEX-documents": {}}, "mappings": {"_meta": {"otisk": {"layout": 2, "part": "documents", "block": 512}}}}`,
			`blocks of 512, want "documents" and 256`},
		{"x", `{"aliases": {"INDEX-documents": {}}, "mappings": {"_meta": {"otisk": {"layout": 2, "part": "documents", "block": 256, "settings": {}}}}}`,
			"-documentsx is not a name that otisk gives"},
	} {
		cfg := config(t, host)
		call(t, host, "PUT", "/"+cfg.Index+"-documents"+tt.name, strings.ReplaceAll(tt.body, "INDEX", cfg.Index))
		_, openErr := esclient.Open(t.Context(), cfg)
		_, createErr := esclient.Create(t.Context(), cfg, storetest.Settings())
		for _, err := range []error{openErr, createErr} {
			if !errors.Is(err, store.ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("opening it = %v, want store.ErrFormat with %q", err, tt.want)
			}
			if got, want := errors.Is(err, esclient.ErrForeign), tt.name == ""; got != want {
				t.Errorf("opening it = %v, which is ErrForeign: %v, want %v", err, got, want)
			}
		}
	}
}

// TestForeignPart: nothing is made if a part's name belongs to another program.
func TestForeignPart(t *testing.T) {
	t.Parallel()
	host := server(t)
	for _, tt := range []struct{ name, body string }{
		{"-texts-1", `{}`}, {"-7gram-1", `{}`}, {"-7gram", `{}`}, {"-texts", `{}`},
		{"-mine", `{"aliases": {"INDEX-texts": {}}}`}, {"-documents-1-writes", `{}`},
	} {
		cfg := config(t, host)
		call(t, host, "PUT", "/"+cfg.Index+tt.name, strings.ReplaceAll(tt.body, "INDEX", cfg.Index))
		_, err := esclient.Create(t.Context(), cfg, storetest.Settings())
		if !errors.Is(err, store.ErrFormat) {
			t.Errorf("Create beside %s = %v, want store.ErrFormat", tt.name, err)
		}
		if got, want := call(t, host, "GET", "/_cat/indices/"+cfg.Index+"-*?h=index", ""), cfg.Index+tt.name+"\n"; got != want {
			t.Errorf("afterwards there are %q, want %q alone", got, want)
		}
	}
}

func TestSecondWriter(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	_, err := esclient.OpenStore(t.Context(), cfg)
	if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("second writer = %v, want store.ErrLocked with its owner", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := esclient.OpenStore(t.Context(), cfg)
	if err != nil {
		t.Fatalf("writer after the first is closed = %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Add(t.Context(), storetest.Doc("/a", "a"), "a", nil, nil); err == nil {
		t.Error("Add to a closed store = nil, want an error")
	}
}

// TestManyPending shows that a transaction of more documents than are held in
// memory is as any other.
func TestManyPending(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	esclient.LimitSettle(&cfg, 3)
	s := create(t, cfg)
	storetestFill := func(from, to int, content string) {
		for i := from; i < to; i++ {
			add(t, s, fmt.Sprintf("/%02d", i), content, 1, store.Hash(100+i))
		}
	}
	storetestFill(0, 10, "one")
	commit(t, s)
	storetestFill(5, 15, "two")
	storetestFill(7, 12, "two")
	storetestFill(12, 14, "three")
	for _, path := range []string{"/00", "/06", "/13"} {
		if err := s.Delete(t.Context(), store.IDOf("", path)); err != nil {
			t.Errorf("Delete(%s) = %v", path, err)
		}
		if err := s.Delete(t.Context(), store.IDOf("", path)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("second Delete(%s) = %v, want store.ErrNotFound", path, err)
		}
	}
	if got := len(storetest.Documents(t, s)); got != 10 {
		t.Errorf("before the commit there are %d documents, want 10", got)
	}
	commit(t, s)
	var got []string
	for _, d := range storetest.Documents(t, s) {
		got = append(got, d.Path+" "+d.Content)
	}
	want := []string{"/01 one", "/02 one", "/03 one", "/04 one", "/05 two", "/07 two", "/08 two", "/09 two", "/10 two", "/11 two", "/12 three", "/14 two"}
	if !slices.Equal(got, want) {
		t.Errorf("documents are %q\nwant %q", got, want)
	}
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	noGarbage(t, cfg, s)
}

// noGarbage checks that the server has no entries, blocks and chunks but those of the
// documents.
func noGarbage(t *testing.T, cfg esclient.Config, r store.Reader) {
	t.Helper()
	docs := storetest.Documents(t, r)
	var blocks, pairs, chunks int
	for _, d := range docs {
		chunks += unitsOf(d.Text, esclient.ChunkBytes, 0)
		for _, size := range d.Sizes {
			blocks += unitsOf(size.Grams, esclient.BlockGrams, 0)
		}
		pairs += unitsOf(d.Pairs, esclient.BlockPairs, esclient.RepeatedPairs)
	}
	for _, tt := range []struct {
		part string
		want int
	}{{"documents", len(docs) + 1}, {"texts", chunks}, {"*gram", blocks}, {"pair*", pairs}} {
		path := "/" + cfg.Index + "-" + tt.part
		call(t, cfg.Hosts[0], "POST", path+"/_refresh", "")
		answer := call(t, cfg.Hosts[0], "GET", path+"/_count?filter_path=count", "")
		if want := fmt.Sprintf(`{"count":%d}`, tt.want); answer != want {
			t.Errorf("%s has %s, want %s", path, answer, want)
		}
	}
}

// unitsOf returns how many blocks of size hold n items, if each but the first one repeats
// that many of the one before.
func unitsOf[N ~int | ~int64](n, size, repeated N) int {
	units := 0
	for left := n; left > 0; units++ {
		if left -= size; units > 0 {
			left += repeated
		}
	}
	return units
}

// TestNameOfBytes shows that a name which is not UTF-8 comes back as it was.
func TestNameOfBytes(t *testing.T) {
	t.Parallel()
	s := create(t, config(t, server(t)))
	doc := storetest.Doc("/\xe8esky", "x")
	doc.Prefix = "\xff:"
	if err := s.Add(t.Context(), doc, "x", nil, nil); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	got, err := store.Entry(t.Context(), s, store.IDOf(doc.Prefix, doc.Path))
	if err != nil || got.Name() != doc.Name() {
		t.Errorf("Document() = %q, %v, want the name %q", got.Name(), err, doc.Name())
	}
	long := storetest.Doc("/"+strings.Repeat("a", 20_000), "x")
	if err := s.Add(t.Context(), long, "x", nil, nil); err == nil {
		t.Error("Add of a document with a name of 20,001 bytes = nil, want an error")
	}
}

// TestGrams reads the n-grams of documents, as copying an index does.
func TestGrams(t *testing.T) {
	t.Parallel()
	s := create(t, config(t, server(t)))
	want := make([]store.Hash, 1000)
	for i := range want {
		want[i] = store.Hash(i * i)
	}
	add(t, s, "/a", "a", want...)
	commit(t, s)
	var got []store.Hash
	err := s.Grams(t.Context(), store.IDOf("", "/a"), 7, func(h []store.Hash) error {
		got = append(got, h...)
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Grams() = %d hashes, %v, want the %d that were added", len(got), err, len(want))
	}
	if err := s.Grams(t.Context(), store.IDOf("", "/a"), 5, nil); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Grams of another size = %v, want store.ErrNotFound", err)
	}
}

func TestRecreate(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	add(t, s, "/a", "a", 1)
	commit(t, s)
	other := store.Settings{Normalization: map[string]string{"new_line": "true"}}
	if err := s.Recreate(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	add(t, s, "/b", "b", 1)
	commit(t, s)
	for _, x := range []store.Reader{s, open(t, cfg)} {
		if got, want := fmt.Sprint(x.Settings()), fmt.Sprint(other); got != want {
			t.Errorf("Settings() = %s, want %s", got, want)
		}
		if got, want := fmt.Sprint(storetest.Lookup(t, x, 7, store.Limits{}, 1)), "[1: /b@0]"; got != want {
			t.Errorf("Lookup = %s, want %s", got, want)
		}
		if _, err := store.TextOf(t.Context(), x, store.IDOf("", "/b")); !errors.Is(err, store.ErrNoText) {
			t.Errorf("Text = %v, want store.ErrNoText, as the new settings say", err)
		}
	}
}

// TestOpenWhileEmptied empties an index before each of the requests of opening it, as
// otisk clean does beside a search. Open returns the index before that, or after it.
func TestOpenWhileEmptied(t *testing.T) {
	t.Parallel()
	host := server(t)
	cfg := config(t, host)
	s := create(t, cfg)
	for at := 1; at <= 7; at++ {
		add(t, s, "/a", "a", 1)
		commit(t, s)
		asked := 0
		p := newProxy(t, host, func(*http.Request) *fault {
			if asked++; asked == at {
				if err := s.Recreate(context.Background(), s.Settings()); err != nil {
					t.Errorf("Recreate() = %v", err)
				}
			}
			return nil
		})
		through := cfg
		through.Hosts = []string{p.URL}
		r, err := esclient.Open(t.Context(), through)
		if err != nil {
			t.Errorf("Open, with the index emptied before request %d of it = %v", at, err)
			continue
		}
		if info, err := r.Info(t.Context()); err != nil || info.Documents > 0 && asked > at {
			t.Errorf("opened with the index emptied before request %d of %d, it has %d documents, %v", at, asked, info.Documents, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

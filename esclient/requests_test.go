package esclient_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
	"github.com/otisk/otisk/store/storetest"
)

// A library is a cluster with sources, and a text that has a passage of each.
type library struct {
	cfg     esclient.Config
	norms   *normalize.Set
	suspect string
}

// words returns random words.
func words(rng *rand.Rand, count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprintf("w%08x", rng.Uint32())
	}
	return list
}

// newLibrary indexes sources of this number of words. Each has a passage of the suspect;
// some of them share one.
func newLibrary(t *testing.T, sources, length, passages int) *library {
	t.Helper()
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &library{cfg: config(t, server(t)), norms: norms}
	rng := rand.New(rand.NewPCG(1, uint64(sources)))
	var suspect []string
	shared := make([][]string, passages)
	for i := range shared {
		shared[i] = words(rng, 40)
		suspect = append(append(suspect, words(rng, 5000/passages-40)...), shared[i]...)
	}
	l.suspect = strings.Join(suspect, " ")
	s := create(t, l.cfg)
	var group errgroup.Group
	group.SetLimit(32)
	for i := range sources {
		text := strings.Join(slices.Concat(words(rng, length/2), shared[i%passages], words(rng, length/2)), " ")
		group.Go(func() error {
			doc := &document.Document{Path: fmt.Sprintf("/%04d.txt", i), Format: "text", Ext: "txt", Text: text}
			return indexer.Add(t.Context(), s, doc.Path, doc, indexer.Options{N: 7, Pairs: true, Norms: norms})
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return l
}

// check checks the suspect as a command does, and returns how many sources it
// has.
func (l *library) check(t *testing.T, hosts ...string) int {
	t.Helper()
	sources, err := l.checkIn(t, nil, hosts...)
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

// checkIn checks the suspect against the documents that are meant, all where nothing is
// typed. It returns an error where something of that means none.
func (l *library) checkIn(t *testing.T, in []string, hosts ...string) (sources int, err error) {
	t.Helper()
	cfg := l.cfg
	cfg.Hosts = hosts
	r, err := esclient.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if info, err := r.Info(t.Context()); err != nil || info.Documents == 0 {
		t.Fatalf("Info() = %d documents, %v", info.Documents, err)
	}
	var part store.Reader = r
	if len(in) > 0 {
		picker := pick.New(in, pick.Options{Labels: true, Folders: true})
		if part, err = pick.Only(t.Context(), r, picker); err != nil {
			t.Fatal(err)
		}
		for _, missed := range picker.Missed() {
			return 0, missed
		}
	}
	searcher, err := search.New(t.Context(), part, l.norms, search.Options{N: 7, Common: 1000})
	if err != nil {
		t.Fatal(err)
	}
	result, err := searcher.Search(context.Background(), &document.Document{Path: "suspect", Format: "text", Ext: "txt", Text: l.suspect})
	if err != nil {
		t.Fatal(err)
	}
	return len(result.Sources), nil
}

// counting counts requests.
func counting(sent *atomic.Int64) func(*http.Request) *fault {
	return func(*http.Request) *fault { sent.Add(1); return nil }
}

// TestRequestsOfACheck limits the requests of a check, from opening the index to closing it,
// because the server may be far away: 20 consecutive requests with a latency of 20 ms take
// 0.4 s.
func TestRequestsOfACheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sources, words, passages, most int
		bytes                          int64
	}{
		{50, 2000, 50, 18, 2 << 20},
		{10, 12_000, 10, 18, 3 << 18}, // with whole texts they would be 1.2 MB
		{1000, 20, 100, 18, 4 << 20},
	} {
		t.Run(fmt.Sprint(tt.sources), func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t, tt.sources, tt.words, tt.passages)
			var sent atomic.Int64
			p := newProxy(t, l.cfg.Hosts[0], counting(&sent))
			if got := l.check(t, p.URL); got != tt.sources {
				t.Errorf("the report names %d sources, want %d", got, tt.sources)
			}
			if got := int(sent.Load()); got > tt.most {
				t.Errorf("a check with %d sources took %d requests, want at most %d", tt.sources, got, tt.most)
			}
			if got := p.down.Load(); got > tt.bytes {
				t.Errorf("a check with %d sources of %d words took answers of %d bytes, want at most %d", tt.sources, tt.words, got, tt.bytes)
			}
			t.Logf("%d sources of %d words: %d requests, answers of %d bytes", tt.sources, tt.words, sent.Load(), p.down.Load())
		})
	}
}

// TestRequestsWithStrays: blocks of pairs that a writer has left are looked for once, however often a reader
// looks for pairs.
func TestRequestsWithStrays(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, 1, 100, 1)
	call(t, l.cfg.Hosts[0], "PUT", "/"+l.cfg.Index+"-pairs-1/_doc/stray?refresh=true", `{"gen": 1, "no": 0, "h": "0000000!"}`)
	var sent atomic.Int64
	l.cfg.Hosts = []string{newProxy(t, l.cfg.Hosts[0], counting(&sent)).URL}
	r := open(t, l.cfg)
	q := store.PairQuery{Stretches: [][]store.PairSite{{{Pair: 1}}}, Least: 14, Weight: func(int) float64 { return 1 }}
	for _, want := range []int64{3, 1} { // the blocks, their documents, and the count of the pair
		before := sent.Load()
		if _, err := r.NearPairs(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		if got := sent.Load() - before; got != want {
			t.Errorf("a look-up beside a stray block took %d requests, want %d", got, want)
		}
	}
}

// TestBlocksAreReadOnce: blocks of pairs that a look-up has read are not read again for further pairs in their
// documents, and have the same hits.
func TestBlocksAreReadOnce(t *testing.T) {
	t.Parallel()
	cfg := config(t, server(t))
	s := create(t, cfg)
	grams := []store.Grams{storetest.Grams(7, 1)}
	if err := s.Add(t.Context(), storetest.Doc("/a", "the text"), "the text", grams, storetest.Pairs(1, 2, 3)); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	var sent atomic.Int64
	cfg.Hosts = []string{newProxy(t, cfg.Hosts[0], counting(&sent)).URL}
	stretch := []store.PairSite{{Pair: 1, Word: 1}, {Pair: 2, Word: 2}, {Pair: 3, Word: 3}}
	f, err := open(t, cfg).NearPairs(t.Context(), store.PairQuery{Stretches: [][]store.PairSite{stretch}, Least: 3, Weight: func(int) float64 { return 1 }})
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Near(t.Context(), 0)
	if err != nil || len(want) != 1 {
		t.Fatalf("Near() = %v, %v, want hits in one document", want, err)
	}
	before := sent.Load()
	got, err := f.Around(t.Context(), map[store.DocID]float64{store.IDOf("", "/a"): 1})
	if err != nil || !reflect.DeepEqual(got[0], want) {
		t.Errorf("Around() = %v, %v, want %v", got, err, want)
	}
	if requests := sent.Load() - before; requests != 1 {
		t.Errorf("Around took %d requests, want one for the entry of the document", requests)
	}
}

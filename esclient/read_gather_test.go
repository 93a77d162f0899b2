package esclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// A shelf is a part of an index, blocks by generation and number, that answers look-ups as a
// server does.
type shelf struct {
	*testing.T
	blocks   []block
	docs     map[int64]store.DocID // by generation
	searches []string              // bodies of the searches for blocks
	most     int                   // blocks of n-grams in one answer, 0 for the default
}

// answer implements [wiretest.Answer].
func (s *shelf) answer(_ int, r *http.Request) (int, string, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, "", err
	}
	if only := r.URL.Query().Get("filter_path"); !strings.HasPrefix(only, "error,status,pit_id,took,hits.hits.") {
		s.Errorf("a search asks for %q of the answer, without what says that it failed", only)
	}
	if strings.Contains(string(body), `"docvalue_fields":["doc","gens"]`) {
		return 200, s.holders(string(body)), nil
	}
	s.searches = append(s.searches, string(body))
	return 200, s.page(body), nil
}

var listPattern = regexp.MustCompile(`"(h|gens)":\[([^\]]*)\]`)

// listed returns the values that a search names.
func listed(body string) map[string]bool {
	set := map[string]bool{}
	for _, v := range strings.Split(listPattern.FindStringSubmatch(body)[2], ",") {
		set[strings.Trim(v, `"`)] = true
	}
	return set
}

// page returns the blocks that a search finds.
func (s *shelf) page(body []byte) string {
	var asked struct {
		Size  int     `json:"size"`
		After []int64 `json:"search_after"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		s.Fatal(err)
	}
	terms := listed(string(body))
	var hits []string
	for _, b := range s.blocks {
		if len(asked.After) > 0 && (b.Gen < asked.After[0] || b.Gen == asked.After[0] && int64(b.No) <= asked.After[1]) {
			continue
		}
		if len(hits) < asked.Size && slices.ContainsFunc(strings.Fields(b.H), func(h string) bool { return terms[h] }) {
			hits = append(hits, fmt.Sprintf(`{"_source":%s}`, marshal(b)))
		}
	}
	return `{"took":1,"hits":{"hits":[` + strings.Join(hits, ",") + `]}}`
}

// holders returns the documents of the generations that a search names.
func (s *shelf) holders(body string) string {
	var hits []string
	for gen := range listed(body) {
		var number int64
		if _, err := fmt.Sscan(gen, &number); err != nil {
			s.Fatal(err)
		}
		if id, ok := s.docs[number]; ok {
			hits = append(hits, fmt.Sprintf(`{"fields":{"doc":["%v"],"gens":[%d,%d]}}`, id, number, number+1<<40))
		}
	}
	return `{"took":1,"hits":{"hits":[` + strings.Join(hits, ",") + `]}}`
}

// put adds a document under a generation, with n-grams of n words or pairs.
func (s *shelf) put(gen int64, id store.DocID, hashes []store.Hash, n int) {
	if n == pairsN {
		s.putPairs(gen, hashes)
	} else {
		s.putGrams(gen, hashes)
	}
	s.docs[gen] = id
}

func (s *shelf) putPairs(gen int64, pairs []store.Hash) {
	places := placesOf(slices.Values([][]store.Hash{pairs}), len(pairs))
	for no := 0; no == 0 || no*stepPairs+repeatedPairs < len(pairs); no++ {
		var list []placed
		for i := no * stepPairs; i < min(no*stepPairs+blockPairs, len(pairs)); i++ {
			list = append(list, placed{pairs[i], places[i]})
		}
		var b block
		if err := json.Unmarshal(appendPairs(nil, gen, no, list), &b); err != nil {
			s.Fatal(err)
		}
		s.blocks = append(s.blocks, b)
	}
}

func (s *shelf) putGrams(gen int64, hashes []store.Hash) {
	for no, part := range slices.Collect(slices.Chunk(hashes, blockGrams)) {
		var b block
		if err := json.Unmarshal(appendBlock(nil, gen, no, part), &b); err != nil {
			s.Fatal(err)
		}
		s.blocks = append(s.blocks, b)
	}
}

// view returns a view of the shelf.
func (s *shelf) view() *view {
	v := &view{sizes: []int{7, pairsN}}
	l := defaultLimits
	l.blockPage = cmp.Or(s.most, l.blockPage)
	v.c, v.names = newFake(s.T, Config{limits: &l}, s.answer).conn, names{"x", 1}
	return v
}

// TestLookupAgainstMemory compares look-ups of n-grams and pairs, within limits and page by
// page, with those in memory.
func TestLookupAgainstMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for round := range need.Seeds(40) {
		n := []int{7, pairsN}[round%2]
		limits := store.Limits{Docs: []int{0, 2, 5}[rng.IntN(3)], Positions: []int{0, 1, 3}[rng.IntN(3)]}
		s := &shelf{T: t, most: 5, docs: map[int64]store.DocID{}}
		oracle := memory.New(storetest.Settings())
		for i := range 1 + rng.IntN(8) {
			hashes := make([]store.Hash, 1+rng.IntN(600))
			for j := range hashes {
				hashes[j] = store.Hash(rng.IntN(1 << rng.IntN(12)))
			}
			doc := storetest.Doc(fmt.Sprint("/", rng.Uint64()), fmt.Sprint(i))
			err := oracle.Add(t.Context(), doc, doc.Content, []store.Grams{storetest.Grams(7, hashes...)}, storetest.Pairs(hashes...))
			if err != nil {
				t.Fatal(err)
			}
			s.put(int64(10+i), store.IDOf("", doc.Path), hashes, n)
		}
		if err := oracle.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.lookUp(n, limits, oracle); err != nil {
			t.Errorf("%s, %+v: %v", gramsName(n), limits, err)
		}
	}
}

// lookUp compares the look-ups of some hashes in both.
func (s *shelf) lookUp(n int, limits store.Limits, oracle store.Reader) error {
	v := s.view()
	var asked []store.Hash
	for h := range store.Hash(1 << 12) {
		if h%3 > 0 {
			asked = append(asked, h)
		}
	}
	find := func(r store.Reader, lines *[]string) error {
		note := func(h store.Hit) error {
			*lines = append(*lines, fmt.Sprint(h))
			return nil
		}
		if n == pairsN {
			return r.LookupPairs(s.Context(), asked, limits, note)
		}
		return r.Lookup(s.Context(), n, asked, limits, note)
	}
	var got, want []string
	if err := errors.Join(find(reading1{v}, &got), find(oracle, &want)); err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("found %.400s\nwant %.400s", fmt.Sprint(got), fmt.Sprint(want))
	}
	return nil
}

// reading1 is a view as a reader.
type reading1 struct{ *view }

func (reading1) Close() error { return nil }

// TestCommonIsAskedOnce: a hash that has turned out to be common is left out of
// the search for the next page.
func TestCommonIsAskedOnce(t *testing.T) {
	s := &shelf{T: t, most: 4, docs: map[int64]store.DocID{}}
	for i := range 20 {
		s.put(int64(10+i), store.DocID(i), []store.Hash{1, store.Hash(100 + i)}, 7)
	}
	var hits []string
	err := s.view().Lookup(t.Context(), 7, []store.Hash{1, 119}, store.Limits{Docs: 2}, func(h store.Hit) error {
		hits = append(hits, fmt.Sprint(h.Hash, h.Common, h.Postings))
		return nil
	})
	if want := []string{"1 true []", "119 false [{0000000000000013 1}]"}; err != nil || !slices.Equal(hits, want) {
		t.Errorf("Lookup finds %q, %v, want %q", hits, err, want)
	}
	if len(s.searches) != 2 || listed(s.searches[1])["!!!!!!!#"] {
		t.Errorf("%d searches, the last for %v, want 2, the last without the common hash", len(s.searches), listed(s.searches[len(s.searches)-1]))
	}
}

// TestManyHolders: where a page of blocks is of more documents than the server
// gives at once, all of them are found, in several requests.
func TestManyHolders(t *testing.T) {
	s := &shelf{T: t, docs: map[int64]store.DocID{}}
	const docs = 2*mostFetched + 5
	var hits []foundHit[block]
	for gen := range int64(docs) {
		s.docs[gen] = store.DocID(gen + 1)
		hits = append(hits, foundHit[block]{Source: block{Gen: gen}})
	}
	v := s.view()
	for range 2 { // the second time from memory
		found, err := v.origins(t.Context(), gensOf(hits))
		if err != nil || len(found) != docs {
			t.Fatalf("origins finds %d documents, %v, want %d", len(found), err, docs)
		}
		for gen, from := range found {
			if want := (origin{store.DocID(gen + 1), true}); from != want {
				t.Fatalf("generation %d is of %v, want %v", gen, from, want)
			}
		}
	}
	if from, err := v.origins(t.Context(), []int64{docs + 1}); err != nil || from[docs+1].live {
		t.Errorf("a generation of no document is of %v, %v", from, err)
	}
}

// TestPageOf: a page has 10 MB at most, and no more blocks than the server gives.
func TestPageOf(t *testing.T) {
	for block, want := range map[int]int{256: 4096, 16: 10_000, 128: 8192} {
		if got := defaultLimits.pageOf(block); got != want {
			t.Errorf("pageOf(%d) = %d, want %d", block, got, want)
		}
	}
}

func TestHolder(t *testing.T) {
	h, err := holderOf([]byte(`{"doc":["00000000000000ff"],"gens":[5,4294967297]}`))
	if err != nil || h.doc != 255 || !slices.Equal(h.gens, []int64{5, 4294967297}) {
		t.Errorf("holderOf = %v, %v", h, err)
	}
	for _, fields := range []string{``, `{}`, `{"gens":[5]}`, `{"doc":[],"gens":[5]}`, `{"doc":["1","2"]}`, `{"doc":["x"]}`, `{"doc":[1]}`} {
		if h, err := holderOf([]byte(fields)); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("holderOf(%s) = %v, %v, want store.ErrDamaged", fields, h, err)
		}
	}
}

// TestJustBefore: the keys after it begin with the key, or sort after all that do.
func TestJustBefore(t *testing.T) {
	var keys []string
	for a := range 256 {
		keys = append(keys, nameKey(string([]byte{byte(a)})), nameKey(string([]byte{byte(a), 0})), nameKey(string([]byte{byte(a), 255, 255})))
	}
	for _, key := range keys {
		bound := justBefore(key)
		for _, other := range keys {
			if after, want := other > bound, other >= key; after != want {
				t.Fatalf("key %s is after %s: %v, and want %v as it is to be among those from %s on", other, bound, after, want, key)
			}
		}
	}
}

// TestBrowsing reads pages from where the names begin, and ends with them.
func TestBrowsing(t *testing.T) {
	var asked []string
	names := []string{"a/1", "a/2", "a/3", "b"}
	v, l := &view{}, defaultLimits
	l.entriesPage = 2
	v.c = newFake(t, Config{limits: &l}, func(_ int, r *http.Request) (int, string, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return 0, "", err
		}
		var q struct {
			Size  int      `json:"size"`
			After []string `json:"search_after"`
		}
		if err := json.Unmarshal(body, &q); err != nil {
			return 0, "", err
		}
		asked = append(asked, fmt.Sprint(q.Size, q.After))
		var hits []string
		for _, name := range names {
			if key := nameKey(name); len(hits) < q.Size && key > q.After[0] {
				e := version{Doc: storetest.Doc(name, name)}
				e.Doc.ID = store.IDOf("", name)
				hits = append(hits, fmt.Sprintf(`{"_source":%s,"sort":["%s",3]}`, e.encode(), key))
			}
		}
		return 200, `{"took":1,"hits":{"hits":[` + strings.Join(hits, ",") + `]}}`, nil
	}).conn
	for _, tt := range []struct{ prefix, want, asked string }{
		{"a/", "[a/1 a/2 a/3]", "[2 [612e~] 8 [612f32]]"}, {"a/2", "[a/2]", "[2 [612f31~]]"}, {"b", "[b]", "[2 [61~]]"}, {"c", "[]", "[2 [62~]]"},
	} {
		asked = nil
		got := []string{}
		err := v.Documents(context.Background(), tt.prefix, func(d store.Document) error { got = append(got, d.Name()); return nil })
		if err != nil || fmt.Sprint(got) != tt.want || fmt.Sprint(asked) != tt.asked {
			t.Errorf("Documents(%q) = %v, %v, after searches %v, want %s after %s", tt.prefix, got, err, asked, tt.want, tt.asked)
		}
	}
}

package storetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// TestSifter runs the suite of the capability [store.Sifter]. open fills a fresh store by
// calling fill, commits and closes it, and returns a reader of the index.
func TestSifter(t *testing.T, open func(t *testing.T, fill func(store.Store)) store.Reader) {
	oracle := memory.New(Settings())
	fill := func(s store.Store) {
		for i, d := range siftedDocuments() {
			text := fmt.Sprint("text ", i)
			if err := s.Add(t.Context(), d, text, []store.Grams{Grams(5, store.Hash(i%7), store.Hash(100+i))}, Pairs(store.Hash(i%5))); err != nil {
				t.Fatalf("Add(%s) = %v", d.Name(), err)
			}
		}
	}
	fill(oracle)
	commit(t, oracle)
	r := open(t, fill)
	s, ok := r.(store.Sifter)
	if !ok {
		t.Fatalf("%T does not implement store.Sifter", r)
	}
	t.Run("Values", func(t *testing.T) { testValues(t, s, oracle) })
	t.Run("Among", func(t *testing.T) { testAmong(t, s, oracle) })
	t.Run("AmongNames", func(t *testing.T) { testAmongNames(t, s) })
	t.Run("Of", func(t *testing.T) { testOf(t, s, oracle) })
}

// siftedDocuments returns documents with all that [store.Document.Told] lists.
func siftedDocuments() (list []store.Document) {
	for i := range 30 {
		d := Doc(fmt.Sprintf("%s/%02d", []string{"theses", "theses/2001", "texts"}[i%3], i), fmt.Sprint("text ", i))
		d.Format, d.Year = []string{"text", "html"}[i%2], 1999+i%4
		if i%4 == 0 {
			d.Prefix, d.Author = "lib:", "Novák"
		}
		if i%3 > 0 {
			d.Labels = map[string]string{"faculty": []string{"law", "Arts", "a b*?"}[i%5%3]}
		}
		if i%7 == 0 {
			_ = d.Said.Set("draft", "yes")
		}
		list = append(list, d)
	}
	return list
}

// satisfies reports whether d meets c, by what Told lists.
func satisfies(d store.Document, c store.Condition) bool {
	return slices.ContainsFunc(c, func(h store.Having) bool {
		name := d.Name()
		if h.In != "" {
			return name == h.In || d.Prefix == h.In || strings.HasPrefix(name, h.In+"/") || strings.HasPrefix(name, h.In+"!/")
		}
		met := slices.ContainsFunc(h.Values, func(v store.Value) bool { return slices.Contains(d.Told(), h.Name+"="+v.Value) })
		return met != h.Not
	})
}

// values counts what documents have under a name.
func values(t *testing.T, r store.Reader, name string) map[string]int64 {
	counts := map[string]int64{}
	for _, d := range Documents(t, r) {
		for _, told := range d.Told() {
			if value, ok := strings.CutPrefix(told, name+"="); ok {
				counts[value]++
			}
		}
	}
	return counts
}

var siftedNames = []string{"faculty", "draft", "year", "author", "format", "prefix", "nothing"}

func testValues(t *testing.T, s store.Sifter, oracle store.Reader) {
	got, ok, err := s.Values(t.Context(), siftedNames)
	if !ok || err != nil {
		t.Fatalf("Values(%q) = %v, %v, %v", siftedNames, got, ok, err)
	}
	for _, name := range siftedNames {
		counts := map[string]int64{}
		for _, v := range got[name] {
			counts[v.Value] = v.Documents
		}
		if want := values(t, oracle, name); !maps.Equal(counts, want) {
			t.Errorf("Values of %s: %v, want %v", name, counts, want)
		}
	}
}

// someCondition returns a condition on values that documents have.
func someCondition(t *testing.T, rng *rand.Rand, oracle store.Reader) (c store.Condition) {
	for range 1 + rng.IntN(2) {
		if rng.IntN(4) == 0 {
			c = append(c, store.Having{In: []string{"theses", "theses/2001", "lib:", "texts/02"}[rng.IntN(4)]})
			continue
		}
		h := store.Having{Name: siftedNames[rng.IntN(len(siftedNames)-1)], Not: rng.IntN(3) == 0}
		counts := values(t, oracle, h.Name)
		for _, value := range slices.Sorted(maps.Keys(counts)) {
			if len(h.Values) == 0 || rng.IntN(2) == 0 {
				h.Values = append(h.Values, store.Value{Value: value, Documents: counts[value]})
			}
		}
		c = append(c, h)
	}
	return c
}

func testAmong(t *testing.T, s store.Sifter, oracle store.Reader) {
	rng := rand.New(rand.NewPCG(6, 1))
	found := 0
	for range 60 {
		all := []store.Condition{someCondition(t, rng, oracle)}
		if rng.IntN(2) == 0 {
			all = append(all, someCondition(t, rng, oracle))
		}
		var want []string
		for _, d := range Documents(t, oracle) {
			if !slices.ContainsFunc(all, func(c store.Condition) bool { return !satisfies(d, c) }) {
				want = append(want, d.Name())
			}
		}
		if emptyFolder(t, all, want, oracle) {
			if part, err := s.Among(t.Context(), all, nil); part != nil || err != nil {
				t.Errorf("Among(%+v) = %v, %v, want no reader: there is nothing in one of the folders", all, part, err)
			}
			continue
		}
		part, err := s.Among(t.Context(), all, nil)
		if err != nil || part == nil {
			t.Fatalf("Among(%+v) = %v, %v, want a reader", all, part, err)
		}
		found++
		equal(t, fmt.Sprintf("documents among %+v", all), names(Documents(t, part)), want)
		if info, err := part.Info(t.Context()); err != nil || info.Documents != int64(len(want)) {
			t.Errorf("Info of a part has %d documents, %v, want %d", info.Documents, err, len(want))
		}
		wantFound(t, part, want)
		if err := part.Close(); err != nil {
			t.Errorf("Close of a part = %v", err)
		}
	}
	if found < 20 {
		t.Errorf("%d of 60 conditions were evaluated, too few to tell", found)
	}
}

// emptyFolder reports whether none of the named documents is In a folder of all.
func emptyFolder(t *testing.T, all []store.Condition, among []string, oracle store.Reader) bool {
	docs := Documents(t, oracle)
	for _, h := range slices.Concat(all...) {
		in := func(d store.Document) bool {
			return slices.Contains(among, d.Name()) && satisfies(d, store.Condition{h})
		}
		if h.In != "" && !slices.ContainsFunc(docs, in) {
			return true
		}
	}
	return false
}

// wantFound checks that look-ups find the named documents and no others.
func wantFound(t *testing.T, r store.Reader, want []string) {
	t.Helper()
	ids := map[store.DocID]bool{}
	note := func(h store.Hit) error {
		for _, p := range h.Postings {
			ids[p.Doc] = true
		}
		return nil
	}
	for i, lookup := range []func() error{
		func() error { return r.Lookup(t.Context(), 5, []store.Hash{0, 1, 2, 3, 4, 5, 6}, store.Limits{}, note) },
		func() error { return r.LookupPairs(t.Context(), []store.Hash{0, 1, 2, 3, 4}, store.Limits{}, note) },
	} {
		clear(ids)
		if err := lookup(); err != nil {
			t.Errorf("look-up %d in a part = %v", i, err)
		}
		var missing int
		for _, name := range want {
			if !ids[store.IDOf("", name)] {
				missing++
			}
		}
		if len(ids) != len(want) || missing > 0 {
			t.Errorf("look-up %d in a part finds %d documents and misses %d of %d", i, len(ids), missing, len(want))
		}
	}
}

// testAmongNames: a condition that may also be the name of a document is left to the
// caller, and so is a folder that has no documents.
func testAmongNames(t *testing.T, s store.Sifter) {
	some := store.Condition{{Name: "format", Values: []store.Value{{Value: "text", Documents: 15}}}}
	for _, tt := range []struct {
		name  string
		all   []store.Condition
		names []store.Naming
		found bool
	}{
		{"no such name", []store.Condition{some}, []store.Naming{{Text: "other/"}}, true},
		{"a name that begins so", []store.Condition{some}, []store.Naming{{Text: "texts/0"}}, false},
		{"a name that contains it", []store.Condition{some}, []store.Naming{{Text: "eses/20", Within: true}}, false},
		{"a name that contains it, not at the start", []store.Condition{some}, []store.Naming{{Text: "eses/20"}}, true},
		{"an empty folder", []store.Condition{{{In: "other"}}}, nil, false},
		{"an empty folder beside a condition", []store.Condition{append(store.Condition{{In: "other"}}, some...)}, nil, false},
	} {
		part, err := s.Among(t.Context(), tt.all, tt.names)
		if found := part != nil; err != nil || found != tt.found {
			t.Errorf("%s: Among returns a reader: %v, %v, want %v", tt.name, found, err, tt.found)
		}
	}
}

func testOf(t *testing.T, s store.Sifter, oracle store.Reader) {
	ids, want := map[store.DocID]bool{}, []string(nil)
	for i, d := range Documents(t, oracle) {
		if i%3 == 0 {
			ids[d.ID], want = true, append(want, d.Name())
		}
	}
	r := s.Of(ids)
	wantFound(t, r, want)
	if err := r.Close(); err != nil {
		t.Errorf("Close of a part = %v", err)
	}
	wantFound(t, s, names(Documents(t, oracle)))
}

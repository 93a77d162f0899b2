package union_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/union"
)

// index returns a store with these 3-grams, by path.
func index(t *testing.T, docs map[string][]store.Hash) store.Reader {
	t.Helper()
	s := memory.New(store.Settings{KeepTexts: true})
	for path, hashes := range docs {
		grams := []store.Grams{{N: 3, Hashes: func(yield func([]store.Hash) bool) { yield(hashes) }}}
		if err := s.Add(t.Context(), store.Document{Path: path}, "text of "+path, grams, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func hits(t *testing.T, r store.Reader, hashes []store.Hash, limits store.Limits) []store.Hit {
	t.Helper()
	var list []store.Hit
	err := r.Lookup(t.Context(), 3, hashes, limits, func(h store.Hit) error {
		h.Postings = slices.Clone(h.Postings)
		list = append(list, h)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// renamed returns hits with names in place of ids.
func renamed(list []store.Hit, names map[store.DocID]string) []string {
	var out []string
	for _, h := range list {
		var at []string
		for _, p := range h.Postings {
			at = append(at, fmt.Sprint(names[p.Doc], " ", p.Pos))
		}
		slices.Sort(at)
		out = append(out, fmt.Sprint(h.Hash, h.Common, at))
	}
	return out
}

// TestLookupIsThatOfOneIndex compares look-ups with those in one index of all documents.
func TestLookupIsThatOfOneIndex(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range need.Seeds(50) {
		large, small, both := map[string][]store.Hash{}, map[string][]store.Hash{}, map[string][]store.Hash{}
		names := map[store.DocID]string{}
		for i := range 8 {
			var hashes []store.Hash
			for range random.IntN(900) {
				hashes = append(hashes, store.Hash(random.IntN(3000)))
			}
			path := fmt.Sprint("doc", i)
			both[path] = hashes
			names[store.IDOf("", path)] = path
			if i%2 == 0 {
				large[path] = hashes
			} else {
				small[path] = hashes
			}
		}
		u, err := union.New(t.Context(), index(t, large), index(t, small))
		if err != nil {
			t.Fatal(err)
		}
		for path := range small {
			names[u.ID(store.IDOf("", path))] = path
		}
		asked := make([]store.Hash, 3000)
		for i := range asked {
			asked[i] = store.Hash(i)
		}
		for _, limits := range []store.Limits{{}, {Docs: 3}, {Positions: 1}} {
			got, want := renamed(hits(t, u, asked, limits), names), renamed(hits(t, index(t, both), asked, limits), names)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("with %+v got %d hits that differ from the %d wanted:\n%v\n%v", limits, len(got), len(want), got, want)
			}
		}
		for _, h := range hits(t, u, asked, store.Limits{}) {
			if !slices.IsSortedFunc(h.Postings, func(a, b store.Posting) int {
				if a.Doc != b.Doc {
					if a.Doc < b.Doc {
						return -1
					}
					return 1
				}
				return int(a.Pos) - int(b.Pos)
			}) {
				t.Fatalf("postings are not in order: %v", h.Postings)
			}
		}
	}
}

// TestOneNameInBoth: each index keeps its own document.
func TestOneNameInBoth(t *testing.T) {
	large, small := index(t, map[string][]store.Hash{"a": {1, 2}, "c": {3}}), index(t, map[string][]store.Hash{"a": {2}, "b": {9}})
	u, err := union.New(t.Context(), large, small)
	if err != nil {
		t.Fatal(err)
	}
	id := store.IDOf("", "a")
	for _, tt := range []struct {
		id    store.DocID
		grams int64
	}{{id, 2}, {u.ID(id), 1}} {
		d, err := store.Entry(t.Context(), u, tt.id)
		if grams, _ := d.Grams(3); err != nil || d.ID != tt.id || grams != tt.grams {
			t.Errorf("Document(%v) = %+v, %v, want %d n-grams", tt.id, d, err, tt.grams)
		}
		if text, err := store.TextOf(t.Context(), u, tt.id); err != nil || text != "text of a" {
			t.Errorf("Text(%v) = %q, %v", tt.id, text, err)
		}
	}
	ids := []store.DocID{u.ID(store.IDOf("", "b")), store.IDOf("", "c"), id, u.ID(id)}
	var got []string
	err = u.Entries(t.Context(), ids, func(d store.Document) error {
		got = append(got, fmt.Sprint(slices.Index(ids, d.ID), d.Name()))
		return nil
	})
	if err = errors.Join(err, u.Texts(t.Context(), ids, func(i int, text string, err error) error {
		got = append(got, fmt.Sprint(i, text))
		return err
	})); err != nil {
		t.Error(err)
	}
	if want := []string{"0b", "1c", "2a", "3a", "0text of b", "1text of c", "2text of a", "3text of a"}; !slices.Equal(got, want) {
		t.Errorf("Entries and Texts give %q, want %q", got, want)
	}
	var names []string
	if err := u.Documents(t.Context(), "", func(d store.Document) error { names = append(names, d.Name()); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "a", "b", "c"}; !slices.Equal(names, want) {
		t.Errorf("Documents gives %v, want %v", names, want)
	}
	if _, err := store.Entry(t.Context(), u, 42); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Document(42) = %v, want an error wrapping ErrNotFound", err)
	}
	if info, err := u.Info(t.Context()); err != nil || info.Documents != 2 {
		t.Errorf("Info = %+v, %v, want the 2 documents of the large index", info, err)
	}
}

// TestErrorsStopTheLookup: an error of fn, at any hit, and one of the small index.
func TestErrorsStopTheLookup(t *testing.T) {
	stop := errors.New("stop")
	u, err := union.New(t.Context(), index(t, map[string][]store.Hash{"a": {2, 4}}), index(t, map[string][]store.Hash{"b": {1, 2, 5}}))
	if err != nil {
		t.Fatal(err)
	}
	for last := range 4 {
		calls := 0
		err := u.Lookup(t.Context(), 3, []store.Hash{1, 2, 3, 4, 5}, store.Limits{}, func(store.Hit) error {
			if calls++; calls == last+1 {
				return stop
			}
			return nil
		})
		if err != stop || calls != last+1 {
			t.Errorf("Lookup with an error at hit %d = %v after %d calls", last, err, calls)
		}
	}
	broken, err := union.New(t.Context(), index(t, nil), failing{index(t, nil), stop})
	if err != nil {
		t.Fatal(err)
	}
	if err := broken.Lookup(t.Context(), 3, []store.Hash{1}, store.Limits{}, func(store.Hit) error { return nil }); !errors.Is(err, stop) {
		t.Errorf("Lookup in a broken index = %v, want its error", err)
	}
}

// TestLeftOut: a document is left out of both indexes if neither has it.
func TestLeftOut(t *testing.T) {
	with := func(copies ...store.Document) store.Reader {
		s := memory.New(store.Settings{})
		for _, d := range copies {
			if err := s.Add(t.Context(), d, "", nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	large := with(store.Document{Path: "/a", Copies: []string{"/b", "/c"}}, store.Document{Path: "/d"})
	small := with(store.Document{Path: "/b", Copies: []string{"/d", "/e"}})
	r, err := union.New(t.Context(), large, small)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.LeftOut(t.Context())
	want := map[store.DocID]bool{store.IDOf("", "/c"): true, store.IDOf("", "/e"): true}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("LeftOut() = %v, %v, want %v", got, err, want)
	}
}

// TestDocumentsIn: documents of both indexes are listed in ascending order of names.
func TestDocumentsIn(t *testing.T) {
	r, err := union.New(t.Context(), index(t, map[string][]store.Hash{"/a": nil, "/ab/1": nil, "/ab/3": nil, "/b": nil}),
		index(t, map[string][]store.Hash{"/ab/2": nil, "/ab/3": nil, "/c": nil}))
	if err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string]string{
		"": "[/a /ab/1 /ab/2 /ab/3 /ab/3 /b /c]", "/ab/": "[/ab/1 /ab/2 /ab/3 /ab/3]", "/c": "[/c]", "/d": "[]",
	} {
		var got []string
		if err := r.Documents(t.Context(), prefix, func(d store.Document) error { got = append(got, d.Name()); return nil }); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("Documents(%q) = %v, want %v", prefix, got, want)
		}
	}
}

// failing is an index whose look-ups fail.
type failing struct {
	store.Reader
	err error
}

func (f failing) Lookup(context.Context, int, []store.Hash, store.Limits, func(store.Hit) error) error {
	return f.err
}

// TestJoin: several indexes are read as one index of all documents, with the sum of their figures.
func TestJoin(t *testing.T) {
	all := map[string][]store.Hash{"a": {1, 2}, "b": {2, 9}, "c": {3}, "d": {2, 3}}
	var parts []store.Reader
	names := map[store.DocID]string{}
	for _, path := range []string{"a", "b", "c", "d"} {
		parts = append(parts, index(t, map[string][]store.Hash{path: all[path]}))
		names[store.IDOf("", path)] = path
	}
	one := index(t, all)
	joined, of, err := union.Join(t.Context(), parts...)
	if err != nil {
		t.Fatal(err)
	}
	named := map[store.DocID]string{}
	if err := joined.Documents(t.Context(), "", func(d store.Document) error {
		named[d.ID] = d.Path
		if !of[d.Path[0]-'a'][d.ID] {
			t.Errorf("document %s has the id %s, which is not among those of its index", d.Path, d.ID)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	asked := []store.Hash{1, 2, 3, 4, 9}
	for _, limits := range []store.Limits{{}, {Docs: 2}} {
		if got, want := renamed(hits(t, joined, asked, limits), named), renamed(hits(t, one, asked, limits), names); !reflect.DeepEqual(got, want) {
			t.Errorf("with %+v got %v, want %v", limits, got, want)
		}
	}
	got, err := joined.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, err := one.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Documents != want.Documents || got.TextBytes != want.TextBytes || !reflect.DeepEqual(got.Sizes, want.Sizes) || got.Pairs != want.Pairs {
		t.Errorf("Info = %+v, want the figures of %+v", got, want)
	}
	other := memory.New(store.Settings{Normalization: map[string]string{"sample": "12"}})
	if _, _, err := union.Join(t.Context(), one, other); !errors.Is(err, union.ErrSettings) {
		t.Errorf("Join of indexes with different settings: %v, want ErrSettings", err)
	}
}

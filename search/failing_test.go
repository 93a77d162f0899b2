package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

var errBroken = errors.New("broken")

// failing is an index of which one call fails: before it says anything, or after it
// has said all.
type failing struct {
	store.Reader
	left *atomic.Int64 // calls until then
	late bool
}

// try makes a call, or fails.
func (f failing) try(call func() error) error {
	fails := f.left.Add(-1) == 0
	if fails && !f.late {
		return errBroken
	}
	if err := call(); err != nil || !fails {
		return err
	}
	return errBroken
}

func (f failing) Info(ctx context.Context) (info store.Info, err error) {
	err = f.try(func() (err error) { info, err = f.Reader.Info(ctx); return err })
	return info, err
}

func (f failing) Entries(ctx context.Context, ids []store.DocID, fn func(store.Document) error) error {
	return f.try(func() error { return f.Reader.Entries(ctx, ids, fn) })
}

func (f failing) Documents(ctx context.Context, prefix string, fn func(store.Document) error) error {
	return f.try(func() error { return f.Reader.Documents(ctx, prefix, fn) })
}

func (f failing) Texts(ctx context.Context, ids []store.DocID, fn func(int, string, error) error) error {
	return f.try(func() error { return f.Reader.Texts(ctx, ids, fn) })
}

func (f failing) Pieces(ctx context.Context, ids []store.DocID, choose func(int, *store.Marks) ([]store.Piece, error), fn func(int, []string, error) error) error {
	return f.try(func() error { return f.Reader.Pieces(ctx, ids, choose, fn) })
}

func (f failing) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	return f.try(func() error { return f.Reader.Lookup(ctx, n, hashes, limits, fn) })
}

func (f failing) LookupPairs(ctx context.Context, pairs []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	return f.try(func() error { return f.Reader.LookupPairs(ctx, pairs, limits, fn) })
}

func (f failing) NearPairs(_ context.Context, q store.PairQuery) (store.PairFinder, error) {
	return store.PairsOf(f, q), nil
}

// TestAnyErrorOfTheIndexEndsTheCheck: whichever call fails, there is no result, since
// one that lacks what could not be read would look like any other.
func TestAnyErrorOfTheIndexEndsTheCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	set := normSet(t, normalize.Auto)
	words, other := madeUp(r, 500), madeUp(r, 500)
	doc := &document.Document{Path: "suspect.txt", Ext: "txt", Format: "text", Text: strings.Join(slices.Concat(words[:60], madeUp(r, 80), reworded(r, other[200:302])), " ")}
	var again int
	for _, tt := range []struct {
		name    string
		sample  string
		sizes   []int
		wrapped func(store.Reader) store.Reader
		opts    Options
	}{
		{"an index with marks", "", []int{4}, nil, Options{N: 4}},
		{"an index of an older program", "", []int{4}, func(r store.Reader) store.Reader { return unmarked{r, &again} }, Options{N: 4}},
		{"an index in a cluster", "", []int{4}, func(r store.Reader) store.Reader { return reduced{r} }, Options{N: 4}},
		{"an index of a sample", "16", []int{4}, nil, Options{N: 4}},
		{"all aligned", "", []int{4}, nil, Options{N: 4, AlignAll: true}},
		{"exact passages", "", []int{4}, nil, Options{N: 4, Exact: true}},
		{"several sizes", "", []int{4, 6}, nil, Options{N: 4}},
	} {
		s := memory.New(store.Settings{KeepTexts: true, Normalization: map[string]string{store.SampleSetting: tt.sample}})
		if tt.sample == "" {
			s = memory.New(store.Settings{KeepTexts: true})
		}
		for i, list := range [][]string{words, other} {
			source := &document.Document{Path: fmt.Sprint("/", i), Ext: "txt", Format: "text", Text: strings.Join(list, " ")}
			if err := indexer.Add(t.Context(), s, source.Path, source, indexer.Options{N: tt.sizes[i%len(tt.sizes)], Norms: set, Pairs: true}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, late := range []bool{false, true} {
			for calls := int64(1); ; calls++ {
				f := failing{s, new(atomic.Int64), late}
				f.left.Store(calls)
				var reader store.Reader = f
				if tt.wrapped != nil {
					reader = tt.wrapped(f)
				}
				result, err := check(t.Context(), reader, set, tt.opts, doc)
				if f.left.Load() > 0 { // no call failed
					if err != nil || len(result.Passages) == 0 {
						t.Errorf("%s: %v, want passages", tt.name, err)
					}
					break
				}
				if !errors.Is(err, errBroken) {
					t.Errorf("%s, call %d fails (late: %v): error %v, want the one of the index", tt.name, calls, late, err)
				}
			}
		}
	}
}

// check searches, or returns what went wrong.
func check(ctx context.Context, reader store.Reader, set *normalize.Set, opts Options, doc *document.Document) (*Result, error) {
	s, err := New(ctx, reader, set, opts)
	if err != nil {
		return nil, err
	}
	return s.Search(ctx, doc)
}

// TestTextsAreReadAgain where the index keeps none, and passages have their places
// then; where that fails, the result says so.
func TestTextsAreReadAgain(t *testing.T) {
	set := normSet(t, normalize.Auto)
	s := index(t, set, 5, map[string]string{"/keeper": unrelated + "\n\n" + original})
	read := func(context.Context, store.Document) (string, error) { return unrelated + "\n\n" + original, nil }
	r := search(t, textless{s}, set, edited, Options{N: 5, Reread: read})
	if len(r.Passages) != 1 || r.Passages[0].Origin.End < len(unrelated) || len(r.Notes) > 0 || r.Sources[0].NoText {
		t.Errorf("passages %+v, notes %q; want one with its place, and none", r.Passages, r.Notes)
	}
	gone := func(context.Context, store.Document) (string, error) { return "", errBroken }
	r = search(t, textless{s}, set, edited, Options{N: 5, Reread: gone})
	want := "/keeper: its text is not kept, and its file cannot be read again: broken"
	if len(r.Notes) != 1 || r.Notes[0] != want || !r.Sources[0].NoText {
		t.Errorf("notes %q, want %q", r.Notes, want)
	}
}

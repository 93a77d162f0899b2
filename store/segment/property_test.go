package segment

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// TestRandomHistories applies the same random operations to an index and to the naive
// store, with reopening, merging and clearing between, and compares them.
func TestRandomHistories(t *testing.T) {
	steps := 60
	if testing.Short() {
		steps = 20
	}
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 9))
			h := history{
				t: t, rng: rng, dir: t.TempDir(), oracle: memory.New(settings),
				opts: Options{Workers: 1 + rng.IntN(3), Memory: []int64{1, 1 << 16, 1 << 24}[rng.IntN(3)]},
			}
			h.store = open(t, h.dir, h.opts)
			for range steps {
				h.step()
			}
			h.commit()
			h.compare()
		})
	}
}

// A history is one sequence of random steps.
type history struct {
	t      *testing.T
	rng    *rand.Rand
	dir    string
	opts   Options
	store  *Store
	oracle *memory.Store
	asked  []store.Hash
}

func (h *history) step() {
	switch p := h.rng.IntN(100); {
	case p < 60:
		h.add()
	case p < 75:
		h.delete()
	case p < 90:
		h.commit()
		h.compare()
	case p < 95:
		h.both(func(s store.Store) error { return s.Optimize(h.t.Context()) })
		h.compare()
	case p < 98:
		h.commit()
		h.reopen()
		h.compare()
	default:
		h.both(func(s store.Store) error { return s.Recreate(h.t.Context(), s.Settings()) })
		h.compare()
	}
}

func (h *history) both(do func(store.Store) error) {
	h.t.Helper()
	got, want := do(h.store), do(h.oracle)
	if (got == nil) != (want == nil) || errors.Is(got, store.ErrNotFound) != errors.Is(want, store.ErrNotFound) {
		h.t.Fatalf("got the error %v, want %v", got, want)
	}
}

func (h *history) add() {
	length := h.rng.IntN(300)
	if h.rng.IntN(10) == 0 {
		length *= 20
	}
	list := storetest.Hashes(h.rng, length)
	if h.rng.IntN(8) == 0 { // "la la la"
		for i := range list {
			list[i] = 99
		}
	}
	h.asked = sorted(append(h.asked, list...))
	doc := storetest.Doc(fmt.Sprint("/", h.rng.IntN(15)), fmt.Sprint("content ", h.rng.IntN(3)))
	g := []store.Grams{storetest.Grams(7, list...)}
	switch h.rng.IntN(3) {
	case 0:
		g[0].N = 5
	case 1:
		g = append(g, storetest.Grams(5, list[:length/2]...))
	}
	text := strings.Repeat(doc.Path+doc.Content, h.rng.IntN(1000))
	var pairs iter.Seq[[]store.Hash]
	if h.rng.IntN(4) > 0 {
		pairs = storetest.Pairs(storetest.PairsOf(list)...)
	}
	h.both(func(s store.Store) error { return s.Add(context.Background(), doc, text, g, pairs) })
}

func (h *history) delete() {
	id := store.IDOf("", fmt.Sprint("/", h.rng.IntN(15)))
	h.both(func(s store.Store) error { return s.Delete(context.Background(), id) })
}

func (h *history) commit() {
	h.t.Helper()
	h.both(func(s store.Store) error { return s.Commit(h.t.Context()) })
}

func (h *history) reopen() {
	if err := h.store.Close(); err != nil {
		h.t.Fatal(err)
	}
	h.store = open(h.t, h.dir, h.opts)
}

// compare compares the store, and a reader opened now, with the oracle.
func (h *history) compare() {
	h.t.Helper()
	wantClean(h.t, h.store)
	storetest.Compare(h.t, h.store, h.oracle, h.asked)
	want := dump(h.t, h.oracle, h.asked)
	r, err := Open(h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	defer r.Close()
	if got := dump(h.t, r, h.asked); got != want {
		h.t.Error("a reader does not see what the naive store has")
	}
	h.compareInfo()
	if h.t.Failed() {
		h.t.FailNow()
	}
}

func (h *history) compareInfo() {
	got, err := h.store.Info(h.t.Context())
	want, _ := h.oracle.Info(h.t.Context())
	for i := range got.Sizes {
		got.Sizes[i].Bytes = 0
	}
	got.Pairs.Bytes = 0
	if err != nil || got.Documents != want.Documents || got.TextBytes != want.TextBytes || fmt.Sprint(got.Sizes) != fmt.Sprint(want.Sizes) || got.Pairs != want.Pairs {
		h.t.Errorf("Info() = %+v, %v, want the documents, bytes and sizes of %+v", got, err, want)
	}
}

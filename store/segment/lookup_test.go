package segment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// manySegments returns an index of three segments, a store in memory with the same
// documents, and more hashes than one round looks up, a fifth of which are present.
func manySegments(t *testing.T) (*Store, store.Store, []store.Hash) {
	t.Helper()
	rng := rand.New(rand.NewPCG(10, 11))
	s, oracle := open(t, t.TempDir(), Options{Workers: 1}), memory.New(settings)
	var asked []store.Hash
	common := storetest.Hashes(rng, 30)
	for i := range 3 {
		for j := range 9 {
			list := append(storetest.Hashes(rng, 500), common[:j]...)
			if i > 0 {
				list = append(list, asked[:50]...) // those of another segment
			}
			for _, to := range []store.Store{s, oracle} {
				addDoc(t, to, fmt.Sprint("/", i, j), "", storetest.Grams(7, list...))
			}
			asked = append(asked, list...)
		}
		if err := s.commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		commit(t, oracle)
	}
	if got := len(s.snap.segments); got != 3 {
		t.Fatalf("%d segments, want 3", got)
	}
	for len(asked) < 2*roundLen {
		asked = append(asked, store.Hash(rng.Uint64()>>16))
	}
	return s, oracle, sorted(asked)
}

// TestLookupOfManyHashes: parallel batches in several segments and rounds find the same as
// the oracle, in the same order.
func TestLookupOfManyHashes(t *testing.T) {
	s, oracle, asked := manySegments(t)
	for _, limits := range []store.Limits{{}, {Docs: 3}, {Docs: 20, Positions: 1}} {
		got, want := hits(t, s, asked, limits), hits(t, oracle, asked, limits)
		if !slices.Equal(got, want) {
			t.Errorf("with %+v %d hits, want %d, or others", limits, len(got), len(want))
		}
	}
}

func hits(t *testing.T, r store.Reader, asked []store.Hash, limits store.Limits) (list []string) {
	t.Helper()
	err := r.Lookup(t.Context(), 7, asked, limits, func(h store.Hit) error {
		list = append(list, fmt.Sprint(h))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestLookupOfManyHashesStops on an error of fn and on a cancelled context.
func TestLookupOfManyHashesStops(t *testing.T) {
	s, _, asked := manySegments(t)
	stop, told := errors.New("stop"), 0
	err := s.Lookup(t.Context(), 7, asked, store.Limits{}, func(store.Hit) error { told++; return stop })
	if err != stop || told != 1 {
		t.Errorf("Lookup() = %v after %d hits, want what stopped it after 1", err, told)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	err = s.Lookup(ctx, 7, asked, store.Limits{}, func(store.Hit) error { cancel(stop); return nil })
	if err != stop {
		t.Errorf("Lookup() with a context that ends = %v, want its cause", err)
	}
}

// TestLookupOfManyHashesRefusesDamage in any batch.
func TestLookupOfManyHashesRefusesDamage(t *testing.T) {
	_, _, asked := manySegments(t)
	asked = asked[:roundLen]
	was := writeSegment(t, grams(asked), 1000)
	for i := batchLen - 1; i < len(asked); i += batchLen { // the first page is checked when it is opened
		data := slices.Clone([]byte(was.data))
		at, _ := was.filterAt(uint64(asked[i]))
		data[at] ^= 1
		changed, err := parse("changed", data)
		if err != nil {
			t.Fatal(err)
		}
		l := lookup{lines: []line{{view: &view{file: changed}}}}
		if err := l.round(t.Context(), asked); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("round() with a bit of the filter of hash %d changed = %v, want an error wrapping ErrDamaged", i, err)
		}
	}
}

// TestDocuments compares the set with a map.
func TestDocuments(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	var d documents
	for range 200 {
		d.clear()
		want := map[store.DocID]bool{}
		for range rng.IntN(60) {
			id := store.DocID(rng.IntN(1 + rng.IntN(40)))
			d.add(id)
			want[id] = true
			if d.count() != len(want) {
				t.Fatalf("count() = %d, want %d", d.count(), len(want))
			}
		}
	}
}

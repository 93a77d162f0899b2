package esclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otisk/otisk/store"
)

// TestPairBlock has the example that the description of the layout gives.
func TestPairBlock(t *testing.T) {
	const gen = 4294967297
	pairs := []store.Hash{1, 2, 1}
	places := placesOf(slices.Values([][]store.Hash{pairs}), placesAtOnce)
	var list []placed
	for i, h := range pairs {
		list = append(list, placed{h, places[i]})
	}
	got := string(appendPairs(nil, gen, 0, list))
	if want := `{"gen":4294967297,"no":0,"h":"!!!!!!& !!!!!!* !!!!!!("}`; got != want {
		t.Errorf("appendPairs = %s, want %s", got, want)
	}
}

// TestRepeatedPairs: a block repeats the end of the one before, and does not have the first
// place of an existing pair.
func TestRepeatedPairs(t *testing.T) {
	list := make([]placed, repeatedPairs+2)
	for i := range list {
		list[i].pair = store.Hash(i)
	}
	list[repeatedPairs+1] = placed{0, laterPlace}
	var b block
	if err := json.Unmarshal(appendPairs(nil, 1, 3, list), &b); err != nil {
		t.Fatal(err)
	}
	got, err := b.pairs(nil)
	if err != nil || got[0] != (placed{0, laterPlace}) || got[repeatedPairs] != (placed{repeatedPairs, firstPlace}) || got[repeatedPairs+1] != (placed{0, repeatPlace}) {
		t.Errorf("pairs = %v, %v", got, err)
	}
	if own, err := b.own(pairsN, nil); err != nil || !slices.Equal(own, []store.Hash{repeatedPairs, 0}) {
		t.Errorf("own pairs = %v, %v, want %d and 0", own, err, repeatedPairs)
	}
	if p := b.position(repeatedPairs); p != (3*stepPairs+repeatedPairs)/store.PairBlock {
		t.Errorf("position of the first own pair = %d", p)
	}
}

func TestDamagedPairs(t *testing.T) {
	for _, h := range []string{"", "A", "!!!!!!!&", "!!!!!!& ", "!!!!!!&\t!!!!!!&", "!!!!!A&", "}!!!!!!", ".!!!!!!&", "!!!!!!& !!!!!!", "Á!!!!!!"} {
		b := block{H: h}
		if list, err := b.pairs(nil); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("pairs of %q = %v, %v, want store.ErrDamaged", h, list, err)
		}
	}
	for _, no := range []int{-1, 1, maxBlocks + 1} { // block 1 has no pairs of its own
		b := block{No: no, H: "!!!!!!&"}
		if _, err := b.pairs(nil); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("pairs of block number %d = %v, want store.ErrDamaged", no, err)
		}
	}
}

// TestPlaces compares the places of pairs, counted in one turn and in several, with their
// definition.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 200 {
		pairs := make([]store.Hash, rng.IntN(400))
		for i := range pairs {
			pairs[i] = store.Hash(rng.IntN(1 + rng.IntN(60)))
		}
		want := make([]byte, len(pairs))
		positions := map[store.Hash][]int{}
		for i, h := range pairs {
			list := positions[h]
			if at := i / store.PairBlock; !slices.Contains(list, at) {
				list = append(list, at)
			}
			switch {
			case len(positions[h]) == 0:
				want[i] = firstPlace
			case len(list) > store.PairPlaces:
				want[i] = surplusPlace
			default:
				want[i] = laterPlace
			}
			positions[h] = list
		}
		for _, atOnce := range []int{1, 7, 1000} {
			if got := placesOf(slices.Values(slices.Collect(slices.Chunk(pairs, 33))), atOnce); string(got) != string(want) {
				t.Fatalf("places of %v, %d at once:\n%q, want\n%q", pairs, atOnce, got, want)
			}
		}
	}
}

// TestHeldPairs: many pairs are not read into memory.
func TestHeldPairs(t *testing.T) {
	times := 0
	source := func(yield func([]store.Hash) bool) {
		times++
		_ = yield([]store.Hash{1, 2}) && yield([]store.Hash{3})
	}
	for _, most := range []int{2, 3} {
		times = 0
		held := heldPairs(source, most)
		for range 3 {
			if got := fmt.Sprint(slices.Concat(slices.Collect(held)...)); got != "[1 2 3]" {
				t.Errorf("at most %d: %s", most, got)
			}
		}
		if inMemory := times == 1; inMemory != (most == 3) {
			t.Errorf("at most %d: the source is read %d times", most, times)
		}
	}
}

// TestEarlierLayouts: indices of layouts from before the first release are outdated, others have
// another format.
func TestEarlierLayouts(t *testing.T) {
	for _, tt := range []struct {
		layout, block int
		outdated      bool
	}{
		{0, 256, true}, {1, 16, true}, {1, 256, true}, {layoutVersion + 1, 256, false}, {layoutVersion, 512, false}, {layoutVersion, 0, false},
	} {
		for _, part := range []string{pairsPart, "7gram"} {
			var info indexInfo
			info.Mappings.Meta.Otisk = &meta{Layout: tt.layout, Part: part, Block: tt.block}
			_, err := info.ours("a-"+part+"-1", part)
			if !errors.Is(err, store.ErrFormat) || errors.Is(err, ErrOutdated) != tt.outdated {
				t.Errorf("%s of layout %d with blocks of %d: %v, want store.ErrFormat, and ErrOutdated: %v", part, tt.layout, tt.block, err, tt.outdated)
			}
		}
	}
}

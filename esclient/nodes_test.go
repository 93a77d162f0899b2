package esclient_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/internal/testing/esnode"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// testKilledNodes kills a node while documents are added and another one while
// many look-ups are made, at random moments, ten times, and expects neither to notice.
func testKilledNodes(t *testing.T, c *esnode.Cluster) {
	oracle := memory.New(storetest.Settings())
	if err := fillCrash(oracle); err != nil {
		t.Fatal(err)
	}
	for round := range 10 {
		begin := time.Now()
		cfg := config(t, c.URLs()...)
		cfg.Shards, cfg.Replicas = 3, 1
		s := create(t, cfg)
		killed := disturb(t, c, func() {
			if err := fillCrash(s); err != nil {
				t.Fatalf("index while node %d is killed: %v", round, err)
			}
		})
		indexed := time.Since(begin)
		r := open(t, cfg)
		searched := disturb(t, c, func() { searchMany(t, r, oracle) })
		storetest.Compare(t, open(t, cfg), oracle, someHashes(rand.New(rand.NewPCG(1, 1))))
		verify(t, s)
		if err := s.Optimize(t.Context()); err != nil {
			t.Fatal(err)
		}
		noGarbage(t, cfg, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("round %d: %s while indexing, which took %v; %s while searching, %v in all", round, killed,
			indexed.Round(time.Second), searched, time.Since(begin).Round(time.Second))
	}
}

// disturb runs do, kills some node in the middle of it, starts it again, and
// returns when it has rejoined.
func disturb(t *testing.T, c *esnode.Cluster, do func()) string {
	t.Helper()
	victim, after := rand.IntN(3), time.Duration(rand.IntN(3000))*time.Millisecond
	errs := make(chan error)
	go func() {
		time.Sleep(after)
		err := c.Kill(victim)
		if err == nil {
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Millisecond)
			err = c.Restart(victim)
		}
		errs <- err
	}()
	do()
	if err := <-errs; err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("node %d killed after %v", victim, after)
}

// searchMany makes look-ups for some seconds and compares each answer.
func searchMany(t *testing.T, r *esclient.Reader, oracle store.Reader) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	limits := store.Limits{Docs: 20, Positions: 5}
	count := 0
	for end := time.Now().Add(6 * time.Second); time.Now().Before(end); count++ {
		hashes := someHashes(rng)
		got, want := storetest.Lookup(t, r, 7, limits, hashes...), storetest.Lookup(t, oracle, 7, limits, hashes...)
		if !slices.Equal(got, want) {
			t.Fatalf("look-up %d differs: %d lines, want %d", count, len(got), len(want))
		}
		pairs := storetest.PairsOf(hashes)
		slices.Sort(pairs)
		got, want = storetest.LookupPairs(t, r, limits, pairs...), storetest.LookupPairs(t, oracle, limits, pairs...)
		if !slices.Equal(got, want) {
			t.Fatalf("look-up %d of pairs differs: %d lines, want %d", count, len(got), len(want))
		}
	}
}

// someHashes returns some hashes of the index, and some that it lacks.
func someHashes(rng *rand.Rand) []store.Hash {
	var list []store.Hash
	for range 10 {
		list = append(list, crashHashes(rng.IntN(crashDocs))[:50]...)
		list = append(list, store.Hash(rng.Uint64()>>16))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

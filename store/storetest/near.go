package storetest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// nearTests concern pairs near each other.
var nearTests = []test{{"NearPairsAreFound", testNear}}

func testNear(t *testing.T, s store.Store) {
	oracle := memory.New(Settings())
	rng := rand.New(rand.NewPCG(27, 1))
	for range 2 {
		seed := rng.Uint64()
		for _, x := range []store.Store{s, oracle} {
			FillNear(t, x, seed)
		}
		CompareNear(t, s, oracle, seed)
	}
}

// nearDocuments is how many documents FillNear adds.
const nearDocuments = 12

// FillNear adds and replaces documents whose pairs are near each other, deletes some, and
// commits. The same seed gives the same documents.
func FillNear(t *testing.T, s store.Store, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range nearDocuments {
		doc := Doc(fmt.Sprint("/near", i), fmt.Sprint(seed, i))
		if i == 7 && rng.IntN(2) == 0 {
			if err := s.Delete(t.Context(), store.IDOf("", "/near3")); err != nil {
				t.Fatalf("Delete = %v", err)
			}
		}
		addPairs(t, s, doc, nil, nearPairs(rng)...)
	}
	commit(t, s)
}

// rarePairs are the pairs that suspects have.
const rarePairs = 60

// nearPairs returns the pairs of a document: pairs that no suspect has and, in groups, some
// that suspects have. Groups are often at the borders of blocks of 64, and some pairs have more
// places than count.
func nearPairs(rng *rand.Rand) []store.Hash {
	list := make([]store.Hash, 1+rng.IntN(1100))
	for i := range list {
		list[i] = store.Hash(1_000_000 + rng.IntN(1<<30))
	}
	for range 1 + rng.IntN(8) {
		at := 64*rng.IntN(len(list)/64+1) + rng.IntN(80) - 60
		if rng.IntN(3) == 0 {
			at = rng.IntN(len(list))
		}
		for range 2 + rng.IntN(5) {
			if place := at + rng.IntN(90); place >= 0 && place < len(list) {
				list[place] = store.Hash(rng.IntN(rarePairs))
			}
		}
	}
	return list
}

// nearQuery returns a query with some stretches whose pairs are near each other in groups, often
// at the borders of hundreds of words.
func nearQuery(rng *rand.Rand) store.PairQuery {
	q := store.PairQuery{
		Docs: 4 + rng.IntN(10), Least: float64(4 + rng.IntN(16)),
		Weight: func(documents int) float64 { return math.Log(3000 / float64(documents)) },
	}
	for range 1 + rng.IntN(3) {
		var sites []store.PairSite
		from := rng.IntN(3) * 8000
		for range 1 + rng.IntN(12) {
			at := from + 100*rng.IntN(12) + rng.IntN(130) - 60
			for range 1 + rng.IntN(8) {
				sites = append(sites, store.PairSite{Pair: store.Hash(rng.IntN(rarePairs)), Word: int32(max(0, at+rng.IntN(110)))})
			}
		}
		sites = append(sites, store.PairSite{Pair: 1 << 40, Word: int32(from)}) // no pair has it
		slices.SortFunc(sites, func(a, b store.PairSite) int {
			return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.Pair, b.Pair))
		})
		q.Stretches = append(q.Stretches, slices.Compact(sites))
	}
	return q
}

// CompareNear fails the test if r lacks hits that NearPairs has to return, or has others than
// the oracle, both filled by FillNear with this seed.
func CompareNear(t *testing.T, r, oracle store.Reader, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	reached, others := 0, 0
	for range 25 {
		q := nearQuery(rng)
		lower, least := nearScores(rng), nearScores(rng)
		if rng.IntN(3) > 0 {
			q.Lower = func(context.Context) (map[store.DocID]float64, error) { return lower, nil }
		} else {
			clear(lower)
		}
		got, err := r.NearPairs(t.Context(), q)
		if err != nil {
			t.Fatalf("NearPairs = %v", err)
		}
		around, err := got.Around(t.Context(), least)
		if err != nil {
			t.Fatalf("Around = %v", err)
		}
		want := store.PairsOf(oracle, q)
		for i := range q.Stretches {
			all, err := want.Near(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			near, err := got.Near(t.Context(), i)
			if err != nil {
				t.Fatalf("Near = %v", err)
			}
			n, m := compareHits(t, near, all, func(doc store.DocID) float64 {
				if score, ok := lower[doc]; ok {
					return min(score, q.Least)
				}
				return q.Least
			})
			reached, others = reached+n, others+m
			n, _ = compareHits(t, around[i], all, func(doc store.DocID) float64 {
				if score, ok := least[doc]; ok {
					return score
				}
				return math.Inf(1)
			})
			reached += n
		}
	}
	if reached < 200 || others < 200 {
		t.Errorf("%d hits reach the score and %d do not, too few to tell", reached, others)
	}
}

// nearScores returns scores for some of the documents that FillNear adds and never deletes.
func nearScores(rng *rand.Rand) map[store.DocID]float64 {
	scores := map[store.DocID]float64{}
	for i := range nearDocuments {
		if rng.IntN(3) == 0 && i != 3 {
			scores[store.IDOf("", fmt.Sprint("/near", i))] = 3 + 12*rng.Float64()
		}
	}
	return scores
}

// compareHits compares the hits of one stretch with all that there are, and counts those of all
// that reach the score of their document and those that do not.
func compareHits(t *testing.T, got, all map[store.DocID][]store.PairHit, least func(store.DocID) float64) (reached, others int) {
	t.Helper()
	has := map[store.DocID]map[store.PairHit]bool{}
	for doc, list := range got {
		has[doc] = map[store.PairHit]bool{}
		for _, h := range list {
			if has[doc][h] {
				t.Errorf("hit %+v of document %v is there twice", h, doc)
			}
			if has[doc][h] = true; !slices.Contains(all[doc], h) {
				t.Errorf("hit %+v of document %v is none of %+v", h, doc, all[doc])
			}
		}
	}
	for doc, list := range all {
		for _, at := range list {
			near := nearOf(list, at)
			if score(near) < least(doc) {
				others++
				continue
			}
			reached++
			for _, h := range near {
				if !has[doc][h] {
					t.Errorf("document %v lacks hit %+v near %+v, whose score is %.2f, at least %.2f", doc, h, at, score(near), least(doc))
				}
			}
		}
	}
	return reached, others
}

// nearOf returns the hits of list that are near at.
func nearOf(list []store.PairHit, at store.PairHit) (near []store.PairHit) {
	for _, h := range list {
		if max(h.Word-at.Word, at.Word-h.Word) <= store.NearWords && max(h.Block-at.Block, at.Block-h.Block) <= store.NearBlocks {
			near = append(near, h)
		}
	}
	return near
}

// score returns the sum of the weights of the different pairs of hits.
func score(hits []store.PairHit) (sum float64) {
	seen := map[int32]bool{}
	for _, h := range hits {
		if !seen[h.Pair] {
			seen[h.Pair] = true
			sum += h.Value
		}
	}
	return sum
}

package hint

import (
	"math/rand/v2"
	"testing"
)

// TestBest: of units whose words are frequent or rare, the most similar one is found as by computing each cosine, and no cosine below
// the value that was asked for.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	const known, forms = 40, 60
	some := func(forms int) (list []unit) {
		for range 4 + r.IntN(12) {
			var words []int32
			for range 2 + r.IntN(25) {
				words = append(words, int32(float64(forms)*r.Float64()*r.Float64()*r.Float64()))
			}
			list = append(list, unit{terms: termsOf(words)})
		}
		return list
	}
	found := 0
	for range 300 {
		ours, theirs := some(known), some(forms)
		df := make([]int32, forms)
		for _, list := range [][]unit{ours, theirs} {
			for _, u := range list {
				for _, x := range u.terms {
					df[x.form]++
				}
			}
		}
		c := newCosines(ours, theirs, known, df)
		least := r.Float64()
		for i := range ours {
			want, most := 0, 0.0
			for j := range theirs {
				if value := c.at(i, j); value > most {
					want, most = j, value
				}
			}
			j, cosine, ok := c.best(i, least)
			if ok != (most >= least) || ok && (j != want || cosine != most) {
				t.Fatalf("unit %d of %d, at least %v: unit %d of the source with %v, %v; want %d with %v", i, len(ours), least, j, cosine, ok, want, most)
			}
			if ok {
				found++
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d units were found", found)
	}
}

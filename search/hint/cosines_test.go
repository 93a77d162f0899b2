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
	some := func(most, forms, units int) (p inverted) {
		p.forms = make([]seen, forms)
		for range units {
			u := unit{first: len(p.terms)}
			for range 2 + r.IntN(25) {
				p.add(&u, int32(float64(most)*r.Float64()*r.Float64()*r.Float64()))
			}
			u.last = len(p.terms)
			p.units = append(p.units, u)
		}
		p.invert()
		return p
	}
	found := 0
	var c cosines
	for range 300 {
		ours, theirs := some(known, known, 4+r.IntN(12)), some(forms, forms, 4+r.IntN(12))
		c.set(&ours, &theirs.paragraphs)
		least := r.Float64()
		best, err := c.best(t.Context(), least)
		if err != nil {
			t.Fatal(err)
		}
		for i := range ours.units {
			want, most := 0, 0.0
			for j := range theirs.units {
				if value := c.at(i, j); value > most {
					want, most = j, value
				}
			}
			j, cosine := best[i].unit, best[i].cosine
			ok := cosine > 0
			if ok != (most >= least) || ok && (j != want || cosine != most) {
				t.Fatalf("unit %d of %d, at least %v: unit %d of the source with %v; want %d with %v", i, len(ours.units), least, j, cosine, want, most)
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

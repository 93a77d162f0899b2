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
	some := func(most, forms, units int) *paragraphs {
		p := &paragraphs{units: make([]unit, units)}
		for i := range p.units {
			p.units[i].compared = 2 + r.IntN(25)
			for range p.units[i].compared {
				p.words = append(p.words, int32(float64(most)*r.Float64()*r.Float64()*r.Float64()))
			}
		}
		p.index(forms)
		p.fill()
		return p
	}
	found := 0
	var c cosines
	for n := range 300 {
		ours, theirs := some(known, known, 4+r.IntN(12)), some(forms, forms, 4+r.IntN(12))
		if n == 0 { // several blocks
			ours, theirs = some(known, known, 380), some(forms, forms, 400)
		}
		c.set(ours, theirs)
		least := r.Float64()
		for i := range ours.units {
			want, most := 0, 0.0
			for j := range theirs.units {
				if value := c.at(i, j); value > most {
					want, most = j, value
				}
			}
			j, cosine, ok := c.best(i, least)
			if ok != (most >= least) || ok && (j != want || cosine != most) {
				t.Fatalf("unit %d of %d, at least %v: unit %d of the source with %v, %v; want %d with %v", i, len(ours.units), least, j, cosine, ok, want, most)
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

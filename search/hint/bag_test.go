package hint

import (
	"math"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
)

// bagOf returns the bag of a text of words between spaces, which is in two parts.
func bagOf(text string) *Bag {
	var words []normalize.Word
	for _, w := range strings.Fields(text) {
		words = append(words, normalize.Word{Text: w})
	}
	return BagOf(words[:len(words)/2], words[len(words)/2:])
}

// TestCosines: cosines of whole texts are those of vectors of maps.
func TestCosines(t *testing.T) {
	texts := []string{
		"storks nest on the mill and the storks fly south " + strings.Repeat("storks ", 300),
		"the mill of the storks", "nothing in common here", "17 of 18", "", "storks nest on the mill and the storks fly south " + strings.Repeat("storks ", 300),
	}
	vector := func(text string) map[string]float64 {
		v := map[string]float64{}
		for _, w := range strings.Fields(text) {
			if f := form(w); f != "" {
				v[f]++
			}
		}
		df := map[string]float64{}
		for _, other := range texts {
			seen := map[string]bool{}
			for _, w := range strings.Fields(other) {
				if f := form(w); !seen[f] {
					seen[f] = true
					df[f]++
				}
			}
		}
		for f, n := range v {
			v[f] = (1 + math.Log(n)) * math.Log(1+float64(len(texts))/df[f])
		}
		return v
	}
	dot := func(a, b map[string]float64) (sum float64) {
		for f := range a {
			sum += a[f] * b[f]
		}
		return sum
	}
	var others []*Bag
	for _, text := range texts[1:] {
		others = append(others, bagOf(text))
	}
	a := vector(texts[0])
	for i, got := range Cosines(bagOf(texts[0]), others) {
		b := vector(texts[i+1])
		want := dot(a, b)
		if want > 0 {
			want /= math.Sqrt(dot(a, a) * dot(b, b))
		}
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("cosine of %.30q and %.30q = %v, want %v", texts[0], texts[i+1], got, want)
		}
	}
	if got := Cosines(bagOf(""), others[:1]); got[0] != 0 {
		t.Errorf("cosine of an empty text = %v, want 0", got)
	}
}

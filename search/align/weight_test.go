package align

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestWeightsAreTheNaiveOnes: the rarer a word in the two texts together, the more
// it weighs, between 0 and 1; short texts count as longer ones.
func TestWeightsAreTheNaiveOnes(t *testing.T) {
	var list []string
	for times := 1; times <= 90; times++ {
		for range times {
			list = append(list, fmt.Sprintf("%c%cword", 'a'+times%26, 'a'+times/26))
		}
	}
	text := strings.Join(list, " ")
	for _, least := range []int{0, 2*len(list) - 1, 2 * len(list), 2*len(list) + 1, 100_000, 5_000_000} {
		params := DefaultParams()
		params.LeastWords = least
		p := newPair(&params, prepare(t, text), prepare(t, strings.Join(list[len(list)/2:], " ")))
		all := float64(max(least, p.a.Len()+p.b.Len()))
		for _, k := range p.used {
			n := float64(p.ofA[k] + p.ofB[k])
			want := min(1, max(0, math.Log(0.02*all/n)/math.Log(1000)))
			if got := p.weight[k]; got != want {
				t.Fatalf("in %v words, a word %v times weighs %v, want %v", all, n, got, want)
			}
		}
		p.release()
	}
}

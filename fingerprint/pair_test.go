package fingerprint

import (
	"slices"
	"strings"
	"testing"
)

// pairsOf returns the pairs of a text of words between spaces.
func pairsOf(text string) []Pair {
	var p Pairer
	var list []Pair
	for _, w := range strings.Fields(text) {
		if pair, ok := p.Add([]byte(w)); ok {
			list = append(list, pair)
		}
	}
	return list
}

// naivePairs is the definition: all forms of the words that count, and the hash
// of each with the next unless they are equal.
func naivePairs(text string) []Pair {
	var forms []string
	for _, w := range strings.Fields(text) {
		if r := []rune(w); len(w) >= 5 {
			if least, most := formLetters(w[0]); len(r) >= least {
				forms = append(forms, string(r[:min(most, len(r))]))
			}
		}
	}
	var list []Pair
	for i := 1; i < len(forms); i++ {
		a, b := min(forms[i-1], forms[i]), max(forms[i-1], forms[i])
		if a != b {
			list = append(list, Pair(Sum64([]byte(a+" "+b))>>24))
		}
	}
	return list
}

func TestPairs(t *testing.T) {
	hash := func(forms string) Pair { return Pair(Sum64([]byte(forms)) >> 24) }
	tests := []struct {
		name, text string
		want       []Pair
	}{
		{"two words", "quick brown", []Pair{hash("brown quick")}},
		{"in either order", "brown quick", []Pair{hash("brown quick")}},
		{"by their first five letters", "quickly browner", []Pair{hash("brown quick")}},
		{"letters, not bytes", "žluťoučký kůň úpěnlivě", []Pair{hash("úpěnl žluťo")}},
		{"short words between", "quick as the old fox brown", []Pair{hash("brown quick")}},
		{"four letters do not count", "quick four brow", nil},
		{"equal forms make none", "quick quickly brown", []Pair{hash("brown quick")}},
		{"each with the next", "alpha bravo charlie", []Pair{hash("alpha bravo"), hash("bravo charl")}},
		{"one word", "quick", nil},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		if got := pairsOf(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%s: pairs of %q = %x, want %x", tt.name, tt.text, got, tt.want)
		}
	}
}

func FuzzPairs(f *testing.F) {
	f.Add("quick brown foxes jumped žluťoučký jumper jumping over")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		got := pairsOf(text)
		if want := naivePairs(text); !slices.Equal(got, want) {
			t.Fatalf("pairs of %q = %x, want %x", text, got, want)
		}
		for _, p := range got {
			if p>>PairBits != 0 {
				t.Fatalf("pair %x has more than %d bits", p, PairBits)
			}
		}
	})
}

func BenchmarkPairs(b *testing.B) {
	words := strings.Fields(strings.Repeat("the quick brown foxes jumped over a lazy sleeping dog ", 100))
	var bs [][]byte
	size := 0
	for _, w := range words {
		bs, size = append(bs, []byte(w)), size+len(w)+1
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		var p Pairer
		for _, w := range bs {
			p.Add(w)
		}
	}
}

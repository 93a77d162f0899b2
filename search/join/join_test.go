package join

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestChains(t *testing.T) {
	tests := []struct {
		name string
		list []Passage
		want [][]int
	}{
		{"two that follow each other", []Passage{{0, 0, 20, 100, 120}, {0, 60, 80, 150, 170}}, [][]int{{0, 1}}},
		{"the widest gap", []Passage{{0, 0, 20, 100, 120}, {0, 80, 90, 180, 190}}, [][]int{{0, 1}}},
		{"one word more in the suspect", []Passage{{0, 0, 20, 100, 120}, {0, 81, 90, 180, 190}}, nil},
		{"one word more in the source", []Passage{{0, 0, 20, 100, 120}, {0, 80, 90, 181, 190}}, nil},
		{"in the other order in the source", []Passage{{0, 0, 20, 100, 120}, {0, 30, 50, 70, 90}}, nil},
		{"of two sources", []Passage{{0, 0, 20, 100, 120}, {1, 30, 50, 130, 150}}, nil},
		{"two versions of a source", []Passage{{0, 0, 20, 0, 20}, {1, 5, 25, 0, 20}, {0, 35, 55, 30, 50}, {1, 36, 55, 30, 50}}, [][]int{{0, 2}, {1, 3}}},
		{"woven from two sources", []Passage{{0, 0, 20, 0, 20}, {1, 21, 39, 0, 20}, {0, 40, 60, 30, 50}, {1, 61, 70, 30, 50}}, nil},
		{"the nearest of two ends", []Passage{{0, 0, 20, 0, 20}, {0, 22, 30, 50, 58}, {0, 32, 40, 60, 68}}, [][]int{{0, 1, 2}}},
		{"three parts", []Passage{{0, 0, 20, 0, 20}, {0, 30, 50, 30, 50}, {0, 60, 80, 60, 80}}, [][]int{{0, 1, 2}}},
		{"overlapping", []Passage{{0, 0, 20, 0, 20}, {0, 10, 30, 10, 30}}, nil},
	}
	for _, tt := range tests {
		if got := Chains(tt.list); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: Chains = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestChainsOfMoved: places of the texts do not matter, nor does text that is appended, and no passage is in two chains.
func TestChainsOfMoved(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		var list []Passage
		for range r.IntN(12) {
			p := Passage{Source: r.IntN(2), From: r.IntN(300), OriginFrom: r.IntN(300)}
			p.To, p.OriginTo = p.From+1+r.IntN(40), p.OriginFrom+1+r.IntN(40)
			list = append(list, p)
		}
		slices.SortFunc(list, func(a, b Passage) int { return a.From - b.From })
		got := Chains(list)
		seen := map[int]bool{}
		for _, c := range got {
			for k, i := range c {
				if seen[i] || k > 0 && !list[i].follows(list[c[k-1]]) {
					t.Fatalf("chain %v of %v", c, list)
				}
				seen[i] = true
			}
		}
		for i := range list {
			list[i].From, list[i].To, list[i].OriginFrom, list[i].OriginTo = list[i].From+1000, list[i].To+1000, list[i].OriginFrom+70, list[i].OriginTo+70
		}
		far := append(list, Passage{0, 9000, 9020, 0, 20})
		if moved := Chains(far); !reflect.DeepEqual(moved, got) {
			t.Fatalf("chains %v, of moved texts %v", got, moved)
		}
	}
}

package roll

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSameGram has an n-gram have one hash wherever it is, and another than each
// other one.
func TestSameGram(t *testing.T) {
	for _, onion := range []bool{false, true} {
		for _, n := range []int{1, 3, 7, 70} {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			grams, hashes := map[string]uint64{}, map[uint64]string{}
			for range 20 {
				roller := New(n, onion)
				var last []string
				for range 500 {
					if r.IntN(50) == 0 {
						roller.Reset()
						last = nil
					}
					word := fmt.Sprintf("word number %d", r.IntN(4))
					hash := Hash([]byte(word))
					if onion {
						hash = Onion([]byte(word))
					}
					last = append(last, word)
					h, ok := roller.Add(hash)
					if ok != (len(last) >= n) {
						t.Fatalf("n = %d: a hash after %d words: %v", n, len(last), ok)
					}
					if !ok {
						continue
					}
					gram := strings.Join(last[len(last)-n:], " ")
					if before, seen := grams[gram]; seen && before != h {
						t.Fatalf("n = %d, onion %v: %s has two hashes", n, onion, gram)
					}
					if other, seen := hashes[h]; seen && other != gram && !onion {
						t.Fatalf("n = %d: %s and %s have one hash", n, gram, other)
					}
					grams[gram], hashes[h] = h, gram
				}
			}
		}
	}
}

// TestHash has tokens that differ in a byte, or in zeros at their end, have hashes that
// differ.
func TestHash(t *testing.T) {
	seen := map[uint64]string{}
	for length := range 40 {
		for _, b := range []byte{0, 'a', 0xff} {
			token := strings.Repeat(string([]byte{b}), length)
			h := Hash([]byte(token))
			if other, ok := seen[h]; ok && other != token {
				t.Errorf("%q and %q have one hash", token, other)
			}
			seen[h] = token
		}
	}
}

package roll

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
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

// TestRoll has Roll give for tokens in pieces what Add gives for each.
func TestRoll(t *testing.T) {
	for _, onion := range []bool{false, true} {
		for _, n := range []int{1, 2, 7, 20} {
			r := rand.New(rand.NewPCG(2, uint64(n)))
			one, many := New(n, onion), New(n, onion)
			for range 200 {
				if r.IntN(5) == 0 {
					one.Reset()
					many.Reset()
				}
				tokens := make([]uint64, r.IntN(12))
				var want []uint64
				for i := range tokens {
					tokens[i] = r.Uint64()
					if h, ok := one.Add(tokens[i]); ok {
						want = append(want, h)
					}
				}
				if none := many.Roll(tokens); !slices.Equal(tokens[none:], want) {
					t.Fatalf("n = %d, onion %v: Roll gives %x, Add %x", n, onion, tokens[none:], want)
				}
			}
		}
	}
}

// TestOnionStep compares steps of eight bytes at a time with steps of one.
func TestOnionStep(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for size := range 40 {
		token := make([]byte, size, size+8)
		for i := range token[:cap(token)] {
			token[:cap(token)][i] = byte(r.Uint32())
		}
		h := uint64(0)
		for at := 0; at < size; at += 8 {
			h = OnionStep(h, binary.LittleEndian.Uint64(token[at:at+8:cap(token)]), min(8, size-at))
		}
		if want := Onion(token); h != want {
			t.Errorf("%x has the hash %x, by eight bytes at a time %x", token, want, h)
		}
	}
}

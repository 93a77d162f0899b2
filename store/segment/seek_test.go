package segment

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
)

// TestSeek holds looking up by batches to looking up one by one, for n-grams
// that are hard to keep, and others near them.
func TestSeek(t *testing.T) {
	need.OneGoroutine(t)
	for name, g := range corpora() {
		t.Run(name, func(t *testing.T) { wantSought(t, writeSegment(t, g, 1000), g[:min(len(g), 2000)]) })
	}
}

// FuzzSeek does the same with any n-grams: how crowded sub-buckets are depends
// on which bits of a hash are random.
func FuzzSeek(f *testing.F) {
	f.Add(uint64(1), uint64(1<<48-1), uint16(1000))
	f.Add(uint64(2), uint64(0xf0f0_f0f0_f0f0), uint16(5000))
	f.Add(uint64(3), uint64(0xffff_0000_00ff), uint16(3000)) // blocks of more than 40 keys
	f.Add(uint64(4), uint64(7), uint16(100))
	f.Fuzz(func(t *testing.T, seed, mask uint64, count uint16) {
		rng := rand.New(rand.NewPCG(seed, mask))
		g := grams{store.Hash(seed & mask & (1<<48 - 1))}
		for range count {
			g = append(g, store.Hash(rng.Uint64()&mask&(1<<48-1)))
		}
		wantSought(t, writeSegment(t, g, 1000), g)
	})
}

// wantSought looks n-grams and their neighbours up in both ways.
func wantSought(t *testing.T, s *file, g grams) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(len(g))))
	var asked []store.Hash
	for _, h := range g {
		asked = append(asked, h, h^1, h^1<<rng.IntN(48), store.Hash(rng.Uint64()>>16))
	}
	k := newSeeker(batchLen)
	for batch := range slices.Chunk(sorted(asked), batchLen) {
		if err := k.seek(s, batch); err != nil {
			t.Fatal(err)
		}
		for i, h := range batch {
			c, posting, ok, err := s.find(uint64(h))
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				continue
			}
			if len(k.found) == 0 || k.found[0] != (found{i, c, posting, s.pieceOf(min(posting, s.grams-1), 0)}) {
				t.Fatalf("hash %x, which is there, is not found next", h)
			}
			k.found = k.found[1:]
		}
		if len(k.found) > 0 {
			t.Fatalf("hash %x is found, and not there", batch[k.found[0].place])
		}
	}
}

// TestSeekRefusesAWrongBlock changes what says where keys are and gives the
// pages new checksums: whatever is found then, nothing is read that is not there.
func TestSeekRefusesAWrongBlock(t *testing.T) {
	need.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(6, 7))
	g := corpora()["random"][:20_000]
	was, asked := writeSegment(t, g, 1000), sorted(g)
	for range 40 {
		data := bytes.Clone(was.data)
		s, err := parse("changed", data)
		if err != nil {
			t.Fatal(err)
		}
		c := &s.chunks[rng.IntN(len(s.chunks))]
		for range 200 {
			data[c.rel+rng.Uint64N(c.postings-c.rel)] ^= byte(1 << rng.IntN(8))
		}
		for page := range uint64(len(s.sound) * 64) {
			s.sound.note(page)
		}
		k := newSeeker(batchLen)
		for batch := range slices.Chunk(asked, batchLen) {
			if err := k.seek(s, batch); err != nil {
				wantRefused(t, err)
			}
		}
	}
}

func TestSelectBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for range 20_000 {
		x := rng.Uint64() & rng.Uint64()
		if rng.IntN(2) == 0 {
			x = ^x
		}
		k := uint64(0)
		for i := range uint64(64) {
			if x>>i&1 == 0 {
				continue
			}
			if got := selectBit(x, k); got != i {
				t.Fatalf("selectBit(%b, %d) = %d, want %d", x, k, got, i)
			}
			k++
		}
	}
}

package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// TestSpilledIsAsWrittenAtOnce: a segment of a buffer that was full again and again
// has the same bytes as one of a buffer that had room for everything.
func TestSpilledIsAsWrittenAtOnce(t *testing.T) {
	for name, g := range corpora() {
		t.Run(name, func(t *testing.T) {
			const perDoc = 3000
			b := newBuffer(1)
			sp := testSpill(t)
			number := uint64(0)
			for doc := range slices.Chunk(g, perDoc) {
				number++
				for base := 0; base < len(doc); {
					took := b.add(7, number, uint32(base), doc[base:])
					if base += took; base < len(doc) {
						b.spillAll(t, sp)
					}
				}
			}
			path := filepath.Join(t.TempDir(), "segment")
			if _, err := newRunMerger(b.lists()[7]).write(context.Background(), disk{}, path, 2); err != nil {
				t.Fatal(err)
			}
			f, err := openFile(path, size(path))
			if err != nil {
				t.Fatal(err)
			}
			defer f.release()
			want := writeSegment(t, g, perDoc)
			if !bytes.Equal(f.data[headerSize:f.end], want.data[headerSize:want.end]) {
				t.Errorf("%d bytes of chunks after %d spills, %d written at once, or others", f.end, len(b.spilled), want.end)
			}
			for ordinal := range uint64(len(g)) {
				got, at := f.piece(f.pieceOf(ordinal, 0)), want.piece(want.pieceOf(ordinal, 0))
				if got.number != at.number || uint64(got.base)+ordinal-uint64(got.first) != uint64(at.base)+ordinal-uint64(at.first) {
					t.Fatalf("n-gram %d is of piece %v, want what %v says", ordinal, got, at)
				}
			}
		})
	}
}

// testSpill makes an empty spill.
func testSpill(t *testing.T) *spill {
	t.Helper()
	s, err := newSpill(disk{}, filepath.Join(t.TempDir(), "spill"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.drop)
	return s
}

// spillAll puts all runs of b into s.
func (b *buffer) spillAll(t *testing.T, s *spill) {
	t.Helper()
	for _, r := range b.runs {
		if err := s.append(r); err != nil {
			t.Fatal(err)
		}
		b.spilled = append(b.spilled, r)
		b.empty(r)
	}
}

// TestDamagedSpillIsRefused: of n-grams that a disk does not give back as they were
// written, no segment is made.
func TestDamagedSpillIsRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		s := open(t, t.TempDir(), Options{Workers: 1, Memory: 1})
		addDoc(t, s, "/a", "content", storetest.Grams(7, storetest.Hashes(rng, 3*leastBlocks*blockLen)...))
		files, err := filepath.Glob(filepath.Join(s.dir, "spill-*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("spills: %v, %v, want one", files, err)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		f, err := os.OpenFile(files[0], os.O_WRONLY, 0) // what the writer has open, not another in its place
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if err := s.Commit(t.Context()); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("Commit returned %v, want an error wrapping ErrDamaged", err)
		}
		if got := storetest.Documents(t, s); len(got) != 0 {
			t.Errorf("there are %d documents", len(got))
		}
		wantNoOrphans(t, s)
	}
}

// TestBuffersOfOneNGram: several buffers are merged into one segment, unless they are too
// large to be sorted at once.
func TestBuffersOfOneNGram(t *testing.T) {
	if testing.Short() {
		t.Skip("adds ten million n-grams")
	}
	const each = maxTogether/3 + 1
	s := open(t, t.TempDir(), Options{Workers: 3})
	hashes := slices.Repeat([]store.Hash{77 << 30}, 1000)
	for range 3 {
		b := <-s.buffers
		for base := 0; base < each; {
			took := b.add(7, s.newNumber(), uint32(base), hashes[:min(len(hashes), each-base)])
			if base += took; took == 0 {
				if err := s.makeRoom(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.buffers <- b
	}
	if err := s.flushAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(s.fresh); got != 3 {
		t.Errorf("%d segments, want one of each buffer", got)
	}
	for _, f := range s.fresh {
		wantFound(t, f.file, map[uint64][]uint64{77 << 30: ordinalsTo(each)})
	}
}

func ordinalsTo(count int) (list []uint64) {
	for i := range count {
		list = append(list, uint64(i))
	}
	return list
}

// TestWhatFitsTogether: neither a list nor a bucket of it may have too much.
func TestWhatFitsTogether(t *testing.T) {
	made := func(entries uint64, counts ...int) *run {
		r := &run{entries: entries}
		for _, count := range counts {
			r.buckets = append(r.buckets, bucket{count: count})
		}
		return r
	}
	for _, tt := range []struct {
		lists map[int][]*run
		want  bool
	}{
		{nil, true},
		{map[int][]*run{7: {made(10, 4, 6), made(10, 6, 4)}}, true},
		{map[int][]*run{7: {made(10, 4, 6), made(11, 6, 5)}}, false},
		{map[int][]*run{7: {made(10, 4, 6)}, pairList: {made(12, 11, 1)}}, false},
		{map[int][]*run{7: {made(maxSpilled/2, 1), made(maxSpilled/2, 1)}}, true},
		{map[int][]*run{7: {made(maxSpilled/2, 1), made(maxSpilled/2+1, 1)}}, false},
	} {
		if got := fits(tt.lists, 10); got != tt.want {
			t.Errorf("fits says %v, want %v of %s", got, tt.want, fmt.Sprint(tt.lists))
		}
	}
}

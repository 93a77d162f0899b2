package segment

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
)

func TestBitWriterIsReadBack(t *testing.T) {
	need.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var w bitWriter
	var values []uint64
	var widths []uint
	for range 10_000 {
		width := rng.UintN(57)
		v := rng.Uint64() & (1<<width - 1)
		values, widths = append(values, v), append(widths, width)
		w.put(v, width)
	}
	w.pad()
	data := append(w.buf, make([]byte, 8)...)
	bit := uint64(0)
	for i, want := range values {
		if got := load(data, bit) & (1<<widths[i] - 1); got != want {
			t.Fatalf("value %d, %d bits at bit %d: %x, want %x", i, widths[i], bit, got, want)
		}
		bit += uint64(widths[i])
	}
}

func TestNthZero(t *testing.T) {
	need.OneGoroutine(t)
	var w bitWriter
	counts := []int{0, 3, 0, 0, 62, 63, 64, 200, 1, 0}
	var want []uint64 // places of the zeros
	at := uint64(0)
	for _, count := range counts {
		w.ones(count)
		at += uint64(count)
		want = append(want, at)
		at++
	}
	w.pad()
	data := append(w.buf, make([]byte, 8)...)
	for k, place := range want {
		if got, ok := nthZero(data, 0, at, k); !ok || got != place {
			t.Errorf("zero %d is at %d, %v, want %d", k, got, ok, place)
		}
	}
	if got, ok := nthZero(data, 0, at, len(want)); ok {
		t.Errorf("there is a zero %d at %d of %d bits", len(want), got, at)
	}
}

func TestSortEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, value := range map[string]func(i int) uint64{
		"random":         func(int) uint64 { return rng.Uint64() },
		"equal keys":     func(i int) uint64 { return 7<<40 | uint64(i) },
		"low bits only":  func(int) uint64 { return rng.Uint64() >> 34 },
		"falling":        func(i int) uint64 { return 1<<20 - uint64(i) },
		"few top values": func(int) uint64 { return rng.Uint64() & 0x8000_0000_3fff_ffff },
	} {
		for _, length := range []int{0, 1, 255, 256, 20_000} {
			a := make([]uint64, length)
			for i := range a {
				a[i] = value(i)
			}
			want := slices.Sorted(slices.Values(a))
			sortEntries(a, nil)
			if !slices.Equal(a, want) {
				t.Errorf("%s: %d entries are not sorted", name, length)
			}
		}
	}
}

// grams are n-grams in the order of a segment.
type grams []store.Hash

// corpora are n-grams that are hard to keep, each in its way.
func corpora() map[string]grams {
	rng := rand.New(rand.NewPCG(3, 4))
	make := func(count int, value func(i int) uint64) grams {
		g := grams{}
		for i := range count {
			g = append(g, store.Hash(value(i)&(1<<48-1)))
		}
		return g
	}
	return map[string]grams{
		"one":                 {5},
		"ends":                {1<<48 - 1, 0, 1<<48 - 1, 1},
		"random":              make(100_000, func(int) uint64 { return rng.Uint64() }),
		"few":                 make(300, func(int) uint64 { return rng.Uint64() }),
		"repeats":             make(50_000, func(int) uint64 { return rng.Uint64N(5000) * 0x3b9aca0700 }),
		"all equal":           make(20_000, func(int) uint64 { return 77 << 30 }),
		"two by turns":        make(20_000, func(i int) uint64 { return uint64(i%2+5) << 40 }),
		"small numbers":       make(80_000, func(i int) uint64 { return uint64(i) }), // one sub-bucket of more than 65,535 keys
		"one chunk of many":   make(100_000, func(i int) uint64 { return 3<<46 | rng.Uint64()>>20 }),
		"random and frequent": make(50_000, func(i int) uint64 { return rng.Uint64() * uint64(i%3) }),
	}
}

// writeSegment writes g as document number 1, 2, … with this number of n-grams each.
func writeSegment(t testing.TB, g grams, perDoc int) *file {
	t.Helper()
	b := newBuffer(64 << 20)
	number := uint64(0)
	for doc := range slices.Chunk(g, perDoc) {
		number++
		if took := b.add(7, number, 0, doc); took != len(doc) {
			t.Fatalf("the buffer took %d of %d", took, len(doc))
		}
	}
	path := filepath.Join(t.TempDir(), "segment")
	size, err := newRunMerger(runs{b.runs[7]}).write(context.Background(), disk{}, path, 2)
	if err != nil {
		t.Fatal(err)
	}
	f, err := openFile(path, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.release() })
	return f
}

// want returns the ordinals of each hash.
func (g grams) want() map[uint64][]uint64 {
	m := map[uint64][]uint64{}
	for i, h := range g {
		m[uint64(h)] = append(m[uint64(h)], uint64(i))
	}
	return m
}

func ordinals(t testing.TB, p cursor) []uint64 {
	t.Helper()
	list, err := read(p)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// read returns all ordinals that p yields.
func read(p cursor) (list []uint64, err error) {
	for {
		o, ok, err := p.next()
		if !ok || err != nil {
			return list, err
		}
		list = append(list, o)
	}
}

func TestSegmentIsReadBack(t *testing.T) {
	need.OneGoroutine(t)
	for name, g := range corpora() {
		t.Run(name, func(t *testing.T) {
			f := writeSegment(t, g, 1000)
			want := g.want()
			got := map[uint64][]uint64{}
			for i := range f.chunks {
				if err := f.check(uint64(i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.walk(0, 1<<48, func(h uint64, p cursor) error {
				got[h] = ordinals(t, p)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !maps.EqualFunc(got, want, slices.Equal) {
				t.Errorf("walk finds %d hashes that differ from the %d written", len(got), len(want))
			}
			wantFound(t, f, want)
			for i := range g {
				if p := f.pieceOf(uint64(i), i*7%f.pieces); f.piece(p).number != uint64(i/1000)+1 {
					t.Fatalf("ordinal %d is of document %d, want %d", i, f.piece(p).number, i/1000+1)
				}
			}
		})
	}
}

// wantFound looks up hashes of want, 3,000 at most, and some others.
func wantFound(t *testing.T, f *file, want map[uint64][]uint64) {
	t.Helper()
	looked := 0
	for h, list := range want {
		if looked++; looked > 3000 {
			return
		}
		c, posting, ok, err := f.find(h)
		if !ok || err != nil {
			t.Fatalf("find(%x) = %v, %v", h, ok, err)
		}
		if got := ordinals(t, f.cursor(c, posting)); !slices.Equal(got, list) {
			t.Fatalf("find(%x) has %d ordinals, want %d or others", h, len(got), len(list))
		}
		if !f.passes(h) {
			t.Fatalf("the filter does not let %x pass", h)
		}
		for _, other := range []uint64{(h + 1) & (1<<48 - 1), h ^ 1<<30, h ^ 1<<47} {
			if _, _, ok, err := f.find(other); ok != (want[other] != nil) || err != nil {
				t.Fatalf("find(%x) = %v, %v", other, ok, err)
			}
		}
	}
}

// TestMergeIsAsWrittenAtOnce compares, byte by byte, several segments merged
// with one segment of all their documents.
func TestMergeIsAsWrittenAtOnce(t *testing.T) {
	for name, g := range corpora() {
		for _, parts := range []int{1, 3} {
			t.Run(fmt.Sprint(name, parts), func(t *testing.T) {
				const perDoc = 1000
				perPart := (len(g)/parts/perDoc + 1) * perDoc
				var files []*file
				for part := range slices.Chunk(g, perPart) {
					files = append(files, writeSegment(t, part, perDoc))
				}
				renumber(files)
				path := filepath.Join(t.TempDir(), "merged")
				m, err := newMerger(files, func(uint64) (bool, error) { return true, nil })
				if err != nil {
					t.Fatal(err)
				}
				if _, err := m.write(context.Background(), disk{}, path, 2); err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if want := writeSegment(t, g, perDoc).data; !bytes.Equal(got, want) {
					t.Errorf("merged segment has %d bytes, one written at once %d bytes or others", len(got), len(want))
				}
			})
		}
	}
}

// renumber makes the documents of files 1, 2, … throughout.
func renumber(files []*file) {
	number := uint64(0)
	for _, f := range files {
		f.table = bytes.Clone(f.table)
		for i := range f.pieces {
			number++
			p := f.piece(i)
			p.number = number
			copy(f.table[i*pieceSize:], appendPiece(nil, p))
		}
	}
}

// TestMergeDropsTheDead compares a merge without every third document with a
// segment of the others.
func TestMergeDropsTheDead(t *testing.T) {
	for name, g := range corpora() {
		const perDoc = 500
		var left grams
		alive := map[uint64]bool{}
		number := uint64(0)
		for doc := range slices.Chunk(g, perDoc) {
			if number++; number%3 != 2 {
				left = append(left, doc...)
				alive[number] = true
			}
		}
		m, err := newMerger([]*file{writeSegment(t, g, perDoc)}, func(number uint64) (bool, error) { return alive[number], nil })
		if err != nil {
			t.Fatal(name, err)
		}
		path := filepath.Join(t.TempDir(), "merged")
		size, err := m.write(context.Background(), disk{}, path, 2)
		if err != nil {
			t.Fatal(name, err)
		}
		f, err := openFile(path, size)
		if err != nil {
			t.Fatal(name, err)
		}
		wantFound(t, f, left.want())
		if err := f.release(); err != nil {
			t.Error(err)
		}
	}
}

// Values packed all at once are those packed one by one, wherever they begin.
func FuzzBitWriterPutAll(f *testing.F) {
	f.Add(uint64(1), uint8(27), uint8(5), uint16(100))
	f.Add(uint64(2), uint8(56), uint8(63), uint16(1))
	f.Add(uint64(3), uint8(0), uint8(0), uint16(0))
	f.Fuzz(func(t *testing.T, seed uint64, width, before uint8, count uint16) {
		rng := rand.New(rand.NewPCG(seed, 1))
		bits, first := uint(width%57), uint(before%64)
		values := make([]uint64, count%2000)
		for i := range values {
			values[i] = rng.Uint64()
		}
		var all, each bitWriter
		all.put(1<<first-1, first)
		each.put(1<<first-1, first)
		all.putAll(values, bits)
		for _, v := range values {
			each.put(v&(1<<bits-1), bits)
		}
		all.put(1, 1)
		each.put(1, 1)
		all.pad()
		each.pad()
		if !bytes.Equal(all.buf, each.buf) {
			t.Errorf("%d values of %d bits after %d bits differ", len(values), bits, first)
		}
	})
}

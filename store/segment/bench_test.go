package segment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"github.com/otisk/otisk/store"
)

// benchGrams is how many n-grams the benchmarks work on: a million, or what
// OTISK_BENCH_GRAMS says.
func benchGrams(b *testing.B) int {
	value := os.Getenv("OTISK_BENCH_GRAMS")
	if value == "" {
		return 1 << 20
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		b.Fatalf("OTISK_BENCH_GRAMS = %q, want a number", value)
	}
	return n
}

// benchHashes yields count hashes as text has them: a tenth has occurred
// before.
func benchHashes(rng *rand.Rand, count int) func(yield func([]store.Hash) bool) {
	old := make([]store.Hash, 4096)
	part := make([]store.Hash, 0, 4096)
	return func(yield func([]store.Hash) bool) {
		for ; count > 0; count -= len(part) {
			part = part[:0]
			for i := range min(4096, count) {
				h := store.Hash(rng.Uint64() >> 16)
				if rng.IntN(10) == 0 {
					h = old[rng.IntN(4096)]
				}
				old[i] = h
				part = append(part, h)
			}
			if !yield(part) {
				return
			}
		}
	}
}

// benchIndex fills an index in dir with documents of 50,000 n-grams.
func benchIndex(b *testing.B, dir string, grams int) *Store {
	b.Helper()
	s, err := Create(dir, store.Settings{}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	rng := rand.New(rand.NewPCG(1, 2))
	for i := 0; grams > 0; i++ {
		doc := store.Document{Path: fmt.Sprintf("/doc/%06d", i)}
		g := store.Grams{N: 7, Hashes: benchHashes(rng, min(grams, 50_000))}
		if err := s.Add(context.Background(), doc, "", []store.Grams{g}, nil); err != nil {
			b.Fatal(err)
		}
		grams -= 50_000
	}
	return s
}

func perGram(b *testing.B, grams int) {
	b.ReportMetric(float64(grams)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mgrams/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWrite adds and commits documents in one goroutine, without texts;
// making up their hashes is not counted.
func BenchmarkWrite(b *testing.B) {
	grams := benchGrams(b)
	var made time.Duration
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		start := time.Now()
		for range benchHashes(rng, grams) {
		}
		made += time.Since(start)
		s := benchIndex(b, b.TempDir(), grams)
		if err := s.Commit(context.Background()); err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
	b.ReportMetric(float64(grams)*float64(b.N)/(b.Elapsed()-2*made).Seconds()/1e6, "Mgrams/s")
}

// BenchmarkMerge merges eight segments into one.
func BenchmarkMerge(b *testing.B) {
	grams := benchGrams(b)
	dir := b.TempDir()
	s := benchSegments(b, dir, grams, 8)
	var files []*file
	for _, v := range s.snap.segments {
		files = append(files, v.file)
	}
	var size int64
	for b.Loop() {
		m, err := newMerger(files, func(uint64) (bool, error) { return true, nil })
		if err != nil {
			b.Fatal(err)
		}
		if size, err = m.write(context.Background(), disk{}, filepath.Join(dir, "merged"), 2); err != nil {
			b.Fatal(err)
		}
	}
	perGram(b, grams)
	b.ReportMetric(float64(size)/float64(grams), "B/gram")
}

// benchSegments makes an index with this number of segments by preventing merges.
func benchSegments(b *testing.B, dir string, grams, segments int) *Store {
	b.Helper()
	s, err := Create(dir, store.Settings{}, Options{Workers: 1, Memory: int64(grams/segments)*9 + 8<<20})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range segments {
		for j, left := 0, grams/segments; left > 0; j++ {
			doc := store.Document{Path: fmt.Sprintf("/doc/%d/%06d", i, j)}
			g := store.Grams{N: 7, Hashes: benchHashes(rng, min(left, 50_000))}
			if err := s.Add(context.Background(), doc, "", []store.Grams{g}, nil); err != nil {
				b.Fatal(err)
			}
			left -= 50_000
		}
		if err := s.commit(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// randomReads reads as many lines of 64 bytes, one at a time, from all over the segments of an
// index: the peer of a look-up. Their places are known before, so no read waits for another.
func randomReads(b *testing.B, s *snapshot, rng *rand.Rand, count int) time.Duration {
	lines := make([]*[8]uint64, count)
	for i := range lines {
		data := s.segments[i%len(s.segments)].data
		at := rng.Uint64N(uint64(len(data)-64)) &^ 63
		lines[i] = (*[8]uint64)(unsafe.Pointer(&data[at]))
	}
	evict()
	sum := uint64(0)
	start := time.Now()
	for _, l := range lines {
		sum += l[0] + l[1] + l[2] + l[3] + l[4] + l[5] + l[6] + l[7]
	}
	took := time.Since(start)
	if sum == 0 {
		b.Fatal("segments of zeros")
	}
	return took
}

var evicted [32 << 20 / 8]uint64

// evict leaves nothing of an index in the caches nearest to the processor.
func evict() {
	for i := 0; i < len(evicted); i += 8 {
		evicted[i]++
	}
}

// BenchmarkLookup looks up 20,000 sorted hashes, 5 % of them present, each time
// after as many random reads: "times-reads" is the ratio of the medians, and
// "least/reads" that of the shortest, which other work on the machine disturbs
// least.
func BenchmarkLookup(b *testing.B) {
	for _, segments := range []int{1, 4} {
		b.Run(fmt.Sprintf("segments=%d", segments), func(b *testing.B) {
			benchLookup(b, benchSegments(b, b.TempDir(), benchGrams(b), segments).Reader)
		})
	}
}

func benchLookup(b *testing.B, r *Reader) {
	const asked = 20_000
	queries := benchQueries(r.snap, asked, 50)
	limits := store.Limits{Docs: 100, Positions: 100}
	var times, reads []time.Duration
	hits, rng := 0, rand.New(rand.NewPCG(5, 6))
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		reads = append(reads, randomReads(b, r.snap, rng, asked))
		evict()
		hits = 0
		b.StartTimer()
		start := time.Now()
		err := r.Lookup(context.Background(), 7, queries[i%len(queries)], limits, func(store.Hit) error { hits++; return nil })
		if err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(times[0]), "first-ms")
	slices.Sort(times)
	slices.Sort(reads)
	half := len(times) / 2
	b.ReportMetric(ms(times[half]), "median-ms")
	b.ReportMetric(ms(times[0]), "least-ms")
	b.ReportMetric(float64(times[half])/float64(reads[half]), "times-reads")
	b.ReportMetric(float64(times[0])/float64(reads[0]), "least/reads")
	b.ReportMetric(float64(hits), "hits")
	b.ReportMetric(0, "ns/op")
}

// benchQueries returns count lists of asked sorted hashes, one in 20 of them
// in the index.
func benchQueries(s *snapshot, asked, count int) [][]store.Hash {
	rng := rand.New(rand.NewPCG(3, 4))
	present := benchPresent(s, rng, asked/20*count)
	var queries [][]store.Hash
	for i := range count {
		q := slices.Clone(present[i*asked/20 : (i+1)*asked/20])
		for len(q) < asked {
			q = append(q, store.Hash(rng.Uint64()>>16))
		}
		slices.Sort(q)
		queries = append(queries, slices.Compact(q))
	}
	return queries
}

// benchPresent returns hashes from all over the index, through mappings of
// its own.
func benchPresent(s *snapshot, rng *rand.Rand, count int) []store.Hash {
	var list []store.Hash
	for len(list) < count {
		v := s.segments[rng.IntN(len(s.segments))]
		f, err := openFile(v.path, int64(len(v.data)))
		if err != nil {
			panic(err)
		}
		for range 200 {
			from := rng.Uint64() >> 16 &^ 0xffff_ffff
			_ = f.walk(from, min(from+1<<36, 1<<48), func(h uint64, _ cursor) error {
				list = append(list, store.Hash(h))
				return context.Canceled
			})
		}
		_ = f.release()
	}
	return list[:count]
}

// BenchmarkEncode encodes chunks of 24,000 n-grams, a tenth of which have occurred
// before.
func BenchmarkEncode(b *testing.B) {
	const count = 24_000
	rng := rand.New(rand.NewPCG(7, 8))
	g := geometryFor(7, count<<10, count<<10)
	entries := make([]uint64, count)
	for i := range entries {
		entries[i] = rng.Uint64()>>(64-g.chunkShift())<<g.entryShift() | uint64(i)
		if i%10 == 9 {
			entries[i] = entries[i-5]>>g.entryShift()<<g.entryShift() | uint64(i)
		}
	}
	slices.Sort(entries)
	e := encoder{geometry: g, write: func([]byte) error { return nil }}
	for b.Loop() {
		if _, err := e.chunk(entries, nil); err != nil {
			b.Fatal(err)
		}
	}
	perGram(b, count)
}

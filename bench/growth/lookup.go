//go:build linux

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

const (
	gram    = 7      // words of an n-gram
	asked   = 20_000 // hashes of one look-up
	present = asked / 20
	lists   = 40 // number of look-ups
	rounds  = 200
)

// lookups looks up sorted hashes, 5 % of which are in the index. Before each look-up, it
// makes as many random reads of 64 bytes in the same files, for comparison.
func lookups(ctx context.Context, w io.Writer, r *segment.Reader, dir string) error {
	queries, err := makeQueries(ctx, r)
	if err != nil {
		return err
	}
	files, err := mapSegments(dir)
	if err != nil {
		return err
	}
	defer func() {
		for _, f := range files {
			_ = unix.Munmap(f) // was only read
		}
	}()
	var times, reads []time.Duration
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range rounds {
		reads = append(reads, randomReads(files, rng))
		evictCaches()
		hits, start := 0, time.Now()
		err := r.Lookup(ctx, gram, queries[i%lists], store.Limits{Docs: 100, Positions: 100}, func(store.Hit) error { hits++; return nil })
		if err != nil {
			return err
		}
		times = append(times, time.Since(start))
		if hits < present*9/10 {
			return fmt.Errorf("%d of %d n-grams of the texts were found", hits, present)
		}
	}
	slices.Sort(times)
	slices.Sort(reads)
	half := rounds / 2
	fmt.Fprintf(w, "  look-up of %d hashes in %d segments: least %.2f ms, median %.2f; random reads %.2f and %.2f: %.2f times, %.2f by the medians\n", asked, len(files),
		ms(times[0]), ms(times[half]), ms(reads[0]), ms(reads[half]), float64(times[0])/float64(reads[0]), float64(times[half])/float64(reads[half]))
	return nil
}

// makeQueries makes lists of hashes: of n-grams from documents throughout the index, and
// random ones.
func makeQueries(ctx context.Context, r *segment.Reader) ([][]store.Hash, error) {
	var ids []store.DocID
	err := r.Documents(ctx, "", func(d store.Document) error {
		ids = append(ids, d.ID)
		return nil
	})
	if err != nil {
		return nil, err
	}
	norm, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var known []store.Hash
	for len(known) < present*lists {
		text, err := store.TextOf(ctx, r, ids[rng.IntN(len(ids))])
		if err != nil {
			return nil, err
		}
		all := hashesOf(norm, text)
		for range min(100, len(all)) {
			known = append(known, all[rng.IntN(len(all))])
		}
	}
	rng.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
	var queries [][]store.Hash
	for i := range lists {
		q := slices.Clone(known[i*present : (i+1)*present])
		for len(q) < asked {
			q = append(q, store.Hash(rng.Uint64()>>(64-fingerprint.Bits)))
		}
		slices.Sort(q)
		queries = append(queries, slices.Compact(q))
	}
	return queries, nil
}

// hashesOf returns the n-grams of a text.
func hashesOf(norm *normalize.Normalizer, text string) (hashes []store.Hash) {
	for _, p := range norm.Paragraphs(text, norm.Mode(text)) {
		var words []string
		for _, word := range p.Words {
			words = append(words, word.Text)
		}
		for _, h := range fingerprint.Grams(words, gram) {
			hashes = append(hashes, store.Hash(h))
		}
	}
	return hashes
}

// mapSegments maps the files with n-grams of this size into memory. Byte 12 of a segment
// has the number of words.
func mapSegments(dir string) (files [][]byte, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "segment-*"))
	for _, name := range names {
		data, err := mapFile(name)
		if err != nil {
			return files, err
		}
		if len(data) > 16 && binary.LittleEndian.Uint32(data[12:]) == gram {
			files = append(files, data)
		} else if err := unix.Munmap(data); err != nil {
			return files, err
		}
	}
	if err == nil && len(files) == 0 {
		err = errors.New("no segments of n-grams")
	}
	return files, err
}

func mapFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_SHARED)
}

// randomReads reads 64-byte lines throughout the files. Their offsets are known in advance,
// so the reads do not depend on each other.
func randomReads(files [][]byte, rng *rand.Rand) time.Duration {
	places := make([]*[64]byte, asked)
	for i := range places {
		data := files[i%len(files)]
		at := rng.Uint64N(uint64(len(data)-64)) &^ 63
		places[i] = (*[64]byte)(data[at:])
	}
	evictCaches()
	var sum uint64
	start := time.Now()
	for _, line := range places {
		for i := 0; i < 64; i += 8 {
			sum += binary.LittleEndian.Uint64(line[i:])
		}
	}
	took := time.Since(start)
	runtime.KeepAlive(sum) // prevents the reads from being optimized away
	return took
}

var evicted [32 << 20 / 8]uint64

// evictCaches evicts the index from the caches of the processor.
func evictCaches() {
	for i := 0; i < len(evicted); i += 8 {
		evicted[i]++
	}
}

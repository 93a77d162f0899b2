package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/esclient/wire"
	"github.com/otisk/otisk/store"
)

// runStore measures esclient itself: what a user gets.
func runStore(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("store", flag.ContinueOnError)
	grams := flags.String("grams", "5000000,40000000", "n-grams to index, separated by commas")
	docGrams := flags.Int("doc", 10_000, "n-grams of a document")
	wanted := serverFlags(flags, "elasticsearch8", "2g")
	load := flags.Bool("bulk-load", true, "load in bulk")
	if err := flags.Parse(args); err != nil {
		return err
	}
	fmt.Println("| server | n-grams | n-grams/s | CPU, client + server | bytes, at once | bytes, optimized | optimizing | look-up, at once | look-up, optimized | client memory |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, text := range strings.Split(*grams, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		b := storeBench{server: wanted, grams: n, doc: *docGrams, load: *load}
		if err := b.run(ctx); err != nil {
			return fmt.Errorf("%d n-grams: %w", n, err)
		}
	}
	return nil
}

type storeBench struct {
	server     *serverChoice
	grams, doc int
	load       bool
}

func (b *storeBench) run(ctx context.Context) (err error) {
	cluster, err := b.server.start(ctx, 1)
	if err != nil {
		return err
	}
	defer cluster.Close()
	cfg := esclient.Config{Config: wire.Config{Hosts: cluster.URLs()}, Index: "bench", BulkLoad: b.load, Replicas: -1}
	s, err := esclient.Create(ctx, cfg, store.Settings{})
	if err != nil {
		return err
	}
	defer s.Close()
	w := watch(cluster)
	if err := b.fill(ctx, s); err != nil {
		return err
	}
	rate, cpu := w.rate(b.grams)
	first, err := b.measure(ctx, cfg)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := s.Optimize(ctx); err != nil {
		return err
	}
	merge := time.Since(begin)
	second, err := b.measure(ctx, cfg)
	if err != nil {
		return err
	}
	fmt.Printf("| %v | %d M | %.0f k | %s | %.1f | %.1f | %.0f s | %.3f s | %.3f s | %s |\n", cluster.Server, b.grams/1_000_000, rate/1000, cpu,
		first.bytes, second.bytes, merge.Seconds(), first.lookup.Seconds(), second.lookup.Seconds(), peakMemory())
	return nil
}

// fill adds documents by eight goroutines, and commits every ten million
// n-grams: the indexer does so every 30 s or 256 MB of text.
func (b *storeBench) fill(ctx context.Context, s *esclient.Store) error {
	const commitEvery = 10_000_000
	for from := 0; from < b.grams; from += commitEvery {
		g, adding := errgroup.WithContext(ctx)
		g.SetLimit(8)
		for at := from; at < min(from+commitEvery, b.grams); at += b.doc {
			g.Go(func() error { return b.add(adding, s, at) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
		if err := s.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// add adds the document of the n-grams from number at on.
func (b *storeBench) add(ctx context.Context, s *esclient.Store, at int) error {
	hashes := func(yield func([]store.Hash) bool) {
		part := make([]store.Hash, 0, 1000)
		for i := at; i < min(at+b.doc, b.grams); i++ {
			if part = append(part, store.Hash(hash(uint64(i)))); len(part) == cap(part) {
				if !yield(part) {
					return
				}
				part = part[:0]
			}
		}
		yield(part)
	}
	return s.Add(ctx, store.Document{Path: fmt.Sprint("/", at)}, "", []store.Grams{{N: 7, Hashes: hashes}}, nil)
}

// measure opens the index again, so that nothing is remembered.
func (b *storeBench) measure(ctx context.Context, cfg esclient.Config) (m measured, err error) {
	r, err := esclient.Open(ctx, cfg)
	if err != nil {
		return m, err
	}
	defer r.Close()
	info, err := r.Info(ctx)
	if err = errors.Join(err, r.Measure(ctx, &info)); err != nil {
		return m, err
	}
	m.bytes = float64(info.Sizes[0].Bytes) / float64(b.grams)
	var times []time.Duration
	for seed := range uint64(7) {
		begin := time.Now()
		if err := b.lookup(ctx, r, seed); err != nil {
			return m, err
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	m.lookup = times[len(times)/2]
	return m, nil
}

// lookup asks for 20,000 hashes, of which 1,000 are there.
func (b *storeBench) lookup(ctx context.Context, r *esclient.Reader, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	var asked []store.Hash
	for range 1000 {
		asked = append(asked, store.Hash(hash(rng.Uint64N(uint64(b.grams)))))
	}
	for range 19_000 {
		asked = append(asked, store.Hash(rng.Uint64()>>16))
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	found := 0
	err := r.Lookup(ctx, 7, asked, store.Limits{Docs: 100, Positions: 10}, func(store.Hit) error { found++; return nil })
	if err == nil && found < 990 {
		err = fmt.Errorf("found %d of 1000 hashes", found)
	}
	return err
}

// peakMemory returns the most memory that this process has had.
func peakMemory() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			return fmt.Sprintf("%d MB", kb/1000)
		}
	}
	return "unknown"
}

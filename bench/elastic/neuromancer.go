package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"math/rand/v2"

	"github.com/otisk/otisk/internal/esnode"
)

// runNeuromancer measures the layout of Neuromancer: one document for each
// hash, with an array of documents that a script appends to. It runs on
// OpenSearch, where scripts are available.
func runNeuromancer(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("neuromancer", flag.ContinueOnError)
	grams := flags.Int("grams", 500_000, "n-grams to index")
	docGrams := flags.Int("doc", 10_000, "n-grams of a document")
	bulks := flags.String("bulks", "100,5000", "upserts in a request, separated by commas")
	wanted := serverFlags(flags, "opensearch3", "2g") // others have no scripts
	if err := flags.Parse(args); err != nil {
		return err
	}
	cluster, err := wanted.start(ctx, 1)
	if err != nil {
		return err
	}
	defer cluster.Close()
	fmt.Println("| upserts a request | n-grams | n-grams/s | CPU, client + server | bytes, merged | look-up, merged |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, text := range strings.Split(*bulks, ",") {
		size, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		n := neuromancer{server(cluster.URL(0)), cluster, *grams, *docGrams, size}
		if err := n.run(ctx); err != nil {
			return fmt.Errorf("bulks of %d: %w", size, err)
		}
	}
	return nil
}

type neuromancer struct {
	server
	cluster          *esnode.Cluster
	grams, doc, bulk int
}

func (n *neuromancer) run(ctx context.Context) error {
	settings := `{"settings": {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1"},
		"mappings": {"properties": {"docs": {"type": "keyword"}}}}`
	if err := n.call(ctx, "PUT", "/blocks", []byte(settings), nil); err != nil {
		return err
	}
	w := watch(n.cluster)
	for from := 0; from < n.grams; from += n.bulk {
		var body []byte
		for i := from; i < min(from+n.bulk, n.grams); i++ {
			body = fmt.Appendf(body, `{"update":{"_id":"%012x","retry_on_conflict":3}}`+"\n"+
				`{"script":{"source":"ctx._source.docs.add(params.d)","params":{"d":"%016x"}},"upsert":{"docs":["%016x"]}}`+"\n",
				hash(uint64(i)), i/n.doc, i/n.doc)
		}
		var answer struct{ Errors bool }
		if err := n.call(ctx, "POST", "/blocks/_bulk?filter_path=errors", body, &answer); err != nil {
			return err
		}
		if answer.Errors {
			return fmt.Errorf("an upsert was refused")
		}
	}
	rate, cpu := w.rate(n.grams)
	for _, path := range []string{"/blocks/_refresh", "/blocks/_forcemerge?max_num_segments=1", "/blocks/_flush"} {
		if err := n.call(ctx, "POST", path, nil, nil); err != nil {
			return err
		}
	}
	bytes, err := n.storeBytes(ctx)
	if err != nil {
		return err
	}
	lookup, err := n.lookups(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("| %d | %.1f M | %.1f k | %s | %.1f | %.3f s |\n", n.bulk, float64(n.grams)/1e6, rate/1000, cpu, float64(bytes)/float64(n.grams), lookup.Seconds())
	return n.call(ctx, "DELETE", "/blocks", nil, nil)
}

// lookups returns the median time of fetching 20,000 documents by id, of which
// 1,000 are there.
func (n *neuromancer) lookups(ctx context.Context) (time.Duration, error) {
	var times []time.Duration
	for seed := range uint64(7) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ids := make([]string, 20_000)
		for i := range ids {
			h := rng.Uint64() >> 16
			if i < 1000 {
				h = hash(rng.Uint64N(uint64(n.grams)))
			}
			ids[i] = fmt.Sprintf(`"%012x"`, h)
		}
		begin := time.Now()
		body := []byte(`{"ids":[` + strings.Join(ids, ",") + `]}`)
		if err := n.call(ctx, "POST", "/blocks/_mget?filter_path=docs._source", body, nil); err != nil {
			return 0, err
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

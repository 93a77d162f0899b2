package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/esnode"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
)

// runIn measures what it costs to search the documents with a label alone, beside
// searching all of them.
func runIn(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("in", flag.ContinueOnError)
	documents := flags.Int("documents", 20_000, "`number` of documents")
	words := flags.Int("words", 60, "of each")
	heap := flags.String("heap", "1g", "heap of the server")
	rounds := flags.Int("rounds", 10, "checks of each kind")
	server := flags.String("server", "elasticsearch9", serverNames)
	if err := flags.Parse(args); err != nil {
		return err
	}
	s, err := serverOf(*server)
	if err != nil {
		return err
	}
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		return err
	}
	cluster, err := esnode.Start(ctx, s, esnode.Options{Heap: *heap, Optimise: true})
	if err != nil {
		return err
	}
	defer cluster.Close()
	b := inBench{answersBench: answersBench{cluster: cluster, norms: norms, index: "labelled"}, documents: *documents, length: *words, rounds: *rounds}
	if err := b.fill(ctx); err != nil {
		return err
	}
	return b.compare(ctx)
}

// An inBench has an index of short documents with words out of one vocabulary. One in
// two is of the faculty law, one in a hundred of arts; all have one sentence in common,
// and one in twenty has another that the suspect has.
type inBench struct {
	answersBench
	documents, length, rounds int
	suspect                   *document.Document
}

const commonSentence = "this thesis is my own work and all sources that it was made with are named in it"

// sentence returns words as common as those of a language.
func sentence(zipf *rand.Zipf, words int) string {
	var list []string
	for range words {
		list = append(list, fmt.Sprintf("w%d", zipf.Uint64()))
	}
	return strings.Join(list, " ")
}

func (b *inBench) fill(ctx context.Context) (err error) {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.2, 20, 50_000)
	s, err := esclient.Create(ctx, esclient.Config{Hosts: b.cluster.URLs(), Index: b.index, BulkLoad: true, Replicas: -1}, store.Settings{KeepTexts: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	passages := make([]string, 20)
	suspect := []string{commonSentence}
	for i := range passages {
		passages[i] = sentence(zipf, 30)
		suspect = append(suspect, sentence(zipf, 200), passages[i])
	}
	b.suspect = &document.Document{Path: "suspect.txt", Format: "text", Ext: "txt", Text: strings.Join(suspect, " ")}
	g, adding := errgroup.WithContext(ctx)
	g.SetLimit(16)
	for i := range b.documents {
		text := sentence(zipf, b.length) + " " + commonSentence
		if i%1000 < 20 {
			text += " " + passages[i%20]
		}
		d := &document.Document{Path: fmt.Sprintf("theses/%06d.txt", i), Format: "text", Ext: "txt", Text: text, Labels: map[string]string{"faculty": []string{"law", "science"}[i%2]}}
		if i%100 == 3 {
			d.Labels["faculty"] = "arts"
		}
		g.Go(func() error {
			return indexer.Add(adding, s, d.Path, d, indexer.Options{N: 7, Pairs: true, Norms: b.norms})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return s.Optimize(ctx)
}

// compare prints what a check costs, with each of several conditions.
func (b *inBench) compare(ctx context.Context) error {
	fmt.Println("| of the documents | sources | requests | MB of answers | ms by the clock, the median | CPU, client + server |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, in := range [][]string{nil, {"faculty=law"}, {"faculty=arts"}, {"faculty=*"}, {"theses"}, {"theses/0000"}} {
		for range 3 { // what the server does once
			if _, err := b.check(ctx, in); err != nil {
				return err
			}
		}
		b.requests.Store(0)
		b.ofPairs.Store(0)
		b.other.Store(0)
		w := watch(b.cluster)
		sources, took := 0, []time.Duration{}
		for range b.rounds {
			begin := time.Now()
			var err error
			if sources, err = b.check(ctx, in); err != nil {
				return err
			}
			took = append(took, time.Since(begin))
		}
		slices.Sort(took)
		client, server := w.processors()
		rounds := float64(b.rounds)
		fmt.Printf("| %s | %d | %.1f | %.2f | %d | %.0f + %.0f ms |\n", strings.Join(in, " "), sources, float64(b.requests.Load())/rounds,
			float64(b.ofPairs.Load()+b.other.Load())/1e6/rounds, took[len(took)/2].Milliseconds(), 1000*client.Seconds()/rounds, 1000*server.Seconds()/rounds)
	}
	return nil
}

// check checks the suspect as a command does, and returns how many sources it has.
func (b *inBench) check(ctx context.Context, in []string) (int, error) {
	r, err := esclient.Open(ctx, esclient.Config{Hosts: b.cluster.URLs(), Index: b.index, Transport: &b.answersBench})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	var part store.Reader = r
	if len(in) > 0 {
		if part, err = pick.Only(ctx, r, pick.New(in, pick.Options{Labels: true, Folders: true})); err != nil {
			return 0, err
		}
	}
	s, err := search.New(ctx, part, b.norms, search.Options{N: 7, Common: 1000})
	if err != nil {
		return 0, err
	}
	result, err := s.Search(ctx, b.suspect)
	if err != nil {
		return 0, err
	}
	return len(result.Sources), nil
}

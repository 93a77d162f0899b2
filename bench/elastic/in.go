package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/document"
)

// runIn measures what it costs to search the documents with a label alone, beside
// searching all of them.
func runIn(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("in", flag.ContinueOnError)
	documents := flags.Int("documents", 20_000, "`number` of documents")
	words := flags.Int("words", 60, "of each")
	rounds := flags.Int("rounds", 10, "checks of each kind")
	wanted := serverFlags(flags, "elasticsearch9", "1g")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cluster, err := wanted.start(ctx, 1)
	if err != nil {
		return err
	}
	defer cluster.Close()
	suspect, sources := labelled(*documents, *words)
	b, err := newAnswersBench(cluster, "labelled", sources)
	if err != nil {
		return err
	}
	if err := b.fill(ctx); err != nil {
		return err
	}
	return b.compare(ctx, suspect, *rounds)
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

// labelled returns a suspect, and short documents with words out of one vocabulary. One
// in two is of the faculty law, one in a hundred of arts; all have one sentence in
// common, and one in fifty has another that the suspect has.
func labelled(documents, words int) (suspect *document.Document, sources []*document.Document) {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.2, 20, 50_000)
	passages := make([]string, 20)
	own := []string{commonSentence}
	for i := range passages {
		passages[i] = sentence(zipf, 30)
		own = append(own, sentence(zipf, 200), passages[i])
	}
	for i := range documents {
		text := sentence(zipf, words) + " " + commonSentence
		if i%1000 < 20 {
			text += " " + passages[i%20]
		}
		d := &document.Document{Path: fmt.Sprintf("theses/%06d.txt", i), Format: "text", Ext: "txt", Text: text, Labels: map[string]string{"faculty": []string{"law", "science"}[i%2]}}
		if i%100 == 3 {
			d.Labels["faculty"] = "arts"
		}
		sources = append(sources, d)
	}
	return &document.Document{Path: "suspect.txt", Format: "text", Ext: "txt", Text: strings.Join(own, " ")}, sources
}

// compare prints what a check costs, with each of several conditions.
func (b *answersBench) compare(ctx context.Context, suspect *document.Document, rounds int) error {
	fmt.Println("| of the documents | sources | requests | MB of answers | ms by the clock, the median | CPU, client + server |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, in := range [][]string{nil, {"faculty=law"}, {"faculty=arts"}, {"faculty=*"}, {"theses"}} {
		for range 3 { // what the server does once
			if _, err := b.check(ctx, suspect, in); err != nil {
				return err
			}
		}
		b.forget()
		w := watch(b.cluster)
		sources, took := 0, []time.Duration{}
		for range rounds {
			begin := time.Now()
			var err error
			if sources, err = b.check(ctx, suspect, in); err != nil {
				return err
			}
			took = append(took, time.Since(begin))
		}
		slices.Sort(took)
		client, server := w.processors()
		n := float64(rounds)
		fmt.Printf("| %s | %d | %.1f | %.2f | %d | %.0f + %.0f ms |\n", strings.Join(in, " "), sources, float64(b.requests.Load())/n,
			float64(b.ofPairs.Load()+b.other.Load())/1e6/n, took[len(took)/2].Milliseconds(), 1000*client.Seconds()/n, 1000*server.Seconds()/n)
	}
	return nil
}

package main

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// recombined writes JSON Lines of documents composed of sentences. The share of changed words
// is chosen so that a sequence of three words occurs equally often for any number of documents;
// otherwise a larger collection would measure the shortage of sentences. One document in eight
// is an altered copy of an earlier one, or a part of one.
func recombined(args []string, w *bufio.Writer) error {
	f := flag.NewFlagSet("recombined", flag.ContinueOnError)
	n := f.Int("n", 100_000, "`documents`")
	size := f.Float64("words", 390, "`words` of a document, mean")
	seed := f.Uint64("seed", 7, "seed of the random numbers")
	often := f.Float64("often", 3, "mean occurrences of a sequence of three words of a sentence")
	folders, err := parse(f, args)
	if err != nil {
		return err
	}
	list, err := texts(folders, sentences)
	if err != nil {
		return err
	}
	r := recombiner{r: rand.New(rand.NewPCG(*seed, 7)), size: *size}
	for _, t := range list {
		for _, s := range t.pars {
			if len(s) >= 4 {
				r.sentences, r.words = append(r.sentences, s), append(r.words, s...)
			}
		}
	}
	uses := float64(*n) * *size / float64(len(r.words))
	r.change = max(0, 1-math.Pow(*often/uses, 1.0/3))
	for i := range *n {
		fmt.Fprintf(w, "{\"id\":%d,\"text\":\"%s\"}\n", i, strings.Join(r.next(), " "))
	}
	return nil
}

// A recombiner makes documents from sentences and from earlier documents.
type recombiner struct {
	r         *rand.Rand
	size      float64
	change    float64 // share of the words of a sentence that are changed
	sentences [][]string
	words     []string
	recent    [][]string
}

// mostRecent is the number of recent documents that may be copied.
const mostRecent = 4096

func (r *recombiner) next() []string {
	var d []string
	if len(r.recent) > 10 && r.r.Float64() < 0.12 {
		d = r.again(r.recent[r.r.IntN(len(r.recent))])
	} else {
		for want := int(r.size * math.Exp(0.7*r.r.NormFloat64()-0.245)); len(d) < want; {
			d = r.changed(d, r.sentences[r.r.IntN(len(r.sentences))], r.change)
		}
	}
	if len(r.recent) < mostRecent {
		r.recent = append(r.recent, d)
	} else {
		r.recent[r.r.IntN(mostRecent)] = d
	}
	return d
}

// again returns a copy of a document with up to 30 % of its words changed, or a part of it.
func (r *recombiner) again(d []string) []string {
	if r.r.IntN(6) == 0 {
		from := r.r.IntN(len(d)/2 + 1)
		return d[from:min(len(d), from+len(d)/3+20)]
	}
	return r.changed(nil, d, 0.3*r.r.Float64()*r.r.Float64())
}

// changed appends words to d, with this share of them changed.
func (r *recombiner) changed(d, words []string, share float64) []string {
	for _, w := range words {
		if r.r.Float64() < share {
			w = r.words[r.r.IntN(len(r.words))]
		}
		d = append(d, w)
	}
	return d
}

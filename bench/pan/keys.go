package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
)

// keyOptions hold the flags of "pan keys".
type keyOptions struct {
	corpus string
	top    int
}

// runKeys measures how well different kinds of index keys find the source of a suspect,
// without alignment. Sources are ranked by the keys that they share with the suspect; each
// key counts once, with a weight that increases with its rarity.
func runKeys(ctx context.Context, args []string, stdout io.Writer) error {
	o := keyOptions{top: 100}
	f := flag.NewFlagSet("pan keys", flag.ContinueOnError)
	f.StringVar(&o.corpus, "corpus", "", "`folder` laid out like PAN 2013's training corpus")
	f.IntVar(&o.top, "top", o.top, "sources per suspect that would be aligned")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.corpus == "" {
		return errors.New("--corpus is missing: the folder with src, susp and the parts")
	}
	c, err := readCorpus(o.corpus)
	if err != nil {
		return err
	}
	norm, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		return err
	}
	b := &keyBench{keyOptions: o, corpus: c, norm: norm}
	if b.sources, err = b.read("src"); err != nil {
		return err
	}
	if b.suspects, err = b.read("susp"); err != nil {
		return err
	}
	return b.table(ctx, stdout)
}

// A keyBench is one run of "pan keys".
type keyBench struct {
	keyOptions
	corpus            *corpus
	norm              *normalize.Normalizer
	sources, suspects map[string][]string // words by file
	rare              map[string]bool     // forms that occur in few sources
}

// rareShare is the maximum share of the sources in which a rare word occurs.
const rareShare = 0.02

// longWord is the minimum number of letters of a long word.
const longWord = 6

// keyKinds are the kinds of keys that are compared.
var keyKinds = []struct {
	name string
	of   func(b *keyBench, words []string) []uint64
}{
	{"7-grams", grams(7)},
	{"5-grams", grams(5)},
	{"4-grams", grams(4)},
	{"pairs of neighbouring long words", pairs(1, (*keyBench).isLong)},
	{"pairs of rare words, the next one", pairs(1, (*keyBench).isRare)},
	{"pairs of rare words, the next two", pairs(2, (*keyBench).isRare)},
}

func grams(n int) func(*keyBench, []string) []uint64 {
	return func(_ *keyBench, words []string) (keys []uint64) {
		for _, h := range fingerprint.Grams(words, n) {
			keys = append(keys, uint64(h))
		}
		return keys
	}
}

// pairs returns a function that makes keys of unordered pairs: each word that counts, with
// each of the next words that count. Only the first five letters of words are used.
func pairs(next int, counts func(b *keyBench, word string) bool) func(*keyBench, []string) []uint64 {
	return func(b *keyBench, words []string) (keys []uint64) {
		var last []string
		for _, w := range words {
			if !counts(b, w) {
				continue
			}
			form := formOf(w)
			for _, other := range last {
				keys = append(keys, fingerprint.Sum64([]byte(min(form, other)+" "+max(form, other))))
			}
			if last = append(last, form); len(last) > next {
				last = last[1:]
			}
		}
		return keys
	}
}

// formOf returns the first five letters of a word.
func formOf(word string) string {
	at := 0
	for i := 0; i < 5 && at < len(word); i++ {
		_, size := utf8.DecodeRuneInString(word[at:])
		at += size
	}
	return word[:at]
}

func (b *keyBench) isLong(word string) bool { return utf8.RuneCountInString(word) >= longWord }
func (b *keyBench) isRare(word string) bool { return b.rare[formOf(word)] }

func (b *keyBench) read(folder string) (map[string][]string, error) {
	texts := map[string][]string{}
	entries, err := os.ReadDir(filepath.Join(b.corpus.dir, folder))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(b.corpus.dir, folder, e.Name()))
		if err != nil {
			return nil, err
		}
		var words []string
		for _, p := range b.norm.Paragraphs(string(data), normalize.Whole) {
			for _, w := range p.Words {
				words = append(words, w.Text)
			}
		}
		texts[e.Name()] = words
	}
	return texts, nil
}

// findRare finds the rare words of the sources.
func (b *keyBench) findRare() {
	sources := map[string]int{}
	for _, words := range b.sources {
		forms := map[string]bool{}
		for _, w := range words {
			forms[formOf(w)] = true
		}
		for f := range forms {
			sources[f]++
		}
	}
	b.rare = map[string]bool{}
	for f, n := range sources {
		b.rare[f] = float64(n) <= rareShare*float64(len(b.sources))
	}
}

// table prints a line for each kind of key.
func (b *keyBench) table(ctx context.Context, stdout io.Writer) error {
	b.findRare()
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "key\tkeys a word\tsources that share one")
	for _, p := range b.corpus.parts {
		fmt.Fprintf(w, "\t%.2s: any, first %d", p.name, b.top)
	}
	fmt.Fprintln(w)
	for _, kind := range keyKinds {
		if err := ctx.Err(); err != nil {
			return err
		}
		ranked, keys := b.rank(func(words []string) []uint64 { return kind.of(b, words) })
		sources := 0
		for _, list := range ranked {
			sources += len(list)
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.1f", kind.name, keys, float64(sources)/float64(max(len(ranked), 1)))
		for _, p := range b.corpus.parts {
			fmt.Fprintf(w, "\t%s", b.named(p, ranked))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// rank returns the sources of each suspect, the best first, and the number of keys per word
// of the sources.
func (b *keyBench) rank(keysOf func([]string) []uint64) (map[string][]string, float64) {
	holders := map[uint64][]string{} // sources by key
	words, keys := 0, 0
	for _, name := range slices.Sorted(maps.Keys(b.sources)) {
		list := keysOf(b.sources[name])
		words, keys = words+len(b.sources[name]), keys+len(list)
		slices.Sort(list)
		for _, k := range slices.Compact(list) {
			holders[k] = append(holders[k], name)
		}
	}
	ranked := map[string][]string{}
	for name, text := range b.suspects {
		list := keysOf(text)
		slices.Sort(list)
		score := map[string]float64{}
		for _, k := range slices.Compact(list) {
			for _, source := range holders[k] {
				score[source] += math.Log(float64(len(b.sources)) / float64(len(holders[k])))
			}
		}
		ranked[name] = slices.SortedFunc(maps.Keys(score), func(x, y string) int {
			return cmp.Or(cmp.Compare(score[y], score[x]), cmp.Compare(x, y))
		})
	}
	return ranked, float64(keys) / float64(max(words, 1))
}

// named returns the shares of the true cases of a part whose source shares a key with the
// suspect, and is among its best sources.
func (b *keyBench) named(p part, ranked map[string][]string) string {
	cases, anywhere, first := 0, 0, 0
	for pair, truth := range p.truth {
		place := slices.Index(ranked[pair.Suspect], pair.Source)
		cases += len(truth)
		if place >= 0 {
			anywhere += len(truth)
			if place < b.top {
				first += len(truth)
			}
		}
	}
	if cases == 0 {
		return "–"
	}
	percent := func(n int) float64 { return 100 * float64(n) / float64(cases) }
	return fmt.Sprintf("%.1f %%, %.1f %%", percent(anywhere), percent(first))
}

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/bench/plagdet"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/search/join"
)

// compareOptions hold the flags of "pan compare".
type compareOptions struct {
	corpus  string
	out     string
	half    string
	summary bool
	fitted  bool
}

// runCompare aligns the listed pairs of each part of a corpus and prints the scores of the
// passages found.
func runCompare(ctx context.Context, args []string, stdout io.Writer) error {
	o := compareOptions{half: "all", summary: true}
	f := flag.NewFlagSet("pan compare", flag.ContinueOnError)
	f.StringVar(&o.corpus, "corpus", "", "`folder` laid out like PAN 2013's training corpus")
	f.StringVar(&o.out, "out", "", "`folder` for PAN detection files, one per pair, with a folder for each part")
	f.StringVar(&o.half, "half", o.half, "suspects to check: even or odd numbers, or all")
	f.BoolVar(&o.summary, "summary", o.summary, "also find summaries")
	f.BoolVar(&o.fitted, "fitted", o.fitted, "use settings fitted to PAN 2013 instead of the defaults")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.corpus == "" {
		return errors.New("--corpus is missing: the folder with src, susp and the parts")
	}
	start := time.Now()
	t, err := compare(ctx, o)
	if err != nil {
		return err
	}
	t.print(stdout)
	fmt.Fprintf(stdout, "%.1f s on %d threads, including reading and writing\n", time.Since(start).Seconds(), runtime.GOMAXPROCS(0))
	return nil
}

// compare aligns all pairs that o selects.
func compare(ctx context.Context, o compareOptions) (*table, error) {
	c, err := readCorpus(o.corpus)
	if err != nil {
		return nil, err
	}
	pleases, err := halfOf(o.half)
	if err != nil {
		return nil, err
	}
	c.keep(pleases)
	norm, err := normalize.New(normalize.DefaultRules())
	if err != nil {
		return nil, err
	}
	b := &compareBench{compareOptions: o, dir: c.dir, norm: norm, aligner: align.New(o.params())}
	t := newTable()
	for _, p := range c.parts {
		tally, err := b.part(ctx, p)
		if err != nil {
			return nil, err
		}
		t.add(p.name, tally)
	}
	return t, nil
}

func (o *compareOptions) params() align.Params {
	p := align.DefaultParams()
	if o.fitted {
		p = fittedParams()
	}
	p.Summary = o.summary
	return p
}

// fittedParams returns settings fitted to PAN 2013. Nearly all of its passages have at
// least 65 words on both sides together, so shorter detections lower the score even if
// they are right.
func fittedParams() align.Params {
	p := align.DefaultParams()
	p.MinBoth = 65
	return p
}

// A compareBench is one run of "pan compare".
type compareBench struct {
	compareOptions
	dir     string
	norm    *normalize.Normalizer
	aligner *align.Aligner
}

// part aligns the pairs of a part. Pairs of one suspect are adjacent in the lists, so each
// suspect is prepared once. A source is prepared for each pair, so that memory does not
// grow with the corpus.
func (b *compareBench) part(ctx context.Context, p part) (plagdet.Tally, error) {
	if b.out != "" {
		if err := os.MkdirAll(filepath.Join(b.out, p.name), 0o777); err != nil {
			return plagdet.Tally{}, err
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	tallies := make([]plagdet.Tally, len(p.pairs))
	for from := 0; from < len(p.pairs); {
		to := from + 1
		for to < len(p.pairs) && p.pairs[to].Suspect == p.pairs[from].Suspect {
			to++
		}
		pairs, sums := p.pairs[from:to], tallies[from:to]
		group.Go(func() error { return b.suspect(ctx, p, pairs, sums) })
		from = to
	}
	err := group.Wait()
	var sum plagdet.Tally
	for _, t := range tallies {
		sum.Merge(t)
	}
	return sum, err
}

// suspect aligns the pairs of one suspect.
func (b *compareBench) suspect(ctx context.Context, p part, pairs []plagdet.Pair, sums []plagdet.Tally) error {
	suspect, err := b.read("susp", pairs[0].Suspect)
	if err != nil {
		return err
	}
	for i, pair := range pairs {
		if err := ctx.Err(); err != nil {
			return err
		}
		source, err := b.read("src", pair.Source)
		if err != nil {
			return err
		}
		var detected []plagdet.Case
		passages, err := b.aligner.Align(ctx, suspect.prepared, source.prepared)
		if err != nil {
			return err
		}
		for _, x := range joined(passages) {
			detected = append(detected, plagdet.Case{Suspect: suspect.runes(x.Suspect), Source: source.runes(x.Source)})
		}
		sums[i].Add(p.truth[pair], detected)
		if err := b.write(p.name, pair, detected); err != nil {
			return err
		}
	}
	return nil
}

// joined returns passages of one source, by place, with one passage in place of the parts of each joined passage.
func joined(list []align.Passage) []align.Passage {
	places := make([]join.Passage, len(list))
	for i, p := range list {
		places[i] = join.Passage{From: p.Suspect.From, To: p.Suspect.To, OriginFrom: p.Source.From, OriginTo: p.Source.To}
	}
	out := slices.Clone(list)
	drop := make([]bool, len(list))
	for _, chain := range join.Chains(places) {
		first, last := &out[chain[0]], &list[chain[len(chain)-1]]
		first.Suspect.To, first.Suspect.End = last.Suspect.To, last.Suspect.End
		first.Source.To, first.Source.End = last.Source.To, last.Source.End
		for _, i := range chain[1:] {
			drop[i] = true
		}
	}
	kept := out[:0]
	for i, p := range out {
		if !drop[i] {
			kept = append(kept, p)
		}
	}
	return kept
}

// write writes the detections of a pair, if -out is set.
func (b *compareBench) write(part string, p plagdet.Pair, detected []plagdet.Case) error {
	if b.out == "" {
		return nil
	}
	f, err := os.Create(filepath.Join(b.out, part, plagdet.FileName(p.Suspect, p.Source)))
	if err != nil {
		return err
	}
	return errors.Join(plagdet.Write(f, p.Suspect, p.Source, detected), f.Close())
}

// A text is one file of the corpus.
type text struct {
	prepared *align.Prepared
	places   runePlaces
}

func (b *compareBench) read(folder, name string) (text, error) {
	data, err := os.ReadFile(filepath.Join(b.dir, folder, name))
	if err != nil {
		return text{}, err
	}
	t := align.Text{Text: string(data)}
	for _, p := range b.norm.Paragraphs(t.Text, normalize.Whole) {
		t.Words = append(t.Words, p.Words...)
	}
	return text{align.Prepare(t), newRunePlaces(t.Text)}, nil
}

func (t *text) runes(r align.Range) plagdet.Span {
	return plagdet.Span{Start: t.places.at(r.Start), End: t.places.at(r.End)}
}

// runScore scores detections in PAN files.
func runScore(_ context.Context, args []string, stdout io.Writer) error {
	var dir, detections string
	f := flag.NewFlagSet("pan score", flag.ContinueOnError)
	f.StringVar(&dir, "corpus", "", "`folder` laid out like PAN 2013's training corpus")
	f.StringVar(&detections, "detections", "", "`folder` with the detections, with a folder for each part")
	if err := f.Parse(args); err != nil {
		return err
	}
	if dir == "" || detections == "" {
		return errors.New("--corpus or --detections is missing")
	}
	c, err := readCorpus(dir)
	if err != nil {
		return err
	}
	t := newTable()
	for _, p := range c.parts {
		tally, err := plagdet.Folder(filepath.Join(dir, p.name), filepath.Join(detections, p.name))
		if err != nil {
			return err
		}
		t.add(p.name, tally)
	}
	t.print(stdout)
	return nil
}

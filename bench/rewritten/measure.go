package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/bench/plagdet"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// measureOptions are the flags of measure and pairs.
type measureOptions struct {
	params  hint.Params
	index   bool   // search an index of all sources
	parts   string // prefix of the parts to measure
	list    bool   // print the hints of pairs without copies
	workers int
}

// flags adds the flags to f.
func (o *measureOptions) flags(f *flag.FlagSet) {
	o.params = hint.DefaultParams()
	f.Float64Var(&o.params.Least, "least", o.params.Least, "least cosine of a hint")
	f.Float64Var(&o.params.LeastOrdered, "least-ordered", o.params.LeastOrdered, "least cosine of a hint whose words are in order")
	f.Float64Var(&o.params.TimesOrdered, "times-ordered", o.params.TimesOrdered, "how many times the level of the rest such a cosine is")
	f.Float64Var(&o.params.Order, "order", o.params.Order, "least order of these words, up to 1")
	f.IntVar(&o.params.Ordered, "ordered", o.params.Ordered, "least number of these words")
	f.Float64Var(&o.params.Times, "times", o.params.Times, "how many times the level of the rest a cosine is")
	f.Float64Var(&o.params.Mass, "mass", o.params.Mass, "least weight of the shared words")
	f.IntVar(&o.params.Shared, "shared", o.params.Shared, "least number of shared words")
	f.IntVar(&o.params.Others, "others", o.params.Others, "least number of other paragraphs")
	f.BoolVar(&o.list, "list", false, "print the hints of pairs without copies")
	f.IntVar(&o.workers, "workers", 2, "checks that run in parallel")
}

// runMeasure prints the table.
func runMeasure(ctx context.Context, args []string, stdout io.Writer) error {
	var o measureOptions
	f := flag.NewFlagSet("rewritten measure", flag.ContinueOnError)
	o.flags(f)
	f.BoolVar(&o.index, "index", false, "search an index of all sources instead of the source of each pair")
	f.StringVar(&o.parts, "parts", "", "measure only parts whose names start with this `prefix`")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return errors.New("want the folder of a corpus")
	}
	b := &bench{measureOptions: o, dir: f.Arg(0), results: map[string]*search.Result{}}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	lists, err := filepath.Glob(filepath.Join(b.dir, o.parts+"*", "pairs"))
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%-30s %5s   %6s %6s %6s %7s %4s   %6s %6s %6s %7s %4s\n", "part", "cases", "recall", "prec.", "gran.", "plagdet", "hit", "recall", "prec.", "gran.", "plagdet", "hit")
	for _, list := range lists {
		part := filepath.Base(filepath.Dir(list))
		alone, both, err := b.part(ctx, stdout, part, list)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%-30s %5d", part, alone.Score().Cases)
		for _, t := range []*plagdet.Tally{alone, both} {
			s := t.Score()
			fmt.Fprintf(stdout, "   %6.4f %6.4f %6.4f %7.4f %4d", s.Recall, s.Precision, s.Granularity, s.Plagdet, s.Hit)
		}
		fmt.Fprintln(stdout)
	}
	return nil
}

// A bench measures one corpus.
type bench struct {
	measureOptions
	dir      string
	norms    *normalize.Set
	searcher *search.Searcher // of all sources, if the index is searched
	mu       sync.Mutex
	results  map[string]*search.Result // from the index, by suspect
}

// options returns the options of a search.
func (b *bench) options() search.Options {
	return search.Options{N: 7, Common: 1000, Texts: true, Hints: []hint.Finder{hint.NewRewritten(b.params)}}
}

// prepare indexes all sources, if the index is searched.
func (b *bench) prepare(ctx context.Context) (err error) {
	if b.norms, err = normalize.NewSet(normalize.DefaultRules(), nil); err != nil || !b.index {
		return err
	}
	w := memory.New(store.Settings{KeepTexts: true})
	if _, err := indexer.Run(ctx, w, []string{filepath.Join(b.dir, "src")}, indexer.Options{N: 7, Pairs: true, Norms: b.norms}); err != nil {
		return err
	}
	b.searcher, err = search.New(ctx, w, b.norms, b.options())
	return err
}

// part measures the pairs of a part: by passages alone, and with hints counted as found.
func (b *bench) part(ctx context.Context, stdout io.Writer, part, list string) (alone, both *plagdet.Tally, err error) {
	pairs, err := plagdet.ReadPairs(list)
	if err != nil {
		return nil, nil, err
	}
	type outcome struct{ truth, passages, hints []plagdet.Case }
	outcomes := make([]outcome, len(pairs))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(max(1, b.workers))
	for i, p := range pairs {
		group.Go(func() error {
			truth, err := plagdet.ReadFile(filepath.Join(b.dir, part, plagdet.FileName(p.Suspect, p.Source)))
			if err != nil {
				return err
			}
			r, err := b.check(within, p)
			if err != nil || r == nil {
				outcomes[i] = outcome{truth: truth}
				return err
			}
			passages, hints := detections(r, p.Source)
			outcomes[i] = outcome{truth, passages, hints}
			if b.list && len(truth) == 0 {
				b.mu.Lock()
				defer b.mu.Unlock()
				printHints(stdout, p, r)
			}
			return nil
		})
	}
	err = group.Wait()
	alone, both = new(plagdet.Tally), new(plagdet.Tally)
	for _, o := range outcomes {
		alone.Add(o.truth, o.passages)
		both.Add(o.truth, united(append(o.passages, o.hints...)))
	}
	return alone, both, err
}

// check returns the result of a suspect: with the source of the pair, or from the index. It returns nil if the suspect is too short.
func (b *bench) check(ctx context.Context, p plagdet.Pair) (*search.Result, error) {
	if b.index {
		b.mu.Lock()
		r, known := b.results[p.Suspect]
		b.mu.Unlock()
		if known {
			return r, nil
		}
		r, err := b.search(ctx, b.searcher, filepath.Join(b.dir, "susp", p.Suspect))
		b.mu.Lock()
		defer b.mu.Unlock()
		b.results[p.Suspect] = r
		return r, err
	}
	return b.pair(ctx, filepath.Join(b.dir, "susp", p.Suspect), filepath.Join(b.dir, "src", p.Source))
}

// pair compares two files, as "otisk compare" does.
func (b *bench) pair(ctx context.Context, suspect, source string) (*search.Result, error) {
	text, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	w := memory.New(store.Settings{KeepTexts: true})
	if err := indexer.AddText(ctx, w, filepath.Base(source), string(text), 7, b.norms); err != nil {
		return nil, err
	}
	if err := w.Commit(ctx); err != nil {
		return nil, err
	}
	o := b.options()
	o.AlignAll, o.Common = true, 0
	s, err := search.New(ctx, w, b.norms, o)
	if errors.Is(err, search.ErrNoSize) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return b.search(ctx, s, suspect)
}

func (b *bench) search(ctx context.Context, s *search.Searcher, suspect string) (*search.Result, error) {
	doc, err := document.Open(ctx, suspect, document.Options{})
	if err != nil {
		return nil, err
	}
	r, err := s.Search(ctx, doc)
	if errors.Is(err, search.ErrTooShort) {
		return nil, nil
	}
	return r, err
}

// detections returns the passages and hints from one source.
func detections(r *search.Result, source string) (passages, hints []plagdet.Case) {
	of := func(i int) bool { return filepath.Base(r.Sources[i].Name) == source }
	for _, p := range r.Whole() {
		if of(p.Source) {
			passages = append(passages, plagdet.Case{Suspect: runes(p.Suspect), Source: runes(p.Origin)})
		}
	}
	for _, h := range r.Hints {
		if of(h.Source) {
			hints = append(hints, plagdet.Case{Suspect: runes(h.Suspect), Source: runes(h.Origin)})
		}
	}
	return passages, hints
}

// apart is how many code points may be between passages and hints that are one for a reader: some 60 words, as between parts of
// joined passages.
const apart = 400

// united joins the detections of a pair that overlap or follow each other in both texts.
func united(list []plagdet.Case) []plagdet.Case {
	slices.SortStableFunc(list, func(a, b plagdet.Case) int { return cmp.Compare(a.Suspect.Start, b.Suspect.Start) })
	var out []plagdet.Case
	for _, d := range list {
		near := func(o plagdet.Case) bool {
			return d.Suspect.Start <= o.Suspect.End+apart && d.Source.Start <= o.Source.End+apart && o.Source.Start <= d.Source.Start
		}
		if i := slices.IndexFunc(out, near); i >= 0 {
			o := &out[i]
			o.Suspect.End, o.Source.End = max(o.Suspect.End, d.Suspect.End), max(o.Source.End, d.Source.End)
			continue
		}
		out = append(out, d)
	}
	return out
}

func runes(s search.Span) plagdet.Span { return plagdet.Span{Start: s.RuneStart, End: s.RuneEnd} }

// printHints prints the hints of a pair, with both texts.
func printHints(w io.Writer, p plagdet.Pair, r *search.Result) {
	for _, h := range r.Hints {
		fmt.Fprintf(w, "%s %s: %s, cosine %.3f, level %.3f, %d links\n  | %s\n", p.Suspect, p.Source, h.Strength, h.Figure, h.Level, len(h.Links),
			oneParagraph(r.Suspect.Text[h.Suspect.Start:h.Suspect.End]))
		for _, e := range r.Sources[h.Source].Excerpts {
			if e.Start <= h.Origin.Start && h.Origin.End <= e.End {
				fmt.Fprintf(w, "  > %s\n", oneParagraph(e.Text[h.Origin.Start-e.Start:h.Origin.End-e.Start]))
			}
		}
	}
}

// runPairs checks pairs of texts: each file of a folder with each later one in it.
func runPairs(ctx context.Context, args []string, stdout io.Writer) error {
	var o measureOptions
	f := flag.NewFlagSet("rewritten pairs", flag.ContinueOnError)
	o.flags(f)
	most := f.Int("most", 0, "check at most so many pairs of each folder; 0 for all")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return errors.New("want folders, each with texts on one subject")
	}
	b := &bench{measureOptions: o}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	all, withPassage, withHint := 0, 0, 0
	for _, dir := range f.Args() {
		files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
		if err != nil {
			return err
		}
		count := 0
		for i, suspect := range files {
			for _, source := range files[i+1:] {
				if count++; *most > 0 && count > *most {
					break
				}
				r, err := b.pair(ctx, suspect, source)
				if err != nil {
					return err
				}
				all++
				if r == nil {
					continue
				}
				if len(r.Passages) > 0 {
					withPassage++
				}
				if len(r.Hints) > 0 {
					withHint++
					if b.list {
						printHints(stdout, plagdet.Pair{Suspect: strings.TrimPrefix(suspect, dir), Source: filepath.Base(source)}, r)
					}
				}
			}
		}
	}
	fmt.Fprintf(stdout, "%d pairs: %d with a passage, %d with a hint\n", all, withPassage, withHint)
	return nil
}

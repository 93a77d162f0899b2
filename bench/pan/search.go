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
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/bench/plagdet"
	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// searchOptions hold the flags of "pan search".
type searchOptions struct {
	dir           string
	n             int
	run           int
	out           string
	table         bool
	plain         bool // no pairs of words in the index
	books, thesis int  // numbers of sources and of suspects that are joined to one text
	every         int  // one in this many suspects is checked
	whole         bool // compare with the alignment of whole texts
	mode          normalize.Mode

	sample int // shortest run of words that the sampled index is certain to find; 0 for no sample
}

// runSearch indexes all sources of a corpus, checks all suspects against the index, and
// prints the number of true cases found and the scores of the passages of the listed
// pairs.
func runSearch(ctx context.Context, args []string, stdout io.Writer) error {
	o := searchOptions{n: 7, run: 10}
	f := flag.NewFlagSet("pan search", flag.ContinueOnError)
	f.StringVar(&o.dir, "corpus", "", "folder laid out like PAN 2013's training corpus")
	f.IntVar(&o.n, "n", o.n, "words per n-gram")
	f.IntVar(&o.run, "m", o.run, "minimum run of words for which a source counts as found")
	f.StringVar(&o.out, "out", "", "folder for PAN detection files, one per listed pair")
	f.Func("new-line", "separator of paragraphs: true, false, blank or auto (default auto)", func(v string) (err error) {
		o.mode, err = normalize.ParseMode(v)
		return err
	})
	f.BoolVar(&o.plain, "no-reworded", false, "omit pairs of words: reworded copies are found only if n-grams find their source")
	f.IntVar(&o.sample, "sample", 0, "index a sample of the n-grams that is certain to find runs of this many words; 0 for all")
	f.IntVar(&o.books, "books", 1, "number of sources joined to one text")
	f.IntVar(&o.thesis, "thesis", 1, "number of suspects joined to one text")
	f.IntVar(&o.every, "every", 1, "check only one suspect in this `number`")
	f.BoolVar(&o.whole, "whole", false, "also align the whole texts of the listed pairs, and compare the passages")
	f.BoolVar(&o.table, "neuromancer", false, "also print the table of Neuromancer's thesis")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.dir == "" {
		return errors.New("--corpus is missing: the folder with src, susp and the parts")
	}
	if joined := o.books > 1 || o.thesis > 1; joined && (o.out != "" || o.table) {
		return errors.New("--out and --neuromancer cannot be combined with --books and --thesis")
	}
	c, err := readCorpus(o.dir)
	if err != nil {
		return err
	}
	c.sample(o.every)
	dir, err := os.MkdirTemp("", "otisk-pan-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &searchBench{searchOptions: o, corpus: c, index: filepath.Join(dir, "index"), checked: map[string]*checked{}}
	if err := errors.Join(s.joinTexts(dir), s.makeIndex(ctx, stdout)); err != nil {
		return err
	}
	if err := s.checkAll(ctx, stdout); err != nil {
		return err
	}
	s.printFound(stdout)
	if err := s.printScores(stdout); err != nil {
		return err
	}
	if o.whole {
		if err := s.printWhole(ctx, stdout); err != nil {
			return err
		}
	}
	if o.table {
		return s.printTable(ctx, stdout)
	}
	return nil
}

// A searchBench is one run of "pan search".
type searchBench struct {
	searchOptions
	corpus    *corpus
	index     string
	src, susp string // folders of the texts
	sources   spots
	suspects  spots
	mu        sync.Mutex
	checked   map[string]*checked // by file
}

// checked is the result of the search for one suspect.
type checked struct {
	passages map[string][]search.Passage // by source
	whole    map[string][]plagdet.Case   // by source: passages, those that are joined as one
	named    map[string]bool             // sources that reach the run
	text     string
}

func (s *searchBench) makeIndex(ctx context.Context, stdout io.Writer) (err error) {
	settings := s.settings()
	norms, err := settings.Normalizers()
	if err != nil {
		return err
	}
	all := settings.Normalization()
	all[store.SampleSetting] = strconv.Itoa(s.sample)
	w, err := segment.Create(s.index, store.Settings{Normalization: all, KeepTexts: true}, segment.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	sum, err := indexer.Run(ctx, w, []string{s.src}, indexer.Options{N: s.n, Pairs: !s.plain, Norms: norms})
	if err != nil {
		return err
	}
	for _, f := range sum.Failures {
		fmt.Fprintf(stdout, "not indexed: %s: %v\n", f.Path, f.Err)
	}
	fmt.Fprintf(stdout, "indexed %d documents, %d %d-grams, in %.1f s\n", sum.Added, sum.Grams, s.n, sum.Elapsed.Seconds())
	if err := w.Optimize(ctx); err != nil {
		return err
	}
	info, err := w.Info(ctx)
	if err == nil && len(info.Sizes) > 0 {
		fmt.Fprintf(stdout, "%d bytes of n-grams, %d of pairs\n", info.Sizes[0].Bytes, info.Pairs.Bytes)
	}
	return err
}

// settings returns the default settings with the changes of the flags.
func (s *searchBench) settings() *config.Settings {
	settings := config.Default()
	settings.Rules.NewLine = s.mode
	return settings
}

// searcher opens the index for a search.
func (s *searchBench) searcher(ctx context.Context, opts search.Options) (*search.Searcher, func() error, error) {
	r, err := segment.Open(s.index)
	if err != nil {
		return nil, nil, err
	}
	settings := s.settings()
	norms, err := settings.Normalizers()
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	opts.N, opts.Common = s.n, settings.Common
	searcher, err := search.New(ctx, r, norms, opts)
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	return searcher, r.Close, nil
}

// checkAll checks every suspect.
func (s *searchBench) checkAll(ctx context.Context, stdout io.Writer) (err error) {
	searcher, done, err := s.searcher(ctx, search.Options{MinRun: &s.run, Summary: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range s.checkedFiles() {
		group.Go(func() error {
			c, err := s.check(ctx, searcher, name)
			if errors.Is(err, search.ErrTooShort) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.checked[name] = c
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "checked %d suspects in %.1f s\n\n", len(s.checked), time.Since(start).Seconds())
	return nil
}

func (s *searchBench) check(ctx context.Context, searcher *search.Searcher, name string) (*checked, error) {
	doc, err := document.Open(ctx, filepath.Join(s.susp, name), document.Options{})
	if err != nil {
		return nil, err
	}
	r, err := searcher.Search(ctx, doc)
	if err != nil {
		return nil, err
	}
	c := &checked{passages: map[string][]search.Passage{}, whole: map[string][]plagdet.Case{}, named: map[string]bool{}, text: doc.Text}
	for _, src := range r.Sources {
		c.named[filepath.Base(src.Name)] = src.Match.Run >= s.run
	}
	for _, p := range r.Passages {
		source := filepath.Base(r.Sources[p.Source].Name)
		c.passages[source] = append(c.passages[source], p)
	}
	for _, p := range r.Whole() {
		source := filepath.Base(r.Sources[p.Source].Name)
		c.whole[source] = append(c.whole[source], plagdet.Case{Suspect: runes(p.Suspect), Source: runes(p.Origin)})
	}
	return c, nil
}

// printFound prints, for each part, the number of true cases that contain a run of equal
// words from the right source, and the number of listed pairs whose source was found.
func (s *searchBench) printFound(stdout io.Writer) {
	fmt.Fprintf(stdout, "with -m %d\n%-28s %8s %8s %8s   %8s %8s\n", s.run, "part", "cases", "found", "share", "pairs", "named")
	for _, part := range s.corpus.parts {
		cases, found, named := 0, 0, 0
		for _, p := range part.pairs {
			suspect, source := s.suspects.of(p.Suspect), s.sources.of(p.Source)
			c := s.checked[suspect.file]
			if c == nil {
				c = &checked{}
			}
			if c.named[source.file] {
				named++
			}
			for _, truth := range moved(part.truth[p], suspect, source) {
				cases++
				if c.finds(source.file, truth, s.run) {
					found++
				}
			}
		}
		share := "–"
		if cases > 0 {
			share = fmt.Sprintf("%.1f %%", 100*float64(found)/float64(cases))
		}
		fmt.Fprintf(stdout, "%-28s %8d %8d %8s   %8d %8d\n", part.name, cases, found, share, len(part.pairs), named)
	}
	fmt.Fprintln(stdout)
}

// finds reports whether a passage from the source has a run of equal words in
// the true passage, on both sides.
func (c *checked) finds(source string, truth plagdet.Case, run int) bool {
	for _, p := range c.passages[source] {
		if !(plagdet.Case{Suspect: runes(p.Suspect), Source: runes(p.Origin)}).Overlaps(truth) {
			continue
		}
		for _, r := range p.Equal {
			if r.Words >= run && c.wordsIn(r, p.Suspect, truth.Suspect) >= run {
				return true
			}
		}
	}
	return false
}

// wordsIn counts the words of a run that are in the true passage. The run is part of the
// passage at place.
func (c *checked) wordsIn(r search.Run, place search.Span, truth plagdet.Span) int {
	at := place.RuneStart + len([]rune(c.text[place.Start:r.Suspect[0]]))
	inside := []rune(c.text[r.Suspect[0]:r.Suspect[1]])
	from, to := max(truth.Start-at, 0), min(truth.End-at, len(inside))
	if from >= to {
		return 0
	}
	return len(strings.Fields(string(inside[from:to])))
}

func runes(s search.Span) plagdet.Span { return plagdet.Span{Start: s.RuneStart, End: s.RuneEnd} }

// printScores scores the passages of the listed pairs, and writes them as PAN files if -out
// is set.
func (s *searchBench) printScores(stdout io.Writer) error {
	t := newTable()
	for _, part := range s.corpus.parts {
		var tally plagdet.Tally
		for _, p := range part.pairs {
			detected, suspect, source := s.found(p)
			tally.Add(moved(part.truth[p], suspect, source), detected)
			if err := s.writeDetections(part.name, p, detected); err != nil {
				return err
			}
		}
		t.add(part.name, tally)
	}
	t.print(stdout)
	return nil
}

func (s *searchBench) writeDetections(part string, p plagdet.Pair, detected []plagdet.Case) error {
	if s.out == "" {
		return nil
	}
	dir := filepath.Join(s.out, part)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, plagdet.FileName(p.Suspect, p.Source)))
	if err != nil {
		return err
	}
	return errors.Join(plagdet.Write(f, p.Suspect, p.Source, detected), f.Close())
}

// printTable prints the table of Neuromancer's thesis: the share of suspects with a listed
// paragraph or source, by kind of suspect and by limit.
func (s *searchBench) printTable(ctx context.Context, stdout io.Writer) error {
	seventy, ten, seven := 70.0, 10, 7
	limits := []struct {
		name string
		opts search.Options
	}{
		{"-a 70", search.Options{Exact: true, MinPercent: &seventy}},
		{"-m 10", search.Options{Exact: true, MinRun: &ten}},
		{"-m 7", search.Options{Exact: true, MinRun: &seven}},
	}
	groups := s.corpus.groups()
	fmt.Fprintf(stdout, "\nshare of suspects for which the true source is listed (of the clean ones: the source they are paired with is not)\n")
	fmt.Fprintf(stdout, "%-8s", "")
	for _, g := range groups {
		fmt.Fprintf(stdout, " %16s", g.name)
	}
	fmt.Fprintln(stdout)
	for _, limit := range limits {
		searcher, done, err := s.searcher(ctx, limit.opts)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%-8s", limit.name)
		for _, g := range groups {
			listed := 0
			for _, p := range g.pairs {
				ok, err := s.lists(ctx, searcher, p)
				if err != nil {
					return errors.Join(err, done())
				}
				if ok != g.clean {
					listed++
				}
			}
			fmt.Fprintf(stdout, " %14.0f %%", 100*float64(listed)/float64(max(len(g.pairs), 1)))
		}
		fmt.Fprintln(stdout)
		if err := done(); err != nil {
			return err
		}
	}
	for _, g := range groups {
		var ids []string
		for _, p := range g.pairs {
			ids = append(ids, strings.TrimSuffix(p.Suspect, ".txt")+" ("+strings.TrimSuffix(p.Source, ".txt")+")")
		}
		fmt.Fprintf(stdout, "%s: %s\n", g.name, strings.Join(ids, ", "))
	}
	return nil
}

// lists reports whether a search for the suspect lists the source of the pair.
func (s *searchBench) lists(ctx context.Context, searcher *search.Searcher, p plagdet.Pair) (bool, error) {
	doc, err := document.Open(ctx, filepath.Join(s.susp, p.Suspect), document.Options{})
	if err != nil {
		return false, err
	}
	r, err := searcher.Search(ctx, doc)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(r.Sources, func(src search.Source) bool { return filepath.Base(src.Name) == p.Source }), nil
}

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// longRun is a run of equal words that shows a copy by itself.
var longRun = align.DefaultParams().Verbatim

// runMeasure prints the row of one collection.
func runMeasure(ctx context.Context, args []string, stdout io.Writer) error {
	f := flag.NewFlagSet("innocent measure", flag.ContinueOnError)
	sample := f.Int("index", 0, "index a random sample of `N` documents that are not checked; 0 for all")
	words := f.Int("words", 0, "check the first `N` words of each text, in a collection without it; 0 for all")
	texts := f.Int("texts", 0, "check a random sample of `N` texts; 0 for all")
	workers := f.Int("workers", 2, "checks that run in parallel")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() < 2 {
		return errors.New("want a folder and texts to check")
	}
	documents, err := list(f.Arg(0))
	if err != nil {
		return err
	}
	suspects, err := list(f.Args()[1:]...)
	if err != nil {
		return err
	}
	suspects = draw(suspects, *texts)
	if *sample > 0 || *words > 0 {
		documents = slices.DeleteFunc(documents, func(path string) bool { return slices.Contains(suspects, path) })
	}
	documents = draw(documents, *sample)
	s, err := open(ctx, documents)
	if err != nil {
		return err
	}
	t := tally{named: namesakes(suspects, documents)}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(max(1, *workers))
	for _, path := range suspects {
		group.Go(func() error { return t.check(within, s, path, *words) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d texts, %d documents: %d with passages of reworded words only, %d of them with a score of 30 %% or more; %d with any passage without a run of %d equal words; %d with hints",
		t.texts, len(documents), t.reworded, t.third, t.weak, longRun, t.hints)
	if t.named > 0 {
		fmt.Fprintf(stdout, "; %d have a source of their file name: %d as a passage, %d as a passage or hint, %d as the most similar document", t.named, t.passage, t.shown, t.first)
	}
	fmt.Fprintln(stdout)
	return nil
}

// list returns the absolute paths of the files of folders, and of files.
func list(paths ...string) (files []string, err error) {
	for _, path := range paths {
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// draw returns a random sample of n files, always the same; all if n is 0.
func draw(files []string, n int) []string {
	if n <= 0 || n >= len(files) {
		return files
	}
	files = slices.Clone(files)
	rand.New(rand.NewPCG(30, 1)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	return files[:n]
}

// namesakes counts the files that have the name of another one of the documents.
func namesakes(suspects, documents []string) (n int) {
	paths := map[string]string{}
	for _, path := range documents {
		paths[filepath.Base(path)] = path
	}
	for _, path := range suspects {
		if other := paths[filepath.Base(path)]; other != "" && other != path {
			n++
		}
	}
	return n
}

// open indexes documents in memory.
func open(ctx context.Context, documents []string) (*search.Searcher, error) {
	norms, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		return nil, err
	}
	w := collection{memory.New(store.Settings{KeepTexts: true})}
	if _, err := indexer.Run(ctx, w, documents, indexer.Options{N: 7, Pairs: true, Norms: norms}); err != nil {
		return nil, err
	}
	return search.New(ctx, w, norms, search.Options{
		N: 7, Common: 1000, Texts: true, Summary: true, Hints: []hint.Finder{hint.NewRewritten(hint.DefaultParams())}, Canonical: filepath.Clean,
	})
}

// A collection is an index in memory with a name, since lists of similar documents are of an index.
type collection struct{ *memory.Store }

func (c collection) Info(ctx context.Context) (store.Info, error) {
	info, err := c.Store.Info(ctx)
	info.Name = "collection"
	return info, err
}

// A tally counts texts.
type tally struct {
	mu                           sync.Mutex
	texts, reworded, third, weak int
	hints                        int
	named, passage, shown, first int // of those with a source of their file name: how it is shown
}

// check checks a text, or its first words, and counts it.
func (t *tally) check(ctx context.Context, s *search.Searcher, path string, words int) error {
	doc, err := document.Open(ctx, path, document.Options{})
	if err != nil {
		return err
	}
	if places := word.FindAllStringIndex(doc.Text, -1); words > 0 && words < len(places) {
		doc.Text = doc.Text[:places[words-1][1]]
		doc.Content = "" // it is another text than that of the file
	}
	r, err := s.Search(ctx, doc)
	if err != nil && !errors.Is(err, search.ErrTooShort) {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.texts++
	if err == nil {
		t.add(r, filepath.Base(path))
	}
	return nil
}

var word = regexp.MustCompile(`\S+`)

// add counts the result of a text with this file name.
func (t *tally) add(r *search.Result, name string) {
	weak, all := 0, 0
	for _, p := range r.Passages {
		if r.Sources[p.Source].Own == search.OwnFile {
			continue
		}
		all++
		if p.Kind != search.KindExact && p.Run < longRun {
			weak++
		}
	}
	count := func(n *int, counts bool) {
		if counts {
			*n++
		}
	}
	onlyReworded := all > 0 && weak == all && r.Score.Reworded
	count(&t.reworded, onlyReworded)
	count(&t.third, onlyReworded && r.Score.Percent >= 30)
	count(&t.weak, weak > 0)
	count(&t.hints, len(r.Hints) > 0)
	is := func(source int) bool {
		return filepath.Base(r.Sources[source].Name) == name && r.Sources[source].Own == ""
	}
	passage := slices.ContainsFunc(r.Passages, func(p search.Passage) bool { return is(p.Source) })
	hinted := slices.ContainsFunc(r.Hints, func(h search.Hint) bool { return is(h.Source) })
	count(&t.passage, passage)
	count(&t.shown, passage || hinted)
	count(&t.first, len(r.Similar) > 0 && filepath.Base(r.Similar[0].Name) == name)
}

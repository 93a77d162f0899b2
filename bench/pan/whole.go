package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/bench/plagdet"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
)

// Outcomes for a passage that the alignment of two whole files has found.
const (
	sameBounds   = "the same bounds"
	asGood       = "other bounds, equally good or better"
	nearlyAsGood = "other bounds, worse by at most 0.05"
	worseBounds  = "other bounds, worse by more"
	lostRight    = "lost, of a true passage"
	lostWrong    = "lost, of no true passage"
)

// fates are the outcomes in the order of the table.
var fates = []string{sameBounds, asGood, nearlyAsGood, worseBounds, lostRight, lostWrong}

// A fate is the outcome for one passage.
type fate struct {
	files    plagdet.Pair
	passage  plagdet.Case
	words    int
	kind     align.Kind
	what     string
	was, now float64 // agreement with the true passage: of this passage, and of that of the search
	unnamed  bool    // the search has no passage of this source
}

// printWhole aligns the whole files of all listed pairs, and prints how many of these
// passages the search has also found, although it aligns only windows of long texts and
// only the sources that the index finds.
func (s *searchBench) printWhole(ctx context.Context, stdout io.Writer) error {
	list, added, err := s.whole(ctx)
	if err != nil {
		return err
	}
	count, was, now := map[string]int{}, 0.0, 0.0
	for _, f := range list {
		count[f.what]++
		was, now = was+f.was, now+f.now
	}
	fmt.Fprintf(stdout, "\npassages of the whole texts: %d\n", len(list))
	for _, what := range fates {
		fmt.Fprintf(stdout, "%8d  %5.1f %%  %s\n", count[what], 100*float64(count[what])/float64(max(len(list), 1)), what)
	}
	all := float64(max(len(list), 1))
	fmt.Fprintf(stdout, "mean agreement with the truth: %.3f, in the search %.3f\n", was/all, now/all)
	fmt.Fprintf(stdout, "%8d           of the search alone, %d of a true passage\n", added.all, added.right)
	for _, f := range list {
		if f.what != worseBounds && f.what != lostRight {
			continue
		}
		why := ""
		if f.unnamed {
			why = ", no passage of this source at all"
		}
		fmt.Fprintf(stdout, "%s, %s: %s of %d words at %d of the suspect and %d of the source: %.2f, now %.2f%s\n",
			f.files.Suspect, f.files.Source, f.kind, f.words, f.passage.Suspect.Start, f.passage.Source.Start, f.was, f.now, why)
	}
	return nil
}

// addedCount counts passages that only the search has.
type addedCount struct{ all, right int }

// whole returns the outcome for each passage of the whole texts.
func (s *searchBench) whole(ctx context.Context) (list []fate, added addedCount, err error) {
	norms, err := s.settings().Normalizers()
	if err != nil {
		return nil, added, err
	}
	norm, _ := norms.For("txt")
	truth := s.truthByFiles()
	files := map[string][]string{} // sources, by suspect
	for pair := range truth {
		files[pair.Suspect] = append(files[pair.Suspect], pair.Source)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	aligner, mu := align.New(align.DefaultParams()), sync.Mutex{}
	for _, name := range s.checkedFiles() {
		group.Go(func() error {
			suspect, places, err := s.wholeText(norm, filepath.Join(s.susp, name))
			if err != nil {
				return err
			}
			for _, source := range files[name] {
				pair := plagdet.Pair{Suspect: name, Source: source}
				some, more, err := s.wholePair(ctx, aligner, norm, pair, align.Prepare(suspect), places, truth[pair])
				if err != nil {
					return err
				}
				mu.Lock()
				list = append(list, some...)
				added.all, added.right = added.all+more.all, added.right+more.right
				mu.Unlock()
			}
			return nil
		})
	}
	err = group.Wait()
	slices.SortFunc(list, func(a, b fate) int {
		return cmp.Or(cmp.Compare(a.files.Suspect, b.files.Suspect), cmp.Compare(a.files.Source, b.files.Source), cmp.Compare(a.passage.Suspect.Start, b.passage.Suspect.Start))
	})
	return list, added, err
}

// truthByFiles returns the true passages of each pair of files with a listed pair of texts,
// with offsets in the files.
func (s *searchBench) truthByFiles() map[plagdet.Pair][]plagdet.Case {
	truth := map[plagdet.Pair][]plagdet.Case{}
	for _, part := range s.corpus.parts {
		for _, p := range part.pairs {
			suspect, source := s.suspects.of(p.Suspect), s.sources.of(p.Source)
			files := plagdet.Pair{Suspect: suspect.file, Source: source.file}
			truth[files] = append(truth[files], moved(part.truth[p], suspect, source)...)
		}
	}
	return truth
}

// wholeText reads a text and splits it into words as a search does.
func (s *searchBench) wholeText(norm *normalize.Normalizer, path string) (align.Text, runePlaces, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return align.Text{}, runePlaces{}, err
	}
	t := align.Text{Text: string(data)}
	t.Words, _ = norm.Words(t.Text, s.mode)
	return t, newRunePlaces(t.Text), nil
}

// wholePair aligns two whole files, and compares the passages with those of the search.
func (s *searchBench) wholePair(ctx context.Context, aligner *align.Aligner, norm *normalize.Normalizer, pair plagdet.Pair,
	suspect *align.Prepared, places runePlaces, truth []plagdet.Case) (list []fate, added addedCount, err error) {
	text, there, err := s.wholeText(norm, filepath.Join(s.src, pair.Source))
	if err != nil {
		return nil, added, err
	}
	passages, err := aligner.Align(ctx, suspect, suspect.Beside(text))
	if err != nil {
		return nil, added, err
	}
	var searched, whole []plagdet.Case
	if c := s.checked[pair.Suspect]; c != nil {
		for _, p := range c.passages[pair.Source] {
			searched = append(searched, plagdet.Case{Suspect: runes(p.Suspect), Source: runes(p.Origin)})
		}
	}
	for _, p := range passages {
		c := plagdet.Case{
			Suspect: plagdet.Span{Start: places.at(p.Suspect.Start), End: places.at(p.Suspect.End)},
			Source:  plagdet.Span{Start: there.at(p.Source.Start), End: there.at(p.Source.End)},
		}
		whole = append(whole, c)
		f := fate{files: pair, passage: c, words: p.Words, kind: p.Kind, unnamed: len(searched) == 0}
		f.judge(searched, truth)
		list = append(list, f)
	}
	for _, c := range searched {
		if !slices.ContainsFunc(whole, c.Overlaps) {
			added.all++
			if agreement(c, truth) > 0 {
				added.right++
			}
		}
	}
	return list, added, nil
}

// judge sets the outcome for a passage, given the passages of the search.
func (f *fate) judge(searched, truth []plagdet.Case) {
	f.was = agreement(f.passage, truth)
	same := false
	meets := false
	for _, c := range searched {
		if c.Overlaps(f.passage) {
			meets = true
			same = same || c == f.passage
			f.now = max(f.now, agreement(c, truth))
		}
	}
	switch {
	case same:
		f.what = sameBounds
	case meets && f.now >= f.was:
		f.what = asGood
	case meets && f.now >= f.was-0.05:
		f.what = nearlyAsGood
	case meets:
		f.what = worseBounds
	case f.was > 0:
		f.what = lostRight
	default:
		f.what = lostWrong
	}
}

// agreement returns the best agreement of a passage with a true one: the size of the
// intersection divided by that of the union, over both sides together.
func agreement(c plagdet.Case, truth []plagdet.Case) (best float64) {
	for _, t := range truth {
		if c.Overlaps(t) {
			both := common(c.Suspect, t.Suspect) + common(c.Source, t.Source)
			all := length(c.Suspect) + length(t.Suspect) + length(c.Source) + length(t.Source) - both
			best = max(best, float64(both)/float64(all))
		}
	}
	return best
}

func common(a, b plagdet.Span) int { return max(0, min(a.End, b.End)-max(a.Start, b.Start)) }
func length(s plagdet.Span) int    { return s.End - s.Start }

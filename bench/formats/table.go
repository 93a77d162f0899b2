package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// nearby is the maximum distance in words of the text between the two sides of a passage.
// Footnotes and a few words around them are at different places in each format.
const nearby = 3

// A summary has the totals of the table.
type summary struct {
	lowest           float64 // share of words covered, 0 to 100
	passages, astray int
}

// table indexes each file by itself, searches all of them in it, and prints the
// shares of words covered.
func table(ctx context.Context, w io.Writer, files []string, t *text, n int) (summary, error) {
	all := summary{lowest: 100}
	slices.Sort(files)
	settings := config.Default()
	norms, err := settings.Normalizers()
	if err != nil {
		return all, err
	}
	places := newPlaces(norms, t)
	var docs []*document.Document
	for _, path := range files {
		err := document.Each(ctx, path, document.Options{}, func(doc *document.Document, err error) error {
			docs = append(docs, doc)
			return err
		})
		if err != nil {
			return all, fmt.Errorf("%s: %w", path, err)
		}
	}
	percents := make([][]float64, len(docs))
	for _, path := range files {
		index := memory.New(store.Settings{Normalization: settings.Normalization(), KeepTexts: true})
		if _, err := indexer.Run(ctx, index, []string{path}, indexer.Options{N: n, Norms: norms}); err != nil {
			return all, err
		}
		searcher, err := search.New(ctx, index, norms, search.Options{N: n, Texts: true})
		if err != nil {
			return all, err
		}
		source, err := sourceText(ctx, path)
		if err != nil {
			return all, err
		}
		for i, doc := range docs {
			r, err := searcher.Search(ctx, doc)
			if err != nil {
				return all, err
			}
			percents[i] = append(percents[i], r.Score.Percent)
			all.lowest = min(all.lowest, r.Score.Percent)
			all.passages += len(r.Passages)
			all.astray += places.astray(doc, source, r.Passages)
		}
	}
	printTable(w, files, percents)
	fmt.Fprintf(w, "\nlowest %.1f %%; %d passages, %d of them join other places of the text\n", all.lowest, all.passages, all.astray)
	return all, nil
}

func sourceText(ctx context.Context, path string) (*document.Document, error) {
	var found *document.Document
	err := document.Each(ctx, path, document.Options{}, func(doc *document.Document, err error) error {
		found = doc
		return err
	})
	return found, err
}

func printTable(w io.Writer, files []string, percents [][]float64) {
	fmt.Fprintf(w, "%-4s%-14s", "", "suspect")
	for i := range files {
		fmt.Fprintf(w, "%6d", i+1)
	}
	fmt.Fprintln(w)
	for i, row := range percents {
		fmt.Fprintf(w, "%-4d%-14s", i+1, filepath.Base(files[i]))
		for _, p := range row {
			fmt.Fprintf(w, "%6s", strings.TrimSuffix(fmt.Sprintf("%.1f", p), ".0"))
		}
		fmt.Fprintln(w)
	}
}

// places maps words of a document to words of the text, by n-grams that occur once.
type places struct {
	norms *normalize.Set
	at    map[string]int // number of the first word; -1 if the n-gram occurs several times
}

const placeWords = 4

func newPlaces(norms *normalize.Set, t *text) *places {
	p := &places{norms: norms, at: map[string]int{}}
	for i, gram := range p.grams(&document.Document{Text: t.words(), Ext: "txt"}) {
		if _, twice := p.at[gram.words]; twice {
			i = -1
		}
		p.at[gram.words] = i
	}
	return p
}

// A gram is consecutive words, with the byte offset of their start.
type gram struct {
	words string
	start int
}

func (p *places) grams(doc *document.Document) []gram {
	norm, _ := p.norms.For(doc.Ext)
	var words []string
	var starts []int
	for s := norm.Scan(doc.Text, doc.Mode(norm)); s.Next(); {
		start, _ := s.Span()
		words, starts = append(words, string(s.Word())), append(starts, start)
	}
	var all []gram
	for i := 0; i+placeWords <= len(words); i++ {
		all = append(all, gram{strings.Join(words[i:i+placeWords], " "), starts[i]})
	}
	return all
}

// known returns the places of the n-grams of doc that occur once in the text, by their byte
// offsets.
func (p *places) known(doc *document.Document) map[int]int {
	at := map[int]int{}
	for _, g := range p.grams(doc) {
		if i, ok := p.at[g.words]; ok && i >= 0 {
			at[g.start] = i
		}
	}
	return at
}

// astray counts the passages with an equal run that is at different places of the text on
// its two sides.
func (p *places) astray(suspect, source *document.Document, passages []search.Passage) int {
	here, there := p.known(suspect), p.known(source)
	count := 0
	for _, passage := range passages {
		for _, run := range passage.Equal {
			a, knownHere := here[run.Suspect[0]]
			b, knownThere := there[run.Origin[0]]
			if run.Words >= placeWords && knownHere && knownThere && max(a-b, b-a) > nearby {
				count++
				break
			}
		}
	}
	return count
}

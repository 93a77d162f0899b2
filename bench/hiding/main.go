// Command hiding plants each disguise of a copied text in each format that allows it, and
// prints how much of the copy is found with and without Otisk's handling of disguises.
//
//	go run ./bench/hiding [-text FILE] [-words N] [-v] [-markup | -office]
//	go run ./bench/hiding -ways [-text FILE]
//	go run ./bench/hiding -honest FOLDER...
//
// With -markup, the formats are markup, mail and slides; with -office, those written by
// LibreOffice.
//
// The second form hides a copy of 553 words, in half of its words or as a whole, and thinly: in one word of eight,
// or a passage of 60 words. It prints the share that is found, and whether the report has a flag or a note. A copy that is neither
// found nor reported is an error.
//
// The third form reads honest files, such as theses from public repositories, and prints
// their flags, all of which are to be checked.
//
// The clean text is the only source. A cell has the percentage of its 7-grams that are
// found: by a program that compares all characters unchanged, then by Otisk. (Passages
// bridge words that differ, so their coverage falls less.) If a format has several ways to
// hide text, the worst counts on both sides; with -v each has a line. A line with ! is
// more than one percent below the same text without a disguise, or has no flag that covers
// the planted places.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

func main() {
	source := flag.String("text", "samples/collection/english/gospel-truth.txt", "`file` of the text, UTF-8")
	words := flag.Int("words", 3000, "number of words of the text")
	verbose := flag.Bool("v", false, "print a line for every way to hide text")
	markup := flag.Bool("markup", false, "measure formats of markup, mail and slides")
	office := flag.Bool("office", false, "measure formats written by LibreOffice")
	each := flag.Bool("ways", false, "print a table of ways to hide a copy in PDF, DOCX and HTML")
	real := flag.Bool("honest", false, "read the given folders, and print all flags")
	flag.Parse()
	chosen := formats
	switch {
	case *office:
		chosen = converted
	case *markup:
		chosen = markups
	}
	ctx := context.Background()
	var err error
	switch {
	case *real:
		err = honest(ctx, os.Stdout, flag.Args())
	case *each:
		err = ways(ctx, os.Stdout, *source)
	default:
		err = run(ctx, os.Stdout, chosen, *source, *words, *verbose)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "hiding: error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, formats []format, source string, words int, verbose bool) error {
	results, err := measure(ctx, formats, source, words)
	if err != nil {
		return err
	}
	if verbose {
		for _, r := range results {
			fmt.Fprintln(out, r)
		}
		return nil
	}
	printTable(out, formats, results)
	return nil
}

// A result has the shares found of one disguised file.
type result struct {
	trick, format, way string
	clean              float64 // percent of the 7-grams found, in the same file without a disguise
	without, with      float64 // in the disguised file, without and with handling of disguises
	place              string  // error of the flags; "" if there is none
}

// good reports whether the disguise is undone and flagged.
func (r result) good() bool { return r.with >= r.clean-1 && r.place == "" }

func (r result) String() string {
	mark := " "
	if !r.good() {
		mark = "!"
	}
	return fmt.Sprintf("%s %-24s %-5s %-18s clean %5.1f without %5.1f with %5.1f  %s", mark, r.trick, r.format, r.way, r.clean, r.without, r.with, r.place)
}

// A bench has the clean text indexed.
type bench struct {
	searcher *search.Searcher
	dir      string
	text     [][]string // words of each paragraph
	grams    int        // 7-grams of the text
}

func measure(ctx context.Context, formats []format, source string, words int) ([]result, error) {
	dir, err := os.MkdirTemp("", "otisk-hiding")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b, err := newBench(ctx, dir, source, words)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, f := range formats {
		if f.write(b.planted(nil), way{}) == nil {
			fmt.Fprintf(os.Stderr, "hiding: left out: %s, which LibreOffice did not write\n", f.name)
			continue
		}
		clean, _, err := b.find(ctx, f, b.planted(nil), way{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		for _, t := range tricks {
			for _, w := range waysOf(f, t) {
				text := b.planted(t.plant)
				r := result{trick: t.name, format: f.name, way: w.name, clean: clean}
				doc := (*document.Document)(nil)
				if r.with, doc, err = b.find(ctx, f, text, w); err != nil {
					return nil, fmt.Errorf("%s, %s, %s: %w", t.name, f.name, w.name, err)
				}
				if r.without, err = b.coverage(ctx, &document.Document{Path: "raw.txt", Ext: "txt", Format: "text", Parted: true, Text: naive.Replace(raw(text))}); err != nil {
					return nil, err
				}
				r.place = misplaced(doc, t.kind)
				results = append(results, r)
			}
		}
	}
	return results, nil
}

// naive replaces invisible characters by letters, since Otisk's rules for words always
// ignore them.
var naive = strings.NewReplacer("\u200b", "ǀ", "\u00ad", "ǀ")

// waysOf returns the ways to apply a trick in a format: one way if the trick needs no
// formatting, and none if the format lacks the formatting.
func waysOf(f format, t trick) []way {
	switch {
	case (t.name == "spaced sentences" || t.name == "narrow spaces") && f.name == "vert":
		return nil // tokens contain no spaces, and the width of spaces between them is fixed
	case !t.hides:
		return []way{{}}
	}
	var ways []way
	for _, w := range f.ways {
		if t.name == "white letters for spaces" && !w.room || t.name == "hidden inside words" && w.room {
			continue
		}
		ways = append(ways, w)
	}
	return ways
}

// newBench indexes the start of a text.
func newBench(ctx context.Context, dir, source string, words int) (*bench, error) {
	data, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir}
	for _, p := range strings.Split(strings.ReplaceAll(string(data), "\r", ""), "\n\n") {
		if w := whole(strings.Fields(p)); len(w) >= 30 && words > 0 {
			b.text = append(b.text, w)
			words -= len(w)
		}
	}
	path := filepath.Join(dir, "source.txt")
	if err := os.WriteFile(path, []byte(raw(b.planted(nil))), 0o666); err != nil {
		return nil, err
	}
	settings := config.Default()
	norms, err := settings.Normalizers()
	if err != nil {
		return nil, err
	}
	index := memory.New(store.Settings{Normalization: settings.Normalization(), KeepTexts: true})
	if _, err := indexer.Run(ctx, index, []string{path}, indexer.Options{N: 7, Norms: norms}); err != nil {
		return nil, err
	}
	if b.searcher, err = search.New(ctx, index, norms, search.Options{N: 7, Exact: true}); err != nil {
		return nil, err
	}
	doc, err := document.Open(ctx, path, document.Options{})
	if err != nil {
		return nil, err
	}
	r, err := b.searcher.Search(ctx, doc)
	if err != nil {
		return nil, err
	}
	b.grams = r.Match.Grams
	return b, nil
}

// whole joins words that are split at line ends, as the PDF reader does, and leaves out the first half of a word at the end.
func whole(words []string) []string {
	var out []string
	for _, w := range words {
		if n := len(out); n > 0 && strings.HasSuffix(out[n-1], "-") {
			out[n-1] = strings.TrimSuffix(out[n-1], "-") + w
		} else {
			out = append(out, w)
		}
	}
	if n := len(out); n > 0 && strings.HasSuffix(out[n-1], "-") {
		return out[:n-1]
	}
	return out
}

// planted returns the text with all paragraphs but the first and the last disguised, so
// that the places of flags can be checked. If plant is nil, the text is unchanged.
func (b *bench) planted(plant func([]string) paragraph) []paragraph {
	var text []paragraph
	for i, words := range b.text {
		if plant == nil || i == 0 || i == len(b.text)-1 {
			text = append(text, paragraph{{text: strings.Join(words, " ")}})
		} else {
			text = append(text, plant(words))
		}
	}
	return text
}

// find writes a text to a file and returns the percentage of its 7-grams that are found.
func (b *bench) find(ctx context.Context, f format, text []paragraph, w way) (float64, *document.Document, error) {
	path := filepath.Join(b.dir, "suspect."+f.name)
	if err := os.WriteFile(path, f.write(text, w), 0o666); err != nil {
		return 0, nil, err
	}
	doc, err := document.Open(ctx, path, document.Options{})
	if err != nil {
		return 0, nil, err
	}
	percent, err := b.coverage(ctx, doc)
	return percent, doc, err
}

func (b *bench) coverage(ctx context.Context, doc *document.Document) (float64, error) {
	r, err := b.searcher.Search(ctx, doc)
	if err != nil {
		return 0, err
	}
	return 100 * float64(r.Match.Matched) / float64(b.grams), nil
}

// misplaced returns the error of the flags of a kind, "" if there is none: they must be in
// the disguised paragraphs, and reach from the first to the last of these.
func misplaced(doc *document.Document, kind document.FlagKind) string {
	starts := []int{0}
	text := strings.TrimSpace(doc.Text)
	for at := 0; ; {
		i := strings.Index(text[at:], "\n\n")
		if i < 0 {
			break
		}
		at += i + 2
		starts = append(starts, at)
	}
	if len(starts) < 4 {
		return fmt.Sprintf("%d paragraphs", len(starts))
	}
	first, last := len(doc.Text), -1
	for _, f := range doc.Flags {
		if f.Kind == kind {
			first, last = min(first, f.Start), max(last, f.End)
		}
	}
	n := len(starts)
	switch {
	case last < 0:
		return "no flag"
	case first < starts[1]-2:
		return "flag in the first paragraph"
	case first > starts[2]:
		return "no flag in the second paragraph"
	case last > starts[n-1]:
		return "flag in the last paragraph"
	case last < starts[n-2]:
		return "no flag in the paragraph before the last"
	}
	return ""
}

// printTable prints a row for each trick and a column for each format.
func printTable(out io.Writer, formats []format, results []result) {
	worst := map[string]result{}
	for _, r := range results {
		key := r.trick + "/" + r.format
		if w, ok := worst[key]; ok {
			r.without, r.with = min(w.without, r.without), min(w.with, r.with)
			if w.place != "" {
				r.place = w.place
			}
		}
		worst[key] = r
	}
	fmt.Fprint(out, "| |")
	for _, f := range formats {
		fmt.Fprintf(out, " %s |", f.name)
	}
	fmt.Fprint(out, "\n|---|", strings.Repeat("---|", len(formats)), "\n")
	for _, t := range tricks {
		fmt.Fprintf(out, "| %s |", t.name)
		for _, f := range formats {
			r, ok := worst[t.name+"/"+f.name]
			if !ok {
				fmt.Fprint(out, " – |")
				continue
			}
			mark := ""
			if !r.good() {
				mark = " !"
			}
			fmt.Fprintf(out, " %.0f → %.1f%s |", r.without, r.with, mark)
		}
		fmt.Fprintln(out)
	}
}

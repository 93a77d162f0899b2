package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/ngram"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
)

type ngramsOptions struct {
	corpusOptions
	sizes        sizesFlag
	least, top   int
	sort, tokens string
}

func newCorpusNgramsCommand(g *globalOptions) *cobra.Command {
	o := ngramsOptions{sizes: sizesFlag{session.DefaultSize}, least: 1, sort: "count", tokens: "words"}
	cmd := &cobra.Command{
		Use:     "ngrams [flags] PATH...",
		Example: "  otisk corpus ngrams -n 3 --top 100 texts/\n  otisk corpus ngrams -n 7 --min-count 2 --sort text crawl.vert -o list.tsv",
		RunE:    func(cmd *cobra.Command, args []string) error { return runCorpusNgrams(cmd, g, &o, args) },
	}
	o.listFlags(cmd)
	o.headingFlag(cmd)
	f := cmd.Flags()
	f.VarP(&o.sizes, "words", "n", "`words` in one n-gram, or several sizes, such as 3,5")
	f.IntVar(&o.least, "min-count", o.least, "minimum `count` of a listed n-gram")
	f.IntVar(&o.top, "top", 0, "list only this `number` of the most frequent n-grams (default: all)")
	f.StringVar(&o.sort, "sort", o.sort, "`order`: count or text")
	f.StringVar(&o.tokens, "tokens", o.tokens, "`kind` of words: words (normalized) or blank (strings between blanks)")
	return cmd
}

// A sizesFlag is a size of n-grams, or several with commas between them.
type sizesFlag []int

func (s *sizesFlag) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(*s), " ", ","), "[]")
}

func (s *sizesFlag) Set(typed string) error {
	var list []int
	for part := range strings.SplitSeq(typed, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return err
		}
		list = append(list, n)
	}
	slices.Sort(list)
	*s = slices.Compact(list)
	return nil
}

// Type implements [pflag.Value]. The type is that of a single size, which is always a valid value.
func (s *sizesFlag) Type() string { return "int" }

func runCorpusNgrams(cmd *cobra.Command, g *globalOptions, o *ngramsOptions, paths []string) error {
	switch {
	case o.least < 1:
		return misuse("usage.want", "what", fmt.Sprintf("--min-count %d", o.least), "wanted", lang.NewMessage("usage.or-more", "n", 1))
	case o.top < 0:
		return misuse("usage.want", "what", fmt.Sprintf("--top %d", o.top), "wanted", lang.NewMessage("usage.or-more", "n", 0))
	case o.sort != "count" && o.sort != "text":
		return oneOf(fmt.Sprintf("--sort %q", o.sort), "count", "text")
	case o.tokens != "words" && o.tokens != "blank":
		return oneOf(fmt.Sprintf("--tokens %q", o.tokens), "words", "blank")
	}
	for _, n := range o.sizes {
		if n < 1 || n > ngram.Most {
			return misuse("usage.want", "what", fmt.Sprintf("-n %d", n), "wanted", lang.NewMessage("usage.words-to", "n", ngram.Most))
		}
	}
	return o.runList(cmd, g, paths, []any{o.sizes, o.tokens}, func(ctx context.Context, r *corpusRun, dir *work.Folder, out io.Writer) (corpus.Summary, error) {
		n := ngram.Options{
			Sizes: o.sizes, Least: uint64(o.least), Top: o.top, ByText: o.sort == "text", Blank: o.tokens == "blank",
			Memory: r.memory, Progress: r.p.count,
		}
		in := r.input()
		in.Read.AsIs = n.Blank
		t, err := o.table(out, "ngram", "count")
		if err != nil {
			return corpus.Summary{}, err
		}
		sums, err := ngram.List(ctx, in, n, dir, t.ngram())
		if err != nil || sums[0].Documents == 0 {
			return sums[0].Summary, err
		}
		for _, sum := range sums {
			if !g.quiet {
				fmt.Fprintln(cmd.ErrOrStderr(), printerOf(cmd.ErrOrStderr()).Text("terminal.listed",
					"listed", sum.Listed, "distinct", sum.Distinct, "size", sum.N, "grams", sum.Grams, "words", sum.Words))
			}
		}
		return sums[0].Summary, nil
	})
}

// ngram returns a function that writes an n-gram as a row. It must be fast, since there may be
// hundreds of millions of rows; it escapes nothing, since words contain no tabs and no line ends.
func (t *table) ngram() func(text []byte, count uint64) error {
	if t.jsonl {
		return func(text []byte, count uint64) error { return t.row(string(text), count) }
	}
	var line []byte
	return func(text []byte, count uint64) error {
		line = append(append(line[:0], text...), '\t')
		line = append(strconv.AppendUint(line, count, 10), '\n')
		_, err := t.w.Write(line)
		return err
	}
}

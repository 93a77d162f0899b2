package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/ngram"
	"github.com/otisk/otisk/corpus/stats"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
)

type statsOptions struct {
	corpusOptions
	sizes []int
}

func newStatsCommand(g *globalOptions) *cobra.Command {
	o := statsOptions{sizes: []int{3, 5, 7}}
	cmd := &cobra.Command{
		Use:     "stats [flags] PATH...",
		Example: "  otisk corpus stats texts/\n  otisk corpus stats --sizes 3,7,15 --format html -o stats.html crawl.vert",
		RunE:    func(cmd *cobra.Command, args []string) error { return runStats(cmd, g, &o, args) },
	}
	o.listFlags(cmd)
	f := cmd.Flags()
	f.Lookup("format").Usage = "`format` of the results: tsv, json or html (default: by the extension of --output, else tsv)"
	f.Lookup("format").DefValue = ""
	f.IntSliceVar(&o.sizes, "sizes", o.sizes, "sizes of the counted n-grams in `words`")

	return cmd
}

func (o *statsOptions) resolve(cmd *cobra.Command) (format string, err error) {
	format = o.format
	if !cmd.Flags().Changed("format") {
		switch strings.ToLower(filepath.Ext(o.out)) {
		case ".html", ".htm":
			format = "html"
		case ".json":
			format = "json"
		}
	}
	if format != "tsv" && format != "json" && format != "html" {
		return "", oneOf(fmt.Sprintf("--format %q", format), "tsv", "json", "html")
	}
	for _, n := range o.sizes {
		if n < 1 || n > ngram.Most {
			return "", misuse("usage.want", "what", fmt.Sprintf("--sizes %d", n), "wanted", lang.NewMessage("usage.words-to", "n", ngram.Most))
		}
	}
	o.format = "tsv"
	return format, nil
}

func runStats(cmd *cobra.Command, g *globalOptions, o *statsOptions, paths []string) error {
	format, err := o.resolve(cmd)
	if err != nil {
		return err
	}
	return o.runList(cmd, g, paths, []any{"stats"}, func(ctx context.Context, r *corpusRun, dir *work.Folder, out io.Writer) (corpus.Summary, error) {
		report, err := stats.Count(ctx, r.input(), stats.Options{Sizes: o.sizes, Memory: r.memory, Progress: r.p.count}, dir)
		sum := corpus.Summary{Documents: report.Documents, Problems: report.Problems, LeftOut: report.LeftOut}
		if err != nil || report.Documents == 0 {
			return sum, err
		}
		r.printSeparators(report.Separators)
		return sum, writeReport(out, format, r.title(), report)
	})
}

func writeReport(out io.Writer, format, title string, r stats.Report) error {
	switch format {
	case "html":
		return stats.WritePage(out, title, r)
	case "json":
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return writeStats(out, r)
}

// title returns the title of the report: the index, or the paths of the collection.
func (r *corpusRun) title() string {
	if r.index != nil {
		return r.s.Settings.Index
	}
	return strings.Join(r.paths, ", ")
}

func writeStats(out io.Writer, r stats.Report) error {
	rows := [][]any{
		{"documents", r.Documents}, {"paragraphs", r.Paragraphs}, {"sentences, about", r.Sentences}, {"words", r.Words}, {"words different", r.Distinct},
		{"type-token ratio", r.Ratio}, {"characters", r.Characters}, {"text bytes", r.TextBytes}, {"tags", r.Tags},
	}
	for _, s := range r.Sizes {
		name := func(what string) string { return fmt.Sprintf("%d-grams%s", s.N, what) }
		rows = append(rows, []any{name(""), s.Grams}, []any{name(" different"), s.Distinct}, []any{name(" once only"), s.Once},
			[]any{name(" repeated, percent"), 100 * s.Again}, []any{name(" index bytes, about"), s.Index})
		for _, f := range s.Often {
			rows = append(rows, []any{name(fmt.Sprintf(" there %d to %d times", f.From, f.To)), f.Distinct})
		}
	}
	return lists.Each(rows, func(row []any) error { return writeColumns(out, row) })
}

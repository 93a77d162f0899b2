package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
)

type fingerprintsOptions struct {
	corpusOptions
	column     int
	byDocument bool
}

func newFingerprintsCommand(g *globalOptions) *cobra.Command {
	o := fingerprintsOptions{}
	cmd := &cobra.Command{
		Use:     "fingerprints [flags] PATH...",
		Example: "  otisk corpus fingerprints crawl.vert -o crawl.tsv",
		RunE:    func(cmd *cobra.Command, args []string) error { return runFingerprints(cmd, g, &o, args) },
	}
	o.listFlags(cmd)
	cmd.Flags().IntVar(&o.column, "column", 1, "the words are in this `column` of vertical files")
	cmd.Flags().BoolVar(&o.byDocument, "by-document", false, "print a line for each document")
	return cmd
}

func runFingerprints(cmd *cobra.Command, g *globalOptions, o *fingerprintsOptions, paths []string) error {
	if o.column < 1 {
		return misuse("usage.want", "what", fmt.Sprintf("--column %d", o.column), "wanted", lang.NewMessage("usage.or-more", "n", 1))
	}
	o.noHeading = true
	return o.runList(cmd, g, paths, []any{o.column}, func(ctx context.Context, r *corpusRun, _ *work.Folder, out io.Writer) (corpus.Summary, error) {
		in := r.input()
		in.Column = o.column
		columns := []string{"fingerprint", "kind", "words", "document"}
		if o.byDocument {
			columns = []string{"document", "fingerprints"}
		}
		t, err := o.table(out, columns...)
		if err != nil {
			return corpus.Summary{}, err
		}
		worker := func() func(*corpus.Doc) ([]fingerprint.Paragraph, error) {
			return func(d *corpus.Doc) ([]fingerprint.Paragraph, error) { return fingerprint.Paragraphs(d.Words), nil }
		}
		return corpus.Map(ctx, in, worker, func(d *corpus.Doc, list []fingerprint.Paragraph) error {
			if o.byDocument {
				all := make(words, len(list))
				for i, p := range list {
					all[i] = p.String() + "." + p.Kind()
				}
				return t.row(d.ID, all)
			}
			return lists.Each(list, func(p fingerprint.Paragraph) error { return t.row(p.String(), p.Kind(), p.Words, d.ID) })
		})
	})
}

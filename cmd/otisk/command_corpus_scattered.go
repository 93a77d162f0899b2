package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/scattered"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/lang"
)

type scatteredOptions struct {
	corpusOptions
	n, least, sources int
	share             float64 // percent
}

func newScatteredCommand(g *globalOptions) *cobra.Command {
	d := scattered.Defaults()
	o := scatteredOptions{n: d.N, least: d.Least, sources: 1, share: 100 * d.Share}
	cmd := &cobra.Command{
		Use:     "scattered [flags] PATH...",
		Example: "  otisk corpus scattered texts/\n  otisk corpus scattered --sources 2 --share 90 crawl.vert",
		RunE:    func(cmd *cobra.Command, args []string) error { return runScattered(cmd, g, &o, args) },
	}
	o.listFlags(cmd)
	o.headingFlag(cmd)
	f := cmd.Flags()
	f.IntVarP(&o.n, "words", "n", o.n, "`words` in one n-gram")
	f.IntVar(&o.least, "least", o.least, "minimum number of `words` that a source covers and none before it does")
	f.IntVar(&o.sources, "sources", o.sources, "minimum `number` of sources of a listed document")
	f.Float64Var(&o.share, "share", o.share, "minimum `percentage` of a listed document that its sources cover")
	return cmd
}

func runScattered(cmd *cobra.Command, g *globalOptions, o *scatteredOptions, paths []string) error {
	if err := checkSize(o.n); err != nil {
		return err
	}
	switch {
	case o.least < 1:
		return misuse("usage.want", "what", fmt.Sprintf("--least %d", o.least), "wanted", lang.NewMessage("usage.or-more", "n", 1))
	case o.sources < 1:
		return misuse("usage.want", "what", fmt.Sprintf("--sources %d", o.sources), "wanted", lang.NewMessage("usage.or-more", "n", 1))
	case !(o.share >= 0 && o.share <= 100):
		return misuse("usage.want", "what", fmt.Sprintf("--share %v", o.share), "wanted", lang.NewMessage("usage.percentage"))
	}
	return o.runList(cmd, g, paths, []any{o.n}, func(ctx context.Context, r *corpusRun, dir *work.Folder, out io.Writer) (corpus.Summary, error) {
		s := scattered.Defaults()
		s.N, s.Least, s.Share, s.Memory, s.Progress = o.n, o.least, o.share/100, r.memory, r.p.count
		in := r.input()
		in.Most = corpus.Room(r.memory, scattered.DocBytes)
		t, err := o.table(out, "document", "share", "sources", "source", "words", "ranges")
		if err != nil {
			return corpus.Summary{}, err
		}
		return scattered.Find(ctx, in, s, dir, func(res scattered.Result) error { return o.write(t, res) })
	})
}

func (o *scatteredOptions) write(t *table, r scattered.Result) error {
	if len(r.Sources) < o.sources {
		return nil
	}
	for _, s := range r.Sources {
		words := make(ranges, len(s.Stretches))
		for i, w := range s.Stretches {
			words[i] = [2]int{int(w.From), int(w.To)}
		}
		if err := t.row(r.ID, 100*float64(r.Covered)/float64(max(r.Words, 1)), len(r.Sources), s.ID, s.Words, words); err != nil {
			return err
		}
	}
	return nil
}

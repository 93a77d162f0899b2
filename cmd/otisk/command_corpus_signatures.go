package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/signature"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
)

type signaturesOptions struct {
	corpusOptions
	column int
	butID  bool
	digits bool
	groups bool
	keep   string
	list   string
	write  bool
}

func newSignaturesCommand(g *globalOptions) *cobra.Command {
	o := signaturesOptions{}
	cmd := &cobra.Command{
		Use:     "signatures [flags] PATH...",
		Example: "  otisk corpus signatures --groups crawl.vert\n  otisk corpus signatures --column 1 --keep longest tagged.vert",
		RunE:    func(cmd *cobra.Command, args []string) error { return runSignatures(cmd, g, &o, args) },
	}
	o.listFlags(cmd)
	o.headingFlag(cmd)
	f := cmd.Flags()
	f.IntVar(&o.column, "column", 1, "the words are in this `column` of vertical files")
	f.BoolVar(&o.butID, "but-for-id", false, "compare unchanged documents without their ids")
	f.BoolVar(&o.digits, "digits", false, "compare digits, too")
	f.BoolVar(&o.groups, "groups", false, "list groups of more than one document")
	f.StringVar(&o.keep, "keep", "", "list the documents to keep; `which` of a group: first, longest or newest")
	f.StringVar(&o.list, "list", "", "write the documents that this `file` lists")
	f.BoolVar(&o.write, "write", false, "copy the documents, with their signatures")
	cmd.MarkFlagsMutuallyExclusive("groups", "keep", "list", "write")
	cmd.MarkFlagsMutuallyExclusive("but-for-id", "write")
	cmd.MarkFlagsMutuallyExclusive("digits", "but-for-id")
	cmd.MarkFlagsMutuallyExclusive("digits", "list")
	return cmd
}

// preferences has a function for each value of --keep. It reports whether a is kept rather than b.
var preferences = map[string]func(a, b signature.Entry) bool{
	"first":   func(a, b signature.Entry) bool { return a.N < b.N },
	"longest": func(a, b signature.Entry) bool { return a.Length > b.Length },
	"newest":  func(a, b signature.Entry) bool { return a.Time > b.Time },
}

func runSignatures(cmd *cobra.Command, g *globalOptions, o *signaturesOptions, paths []string) error {
	switch {
	case o.keep != "" && preferences[o.keep] == nil:
		return oneOf(fmt.Sprintf("--keep %q", o.keep), "first", "longest", "newest")
	case o.list != "" && same(o.list, o.out):
		return misuse("usage.written-over", "file", o.out)
	case o.butID && cmd.Flags().Changed("column"):
		return misuse("usage.whole-document")
	case o.list != "" && o.butID:
		return misuse("usage.list-compares")
	case o.column < 1:
		return misuse("usage.want", "what", fmt.Sprintf("--column %d", o.column), "wanted", lang.NewMessage("usage.or-more", "n", 1))
	}
	return o.runList(cmd, g, paths, []any{o.column, o.butID, o.digits}, func(ctx context.Context, r *corpusRun, dir *work.Folder, out io.Writer) (corpus.Summary, error) {
		in := r.input()
		in.Column = o.column
		return r.signatures(ctx, o, in, dir, out)
	})
}

func (r *corpusRun) signatures(ctx context.Context, o *signaturesOptions, in *corpus.Input, dir *work.Folder, out io.Writer) (corpus.Summary, error) {
	if o.list != "" {
		return r.selected(ctx, o.list, in, out)
	}
	if o.write {
		w, err := signature.Write(ctx, in, o.digits, out)
		r.unsigned(&w.Summary, w.Foreign)
		return w.Summary, err
	}
	l, err := signature.Read(ctx, in, signature.Options{ButForID: o.butID, Digits: o.digits, Memory: r.memory}, dir)
	if err != nil {
		return corpus.Summary{}, err
	}
	sum := l.Summary
	r.unsigned(&sum, l.Foreign)
	switch {
	case o.keep != "":
		err = l.EachKept(ctx, preferences[o.keep], func(id string) error { return writeName(out, o.format, id) })
	case o.groups:
		err = l.Groups(ctx, func(group []signature.Entry) error {
			if len(group) < 2 {
				return nil
			}
			ids := lists.Map(group, func(e signature.Entry) string { return e.ID })
			return writeGroup(out, o.format, group[0].Sum.String(), ids)
		})
	default:
		var t *table
		if t, err = o.table(out, "signature", "document"); err == nil {
			err = l.Each(ctx, func(e signature.Entry) error { return t.row(e.Sum.String(), e.ID) })
		}
	}
	return sum, err
}

// unsigned reports n documents without a signature as a problem.
func (r *corpusRun) unsigned(sum *corpus.Summary, n int) {
	if n > 0 {
		sum.Problems++
		r.problem("", lang.NewMessage("error.no-signature", "n", n))
	}
}

// selected writes the documents whose ids are in the file at path.
func (r *corpusRun) selected(ctx context.Context, path string, in *corpus.Input, out io.Writer) (sum corpus.Summary, err error) {
	list, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer closing.Into(&err, list)
	written, sum, err := signature.Select(ctx, in, list, out, r.problem)
	if err == nil && written == 0 {
		err = lang.NewMessage("error.list-matches-none")
	}
	sum.Problems = r.problems // those of the list, too
	return sum, err
}

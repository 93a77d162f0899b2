package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/near"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang"
)

type nearOptions struct {
	corpusOptions
	by        string
	threshold float64 // percent; negative for the method's default
	contained float64 // percent; negative for the method's default
	distance  int
	span      int
	cross     float64 // percent; negative if --cross was not given
	groups    bool
	keep      string
}

var nearMethods = map[string]near.Method{"paragraphs": near.Paragraphs, "shingles": near.Shingles, "rarest": near.Rarest, "simhash": near.Simhash}

func newNearCommand(g *globalOptions) *cobra.Command {
	o := nearOptions{by: "shingles", threshold: -1, contained: -1, distance: 5, span: 3, cross: -1}
	cmd := &cobra.Command{
		Use:     "near [flags] PATH...",
		Example: "  otisk corpus near articles/ > pairs.tsv\n  otisk corpus near --by paragraphs --keep longest crawl.vert -o keep.txt",
		RunE:    func(cmd *cobra.Command, args []string) error { return runNear(cmd, g, &o, args) },
	}
	o.listFlags(cmd)
	o.headingFlag(cmd)
	f := cmd.Flags()
	f.StringVar(&o.by, "by", o.by, "`method`: shingles, paragraphs, rarest or simhash")
	f.Float64Var(&o.threshold, "threshold", o.threshold, "minimum similarity of a pair, in `percent` (default: depends on the method)")
	f.Float64Var(&o.contained, "containment", o.contained, "minimum share of the smaller document in the larger one that also makes a pair, in `percent`; 0 to disable (default: 80 by shingles, else 0)")
	f.IntVar(&o.distance, "distance", o.distance, "maximum number of `bits` of a simhash that differ, up to 5")
	f.IntVar(&o.span, "span", o.span, "by rarest: number of `words` of a span, 3 or 5")
	f.Float64Var(&o.cross, "cross", o.cross, "by paragraphs: only pairs whose short paragraphs are less than this `percent` the same")
	f.BoolVar(&o.groups, "groups", false, "list groups of documents instead of pairs")
	f.StringVar(&o.keep, "keep", "", "list the documents to keep instead of pairs; `which` of near-duplicates: longest, first or newest")
	cmd.MarkFlagsMutuallyExclusive("groups", "keep", "cross")
	for _, name := range []string{"threshold", "containment", "cross"} {
		f.Lookup(name).DefValue = "0" // so that help does not show -1, which is not a valid value
	}
	return cmd
}

func (o *nearOptions) resolve(cmd *cobra.Command) (near.Options, error) {
	by, ok := nearMethods[o.by]
	n := near.Defaults(by)
	given := cmd.Flags().Changed
	switch {
	case !ok:
		return n, oneOf(fmt.Sprintf("--by %q", o.by), "shingles", "paragraphs", "rarest", "simhash")
	case given("threshold") && by == near.Simhash:
		return n, misuse("usage.distance-instead")
	case given("distance") && by != near.Simhash:
		return n, misuse("usage.only-with", "flags", "--distance", "other", "--by simhash")
	case given("span") && by != near.Rarest:
		return n, misuse("usage.only-with", "flags", "--span", "other", "--by rarest")
	case o.span != 3 && o.span != 5:
		return n, oneOf(fmt.Sprintf("--span %d", o.span), "3", "5")
	case given("threshold") && !(o.threshold > 0 && o.threshold <= 100):
		return n, misuse("usage.want", "what", fmt.Sprintf("--threshold %v", o.threshold), "wanted", lang.NewMessage("usage.percentage-over"))
	case given("containment") && !(o.contained >= 0 && o.contained <= 100):
		return n, misuse("usage.want", "what", fmt.Sprintf("--containment %v", o.contained), "wanted", lang.NewMessage("usage.percentage"))
	case given("cross") && by != near.Paragraphs:
		return n, misuse("usage.only-with", "flags", "--cross", "other", "--by paragraphs")
	case given("cross") && !(o.cross >= 0 && o.cross <= 101):
		return n, misuse("usage.want", "what", fmt.Sprintf("--cross %v", o.cross), "wanted", lang.NewMessage("usage.percentage"))
	case o.distance < 0 || o.distance > 5:
		return n, misuse("usage.want", "what", fmt.Sprintf("--distance %d", o.distance), "wanted", lang.NewMessage("usage.range", "n", 0, "most", 5))
	case o.keep != "" && o.keep != "longest" && o.keep != "first" && o.keep != "newest":
		return n, oneOf(fmt.Sprintf("--keep %q", o.keep), "longest", "first", "newest")
	case given("containment") && by != near.Shingles && by != near.Paragraphs && o.contained > 0:
		return n, misuse("usage.only-with", "flags", "--containment", "other", joined("usage.or", []string{"--by shingles", "--by paragraphs"}))
	}
	if given("threshold") {
		n.Threshold = o.threshold / 100
	}
	if given("containment") {
		n.Contained = o.contained / 100
	}
	if given("cross") {
		n.Short = fingerprint.LongParagraph
	}
	if by == near.Rarest {
		n.Words = o.span
	}
	n.Distance = o.distance
	return n, nil
}

func runNear(cmd *cobra.Command, g *globalOptions, o *nearOptions, paths []string) error {
	n, err := o.resolve(cmd)
	if err != nil {
		return err
	}
	return o.runList(cmd, g, paths, []any{n.By, n.Short, n.Words}, func(ctx context.Context, r *corpusRun, dir *work.Folder, out io.Writer) (corpus.Summary, error) {
		n.Memory, n.Progress = r.memory, r.p.count
		in := r.input()
		in.Most = corpus.Room(r.memory, near.DocBytes(n.By))
		d, err := near.Read(ctx, in, n, dir)
		if err != nil || len(d.Docs) == 0 {
			return corpus.Summary{}, err
		}
		if n.By == near.Paragraphs || n.By == near.Rarest {
			r.printSeparators(d.Summary.Separators)
		}
		pairs, err := d.Pairs(ctx)
		if err != nil {
			return d.Summary, err
		}
		l := nearLister{o: o, d: d, w: out}
		return d.Summary, l.list(ctx, pairs)
	})
}

type nearLister struct {
	o     *nearOptions
	d     *near.Data
	w     io.Writer
	pairs *table // nil if no pairs are listed
}

func (l *nearLister) list(ctx context.Context, pairs []near.Pair) error {
	switch {
	case l.o.keep != "":
		prefer := map[string]func(a, b uint32) int{"longest": l.d.Longer, "first": cmp.Compare[uint32], "newest": l.d.Newer}[l.o.keep]
		return lists.Each(l.d.Kept(pairs, prefer), func(doc uint32) error { return writeName(l.w, l.o.format, l.d.Docs[doc].ID) })
	case l.o.groups:
		return l.groups(pairs)
	}
	var err error
	if l.pairs, err = l.o.table(l.w, append([]string{"document", "other"}, l.figures()...)...); err != nil {
		return err
	}
	if l.o.cross >= 0 {
		return l.crossed(ctx, pairs)
	}
	return l.d.Expand(ctx, pairs, l.pair)
}

func (l *nearLister) figures() []string {
	switch {
	case l.o.cross >= 0:
		return []string{"long", "short"}
	case l.o.by == "simhash":
		return []string{"distance"}
	case l.o.by == "shingles":
	case l.o.contained <= 0:
		return []string{"similarity"}
	default:
		return []string{"similarity", "containment"}
	}
	return []string{"resemblance", "containment"}
}

func (l *nearLister) pair(p near.Pair) error {
	a, b := p.A, p.B
	switch l.o.by {
	case "simhash":
		return l.pairs.row(l.d.Docs[a].ID, l.d.Docs[b].ID, int(p.Common))
	case "paragraphs", "rarest":
		row := []any{l.d.Docs[a].ID, l.d.Docs[b].ID, 100 * l.d.Similarity(p)}
		if l.o.contained > 0 {
			row = append(row, 100*l.d.Containment(p))
		}
		return l.pairs.row(row...)
	}
	if l.d.Longer(a, b) > 0 {
		a, b = b, a
	}
	return l.pairs.row(l.d.Docs[a].ID, l.d.Docs[b].ID, 100*l.d.Similarity(p), 100*l.d.Containment(p))
}

// crossed writes the pairs whose short paragraphs are less similar than --cross.
func (l *nearLister) crossed(ctx context.Context, pairs []near.Pair) (err error) {
	shorts, err := l.d.Shorts()
	if err != nil {
		return err
	}
	defer closing.Into(&err, shorts)
	return l.d.Expand(ctx, pairs, func(p near.Pair) error {
		short, err := shorts.Similarity(p.A, p.B)
		if err != nil || 100*short >= l.o.cross {
			return err
		}
		return l.pairs.row(l.d.Docs[p.A].ID, l.d.Docs[p.B].ID, 100*l.d.Similarity(p), 100*short)
	})
}

func (l *nearLister) groups(pairs []near.Pair) error {
	for _, group := range l.d.Groups(pairs) {
		ids := lists.Map(group, func(doc uint32) string { return l.d.Docs[doc].ID })
		if err := writeGroup(l.w, l.o.format, "", ids); err != nil {
			return err
		}
	}
	return nil
}

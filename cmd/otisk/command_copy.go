package main

import (
	"github.com/spf13/cobra"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/indexer/upkeep"
	"github.com/otisk/otisk/internal/closing"
)

type copyOptions struct {
	from, to string
	bulkLoad bool
	expect   bytesFlag
}

func newCopyCommand(g *globalOptions) *cobra.Command {
	o := copyOptions{}
	cmd := &cobra.Command{
		Use:     "copy --from INDEX --to INDEX",
		Example: "  otisk copy --from otisk.index --to http://localhost:9200/theses",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runCopy(cmd, g, o) },
	}
	cmd.Flags().StringVar(&o.from, "from", "", "`index` to read")
	cmd.Flags().StringVar(&o.to, "to", "", "`index` to write")
	cmd.Flags().BoolVar(&o.bulkLoad, "bulk-load", false, "disable refreshes and replicas in the cluster until the end")
	cmd.Flags().Var(&o.expect, "expect", "expected `size` of all texts in a new index in a cluster, such as 30GB; sets its number of shards")
	return cmd
}

func runCopy(cmd *cobra.Command, g *globalOptions, o copyOptions) (err error) {
	if o.from == "" || o.to == "" {
		return misuse("usage.copy")
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	source, err := s.folderOr(o.from)
	if err != nil {
		return err
	}
	source.otherWords = true                  // n-grams are made again
	source.settings.Sample = config.AsIndexed // the sample of the settings applies to the target
	target, err := s.folderOr(o.to)
	if err != nil {
		return err
	}
	if source.settings.Embedded() && target.settings.Embedded() && canonical(source.settings.Index) == canonical(target.settings.Index) {
		return misuse("usage.one-index", "from", o.from, "to", o.to)
	}
	if err := target.plan(o.bulkLoad, int64(o.expect)); err != nil {
		return err
	}
	target.warn = func(err error) { warn(cmd, err) }
	r, err := source.reader(cmd.Context())
	if err != nil {
		return err
	}
	defer closing.Into(&err, r)
	w, err := target.writer(cmd.Context(), true)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	p := newProgress(cmd, g.quiet, false)
	sum, err := upkeep.Copy(cmd.Context(), r, w, s.norms, p.event)
	return p.finishUpkeep(cmd, w, "terminal.copied", sum, err)
}

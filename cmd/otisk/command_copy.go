package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/indexer/upkeep"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/store"
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
	source, err := s.FolderOr(o.from)
	if err != nil {
		return err
	}
	target, err := s.FolderOr(o.to)
	if err != nil {
		return err
	}
	if source.Settings.Embedded() && target.Settings.Embedded() && walk.Absolute(source.Settings.Index) == walk.Absolute(target.Settings.Index) {
		return misuse("usage.one-index", "from", o.from, "to", o.to)
	}
	if err := target.Plan(o.bulkLoad, int64(o.expect)); err != nil {
		return err
	}
	target.Warn = func(err error) { warn(cmd, err) }
	return source.CopyTo(cmd.Context(), target, func(r store.Reader, w store.Store) error {
		p := newProgress(cmd, g.quiet, false)
		sum, err := upkeep.Copy(cmd.Context(), r, w, s.Norms, p.event)
		return p.finishUpkeep(cmd, w, "terminal.copied", sum, err)
	})
}

func newUpgradeCommand(g *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use:     "upgrade",
		Example: "  otisk upgrade --index theses.index",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runUpgrade(cmd, g) },
	}
}

func runUpgrade(cmd *cobra.Command, g *globalOptions) (err error) {
	s, err := g.resolve()
	if err != nil {
		return err
	}
	w, err := s.Writer(cmd.Context(), false)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	s.LimitMemory()
	p := newProgress(cmd, g.quiet, false)
	sum, err := upkeep.Upgrade(cmd.Context(), w, s.Norms, p.event)
	return p.finishUpkeep(cmd, w, "terminal.upgraded", sum, err)
}

// finishUpkeep merges the index unless err is set, and prints the summary.
func (p *progress) finishUpkeep(cmd *cobra.Command, w store.Store, message string, sum ledger.Summary, err error) error {
	if err == nil {
		p.drawMessage("terminal.merging")
		err = upkeep.Tidy(cmd.Context(), w, sum)
	}
	p.end()
	printer := printerOf(cmd.ErrOrStderr())
	done := printer.Text(message, "n", sum.Committed, "there", sum.Unchanged)
	if sum.Replaced > 0 {
		done += ", " + printer.Text("terminal.replaced", "n", sum.Replaced)
	}
	fmt.Fprintln(cmd.OutOrStdout(), done)
	if err == nil && sum.Failed > 0 {
		return skippedError{sum.Failed, sum.Files, "error.skipped-documents"}
	}
	return err
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/indexer/upkeep"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/store"
)

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

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer/upkeep"
	"github.com/otisk/otisk/internal/closing"
)

func newUpgradeCommand(g *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade",
		Short: "Index the documents of an index by pairs of words",
		Long: `Index documents that were indexed with --no-reworded by pairs of neighbouring
words, which find reworded copies. The command makes the pairs from the texts in
the index and reads no files. It commits repeatedly: after an interruption,
repeat it, and it continues.

EXIT STATUS
  0  all documents are indexed by pairs of words
  1  the index could not be upgraded
  2  wrong flag or setting
  4  the cluster could not be reached or refused the request
  5  the text of some documents is not kept: index their files again
  130  interrupted; finished documents are in the index`,
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
	w, err := s.writer(cmd.Context(), false)
	if err != nil {
		return err
	}
	defer closing.Into(&err, w)
	s.limitMemory()
	p := newProgress(cmd, g.quiet, false)
	sum, err := upkeep.Upgrade(cmd.Context(), w, s.norms, p.event)
	if err == nil {
		p.drawMessage("terminal.merging")
		err = upkeep.Tidy(cmd.Context(), w, sum)
	}
	p.end()
	fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.upgraded", "n", sum.Committed, "there", sum.Unchanged))
	if err == nil && sum.Failed > 0 {
		return skippedError{sum.Failed, sum.Files, "error.skipped-documents"}
	}
	return err
}

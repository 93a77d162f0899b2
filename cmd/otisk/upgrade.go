package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer"
)

func newUpgradeCommand(g *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade",
		Short: "Make an index find reworded copies",
		Long: `Index every document of an index by pairs of neighbouring words too, where it is
not: in an index that an older otisk made, or that was made with --no-reworded.
By these, copies are found that were reworded. The texts that the index keeps
are enough, no file is read. What is done is committed now and then, so the
command can be interrupted and repeated.

EXIT STATUS
  0  all documents are indexed by pairs of words
  1  the index could not be upgraded
  2  wrong flag or setting
  4  the cluster could not be reached or refused
  5  the text of some documents is not kept: index their files again
  130  interrupted; what was done is in the index`,
		Example: "  otisk upgrade --index theses.index",
		Args:    exactly(0, "no arguments"),
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
	defer closeInto(&err, w)
	s.limitMemory()
	p := newProgress(cmd, g.quiet, false)
	sum, err := indexer.Upgrade(cmd.Context(), w, s.norms, p.event)
	if err == nil {
		p.say("terminal.merging")
		err = indexer.Tidy(cmd.Context(), w, sum)
	}
	p.end()
	fmt.Fprintf(cmd.OutOrStdout(), "upgraded %d documents, %d were up to date\n", sum.Committed, sum.Unchanged)
	if err == nil && sum.Failed > 0 {
		return skippedError{sum.Failed, sum.Files}
	}
	return err
}

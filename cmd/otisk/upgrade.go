package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/closing"
)

func newUpgradeCommand(g *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade",
		Short: "Give an older index what indexing anew would give it",
		Long: `Add to the documents of an index what an older otisk did not make, or
--no-reworded left out: pairs of neighbouring words, by which copies are found
that were reworded, and marks in the texts, by which a search reads of a long
text only the parts that it needs. The texts that the index keeps are enough, no
file is read. What is done is committed now and then, so the command can be
interrupted and repeated.

EXIT STATUS
  0  all documents have pairs of words, and their texts marks
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
	defer closing.Into(&err, w)
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
		return skippedError{sum.Failed, sum.Files, "said.skipped-documents"}
	}
	return err
}

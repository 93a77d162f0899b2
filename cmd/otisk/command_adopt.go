package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/esclient"
)

func newAdoptCommand(g *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "adopt",
		Short: "Adopt a restored copy of an index in a cluster",
		Long: `Give the indices NAME-* in a cluster the aliases that otisk needs, where NAME is the
index of --index. Other indices lose these aliases, and the adopted ones lose those of
the index that they are a copy of. Use it after a snapshot was restored under another
name or without aliases. No data are changed.

EXIT STATUS
  0  the index can be opened
  1  there are no such indices, or otisk did not make them
  2  wrong flag or setting, or the index is in a folder
  4  the cluster could not be reached or refused the request`,
		Example: "  otisk adopt --index http://localhost:9200/restored",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := g.inCluster()
			if err != nil {
				return err
			}
			list, err := esclient.Adopt(cmd.Context(), s.cluster())
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.adopted", "indices", strings.Join(list, ", ")))
			return nil
		},
	}
}

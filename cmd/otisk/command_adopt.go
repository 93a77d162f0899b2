package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/esclient"
)

func newAdoptCommand(g *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use:     "adopt",
		Example: "  otisk adopt --index http://localhost:9200/restored",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := g.inCluster()
			if err != nil {
				return err
			}
			list, err := esclient.Adopt(cmd.Context(), s.Cluster())
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.adopted", "indices", strings.Join(list, ", ")))
			return nil
		},
	}
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/jobs"
)

func newServeMoveCommand(g *globalOptions) *cobra.Command {
	var o serveOptions
	toFolder := false
	cmd := &cobra.Command{
		Use:     "move [flags] --data DIR NAME",
		Example: "  otisk serve move --data /srv/otisk --cluster https://es.example.org:9200/otisk Theses",
		Args:    exactly(1, lang.NewMessage("usage.one-collection")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.data == "" || o.cluster == "" {
				return misuse("usage.serve-move")
			}
			return runServeMove(cmd, g, &o, desk.Moving{Collection: args[0], ToFolder: toFolder})
		},
	}
	o.placeFlags(cmd.Flags())
	cmd.Flags().BoolVar(&toFolder, "to-folder", false, "move the collection from the cluster into the data folder")
	return cmd
}

func runServeMove(cmd *cobra.Command, g *globalOptions, o *serveOptions, m desk.Moving) (err error) {
	s, cluster, err := o.session(g)
	if err != nil {
		return err
	}
	f, err := o.open(cmd)
	if err != nil {
		return err
	}
	defer closing.Into(&err, f)
	copied, err := jobs.Move(cmd.Context(), s, f, cluster, m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.collection-moved", "name", m.Collection, "n", copied))
	return err
}

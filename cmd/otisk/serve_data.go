package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/serve/desk"
	"github.com/otisk/otisk/serve/jobs"
	"github.com/otisk/otisk/serve/storage"
)

func newServeBackupCommand(g *globalOptions) *cobra.Command {
	data, bucket := "", ""
	cmd := &cobra.Command{
		Use:     "backup [flags] --data DIR OUT",
		Example: "  otisk serve backup --data /srv/otisk /backup/otisk-monday",
		Args:    exactly(1, lang.NewMessage("usage.one-folder")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if data == "" {
				return misuse("usage.serve-data")
			}
			return runServeBackup(cmd, g, backupFrom{data, bucket}, args[0])
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "`folder` with all data of the server")
	bucketFlag(cmd.Flags(), &bucket)
	return cmd
}

type backupFrom struct{ data, bucket string }

func runServeBackup(cmd *cobra.Command, g *globalOptions, from backupFrom, out string) error {
	s, err := g.resolve()
	if err != nil {
		return err
	}
	b, err := openBucket(from.bucket)
	if err != nil {
		return err
	}
	left, err := storage.Backup(cmd.Context(), from.data, out, b, jobs.CopyFolder(s))
	if err != nil {
		return err
	}
	if left > 0 {
		warn(cmd, lang.NewMessage("error.not-backed-up", "n", left))
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), printerOf(cmd.ErrOrStderr()).Text("terminal.backed-up", "folder", out))
	return err
}

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

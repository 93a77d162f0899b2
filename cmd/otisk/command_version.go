package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// release is the version of the program.
const release = "0.1.0"

func version() string { return release }

// versionLine is what the command version prints, and the flag.
func versionLine() string {
	return fmt.Sprintf("otisk %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  otisk version",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write the manual pages into a folder",
		Long: `Write a manual page for each command into a folder: otisk.1, otisk-index.1 and
so on, for man(1).`,
		Example: "  otisk man /usr/local/share/man/man1",
		Args:    exactly(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return fmt.Errorf("make the folder of the manual: %w", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			date := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
			header := &doc.GenManHeader{Title: "OTISK", Section: "1", Source: "otisk " + version(), Date: &date}
			if err := doc.GenManTree(root, header, filepath.Clean(args[0])); err != nil {
				return fmt.Errorf("write the manual: %w", err)
			}
			return nil
		},
	}
}

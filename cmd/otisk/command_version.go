package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/internal/project"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Example: "  otisk version",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), project.Built().String())
			return err
		},
	}
}

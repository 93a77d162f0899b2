package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/lang"
)

// langFlag adds the flag that every command has for the language of its
// messages and reports.
func langFlag(root *cobra.Command) {
	root.PersistentFlags().String("lang", "", "`language` of reports and messages: cs, de, en or sk (default: that of the system, else en)")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		_, err := languageOf(cmd)
		return err
	}
}

// languageOf returns the language to speak in.
func languageOf(cmd *cobra.Command) (*lang.Printer, error) {
	name, err := cmd.Flags().GetString("lang")
	if err != nil {
		return nil, err
	}
	p, err := lang.Choose(name, os.Getenv)
	if err != nil {
		return nil, usagef("--lang: %w", err)
	}
	return p, nil
}

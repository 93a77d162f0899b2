package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

var firstCommands = [][2]string{
	{"otisk demo", "terminal.greet-demo"},
	{"otisk index FOLDER", "terminal.greet-index"},
	{"otisk search FILE -o report.html", "terminal.greet-search"},
}

// greet prints the first commands to try. otisk without arguments does nothing else.
func greet(cmd *cobra.Command) error {
	p := printerOf(cmd.ErrOrStderr())
	width := 0
	for _, c := range firstCommands {
		width = max(width, utf8.RuneCountInString(c[0]))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", p.Text("terminal.greet"))
	for _, c := range firstCommands {
		fmt.Fprintf(&b, "  %-*s   %s\n", width, c[0], p.Text(c[1]))
	}
	fmt.Fprintf(&b, "\n%s\n", p.Text("terminal.greet-more"))
	_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
	return err
}

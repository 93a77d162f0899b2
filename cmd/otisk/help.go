package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/lang"
)

// localize puts the help of root and of all commands below it into the language of p.
func localize(root *cobra.Command, p *lang.Printer) {
	root.SetUsageFunc(func(cmd *cobra.Command) error { return printUsage(cmd, p) })
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		about := cmd.Long
		if about == "" {
			about = cmd.Short
		}
		fmt.Fprintln(cmd.OutOrStdout(), strings.TrimSpace(about))
		fmt.Fprintln(cmd.OutOrStdout())
		_ = printUsage(cmd, p) // results notes a failed write
	})
	root.InitDefaultHelpCmd()
	localizeCommand(root, p)
}

// localizeCommand translates the texts of cmd and of the commands below it.
func localizeCommand(cmd *cobra.Command, p *lang.Printer) {
	if !cmd.HasSubCommands() && !strings.Contains(cmd.Use, "[flags]") {
		cmd.Use += " [flags]"
	}
	cmd.Use, cmd.DisableFlagsInUseLine = strings.Replace(cmd.Use, "[flags]", p.Text("help.bracket-flags"), 1), true
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	if f := cmd.Flags().Lookup("help"); f != nil {
		f.Usage = p.Text("help.flag-help")
	}
	if f := cmd.Flags().Lookup("version"); f != nil {
		f.Usage = p.Text("help.flag-version")
	}
	path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
	if h, ok := p.Help(path); ok {
		cmd.Short, cmd.Long = h.Short, h.Long
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if usage, ok := h.Flags[f.Name]; ok {
				f.Usage = usage
			}
		})
	}
	for _, below := range cmd.Commands() {
		localizeCommand(below, p)
	}
}

// printUsage prints how to call cmd, its examples, the commands below it and its flags.
func printUsage(cmd *cobra.Command, p *lang.Printer) error {
	var b bytes.Buffer
	section := func(message, text string) {
		fmt.Fprintf(&b, "\n%s\n%s\n", p.Text(message), strings.TrimRight(text, "\n "))
	}
	fmt.Fprintln(&b, p.Text("help.usage"))
	fmt.Fprintln(&b, "  "+cmd.UseLine())
	if cmd.HasExample() {
		section("help.examples", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		var list strings.Builder
		for _, below := range cmd.Commands() {
			if below.IsAvailableCommand() {
				fmt.Fprintf(&list, "  %-*s  %s\n", cmd.NamePadding(), below.Name(), below.Short)
			}
		}
		section("help.commands", list.String())
	}
	if cmd.HasAvailableLocalFlags() {
		section("help.flags", flagUsages(cmd.LocalFlags(), p))
	}
	if cmd.HasAvailableInheritedFlags() {
		section("help.global-flags", flagUsages(cmd.InheritedFlags(), p))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s\n", p.Text("help.more", "command", cmd.CommandPath()+" COMMAND --help"))
	}
	_, err := io.Copy(cmd.OutOrStdout(), &b)
	return err
}

// flagUsages returns the list of flags, with the usages in one column. pflag aligns them by
// bytes, which fails for names of values with accents, and writes "default" in English.
func flagUsages(flags *pflag.FlagSet, p *lang.Printer) string {
	lines := strings.Split(flags.FlagUsages(), "\n")
	type row struct{ left, usage string }
	var rows []row
	width := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		_, usage := pflag.UnquoteUsage(f)
		left, _, _ := strings.Cut(lines[len(rows)], "   "+usage)
		r := row{strings.TrimRight(left, " "), strings.TrimLeft(lines[len(rows)][len(left):], " ")}
		width = max(width, utf8.RuneCountInString(r.left))
		rows = append(rows, r)
	})
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s   %s\n", width, r.left, strings.Replace(r.usage, " (default ", " ("+p.Text("help.default")+" ", 1))
	}
	return b.String()
}

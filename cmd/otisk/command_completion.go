package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search/exclude"
)

// addCompletion adds the command that writes completion scripts for shells, and registers
// the values of flags with all commands.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	offer(root, "lang", lang.Tags())
	offer(root, "boilerplate", []string{"keep", "strip"})
	offer(root, "projects", []string{"archives", "folders", "none"})
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			needShell(cmd)
		}
		offer(cmd, "exclude", exclude.Kinds())
		offer(cmd, "format", formatsOf(cmd))
		for _, below := range cmd.Commands() {
			offer(below, "format", formatsOf(below))
		}
	}
}

func needShell(cmd *cobra.Command) {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return cmd.Help()
	}
	cmd.Args = cobra.ArbitraryArgs
	for _, shell := range cmd.Commands() {
		shell.Args = noArguments
	}
}

// formatsOf returns the values of --format of cmd; nil if it has no such flag.
func formatsOf(cmd *cobra.Command) []string {
	switch f := cmd.Flags().Lookup("format"); {
	case f == nil:
		return nil
	case f.Value.Type() == "stringSlice":
		return report.Formats()
	case cmd.Name() == "stats":
		return []string{"tsv", "json", "html"}
	case cmd.Parent().Name() == "corpus":
		return []string{"tsv", "jsonl"}
	}
	return report.ListFormats()
}

// offer registers values as completions of a flag of cmd, if cmd has that flag. If the flag
// takes a list, values already in the list are not offered.
func offer(cmd *cobra.Command, name string, values []string) {
	f := cmd.Flags().Lookup(name)
	if f == nil {
		f = cmd.PersistentFlags().Lookup(name) // LocalFlags finds both, but copies the flags of all parents first
	}
	if f == nil {
		return
	}
	list := f.Value.Type() == "stringSlice"
	err := cmd.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if !list {
			return values, cobra.ShellCompDirectiveNoFileComp
		}
		return further(values, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	if err != nil {
		panic(err) // cannot occur: the flag exists
	}
}

// further returns the completions of typed, a comma-separated list whose last value may be
// incomplete.
func further(values []string, typed string) []string {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var lists []string
	for _, v := range values {
		if !slices.Contains(strings.Split(before, ","), v) {
			lists = append(lists, before+v)
		}
	}
	return lists
}

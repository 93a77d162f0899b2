package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search/exclude"
)

// addCompletion adds the command that writes completion for shells, and says to
// all commands which values their flags take.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	offer(root, "lang", lang.Tags())
	offer(root, "boilerplate", []string{"keep", "strip"})
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

// needShell makes a mistake of a shell that is not known, or not named.
func needShell(cmd *cobra.Command) {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return cmd.Help()
	}
	cmd.Args = cobra.ArbitraryArgs
}

// formatsOf returns what --format of a command takes.
func formatsOf(cmd *cobra.Command) []string {
	switch f := cmd.LocalFlags().Lookup("format"); {
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

// offer completes a flag of a command, if it has it, with some values; where the flag
// takes a list, with those that are not in it.
func offer(cmd *cobra.Command, name string, values []string) {
	f := cmd.LocalFlags().Lookup(name)
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
		panic(err) // the flag is there
	}
}

// further returns the lists that typed, which ends in the start of a value, can
// become with one value more.
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

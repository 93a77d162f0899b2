package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/samples"
)

const demoFolder = "otisk-demo"

func newDemoCommand(g *globalOptions) *cobra.Command {
	open := false
	cmd := &cobra.Command{
		Use:     "demo [flags] [FOLDER]",
		Example: "  otisk demo\n  otisk demo --open trial/",
		Args:    demoArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := demoFolder
			if len(args) > 0 {
				dir = args[0]
			}
			return runDemo(cmd, g, dir, open)
		},
	}
	cmd.Flags().BoolVar(&open, "open", false, "open the HTML report, or the overview of several, in a browser")
	return cmd
}

// demoArguments rejects more than one folder, and the flags that select another index or settings.
func demoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return misuse("usage.takes", "command", cmd.Name(), "what", lang.NewMessage("usage.folder-at-most"), "n", len(args))
	}
	for _, name := range []string{"index", "config"} {
		if cmd.Flags().Changed(name) {
			return misuse("usage.demo-flag", "flag", "--"+name)
		}
	}
	return nil
}

// runDemo indexes and checks the sample texts in dir, by the default settings.
func runDemo(cmd *cobra.Command, g *globalOptions, dir string, open bool) error {
	if err := spareIndex("FOLDER", dir); err != nil {
		return err
	}
	if err := samples.Extract(dir); err != nil {
		return err
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	own := globalOptions{settings: config.Default(), index: pathOf(at("index")), quiet: g.quiet}
	if err := runIndex(cmd, &own, newIndexOptions(), []string{at("collection")}); err != nil {
		return err
	}
	o := newSearchOptions()
	o.target = target{formats: []string{"html"}, out: at("reports")}
	o.review.open = open
	if err := runSearch(cmd, &own, o, []string{at("suspects")}); err != nil {
		return err
	}
	if !g.quiet {
		p := printerOf(cmd.ErrOrStderr())
		fmt.Fprintln(cmd.OutOrStdout(), p.Text("terminal.demo-next", "index", printable(at("index"))))
	}
	return nil
}

// pathOf returns a relative path with a separator, so that it is not taken for a name in a cluster.
func pathOf(path string) string {
	if session.IsPath(path) {
		return path
	}
	return "." + string(filepath.Separator) + path
}

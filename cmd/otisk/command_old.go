package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/otisk/otisk/internal/session"
)

// oldOptions hold the flags of Neuromancer's command lines, which have no subcommand:
//
//	otisk -i examples -n5 -v
//	otisk -f suspect.txt -a50 -m7
//	otisk -f suspect.txt another.txt -o reports
//
// They are supported, but the help does not show them.
type oldOptions struct {
	indexPath  string
	searchPath string
	deletePath string
	clean      bool
	yes        bool
	docs       bool
	ngrams     bool
	prefix     string
	n          int
	out        string
	index      indexOptions
	search     searchOptions
}

func (o *oldOptions) flags(f *pflag.FlagSet) {
	f.StringVarP(&o.indexPath, "index-path", "i", "", "index a file or folder")
	f.StringVarP(&o.searchPath, "file", "f", "", "check a file or folder")
	f.StringVarP(&o.deletePath, "delete", "d", "", "delete a document")
	f.BoolVar(&o.clean, "clean", false, "empty the index")
	f.BoolVar(&o.yes, "yes", false, "do not ask for confirmation")
	f.BoolVar(&o.docs, "get-docs", false, "list documents")
	f.BoolVar(&o.ngrams, "get-ngram-list", false, "list sizes of n-grams")
	f.StringVarP(&o.prefix, "prefix", "p", "", "put before the path")
	f.IntVarP(&o.n, "words", "n", session.DefaultSize, "words in one n-gram")
	f.StringVarP(&o.out, "output", "o", "", "folder for the reports")
	f.BoolVarP(&o.index.verbose, "verbose", "v", false, "numbers and memory")
	f.Float64VarP(&o.search.percent, "percent", "a", o.search.percent, "minimum percent of n-grams")
	f.IntVarP(&o.search.run, "run", "m", o.search.run, "minimum run of words")
	f.BoolVarP(&o.search.Detail, "detail", "w", false, "more detail")
	f.VisitAll(func(flag *pflag.Flag) { flag.Hidden = true })
}

// withDefaults returns the arguments without -a, -m and -n that have no value, for which
// Neuromancer had defaults. Command lines with a subcommand are returned unchanged.
func withDefaults(root *cobra.Command, args []string) []string {
	if cmd, _, err := root.Find(args); cmd != root || err != nil {
		return args
	}
	var kept []string
	for i, a := range args {
		last := i+1 == len(args) || len(args[i+1]) > 1 && args[i+1][0] == '-' && (args[i+1][1] < '0' || args[i+1][1] > '9')
		if !last || a != "-a" && a != "-m" && a != "-n" {
			kept = append(kept, a)
		}
	}
	return kept
}

// run executes the command that corresponds to the old flags, or prints the first commands to try if there are none. more
// has the paths in addition to that of -i, -f or -d.
func (o *oldOptions) run(cmd *cobra.Command, g *globalOptions, more []string) error {
	o.index.n, o.index.prefix = o.n, o.prefix
	o.search.N, o.search.target.out = o.n, o.out
	o.search.review.places = o.index.verbose
	jobs := []struct {
		asked bool
		run   func() error
	}{
		{o.indexPath != "", func() error { return runIndex(cmd, g, o.index, with(o.indexPath, more)) }},
		{o.searchPath != "", func() error { return runSearch(cmd, g, o.search, with(o.searchPath, more)) }},
		{o.deletePath != "", func() error {
			return runDelete(cmd, g, deleteOptions{prefix: given(o.prefix)}, with(o.deletePath, more))
		}},
		{o.clean, func() error { return runClean(cmd, g, o.yes) }},
		{o.docs, func() error { return runList(cmd, g, "xml", nil, new(docsOptions).print) }},
		{o.ngrams, func() error { return runList(cmd, g, "xml", nil, printNgrams) }},
	}
	done := 0
	for _, job := range jobs {
		if job.asked {
			done++
			if err := job.run(); err != nil {
				return err
			}
		}
	}
	switch {
	case done > 0:
		return nil
	case len(more) > 0:
		return unknownCommand(cmd.Root(), more[0])
	}
	alone := ""
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Hidden && f.Name != "verbose" {
			alone = f.Name
		}
	})
	if alone != "" {
		return misuse("usage.needs-command", "flag", alone)
	}
	return greet(cmd)
}

func with(path string, more []string) []string { return append([]string{path}, more...) }

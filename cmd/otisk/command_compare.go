package main

import (
	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/store/memory"
)

func newCompareCommand(g *globalOptions) *cobra.Command {
	o := newSearchOptions()
	translated := false
	cmd := &cobra.Command{
		Use:     "compare [flags] SUSPECT SOURCE",
		Example: "  otisk compare essay.txt source.txt\n  otisk compare -n 5 --format xml essay.txt sources/\n  otisk compare --translated essay-cs.txt source-en.txt",
		Args:    exactly(2, lang.Say("usage.two-files")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !translated {
				return runCompare(cmd, g, o, args[0], args[1])
			}
			return runCompareTranslated(cmd, g, o, args[0], args[1])
		},
	}
	o.sharedFlags(cmd)
	cmd.Flags().BoolVar(&translated, "translated", false, "also look for passages that may be translated from a source in another language")
	cmd.MarkFlagsMutuallyExclusive("translated", "exact")
	cmd.MarkFlagsMutuallyExclusive("translated", "no-hints")
	return cmd
}

// fewSources is the largest number of sources that are all aligned with a text, regardless of
// how much they share with it.
const fewSources = 50

func runCompare(cmd *cobra.Command, g *globalOptions, o searchOptions, suspectPath, source string) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	o.common = 0
	if err := noneThere(cmd, []string{suspectPath, source}); err != nil {
		return err
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	r := &searchRun{cmd: cmd, s: s, o: &o, quiet: g.quiet}
	err = walk.Files(cmd.Context(), []string{source}, nil, func(path string) { r.sources = append(r.sources, path) }, func(string, error) {})
	if err != nil {
		return err
	}
	settings := s.storeSettings(nil)
	settings.KeepTexts = true
	w := memory.New(settings)
	sum, err := indexer.Run(cmd.Context(), w, []string{source}, indexer.Options{N: o.n, Pairs: true, Norms: s.norms, Read: s.readOptions()})
	if err != nil {
		return err
	}
	for _, f := range sum.Failures {
		warnAbout(cmd.ErrOrStderr(), f.Path, f.Err)
	}
	if sum.Added == 0 {
		return lang.Say("error.nothing-to-compare", "name", source)
	}
	o.alignAll = sum.Added <= fewSources || o.finder != nil // a translation shares nothing else that names its source
	info, err := w.Info(cmd.Context())
	if err != nil {
		return err
	}
	if err := r.check(w, info, []string{suspectPath}); err != nil {
		return err
	}
	if sum.Failed > 0 {
		return skippedError{sum.Failed, sum.Files + 1, "error.skipped"}
	}
	return nil
}

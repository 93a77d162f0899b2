package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	hints "github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/search/translated"
	"github.com/otisk/otisk/store/memory"
)

func newCompareCommand(g *globalOptions) *cobra.Command {
	o := newSearchOptions()
	translated := false
	cmd := &cobra.Command{
		Use:     "compare [flags] SUSPECT SOURCE",
		Example: "  otisk compare essay.txt source.txt\n  otisk compare -n 5 --format xml essay.txt sources/\n  otisk compare --translated essay-cs.txt source-en.txt",
		Args:    exactly(2, lang.NewMessage("usage.two-files")),
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
	o.Common = 0
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
	settings := s.StoreSettings(nil)
	settings.KeepTexts = true
	w := memory.New(settings)
	sum, err := indexer.Run(cmd.Context(), w, []string{source}, indexer.Options{N: o.N, Pairs: true, Norms: s.Norms, Read: s.Read})
	if err != nil {
		return err
	}
	for _, f := range sum.Failures {
		warnAbout(cmd.ErrOrStderr(), f.Path, f.Err)
	}
	if sum.Added == 0 {
		return lang.NewMessage("error.nothing-to-compare", "name", source)
	}
	o.AlignAll = sum.Added <= fewSources || len(o.Hints) > 0 // a translation shares nothing else that names its source
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

// runCompareTranslated is runCompare with hints of translated passages.
func runCompareTranslated(cmd *cobra.Command, g *globalOptions, o searchOptions, suspect, source string) error {
	finder, err := session.Translations(func(err error) { warn(cmd, err) })
	if err != nil {
		return err
	}
	o.Hints = []hints.Finder{finder}
	err = runCompare(cmd, g, o, suspect, source)
	warnOmitted(cmd, finder)
	return err
}

func warnOmitted(cmd *cobra.Command, f *translated.Finder) {
	omitted := f.Omitted()
	keys := slices.SortedFunc(maps.Keys(omitted), func(a, b translated.Omitted) int {
		return cmp.Or(cmp.Compare(a.Suspect, b.Suspect), cmp.Compare(a.Source, b.Source))
	})
	for _, k := range keys {
		var why lang.Message
		var hint error
		switch {
		case k.Suspect == "":
			why = lang.NewMessage("error.language-checked")
		case k.Source == "":
			why = lang.NewMessage("error.language-unknown")
		case k.Suspect == k.Source:
			why = lang.NewMessage("error.language-same", "language", k.Source)
		default:
			why = lang.NewMessage("error.language-lexicon", "languages", k.Suspect+"-"+k.Source)
			hint = lang.NewMessage("hint.dictionary", "packages", packagesOf(k.Suspect, k.Source))
		}
		warn(cmd, lang.NewMessage("error.untranslated", "n", omitted[k], "why", why))
		if hint != nil {
			p := printerOf(cmd.ErrOrStderr())
			printLine(cmd.ErrOrStderr(), p.Text("terminal.hint"), p.Err(hint))
		}
	}
}

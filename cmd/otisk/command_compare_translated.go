package main

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lexicon"
	"github.com/otisk/otisk/search/translated"
)

// runCompareTranslated is runCompare with hints of translated passages.
func runCompareTranslated(cmd *cobra.Command, g *globalOptions, o searchOptions, suspect, source string) error {
	finder, err := translationFinder(cmd)
	if err != nil {
		return err
	}
	o.finder = finder
	err = runCompare(cmd, g, o, suspect, source)
	warnOmitted(cmd, o.finder)
	return err
}

// translationFinder returns a finder of translated passages with the lexica of the user.
func translationFinder(cmd *cobra.Command) (*translated.Finder, error) {
	shelf, err := lexicon.Default()
	if err != nil {
		return nil, err
	}
	f := translated.New(func(ctx context.Context, from, to string) (forward, backward []*lexicon.Lexicon, err error) {
		return shelf.Between(ctx, from, to, func(err error) { warn(cmd, err) })
	})
	f.CacheAt(func(languages [][2]string) (p translated.Place) {
		p.File, p.Stamp, p.Lexica = shelf.Kept(languages)
		return p
	})
	return f, nil
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
			why = lang.Say("error.language-checked")
		case k.Source == "":
			why = lang.Say("error.language-unknown")
		case k.Suspect == k.Source:
			why = lang.Say("error.language-same", "language", k.Source)
		default:
			why = lang.Say("error.language-lexicon", "languages", k.Suspect+"-"+k.Source)
			hint = lang.Say("hint.dictionary", "packages", packagesOf(k.Suspect, k.Source))
		}
		warn(cmd, lang.Say("error.untranslated", "n", omitted[k], "why", why))
		if hint != nil {
			p := printerOf(cmd.ErrOrStderr())
			printLine(cmd.ErrOrStderr(), p.Text("terminal.hint"), p.Err(hint))
		}
	}
}

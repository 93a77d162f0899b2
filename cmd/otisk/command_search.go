package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
)

type searchOptions struct {
	search.Options
	percent float64 // -1 if not given
	run     int     // -1 if not given
	noHints bool
	target  target

	templates []string // files
	in        []string // documents to search in; none means all
	where     []string // conditions of --where on these documents, all of which must hold
	also      []string // further indexes
	among     bool
	review    reviewOptions
}

func newSearchOptions() searchOptions {
	return searchOptions{Options: search.Options{N: session.DefaultSize, Common: session.FromSettings, Summary: true}, percent: -1, run: -1, review: newReviewOptions()}
}

func newSearchCommand(g *globalOptions) *cobra.Command {
	o := newSearchOptions()
	cmd := &cobra.Command{
		Use:     "search [flags] PATH...",
		Example: "  otisk search thesis.txt\n  otisk search -m 10 --format html,json -o reports/ theses/\n  otisk search --exclude quotation,bibliography --fail-over 20 thesis.pdf",
		Args:    atLeastOne(placeholder("PATH")),
		RunE:    func(cmd *cobra.Command, args []string) error { return runSearch(cmd, g, o, args) },
	}
	f := cmd.Flags()
	o.sharedFlags(cmd)
	f.IntVar(&o.Common, "common", o.Common, "do not find sources by n-grams that occur in more than this number of `documents`; 0 for no limit (default: from the settings, else 1000)")
	f.Lookup("common").DefValue = "0"
	f.StringArrayVar(&o.in, "in", nil, "search only the `documents` with this name, folder, prefix, pattern or label, as in otisk docs; may be repeated")
	whereFlag(f, &o.where, "search only documents that satisfy this `condition`")
	o.review.amongFlag(f)
	f.StringArrayVar(&o.also, "also", nil, "further `index` to search, in one report with the first; may be repeated")
	f.BoolVar(&o.among, "among", false, "also check the texts against each other: each is a source for the others")
	return cmd
}

func (o *searchOptions) sharedFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVarP(&o.N, "words", "n", o.N, "`words` in one n-gram")
	f.Float64VarP(&o.percent, "percent", "a", o.percent, "list paragraphs and sources with at least this `percent` of n-grams in common, 0 to 100")
	f.IntVarP(&o.run, "run", "m", o.run, "list paragraphs and sources with a common run of at least this number of `words`")
	f.BoolVarP(&o.Detail, "detail", "w", false, "add the text of each listed paragraph and its places in each source")
	f.BoolVar(&o.Exact, "exact", false, "find only passages of unchanged words")
	f.BoolVar(&o.Summary, "summary", o.Summary, "also find stretches that summarize a longer part of a source")
	f.BoolVar(&o.noHints, "no-hints", false, "do not look for paragraphs that may have the content of a source in other words")
	o.target.flags(f, "on a terminal text, or html into a folder; else xml")
	f.StringArrayVar(&o.templates, "template", nil, "`file` with the text of an assignment or a template, which can be excluded from the score; may be repeated")
	o.review.flags(f)
	for _, name := range []string{"percent", "run"} {
		f.Lookup(name).DefValue = "0"
	}
}

func (o *searchOptions) check(cmd *cobra.Command) error {
	if err := checkSize(o.N); err != nil {
		return err
	}
	given := cmd.Flags().Changed
	if given("percent") && !(o.percent >= 0 && o.percent <= 100) {
		return misuse("usage.want", "what", fmt.Sprintf("-a %v", o.percent), "wanted", lang.NewMessage("usage.percentage"))
	}
	if given("run") && o.run < 0 {
		return misuse("usage.run-words", "typed", fmt.Sprint(o.run))
	}
	if given("common") && o.Common < 0 {
		return misuse("usage.want", "what", fmt.Sprintf("--common %d", o.Common), "wanted", lang.NewMessage("usage.common"))
	}
	if o.review.withoutAmong && !o.among {
		return misuse("usage.goes-with", "flag", "--exclude-among", "other", "--among")
	}
	if slices.Contains(o.review.filter.Kinds, "template") && len(o.templates) == 0 {
		return misuse("usage.goes-with-template")
	}
	if err := o.target.resolve(cmd.OutOrStdout(), "xml"); err != nil {
		return err
	}
	return o.review.check(cmd, o.target)
}

func runSearch(cmd *cobra.Command, g *globalOptions, o searchOptions, paths []string) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	r := &searchRun{cmd: cmd, s: s, o: &o, quiet: g.quiet}
	for retries := 0; ; retries++ {
		err := r.searchIndex(paths)
		if retries == maxRetries || !errors.Is(err, esclient.ErrStale) || r.written > 0 || slices.ContainsFunc(paths, check.IsStdin) {
			return err
		}
	}
}

// maxRetries is how often a search restarts because the index was emptied or recreated
// during the search, before the first report was written.
const maxRetries = 3

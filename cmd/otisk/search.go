package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
)

// searchOptions hold the flags of the search command.
type searchOptions struct {
	n        int
	percent  float64 // -1: not given
	run      int     // -1: not given
	detail   bool
	exact    bool
	summary  bool
	common   int // -1: as the settings say
	alignAll bool
	target   target

	templates []string // files
	in        []string // documents that are searched; none for all
	where     []string // conditions on them, all of which must hold
	among     bool
	review    reviewOptions

	written int      // reports so far
	against []string // files that otisk compare reads as sources
}

func newSearchOptions() searchOptions {
	return searchOptions{n: defaultSize, percent: -1, run: -1, common: -1, summary: true, review: newReviewOptions()}
}

func newSearchCommand(g *globalOptions) *cobra.Command {
	o := newSearchOptions()
	cmd := &cobra.Command{
		Use:   "search [flags] PATH...",
		Short: "Check texts against an index",
		Long: `Check files, and folders with all that is in them, against an index, and report
the passages that are in its documents. One file is reported on the standard
output, into a file (-o report.html) or into a folder (-o reports/); several need
a folder, which gets one report a text: NAME.out.xml and so on, and in HTML a
page about all of them, index.html; on Ctrl-C it lists what is done. A PATH of -
is the standard input.

With --among the texts are checked against each other too: each of them, members
of archives included, is a source for the others. --exclude-among leaves these
sources out of the score.

A paragraph or source is listed when it reaches -a percent of its n-grams or a
run of -m words, whichever; without both, when it shares anything. Passages are
listed beside, whatever -a and -m say.

The score counts all words that are in passages, quotations and bibliography
included: --exclude and the --min flags leave something out, and the report says
what. In the page of an HTML report a reader can change all of it, and save the
decisions for otisk report --decisions.

EXIT STATUS
  0  all texts were checked, whatever was found
  1  nothing could be checked
  2  wrong flag or setting
  3  a score is over the limit of --fail-over
  4  the cluster could not be reached or refused
  5  some files could not be used, the others were checked
  6  no score is over the limit of --fail-over, but one could be: documents of
     the index were not searched, or not whole; each report says what
  130  interrupted`,
		Example: "  otisk search thesis.txt\n  otisk search -m 10 --format html,json -o reports/ theses/\n  otisk search --exclude quotation,bibliography --fail-over 20 thesis.pdf",
		Args:    atLeast(1, "PATH"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runSearch(cmd, g, o, args) },
	}
	f := cmd.Flags()
	o.sharedFlags(cmd)
	f.IntVar(&o.common, "common", o.common, "n-grams in more than this many `documents` name no source, 0 for no limit (default: from the settings, else 1000)")
	f.Lookup("common").DefValue = "0"
	f.StringArrayVar(&o.in, "in", nil, "search only the `documents` of this name, folder, prefix, pattern or label, as otisk docs takes them; can be repeated")
	whereFlag(f, &o.where, "search only the documents of which this `condition` holds")
	f.BoolVar(&o.among, "among", false, "check the texts against each other too: each is a source for the others")
	return cmd
}

// sharedFlags are those that search and compare have both.
func (o *searchOptions) sharedFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVarP(&o.n, "words", "n", o.n, "`words` in one n-gram")
	f.Float64VarP(&o.percent, "percent", "a", o.percent, "list what reaches this `percent` of n-grams, 0 to 100")
	f.IntVarP(&o.run, "run", "m", o.run, "list what has a run of this many `words`")
	f.BoolVarP(&o.detail, "detail", "w", false, "add the text of each listed paragraph and its places in each source")
	f.BoolVar(&o.exact, "exact", false, "passages are unchanged words only")
	f.BoolVar(&o.summary, "summary", o.summary, "look for stretches that sum up a longer part of a source, too")
	f.StringSliceVar(&o.target.formats, "format", nil, "`formats` of the report: "+strings.Join(report.Formats(), ", ")+" (default: the ending of -o; on a terminal text, or html into a folder; else xml)")
	f.StringVarP(&o.target.out, "output", "o", "", "`folder` for the reports, or for one report a file such as report.html")
	f.StringArrayVar(&o.templates, "template", nil, "`file` with text that everyone was given, which can be left out of the score; can be repeated")
	o.review.flags(f)
	for _, name := range []string{"percent", "run"} {
		f.Lookup(name).DefValue = "0"
	}
}

// check refuses flags that make no sense.
func (o *searchOptions) check(cmd *cobra.Command) error {
	if err := checkSize(o.n); err != nil {
		return err
	}
	given := cmd.Flags().Changed
	if given("percent") && !(o.percent >= 0 && o.percent <= 100) {
		return misuse("usage.want", "what", fmt.Sprintf("-a %v", o.percent), "wanted", lang.Say("usage.percentage"))
	}
	if given("run") && o.run < 0 {
		return misuse("usage.run-words", "typed", fmt.Sprint(o.run))
	}
	if given("common") && o.common < 0 {
		return misuse("usage.want", "what", fmt.Sprintf("--common %d", o.common), "wanted", lang.Say("usage.common"))
	}
	if o.review.withoutAmong && !o.among {
		return misuse("usage.goes-with", "flag", "--exclude-among", "other", "--among")
	}
	if slices.Contains(o.review.kinds, "template") && len(o.templates) == 0 {
		return misuse("usage.goes-with-template")
	}
	if err := o.target.resolve(cmd.OutOrStdout(), "xml"); err != nil {
		return err
	}
	return o.review.check(cmd, o.target)
}

// options returns what the flags mean to package search.
func (o *searchOptions) options(s *session, bases []store.Base) search.Options {
	opts := search.Options{
		N: o.n, Common: o.common, MaxTime: s.settings.MaxCheck, Exact: o.exact, AlignAll: o.alignAll, Summary: o.summary, Detail: o.detail, Version: version(),
		Texts:  slices.ContainsFunc(o.target.formats, func(format string) bool { return format != "xml" }),
		Reread: func(ctx context.Context, d store.Document) (string, error) { return reread(ctx, s, bases, d) },
	}
	opts.Canonical, opts.CountSelf = canonical, o.review.keepSelf
	if o.percent >= 0 {
		opts.MinPercent = &o.percent
	}
	if o.run >= 0 {
		opts.MinRun = &o.run
	}
	if o.common < 0 {
		opts.Common = s.settings.Common
	}
	return opts
}

var errChanged = errors.New("changed since it was indexed")

// reread returns the text of an indexed file, if it is what it was. The same
// file can have another text, in another encoding say. Where it is gone, a copy
// of its folder that was indexed too may have it.
func reread(ctx context.Context, s *session, bases []store.Base, d store.Document) (text string, err error) {
	for i, place := range places(bases, &d) {
		found, e := rereadAt(ctx, s, place, &d)
		if e == nil {
			return found, nil
		}
		if i == 0 {
			err = e
		}
	}
	return "", err
}

// places returns where the file of a document may be: where it was indexed
// from first.
func places(bases []store.Base, d *store.Document) []string {
	list := []string{store.File(bases, d.Base, d.Path)}
	own := slices.IndexFunc(bases, func(b store.Base) bool { return b.Key == d.Base })
	for i, b := range bases {
		if own >= 0 && i != own && b.Name == bases[own].Name {
			list = append(list, b.File(d.Path))
		}
	}
	return list
}

func rereadAt(ctx context.Context, s *session, place string, d *store.Document) (string, error) {
	opts := s.readOptions()
	opts.Encoding = d.Charset
	doc, err := document.Open(ctx, place, opts)
	if err != nil {
		return "", err
	}
	same := store.TextSum(doc.Text, d.Rules, d.NewLine) == d.TextSum
	if d.TextSum == "" {
		same = doc.Content == d.Content
	}
	if !same {
		return "", errChanged
	}
	return doc.Text, nil
}

func (s *session) readOptions() document.Options {
	return document.Options{MaxBytes: s.settings.MaxFile, Time: s.settings.MaxTime, Memory: s.settings.MaxMemory, Encoding: s.encoding, Strip: s.settings.Strip, Keep: s.keep, Field: s.field, ID: s.id, OCR: s.recognizer}
}

func runSearch(cmd *cobra.Command, g *globalOptions, o searchOptions, paths []string) (err error) {
	if err := o.check(cmd); err != nil {
		return err
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	for again := 0; ; again++ {
		err := o.once(cmd, s, paths, g.quiet)
		if again == mostAgain || !errors.Is(err, esclient.ErrStale) || o.written > 0 || slices.ContainsFunc(paths, check.IsStdin) {
			return err
		}
	}
}

// mostAgain is how often a search begins again because the index was emptied, or made
// anew, while it was searched, and no report was written yet.
const mostAgain = 3

// once checks the files at paths against the index as it is now.
func (o *searchOptions) once(cmd *cobra.Command, s *session, paths []string, quiet bool) (err error) {
	r, err := s.reader(cmd.Context())
	if err != nil {
		return err
	}
	defer closing.Into(&err, r)
	info, err := r.Info(cmd.Context())
	if err != nil {
		return err
	}
	if info.Documents == 0 {
		warn(cmd, "index %s has no documents", s.settings.Index)
	}
	part, err := o.part(cmd.Context(), r, info.Bases)
	if err != nil {
		return err
	}
	return o.checkAll(cmd, s, part, info, paths, quiet)
}

// part returns the part of the index that --in means, which may be all of it.
func (o *searchOptions) part(ctx context.Context, r store.Reader, bases []store.Base) (store.Reader, error) {
	if len(o.in) == 0 && len(o.where) == 0 {
		return r, nil
	}
	where, err := conditions(o.where)
	if err != nil {
		return nil, err
	}
	picker := newPicker(bases, o.in, pick.Options{Where: where, Labels: true, Folders: true})
	part, err := pick.Only(ctx, r, picker)
	if err != nil {
		return nil, err
	}
	if err := knownLabels(picker); err != nil {
		return nil, err
	}
	if list := picker.Missed(); len(list) > 0 {
		return nil, usagef("--in %s: %v", list[0].Typed, list[0])
	}
	if some, err := part.Info(ctx); err != nil || some.Documents == 0 {
		return nil, cmp.Or(err, misuse("usage.where-none", "where", printable(strings.Join(o.where, " "))))
	}
	return part, nil
}

// checkAll checks the files at paths against what r has, which is info's index
// or part of it.
func (o *searchOptions) checkAll(cmd *cobra.Command, s *session, r store.Reader, info store.Info, paths []string, quiet bool) (err error) {
	o.review.key = cmp.Or(r.Settings().Key, o.review.key)
	p := s.progress(cmd, quiet, false)
	batch, err := o.batch(cmd.Context(), cmd.InOrStdin(), s, r, info, p)
	if err != nil {
		return err
	}
	defer closing.Into(&err, batch)
	if err := o.spareFolders(paths); err != nil {
		return err
	}
	total, err := batch.Find(cmd.Context(), paths)
	if err != nil {
		return err
	}
	if err := spareAll(&o.target, &o.review, slices.Concat(batch.Files(), o.templates, o.against)); err != nil {
		return err
	}
	if total == 0 {
		return fmt.Errorf("no files found in what was named")
	}
	out, err := newOutput(cmd, o.target, total, &o.review)
	if err != nil {
		return err
	}
	err = batch.Read(cmd.Context())
	p.end()
	warnUnread(cmd.ErrOrStderr(), batch.Unread(), "terminal.files")
	if errors.Is(err, document.ErrMany) {
		return usagef("%w: they need a folder for the reports, -o FOLDER", err)
	}
	if err != nil {
		return err
	}
	if o.among && len(batch.Texts()) == 1 {
		warn(cmd, "--among: there is one text only, and none to compare it with")
	}
	err = o.search(cmd.Context(), batch, out, p, quiet)
	unread := len(batch.Unread())
	if err == nil && unread > 0 {
		return skippedError{unread, unread + len(batch.Texts()), "said.skipped"}
	}
	return err
}

// search searches the texts that were read, and writes their reports. What was
// done before an error stays, and the page about all says what is missing.
func (o *searchOptions) search(ctx context.Context, batch *check.Batch, out *output, p *progress, quiet bool) error {
	texts, unread := len(batch.Texts()), batch.Unread()
	defer func() { o.written = len(out.rows) }()
	if err := out.expect(texts + len(unread)); err != nil {
		return err
	}
	err := batch.Search(ctx, func(t check.Text, r *search.Result) error { return out.write(t.Name, &report.Report{Result: *r}) })
	p.end()
	finished := out.finish(unread, out.missing(batch.Texts()), quiet)
	switch done := len(out.rows); {
	case err != nil && ctx.Err() != nil && done > 0:
		return fmt.Errorf("interrupted: %d of %d texts were checked", done, texts)
	case err != nil:
		return err
	}
	return finished
}

// batch prepares the check of many texts.
func (o *searchOptions) batch(ctx context.Context, stdin io.Reader, s *session, r store.Reader, info store.Info, p *progress) (batch *check.Batch, err error) {
	opts := o.options(s, info.Bases)
	if opts.Templates, err = templates(ctx, s, o.templates); err != nil {
		return nil, err
	}
	if err := o.dates(info.Changed, &opts); err != nil {
		return nil, err
	}
	batch, err = check.New(ctx, r, check.Options{
		Search: opts, Norms: s.norms, Read: s.readOptions(), Exclude: o.ownFolders(s), Single: o.target.out == "" || o.target.isFile(), Among: o.among, Stdin: stdin, Progress: p.checking,
	})
	if errors.Is(err, search.ErrNoSize) {
		return nil, usageError{err}
	}
	return batch, err
}

// ownFolders are not searched: the index and the reports.
func (o *searchOptions) ownFolders(s *session) []string {
	list := s.ownFolders()
	if o.target.out != "" {
		if path, err := indexer.Canonical(o.target.out); err == nil {
			list = append(list, path)
		}
	}
	return list
}

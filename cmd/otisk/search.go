package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
)

// searchOptions hold the flags of the search command.
type searchOptions struct {
	n       int
	percent float64 // -1: not given
	run     int     // -1: not given
	detail  bool
	exact   bool
	summary bool
	common  int // -1: as the settings say
	out     string
	formats []string

	templates []string // files
	among     bool
	review    reviewOptions
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
the passages that stand in its documents. One file is reported on the standard
output, or into a folder (-o); several need a folder, which gets one report a
file: NAME.out.xml and so on.

A paragraph or source is listed when it reaches -a percent of its n-grams or a
run of -m words, whichever; without both, when it shares anything. Passages are
listed beside, whatever -a and -m say.

The score counts all words that stand in passages, quotations and bibliography
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
  130  interrupted`,
		Example: "  otisk search thesis.txt\n  otisk search -m 10 --format html,json -o reports/ theses/\n  otisk search --exclude quotation,bibliography --fail-over 20 thesis.pdf",
		Args:    atLeast(1, "PATH"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runSearch(cmd, g, o, args) },
	}
	f := cmd.Flags()
	o.sharedFlags(cmd)
	f.IntVar(&o.common, "common", o.common, "n-grams in more than this many `documents` name no source, 0 for no limit (default: from the settings, else 1000)")
	f.Lookup("common").DefValue = "0"
	f.BoolVar(&o.among, "among", false, "check the texts against each other too; the overview shows the pairs")
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
	f.StringSliceVar(&o.formats, "format", nil, "`formats` of the report: "+strings.Join(report.Formats(), ", ")+" (default: text on a terminal, else xml)")
	f.StringVarP(&o.out, "output", "o", "", "`folder` for the reports")
	f.StringArrayVar(&o.templates, "template", nil, "`file` with text that everyone was given, which can be left out of the score; can be repeated")
	o.review.flags(f)
	for _, name := range []string{"percent", "run"} {
		f.Lookup(name).DefValue = "0"
	}
}

// check refuses flags that make no sense.
func (o *searchOptions) check() error {
	if err := checkSize(o.n); err != nil {
		return err
	}
	if o.percent != -1 && !(o.percent >= 0 && o.percent <= 100) {
		return usagef("-a %v: percent go from 0 to 100", o.percent)
	}
	if o.run < -1 {
		return usagef("-m %d: a run has at least 0 words", o.run)
	}
	if o.common < -1 {
		return usagef("--common %d: want 0 for no limit, or a number of documents", o.common)
	}
	for _, format := range o.formats {
		if err := report.Check(format); err != nil {
			return usageError{err}
		}
	}
	if o.among && (o.out == "" || !slices.Contains(o.formats, "html")) {
		return usagef("--among is shown on the overview of the reports: it needs --format html -o FOLDER")
	}
	return o.review.check(o.formats, o.out)
}

// options returns what the flags mean to package search.
func (o *searchOptions) options(s *session) search.Options {
	opts := search.Options{
		N: o.n, Common: o.common, Exact: o.exact, Summary: o.summary, Detail: o.detail, Version: version(),
		Texts:  slices.Contains(o.formats, "html") || slices.Contains(o.formats, "json"),
		Reread: func(ctx context.Context, d store.Document) (string, error) { return reread(ctx, s, d) },
	}
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

// reread returns the text of an indexed file, if the file is what it was.
func reread(ctx context.Context, s *session, d store.Document) (string, error) {
	doc, err := document.Open(ctx, d.Path, s.readOptions())
	if err != nil {
		return "", err
	}
	if doc.Content != d.Content {
		return "", errChanged
	}
	return doc.Text, nil
}

func (s *session) readOptions() document.Options {
	return document.Options{MaxBytes: s.settings.MaxFile, Time: s.settings.MaxTime, Memory: s.settings.MaxMemory, Encoding: s.encoding, Strip: s.settings.Strip}
}

func runSearch(cmd *cobra.Command, g *globalOptions, o searchOptions, paths []string) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	s, err := g.resolve()
	if err != nil {
		return err
	}
	r, err := s.reader(cmd.Context())
	if err != nil {
		return err
	}
	defer closeInto(&err, r)
	if info, err := r.Info(cmd.Context()); err == nil && info.Documents == 0 {
		warn(cmd, "index %s has no documents", s.settings.Index)
	}
	o.defaultFormat(cmd)
	run, err := newSearchRun(cmd, s, r, &o, g.quiet)
	if err != nil {
		return err
	}
	return run.all(paths)
}

// defaultFormat picks the format that none of the flags names.
func (o *searchOptions) defaultFormat(cmd *cobra.Command) {
	if len(o.formats) > 0 {
		return
	}
	o.formats = []string{"xml"}
	if o.out == "" && isTerminal(cmd.OutOrStdout()) {
		o.formats = []string{"text"}
	}
}

// A searchRun checks the suspects of one command line.
type searchRun struct {
	cmd      *cobra.Command
	session  *session
	opts     *searchOptions
	searcher *search.Searcher
	output   *output
	progress *progress

	mu      sync.Mutex
	unread  map[string]error
	checked int
	total   int
}

func newSearchRun(cmd *cobra.Command, s *session, r store.Reader, o *searchOptions, quiet bool) (*searchRun, error) {
	opts := o.options(s)
	var err error
	if opts.Templates, err = templates(cmd.Context(), s, o.templates); err != nil {
		return nil, err
	}
	if err := o.dates(cmd.Context(), r, &opts); err != nil {
		return nil, err
	}
	searcher, err := search.New(cmd.Context(), r, s.norms, opts)
	if errors.Is(err, search.ErrNoSize) {
		return nil, usageError{err}
	}
	if err != nil {
		return nil, err
	}
	return &searchRun{
		cmd: cmd, session: s, opts: o, searcher: searcher,
		progress: newProgress(cmd, quiet, false), unread: map[string]error{},
	}, nil
}

// all checks the files at paths.
func (r *searchRun) all(paths []string) error {
	suspects, err := r.find(paths)
	if err != nil {
		return err
	}
	total := len(suspects) + len(r.unread)
	if total == 0 {
		return fmt.Errorf("no files found in what was named")
	}
	if r.output, err = newOutput(r.cmd, r.opts.formats, r.opts.out, total, &r.opts.review); err != nil {
		return err
	}
	r.output.among = r.opts.among
	if len(suspects) > 1 {
		r.tryReading(suspects)
	}
	r.total = len(suspects)
	err = r.each(suspects, r.check)
	var pairs []namedPair
	if err == nil && r.opts.among {
		pairs, err = r.among(suspects)
	}
	r.progress.end()
	if err != nil {
		return err
	}
	err = r.output.finish(r.unreadList(), pairs)
	switch {
	case err != nil:
		return err
	case len(r.unread) > 0:
		return skippedError{len(r.unread), total}
	}
	return nil
}

// A suspect is one file to check, and what its reports are called.
type suspect struct{ path, name string }

// find lists the files at paths.
func (r *searchRun) find(paths []string) ([]suspect, error) {
	var list []suspect
	taken := map[string]int{}
	for _, top := range paths {
		err := indexer.Walk(r.cmd.Context(), []string{top}, r.ownFolders(), func(path string) {
			name := filepath.Base(path)
			if rel, err := filepath.Rel(top, path); err == nil && rel != "." {
				name = strings.ReplaceAll(rel, string(filepath.Separator), "_")
			}
			taken[name]++
			if taken[name] > 1 {
				name = fmt.Sprintf("%s~%d", name, taken[name])
			}
			list = append(list, suspect{path, name})
		}, r.fail)
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ownFolders are not searched: the index and the reports.
func (r *searchRun) ownFolders() []string {
	list := r.session.ownFolders()
	if r.opts.out != "" {
		if path, err := indexer.Canonical(r.opts.out); err == nil {
			list = append(list, path)
		}
	}
	return list
}

// fail notes a file that cannot be used, once.
func (r *searchRun) fail(path string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unread[path] == nil {
		r.progress.end()
		warn(r.cmd, "%s: %v", path, err)
		r.unread[path] = err
	}
}

// tryReading finds the files that cannot be read before any report is written,
// since each report lists them.
func (r *searchRun) tryReading(suspects []suspect) {
	_ = r.each(suspects, func(ctx context.Context, sus suspect) error {
		if err := document.Check(ctx, sus.path, r.session.readOptions()); err != nil && ctx.Err() == nil && !errors.Is(err, document.ErrMany) {
			r.fail(sus.path, err)
		}
		return nil
	})
}

// each calls fn for each suspect, several at once.
func (r *searchRun) each(suspects []suspect, fn func(context.Context, suspect) error) error {
	group, ctx := errgroup.WithContext(r.cmd.Context())
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, sus := range suspects {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fn(ctx, sus)
		})
	}
	return group.Wait()
}

// check checks one suspect and writes its reports.
func (r *searchRun) check(ctx context.Context, sus suspect) error {
	r.mu.Lock()
	known := r.unread[sus.path]
	r.mu.Unlock()
	if known != nil {
		return nil
	}
	err := document.Each(ctx, sus.path, r.session.readOptions(), func(doc *document.Document, err error) error {
		if doc.Path == sus.path && err == nil {
			return r.document(ctx, sus, doc)
		}
		if r.opts.out == "" {
			return endError{usagef("%s holds many documents: they need a folder for the reports, -o FOLDER", sus.path)}
		}
		if err != nil {
			r.fail(doc.Path, err)
			return nil
		}
		member := strings.NewReplacer("!/", "_", "/", "_").Replace(strings.TrimPrefix(doc.Path, sus.path))
		return r.document(ctx, suspect{doc.Path, sus.name + member}, doc)
	})
	var ended endError
	switch {
	case errors.As(err, &ended):
		return ended.error
	case err != nil && ctx.Err() == nil:
		r.fail(sus.path, err)
	case err != nil:
		return ctx.Err()
	}
	r.mu.Lock()
	r.checked++
	done := r.checked
	r.mu.Unlock()
	r.progress.step(done, r.total, "texts checked")
	return nil
}

// An endError ends the run; other errors concern one file.
type endError struct{ error }

// document checks one document and writes its reports.
func (r *searchRun) document(ctx context.Context, sus suspect, doc *document.Document) error {
	result, err := r.searcher.Search(ctx, doc)
	if errors.Is(err, search.ErrTooShort) {
		r.fail(sus.path, err)
		return nil
	}
	if err != nil {
		return endError{fmt.Errorf("%s: %w", sus.path, err)}
	}
	result.Unread = r.unreadList()
	result.Notes = append(doc.Notes, result.Notes...)
	if err := r.output.write(sus.name, result); err != nil {
		return endError{err}
	}
	return nil
}

// unreadList returns the files that could not be used, sorted.
func (r *searchRun) unreadList() []search.Unread {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []search.Unread{}
	for path, err := range r.unread {
		list = append(list, search.Unread{Path: path, Reason: err.Error()})
	}
	slices.SortFunc(list, func(a, b search.Unread) int { return strings.Compare(a.Path, b.Path) })
	return list
}

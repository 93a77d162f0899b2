package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
)

type searchRun struct {
	cmd     *cobra.Command
	s       *session.Session
	o       *searchOptions
	quiet   bool
	sources []string // files that otisk compare reads as sources; no report overwrites them
	written int      // reports
}

func (r *searchRun) searchIndex(paths []string) (err error) {
	ctx := r.cmd.Context()
	index, end, err := r.s.Joined(ctx, r.o.also)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	info, err := index.Info(ctx)
	if err != nil {
		return err
	}
	if info.Documents == 0 {
		warn(r.cmd, lang.NewMessage("error.empty-index", "name", r.s.Settings.Index))
	}
	part, err := r.o.part(ctx, index, info.Bases)
	if err != nil {
		return err
	}
	return r.check(part, info, paths)
}

// part returns the part of the index that --in selects, which may be the whole index.
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
		return nil, about("--in "+list[0].Typed, list[0])
	}
	if some, err := part.Info(ctx); err != nil || some.Documents == 0 {
		return nil, cmp.Or(err, misuse("usage.where-none", "where", printable(strings.Join(o.where, " "))))
	}
	return part, nil
}

// check reads the files at paths, searches index for their passages and writes the
// reports. info describes index, or the index that it is a part of.
func (r *searchRun) check(index store.Reader, info store.Info, paths []string) (err error) {
	ctx, o := r.cmd.Context(), r.o
	if o.run > 0 && o.run < o.N {
		warn(r.cmd, lang.NewMessage("error.short-run", "run", o.run, "n", o.N))
	}
	o.review.key = cmp.Or(index.Settings().Key, o.review.key)
	p := sessionProgress(r.cmd, r.s, r.quiet, false)
	opts, err := r.options(info, p)
	if err != nil {
		return err
	}
	batch, err := check.New(ctx, index, opts)
	if errors.Is(err, search.ErrNoSize) {
		return session.UsageError{Err: err}
	}
	if err != nil {
		return err
	}
	defer closing.Into(&err, batch)
	out, err := r.find(batch, paths)
	if err != nil {
		return err
	}
	err = batch.Read(ctx)
	p.end()
	warnUnread(r.cmd.ErrOrStderr(), batch.Unread())
	if errors.Is(err, document.ErrMany) {
		return misuse("usage.reports-folder", "cause", err)
	}
	if err != nil {
		return err
	}
	if o.among && len(batch.Texts()) == 1 {
		warn(r.cmd, lang.NewMessage("error.one-text"))
	}
	return r.search(batch, out, p)
}

// find looks up the files at paths and opens the output for their reports. It returns
// an error if a report would overwrite one of the files.
func (r *searchRun) find(batch *check.Batch, paths []string) (*output, error) {
	o := r.o
	if err := o.spareFolders(paths); err != nil {
		return nil, err
	}
	total, err := batch.Find(r.cmd.Context(), paths)
	if err != nil {
		return nil, err
	}
	if err := spareAll(&o.target, &o.review, slices.Concat(batch.Files(), o.templates, r.sources)); err != nil {
		return nil, err
	}
	if total == 0 {
		return nil, lang.NewMessage("error.no-files")
	}
	return newOutput(r.cmd, o.target, total, &o.review)
}

// search searches for the texts of batch and writes a report on each. After an error,
// finished reports stay, and the overview lists the texts without one.
func (r *searchRun) search(batch *check.Batch, out *output, p *progress) error {
	texts, unread := len(batch.Texts()), batch.Unread()
	defer func() { r.written = len(out.rows) }()
	if err := out.expect(texts + len(unread)); err != nil {
		return err
	}
	ctx := r.cmd.Context()
	err := batch.Search(ctx, func(t check.Text, found *search.Result) error {
		return out.write(t.Name, &report.Report{Result: *found})
	})
	p.end()
	finished := out.finish(unread, out.missing(batch.Texts()), r.quiet)
	switch done := len(out.rows); {
	case err != nil && ctx.Err() != nil && done > 0:
		return lang.NewMessage("error.were-checked", "done", done, "texts", texts)
	case err != nil:
		return err
	case finished == nil && len(unread) > 0:
		return skippedError{len(unread), len(unread) + texts, "error.skipped"}
	}
	return finished
}

func (r *searchRun) options(info store.Info, p *progress) (check.Options, error) {
	o := r.o
	opts := o.Options
	opts.Texts = slices.ContainsFunc(o.target.formats, func(format string) bool { return format != "xml" })
	opts.CountSelf, opts.NoHints = o.review.keepSelf, o.review.filter.Kinds
	if o.percent >= 0 {
		opts.MinPercent = &o.percent
	}
	if o.run >= 0 {
		opts.MinRun = &o.run
	}
	r.s.Settings.Hints = r.s.Settings.Hints && !o.noHints
	opts, err := r.s.SearchOptions(opts, info, func(err error) { warn(r.cmd, err) })
	if err == nil {
		opts.Templates, err = templates(r.cmd.Context(), r.s, o.templates)
	}
	exclude := r.s.OwnFolders()
	if o.target.out != "" {
		exclude = append(exclude, walk.Absolute(o.target.out))
	}
	return check.Options{
		Search: opts, Norms: r.s.Norms, Read: r.s.Read, Exclude: exclude, Single: o.target.out == "" || o.target.isFile(),
		Among: o.among, Stdin: r.cmd.InOrStdin(), Progress: p.checking,
	}, err
}

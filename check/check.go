// Package check checks many texts against an index in one go: files, folders
// with all that is in them, and the members of archives.
//
// [New] prepares a [Batch] for an index, [Batch.Find] walks what was named,
// [Batch.Read] reads every file once, and [Batch.Search] checks the texts and
// hands on their results; a [Folder] writes these as reports, with a page about
// all of them. [Batch.Close] removes what was kept on the way.
//
// All files are read before the first text is checked, because each report
// lists the files of the batch that could not be used. Texts wait in memory
// while they are few, and in a temporary folder beyond that. Names and lists
// follow the order of the files, not the order in which work ends, so a batch
// gives the same reports every time.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/fault"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
)

// Options say what is read and how it is checked.
type Options struct {
	Search  search.Options
	Norms   *normalize.Set
	Read    document.Options
	Exclude []string  // canonical folders that are not entered, such as that of the index
	Among   bool      // the texts are sources for each other, beside the documents of the index
	Stdin   io.Reader // what "-" and /dev/stdin stand for
	Single  bool      // an archive is refused, by an error wrapping document.ErrMany

	// Progress is called for each step, by several goroutines at once; nil for
	// none.
	Progress func(Progress)
}

// A Stage is what a batch is doing.
type Stage string

// Stages of a batch, in their order.
const (
	Reading   Stage = "reading"
	Comparing Stage = "comparing" // getting ready to compare the texts with each other
	Searching Stage = "searching"
)

// A Progress says how far a stage is.
type Progress struct {
	Stage       Stage
	Done, Total int // files, then texts
}

// A Text is one suspect of a batch.
type Text struct {
	Path string // as it was named; a member of an archive is theses.zip!/novak.txt
	Name string // what its reports are called: no other text of the batch has it

	canonical string
	content   string // what identifies the file's bytes
	kept      *kept
}

// A Batch is many texts on their way to their reports.
type Batch struct {
	opts     Options
	reader   store.Reader
	searcher *search.Searcher
	files    []file
	texts    []Text
	unread   unread
	spool    spool
	others   *others // nil where the texts are not compared with each other
}

// New prepares a batch against the index that r reads. The error is that of
// [search.New].
func New(ctx context.Context, r store.Reader, opts Options) (*Batch, error) {
	searcher, err := search.New(ctx, r, opts.Norms, opts.Search)
	if err != nil {
		return nil, err
	}
	return &Batch{opts: opts, reader: r, searcher: searcher, spool: spool{left: spoolMemory}}, nil
}

// Close removes what the batch keeps. It leaves the index open.
func (b *Batch) Close() error { return errors.Join(b.spool.close(), b.others.close()) }

// Texts returns the texts that were read, in the order in which they were
// found.
func (b *Batch) Texts() []Text { return b.texts }

// Unread returns the files that could not be used so far, by path.
func (b *Batch) Unread() []search.Unread { return b.unread.sorted() }

// Search checks each text, and calls done with what was found: from several
// goroutines at once, in no order. An error from done ends the search and is
// returned as it is.
func (b *Batch) Search(ctx context.Context, done func(Text, *search.Result) error) error {
	if b.opts.Among && len(b.texts) > 1 {
		if err := b.among(ctx); err != nil {
			return err
		}
	}
	unread := b.Unread()
	return b.each(ctx, Searching, len(b.texts), func(ctx context.Context, i int) error {
		t := b.texts[i]
		doc, err := t.kept.document()
		if err != nil {
			return err
		}
		result, err := b.searcherFor(i).Search(ctx, doc)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Path, err)
		}
		if b.others != nil {
			b.others.mark(i, result)
		}
		result.Unread = unread
		result.Notes = slices.Concat(doc.Notes, result.Notes)
		return done(t, result)
	})
}

// each calls fn for each of count things, several at once.
func (b *Batch) each(ctx context.Context, stage Stage, count int, fn func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	var finished atomic.Int64
	for i := range count {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := one(ctx, i, fn); err != nil {
				return err
			}
			b.progress(stage, int(finished.Add(1)), count)
			return nil
		})
	}
	return group.Wait()
}

// one calls fn, which works on one thing. A panic is an error of it.
func one(ctx context.Context, i int, fn func(context.Context, int) error) (err error) {
	defer fault.Catch(&err)
	return fn(ctx, i)
}

func (b *Batch) progress(stage Stage, done, total int) {
	if b.opts.Progress != nil {
		b.opts.Progress(Progress{stage, done, total})
	}
}

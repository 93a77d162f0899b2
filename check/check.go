// Package check checks many texts against an index: files, folders with all files in them, and
// members of archives.
//
// [New] prepares a [Batch] for an index, [Batch.Find] walks the given paths, [Batch.Read] reads
// every file once, and [Batch.Search] checks the texts; a [Folder] writes the results as
// reports, with an overview. [Batch.Close] removes temporary files.
//
// All files are read before the first text is checked, because each report lists the files of
// the batch that could not be read. Texts wait in memory up to a limit, then in a temporary folder.
// Names and lists follow the order of the files, not the order in which work ends, so a batch
// always gives the same reports.
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

// Options are the settings of a batch.
type Options struct {
	Search  search.Options
	Norms   *normalize.Set
	Read    document.Options
	Exclude []string  // canonical folders that are not entered, such as that of the index
	Among   bool      // the texts are also sources for each other
	Skip    []string  // paths of texts that are ignored
	Most    int       // texts in one file; 0 for no limit
	Stdin   io.Reader // content of "-" and /dev/stdin
	Single  bool      // refuse archives with an error wrapping document.ErrMany

	// Progress is called for each step, by several goroutines in parallel; may be nil.
	Progress func(Progress)
}

// A Stage is a stage of a batch.
type Stage string

// Stages of a batch, in their order.
const (
	Reading   Stage = "reading"
	Comparing Stage = "comparing" // indexing the texts to compare them with each other
	Searching Stage = "searching"
)

// A Progress is the progress of a stage.
type Progress struct {
	Stage       Stage
	Done, Total int // files, then texts
}

// A Text is one suspect of a batch.
type Text struct {
	Path string // as given; a member of an archive is theses.zip!/novak.txt
	Name string // of its reports, unique in the batch

	canonical string
	content   string // checksum of the file
	kept      *kept
}

// A Batch is a set of texts to check.
type Batch struct {
	opts     Options
	reader   store.Reader
	searcher *search.Searcher
	files    []file
	texts    []Text
	unread   unread
	spool    spool
	others   *others // nil if the texts are not compared with each other
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

// Close removes temporary files. It leaves the index open.
func (b *Batch) Close() error { return errors.Join(b.spool.close(), b.others.close()) }

// Texts returns the texts that were read, in the order of the files.
func (b *Batch) Texts() []Text { return b.texts }

// Unread returns the files that could not be read so far, sorted by path.
func (b *Batch) Unread() []search.Unread { return b.unread.sorted() }

// Search checks each text and calls done with the result, from several goroutines in parallel and in
// any order. If done returns an error, Search stops and returns it.
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

// each calls fn for the numbers below count, several in parallel.
func (b *Batch) each(ctx context.Context, stage Stage, count int, fn func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	var finished atomic.Int64
	for i := range count {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := recovered(ctx, i, fn); err != nil {
				return err
			}
			b.progress(stage, int(finished.Add(1)), count)
			return nil
		})
	}
	return group.Wait()
}

// recovered calls fn for number i and turns a panic into an error.
func recovered(ctx context.Context, i int, fn func(context.Context, int) error) (err error) {
	defer fault.Catch(&err)
	return fn(ctx, i)
}

func (b *Batch) progress(stage Stage, done, total int) {
	if b.opts.Progress != nil {
		b.opts.Progress(Progress{stage, done, total})
	}
}

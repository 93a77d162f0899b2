package crawl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// IndexOptions configure [Index].
type IndexOptions struct {
	Dir  string // folder of the crawl
	Keep bool   // keep earlier versions, under addresses with their dates
	indexer.Options

	Progress func(done, all int) // nil for none
	Step     lasting.Step        // for tests
}

// Indexed counts the articles that Index has committed.
type Indexed struct {
	Added   int // articles, and earlier versions that are kept
	TooFew  int // articles with fewer words than an n-gram
	Missing int // articles whose file no longer exists
}

// Index adds all articles downloaded since the last call to an index, and returns
// counts of those committed. The name of an article in the index is its address. A
// new version replaces the previous one, which is kept under the address with its
// date if opts.Keep is set. A bookmark in the index records the last indexed version,
// so an index that was emptied or restored from a backup gets the missing articles.
// Index commits at intervals; after an interruption, the same call continues.
func Index(ctx context.Context, s store.Store, opts IndexOptions) (sum Indexed, err error) {
	st, err := openState(opts.Dir, opts.Step)
	if err != nil {
		return sum, err
	}
	defer closing.Into(&err, st.db)
	x := &indexing{opts: opts, state: st, store: s}
	mark, err := x.begin(ctx)
	if err != nil {
		return sum, err
	}
	last, err := st.lastVersion()
	if err != nil {
		return sum, err
	}
	for first := mark + 1; mark < last && err == nil; {
		if mark, err = x.addBatch(ctx, mark, last); err == nil {
			err = x.sometimes(ctx, mark)
		}
		if opts.Progress != nil {
			opts.Progress(int(mark-first)+1, int(last-first)+1)
		}
	}
	if !x.failed {
		err = cmp.Or(err, x.commit(ctx, mark))
	}
	return x.sum, err
}

type indexing struct {
	opts   IndexOptions
	state  *state
	store  store.Store
	name   string  // of the bookmark
	mark   uint64  // last committed version
	sum    Indexed // as of the last commit
	failed bool    // a commit has failed: the store accepts no more changes

	mu      sync.Mutex // guards the following fields
	now     Indexed
	bytes   int64
	pending bool
}

const together = 64

// addBatch adds the next versions after mark in parallel, but never two versions of the
// same article, and returns the last one added; after an error, mark.
func (x *indexing) addBatch(ctx context.Context, mark, last uint64) (uint64, error) {
	group, adding := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(x.opts.Workers, runtime.GOMAXPROCS(0)))
	urls := map[string]bool{}
	n, err := mark, error(nil)
	for n < last && len(urls) < together {
		var v version
		var is bool
		if is, err = x.state.get(versionsBucket, number(n+1), &v); err != nil || urls[v.URL] {
			break
		}
		if n++; !is {
			continue
		}
		urls[v.URL] = true
		group.Go(func() error { return x.version(adding, &v) })
	}
	if err = errors.Join(err, group.Wait()); err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return mark, err
	}
	return n, nil
}

// begin returns the number of the last version that the index has. The name of the
// bookmark contains the id of the crawl and all options that decide which documents a
// version becomes. Its value identifies the version beyond its number. If the version
// with this number differs, since a copy of the crawl has continued or an older state
// was restored, all versions are indexed.
func (x *indexing) begin(ctx context.Context) (mark uint64, err error) {
	id, err := x.state.id()
	if err != nil {
		return 0, err
	}
	x.name = fmt.Sprintf("crawl %s %d %v %v %q", id, x.opts.N, x.opts.Pairs, x.opts.Keep, x.opts.Prefix)
	value, err := x.store.Bookmark(ctx, x.name)
	if err != nil || value == "" {
		return 0, err
	}
	if _, err := fmt.Sscan(value, &mark); err != nil {
		return 0, phrase.Error("gather.crawl-bookmark", "the index has an invalid bookmark of this crawl: {value}", "value", strconv.Quote(value))
	}
	is, err := x.bookmark(mark)
	if err != nil || is != value {
		return 0, err
	}
	x.mark = mark
	return mark, nil
}

func (x *indexing) bookmark(n uint64) (string, error) {
	var v version
	if _, err := x.state.get(versionsBucket, number(n), &v); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %s %d %s", n, v.Day, v.At0, v.URL), nil
}

// version adds one version to the index, and before it the one that it replaces if
// that is to be kept.
func (x *indexing) version(ctx context.Context, v *version) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if v.Prev > 0 && x.opts.Keep {
		old := new(version)
		if _, err := x.state.get(versionsBucket, number(v.Prev), old); err != nil {
			return err
		}
		if err := x.add(ctx, old, dated(old.URL, old.At)); err != nil {
			return err
		}
	}
	return x.add(ctx, v, v.URL)
}

func (x *indexing) add(ctx context.Context, v *version, name string) error {
	rec, err := x.read(v)
	if errors.Is(err, os.ErrNotExist) {
		x.note(func() { x.now.Missing++ })
		return nil
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(rec.Text))
	doc := &document.Document{
		Path: name, Format: "text", Ext: "txt", Text: rec.Text, Parted: true, Title: rec.Title, Author: rec.Author, Address: rec.URL,
		Bytes: int64(len(rec.Text)), ModTime: v.At.UTC(), Content: hex.EncodeToString(sum[:]), Encoding: "utf-8",
	}
	if at, err := time.Parse(time.RFC3339, rec.Date); err == nil {
		doc.Year = at.Year()
	}
	err = indexer.Add(ctx, x.store, name, doc, x.opts.Options)
	switch {
	case errors.Is(err, indexer.ErrTooShort), errors.Is(err, store.ErrRefused):
		x.note(func() { x.now.TooFew++ })
		return x.drop(ctx, name)
	case err != nil:
		return err
	}
	x.note(func() {
		x.now.Added++
		x.bytes += doc.Bytes
		x.pending = true
	})
	return nil
}

func (x *indexing) note(change func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change()
}

// drop removes the previous version of an article whose new text is too short or
// refused.
func (x *indexing) drop(ctx context.Context, name string) error {
	err := x.store.Delete(ctx, store.IDOf(x.opts.Prefix, name))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	x.note(func() { x.pending = true })
	return err
}

func (x *indexing) read(v *version) (*record, error) {
	path := filepath.Join(x.opts.Dir, textFile(v.Day))
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	line := make([]byte, v.Size)
	if _, err := file.ReadAt(line, v.At0); err != nil {
		return nil, phrase.Error("cause.read-file", "read {name}: {cause}", "name", path, "cause", oserror.Cause(err))
	}
	rec := new(record)
	if err := json.Unmarshal(line, rec); err != nil || rec.URL != v.URL {
		return nil, phrase.Error("gather.article-lost", "{name} was changed by another program: there is no article at byte {byte}", "name", path, "byte", v.At0)
	}
	rec.Title = flow.OneLine(rec.Title)
	return rec, nil
}

// indexEvery is the default of Options.CommitBytes.
const indexEvery = 256 << 20

func (x *indexing) sometimes(ctx context.Context, mark uint64) error {
	if x.bytes < cmp.Or(x.opts.CommitBytes, indexEvery) {
		return nil
	}
	return x.commit(ctx, mark)
}

// commit commits documents and the bookmark together. It ignores the cancellation of ctx.
func (x *indexing) commit(ctx context.Context, mark uint64) error {
	if !x.pending && mark == x.mark {
		return nil
	}
	value, err := x.bookmark(mark)
	if err != nil {
		return err
	}
	x.store.SetBookmark(x.name, value)
	if err := x.store.Commit(context.WithoutCancel(ctx)); err != nil {
		x.failed = true
		return err
	}
	x.pending, x.bytes, x.mark, x.sum = false, 0, mark, x.now
	return nil
}

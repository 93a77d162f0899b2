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
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/store"
)

// IndexOptions say how articles get into an index.
type IndexOptions struct {
	Dir  string // of the crawl
	Keep bool   // versions that were replaced stay, under their dates
	indexer.Options

	Progress func(done, all int) // nil for none
}

// Indexed counts what was put into an index.
type Indexed struct {
	Added   int // articles, and versions that stay under their dates
	TooFew  int // that have too few words for an n-gram
	Missing int // whose file is not there any more
}

// Index puts all articles into an index that were gathered since it was done
// last, and counts those that were committed. An article is called by its address there, and is replaced by its next version; the
// one before stays under the address with its date, if that is wanted. A bookmark of the index says how far it is,
// so that an index that is emptied, or restored from a copy, gets what it lacks. Index
// commits now and then: after an interruption the same call goes on.
func Index(ctx context.Context, s store.Store, opts IndexOptions) (sum Indexed, err error) {
	st, err := openState(opts.Dir)
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
		if mark, err = x.some(ctx, mark, last); err == nil {
			err = x.sometimes(ctx, mark)
		}
		if opts.Progress != nil {
			opts.Progress(int(mark-first)+1, int(last-first)+1)
		}
	}
	if !x.failed {
		if cerr := x.commit(ctx, mark); err == nil {
			err = cerr
		}
	}
	return x.sum, err
}

// An indexing is one call of Index.
type indexing struct {
	opts   IndexOptions
	state  *state
	store  store.Store
	name   string  // of the bookmark
	mark   uint64  // as of the last commit
	sum    Indexed // likewise
	failed bool    // a commit has failed: the store takes nothing more

	mu      sync.Mutex // guards what follows
	now     Indexed
	bytes   int64
	pending bool
}

// together is how many versions are put into an index before it is noted how far that is.
const together = 64

// some puts the next versions after mark into the index, several at once but none of one
// article beside another, and returns how far it has come: to mark, after an error.
func (x *indexing) some(ctx context.Context, mark, last uint64) (uint64, error) {
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
// bookmark has the crawl and all that decides which documents come of a version. Its value
// has the version itself: where a copy of the crawl went on without this one, or an
// older state was restored, its number is that of another version, and all are indexed.
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
		return 0, fmt.Errorf("the index has a bookmark of this crawl that cannot be read: %q", value)
	}
	is, err := x.bookmark(mark)
	if err != nil || is != value {
		return 0, err
	}
	x.mark = mark
	return mark, nil
}

// bookmark returns the value that stands for a version.
func (x *indexing) bookmark(n uint64) (string, error) {
	var v version
	if _, err := x.state.get(versionsBucket, number(n), &v); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %s %d %s", n, v.Day, v.At0, v.URL), nil
}

// version puts one version into the index.
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

// add puts the text of a version into the index, under this name.
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

// note changes the counts.
func (x *indexing) note(change func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change()
}

// drop removes the older version of an article that is too short now.
func (x *indexing) drop(ctx context.Context, name string) error {
	err := x.store.Delete(ctx, store.IDOf(x.opts.Prefix, name))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	x.note(func() { x.pending = true })
	return err
}

// read returns a version as the file of its day has it.
func (x *indexing) read(v *version) (*record, error) {
	path := filepath.Join(x.opts.Dir, textFile(v.Day))
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	line := make([]byte, v.Size)
	if _, err := file.ReadAt(line, v.At0); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, oserror.Cause(err))
	}
	rec := new(record)
	if err := json.Unmarshal(line, rec); err != nil || rec.URL != v.URL {
		return nil, fmt.Errorf("%s is not as it was written: there is no article at byte %d", path, v.At0)
	}
	rec.Title = flow.OneLine(rec.Title)
	return rec, nil
}

// indexEvery is how many bytes of text a commit has, unless Options.CommitBytes says otherwise.
const indexEvery = 256 << 20

func (x *indexing) sometimes(ctx context.Context, mark uint64) error {
	if x.bytes < cmp.Or(x.opts.CommitBytes, indexEvery) {
		return nil
	}
	return x.commit(ctx, mark)
}

// commit commits documents and the bookmark together. An interruption waits for it.
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

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

	"go.etcd.io/bbolt"
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
	Dir   string // of the crawl
	Index string // name of the index, by which is remembered what it has
	Keep  bool   // versions that were replaced stay, under their dates
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
// last, and counts what was committed. An article is called by its address there, and is replaced by its next version; the
// one before stays under the address with its date, if that is wanted. What is done
// is committed now and then: after an interruption the same call goes on.
func Index(ctx context.Context, s store.Store, opts IndexOptions) (sum Indexed, err error) {
	st, err := openState(opts.Dir)
	if err != nil {
		return sum, err
	}
	defer closing.Into(&err, st.db)
	x := &indexing{opts: opts, state: st, store: s}
	var mark uint64
	if _, err := st.get(indexesBucket, opts.Index, &mark); err != nil {
		return sum, err
	}
	if mark, err = x.check(ctx, mark); err != nil {
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
	if cerr := x.commit(context.WithoutCancel(ctx), mark); err == nil {
		err = cerr
	}
	return x.sum, err
}

// An indexing is one call of Index.
type indexing struct {
	opts  IndexOptions
	state *state
	store store.Store
	sum   Indexed // as of the last commit

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

// check returns the mark as it counts: 0 for an index that has none of the last
// articles before it, since it was made anew.
func (x *indexing) check(ctx context.Context, mark uint64) (uint64, error) {
	const enough = 100 // some of them may be too short, or were deleted
	for n := mark; n > 0 && mark-n < enough; n-- {
		v := new(version)
		if _, err := x.state.get(versionsBucket, number(n), v); err != nil {
			return 0, err
		}
		_, err := x.store.Document(ctx, store.IDOf(x.opts.Prefix, v.URL))
		if err == nil {
			return mark, nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return 0, err
		}
	}
	return 0, nil
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

// indexEvery is after how many bytes of text is committed.
const indexEvery = 256 << 20

func (x *indexing) sometimes(ctx context.Context, mark uint64) error {
	if x.bytes < indexEvery {
		return nil
	}
	return x.commit(ctx, mark)
}

// commit commits the index, and then notes in the state what it has: a run that ends
// between the two puts the same articles under the same names again.
func (x *indexing) commit(ctx context.Context, mark uint64) error {
	if x.pending {
		if err := x.store.Commit(ctx); err != nil {
			return err
		}
	}
	x.pending, x.bytes, x.sum = false, 0, x.now
	return x.state.db.Update(func(tx *bbolt.Tx) error { return put(tx, indexesBucket, x.opts.Index, mark) })
}

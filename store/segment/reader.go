package segment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A Reader reads an index as of the last commit before it was opened. [Open] returns one.
type Reader struct {
	dir  string
	mu   sync.Mutex
	snap *snapshot // nil when closed
}

var _ store.Reader = (*Reader)(nil)

// Open opens the index in dir for reading. It writes nothing, so dir may be on a read-only
// file system.
func Open(dir string) (*Reader, error) {
	s, err := openNewest(dir)
	if err != nil {
		return nil, phrase.Error("said.open-index", "open index: {cause}", "cause", err)
	}
	return &Reader{dir: dir, snap: s}, nil
}

// with calls fn with the current snapshot, and keeps it open meanwhile.
func (r *Reader) with(ctx context.Context, fn func(*snapshot) error) (err error) {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	s, err := r.acquire()
	if err != nil {
		return err
	}
	defer func() {
		err = cmp.Or(err, s.release())
	}()
	return guarded(r.dir, func() error { return fn(s) })
}

func (r *Reader) acquire() (*snapshot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.snap == nil {
		return nil, phrase.Error("index.read", "read index {name}: {cause}", "name", r.dir, "cause", os.ErrClosed)
	}
	r.snap.refs.Add(1)
	return r.snap, nil
}

// replace makes s the current snapshot, and releases the previous one.
func (r *Reader) replace(s *snapshot) error {
	r.mu.Lock()
	old := r.snap
	r.snap = s
	r.mu.Unlock()
	if old == nil {
		return nil
	}
	return old.release()
}

// guarded calls fn and turns a fault in mapped memory into an error: the disk cannot be
// read, or the file was truncated. It affects the current goroutine only, so each goroutine
// that reads mapped files needs it.
func guarded(dir string, fn func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		switch p := recover().(type) {
		case nil:
		case interface {
			error
			Addr() uintptr // only faults have this method
		}:
			err = phrase.Error("damage.unreadable", "read index {name}: {cause}: a file can no longer be read", "name", dir, "cause", store.ErrDamaged)
		default:
			panic(p)
		}
	}()
	return fn()
}

// Close implements [store.Reader].
func (r *Reader) Close() error { return r.replace(nil) }

// Settings implements [store.Reader].
func (r *Reader) Settings() store.Settings {
	s, err := r.acquire()
	if err != nil {
		return store.Settings{}
	}
	defer s.release()
	settings := s.index.Settings
	settings.Normalization = maps.Clone(settings.Normalization)
	return settings
}

// Info implements [store.Reader].
func (r *Reader) Info(ctx context.Context) (info store.Info, err error) {
	err = r.with(ctx, func(s *snapshot) error { info = s.info(); return nil })
	return info, err
}

func (s *snapshot) info() store.Info {
	x := s.index
	info := store.Info{
		Kind: "embedded", Name: s.dir, Where: s.dir, Format: indexVersion, Bases: slices.Clone(x.Bases),
		Changed: x.Changed, Documents: x.Documents, TextBytes: x.TextBytes, KeptBytes: x.KeptBytes,
	}
	info.Pairs = store.PairInfo{Documents: x.Pairs.Documents, Pairs: x.Pairs.Grams}
	sizes := map[int]store.SizeInfo{}
	for n, t := range x.Sizes {
		sizes[n] = store.SizeInfo{N: n, Documents: t.Documents, Grams: t.Grams}
	}
	var dead, packs int64
	for _, r := range x.Segments {
		dead += r.Dead
		if r.N == pairList {
			info.Pairs.Bytes += r.Bytes
		} else if size, ok := sizes[r.N]; ok {
			size.Bytes += r.Bytes
			sizes[r.N] = size
		}
	}
	for _, r := range x.Packs {
		packs += r.Length
	}
	info.Sizes = slices.SortedFunc(maps.Values(sizes), func(a, b store.SizeInfo) int { return a.N - b.N })
	info.Details = map[string]string{
		"commit":              strconv.FormatUint(s.generation, 10),
		"segments":            strconv.Itoa(len(x.Segments)),
		"tables of documents": strconv.Itoa(len(x.Tables)),
		"deleted n-grams":     strconv.FormatInt(dead, 10),
		"text files":          strconv.Itoa(len(x.Packs)),
		"bytes of text files": strconv.FormatInt(packs, 10),
	}
	return info
}

// Measure implements [store.Reader]. Info is complete.
func (r *Reader) Measure(context.Context, *store.Info) error { return nil }

// LeftOut implements [store.Reader]. The manifest counts Copies, so it reads no entries of
// an index without any.
func (r *Reader) LeftOut(ctx context.Context) (left map[store.DocID]bool, err error) {
	err = r.with(ctx, func(s *snapshot) error {
		if s.index.Copies == 0 {
			left = map[store.DocID]bool{}
			return nil
		}
		left, err = store.LeftOutOf(ctx, r)
		return err
	})
	return left, err
}

// Entries implements [store.Reader].
func (r *Reader) Entries(ctx context.Context, ids []store.DocID, fn func(store.Document) error) error {
	return store.EntriesOf(ids, func(id store.DocID) (store.Document, error) {
		d, err := r.record(ctx, id)
		if err != nil {
			return store.Document{}, err
		}
		return d.Document, nil
	}, fn)
}

// Texts implements [store.Reader].
func (r *Reader) Texts(ctx context.Context, ids []store.DocID, fn func(i int, text string, err error) error) error {
	return store.TextsOf(ids, func(id store.DocID) (string, error) { return r.text(ctx, id) }, fn)
}

// record returns the entry of a document, or an error wrapping
// store.ErrNotFound.
func (r *Reader) record(ctx context.Context, id store.DocID) (d *record, err error) {
	err = r.with(ctx, func(s *snapshot) error {
		if d, err = s.record(id); err == nil {
			s.recent.put(d)
		}
		return err
	})
	return d, err
}

func (s *snapshot) record(id store.DocID) (d *record, err error) {
	if d, err = s.tables.get(id); err != nil {
		return nil, err
	}
	if d == nil {
		return nil, phrase.Error("damage.document", "document {id}: {cause}", "id", id, "cause", store.ErrNotFound)
	}
	return d, nil
}

// errPast ends a walk after the names with the prefix.
var errPast = errors.New("past the names that begin so")

// Documents implements [store.Reader].
func (r *Reader) Documents(ctx context.Context, prefix string, fn func(store.Document) error) error {
	return r.with(ctx, func(s *snapshot) error {
		err := s.tables.walk(ctx, prefix, func(d *record) error {
			if !strings.HasPrefix(d.Name(), prefix) {
				return errPast
			}
			return fn(d.Document)
		})
		if err == errPast {
			return nil
		}
		return err
	})
}

// text returns the original text of a document.
func (r *Reader) text(ctx context.Context, id store.DocID) (text string, err error) {
	err = r.with(ctx, func(s *snapshot) error {
		d, err := s.record(id)
		if err != nil {
			return err
		}
		if d.Place == nil {
			return fmt.Errorf("%s: %w", d.Name(), store.ErrNoText)
		}
		if text, err = s.text(d.Place); err != nil {
			err = phrase.Error("damage.text-of", "text of {name}: {cause}", "name", d.Name(), "cause", err)
		}
		return err
	})
	return text, err
}

package harvest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// An Index is a [Target] that adds documents to an index, named after the identifiers of their
// records.
type Index struct {
	Where string                                     // identifies the index
	Open  func(context.Context) (store.Store, error) // called for each batch, so that others can write in between
	Opts  indexer.Options                            // N, Pairs, Prefix, Norms, Read and Workers are used
}

var _ Target = (*Index)(nil)

// Name implements [Target].
func (x *Index) Name() string { return "index " + x.Where + " " + x.Opts.Prefix }

func (x *Index) with(ctx context.Context, fn func(store.Store) error) (err error) {
	s, err := x.Open(ctx)
	if err != nil {
		return err
	}
	defer closing.Into(&err, s)
	return fn(s)
}

// holdsAll implements [Target]. Each commit stores the number of batches in a bookmark; an index that
// was emptied, or restored from an older copy, has a smaller number.
func (x *Index) holdsAll(ctx context.Context, j *job, _ []string) (has bool, err error) {
	err = x.with(ctx, func(s store.Store) error {
		value, err := s.Bookmark(ctx, bookmark(j))
		if err != nil {
			return err
		}
		puts, err := strconv.ParseInt(cmp.Or(value, "0"), 10, 64)
		if err != nil {
			return phrase.Error("gather.harvest-bookmark", "the index has a bookmark of this harvest that cannot be read: {value}", "value", strconv.Quote(value))
		}
		has = puts >= j.Puts
		return nil
	})
	return has, err
}

func bookmark(j *job) string { return "harvest " + j.ID }

// read implements [Target]. The only document of a record is named after the record; several
// documents are named like members of an archive.
func (x *Index) read(ctx context.Context, ident string, sources []source) (works []work, problems []error, err error) {
	if len(sources) == 0 {
		return nil, nil, nil
	}
	dir, err := os.MkdirTemp("", "otisk-harvest-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	var mu sync.Mutex
	for i, s := range sources {
		path := filepath.Join(dir, fmt.Sprint(i)+filepath.Ext(s.name))
		if err := os.WriteFile(path, s.data, 0o600); err != nil {
			return nil, nil, err
		}
		read := x.Opts.Read
		read.Workers = 1
		err := document.Each(ctx, path, read, func(doc *document.Document, err error) error {
			mu.Lock()
			defer mu.Unlock()
			name := s.name + strings.TrimPrefix(doc.Path, path)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", name, err))
				return nil
			}
			works = append(works, work{name: name, doc: doc})
			return nil
		})
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", s.name, err))
		}
	}
	called(ident, works)
	return works, problems, nil
}

func called(ident string, works []work) {
	slices.SortStableFunc(works, func(a, b work) int { return cmp.Compare(a.name, b.name) })
	taken := map[string]int{}
	for i := range works {
		w := &works[i]
		if len(works) == 1 {
			w.name = ident
			continue
		}
		name := ident + document.MemberMark + w.name
		if taken[name]++; taken[name] > 1 {
			name += fmt.Sprintf("~%d", taken[name])
		}
		w.name = name
	}
}

func (x *Index) put(ctx context.Context, b *batch) (refused []refusal, err error) {
	if b.isEmpty() {
		return nil, nil
	}
	err = x.with(ctx, func(s store.Store) error {
		if err := x.inherit(ctx, s, b); err != nil {
			return err
		}
		var mu sync.Mutex
		group, adding := errgroup.WithContext(ctx)
		group.SetLimit(cmp.Or(x.Opts.Workers, runtime.GOMAXPROCS(0)))
		for ident, works := range b.works {
			for _, w := range works {
				group.Go(func() error {
					err := indexer.Put(adding, s, w.name, w.doc, w.says, x.Opts)
					if errors.Is(err, indexer.ErrTooShort) || errors.Is(err, store.ErrRefused) {
						mu.Lock()
						defer mu.Unlock()
						refused = append(refused, refusal{ident, w.name, err})
						return nil
					}
					return err
				})
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
		gone := b.removed()
		if b.unsure {
			if gone, err = x.forgotten(ctx, s, b, gone); err != nil {
				return err
			}
		}
		gone = append(gone, lists.Map(refused, func(r refusal) string { return r.name })...)
		for _, name := range gone {
			if err := s.Delete(ctx, store.IDOf(x.Opts.Prefix, name)); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		s.SetBookmark(bookmark(b.job), strconv.FormatInt(b.job.Puts, 10))
		return s.Commit(ctx)
	})
	return refused, err
}

// inherit passes descriptions given by hand from documents that will be removed to the document
// of the same record with the same content. A description without such an heir is reported.
func (x *Index) inherit(ctx context.Context, s store.Catalogue, b *batch) error {
	for ident, names := range b.old {
		said, err := b.said(ident)
		if err != nil {
			return err
		}
		for _, name := range names {
			d, err := store.Entry(ctx, s, store.IDOf(x.Opts.Prefix, name))
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			byHand := beyond(d.Said, said)
			if byHand.IsZero() {
				continue
			}
			heir := slices.IndexFunc(b.works[ident], func(w work) bool { return w.doc != nil && w.doc.Content == d.Content })
			if heir >= 0 {
				w := &b.works[ident][heir]
				w.says = byHand.Over(w.says)
				b.notes = append(b.notes, Event{Record: name, Note: phrase.Error("said.is-removed", "is removed: its description is now that of {name}", "name", w.name)})
				continue
			}
			b.notes = append(b.notes, Event{Record: name, Note: phrase.Error("said.removed-with", "is removed, and its description with it: {list}", "list", strings.Join(byHand.List(), ", "))})
		}
	}
	return nil
}

func beyond(said, known store.Description) store.Description {
	for _, field := range said.List() {
		name, value, _ := strings.Cut(field, "=")
		if v, _ := known.Value(name); v == value {
			said.Unset(name)
		}
	}
	return said
}

// forgotten adds to gone the documents of records in the batch that the state does not know, since it
// was lost.
func (x *Index) forgotten(ctx context.Context, s store.Store, b *batch, gone []string) ([]string, error) {
	if info, err := s.Info(ctx); err != nil || info.Documents == 0 {
		return gone, err
	}
	for ident, e := range b.entries {
		add := func(d store.Document) error {
			if d.Prefix == x.Opts.Prefix && !slices.Contains(e.Names, d.Path) {
				gone = append(gone, d.Path)
			}
			return nil
		}
		if e.Failed != "" {
			continue // they may belong to texts that could not be fetched this time
		}
		d, err := store.Entry(ctx, s, store.IDOf(x.Opts.Prefix, ident))
		if err == nil {
			err = add(d)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err := s.Documents(ctx, x.Opts.Prefix+ident+document.MemberMark, add); err != nil {
			return nil, err
		}
	}
	return gone, nil
}

func (b *batch) removed() (names []string) {
	for _, list := range b.old {
		names = append(names, list...)
	}
	return names
}

// Finish implements [Target].
func (x *Index) Finish(*state) error { return nil }

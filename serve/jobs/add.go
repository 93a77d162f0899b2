package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/fault"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

// change opens the index of the task for fn, which changes and commits it, and counts the documents.
func (w *worker) change(ctx context.Context, o *work.Outcome, fn func(context.Context, store.Store, *work.Outcome) error) (err error) {
	index, err := w.writer(ctx)
	if err != nil {
		return err
	}
	defer closing.Into(&err, index)
	if err := fn(ctx, index, o); err != nil {
		return err
	}
	return count(ctx, index, o)
}

func (w *worker) add(ctx context.Context, index store.Store, o *work.Outcome) error {
	u, err := newUpload(ctx, index)
	if err != nil {
		return err
	}
	for _, f := range w.task.Files {
		if err := w.addFile(ctx, index, f, o, u.add); err != nil {
			return err
		}
	}
	return index.Commit(ctx)
}

func count(ctx context.Context, index store.Catalogue, o *work.Outcome) error {
	return index.Documents(ctx, "", func(d store.Document) error {
		o.Documents, o.Words = o.Documents+1, o.Words+d.Words
		return nil
	})
}

// remove removes documents from the collection, and has the files of the index that contain them
// rewritten. Names that are not in the index are skipped: an earlier try may have removed them.
func (w *worker) remove(ctx context.Context, index store.Store, _ *work.Outcome) error {
	for _, name := range w.task.Names {
		if err := index.Delete(ctx, store.IDOf("", name)); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	if err := index.Commit(ctx); err != nil {
		return err
	}
	ended := make(chan struct{})
	defer close(ended)
	go w.alive(ended)
	expunge := index.Optimize
	if s, ok := index.(*esclient.Store); ok {
		expunge = s.Expunge
	}
	return expunge(ctx)
}

// alive reports to the server that the process works, until ended is closed.
func (w *worker) alive(ended chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-time.After(aliveStep):
			w.progress(check.Progress{Stage: check.Reading})
		}
	}
}

// aliveStep is the time between reports of a process that rewrites an index.
const aliveStep = 5 * time.Second

// An adding adds a document to an index, and reports whether it was not there already.
type adding func(ctx context.Context, index store.Store, name string, doc *document.Document, opts indexer.Options) (bool, error)

// addFile adds the documents of one file by add.
func (w *worker) addFile(ctx context.Context, index store.Store, f work.File, o *work.Outcome, add adding) error {
	opts := w.indexOptions()
	var mu sync.Mutex
	skip := func(path string, err error) {
		if errors.Is(err, errForgotten) { // the name stays deleted
			return
		}
		mu.Lock()
		defer mu.Unlock()
		o.Unread = append(o.Unread, search.NewUnread(path, err))
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	err := document.Each(ctx, f.Path, opts.Read, func(doc *document.Document, bad error) error {
		path := f.Name + strings.TrimPrefix(doc.Path, f.Path)
		if bad != nil {
			skip(path, bad)
			return nil
		}
		group.Go(func() (err error) {
			defer fault.Catch(&err)
			added, err := add(ctx, index, path, doc, opts)
			switch {
			case errors.Is(err, indexer.ErrTooShort), errors.Is(err, store.ErrRefused):
				skip(path, err)
				return nil
			case err != nil:
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			if added {
				o.Added++
			} else {
				o.Unchanged++
			}
			return w.send(work.Line{Progress: &check.Progress{Stage: check.Reading, Done: o.Added + o.Unchanged}})
		})
		return ctx.Err()
	})
	if failed := group.Wait(); failed != nil {
		return failed
	}
	if err != nil {
		skip(f.Name, err)
	}
	return nil
}

type upload struct {
	mu      sync.Mutex
	claimed map[string]*claim // by content
}

// A claim is a content that the collection has, or that is being added.
type claim struct {
	done  chan struct{}
	added bool // set before done is closed
}

// newUpload returns an upload to an index. It knows the content of all its documents.
func newUpload(ctx context.Context, index store.Catalogue) (*upload, error) {
	u := &upload{claimed: map[string]*claim{}}
	there := &claim{make(chan struct{}), true}
	close(there.done)
	return u, index.Documents(ctx, "", func(d store.Document) error {
		u.claimed[d.Content] = there
		return nil
	})
}

// add adds a document unless the collection has its content, under whichever name. A member of an archive
// has its path in it as a name. If another document has the name, it gets the name name~2 and so on: no
// document is replaced. add reports whether the document was added.
func (u *upload) add(ctx context.Context, index store.Store, path string, doc *document.Document, opts indexer.Options) (added bool, err error) {
	u.mu.Lock()
	own := &claim{done: make(chan struct{})}
	earlier := u.claimed[doc.Content]
	if earlier == nil {
		u.claimed[doc.Content] = own
	}
	u.mu.Unlock()
	if earlier != nil {
		<-earlier.done
		if earlier.added {
			return false, nil
		}
	} else {
		defer func() { own.added = added; close(own.done) }()
	}
	if _, member, found := strings.Cut(path, document.MemberMark); found {
		path = member
	}
	name := path
	for i := 2; ; i++ {
		_, err := store.Entry(ctx, index, store.IDOf("", name))
		if errors.Is(err, store.ErrNotFound) {
			err = indexer.Add(ctx, index, name, doc, opts)
			return err == nil, err
		}
		if err != nil {
			return false, err
		}
		name = fmt.Sprintf("%s~%d", path, i)
	}
}

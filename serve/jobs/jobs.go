// Package jobs executes the jobs of otisk serve: checks, additions and removals, the gathering of
// documents, and the copying of indexes. [Execute] does the task of a worker process; package work has the tasks
// and starts the processes.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"sync"
	"syscall"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// A worker executes a task. It has the settings of otisk search and otisk index.
type worker struct {
	server *session.Session // with the cluster of the server
	s      *session.Session // with the first collection of the task
	task   *work.Task

	mu  sync.Mutex
	out *json.Encoder

	private map[string][]report.PrivateShare // by paths of texts

	gone map[string]bool // marks of documents that a source must not add
}

// Execute executes a task, and writes its progress and its outcome to out as a [work.Line] each. The settings
// are those of s; folders of collections are in the working directory.
func Execute(ctx context.Context, s *session.Session, task *work.Task, out io.Writer) error {
	if s.Read.OCR != nil { // a deletion removes the texts, and the cache is outside of the data folder
		s.Read.OCR.WithoutCache()
	}
	w := &worker{server: s, s: collection(s, task.Collections[0]), task: task, out: json.NewEncoder(out)}
	outcome := new(work.Outcome)
	if err := indexes.Explain(indexes.Place{}, w.run(ctx, outcome)); err != nil {
		outcome = &work.Outcome{Error: err.Error(), Message: phrase.StoredOf(err), Later: cause(err)}
	}
	return w.send(work.Line{Outcome: outcome})
}

// collection returns s with the index of a collection: a folder in the working directory, or an index in the
// cluster of s.
func collection(s *session.Session, p indexes.Place) *session.Session {
	if !p.InCluster() {
		return s.InFolder(p.ID)
	}
	return s.InCluster(p.Index, p.ID)
}

// cause returns the cause on the server of an error, "" if it is in the files of the job.
func cause(err error) work.Cause {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, store.ErrLocked):
		return work.OfServer
	case errors.Is(err, indexes.ErrMissing):
		return work.OfIndex
	case errors.Is(err, indexes.ErrAway):
		return work.OfCluster
	}
	return ""
}

func (w *worker) send(line work.Line) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Encode(line)
}

// progress reports progress, without which the server ends the process after some time.
func (w *worker) progress(at check.Progress) { _ = w.send(work.Line{Progress: &at}) }

func (w *worker) run(ctx context.Context, o *work.Outcome) error {
	switch {
	case w.task.Kind == work.Gather:
		return w.gather(ctx, o)
	case w.task.Table:
		return w.describe(ctx, o)
	case w.task.Kind == work.Add:
		return w.change(ctx, o, w.add)
	case w.task.Kind == work.Remove:
		return w.change(ctx, o, w.remove)
	case w.task.Kind == work.Read:
		return w.read(ctx, o)
	}
	return w.check(ctx, o)
}

// public opens the collections that are not private, or an empty index if there are none.
func (w *worker) public(ctx context.Context) (index store.Reader, end func() error, err error) {
	var places []indexes.Place
	for i, p := range w.task.Collections {
		if !slices.ContainsFunc(w.task.Private, func(p work.Private) bool { return p.Index == i }) {
			places = append(places, p)
		}
	}
	if len(places) > 0 {
		index, _, end, err = session.Join(ctx, places, w.reader)
		return index, end, err
	}
	private, err := w.reader(ctx, w.task.Collections[0])
	if err != nil {
		return nil, nil, err
	}
	return memory.New(private.Settings()), func() error { return nil }, private.Close()
}

// reader opens a collection for reading. It creates the index if nothing was added yet.
func (w *worker) reader(ctx context.Context, p indexes.Place) (store.Reader, error) {
	s := collection(w.server, p)
	r, err := s.Reader(ctx)
	if !errors.Is(err, store.ErrNoIndex) || p.Filled {
		return r, indexes.Explain(p, err)
	}
	writer, err := s.PatientWriter(ctx, true)
	if err == nil {
		err = writer.Close()
	}
	if err != nil {
		return nil, err
	}
	return s.Reader(ctx)
}

// writer opens the collection of the task for writing. It creates the index if nothing was added yet.
func (w *worker) writer(ctx context.Context) (store.Store, error) {
	p := w.task.Collections[0]
	index, err := w.s.PatientWriter(ctx, !p.Filled)
	if err != nil {
		return nil, indexes.Explain(p, err)
	}
	if err := w.s.CheckTexts(index); err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return index, nil
}

// errForgotten reports a document of a source that was deleted from the collection.
var errForgotten error = phrase.Error("case.forgotten", "it was deleted from the collection").Of(store.ErrRefused)

// A withoutForgotten is the writer of a source. It refuses documents that were deleted from the
// collection.
type withoutForgotten struct {
	store.Store
	w *worker
}

// Add returns errForgotten for a document that was deleted.
func (s withoutForgotten) Add(ctx context.Context, doc store.Document, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if s.w.forgotten(doc.Name(), doc.Content) {
		return errForgotten
	}
	return s.Store.Add(ctx, doc, text, grams, pairs)
}

// forgotten reports whether a document with the name or with the content was deleted from the
// collection of the task.
func (w *worker) forgotten(name, content string) bool {
	return slices.ContainsFunc(work.Marks(w.task.Collections[0].ID, name, content), func(mark string) bool { return w.gone[mark] })
}

// sourceWriter opens the collection for the documents of a source.
func (w *worker) sourceWriter(ctx context.Context) (store.Store, error) {
	index, err := w.writer(ctx)
	if err != nil {
		return nil, err
	}
	return withoutForgotten{index, w}, nil
}

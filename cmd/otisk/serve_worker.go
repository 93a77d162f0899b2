package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/fault"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/indexes"
	"github.com/otisk/otisk/serve/tca"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// newWorkerCommand returns the hidden command that executes one job of otisk serve.
func newWorkerCommand(g *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use: work.Command, Short: "Execute a job of otisk serve", Hidden: true, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWorker(cmd, g) },
	}
}

// A worker executes a task. It has the settings of otisk search and otisk index.
type worker struct {
	cmd    *cobra.Command
	server *session // with the cluster of the server
	s      *session // with the first collection of the task
	task   *work.Task

	mu  sync.Mutex
	out *json.Encoder

	private map[string][]report.PrivateShare // by paths of texts

	gone map[string]bool // marks of documents that a source must not add
}

func runWorker(cmd *cobra.Command, g *globalOptions) error {
	task, err := work.ReadTask(cmd.InOrStdin())
	if err != nil {
		return err
	}
	if task.Memory > 0 {
		if err := work.LimitMemory(task.Memory); err != nil {
			return err
		}
	}
	go func() { // the server has ended
		_, _ = io.Copy(io.Discard, cmd.InOrStdin())
		os.Exit(statusFailed)
	}()
	s, err := g.resolve()
	if err != nil {
		return err
	}
	if s.recognizer != nil { // a deletion removes the texts, and the cache is outside of the data folder
		s.recognizer.WithoutCache()
	}
	w := &worker{cmd: cmd, server: s, s: s.collection(task.Collections[0]), task: task, out: json.NewEncoder(cmd.OutOrStdout())}
	outcome := new(work.Outcome)
	if err := indexes.Explain(indexes.Place{}, w.run(outcome)); err != nil {
		outcome = &work.Outcome{Error: err.Error(), Message: phrase.Keep(err), Later: cause(err)}
	}
	return w.send(work.Line{Outcome: outcome})
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

func (w *worker) run(o *work.Outcome) error {
	switch {
	case w.task.Kind == work.Gather:
		return w.gather(w.cmd.Context(), o)
	case w.task.Table:
		return w.describe(w.cmd.Context(), o)
	case w.task.Kind == work.Add:
		return w.add(w.cmd.Context(), o)
	case w.task.Kind == work.Remove:
		return w.remove(w.cmd.Context(), o)
	case w.task.Kind == work.Read:
		return w.read(w.cmd.Context(), o)
	}
	return w.check(w.cmd.Context(), o)
}

// findPrivate searches the private collections, alone, and keeps what the reports may say about them.
func (w *worker) findPrivate(ctx context.Context) (err error) {
	var openings []opening
	var open []work.Private
	for _, p := range w.task.Private {
		if !p.Closed {
			open, openings = append(open, p), append(openings, w.opening(p.Index))
		}
	}
	if len(open) == 0 {
		return nil
	}
	index, of, end, err := join(ctx, openings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	collections := map[string]*report.PrivateCollection{} // by ids of documents
	err = index.Documents(ctx, func(d store.Document) error {
		for i, p := range open {
			if of == nil || of[i][d.ID] {
				collections[d.ID.String()] = &report.PrivateCollection{Number: p.Index, Owner: p.Owner, Secret: p.Secret}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	o := w.searchOptions()
	o.exact, o.among = true, false
	batch, err := w.batch(ctx, index, o)
	if err != nil {
		return err
	}
	defer closing.Into(&err, batch)
	w.private = map[string][]report.PrivateShare{}
	return batch.Search(ctx, func(t check.Text, found *search.Result) error {
		words, err := batch.Words(t)
		if err != nil {
			return err
		}
		list := report.PrivateShares(found, words, func(id string) *report.PrivateCollection { return collections[id] })
		w.mu.Lock()
		defer w.mu.Unlock()
		w.private[t.Path] = list
		return nil
	})
}

func (w *worker) opening(i int) opening {
	return func(ctx context.Context) (store.Reader, error) { return w.reader(ctx, w.task.Collections[i]) }
}

// public opens the collections that are not private, or an empty index if there are none.
func (w *worker) public(ctx context.Context) (index store.Reader, end func() error, err error) {
	var openings []opening
	for i := range w.task.Collections {
		if !slices.ContainsFunc(w.task.Private, func(p work.Private) bool { return p.Index == i }) {
			openings = append(openings, w.opening(i))
		}
	}
	if len(openings) > 0 {
		index, _, end, err = join(ctx, openings)
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
	s := w.server.collection(p)
	r, err := s.reader(ctx)
	if !errors.Is(err, store.ErrNoIndex) || p.Filled {
		return r, indexes.Explain(p, err)
	}
	writer, err := s.patientWriter(ctx, w.cmd, true)
	if err == nil {
		err = writer.Close()
	}
	if err != nil {
		return nil, err
	}
	return s.reader(ctx)
}

// writer opens the collection of the task for writing. It creates the index if nothing was added yet.
func (w *worker) writer(ctx context.Context) (store.Store, error) {
	p := w.task.Collections[0]
	index, err := w.s.patientWriter(ctx, w.cmd, !p.Filled)
	if err != nil {
		return nil, indexes.Explain(p, err)
	}
	if err := w.s.checkTexts(index); err != nil {
		return nil, errors.Join(err, index.Close())
	}
	return index, nil
}

// mostTexts is the limit of texts in one uploaded file: each is a check of its own.
const mostTexts = 5000

// check checks the files as otisk search does, and writes the reports in JSON. A task that lists the texts ends
// when all are read.
func (w *worker) check(ctx context.Context, o *work.Outcome) (err error) {
	if w.task.Kind == work.Check {
		if err := w.findPrivate(ctx); err != nil {
			return err
		}
	}
	index, end, err := w.public(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	options := w.searchOptions()
	batch, err := w.batch(ctx, index, options)
	if err != nil {
		return err
	}
	defer closing.Into(&err, batch)
	places := map[string]int{}
	o.Texts, o.Unread = make([]work.Text, len(batch.Texts())), batch.Unread()
	for i, t := range batch.Texts() {
		places[t.Path] = i
		o.Texts[i] = work.Text{File: w.fileOf(t.Path), Path: t.Path}
	}
	if w.task.Kind == work.List {
		return nil
	}
	return batch.Search(ctx, func(t check.Text, found *search.Result) error {
		i := places[t.Path]
		text, err := w.write(options, i, t, found)
		o.Texts[i] = text
		return err
	})
}

func (w *worker) batch(ctx context.Context, index store.Reader, o *searchOptions) (*check.Batch, error) {
	info, err := index.Info(ctx)
	if err != nil {
		return nil, err
	}
	run := &searchRun{cmd: w.cmd, s: w.s, o: o}
	opts, err := run.options(info, w.s.progress(w.cmd, true, false))
	if err != nil {
		return nil, err
	}
	opts.Single, opts.Skip, opts.Most, opts.Progress = false, w.task.Skip, mostTexts, w.progress
	if len(w.task.Without) > 0 {
		without := map[store.DocID]bool{}
		for _, name := range w.task.Without {
			without[store.IDOf("", name)] = true
		}
		opts.Search.Skip = func(id store.DocID) bool { return without[id] }
	}
	if opts.Search.Templates, err = w.given(ctx); err != nil {
		return nil, err
	}
	batch, err := check.New(ctx, index, opts)
	if err != nil {
		return nil, err
	}
	for _, f := range w.task.Files {
		batch.FindAs(f.Path, f.Name)
	}
	if err := batch.Read(ctx); err != nil {
		return nil, errors.Join(err, batch.Close())
	}
	return batch, nil
}

// faults are the codes of errors of reading, the most specific first.
var faults = []struct {
	err  error
	code tca.Code
}{
	{document.ErrEncrypted, tca.Locked}, {document.ErrTooLarge, tca.TooMuch}, {document.ErrEmpty, tca.NoText}, {document.ErrNoLayer, tca.NoText}, {document.ErrDamaged, tca.Corrupt},
	{document.ErrBinary, tca.Unsupported}, {document.ErrEncoding, tca.Unsupported}, {document.ErrMany, tca.Unsupported}, {document.ErrNested, tca.Unsupported},
}

// read reads one text, and sets its size or why it cannot be checked.
func (w *worker) read(ctx context.Context, o *work.Outcome) error {
	doc, err := document.Open(ctx, w.task.Files[0].Path, w.s.readOptions())
	o.Read = new(work.Reading)
	if err == nil {
		norm, _ := w.s.norms.For(doc.Types()...)
		paragraph, words, longest := -1, 0, 0
		for s := norm.Scan(doc.Text, doc.Mode(norm)); s.Next(); o.Read.Words++ {
			if s.Paragraph() != paragraph {
				paragraph, words = s.Paragraph(), 0
			}
			words++
			longest = max(longest, words)
		}
		o.Read.Characters = utf8.RuneCountInString(doc.Text)
		if longest < defaultSize { // as the check would find
			o.Read.Fault, o.Unread = tca.TooLittle, []search.Unread{search.NewUnread(w.task.Files[0].Name, search.TooShort(defaultSize))}
		}
		return nil
	}
	for _, f := range faults {
		if errors.Is(err, f.err) {
			o.Read.Fault, o.Unread = f.code, []search.Unread{search.NewUnread(w.task.Files[0].Name, err)}
			return nil
		}
	}
	return err
}

// given returns the given texts, which otisk search reads by --template.
func (w *worker) given(ctx context.Context) (texts []string, err error) {
	for _, f := range w.task.Given {
		doc, err := document.Open(ctx, f.Path, w.s.readOptions())
		if err != nil {
			return nil, fmt.Errorf("%w: %w", lang.Say("said.given-text", "name", f.Name), err)
		}
		texts = append(texts, doc.Text)
	}
	return texts, nil
}

func (w *worker) searchOptions() *searchOptions {
	o, p := newSearchOptions(), w.task.Preset
	o.exact, o.among, o.target.formats = p.Exact, w.task.Among, []string{"json"}
	o.review.kinds, o.review.passageWords, o.review.sourceWords, o.review.sourcePercent = p.Exclude, p.MinPassage, p.MinSource, p.MinSourcePercent
	return &o
}

func (w *worker) write(o *searchOptions, i int, t check.Text, found *search.Result) (work.Text, error) {
	r := &report.Report{Result: *found}
	private := w.private[t.Path]
	if len(w.task.Private) > 0 {
		report.AddPrivate(r, private)
	}
	for _, p := range w.task.Private {
		if p.Closed {
			r.Note(phrase.Error("said.private-closed", "the private collection of {owner} was not searched: the group has checked too many texts with passages of it", "owner", p.Owner))
		}
	}
	o.review.apply(r)
	text := work.Text{Path: t.Path, Report: fmt.Sprintf("%d.json", i), Row: report.RowOf(r, ""), Flags: len(r.Suspect.Flags)}
	for _, p := range private {
		text.Private = append(text.Private, p.Collection)
	}
	text.File = w.fileOf(t.Path)
	return text, check.WriteFile(filepath.Join(w.task.Out, text.Report), "json", r, report.Options{})
}

func (w *worker) fileOf(path string) int {
	return max(0, slices.IndexFunc(w.task.Files, func(f work.File) bool { return path == f.Name || strings.HasPrefix(path, f.Name+document.MemberMark) }))
}

func (w *worker) add(ctx context.Context, o *work.Outcome) (err error) {
	index, err := w.writer(ctx)
	if err != nil {
		return err
	}
	defer closing.Into(&err, index)
	u, err := newUpload(ctx, index)
	if err != nil {
		return err
	}
	for _, f := range w.task.Files {
		if err := w.addFile(ctx, index, f, o, u.add); err != nil {
			return err
		}
	}
	if err := index.Commit(ctx); err != nil {
		return err
	}
	return count(ctx, index, o)
}

func count(ctx context.Context, index store.Reader, o *work.Outcome) error {
	return index.Documents(ctx, func(d store.Document) error {
		o.Documents, o.Words = o.Documents+1, o.Words+d.Words
		return nil
	})
}

// remove removes documents from the collection, and has the files of the index that contain them
// rewritten. Names that are not in the index are skipped: an earlier try may have removed them.
func (w *worker) remove(ctx context.Context, o *work.Outcome) (err error) {
	index, err := w.writer(ctx)
	if err != nil {
		return err
	}
	defer closing.Into(&err, index)
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
	if err := expunge(ctx); err != nil {
		return err
	}
	return count(ctx, index, o)
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
		if errors.Is(err, errForgotten()) { // the name stays deleted
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
func newUpload(ctx context.Context, index store.Reader) (*upload, error) {
	u := &upload{claimed: map[string]*claim{}}
	there := &claim{make(chan struct{}), true}
	close(there.done)
	return u, index.Documents(ctx, func(d store.Document) error {
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
		_, err := index.Document(ctx, store.IDOf("", name))
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

package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/otisk/otisk/check"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/gather/crawl"
	"github.com/otisk/otisk/gather/fetch"
	"github.com/otisk/otisk/gather/harvest"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/project"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/serve/work"
	"github.com/otisk/otisk/store"
)

// mostProblems is the limit of problems that a run of a source lists.
const mostProblems = 500

// gather adds documents of the source of the task. After the time of the task it stops; the next run
// continues.
func (w *worker) gather(ctx context.Context, o *work.Outcome) error {
	limited, cancel := context.WithTimeout(ctx, w.task.Source.Most)
	defer cancel()
	w.gone = map[string]bool{}
	for _, mark := range w.task.Gone {
		w.gone[mark] = true
	}
	run := map[string]func(context.Context, *work.Outcome) error{
		work.FolderSource: w.gatherFolder, work.OAISource: w.gatherRepository, work.FeedSource: w.gatherFeed,
	}[w.task.Source.Kind]
	err := run(limited, o)
	if ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		o.More, err = true, nil
	}
	if err != nil {
		return err
	}
	index, err := w.reader(ctx, w.task.Collections[0])
	if err != nil {
		return err
	}
	return errors.Join(count(ctx, index, o), index.Close())
}

// problem notes what could not be gathered. It does not name documents that were deleted.
func (w *worker) problem(o *work.Outcome, path string, err error) {
	if errors.Is(err, errForgotten) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(o.Unread) < mostProblems {
		o.Unread = append(o.Unread, search.NewUnread(path, err))
	}
}

// holdTime is how long a run keeps the writer of a collection before others may write.
const holdTime = 20 * time.Second

type folderRun struct {
	w     *worker
	o     *work.Outcome
	root  string // canonical
	index store.Store
	since time.Time // of the index
}

// gatherFolder adds the files of a folder and replaces documents whose files have changed. It does
// not follow links, and enters no hidden folders.
func (w *worker) gatherFolder(ctx context.Context, o *work.Outcome) (err error) {
	r := &folderRun{w: w, o: o}
	if r.root, err = w.folder(); err != nil {
		return err
	}
	defer func() {
		if r.index != nil {
			err = errors.Join(err, r.index.Commit(context.WithoutCancel(ctx)), r.index.Close())
		}
	}()
	return filepath.WalkDir(r.root, func(path string, e fs.DirEntry, err error) error {
		switch hidden := strings.HasPrefix(e.Name(), "."); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			w.problem(o, r.name(path), errors.New(oserror.Cause(err).Error()))
			return nil
		case hidden && e.IsDir() && path != r.root:
			return fs.SkipDir
		case hidden || !e.Type().IsRegular():
			return nil
		}
		return r.file(ctx, path, e)
	})
}

// folder returns the canonical folder of the source. It must be below a folder that the administrator
// named, also now.
func (w *worker) folder() (string, error) {
	path, err := walk.Canonical(w.task.Source.Address)
	if err != nil {
		return "", err
	}
	for _, root := range w.task.Source.Roots {
		if top, err := walk.Canonical(root); err == nil {
			if _, ok := walk.Within(top, path); ok && walk.IsFolder(path) {
				return path, nil
			}
		}
	}
	return "", lang.NewMessage("said.no-folder")
}

// name returns the name of the document of a file: the folder of the source, and the path below it.
func (r *folderRun) name(path string) string {
	rel, err := filepath.Rel(r.root, path)
	if err != nil {
		rel = filepath.Base(path)
	}
	return filepath.ToSlash(filepath.Join(filepath.Base(r.root), rel))
}

// file adds the documents in a file, unless the collection has it with its size and time.
func (r *folderRun) file(ctx context.Context, path string, e fs.DirEntry) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	name := r.name(path)
	if r.w.forgotten(name, "") {
		return nil
	}
	info, err := e.Info()
	if err != nil {
		r.w.problem(r.o, name, errors.New(oserror.Cause(err).Error()))
		return nil
	}
	old, err := store.Entry(ctx, r.index, store.IDOf("", name))
	if err == nil && old.Bytes == info.Size() && old.ModTime.Equal(info.ModTime().UTC().Truncate(time.Second)) {
		r.o.Unchanged++
		r.w.progress(check.Progress{Stage: check.Reading, Done: r.o.Added + r.o.Unchanged})
		return nil
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return r.w.addFile(ctx, r.index, work.File{Path: path, Name: name}, r.o, replaceDocument)
}

// open opens the index for writing. At intervals it commits and lets others write.
func (r *folderRun) open(ctx context.Context) (err error) {
	if r.index != nil && time.Since(r.since) < holdTime {
		return nil
	}
	if r.index != nil {
		err := errors.Join(r.index.Commit(ctx), r.index.Close())
		if r.index = nil; err != nil {
			return err
		}
	}
	r.index, err = r.w.sourceWriter(ctx)
	r.since = time.Now()
	return err
}

// replaceDocument adds a document, or replaces the one with its name unless the content is the same.
// It reports whether it did.
func replaceDocument(ctx context.Context, index store.Store, name string, doc *document.Document, opts indexer.Options) (bool, error) {
	old, err := store.Entry(ctx, index, store.IDOf("", name))
	if err == nil && old.Content == doc.Content {
		return false, nil
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	return true, indexer.Add(ctx, index, name, doc, opts)
}

// client returns a client that contacts no host in the network of the server unless it is allowed.
func (w *worker) client(delay time.Duration) (*fetch.Client, error) {
	return fetch.New(fetch.Options{UserAgent: "otisk/" + project.Version() + " (+" + project.Home + ")", Allow: w.task.Source.Allow, Header: 2 * time.Minute, Delay: delay})
}

func (w *worker) indexOptions() indexer.Options {
	o := w.s.IndexOptions(session.DefaultSize)
	o.Workers = 2
	return o
}

func (w *worker) gatherRepository(ctx context.Context, o *work.Outcome) error {
	client, err := w.client(0)
	if err != nil {
		return err
	}
	defer client.Close()
	opts := harvest.Options{
		URL: w.task.Source.Address, State: filepath.Join(w.task.Source.State, "state.db"), Client: client, MaxFile: w.s.Settings.MaxFile,
		Target: &harvest.Index{
			Where: "collection " + w.task.Collections[0].ID, Opts: w.indexOptions(),
			Open: w.sourceWriter,
		},
		OnEvent: func(e harvest.Event) {
			if e.Err != nil {
				w.problem(o, cmp.Or(e.Record, w.task.Source.Address), e.Err)
			}
		},
		Progress: func(s harvest.Summary) {
			w.progress(check.Progress{Stage: check.Reading, Done: s.Records})
		},
	}
	if w.task.Source.Part != "" {
		opts.Sets = []string{w.task.Source.Part}
	}
	sum, err := harvest.Run(ctx, opts)
	o.Added, o.Unchanged = sum.Documents, sum.Unchanged
	return err
}

// gatherFeed downloads the articles of a feed or sitemap, and adds those that are complete also if
// the time is over.
func (w *worker) gatherFeed(ctx context.Context, o *work.Outcome) (err error) {
	client, err := w.client(0)
	if err != nil {
		return err
	}
	defer client.Close()
	norm, _ := w.s.Norms.For()
	sum, err := crawl.Run(ctx, crawl.Options{
		Dir: w.task.Source.State, Feeds: []string{w.task.Source.Address}, Client: client, Program: "otisk/" + project.Version(), Norm: norm, Hosts: 4, Recheck: 24 * time.Hour,
		Encoding: w.s.Read.Encoding, Progress: func(e crawl.Event) {
			if e.Err != nil {
				w.problem(o, e.URL, e.Err)
			}
			w.progress(check.Progress{Stage: check.Reading, Done: e.New + e.Changed + e.Unchanged})
		},
	})
	o.Unchanged = sum.Unchanged + sum.Known
	if err != nil && ctx.Err() == nil {
		return err
	}
	late := context.WithoutCancel(ctx)
	index, err := w.sourceWriter(late)
	if err != nil {
		return err
	}
	defer closing.Into(&err, index)
	indexed, err := crawl.Index(late, index, crawl.IndexOptions{Dir: w.task.Source.State, Options: w.indexOptions(), Progress: func(done, all int) {
		w.progress(check.Progress{Stage: check.Reading, Done: done, Total: all})
	}})
	o.Added = indexed.Added
	return err
}

// describe sets the metadata of documents from a table, as otisk label --metadata does.
func (w *worker) describe(ctx context.Context, o *work.Outcome) error {
	said, err := indexer.ReadDescriptions(ctx, w.task.Files[0].Path)
	if err != nil {
		return err
	}
	return w.change(ctx, o, func(ctx context.Context, index store.Store, o *work.Outcome) error {
		return w.describeAll(ctx, index, o, said)
	})
}

func (w *worker) describeAll(ctx context.Context, index store.Store, o *work.Outcome, said *indexer.Descriptions) error {
	info, err := index.Info(ctx)
	if err != nil {
		return err
	}
	type described struct {
		document store.Document
		says     store.Description
	}
	var found []described
	note := func(d store.Document, says store.Description) {
		after := says
		if !w.task.Whole {
			after = says.Over(d.Said)
		}
		if after.Equal(d.Said) {
			o.Unchanged++
		} else {
			found = append(found, described{d, after})
		}
	}
	files := map[string][]store.Document{} // by the name of their file, at most two of each
	err = index.Documents(ctx, "", func(d store.Document) error {
		name := path.Base(d.Name())
		if says, ok := said.Of(&d, info.Bases); ok {
			note(d, says)
		} else if len(files[name]) < 2 {
			files[name] = append(files[name], d)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for name, documents := range files {
		if len(documents) > 1 {
			continue // the row may be about either
		}
		if says, ok := said.OfFile(name); ok {
			note(documents[0], says)
		}
	}
	for _, d := range found {
		if err := indexer.Describe(ctx, index, d.document, d.says); err != nil {
			return fmt.Errorf("%s: %w", d.document.Name(), err)
		}
		o.Added++
	}
	for _, name := range said.Unused() {
		w.problem(o, name, store.ErrNotFound)
	}
	return index.Commit(ctx)
}

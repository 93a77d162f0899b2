package indexer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// After an interruption within a large container, the next run resumes at the last commit, by the
// progress that the commit stores (store.Store.SetProgress). The progress applies only to the same
// file, read with the same options, and only if no other commit followed. In all other cases the
// container is read from its start, and records that the index has are skipped by their content.
//
// Records with the same name get numbers. So resuming requires the names of all earlier
// records: those of documents in the index, and those of records that gave no document. This works
// only if the index had no document of the container before the run; otherwise no progress is
// stored.

// A resumer tracks the progress of a run.
type resumer struct {
	store    store.Store
	settings string       // options of reading, as a string
	pass     sync.RWMutex // read-locked while a record is processed, so that a commit has all started records

	mu    sync.Mutex
	files map[string]*interrupted // by canonical path
}

// An interrupted is the progress in a container of a run that is not complete.
type interrupted struct {
	record

	mu          sync.Mutex
	isContainer bool // a record was started
	begun       map[int]store.DocID
	after       map[store.DocID]bool // records started by the previous run and not processed by this run so far
	missing     map[int]store.DocID
	there       map[store.DocID]bool // documents of records being processed
}

// A record is the stored progress in a container.
type record struct {
	File    string              // identity of the file: size, time and some of its bytes
	At      document.Checkpoint // all records before it are done
	Done    bool                // the whole container is done
	Missing []store.DocID       // ids of records before At that gave no document
	Begun   []store.DocID       // ids of records after At that may have a document
}

// A saved is the stored progress of a run.
type saved struct {
	Settings string            `json:"settings"`
	Files    map[string]record `json:"files"`
}

// Limits for the stored progress, which is in the manifest that every reader loads.
const (
	mostFiles   = 1000
	mostMissing = 10_000
)

// newResumer returns nil if the run stores no progress.
func newResumer(s store.Store, o Options) *resumer {
	if o.Force || o.Sync || o.Changes != nil || o.Dedup > 0 || len(o.Languages) > 0 || o.Descriptions != nil {
		return nil
	}
	read := o.Read
	settings := fmt.Sprint(document.Version, read.OCR != nil, o.N, o.Pairs, o.Translated, o.Prefix, o.Base,
		read.MaxBytes, read.Encoding, read.Strip, read.Archived, read.Field, read.ID, read.Whole, read.AsIs)
	return &resumer{store: s, settings: settings, files: map[string]*interrupted{}}
}

// load reads the progress of the previous run.
func (r *resumer) load(ctx context.Context) error {
	if r == nil {
		return nil
	}
	kept, err := r.store.Progress(ctx)
	if err != nil || kept == "" {
		return err
	}
	var was saved
	if json.Unmarshal([]byte(kept), &was) == nil && was.Settings == r.settings {
		for path, kept := range was.Files {
			r.files[path] = &interrupted{record: kept, isContainer: true}
		}
	}
	return nil
}

// save sets the progress for the next commit. It must be called while no record is processed.
func (r *resumer) save() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := saved{r.settings, map[string]record{}}
	for path, i := range r.files {
		if kept, ok := i.settle(); ok && len(now.Files) < mostFiles {
			now.Files[path] = kept
		}
	}
	text, err := json.Marshal(now)
	if err != nil || len(now.Files) == 0 {
		text = nil
	}
	r.store.SetProgress(string(text))
}

// over drops all progress, after the run is complete.
func (r *resumer) over() {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		clear(r.files)
	}
}

// pause waits until no record is processed and blocks new ones until goOn is called.
func (r *resumer) pause() (goOn func()) {
	if r == nil {
		return func() {}
	}
	r.pass.Lock()
	return r.pass.Unlock
}

// settle returns the progress to store; ok is false if it cannot be stored.
func (i *interrupted) settle() (kept record, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.begun != nil {
		all := maps.Clone(i.after)
		for _, id := range i.begun {
			all[id] = true
		}
		i.Begun = slices.Sorted(maps.Keys(all))
		for number, id := range i.missing {
			if number <= i.At.Records {
				i.Missing = append(i.Missing, id)
				delete(i.missing, number)
			}
		}
	}
	return i.record, i.isContainer && len(i.Missing)+len(i.Begun) <= mostMissing
}

// interruption returns the progress in the container f, nil if none is tracked.
func (r *run) interruption(ctx context.Context, f file) (i *interrupted, err error) {
	if r.resume == nil || !document.MayHoldMany(f.path) {
		return nil, nil
	}
	r.resume.mu.Lock()
	i = r.resume.files[f.canonical]
	r.resume.mu.Unlock()
	if i != nil {
		if is, err := identify(f.path); err == nil && is == i.File {
			return i, nil
		}
	}
	i = nil
	any, err := r.anyIn(ctx, f)
	if err != nil {
		return nil, err
	}
	if is, err := identify(f.path); err == nil && !any {
		i = &interrupted{record: record{File: is}}
	}
	r.resume.mu.Lock()
	defer r.resume.mu.Unlock()
	if delete(r.resume.files, f.canonical); i != nil {
		r.resume.files[f.canonical] = i
	}
	return i, nil
}

// anyIn reports whether the index has a document of a container.
func (r *run) anyIn(ctx context.Context, f file) (any bool, err error) {
	found := errors.New("found")
	err = r.store.Documents(ctx, r.opts.Prefix+f.document()+document.MemberMark, func(store.Document) error { return found })
	if err == found {
		return true, nil
	}
	return false, err
}

// identify returns the identity of a file: size, time, and the bytes at its start and end.
func identify(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	const part = 4 << 10
	sum := sha256.New()
	for _, from := range []int64{0, info.Size() - part} {
		if _, err := io.Copy(sum, io.NewSectionReader(f, max(0, from), part)); err != nil {
			return "", err
		}
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UTC().Format(time.RFC3339Nano), " ", hex.EncodeToString(sum.Sum(nil))), nil
}

// reading sets the options read so that reading resumes where the container was left and tracks
// its progress.
func (i *interrupted) reading(r *run, f file, read *document.Options) {
	i.mu.Lock() // another worker may commit
	defer i.mu.Unlock()
	i.begun, i.missing, i.there = map[int]store.DocID{}, map[int]store.DocID{}, map[store.DocID]bool{}
	before := lists.Set(i.Missing)
	i.after = map[store.DocID]bool{}
	for _, id := range i.Begun {
		i.after[id] = true
	}
	after := maps.Clone(i.after)
	idOf := func(path string) store.DocID {
		m := f.memberFile(&document.Document{Path: path})
		return store.IDOf(r.opts.Prefix, m.document())
	}
	read.Resume = &document.Resume{
		From: i.At,
		Taken: func(path string) bool {
			id := idOf(path)
			if before[id] || after[id] {
				return before[id]
			}
			_, err := store.Entry(context.Background(), r.store, id)
			return err == nil
		},
		Begin: func(number int, path string) func(*document.Checkpoint, bool) error {
			id := idOf(path)
			r.resume.pass.RLock()
			i.mu.Lock()
			defer i.mu.Unlock()
			i.begun[number], i.isContainer = id, true
			return func(at *document.Checkpoint, done bool) error { return i.end(r, number, id, at, done) }
		},
	}
}

// end records that a record was processed, and commits if that is due.
func (i *interrupted) end(r *run, number int, id store.DocID, at *document.Checkpoint, done bool) error {
	i.mu.Lock()
	if done {
		if !i.there[id] {
			i.missing[number] = id
		}
		delete(i.there, id)
		if at != nil && at.Records > i.At.Records {
			i.At = *at
			for n, id := range i.begun {
				if n <= at.Records {
					delete(i.begun, n)
					delete(i.after, id)
				}
			}
		}
	}
	i.mu.Unlock()
	r.resume.pass.RUnlock()
	if !done || !r.due() {
		return nil
	}
	if err := r.ledger.Commit(context.Background()); err != nil {
		return storeError{err}
	}
	return nil
}

// addPresent records that the index has a document.
func (i *interrupted) addPresent(id store.DocID) {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.there != nil {
		i.there[id] = true
	}
}

// finished records that the file was read, to its end if err is nil.
func (r *resumer) finished(ctx context.Context, f file, i *interrupted, err error) {
	if i == nil {
		return
	}
	var fatal storeError
	interrupted := ctx.Err() != nil || errors.As(err, &fatal)
	i.mu.Lock()
	i.Done = err == nil
	i.mu.Unlock()
	if !i.active() || err != nil && !interrupted {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.files, f.canonical) // it is not a container, or its error must be reported again by the next run
	}
}

// active reports whether records of the container are being processed.
func (i *interrupted) active() bool {
	if i == nil {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.isContainer
}

// errBefore reports records that failed before the interruption.
var errBefore error = phrase.Error("cause.failed-before", "failed in the previous run, which named them")

// wentBefore counts the records of a container that the previous run has processed.
func (r *run) wentBefore(f file, i *interrupted) {
	if i.At.Records == 0 {
		return
	}
	failed := len(i.Missing)
	r.ledger.Before(f.path, i.At.Records, failed, phrase.Error("index.failed-before", "{failed} of the {all} documents before {cause}", "failed", failed, "all", i.At.Records, "cause", errBefore))
}

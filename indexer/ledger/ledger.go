// Package ledger counts the work of a run over the documents of an index, reports each step, and
// commits at intervals, so that a crash loses little.
//
// Make a [Ledger] with [New]. Call [Ledger.Done] for each document and, if [Ledger.Due] is true
// then, [Ledger.Commit]; at last [Ledger.End]. Several goroutines may call all but End.
package ledger

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/otisk/otisk/lang/phrase"
)

// An Event is a step of a run.
type Event struct {
	Totals          // so far
	Path     string // file or document that the event is about; "" for a commit
	Err      error  // why it was not indexed
	Note     error  // remark about a document that was indexed or removed
	Commit   bool   // a commit was made: all documents so far are durable
	Gone     bool   // the document was removed because its file is gone
	Expected Totals // Files and Bytes of the whole run; zero until they are known
}

// Totals count the work of a run.
type Totals struct {
	Files     int   // files processed
	Added     int   // documents indexed, including replaced ones
	Replaced  int   // documents of Added that replaced a version with another text
	Renamed   int   // documents of Added that had another name before
	Removed   int   // documents removed because their files are gone
	Unchanged int   // documents skipped because they are unchanged
	Described int   // documents of Unchanged with new metadata
	Kept      int   // changed documents that the caller chose to keep
	Copies    int   // near-duplicates left out
	Foreign   int   // documents in other languages left out
	Failed    int   // files and documents that could not be read
	Committed int   // documents of Added that are committed
	Bytes     int64 // total size of the files processed
	Words     int64
	Grams     int64 // of all sizes indexed
}

// A Failure is a file that could not be indexed, and the reason.
type Failure struct {
	Path string
	Err  error
}

// A Summary is the result of a run.
type Summary struct {
	Totals
	Failures []Failure // the first 100,000; Failed counts all
	Elapsed  time.Duration
}

// maxFailures limits the failures in a summary, since a container can have any number of unreadable
// documents. Options.Progress gets each.
const maxFailures = 100_000

// failed records a file that could not be indexed.
func (s *Summary) failed(path string, err error) {
	s.Failed++
	if len(s.Failures) < maxFailures {
		s.Failures = append(s.Failures, Failure{path, err})
	}
}

// Options are the settings of a ledger.
type Options struct {
	CommitBytes int64         // commit after this many bytes of text; 0 for 1 GB
	CommitEvery time.Duration // commit after this time; 0 for 30 s
	// CommitDocuments is the number of documents after which a commit is due, however short they
	// are: until then the store has the entry of each in memory, almost 1 KB. 0 means 100,000.
	CommitDocuments int

	// Hold keeps other goroutines from changing the store until goOn is called; may be nil. It is
	// called before each commit.
	Hold func() (goOn func())
	// Commit commits the store.
	Commit func(context.Context) error
	// Progress is called for every event, by one goroutine at a time; may be nil.
	Progress func(Event)
}

// A Ledger counts the work of one run. It is safe for concurrent use.
type Ledger struct {
	opts  Options
	start time.Time

	mu         sync.Mutex // guards the following fields
	summary    Summary
	expected   Totals
	pending    int   // documents added since the last commit
	pendingB   int64 // bytes of text added since the last commit
	lastCommit time.Time
	failure    error // of a commit, after which the store refuses all writes
}

// New returns the ledger of a run that starts now.
func New(opts Options) *Ledger {
	opts.CommitBytes = cmp.Or(max(opts.CommitBytes, 0), 1<<30)
	opts.CommitEvery = cmp.Or(max(opts.CommitEvery, 0), 30*time.Second)
	opts.CommitDocuments = cmp.Or(max(opts.CommitDocuments, 0), 100_000)
	return &Ledger{opts: opts, start: time.Now(), lastCommit: time.Now()}
}

// An Outcome is the result for one document. At most one of Unchanged, Kept, Copy and Foreign is
// set; if none is, the document was added.
type Outcome struct {
	Unchanged, Described, Kept, Copy, Foreign, Replaced, Renamed bool

	Words, Grams, Text int64 // counted for an added document; Text is in bytes
}

// Done counts a document of size bytes and reports it. err is the reason why it was not indexed.
func (l *Ledger) Done(path string, size int64, o Outcome, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &l.summary.Totals
	t.Files++
	t.Bytes += size
	switch {
	case err != nil:
		l.summary.failed(path, err)
	case o.Unchanged:
		t.Unchanged++
		if o.Described {
			t.Described++
		}
	case o.Kept:
		t.Kept++
	case o.Copy:
		t.Copies++
	case o.Foreign:
		t.Foreign++
	default:
		t.Added++
		if o.Replaced {
			t.Replaced++
		}
		if o.Renamed {
			t.Renamed++
		}
		t.Words += o.Words
		t.Grams += o.Grams
		l.pending++
	}
	l.pendingB += o.Text
	l.report(Event{Path: path, Err: err})
}

// Fail counts and reports a path that could not be read or followed.
func (l *Ledger) Fail(path string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.summary.Files++
	l.summary.failed(path, err)
	l.report(Event{Path: path, Err: err})
}

// Before counts the documents of a file that an earlier run has processed. failed of them could not
// be indexed, which is reported once, with err.
func (l *Ledger) Before(path string, documents, failed int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &l.summary.Totals
	t.Files += documents
	t.Unchanged += documents - failed
	if failed > 0 {
		l.summary.Failed += failed - 1
		l.summary.failed(path, err)
		l.report(Event{Path: path, Err: err})
	}
}

// Removed counts a document with a text of that many bytes as removed and reports it.
func (l *Ledger) Removed(name string, text int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.summary.Removed++
	l.pendingB += text
	l.report(Event{Path: name, Gone: true})
}

// Note reports remarks about a file.
func (l *Ledger) Note(path string, notes ...error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, note := range notes {
		l.report(Event{Path: path, Note: note})
	}
}

// Expect sets the Files and Bytes of the whole run.
func (l *Ledger) Expect(t Totals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expected = t
}

// report calls Options.Progress. The caller holds l.mu.
func (l *Ledger) report(e Event) {
	if l.opts.Progress == nil {
		return
	}
	e.Totals, e.Expected = l.summary.Totals, l.expected
	l.opts.Progress(e)
}

// Due reports whether a commit is due, to one caller only. If full is true, a commit is due as soon
// as anything is pending.
func (l *Ledger) Due(full bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	full = full || l.pending >= l.opts.CommitDocuments
	if l.pendingB == 0 || !full && l.pendingB < l.opts.CommitBytes && time.Since(l.lastCommit) < l.opts.CommitEvery {
		return false
	}
	l.lastCommit, l.pendingB = time.Now(), 0
	return true
}

// Commit commits the documents added so far. Documents that other goroutines add meanwhile are in
// this commit or the next one. A cancelled context does not interrupt a commit, which would lose the
// documents added since the last one.
func (l *Ledger) Commit(ctx context.Context) error {
	if l.opts.Hold != nil {
		defer l.opts.Hold()()
	}
	l.mu.Lock()
	count := l.pending
	l.pending, l.pendingB = 0, 0
	l.mu.Unlock()
	err := l.opts.Commit(context.WithoutCancel(ctx))
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		if err = phrase.Error("index.commit", "commit {count} documents: {cause}", "count", count, "cause", err); l.failure == nil {
			l.failure = err
		}
		return err
	}
	l.lastCommit = time.Now()
	l.summary.Committed += count
	if count > 0 {
		l.report(Event{Commit: true})
	}
	return nil
}

// End commits the work done and returns the summary with err, which ended the run, or with the error
// of that commit. If an earlier commit failed, all later errors are consequences, so End returns that
// one.
func (l *Ledger) End(ctx context.Context, err error) (Summary, error) {
	l.mu.Lock()
	failure := l.failure
	l.mu.Unlock()
	if failure != nil {
		err = failure
	} else if cerr := l.Commit(ctx); err == nil {
		err = cerr
	}
	l.summary.Elapsed = time.Since(l.start)
	return l.summary, err
}

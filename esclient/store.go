// Package esclient keeps an index in Elasticsearch or OpenSearch.
//
// [Create] and [OpenStore] open it for writing, [Open] for reading. Both are what
// package store says and answer as the embedded index does; the same suite tests
// them. Lucene is an inverted index already, so a document of the server is a
// block of 256 consecutive n-grams, with their hashes as the words of one field:
// no scripts, no updates, and each block can be written again without effect.
//
// A cluster has no transactions. So an entry of the catalogue says from which
// commit to which it holds, and one document, the head, says which commit is the
// last: replacing it is the commit.
//
// What may surprise: one writer at a time holds a lease, which it renews every
// ten seconds; after it was killed on another machine, the next one waits for up
// to a minute. A reader holds points in time, which the server forgets after ten
// minutes without a request. Every request is repeated while that can help, for
// up to a minute, and is made so that doing it twice is doing it once. Errors of
// the server wrap [ErrServer] and say by their [Kind] what to do.
package esclient

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/otisk/otisk/store"
)

// A Store writes to an index: one at a time, by several goroutines. Its reads
// answer from its own last commit.
//
// Add returns when the server has acknowledged all blocks of the document, so
// several goroutines that add documents are faster than one, also for small
// ones.
type Store struct {
	c     *conn
	lease *lease
	bulk  *bulker
	end   context.CancelFunc // of what the bulker has under way
	gens  atomic.Int64       // last generation given out

	mu        sync.Mutex // guards what follows, over requests too
	names     names      // of the build in use
	settings  store.Settings
	tx        int64 // number of the transaction
	pending   map[store.DocID]*change
	settled   bool              // the catalogue has something of it
	bases     *[]store.Base     // given in it; nil for none
	progress  string            // that the next commit keeps
	bookmarks map[string]string // set since the last commit
	sizes     map[int]bool
	adding    map[int64]bool // first generations of the calls of Add under way
	waste     []leftover
	untidy    bool  // an old build is left for the next writer
	aborted   error // why a commit failed, after which nothing can be written
	broken    error // what made the state of the index unknown
	damage    error // a part is missing: only Recreate mends that; it is broken, too

	views  sync.Mutex
	now    *view
	users  map[*view]int
	closer sync.Once
}

var _ store.Store = (*Store)(nil)

// Close drops what is pending, restores what a bulk load changed, and lets
// other writers in. A second Close does nothing.
func (s *Store) Close() (err error) {
	s.closer.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), leaseTime)
		defer cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		clean := s.broken == nil
		if clean {
			err = errors.Join(s.drop(ctx), s.endLoad(ctx))
			clean = err == nil && len(s.waste) == 0 && !s.untidy
		}
		s.broken = errors.Join(errClosed, s.broken)
		s.end()
		s.bulk.close()
		err = errors.Join(err, s.lease.release(ctx, clean))
	})
	return err
}

// usable returns an error if nothing can be written any more. The caller holds s.mu.
func (s *Store) usable() error {
	if s.aborted != nil {
		return store.Aborted(errors.Join(s.aborted, s.broken))
	}
	return s.broken
}

var errClosed = errors.New("the store is closed")

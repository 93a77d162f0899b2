// Package esclient keeps an index in Elasticsearch or OpenSearch.
//
// [Open] opens an index for reading, [OpenStore] for writing, and [Create] makes it if
// there is none. The types satisfy the contract of package store, and the suite of
// storetest runs on them. Lucene is an inverted index already, so one document of the
// server is a block of 256 consecutive n-grams, whose hashes are the words of one text
// field. There are no scripts and no updates of blocks: writing a block again has no
// effect.
//
// A cluster has no transactions. Each entry of the catalogue records the commit from
// which and the commit up to which it is valid, and one document, the head, records the
// last commit. Replacing the head is the commit.
//
// What may surprise: one writer at a time holds a lease, which it renews every ten
// seconds. After a writer on another machine was killed, the next one waits up to a
// minute. A reader holds a point in time, which the server drops after five minutes
// without a request. Every request is idempotent and is retried while that may help, for
// up to a minute, or three in a writer. Errors of the server are of type [wire.Error],
// whose kind decides what to do.
//
// Files whose names begin with write_ add and commit, those with read_ answer, and those
// with admin_ look after an index; layout.go describes what is stored.
package esclient

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/otisk/otisk/store"
)

// A Store writes to an index, which has one writer at a time. It is safe for concurrent
// use. Its reads answer from its own last commit.
//
// Add returns when the server has acknowledged all blocks of the document. So several
// goroutines add faster than one, even small documents.
type Store struct {
	c     *conn
	lease *lease
	bulk  *bulker
	end   context.CancelFunc // cancels the requests of bulk
	gens  atomic.Int64       // last generation that was assigned

	mu        sync.Mutex // guards the fields below; held during requests
	names     names      // of the present build
	settings  store.Settings
	tx        int64 // number of the present transaction
	pending   map[store.DocID]*change
	settled   bool              // the catalogue has entries of tx
	bases     *[]store.Base     // set since the last commit; nil if none were
	progress  string            // for the next commit
	bookmarks map[string]string // set since the last commit
	sizes     map[int]bool      // lengths of n-grams that have an index
	adding    map[int64]bool    // first generations of the running calls of Add
	waste     []leftover        // parts to delete
	untidy    bool              // an old build is left for the next writer to delete
	aborted   error             // of the commit that failed: no more writes are possible
	broken    error             // made the state of the index unknown
	damage    error             // a part is missing, which only Recreate repairs; also in broken

	views  sync.Mutex
	now    *view         // of the last commit
	users  map[*view]int // running reads of each view
	closer sync.Once
}

var _ store.Store = (*Store)(nil)

// Close discards uncommitted changes, restores the settings that a bulk load changed, and releases
// the lease. A second Close does nothing.
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

// usable returns an error if no more writes are possible. The caller holds s.mu.
func (s *Store) usable() error {
	if s.aborted != nil {
		return store.Aborted(errors.Join(s.aborted, s.broken))
	}
	return s.broken
}

var errClosed = errors.New("the store is closed")

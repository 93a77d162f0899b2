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
// the server wrap [ErrServer] and tell by their [Kind] what to do.
package esclient

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
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

	mu       sync.Mutex // guards what follows, over requests too
	names    names      // of the build in use
	settings store.Settings
	tx       int64 // number of the transaction
	pending  map[store.DocID]*change
	settled  bool          // the catalogue has something of it
	bases    *[]store.Base // given in it; nil for none
	sizes    map[int]bool
	adding   map[int64]bool // first generations of the calls of Add under way
	waste    []leftover
	broken   error // what made it unknown where the index stands
	damage   error // a part is missing: only Recreate mends that; it is broken, too

	views  sync.Mutex
	now    *view
	users  map[*view]int
	closer sync.Once
}

var _ store.Store = (*Store)(nil)

// Create opens the index for writing, and makes it with these settings if
// there is none. One that is there already has the settings it was made with:
// compare them with Settings. An error wraps store.ErrLocked, with the name of
// the writer, where another one has it.
func Create(ctx context.Context, cfg Config, settings store.Settings) (*Store, error) {
	c, err := connect(ctx, cfg.writing())
	if err != nil {
		return nil, err
	}
	n, m, err := c.locate(ctx)
	if errors.Is(err, store.ErrNoIndex) {
		if err := c.begin(ctx, names{c.cfg.Index, 1}, settings); err != nil {
			return nil, err
		}
		n, m, err = c.locate(ctx)
	}
	if err != nil {
		return nil, err
	}
	s, err := openStore(ctx, c, n, *m.Settings)
	if err == nil && s.damage != nil {
		return nil, errors.Join(s.damage, s.abandon())
	}
	return s, err
}

// OpenStore opens the index for writing. Without one the error wraps
// store.ErrNoIndex. One that has lost a part can be opened, for Recreate; everything
// else returns an error that wraps store.ErrDamaged.
func OpenStore(ctx context.Context, cfg Config) (*Store, error) {
	c, err := connect(ctx, cfg.writing())
	if err != nil {
		return nil, err
	}
	n, m, err := c.locate(ctx)
	if err != nil {
		return nil, err
	}
	return openStore(ctx, c, n, *m.Settings)
}

// begin makes an empty index. Its alias comes last, so that nobody sees it
// before it is whole.
func (c *conn) begin(ctx context.Context, n names, settings store.Settings) error {
	if err := c.vacant(ctx, n); err != nil {
		return err
	}
	if err := c.create(ctx, n, documentsPart, &settings, false, true); err != nil {
		return err
	}
	if _, err := c.writeHead(ctx, n, place{}, head{}); err != nil && !errors.Is(err, errConflict) {
		return err
	}
	if err := c.create(ctx, n, textsPart, nil, false, false); err != nil {
		return err
	}
	add := object{"index": n.documents(), "alias": n.part(documentsPart)}
	return c.alias(ctx, []object{{"add": add}})
}

func openStore(ctx context.Context, c *conn, n names, settings store.Settings) (*Store, error) {
	indices, err := c.inspect(ctx)
	if err == nil {
		err = c.aliased(ctx, n, indices)
	}
	if err != nil {
		return nil, err
	}
	l, before, err := c.acquire(ctx, n)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	s := &Store{
		c: c, names: n, settings: settings, lease: l, end: end, tx: l.head.Tx,
		pending: map[store.DocID]*change{}, sizes: map[int]bool{}, adding: map[int64]bool{}, users: map[*view]int{},
	}
	s.bulk = newBulker(life, c, l.check)
	s.gens.Store(l.head.Session << genBits)
	for _, size := range l.head.Sizes {
		s.sizes[size] = true
	}
	s.damage = complete(indices, n, l.head.Sizes)
	s.broken = s.damage
	s.show(l.head)
	if s.damage != nil {
		return s, nil
	}
	if err := s.recover(ctx, before); err != nil {
		return nil, errors.Join(err, s.abandon())
	}
	return s, nil
}

// genBits is how many generations a session has: more than anybody can add in
// a minute, and there are 2^31 sessions.
const genBits = 32

// generation returns a number that was never used.
func (s *Store) generation() int64 { return s.gens.Add(1) }

// recover cleans up after a writer that did not close the index.
func (s *Store) recover(ctx context.Context, before head) error {
	if before.Owner != "" {
		if err := s.rollback(ctx); err != nil {
			return err
		}
		if err := s.sweep(ctx, before.Clean, s.lease.head.Session<<genBits); err != nil {
			return err
		}
	}
	if before.Loading != nil {
		if err := s.endLoad(ctx); err != nil {
			return err
		}
	}
	if s.c.cfg.BulkLoad && s.now.epoch == 0 {
		return s.beginLoad(ctx)
	}
	return nil
}

// show makes the commit of h the one that reads answer from.
func (s *Store) show(h head) {
	v := new(view)
	v.set(s.c, s.names, s.settings, h)
	v.damage = s.damage
	s.views.Lock()
	defer s.views.Unlock()
	s.now = v
}

// use returns the view of the last commit. Nothing that it sees is deleted
// before release.
func (s *Store) use() (v *view, release func()) {
	s.views.Lock()
	defer s.views.Unlock()
	v = s.now
	s.users[v]++
	return v, func() {
		s.views.Lock()
		defer s.views.Unlock()
		if s.users[v]--; s.users[v] == 0 {
			delete(s.users, v)
		}
	}
}

// oldest returns the oldest commit that somebody reads from.
func (s *Store) oldest() int64 {
	s.views.Lock()
	defer s.views.Unlock()
	oldest := s.now.epoch
	for v := range s.users {
		if v.names == s.now.names {
			oldest = min(oldest, v.epoch)
		}
	}
	return oldest
}

// Settings implements [store.Reader].
func (s *Store) Settings() store.Settings {
	s.views.Lock()
	defer s.views.Unlock()
	return s.now.settings
}

// Document implements [store.Reader].
func (s *Store) Document(ctx context.Context, id store.DocID) (store.Document, error) {
	v, release := s.use()
	defer release()
	return v.Document(ctx, id)
}

// Documents implements [store.Reader].
func (s *Store) Documents(ctx context.Context, fn func(store.Document) error) error {
	v, release := s.use()
	defer release()
	return v.Documents(ctx, fn)
}

// Text implements [store.Reader].
func (s *Store) Text(ctx context.Context, id store.DocID) (string, error) {
	v, release := s.use()
	defer release()
	return v.Text(ctx, id)
}

// Lookup implements [store.Reader].
func (s *Store) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	v, release := s.use()
	defer release()
	return v.Lookup(ctx, n, hashes, limits, fn)
}

// LookupPairs implements [store.Reader].
func (s *Store) LookupPairs(ctx context.Context, pairs []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	v, release := s.use()
	defer release()
	return v.LookupPairs(ctx, pairs, limits, fn)
}

// Grams calls fn with the hashes of a document's n-grams of n words, in their
// order, or returns an error wrapping store.ErrNotFound.
func (s *Store) Grams(ctx context.Context, id store.DocID, n int, fn func([]store.Hash) error) error {
	v, release := s.use()
	defer release()
	return v.Grams(ctx, id, n, fn)
}

// Info implements [store.Reader].
func (s *Store) Info(ctx context.Context) (store.Info, error) {
	v, release := s.use()
	defer release()
	return v.Info(ctx)
}

// Verify implements [store.Reader].
func (s *Store) Verify(ctx context.Context, problem func(error)) error {
	v, release := s.use()
	defer release()
	return v.Verify(ctx, problem)
}

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
			clean = err == nil && len(s.waste) == 0
		}
		s.broken = errors.Join(errClosed, s.broken)
		s.end()
		s.bulk.close()
		err = errors.Join(err, s.lease.release(ctx, clean))
	})
	return err
}

var errClosed = errors.New("the store is closed")

// abandon ends a store that could not be opened, and leaves the index to the
// next one.
func (s *Store) abandon() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	s.end()
	s.bulk.close()
	return s.lease.release(ctx, false)
}

// A leftover is a part that no entry of the catalogue will have.
type leftover struct {
	piece
	written *ticket // whose items may still be under way; nil if not
}

// Add implements [store.Store].
func (s *Store) Add(ctx context.Context, doc store.Document, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if pairs != nil {
		grams = append(slices.Clone(grams), store.Grams{N: pairsN, Hashes: pairs})
	}
	v := &version{Doc: doc}
	v.Doc.ID = store.IDOf(doc.Prefix, doc.Path)
	if len(v.Doc.Name()) > longestName {
		return fmt.Errorf("add %.60s…: its name has %d bytes, and at most %d can be kept: %w", v.Doc.Name(), len(v.Doc.Name()), longestName, store.ErrRefused)
	}
	first, into, err := s.enter(ctx)
	if err != nil {
		return fmt.Errorf("add %s: %w", v.Doc.Name(), err)
	}
	defer s.leave(first)
	v.id = entryID(first)
	v.Doc.TextSum = store.TextSum(text, doc.Rules, doc.NewLine)
	v.Doc.Sizes, v.Doc.Paired, v.Doc.Pairs, v.Doc.NoText = nil, false, 0, !into.keep
	t := new(ticket)
	if err := s.write(ctx, t, into, v, text, grams); err != nil {
		t.fail(err) // nothing more of it is sent
		s.discard(v.pieces(), t)
		return fmt.Errorf("add %s: %w", v.Doc.Name(), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.broken != nil:
		err = s.broken
	case into.names != s.names:
		err = errors.New("the index was cleared meanwhile")
	case len(s.pending) >= settleAt:
		err = s.settle(ctx)
	}
	if err != nil {
		s.throw(v.pieces(), nil)
		return fmt.Errorf("add %s: %w", v.Doc.Name(), err)
	}
	s.plan(v)
	return nil
}

func entryID(gen int64) string { return fmt.Sprintf("%016x", gen) }

// A target is what a document is written to.
type target struct {
	names
	keep bool // the texts, too
}

// enter takes note that a document is being written, from a generation on, and
// to what.
func (s *Store) enter(ctx context.Context) (first int64, into target, err error) {
	if err := ctx.Err(); err != nil {
		return 0, into, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return 0, into, s.broken
	}
	first = s.generation()
	s.adding[first] = true
	return first, target{s.names, s.settings.KeepTexts}, nil
}

func (s *Store) leave(first int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.adding, first)
}

// write sends all parts of v and waits until they are acknowledged. After an
// error v has the parts of which something may have been sent.
func (s *Store) write(ctx context.Context, t *ticket, into target, v *version, text string, grams []store.Grams) error {
	for _, g := range grams {
		if err := s.provide(ctx, into, g.N); err != nil {
			return err
		}
		if err := s.writeGrams(ctx, t, into, v, g); err != nil {
			return err
		}
	}
	if into.keep {
		gen := s.generation()
		v.Text = &piece{Gen: gen, Units: (len(text) + chunkBytes - 1) / chunkBytes}
		p, err := cutText(gen, text, func(no int, source []byte) error {
			return s.bulk.create(ctx, t, into.writes(textsPart), blockID(gen, no), source)
		})
		if err != nil {
			return err
		}
		v.Text = p
	}
	return t.wait(ctx)
}

// writeGrams sends the n-grams of one length.
func (s *Store) writeGrams(ctx context.Context, t *ticket, into target, v *version, g store.Grams) (err error) {
	p := piece{N: g.N, Gen: s.generation()}
	index := into.writes(p.part())
	hashes := make([]store.Hash, 0, blockGrams)
	flush := func() error {
		p.Sum = p.Sum.add(hashes)
		p.Grams += int64(len(hashes))
		p.Units++
		source := appendBlock(make([]byte, 0, len(hashes)*(word+1)+64), p.Gen, p.Units-1, hashes)
		hashes = hashes[:0]
		return s.bulk.create(ctx, t, index, blockID(p.Gen, p.Units-1), source)
	}
	defer func() { v.setSize(p) }()
	for part := range g.Hashes {
		for len(part) > 0 {
			n := min(len(part), blockGrams-len(hashes))
			hashes, part = append(hashes, part[:n]...), part[n:]
			if len(hashes) < blockGrams {
				continue
			}
			if err := errors.Join(ctx.Err(), t.failed()); err != nil {
				return err
			}
			if p.Units > maxBlocks {
				return fmt.Errorf("it has more than %d n-grams: %w", maxBlocks*blockGrams, store.ErrRefused)
			}
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if len(hashes) > 0 {
		err = flush()
	}
	return errors.Join(err, ctx.Err())
}

// provide makes sure that there is an index for n-grams of that length.
func (s *Store) provide(ctx context.Context, into target, size int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sizes[size] || into.names != s.names {
		return nil
	}
	loading := s.lease.get().Loading != nil
	if err := s.c.create(ctx, into.names, gramsPart(size), nil, loading, false); err != nil {
		return err
	}
	if err := s.c.noteSize(ctx, into.names, size); err != nil {
		return err
	}
	s.sizes[size] = true
	return nil
}

// sizeList returns the lengths that there is an index for.
func (s *Store) sizeList() []int { return slices.Sorted(maps.Keys(s.sizes)) }

// discard notes that parts will be in no entry.
func (s *Store) discard(list []piece, written *ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.throw(list, written)
}

func (s *Store) throw(list []piece, written *ticket) {
	for _, p := range list {
		s.waste = append(s.waste, leftover{p, written})
	}
}

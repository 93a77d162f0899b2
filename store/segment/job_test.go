package segment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// A slowMerge stops merging at its first segment or text until goOn is closed.
type slowMerge struct {
	mu      sync.Mutex
	store   *Store
	reached chan struct{} // closed when merging waits
	goOn    chan struct{} // closed to let it go on
}

func (m *slowMerge) step(op, path string) error {
	m.mu.Lock()
	s, reached := m.store, m.reached
	m.mu.Unlock()
	number := uint64(0)
	if s == nil || op != "create" {
		return nil
	}
	for _, form := range []string{segmentName, packName, tableName} {
		if _, err := fmt.Sscanf(filepath.Base(path), form, &number); err == nil && s.making(number) {
			m.mu.Lock()
			if m.reached != nil {
				m.reached = nil
				close(reached)
			}
			m.mu.Unlock()
			<-m.goOn
		}
	}
	return nil
}

// optimizing returns a store in which Optimize has stopped. Some documents are deleted, so
// that texts are moved too.
func optimizing(t *testing.T) (*Store, *slowMerge, store.Store) {
	t.Helper()
	m := &slowMerge{reached: make(chan struct{}), goOn: make(chan struct{})}
	reached := m.reached
	s := open(t, t.TempDir(), Options{Workers: 2, disk: disk{step: m.step}})
	oracle := memory.New(settings)
	for i := range 40 {
		addMerged(t, s, i, 0)
		addMerged(t, oracle, i, 0)
		if i%10 == 9 {
			forget(t, s, oracle, i/2)
			commit(t, s)
			commit(t, oracle)
		}
	}
	s.awaitMerging(context.Background())
	m.mu.Lock()
	m.store = s
	m.mu.Unlock()
	go func() {
		if err := s.Optimize(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	<-reached
	return s, m, oracle
}

// merging returns a store in which merging has stopped. Its documents are /0 and so on.
func merging(t *testing.T) (*Store, *slowMerge, store.Store) {
	t.Helper()
	m := &slowMerge{reached: make(chan struct{}), goOn: make(chan struct{})}
	reached := m.reached
	s := open(t, t.TempDir(), Options{Workers: 2, disk: disk{step: m.step}})
	oracle := memory.New(settings)
	m.mu.Lock()
	m.store = s
	m.mu.Unlock()
	for i := range 40 {
		for _, to := range []store.Store{s, oracle} {
			addMerged(t, to, i, 0)
		}
		select {
		case <-reached:
		default:
			commit(t, s)
			commit(t, oracle)
		}
	}
	<-reached
	return s, m, oracle
}

func addMerged(t *testing.T, s store.Store, i, version int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(i), uint64(version)))
	addDoc(t, s, fmt.Sprint("/", i), fmt.Sprint("content ", version), storetest.Grams(7, append(storetest.Hashes(rng, 50), 1, 2)...))
}

func forget(t *testing.T, s, oracle store.Store, doc int) {
	t.Helper()
	id := store.IDOf("", fmt.Sprint("/", doc))
	err, want := s.Delete(t.Context(), id), oracle.Delete(t.Context(), id)
	if errors.Is(err, store.ErrNotFound) != errors.Is(want, store.ErrNotFound) || want == nil && err != nil {
		t.Fatalf("Delete(/%d) = %v, want %v", doc, err, want)
	}
}

func wantSame(t *testing.T, s, oracle store.Reader, what string) {
	t.Helper()
	if got, want := dump(t, s, []store.Hash{1, 2, 3}), dump(t, oracle, []store.Hash{1, 2, 3}); got != want {
		t.Fatalf("%s: the index has\n%s\nwant\n%s", what, got, want)
	}
}

// TestWorkBesideMerging adds, replaces, deletes, commits and looks up during a merge.
func TestWorkBesideMerging(t *testing.T) {
	for name, begin := range map[string]func(*testing.T) (*Store, *slowMerge, store.Store){"after a commit": merging, "optimizing": optimizing} {
		t.Run(name, func(t *testing.T) {
			s, m, oracle := begin(t)
			testBesideMerging(t, s, m, oracle)
		})
	}
}

func testBesideMerging(t *testing.T, s *Store, m *slowMerge, oracle store.Store) {
	both := []store.Store{s, oracle}
	for _, to := range both {
		addMerged(t, to, 100, 0)
		addMerged(t, to, 1, 1) // replaced
		addMerged(t, to, 30, 1)
		commit(t, to)
	}
	forget(t, s, oracle, 26)
	forget(t, s, oracle, 100)
	commit(t, s)
	commit(t, oracle)
	wantSame(t, s, oracle, "while it is merged")
	r, err := Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, to := range both {
		addMerged(t, to, 101, 0) // in no commit when merging ends
		addMerged(t, to, 31, 1)
	}
	forget(t, s, oracle, 32)
	close(m.goOn)
	s.awaitMerging(context.Background())
	wantNone := func(id store.DocID) {
		if _, err := store.Entry(t.Context(), s, id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Document = %v before the commit of what was added", err)
		}
	}
	wantNone(store.IDOf("", "/101"))
	commit(t, s)
	commit(t, oracle)
	wantSame(t, s, oracle, "after merging")
	wantClean(t, s)
	if list := problems(t, r); len(list) > 0 {
		t.Errorf("a reader from before finds %v", list)
	}
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantSame(t, s, oracle, "optimized")
	wantClean(t, s)
}

// TestMuchAddedWaits: while buffers overflow, segments are merged later and only once.
// Closing the index merges the rest.
func TestMuchAddedWaits(t *testing.T) {
	const full = 3 * fanOut / 2
	dir := t.TempDir()
	s, oracle := open(t, dir, Options{Workers: 1, Memory: 1}), memory.New(settings)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range full {
		hashes := append(storetest.Hashes(rng, leastBlocks*blockLen), 1, 2)
		for _, to := range []store.Store{s, oracle} {
			addDoc(t, to, fmt.Sprint("/", i), "content", storetest.Grams(7, hashes...))
			commit(t, to)
		}
	}
	s.awaitMerging(context.Background())
	if got := len(s.snap.segments); got < full {
		t.Errorf("%d segments while much is added, want %d that nobody has merged", got, full)
	}
	wantSame(t, s, oracle, "unmerged")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, Options{})
	if got := len(again.snap.segments); got >= fanOut {
		t.Errorf("%d segments after the index was closed, want less than %d", got, fanOut)
	}
	wantSame(t, again, oracle, "closed")
	wantClean(t, again)
}

// TestOptimizeEndsMerging: Optimize cancels a merge, whose result it would merge again.
func TestOptimizeEndsMerging(t *testing.T) {
	s, m, oracle := merging(t)
	go func() {
		await("(*Store).lockMerging")
		close(m.goOn)
	}()
	commit(t, oracle)
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(s.snap.segments); got != 1 {
		t.Errorf("%d segments in an optimized index", got)
	}
	wantSame(t, s, oracle, "optimized")
	wantClean(t, s)
}

// TestRecreateStopsMerging: Recreate cancels a merge.
func TestRecreateStopsMerging(t *testing.T) {
	s, m, _ := merging(t)
	go func() {
		await("(*Store).lockMerging")
		close(m.goOn)
	}()
	if err := s.Recreate(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	if got := storetest.Documents(t, s); len(got) != 0 {
		t.Errorf("%d documents, want none", len(got))
	}
	wantClean(t, s)
	addDoc(t, s, "/a", "a", storetest.Grams(7, 1))
	commit(t, s)
	wantClean(t, s)
}

// TestCloseWaitsForMerging: otherwise a program that adds one document per run would never
// merge.
func TestCloseWaitsForMerging(t *testing.T) {
	s, m, oracle := merging(t)
	before := len(s.snap.segments)
	go func() {
		await("(*Store).awaitMerging")
		close(m.goOn)
	}()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, s.dir, Options{})
	if got := len(again.snap.segments); got >= before {
		t.Errorf("%d segments after Close, %d before", got, before)
	}
	if err := oracle.Recreate(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	wantClean(t, again)
}

// TestOptimizeCanBeGivenUp: cancelling the context of Optimize ends its wait for a merge.
func TestOptimizeCanBeGivenUp(t *testing.T) {
	s, m, _ := merging(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		await("(*Store).lockMerging")
		cancel()
	}()
	if err := s.Optimize(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), s.dir) {
		t.Errorf("Optimize() = %v, want an error wrapping context.Canceled that names the index", err)
	}
	close(m.goOn)
	commit(t, s)
	wantClean(t, s)
}

// TestManyWorkersBesideMerging does everything in several goroutines at once.
func TestManyWorkersBesideMerging(t *testing.T) {
	s := open(t, t.TempDir(), Options{Workers: 2, Memory: 1})
	const workers, rounds = 3, 25
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for round := range rounds {
				for doc := range 4 {
					i := w*1000 + (round+doc)%7
					addMerged(t, s, i, round)
					if doc == 3 && s.Delete(t.Context(), store.IDOf("", fmt.Sprint("/", i))) != nil {
						t.Error("Delete of what was added failed")
					}
				}
				err := s.Commit(t.Context())
				if round%10 == 9 {
					err = errors.Join(err, s.Optimize(t.Context()))
				}
				if err != nil {
					t.Error(err)
				}
				readMerged(t, s)
			}
		})
	}
	wg.Wait()
	commit(t, s)
	oracle := memory.New(settings)
	for w := range workers {
		for round := range rounds {
			for doc := range 4 {
				i := w*1000 + (round+doc)%7
				addMerged(t, oracle, i, round)
				if doc == 3 {
					_ = oracle.Delete(t.Context(), store.IDOf("", fmt.Sprint("/", i)))
				}
			}
		}
	}
	commit(t, oracle)
	wantSame(t, s, oracle, "in the end")
	wantClean(t, s)
}

// readMerged looks up a hash that all documents have.
func readMerged(t *testing.T, s *Store) {
	err := s.Lookup(t.Context(), 7, []store.Hash{1}, store.Limits{}, func(h store.Hit) error {
		for _, p := range h.Postings {
			if p.Pos != 50 {
				return fmt.Errorf("position %d of the hash, want 50", p.Pos)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCommitWaitsWhenBehind: if merging makes no progress, commits wait once there are too
// many segments.
func TestCommitWaitsWhenBehind(t *testing.T) {
	s, m, _ := merging(t)
	const more = 2 * mostSegments
	var done atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := range more {
			addMerged(t, s, 1000+i, 0)
			if err := s.Commit(t.Context()); err != nil {
				t.Error(err)
			}
			done.Add(1)
		}
	}()
	for !somebodyIn("(*Store).awaitMerging") && done.Load() < more {
		runtime.Gosched()
	}
	if got := done.Load(); got < mostSegments/4 || got >= more {
		t.Errorf("%d commits were made while merging stood still, want some, but less than %d", got, more)
	}
	close(m.goOn)
	<-ended
	wantClean(t, s)
}

// await returns when a goroutine is in the function with this name.
func await(function string) {
	for !somebodyIn(function) {
		runtime.Gosched()
	}
}

// somebodyIn reports whether a goroutine is in the function with this name.
func somebodyIn(function string) bool {
	stacks := make([]byte, 1<<20)
	return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), function+"(")
}

// TestRemoveOneFile: a merge that is cancelled after its first file leaves none.
func TestRemoveOneFile(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	file := s.newFile()
	if err := os.WriteFile(s.path(segmentName, file), []byte("begun"), 0o666); err != nil {
		t.Fatal(err)
	}
	s.removeFiles(map[uint64]bool{file: true})
	wantNoOrphans(t, s)
}

package segment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

var errCrash = errors.New("power is off")

// TestFailedMergeIsToldOnce: commits succeed while merging fails, and the failure is
// reported once until merging succeeds.
func TestFailedMergeIsToldOnce(t *testing.T) {
	full, segments := false, 0
	var told []error
	d := disk{step: func(op, path string) error {
		if op == "create" && strings.Contains(path, "segment-") {
			if segments++; full && segments > 1 { // the first has what is committed
				return syscall.ENOSPC
			}
		}
		return nil
	}}
	s := open(t, t.TempDir(), Options{Workers: 1, inTurn: true, Warn: func(err error) { told = append(told, err) }, disk: d})
	for i := range 60 {
		full = i < 20 || i >= 40
		addDoc(t, s, fmt.Sprint("/", i), "text", storetest.Grams(7, store.Hash(i)))
		segments = 0
		commit(t, s)
	}
	if got := len(storetest.Documents(t, s)); got != 60 {
		t.Errorf("%d documents, want the 60 that were committed", got)
	}
	if len(told) != 2 {
		t.Fatalf("told %d times of merging that failed in two periods: %v", len(told), told)
	}
	if err := told[0]; !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "merge segments of index "+s.dir) {
		t.Errorf("told %q, which does not name what failed, and why", err)
	}
	wantNoOrphans(t, s)
}

// A faultyDisk fails at one step: once with err or, if err is errCrash, from then on.
type faultyDisk struct {
	mu      sync.Mutex
	at      int // the step that fails, from 1; 0 for none
	before  int // a step that fails before that, once, with ENOSPC; 0 for none
	steps   int // so far
	off     bool
	err     error
	where   string
	synced  map[string]int64  // files that were written since, by path: how much is surely there
	renamed map[string]bool   // new names, since the folder was synced
	removed map[string][]byte // files that were removed since then
}

func newFaultyDisk(at int, err error) *faultyDisk {
	return &faultyDisk{at: at, err: err, synced: map[string]int64{}, renamed: map[string]bool{}, removed: map[string][]byte{}}
}

func (f *faultyDisk) step(op, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps++
	if f.steps == f.before {
		f.where = "after " + op + " " + path + " failed, "
		return fmt.Errorf("%s %s: %w", op, path, syscall.ENOSPC)
	}
	if f.off || f.steps == f.at {
		if f.where == "" || f.before > 0 && !f.off {
			f.where += op + " " + path
		}
		f.off = f.off || errors.Is(f.err, errCrash)
		return fmt.Errorf("%s %s: %w", op, path, f.err)
	}
	switch op {
	case "write":
		if _, ok := f.synced[path]; !ok {
			f.synced[path] = size(path)
		}
	case "create":
		if size(path) == 0 {
			f.synced[path] = 0
		}
	case "sync":
		delete(f.synced, path)
	case "rename":
		f.renamed[path] = true
	case "remove":
		if data, err := os.ReadFile(path); err == nil {
			f.removed[path] = data
		}
	case "syncdir":
		clear(f.renamed)
		clear(f.removed)
	}
	return nil
}

func size(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return st.Size()
}

// lose simulates a power cut: unsynced writes and renames are lost.
func (f *faultyDisk) lose(t *testing.T) {
	for path, size := range f.synced {
		if err := os.Truncate(path, size); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	for path := range f.renamed {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// restore simulates a power cut: unsynced removals are undone, of manifests or of all
// files.
func (f *faultyDisk) restore(t *testing.T, dir string, all bool) {
	for path, data := range f.removed {
		if all || strings.HasPrefix(filepath.Base(path), "manifest-") {
			changeFile(t, filepath.Join(dir, filepath.Base(path)), data)
		}
	}
}

// A story is a sequence of changes, with the contents of the index before and after it.
type story struct {
	before, after string         // dumps
	added         [][]store.Hash // n-grams of the documents that are added
	hashes        []store.Hash   // of all documents
	dir           string         // with what is before
}

func (st *story) options(f *faultyDisk) Options {
	o := Options{Workers: 1, Memory: 1, inTurn: true}
	if f != nil {
		o.disk = disk{step: f.step}
	}
	return o
}

// write adds, replaces and deletes.
func (st *story) write(s *Store) error {
	ctx := context.Background()
	for i, list := range st.added {
		doc := storetest.Doc(fmt.Sprint("/", i*2), "new")
		if err := s.Add(ctx, doc, strings.Repeat("new text ", i), []store.Grams{storetest.Grams(7, list...)}, nil); err != nil {
			return err
		}
	}
	return s.Delete(ctx, store.IDOf("", "/3"))
}

func newStory(t *testing.T) *story {
	st := &story{dir: t.TempDir()}
	s := open(t, st.dir, st.options(nil))
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 6 {
		list := storetest.Hashes(rng, 500)
		st.hashes = append(st.hashes, list...)
		addDoc(t, s, fmt.Sprint("/", i), "old", storetest.Grams(7, list...), storetest.Grams(5, list[:50]...))
		if i%2 == 1 {
			commit(t, s)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		list := storetest.Hashes(rng, 700)
		st.added = append(st.added, list)
		st.hashes = append(st.hashes, list...)
	}
	st.hashes = sorted(st.hashes)
	after := open(t, copyIndex(t, st.dir), st.options(nil))
	if err := st.write(after); err != nil {
		t.Fatal(err)
	}
	st.before = dump(t, after, st.hashes)
	commit(t, after)
	st.after = dump(t, after, st.hashes)
	return st
}

// TestCrashAtEveryStep turns the power off at each step of adding, committing, merging and
// optimizing. Afterwards the index has all that was committed, and no other files.
func TestCrashAtEveryStep(t *testing.T) {
	need.OneGoroutine(t)
	t.Parallel()
	st := newStory(t)
	every := 1
	if testing.Short() {
		every = 5
	}
	for at := 1; ; at += every {
		f := newFaultyDisk(at, errCrash)
		dir := copyIndex(t, st.dir)
		committed := false
		s, err := OpenWriter(dir, st.options(f))
		if err == nil {
			if err = st.write(s); err == nil {
				if err = s.Commit(t.Context()); err == nil {
					committed = true
					err = s.Optimize(t.Context())
				}
			}
			s.Close()
		}
		if !f.off {
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d steps", at-1)
			return
		}
		if len(f.renamed) > 0 { // the new name may be on the disk, or not
			wantWhole(t, st, copyIndex(t, dir), fmt.Sprintf("crash at step %d, %s, nothing lost", at, f.where), committed)
		}
		f.lose(t)
		wantWhole(t, st, dir, fmt.Sprintf("crash at step %d, %s", at, f.where), committed)
	}
}

// TestCrashAfterFailure makes one step of a commit fail, and turns the power off at each
// step after that, while the store cleans up or the index is opened again. The index then
// has the old commit or the new one, whichever renames and removals reached the disk.
func TestCrashAfterFailure(t *testing.T) {
	need.OneGoroutine(t)
	t.Parallel()
	st := newStory(t)
	failures, cuts := 0, 0
	for before := 1; ; before++ {
		if !need.All() && before%5 != 0 && before < 20 || testing.Short() && before%10 != 0 {
			continue // the steps of the commit itself come last
		}
		for at := before + 1; ; at++ {
			if !need.All() && (before+at)%3 != 0 && at > before+4 {
				continue
			}
			f := newFaultyDisk(at, errCrash)
			f.before = before
			dir := copyIndex(t, st.dir)
			committed := st.cutOff(t, dir, f)
			if f.where == "" {
				t.Logf("%d failures, %d power cuts after them", failures, cuts)
				return
			}
			for variant := range 4 {
				if variant == 1 && len(f.renamed) == 0 || variant >= 2 && len(f.removed) == 0 {
					continue // nothing that a power cut undoes
				}
				after := copyIndex(t, dir)
				if variant >= 2 {
					f.restore(t, after, variant == 3)
				}
				if variant == 1 {
					moved := &faultyDisk{renamed: map[string]bool{}, synced: map[string]int64{}}
					for path := range f.renamed {
						moved.renamed[filepath.Join(after, filepath.Base(path))] = true
					}
					moved.lose(t)
				}
				wantWhole(t, st, after, fmt.Sprintf("%s, variant %d", f.where, variant), committed)
			}
			if !f.off {
				break
			}
			cuts++
		}
		failures++
	}
}

// cutOff runs the story on a failing disk, and reports whether it was committed.
func (st *story) cutOff(t *testing.T, dir string, f *faultyDisk) (committed bool) {
	for range 2 { // the second writer finds what the first has left
		s, err := OpenWriter(dir, st.options(f))
		if err != nil {
			continue
		}
		if err := st.write(s); err == nil || errors.Is(err, store.ErrNotFound) {
			committed = s.Commit(t.Context()) == nil || committed
		}
		s.Close()
		if committed {
			break
		}
	}
	return committed
}

// wantWhole opens the index in dir again and compares it with the story.
func wantWhole(t *testing.T, st *story, dir, what string, committed bool) {
	t.Helper()
	s, err := OpenWriter(dir, st.options(nil))
	if err != nil {
		t.Fatalf("%s: OpenWriter = %v", what, err)
	}
	defer s.Close()
	got := dump(t, s, st.hashes)
	if got != st.after && (committed || got != st.before) {
		t.Errorf("%s: the index has neither what was there before nor after\n%s", what, got[:min(len(got), 1000)])
	}
	wantClean(t, s)
	addDoc(t, s, "/later", "later", storetest.Grams(7, 1, 2))
	commit(t, s)
	wantClean(t, s)
	if t.Failed() {
		t.Fatal(what)
	}
}

// TestFullDiskAtEveryStep makes each step fail once. If Commit fails, the last commit is
// unchanged, the store refuses further changes, and the next writer works.
func TestFullDiskAtEveryStep(t *testing.T) {
	need.OneGoroutine(t)
	t.Parallel()
	st := newStory(t)
	for at := 1; ; at++ {
		f := newFaultyDisk(at, syscall.ENOSPC)
		dir := copyIndex(t, st.dir)
		s, err := OpenWriter(dir, st.options(f))
		if err != nil {
			wantNamed(t, err, f, dir)
			continue
		}
		err = st.write(s)
		cerr := s.Commit(t.Context())
		if err == nil {
			err = cerr
		}
		if cerr != nil {
			storetest.WantAborted(t, s)
		}
		if f.where == "" {
			s.Close()
			t.Logf("%d steps", at-1)
			return
		}
		if err != nil {
			wantNamed(t, err, f, dir)
		} else if got := dump(t, s, st.hashes); got != st.after {
			t.Fatalf("%s failed, Commit did not, but the index is not as it should be", f.where)
		}
		wantUsable(t, st, reopen(t, s, st.options(f)), f.where)
	}
}

func wantNamed(t *testing.T, err error, f *faultyDisk, dir string) {
	t.Helper()
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%s: error %q, want one that wraps ENOSPC and names a file in %s", f.where, err, dir)
	}
}

// wantUsable runs the story again on a working disk.
func wantUsable(t *testing.T, st *story, s *Store, what string) {
	t.Helper()
	defer s.Close()
	s.sweep()
	wantClean(t, s)
	if err := st.write(s); err != nil && !errors.Is(err, store.ErrNotFound) { // it may have been deleted
		t.Errorf("%s failed; afterwards: %v", what, err)
	}
	commit(t, s)
	if got := dump(t, s, st.hashes); got != st.after {
		t.Errorf("%s failed; the same again does not give what it should", what)
	}
	wantClean(t, s)
	if t.Failed() {
		t.FailNow()
	}
}

package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/otisk/otisk/store"
)

// A Flaky is an index of which single steps can fail: writes to the disk, requests to a
// server.
type Flaky struct {
	// Open opens the index for writing, and creates it if there is none.
	Open func() (store.Store, error)
	// Fail makes fails be called before each step from now on, with a description of
	// the step; the step fails if fails returns true. nil ends that.
	Fail func(fails func(step string) bool)
	// Caused reports whether err states that such a step failed.
	Caused func(err error) bool
	// Patience is the number of consecutive failures that a store survives by retrying.
	Patience int
}

// EachStepFails runs every scenario of changes again and again. Each time another step fails,
// once or as often as it takes to exhaust the patience of the store, and no other; every is 1
// to let each step fail, n for each n-th, beginning with another one in each scenario. fresh
// returns a new index.
//
// A call that fails before the commit is repeated. If a commit succeeds, the index has all
// changes, documents, progress and bookmarks alike. If it fails, the store refuses every
// further change until it is opened again, and the index then has all of the changes or none;
// repeating the scenario completes them. The index is sound at any time.
func EachStepFails(t *testing.T, every int, fresh func(t *testing.T) *Flaky) {
	from := &template{fresh: fresh}
	for i, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			sc.run(t, every*i/len(scenarios), every, from)
		})
	}
}

// A scenario is some changes and what makes them lasting.
type scenario struct {
	name    string
	changes []func(ctx context.Context, s store.Store) error
	commit  func(ctx context.Context, s store.Store) error
	merges  bool // commit does more than that, which may fail alone
}

var scenarios = []scenario{
	{"everything", []func(context.Context, store.Store) error{
		adding("/new", "a new text", 11, 12), adding("/old1", "another text", 1, 13), deleting("/old2"),
		func(ctx context.Context, s store.Store) error {
			s.SetProgress("container half read")
			s.SetBookmark("crawl", "2")
			s.SetBookmark("harvest", "")
			return s.SetBases(ctx, []store.Base{{Key: "k", Name: "new", Folder: "/new"}})
		},
	}, committing, false},
	{"deletions", []func(context.Context, store.Store) error{deleting("/old1"), deleting("/old3")}, committing, false},
	{"a bookmark", []func(context.Context, store.Store) error{
		func(_ context.Context, s store.Store) error { s.SetBookmark("crawl", "2"); return nil },
	}, committing, false},
	{"optimizing", []func(context.Context, store.Store) error{adding("/new", "a new text", 11, 12), deleting("/old2")},
		func(ctx context.Context, s store.Store) error { return s.Optimize(ctx) }, true},
	{"recreating", nil, func(ctx context.Context, s store.Store) error { return s.Recreate(ctx, Settings()) }, false},
}

func committing(ctx context.Context, s store.Store) error { return s.Commit(ctx) }

func adding(path, text string, hashes ...store.Hash) func(context.Context, store.Store) error {
	return func(ctx context.Context, s store.Store) error {
		return s.Add(ctx, Doc(path, text), text, []store.Grams{Grams(7, hashes...), Grams(store.TranslationKeys, hashes...)}, Pairs(hashes...))
	}
}

func deleting(path string) func(context.Context, store.Store) error {
	return func(ctx context.Context, s store.Store) error { return s.Delete(ctx, store.IDOf("", path)) }
}

// A template makes the indexes that scenarios begin with, which are alike.
type template struct {
	fresh    func(t *testing.T) *Flaky
	contents string // of each, read from the first one
}

// index returns a new index.
func (m *template) index(t *testing.T) *Flaky {
	t.Helper()
	f := m.fresh(t)
	fill(t, f)
	if m.contents == "" {
		m.contents = contents(t, f)
	}
	return f
}

// fill makes an index by two commits.
func fill(t *testing.T, f *Flaky) {
	t.Helper()
	s := openFlaky(t, f)
	for i := range 6 {
		add(t, s, Doc(fmt.Sprint("/old", i), fmt.Sprint("old text ", i)), Grams(7, store.Hash(i), 99), Grams(5, store.Hash(i)))
		if i == 2 {
			commit(t, s)
		}
	}
	s.SetProgress("container just begun")
	s.SetBookmark("crawl", "1")
	s.SetBookmark("harvest", "page 3")
	commit(t, s)
	closeFlaky(t, s)
}

func openFlaky(t *testing.T, f *Flaky) store.Store {
	t.Helper()
	s, err := f.Open()
	if err != nil {
		t.Fatalf("opening with no step failing: %v", err)
	}
	return s
}

func closeFlaky(t *testing.T, s store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
}

// do makes the changes and commits them, and returns the error of the commit. A change that
// fails is repeated: it must be possible as soon as all steps succeed. A store whose server
// was down may send only one request in each repetition.
func (sc *scenario) do(t *testing.T, f *Flaky, s store.Store) error {
	t.Helper()
	for i, change := range sc.changes {
		err := change(t.Context(), s)
		for tries := 0; tries <= f.Patience && err != nil && !errors.Is(err, store.ErrNotFound); tries++ {
			if !f.Caused(err) {
				t.Errorf("change %d fails with %v, which does not state the cause", i, err)
			}
			err = change(t.Context(), s)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) { // a scenario that is repeated has deleted it
			t.Fatalf("change %d fails again and again: %v", i, err)
		}
	}
	return sc.commit(t.Context(), s)
}

// run counts the steps of the scenario, and repeats it with a failing step: the last one before the final skip steps, and
// each every-th step before that.
func (sc *scenario) run(t *testing.T, skip, every int, from *template) {
	plain := from.index(t)
	all := &failingStep{at: math.MaxInt}
	plain.Fail(all.fails)
	s := openFlaky(t, plain)
	if err := sc.do(t, plain, s); err != nil {
		t.Fatalf("with no step failing: %v", err)
	}
	plain.Fail(nil)
	closeFlaky(t, s)
	after := contents(t, plain)
	rows := []int{1}
	if plain.Patience > 0 {
		rows = append(rows, plain.Patience+1)
	}
	steps, failed := 0, 0
	for i, row := range rows {
		for at := all.steps - (skip+i*every/2)%every%max(1, all.steps); at > 0 && !t.Failed(); at -= every {
			f := from.index(t)
			st := &failingStep{at: at, row: row}
			if sc.fail(t, f, st, from.contents, after) {
				failed++
			}
			if st.where != "" {
				steps++
			}
		}
	}
	t.Logf("of %d steps: %d runs with a failure, %d commits failed", all.steps, steps, failed)
	if steps == 0 {
		t.Error("no step failed")
	}
}

// A failingStep is the step that fails, with those after it.
type failingStep struct {
	mu      sync.Mutex
	at, row int
	steps   int
	where   string
}

func (s *failingStep) fails(step string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps++
	if s.steps < s.at || s.steps >= s.at+s.row {
		return false
	}
	s.where = strings.TrimSpace(s.where + " " + step)
	return true
}

// fail runs the scenario once with a failing step. It reports whether the commit failed.
func (sc *scenario) fail(t *testing.T, f *Flaky, st *failingStep, before, after string) (failed bool) {
	f.Fail(st.fails)
	s, err := f.Open()
	if err != nil {
		f.Fail(nil)
		sc.wantCaused(t, f, st, "opening", err)
		s = openFlaky(t, f)
	}
	err = sc.do(t, f, s)
	committed := err == nil
	f.Fail(nil)
	if err != nil {
		sc.wantCaused(t, f, st, "the commit", err)
		if sc.merges && !errors.Is(s.Commit(t.Context()), store.ErrAborted) {
			committed = true // what failed is the merging after the commit
		} else {
			WantAborted(t, s)
		}
	}
	if err := s.Close(); err != nil && !f.Caused(err) && st.where == "" {
		t.Errorf("Close() = %v", err)
	}
	got := contents(t, f)
	if got != after && (committed || got != before) {
		t.Errorf("with %s failing, the commit returned %v, and the index has\n%s\nbefore it had\n%s\nand should have\n%s", st.where, err, got, before, after)
	}
	s = openFlaky(t, f)
	if err := sc.do(t, f, s); err != nil {
		t.Errorf("the scenario again, after %s failed: %v", st.where, err)
	}
	closeFlaky(t, s)
	if got := contents(t, f); got != after {
		t.Errorf("the scenario again, after %s failed: the index has\n%s\nwant\n%s", st.where, got, after)
	}
	return err != nil
}

func (sc *scenario) wantCaused(t *testing.T, f *Flaky, st *failingStep, what string, err error) {
	t.Helper()
	if st.where == "" || !f.Caused(err) {
		t.Errorf("with %q failing, %s returned %v, which does not state the cause", st.where, what, err)
	}
}

// contents returns all that an index has as lines, and checks that it is sound.
func contents(t *testing.T, f *Flaky) string {
	t.Helper()
	s := openFlaky(t, f)
	defer closeFlaky(t, s)
	var b strings.Builder
	EachText(t, s, func(d store.Document, text string) {
		fmt.Fprintf(&b, "%s %q %v %d %v\n", d.Name(), text, d.Sizes, d.Pairs, d.Paired)
	})
	for _, n := range []int{5, 7, store.TranslationKeys} {
		fmt.Fprintln(&b, n, Lookup(t, s, n, store.Limits{}, 0, 1, 2, 3, 4, 5, 11, 12, 13, 99))
	}
	fmt.Fprintln(&b, LookupPairs(t, s, store.Limits{}, 11, 12, 13))
	info, err := s.Info(t.Context())
	fmt.Fprintln(&b, info.Documents, info.TextBytes, info.Bases, err)
	progress, err := s.Progress(t.Context())
	fmt.Fprintf(&b, "progress %q %v\n", progress, err)
	for _, name := range []string{"crawl", "harvest"} {
		bookmark, err := s.Bookmark(t.Context(), name)
		fmt.Fprintf(&b, "bookmark %s %q %v\n", name, bookmark, err)
	}
	err = s.Verify(t.Context(), func(err error) {
		if !errors.Is(err, store.ErrLeftover) {
			t.Errorf("Verify reports %v", err)
		}
	})
	if err != nil {
		t.Errorf("Verify() = %v", err)
	}
	lines := strings.Split(b.String(), "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
}

package crawl

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/newsroom"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/storetest"
)

// indexed indexes the new articles of a crawl.
func indexed(t *testing.T, s store.Store, dir string, keep bool) Indexed {
	t.Helper()
	set, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Index(t.Context(), s, IndexOptions{Dir: dir, Keep: keep, Options: indexer.Options{N: 7, Norms: set}})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// names returns the names of the documents of an index.
func names(t *testing.T, s store.Store) (list []string) {
	t.Helper()
	err := s.Documents(t.Context(), "", func(d store.Document) error {
		list = append(list, d.Name())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// TestIndex: articles in an index are not added again, unless the index was recreated; missing
// files are counted.
func TestIndex(t *testing.T) {
	room, dir := newsroom.Open(t, 20), t.TempDir()
	o := options(t, dir, room.Feeds()[:10])
	o.Recheck = 0
	crawled(t, o)
	first := memory.New(store.Settings{KeepTexts: true})
	if sum := indexed(t, first, dir, true); sum.Added != 30 || len(names(t, first)) != 30 {
		t.Fatalf("%+v, %d documents", sum, len(names(t, first)))
	}
	if sum := indexed(t, first, dir, true); sum != (Indexed{}) {
		t.Errorf("again: %+v", sum)
	}
	changed, _, added := room.Change()
	crawled(t, o)
	if sum := indexed(t, first, dir, true); sum.Added != 2*changed+added {
		t.Errorf("after a change: %+v, want %d changed, twice, and %d new", sum, changed, added)
	}
	if list := names(t, first); len(list) != 30+changed+added || !slices.ContainsFunc(list, func(name string) bool { return strings.Contains(name, ".html#20") }) {
		t.Errorf("after a change: %d documents, want %d of them under a date", len(list), changed)
	}
	anew := memory.New(store.Settings{KeepTexts: true})
	if indexed(t, anew, dir, true); !slices.Equal(names(t, anew), names(t, first)) {
		t.Errorf("made anew: %q, want %q", names(t, anew), names(t, first))
	}
	files, err := filepath.Glob(filepath.Join(dir, "text", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	empty := memory.New(store.Settings{KeepTexts: true})
	if sum := indexed(t, empty, dir, false); sum.Added != 0 || sum.Missing != 30+changed+added {
		t.Errorf("without its files: %+v", sum)
	}
}

// A dyingStore refuses everything after some additions, as a server does that has gone.
type dyingStore struct {
	store.Store
	left atomic.Int64
}

var errGone = errors.New("no server")

func (d *dyingStore) Add(ctx context.Context, doc store.Document, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if d.left.Add(-1) < 0 {
		return errGone
	}
	return d.Store.Add(ctx, doc, text, grams, pairs)
}

func (d *dyingStore) Commit(ctx context.Context) error {
	if d.left.Load() < 0 {
		return errGone
	}
	return d.Store.Commit(ctx)
}

// TestIndexServerGone: if the server becomes unavailable, uncommitted articles are not counted, the
// reason is reported once, and the next call adds them.
func TestIndexServerGone(t *testing.T) {
	room, dir := newsroom.Open(t, 60), t.TempDir()
	crawled(t, options(t, dir, room.Feeds()[:50]))
	set, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	inner := memory.New(store.Settings{KeepTexts: true})
	dying := &dyingStore{Store: inner}
	dying.left.Store(100)
	sum, err := Index(t.Context(), dying, IndexOptions{Dir: dir, Options: indexer.Options{N: 7, Norms: set}})
	if !errors.Is(err, errGone) || strings.Count(err.Error(), errGone.Error()) != 1 || sum != (Indexed{}) {
		t.Errorf("Index = %+v, %v; want nothing, and why", sum, err)
	}
	if sum := indexed(t, inner, dir, false); sum.Added != 150 || len(names(t, inner)) != 150 {
		t.Errorf("after that: %+v, %d documents", sum, len(names(t, inner)))
	}
}

// segments opens the index in dir for writing.
func segments(t *testing.T, dir string) *segment.Store {
	t.Helper()
	s, err := segment.Create(dir, store.Settings{KeepTexts: true}, segment.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestIndexCommitThatFailsOnce: a commit that fails and the next that succeeds lose no
// article: the bookmark is in the commit that has the articles before it.
func TestIndexCommitThatFailsOnce(t *testing.T) {
	room, dir := newsroom.Open(t, 60), t.TempDir()
	crawled(t, options(t, dir, room.Feeds()[:50]))
	set, err := normalize.NewSet(normalize.DefaultRules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "index")
	s := storetest.FailOnce(segments(t, home), 2)
	sum, err := Index(t.Context(), s, IndexOptions{Dir: dir, Options: indexer.Options{N: 7, Norms: set, CommitBytes: 1}})
	if !errors.Is(err, storetest.ErrInjected) || !s.Failed() {
		t.Fatalf("Index = %+v, %v, want the failure of its second commit", sum, err)
	}
	if got := len(names(t, s)); got != sum.Added || got == 0 {
		t.Errorf("%d articles are there, %d are counted", got, sum.Added)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := segments(t, home)
	defer again.Close()
	rest := indexed(t, again, dir, false)
	if got := len(names(t, again)); got != 150 || sum.Added+rest.Added != 150 {
		t.Errorf("after the next run %d articles are there, and %d + %d are counted, want 150", got, sum.Added, rest.Added)
	}
}

// TestIndexIsNotTheOneOfBefore: an index that was restored from a backup, or that is filled from
// a copy of the crawl that has continued, lacks no articles.
func TestIndexIsNotTheOneOfBefore(t *testing.T) {
	room, dir := newsroom.Open(t, 20), t.TempDir()
	o := options(t, dir, room.Feeds()[:10])
	o.Recheck = 0
	crawled(t, o)
	home := filepath.Join(t.TempDir(), "index")
	s := segments(t, home)
	indexed(t, s, dir, false)
	s.Close()
	older, aside := filepath.Join(t.TempDir(), "older"), filepath.Join(t.TempDir(), "copy of the crawl")
	for to, from := range map[string]string{older: home, aside: dir} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	room.Change()
	crawled(t, o)
	s = segments(t, home)
	indexed(t, s, dir, false)
	want := names(t, s)
	s.Close()
	if len(want) == 30 {
		t.Fatal("the newsroom has nothing new")
	}
	s = segments(t, older)
	if indexed(t, s, dir, false); !slices.Equal(names(t, s), want) {
		t.Errorf("an index of an older copy has %d articles, want %d", len(names(t, s)), len(want))
	}
	s.Close()

	other := options(t, aside, newsroom.Open(t, 20).Feeds()[:10])
	other.Recheck = 0
	crawled(t, other)
	s = segments(t, home)
	defer s.Close()
	alone := memory.New(store.Settings{KeepTexts: true})
	indexed(t, alone, aside, false)
	indexed(t, s, aside, false)
	for _, name := range names(t, alone) {
		if !slices.Contains(names(t, s), name) {
			t.Errorf("%s of the copied crawl is missing", name)
		}
	}
}

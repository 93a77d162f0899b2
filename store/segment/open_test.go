package segment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

func TestOpenNothing(t *testing.T) {
	dir := t.TempDir()
	foreign := t.TempDir()
	plain := filepath.Join(foreign, "thesis.txt")
	if err := os.WriteFile(plain, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		dir    string
		want   error
		create error
	}{
		{filepath.Join(dir, "none"), store.ErrNoIndex, nil},
		{t.TempDir(), store.ErrNoIndex, nil},
		{foreign, store.ErrFormat, store.ErrFormat},
		{plain, store.ErrFormat, nil},
	} {
		if _, err := Open(tt.dir); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.dir) {
			t.Errorf("Open(%s) = %v, want an error wrapping %q that names it", tt.dir, err, tt.want)
		}
		if _, err := OpenWriter(tt.dir, Options{}); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.dir) {
			t.Errorf("OpenWriter(%s) = %v, want an error wrapping %q that names it", tt.dir, err, tt.want)
		}
	}
	if _, err := Create(foreign, settings, Options{}); !errors.Is(err, store.ErrFormat) {
		t.Errorf("Create in a folder of other files = %v, want an error wrapping ErrFormat", err)
	}
	if _, err := Create(plain, settings, Options{}); err == nil {
		t.Error("Create at a file: no error")
	}
	if got := fileNames(t, foreign); len(got) != 1 {
		t.Errorf("the folder of others has %v now", got)
	}
}

func TestCreateKeepsSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, dir, Options{})
	addDoc(t, s, "/a", "text", storetest.Grams(7, 1))
	commit(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other := store.Settings{Normalization: map[string]string{"new_line": "true"}}
	again, err := Create(dir, other, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got, want := fmt.Sprint(again.Settings()), fmt.Sprint(settings); got != want {
		t.Errorf("Settings() = %s, want those the index was made with: %s", got, want)
	}
	if got := storetest.Documents(t, again); len(got) != 1 {
		t.Errorf("%d documents, want the one of before", len(got))
	}
}

func TestRecreateChangesSettings(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	addDoc(t, s, "/a", "text", storetest.Grams(7, 1))
	commit(t, s)
	want := store.Settings{Normalization: map[string]string{"new_line": "true"}}
	if err := s.Recreate(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	wantClean(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := fmt.Sprint(r.Settings()); got != fmt.Sprint(want) {
		t.Errorf("Settings() = %s, want %v", got, want)
	}
	if got := storetest.Documents(t, r); len(got) != 0 {
		t.Errorf("%d documents, want none", len(got))
	}
}

func TestSecondWriterIsRefused(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir, Options{})
	for range 2 {
		if _, err := OpenWriter(dir, Options{}); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), dir) {
			t.Errorf("OpenWriter = %v, want an error wrapping ErrLocked that names %s", err, dir)
		}
		if _, err := Create(dir, settings, Options{}); !errors.Is(err, store.ErrLocked) {
			t.Errorf("Create = %v, want an error wrapping ErrLocked", err)
		}
	}
	addDoc(t, first, "/a", "text", storetest.Grams(7, 1))
	commit(t, first)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := OpenWriter(dir, Options{})
	if err != nil {
		t.Fatalf("OpenWriter after the first has closed = %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// TestFolderMadeAnewUnderWriter replaces the folder of an index while it is open for
// writing. The writer returns errors, and changes nothing in the new folder.
func TestFolderMadeAnewUnderWriter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let an open file be removed")
	}
	hashes := storetest.Hashes(rand.New(rand.NewPCG(1, 1)), 50)
	for what, act := range map[string]func(*Store) error{
		"Commit":   func(s *Store) error { return s.Commit(t.Context()) },
		"Optimize": func(s *Store) error { return s.Optimize(t.Context()) },
		"Recreate": func(s *Store) error { return s.Recreate(t.Context(), settings) },
		"Add and Commit": func(s *Store) error {
			grams := []store.Grams{storetest.Grams(7, hashes...)}
			return errors.Join(s.Add(t.Context(), storetest.Doc("/more", "more"), "more", grams, nil), s.Commit(t.Context()))
		},
	} {
		dir := filepath.Join(t.TempDir(), "index")
		first := open(t, dir, Options{Workers: 1, Memory: 1})
		for i := range 3 {
			addDoc(t, first, fmt.Sprint("/", i), "text of the first", storetest.Grams(7, hashes...))
			commit(t, first)
		}
		addDoc(t, first, "/pending", "pending", storetest.Grams(7, hashes...))
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		second := open(t, dir, Options{Workers: 1, Memory: 1})
		addDoc(t, second, "/second", "another text", storetest.Grams(7, hashes[0]))
		commit(t, second)
		want := fileNames(t, dir)
		if err := act(first); !errors.Is(err, errReplaced) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s = %v, want an error that says that the folder %s is another", what, err, dir)
		}
		if err := first.Close(); err != nil {
			t.Errorf("Close after %s = %v", what, err)
		}
		if got := fileNames(t, dir); !slices.Equal(got, want) {
			t.Errorf("after %s the folder has %v, want %v", what, got, want)
		}
		addDoc(t, second, "/again", "a third text", storetest.Grams(7, hashes[1]))
		commit(t, second)
		wantClean(t, second)
		if got := len(storetest.Documents(t, second)); got != 2 {
			t.Errorf("after %s the index has %d documents, want 2", what, got)
		}
	}
}

// TestReaderKeepsItsCommit reads with a reader opened before each of many
// commits, merges and clearings.
func TestReaderKeepsItsCommit(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{Workers: 1, Memory: 1})
	type opened struct {
		r    *Reader
		want string
	}
	var readers []opened
	hashes := []store.Hash{1, 2, 3, 100, 101, 105, 110, 119}
	for i := range 20 {
		addDoc(t, s, fmt.Sprint("/", i%7), fmt.Sprint("content ", i), storetest.Grams(7, 1, 2, 3, store.Hash(100+i)))
		commit(t, s)
		if i == 15 {
			if err := s.Recreate(t.Context(), settings); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		readers = append(readers, opened{r, dump(t, s, hashes)})
	}
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, o := range readers {
		if got := dump(t, o.r, hashes); got != o.want {
			t.Errorf("the reader of commit %d sees\n%s\nwant\n%s", i, got, o.want)
		}
		if list := problems(t, o.r); len(list) > 0 {
			t.Errorf("the reader of commit %d finds damage: %v", i, list)
		}
	}
}

// TestReadersOpenDuringCommits opens readers while a writer commits and merges: each sees
// one commit, complete.
func TestReadersOpenDuringCommits(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{Workers: 1, Memory: 1})
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	opened := make([]int, 2)
	for k := range opened {
		wg.Go(func() {
			for ; ctx.Err() == nil; opened[k]++ {
				readOnce(t, dir)
			}
		})
	}
	for i := range 20 {
		for doc := range 3 {
			addDoc(t, s, fmt.Sprint("/", doc), fmt.Sprint(i), storetest.Grams(7, 5, store.Hash(10+i)))
		}
		commit(t, s)
	}
	stop()
	wg.Wait()
	t.Logf("readers opened: %v", opened)
}

// readOnce opens a reader, which must see all three documents of one round, or none.
func readOnce(t *testing.T, dir string) {
	r, err := Open(dir)
	if err != nil {
		t.Error(err)
		return
	}
	defer r.Close()
	contents, docs := map[string]bool{}, 0
	err = r.Documents(context.Background(), "", func(d store.Document) error {
		contents[d.Content] = true
		docs++
		text, err := store.TextOf(context.Background(), r, d.ID)
		if err == nil && text != d.Content {
			err = fmt.Errorf("text %q of a document with %q", text, d.Content)
		}
		return err
	})
	if err != nil || len(contents) > 1 || docs != 0 && docs != 3 {
		t.Errorf("a reader sees %d documents of rounds %v, %v", docs, contents, err)
	}
	err = r.Lookup(context.Background(), 7, []store.Hash{5}, store.Limits{}, func(h store.Hit) error {
		if len(h.Postings) != docs {
			return fmt.Errorf("%d places of a hash in %d documents", len(h.Postings), docs)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestClosedStoreRefuses(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	_, docErr := store.Entry(ctx, s, 1)
	_, textErr := store.TextOf(ctx, s, 1)
	for name, err := range map[string]error{
		"Add":      s.Add(ctx, storetest.Doc("/a", "a"), "a", nil, nil),
		"Delete":   s.Delete(ctx, 1),
		"Commit":   s.Commit(ctx),
		"Optimize": s.Optimize(ctx),
		"Recreate": s.Recreate(ctx, settings),
		"Document": docErr,
		"Text":     textErr,
	} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s on a closed store = %v, want an error wrapping os.ErrClosed", name, err)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	for name, tt := range map[string]struct {
		path  string
		grams []store.Grams
	}{
		"no name":        {"", nil},
		"a long name":    {"/" + strings.Repeat("x", maxName), nil},
		"n = 0":          {"/a", []store.Grams{storetest.Grams(0, 1)}},
		"n = 70000":      {"/a", []store.Grams{storetest.Grams(70000, 1)}},
		"n twice":        {"/a", []store.Grams{storetest.Grams(7, 1), storetest.Grams(7, 1)}},
		"a hash too big": {"/a", []store.Grams{storetest.Grams(7, 1, 1<<48)}},
	} {
		if err := s.Add(t.Context(), storetest.Doc(tt.path, "a"), "a", tt.grams, nil); err == nil {
			t.Errorf("Add with %s: no error", name)
		}
	}
	commit(t, s)
	if got := storetest.Documents(t, s); len(got) != 0 {
		t.Errorf("%d documents after Adds that failed", len(got))
	}
	wantClean(t, s)
}

// TestNamesMayHoldAnyBytes: a path on some systems need not be UTF-8.
func TestNamesMayHoldAnyBytes(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	doc := storetest.Doc("/\xff\xfe\x00<&>", "a")
	doc.Prefix = "\xf0:"
	if err := s.Add(t.Context(), doc, "a", []store.Grams{storetest.Grams(7, 1)}, nil); err != nil {
		t.Fatal(err)
	}
	commit(t, s)
	got, err := store.Entry(t.Context(), s, store.IDOf(doc.Prefix, doc.Path))
	if err != nil || got.Prefix != doc.Prefix || got.Path != doc.Path {
		t.Errorf("Document() = %q, %q, %v, want %q, %q", got.Prefix, got.Path, err, doc.Prefix, doc.Path)
	}
}

// TestSegmentsStayFew commits one small document after another.
func TestSegmentsStayFew(t *testing.T) {
	s := open(t, t.TempDir(), Options{Workers: 1, inTurn: true})
	for i := range 100 {
		addDoc(t, s, fmt.Sprint("/", i), "text", storetest.Grams(7, 1, store.Hash(i)<<30))
		commit(t, s)
	}
	if got := len(s.snap.segments); got >= fanOut {
		t.Errorf("%d segments after 100 small commits, want less than %d", got, fanOut)
	}
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(s.snap.segments); got != 1 {
		t.Errorf("%d segments after Optimize, want 1", got)
	}
	generation := s.snap.generation
	if err := s.Optimize(t.Context()); err != nil || s.snap.generation != generation {
		t.Errorf("a second Optimize = %v makes commit %d, want nothing done", err, s.snap.generation)
	}
}

// TestDeletedTextsLeaveTheDisk deletes most texts, which compress poorly.
func TestDeletedTextsLeaveTheDisk(t *testing.T) {
	s := open(t, t.TempDir(), Options{inTurn: true})
	text := func(i int) string {
		var b strings.Builder
		for j := range 40_000 {
			fmt.Fprintf(&b, "%x ", (i*40_000+j)*7919%1_000_003)
		}
		return b.String()
	}
	for i := range 30 {
		if err := s.Add(t.Context(), storetest.Doc(fmt.Sprint("/", i), "x"), text(i), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, s)
	whole := s.snap.index.Packs[0]
	before := whole.Length
	remove := func(from, to int) []packRecord {
		for i := from; i < to; i++ {
			if err := s.Delete(t.Context(), store.IDOf("", fmt.Sprint("/", i))); err != nil {
				t.Fatal(err)
			}
		}
		commit(t, s)
		return s.snap.index.Packs
	}
	if packs := remove(0, 12); len(packs) != 1 || packs[0].File != whole.File || packs[0].Length != before {
		t.Errorf("without less than half, the texts take %+v, want the file %d as it was", packs, whole.File)
	}
	packs := remove(12, 20)
	if len(packs) != 1 || packs[0].Length > before/2 {
		t.Errorf("the texts take %+v, want one file of a third of %d bytes", packs, before)
	}
	for i := 20; i < 30; i++ {
		if got, err := store.TextOf(t.Context(), s, store.IDOf("", fmt.Sprint("/", i))); got != text(i) || err != nil {
			t.Errorf("Text(/%d) has %d bytes, %v, want those added", i, len(got), err)
		}
	}
	wantClean(t, s)
}

// TestLongTextIsStreamed stores a text that is compressed in pieces.
func TestLongTextIsStreamed(t *testing.T) {
	need.OneGoroutine(t)
	s := open(t, t.TempDir(), Options{})
	var b strings.Builder
	for i := range 1_500_000 {
		fmt.Fprintf(&b, "%d ", i*7919%1_000_003)
	}
	want := b.String()
	if len(want) <= wholeBytes {
		t.Fatalf("the text has only %d bytes", len(want))
	}
	for _, path := range []string{"/a", "/b"} {
		if err := s.Add(t.Context(), storetest.Doc(path, path), want, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, s)
	if got, err := store.TextOf(t.Context(), s, store.IDOf("", "/b")); got != want || err != nil {
		t.Errorf("Text() has %d bytes, %v, want the %d bytes added", len(got), err, len(want))
	}
	wantClean(t, s)
}

// TestTextOfOneWord adds so many equal n-grams that a segment is written before the commit,
// and a merge streams their list.
func TestTextOfOneWord(t *testing.T) {
	if testing.Short() {
		t.Skip("makes four million n-grams, by one worker")
	}
	const count = 2*maxBucket + 12345
	s := open(t, t.TempDir(), Options{Workers: 1})
	la := store.Grams{N: 7, Hashes: func(yield func([]store.Hash) bool) {
		block := make([]store.Hash, 12345)
		for i := range block {
			block[i] = 77 << 20
		}
		for left := count; left > 0; left -= len(block) {
			if block = block[:min(left, len(block))]; !yield(block) {
				return
			}
		}
	}}
	addDoc(t, s, "/la", "la la la", la)
	commit(t, s)
	if got := len(s.snap.segments); got != 2 {
		t.Errorf("%d segments, want 2: one of what is as much as is sorted at once", got)
	}
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := uint32(0)
	err := s.Lookup(t.Context(), 7, []store.Hash{77 << 20}, store.Limits{}, func(h store.Hit) error {
		for _, p := range h.Postings {
			if p.Pos != next {
				return fmt.Errorf("position %d where %d should be", p.Pos, next)
			}
			next++
		}
		return nil
	})
	if err != nil || next != count {
		t.Errorf("%d positions, %v, want %d", next, err, count)
	}
	wantClean(t, s)
}

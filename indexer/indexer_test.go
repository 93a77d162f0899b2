package indexer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/indexer/upkeep"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

func norms(t testing.TB, mode normalize.Mode) *normalize.Set {
	t.Helper()
	rules := normalize.DefaultRules()
	rules.NewLine = mode
	set, err := normalize.NewSet(rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func newStore() *memory.Store { return memory.New(store.Settings{KeepTexts: true}) }

// index runs the indexer and returns a summary of its result.
func index(t testing.TB, s store.Store, opts Options, paths ...string) ledger.Summary {
	t.Helper()
	if opts.Norms == nil {
		opts.Norms = norms(t, normalize.Auto)
	}
	sum, err := Run(t.Context(), s, paths, opts)
	if err != nil {
		t.Fatalf("Run(%v) = %v", paths, err)
	}
	return sum
}

// unsound returns what VerifyTexts reports of s.
func unsound(t testing.TB, s store.Reader) (list []string) {
	t.Helper()
	_, err := upkeep.VerifyTexts(t.Context(), s, norms(t, normalize.Auto), func(err error) { list = append(list, err.Error()) })
	if err != nil {
		t.Fatalf("VerifyTexts() = %v", err)
	}
	return list
}

func counts(s ledger.Summary) string {
	return fmt.Sprintf("added %d, replaced %d, unchanged %d, kept %d, failed %d, committed %d",
		s.Added, s.Replaced, s.Unchanged, s.Kept, s.Failed, s.Committed)
}

// paths returns the places of the files of all documents, from dir.
func paths(t testing.TB, s store.Reader, dir string) []string {
	t.Helper()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, d := range documents(t, s) {
		rel, err := filepath.Rel(dir, store.File(info.Bases, d.Base, d.Path))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, filepath.ToSlash(rel))
	}
	return list
}

// idOf returns the id of a file in a folder that is a base.
func idOf(dir, name string) store.DocID { return store.IDOf("", filepath.Base(dir)+"/"+name) }

func documents(t testing.TB, s store.Reader) (list []store.Document) {
	t.Helper()
	err := s.Documents(t.Context(), "", func(d store.Document) error {
		list = append(list, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSameFileReadOtherwise: a file read in a wrong encoding and then in the right one
// replaces its text and n-grams, and is skipped in the next run.
func TestSameFileReadOtherwise(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "\x9elu\x9dou\xe8k\xfd k\xf9\xf2 \xfap\xecl"}) // žluťoučký kůň úpěl
	s := newStore()
	reading := func(encoding string) document.Options { return document.Options{Encoding: encoding} }
	index(t, s, Options{N: 2, Read: reading("iso-8859-1")}, dir)
	for _, step := range []struct {
		name string
		opts Options
		want string
	}{
		{"right under another n", Options{N: 3, Read: reading("windows-1250")}, "windows-1250 [{2 2} {3 1}] replaced 1"},
		{"none is given", Options{N: 3}, "windows-1250 [{2 2} {3 1}] replaced 0"},
		{"none is given, another n", Options{N: 1}, "windows-1250 [{1 3} {2 2} {3 1}] replaced 0"},
		{"by another label", Options{N: 1, Read: reading("cp1250")}, "cp1250 [{1 3} {2 2} {3 1}] replaced 0"},
		{"again", Options{N: 1, Force: true}, " [{1 3} {2 2} {3 1}] replaced 0"},
	} {
		sum := index(t, s, step.opts, dir)
		d := documents(t, s)[0]
		text, err := store.TextOf(t.Context(), s, d.ID)
		if got := fmt.Sprintf("%s %v replaced %d", d.Charset, d.Sizes, sum.Replaced); got != step.want || text != "žluťoučký kůň úpěl" || err != nil {
			t.Errorf("%s: %s of %q, %v, want %s", step.name, got, text, err, step.want)
		}
		if got := unsound(t, s); len(got) > 0 {
			t.Errorf("%s: VerifyTexts reports %q", step.name, got)
		}
	}
}

func TestFolderIsIndexedWhole(t *testing.T) {
	dir := files.Folder(t, map[string]string{
		"a.txt": "one two three four", "sub/b.txt": "two three four five", ".hidden": "one two three four",
		".git/x": "one two three four", "index/own": "one two three four",
	})
	s := newStore()
	sum := index(t, s, Options{N: 3, Exclude: []string{filepath.Join(dir, "index")}}, dir)
	if got, want := paths(t, s, dir), []string{"a.txt", "sub/b.txt"}; !slices.Equal(got, want) {
		t.Errorf("indexed %v, want %v", got, want)
	}
	if sum.Words != 8 || sum.Grams != 4 {
		t.Errorf("%d words and %d n-grams, want 8 and 4", sum.Words, sum.Grams)
	}
}

func TestSecondRun(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "one two three four", "b.txt": "two three four five"})
	s := newStore()
	index(t, s, Options{N: 3}, dir)
	steps := []struct {
		name   string
		before func()
		opts   Options
		want   string
	}{
		{"unchanged files are skipped", func() {}, Options{N: 3},
			"added 0, replaced 0, unchanged 2, kept 0, failed 0, committed 0"},
		{"a changed one is replaced", func() { files.Write(t, filepath.Join(dir, "a.txt"), "one two three FIVE") }, Options{N: 3},
			"added 1, replaced 1, unchanged 1, kept 0, failed 0, committed 1"},
		{"or left, if so decided", func() { files.Write(t, filepath.Join(dir, "a.txt"), "one two three SIX!") },
			Options{N: 3, Changed: func(store.Document) (Decision, error) { return Skip, nil }},
			"added 0, replaced 0, unchanged 1, kept 1, failed 0, committed 0"},
		{"all are done again by force", func() {}, Options{N: 3, Force: true},
			"added 2, replaced 1, unchanged 0, kept 0, failed 0, committed 2"},
		{"another size is added", func() {}, Options{N: 2},
			"added 2, replaced 0, unchanged 0, kept 0, failed 0, committed 2"},
	}
	for _, step := range steps {
		step.before()
		if got := counts(index(t, s, step.opts, dir)); got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
	}
	d, err := store.Entry(t.Context(), s, idOf(dir, "a.txt"))
	if got := fmt.Sprint(d.Sizes); err != nil || got != "[{2 3} {3 2}]" {
		t.Errorf("sizes %s, %v, want both", got, err)
	}
}

// TestChangedDocumentTooShort: a new version that is too short for a size that the old
// one had is not under that size.
func TestChangedDocumentTooShort(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "one two three four five"})
	s := newStore()
	index(t, s, Options{N: 4}, dir)
	index(t, s, Options{N: 2}, dir)
	files.Write(t, filepath.Join(dir, "a.txt"), "nine eight seven")
	wantCounts(t, "short", index(t, s, Options{N: 2}, dir), "added 1, replaced 1, unchanged 0, kept 0, failed 0, committed 1")
	if got := fmt.Sprint(documents(t, s)[0].Sizes); got != "[{2 2}]" {
		t.Errorf("sizes %s, want [{2 2}]", got)
	}
	if got := unsound(t, s); len(got) > 0 {
		t.Errorf("VerifyTexts reports %q", got)
	}
	files.Write(t, filepath.Join(dir, "a.txt"), "nine eight seven six five")
	index(t, s, Options{N: 4}, dir)
	if got := fmt.Sprint(documents(t, s)[0].Sizes); got != "[{2 4} {4 2}]" {
		t.Errorf("sizes %s after a longer version, want [{2 4} {4 2}]", got)
	}
}

// TestChangedDocumentKeepsItsSizes: a new version is indexed under every size
// that the old one had.
func TestChangedDocumentKeepsItsSizes(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "one two three four"})
	s := newStore()
	index(t, s, Options{N: 3}, dir)
	index(t, s, Options{N: 2}, dir)
	files.Write(t, filepath.Join(dir, "a.txt"), "nine eight seven six five")
	index(t, s, Options{N: 3}, dir)
	h := fingerprint.Of([]byte("seven six"))
	found := 0
	err := s.Lookup(t.Context(), 2, []store.Hash{h}, store.Limits{}, func(store.Hit) error { found++; return nil })
	if err != nil || found != 1 {
		t.Errorf("2-gram of the new version found %d times, %v, want once", found, err)
	}
}

func TestBadFilesAreNamedAndTheOthersGoOn(t *testing.T) {
	dir := files.Folder(t, map[string]string{"good.txt": "one two three four", "short.txt": "one two", "empty.txt": "", "zero.txt": "a\x00b c d e"})
	if err := os.Symlink(dir, filepath.Join(dir, "loop")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	s := newStore()
	sum := index(t, s, Options{N: 3}, dir, filepath.Join(dir, "missing.txt"))
	if got, want := counts(sum), "added 1, replaced 0, unchanged 0, kept 0, failed 5, committed 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	said := map[string]string{}
	for _, f := range sum.Failures {
		said[filepath.Base(f.Path)] = f.Err.Error()
	}
	for name, want := range map[string]string{
		"short.txt": "too short: 2 words", "empty.txt": "no text", "zero.txt": "NUL", "loop": "a folder that contains it", "missing.txt": "no such file",
	} {
		if !strings.Contains(said[name], want) {
			t.Errorf("%s: %q, want it to say %q", name, said[name], want)
		}
	}
}

func TestOneFileByTwoWaysIsOneDocument(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "one two three four"})
	if err := os.Symlink(filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	s := newStore()
	if sum := index(t, s, Options{N: 3}, dir, dir); sum.Added != 1 || sum.Failed != 0 {
		t.Errorf("%s, want one added", counts(sum))
	}
}

// TestFilesBehindLinks: they are called by the way that led to them, or as where
// they are where that is in a base.
func TestFilesBehindLinks(t *testing.T) {
	dir := files.Folder(t, map[string]string{"real/sub/a.txt": "one two three four", "real/b.txt": "two three four five"})
	for link, target := range map[string]string{"walked/folder": "real/sub", "walked/file.txt": "real/b.txt"} {
		if err := os.MkdirAll(filepath.Join(dir, "walked"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, target), filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	for _, tt := range []struct{ given, want []string }{
		{[]string{"walked"}, []string{"walked/file.txt", "walked/folder/a.txt"}},
		{[]string{"walked", "real"}, []string{"real/b.txt", "real/sub/a.txt"}},
	} {
		s := newStore()
		for i, name := range tt.given {
			tt.given[i] = filepath.Join(dir, name)
		}
		index(t, s, Options{N: 3}, tt.given...)
		if got := paths(t, s, dir); !slices.Equal(got, tt.want) {
			t.Errorf("of %v indexed %v, want %v", tt.given, got, tt.want)
		}
	}
}

func TestLongDocument(t *testing.T) {
	words := strings.Repeat("alpha beta gamma delta epsilon ", grams.Kept/5+1000)
	dir := files.Folder(t, map[string]string{"long.txt": words})
	s := newStore()
	index(t, s, Options{N: 3}, dir)
	d, err := store.Entry(t.Context(), s, idOf(dir, "long.txt"))
	count, _ := d.Grams(3)
	if want := d.Words - 2; err != nil || count != want || count <= grams.Kept {
		t.Errorf("%d n-grams of %d words, %v, want %d", count, d.Words, err, want)
	}
	last := 0
	err = s.Lookup(t.Context(), 3, []store.Hash{fingerprint.Of([]byte("gamma delta epsilon"))}, store.Limits{}, func(h store.Hit) error {
		last = int(h.Postings[len(h.Postings)-1].Pos)
		return nil
	})
	if err != nil || last != int(count-1) {
		t.Errorf("last n-gram found at %d, %v, want %d", last, err, count-1)
	}
}

// failing is a store whose commits or adds fail.
type failing struct {
	*memory.Store
	add, commit error
}

func (f *failing) Add(ctx context.Context, d store.Document, text string, g []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if f.add != nil {
		return f.add
	}
	return f.Store.Add(ctx, d, text, g, pairs)
}

func (f *failing) Commit(ctx context.Context) error {
	if f.commit != nil {
		return f.commit
	}
	return f.Store.Commit(ctx)
}

func TestStoreThatFailsEndsTheRun(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "one two three four", "b.txt": "two three four five"})
	full := errors.New("no space left on device")
	for name, s := range map[string]*failing{"Add": {Store: newStore(), add: full}, "Commit": {Store: newStore(), commit: full}} {
		sum, err := Run(t.Context(), s, []string{dir}, Options{N: 3, Norms: norms(t, normalize.Auto)})
		if !errors.Is(err, full) || sum.Committed != 0 {
			t.Errorf("with a failing %s Run = %d committed, %v; want 0 and that error", name, sum.Committed, err)
		}
	}
}

// TestRefusedDocumentIsNamedAndTheOthersGoOn has a store refuse one document,
// when files are indexed.
func TestRefusedDocumentIsNamedAndTheOthersGoOn(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "one two three four", "b.txt": "two three four five", "c.txt": "three four five six"})
	failed := ""
	note := func(e ledger.Event) {
		if e.Err != nil {
			failed += filepath.Base(e.Path) + " "
		}
	}
	s := &storetest.Refusing{Store: newStore(), Suffix: "b.txt"}
	sum, err := Run(t.Context(), s, []string{dir}, Options{N: 3, Norms: norms(t, normalize.Auto), Progress: note})
	if err != nil || sum.Committed != 2 || sum.Failed != 1 || failed != "b.txt " {
		t.Errorf("Run = %s, %v, failed %q, want 2 committed and b.txt failed", counts(sum), err, failed)
	}
}

func TestInterruptCommitsWhatIsDone(t *testing.T) {
	texts := map[string]string{}
	for i := range 50 {
		texts[fmt.Sprintf("%02d.txt", i)] = fmt.Sprint("one two three ", i)
	}
	dir := files.Folder(t, texts)
	s := newStore()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sum, err := Run(ctx, s, []string{dir}, Options{N: 3, Norms: norms(t, normalize.Auto), Workers: 1, Progress: func(e ledger.Event) {
		if e.Added == 10 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || sum.Committed < 10 || sum.Committed == 50 {
		t.Errorf("Run = %v with %d committed, want an interrupt after about 10", err, sum.Committed)
	}
	if got := len(paths(t, s, dir)); got != sum.Committed {
		t.Errorf("%d documents are in the store, the summary says %d", got, sum.Committed)
	}
}

func TestCommitsAsItGoes(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "one two three four", "b.txt": "two three four five", "c.txt": "three four five six"})
	commits := 0
	index(t, newStore(), Options{N: 3, CommitBytes: 20, Workers: 1, Progress: func(e ledger.Event) {
		if e.Commit {
			commits++
		}
	}}, dir)
	if commits != 2 {
		t.Errorf("%d commits for 3 files of 18 bytes with one every 20 bytes, want 2", commits)
	}
}

// TestManyShortDocumentsAreCommitted: the number of uncommitted documents in a store is
// bounded, however short they are.
func TestManyShortDocumentsAreCommitted(t *testing.T) {
	texts := map[string]string{}
	for i := range 10 {
		texts[fmt.Sprintf("%d.txt", i)] = fmt.Sprint("one two three ", i)
	}
	var sums []int
	index(t, newStore(), Options{N: 3, CommitEvery: time.Hour, CommitDocuments: 3, Workers: 1, Progress: func(e ledger.Event) {
		if e.Commit {
			sums = append(sums, e.Committed)
		}
	}}, files.Folder(t, texts))
	if want := []int{3, 6, 9, 10}; !slices.Equal(sums, want) {
		t.Errorf("documents in the index after each commit: %v, want %v", sums, want)
	}
}

// TestNothingIsToldAfterTheEnd: a run that an error of the store ends leaves no goroutine that
// reports files. Each file takes time here, since it is a long chain of links.
func TestNothingIsToldAfterTheEnd(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "one two three four"})
	given := []string{filepath.Join(dir, "a.txt")}
	target := filepath.Join(dir, "missing")
	for i := range 200 {
		link := filepath.Join(dir, fmt.Sprint("link", i))
		if err := os.Symlink(target, link); err != nil {
			t.Skip("no symbolic links here:", err)
		}
		target = link
	}
	for range 500 {
		given = append(given, target)
	}
	var over atomic.Bool
	var late atomic.Int64
	s := &failing{Store: newStore(), add: errors.New("no space left on device")}
	_, err := Run(t.Context(), s, given, Options{N: 3, Workers: 1, Norms: norms(t, normalize.Auto), Progress: func(ledger.Event) {
		if over.Load() {
			late.Add(1)
		}
	}})
	over.Store(true)
	if !errors.Is(err, s.add) {
		t.Fatalf("Run = %v, want %v", err, s.add)
	}
	time.Sleep(50 * time.Millisecond)
	if n := late.Load(); n > 0 {
		t.Errorf("%d files were reported after Run had returned", n)
	}
}

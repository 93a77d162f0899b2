package indexer

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/internal/testing/zipped"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// names returns the names of all documents, and the place of each file from
// dir where that is not its name.
func names(t testing.TB, s store.Reader, dir string) (list []string) {
	t.Helper()
	for i, place := range paths(t, s, dir) {
		d := documents(t, s)[i]
		if name := d.Name(); name == place {
			list = append(list, name)
		} else {
			list = append(list, name+" = "+place)
		}
	}
	return list
}

func wantNames(t *testing.T, what string, s store.Reader, dir string, want ...string) {
	t.Helper()
	if got := names(t, s, dir); !slices.Equal(got, want) {
		t.Errorf("%s: documents\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	if got := unsound(t, s); len(got) > 0 {
		t.Errorf("%s: VerifyTexts reports %q", what, got)
	}
}

func wantCounts(t testing.TB, what string, sum ledger.Summary, want string) {
	t.Helper()
	got := counts(sum)
	if sum.Renamed+sum.Removed > 0 {
		got += strings.Join([]string{", renamed", itoa(sum.Renamed), "removed", itoa(sum.Removed)}, " ")
	}
	if got != want {
		t.Errorf("%s: %s\nwant %s; failures %v", what, got, want, sum.Failures)
	}
}

func general(t testing.TB) *normalize.Normalizer {
	t.Helper()
	n, _ := norms(t, normalize.Auto).Named("")
	return n
}

func itoa(n int) string { return string(rune('0' + n)) }

func move(t testing.TB, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

const (
	textA = "one two three four"
	textB = "two three four five"
	textC = "three four five six"
	none  = "added 0, replaced 0, unchanged 0, kept 0, failed 0, committed 0"
)

// TestTwoFolders: files with the same name in two folders are two documents, in one command
// and in two.
func TestTwoFolders(t *testing.T) {
	dir := files.Folder(t, map[string]string{"theses/a.txt": textA, "texts/a.txt": textB, "texts/sub/a.txt": textC})
	want := []string{"texts/a.txt", "texts/sub/a.txt", "theses/a.txt"}
	theses, texts := filepath.Join(dir, "theses"), filepath.Join(dir, "texts")
	s := newStore()
	index(t, s, Options{N: 3}, theses, texts)
	wantNames(t, "in one command", s, dir, want...)
	s = newStore()
	index(t, s, Options{N: 3}, theses)
	index(t, s, Options{N: 3}, texts)
	wantNames(t, "in two", s, dir, want...)
	unchanged := "added 0, replaced 0, unchanged 1, kept 0, failed 0, committed 0"
	for _, path := range []string{filepath.Join(texts, "sub"), filepath.Join(texts, "sub", "a.txt"), filepath.Join(theses, "a.txt")} {
		wantCounts(t, path, index(t, s, Options{N: 3}, path), unchanged)
	}
	t.Chdir(texts)
	wantCounts(t, "from another folder", index(t, s, Options{N: 3}, ".", "../theses"), strings.Replace(unchanged, "unchanged 1", "unchanged 3", 1))
}

// TestOuterFolderLater: documents indexed from an inner folder keep their names.
func TestOuterFolderLater(t *testing.T) {
	dir := files.Folder(t, map[string]string{"theses/2001/a.txt": textA, "theses/2002/a.txt": textB, "theses/b.txt": textC})
	s := newStore()
	index(t, s, Options{N: 3}, filepath.Join(dir, "theses", "2001", "a.txt"))
	index(t, s, Options{N: 3}, filepath.Join(dir, "theses"))
	wantNames(t, "the outer folder", s, dir, "2001/a.txt = theses/2001/a.txt", "theses/2002/a.txt", "theses/b.txt")
}

// TestFoldersOfOneName have other names, with more of their paths.
func TestFoldersOfOneName(t *testing.T) {
	dir := files.Folder(t, map[string]string{"x/texts/a.txt": textA, "y/texts/a.txt": textB, "y/texts/b.txt": textC})
	s := newStore()
	x, y := filepath.Join(dir, "x", "texts"), filepath.Join(dir, "y", "texts")
	index(t, s, Options{N: 3}, x)
	var told []string
	index(t, s, Options{N: 3, Progress: func(e ledger.Event) {
		if e.Note != nil {
			told = append(told, e.Note.Error())
		}
	}}, y)
	wantNames(t, "two folders of one name", s, dir, "texts/a.txt = x/texts/a.txt", "y/texts/a.txt", "y/texts/b.txt")
	if len(told) != 1 || !strings.Contains(told[0], "is not called texts") {
		t.Errorf("told %q, want that it is not called texts", told)
	}
	wantCounts(t, "again", index(t, s, Options{N: 3}, y, x), "added 0, replaced 0, unchanged 3, kept 0, failed 0, committed 0")
	both := newStore()
	index(t, both, Options{N: 3}, x, y)
	wantNames(t, "in one command", both, dir, "texts/a.txt = x/texts/a.txt", "y/texts/a.txt", "y/texts/b.txt")
}

// TestMovedTree: it is the same documents, in another place.
func TestMovedTree(t *testing.T) {
	dir := files.Folder(t, map[string]string{"old/theses/a.txt": textA, "old/theses/sub/b.txt": textB})
	files.Write(t, filepath.Join(dir, "old/theses/c.zip"), string(zipped.Of("c.txt", textC)))
	s := newStore()
	old, moved := filepath.Join(dir, "old", "theses"), filepath.Join(dir, "new", "place", "theses")
	index(t, s, Options{N: 3}, old)
	move(t, old, moved)
	sum := index(t, s, Options{N: 3}, moved)
	wantCounts(t, "moved", sum, "added 0, replaced 0, unchanged 3, kept 0, failed 0, committed 0")
	wantNames(t, "moved", s, dir, "theses/a.txt = new/place/theses/a.txt", "theses/c.zip!/c.txt = new/place/theses/c.zip!/c.txt", "theses/sub/b.txt = new/place/theses/sub/b.txt")
	files.Write(t, filepath.Join(moved, "a.txt"), "one two three other")
	wantCounts(t, "and changed", index(t, s, Options{N: 3}, moved), "added 1, replaced 1, unchanged 2, kept 0, failed 0, committed 1")
}

// TestMovedAndChanged: a tree that was moved and changed cannot be distinguished from another
// one, so nothing is replaced.
func TestMovedAndChanged(t *testing.T) {
	dir := files.Folder(t, map[string]string{"old/theses/a.txt": textA, "old/theses/b.txt": textB})
	s := newStore()
	old, moved := filepath.Join(dir, "old", "theses"), filepath.Join(dir, "new", "theses")
	index(t, s, Options{N: 3}, old)
	move(t, old, moved)
	files.Write(t, filepath.Join(moved, "a.txt"), "one two three other")
	sum := index(t, s, Options{N: 3}, moved)
	wantCounts(t, "moved and changed", sum, "added 0, replaced 0, unchanged 1, kept 0, failed 1, committed 0")
	if f := sum.Failures[0]; !strings.Contains(f.Err.Error(), filepath.Join(old, "a.txt")) || !errors.Is(f.Err, ErrNameTaken) {
		t.Errorf("told %v, want ErrNameTaken with the other place", f.Err)
	}
}

// TestCopiedTree: unchanged files are the same documents, new files are added, and different
// texts with the same name are refused.
func TestCopiedTree(t *testing.T) {
	dir := files.Folder(t, map[string]string{
		"theses/a.txt": textA, "theses/b.txt": textB, "copy/theses/a.txt": textA, "copy/theses/b.txt": textB, "copy/theses/c.txt": textC,
	})
	s := newStore()
	theses, duplicate := filepath.Join(dir, "theses"), filepath.Join(dir, "copy", "theses")
	index(t, s, Options{N: 3}, theses)
	wantCounts(t, "a copy", index(t, s, Options{N: 3}, duplicate), "added 1, replaced 0, unchanged 2, kept 0, failed 0, committed 1")
	wantNames(t, "a copy", s, dir, "theses/a.txt", "theses/b.txt", "theses/c.txt = copy/theses/c.txt")
	wantCounts(t, "another n", index(t, s, Options{N: 2}, duplicate), "added 3, replaced 0, unchanged 0, kept 0, failed 0, committed 3")
	wantNames(t, "another n", s, dir, "theses/a.txt", "theses/b.txt", "theses/c.txt = copy/theses/c.txt")
	files.Write(t, filepath.Join(duplicate, "a.txt"), "one two three other")
	files.Write(t, filepath.Join(duplicate, "c.txt"), "one two three FOUR")
	sum := index(t, s, Options{N: 3}, duplicate)
	wantCounts(t, "a copy that changed", sum, "added 1, replaced 1, unchanged 1, kept 0, failed 1, committed 1")
	if text, err := store.TextOf(t.Context(), s, store.IDOf("", "theses/a.txt")); text != textA || err != nil {
		t.Errorf("theses/a.txt is now %q, %v; want the text that was indexed first", text, err)
	}
}

// TestBase: names are relative to the folder that is given; documents that have
// other names get these.
func TestBase(t *testing.T) {
	dir := files.Folder(t, map[string]string{"srv/theses/a.txt": textA, "srv/texts/a.txt": textB, "else/a.txt": textC})
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	s := newStore()
	index(t, s, Options{N: 3, Base: at("srv")}, at("srv/theses"), at("srv/texts/a.txt"))
	wantNames(t, "given", s, at("srv"), "texts/a.txt", "theses/a.txt")
	wantCounts(t, "remembered", index(t, s, Options{N: 3}, at("srv/texts")), "added 0, replaced 0, unchanged 1, kept 0, failed 0, committed 0")
	index(t, s, Options{N: 2}, at("srv/texts"))
	sum := index(t, s, Options{N: 3, Base: dir}, at("srv"))
	wantCounts(t, "another", sum, "added 2, replaced 0, unchanged 0, kept 0, failed 0, committed 2, renamed 2 removed 0")
	wantNames(t, "another", s, dir, "srv/texts/a.txt", "srv/theses/a.txt")
	if sizes := documents(t, s)[0].Sizes; len(sizes) != 2 {
		t.Errorf("sizes %v of a document that was renamed, want both", sizes)
	}
	wantCounts(t, "remembered", index(t, s, Options{N: 3}, at("srv/theses")), "added 0, replaced 0, unchanged 1, kept 0, failed 0, committed 0")
	_, err := Run(t.Context(), s, []string{at("else")}, Options{N: 3, Base: at("srv"), Norms: norms(t, normalize.Auto)})
	if !errors.Is(err, ErrOutside) {
		t.Errorf("Run of what is outside the base = %v, want ErrOutside", err)
	}
}

// TestPrefixIsPartOfTheName: the same file with another prefix is another
// document, and a name that two prefixes come to is not replaced.
func TestPrefixIsPartOfTheName(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a/b.txt": textA, "x/b.txt": textB})
	s := newStore()
	index(t, s, Options{N: 3}, filepath.Join(dir, "a"))
	index(t, s, Options{N: 3, Prefix: "library:"}, filepath.Join(dir, "a"))
	wantNames(t, "a prefix", s, dir, "a/b.txt", "library:a/b.txt = a/b.txt")
	sum := index(t, s, Options{N: 3, Prefix: "a/", Base: filepath.Join(dir, "x")}, filepath.Join(dir, "x"))
	wantCounts(t, "a prefix like a folder", sum, "added 0, replaced 0, unchanged 0, kept 0, failed 1, committed 0")
}

// TestOldNames: the documents of an index that knew them by their whole paths
// stay as they are until their files are indexed again; then they get names.
func TestOldNames(t *testing.T) {
	dir := files.Folder(t, map[string]string{"theses/a.txt": textA, "theses/b.txt": textB, "c.txt": textC})
	s := newStore()
	for _, name := range []string{"theses/a.txt", "theses/b.txt", "c.txt"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc := store.Document{Path: path, NewLine: "blank", Text: int64(len(text))}
		g := grams.New(general(t), string(text), normalize.Blank, []int{2, 3}, 0, false)
		if err := s.Add(t.Context(), doc, string(text), g.All(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	sum := index(t, s, Options{N: 3}, filepath.Join(dir, "theses", "a.txt"))
	wantCounts(t, "one of them", sum, "added 1, replaced 0, unchanged 0, kept 0, failed 0, committed 1, renamed 1 removed 0")
	sum = index(t, s, Options{N: 3}, filepath.Join(dir, "theses"))
	wantCounts(t, "its folder", sum, "added 1, replaced 0, unchanged 1, kept 0, failed 0, committed 1, renamed 1 removed 0")
	wantNames(t, "after", s, dir, filepath.Join(dir, "c.txt")+" = c.txt", "theses/a.txt", "theses/b.txt")
	if sizes := documents(t, s)[1].Sizes; len(sizes) != 2 {
		t.Errorf("sizes %v of a document that was renamed, want both", sizes)
	}
}

func TestSync(t *testing.T) {
	dir := files.Folder(t, map[string]string{
		"theses/a.txt": textA, "theses/gone.txt": textB, "theses/old name.txt": textC, "theses/.hidden.txt": "four five six seven", "else/x.txt": "five six seven eight",
	})
	files.Write(t, filepath.Join(dir, "theses/two.zip"), string(zipped.Of("1.txt", "six seven eight nine", "2.txt", "seven eight nine ten")))
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	s := newStore()
	index(t, s, Options{N: 3}, at("theses"), at("theses/.hidden.txt"), at("else"))
	index(t, s, Options{N: 2}, at("theses/old name.txt"))
	index(t, s, Options{N: 3, Prefix: "library:"}, at("theses/gone.txt"))
	for _, name := range []string{"theses/gone.txt", "else/x.txt"} {
		if err := os.Remove(at(name)); err != nil {
			t.Fatal(err)
		}
	}
	move(t, at("theses/old name.txt"), at("theses/sub/new name.txt"))
	files.Write(t, at("theses/two.zip"), string(zipped.Of("2.txt", "seven eight nine ten")))
	wantCounts(t, "without", index(t, newStore(), Options{N: 3}, at("theses")), "added 3, replaced 0, unchanged 0, kept 0, failed 0, committed 3")
	sum := index(t, s, Options{N: 3, Sync: true}, at("theses"))
	wantCounts(t, "with", sum, "added 1, replaced 0, unchanged 2, kept 0, failed 0, committed 1, renamed 1 removed 2")
	wantNames(t, "after", s, dir, "else/x.txt", "library:theses/gone.txt = theses/gone.txt",
		"theses/.hidden.txt", "theses/a.txt", "theses/sub/new name.txt", "theses/two.zip!/2.txt")
	if sizes := documents(t, s)[4].Sizes; len(sizes) != 2 {
		t.Errorf("sizes %v of a file that was renamed, want both", sizes)
	}
	wantCounts(t, "again", index(t, s, Options{N: 3, Sync: true}, at("theses")), "added 0, replaced 0, unchanged 3, kept 0, failed 0, committed 0")
}

// TestSyncOfCopies: two new files with the content of a removed one both get its metadata and
// sizes, whichever is read first.
func TestSyncOfCopies(t *testing.T) {
	dir := files.Folder(t, map[string]string{"theses/a.txt": textA})
	at := func(name string) string { return filepath.Join(dir, "theses", name) }
	s := newStore()
	index(t, s, Options{N: 2}, at(""))
	index(t, s, Options{N: 3}, at(""))
	d := documents(t, s)[0]
	if err := Describe(t.Context(), s, d, store.Description{Title: "On copying", Labels: map[string]string{"faculty": "law"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	move(t, at("a.txt"), at("b.txt"))
	files.Write(t, at("c.txt"), textA)
	wantCounts(t, "copies", index(t, s, Options{N: 3, Sync: true}, at("")), "added 2, replaced 0, unchanged 0, kept 0, failed 0, committed 2, renamed 1 removed 0")
	list := documents(t, s)
	wantNames(t, "after", s, dir, "theses/b.txt", "theses/c.txt")
	for _, d := range list {
		if d.Said.Title != "On copying" || d.Said.Labels["faculty"] != "law" || len(d.Sizes) != 2 {
			t.Errorf("%s: %+v, sizes %v; want title and label, and both sizes", d.Path, d.Said, d.Sizes)
		}
	}
}

// TestSyncOfNothing: where nothing is found, a disk may not be there.
func TestSyncOfNothing(t *testing.T) {
	dir := files.Folder(t, map[string]string{"theses/a.txt": textA})
	s := newStore()
	index(t, s, Options{N: 3}, dir)
	if err := os.Remove(filepath.Join(dir, "theses", "a.txt")); err != nil {
		t.Fatal(err)
	}
	sum := index(t, s, Options{N: 3, Sync: true}, dir)
	wantCounts(t, "an empty folder", sum, strings.Replace(none, "failed 0", "failed 1", 1))
	if err := os.RemoveAll(filepath.Join(dir, "theses")); err != nil {
		t.Fatal(err)
	}
	sum = index(t, s, Options{N: 3, Sync: true}, filepath.Join(dir, "theses"))
	wantCounts(t, "no folder", sum, strings.Replace(none, "failed 0", "failed 1", 1))
	if got := len(documents(t, s)); got != 1 {
		t.Errorf("%d documents are left, want the one there was", got)
	}
}

// TestMembersOfOneNameAreSeveralDocuments: nothing is lost in silence.
func TestMembersOfOneName(t *testing.T) {
	dir := files.Folder(t, map[string]string{"corpus.vert": "<doc id=\"a\">\none\ntwo\nthree\n</doc>\n<doc id=\"a\">\nfour\nfive\nsix\n</doc>\n<doc id=\"a~2\">\nseven\neight\nnine\n</doc>\n"})
	s := memory.New(store.Settings{KeepTexts: true})
	sum := index(t, s, Options{N: 3}, dir)
	wantCounts(t, "three documents", sum, "added 3, replaced 0, unchanged 0, kept 0, failed 0, committed 3")
	wantCounts(t, "again", index(t, s, Options{N: 3}, dir), "added 0, replaced 0, unchanged 3, kept 0, failed 0, committed 0")
}

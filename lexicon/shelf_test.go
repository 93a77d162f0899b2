package lexicon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
)

// TestShelf adds, lists, opens and removes lexica, beside an installed dictionary.
func TestShelf(t *testing.T) {
	t.Parallel()
	index, text := dictd([2]string{"house", "house\ndům\n"})
	system := files.Folder(t, map[string]string{"freedict-eng-ces.index": index, "freedict-eng-ces.dict.dz": packedText(t, text), "wn.index": index, "stray.txt": ""})
	s := &Shelf{Folder: filepath.Join(t.TempDir(), "a", "b"), Installed: []string{system, filepath.Join(system, "none")}}
	names := func() (list []string) {
		items, err := s.Items()
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range items {
			list = append(list, i.Name+" "+i.From+"-"+i.To)
		}
		return list
	}
	if got, want := names(), []string{"freedict-eng-ces en-cs"}; !slices.Equal(got, want) {
		t.Errorf("without a folder: %q, want %q", got, want)
	}
	mine := &Lexicon{"my.words", "cs", "en", []Pair{{"jít", "go"}}}
	same := &Lexicon{"freedict-eng-ces", "en", "cs", []Pair{{"go", "jít"}, {"house", "dům"}}}
	for _, l := range []*Lexicon{mine, same} {
		if err := s.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := names(), []string{"freedict-eng-ces en-cs", "my.words cs-en"}; !slices.Equal(got, want) {
		t.Errorf("with two added: %q, want %q", got, want)
	}
	forward, backward, err := s.Between(t.Context(), "cs", "en", func(err error) { t.Error(err) })
	if err != nil || len(forward) != 1 || len(backward) != 1 || !slices.Equal(backward[0].Pairs, same.Pairs) || !slices.Equal(forward[0].Pairs, mine.Pairs) {
		t.Errorf("Between = %v, %v, %v", forward, backward, err)
	}
	items, _ := s.Items()
	if err := s.Remove(items[0]); err != nil {
		t.Fatal(err)
	}
	items, _ = s.Items()
	if len(items) != 2 || items[1].Added || s.Remove(items[1]) == nil {
		t.Errorf("after removal: %v; an installed dictionary must not be removed", items)
	}
	if l, err := s.Open(t.Context(), items[1]); err != nil || !slices.Equal(l.Pairs, []Pair{{"house", "dům"}}) {
		t.Errorf("installed dictionary: %v, %v", l, err)
	}
}

// TestShelfReportsDamage: a stored lexicon that was cut off is an error, and the others are read.
func TestShelfReportsDamage(t *testing.T) {
	t.Parallel()
	s := &Shelf{Folder: t.TempDir()}
	for _, name := range []string{"a", "b"} {
		if err := s.Add(&Lexicon{name, "en", "cs", []Pair{{"go", "jít"}, {"house", "dům"}}}); err != nil {
			t.Fatal(err)
		}
	}
	path := s.file(s.Folder, "a", "en", "cs")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []string{string(data[:len(data)-12]), "", "# otisk lexicon 1\tx\t\n", string(data) + "a\tb\n"} {
		files.Write(t, path, damage)
		var broken []error
		forward, _, err := s.Between(t.Context(), "en", "cs", func(err error) { broken = append(broken, err) })
		if err != nil || len(forward) != 1 || len(broken) != 1 || !errors.Is(broken[0], ErrDamaged) {
			t.Errorf("%q: %d lexica, errors %v, %v, want one of each", damage, len(forward), broken, err)
		}
	}
}

// TestShelfCopies: an installed dictionary is read once, and again if it changed.
func TestShelfCopies(t *testing.T) {
	t.Parallel()
	system := files.Folder(t, map[string]string{"eng-ces.ifo": ifo + "sametypesequence=m\n"})
	write := func(entries ...[2]string) {
		idx, text := starDict(false, entries...)
		files.Write(t, filepath.Join(system, "eng-ces.idx"), idx)
		files.Write(t, filepath.Join(system, "eng-ces.dict"), text)
	}
	write([2]string{"house", "dům"})
	s := &Shelf{Folder: t.TempDir(), Cache: t.TempDir(), Installed: []string{system}}
	open := func() []Pair {
		items, err := s.Items()
		if err != nil || len(items) != 1 {
			t.Fatal(items, err)
		}
		l, err := s.Open(t.Context(), items[0])
		if err != nil {
			t.Fatal(err)
		}
		return l.Pairs
	}
	want := []Pair{{"house", "dům"}}
	for range 2 {
		if got := open(); !slices.Equal(got, want) {
			t.Errorf("Open = %q, want %q", got, want)
		}
	}
	copied := s.file(s.Cache, "eng-ces", "en", "cs")
	if _, err := os.Stat(copied); err != nil {
		t.Error(err)
	}
	files.Write(t, copied, "damage")
	if got := open(); !slices.Equal(got, want) {
		t.Errorf("with a damaged copy: %q, want %q", got, want)
	}
	write([2]string{"house", "dům"}, [2]string{"go", "jít"})
	if got := open(); len(got) != 2 {
		t.Errorf("after a change: %q, want two pairs", got)
	}
	s.Cache = filepath.Join(system, "eng-ces.ifo", "no folder")
	if got := open(); len(got) != 2 {
		t.Errorf("without a cache: %q, want two pairs", got)
	}
	if err := os.Remove(filepath.Join(system, "eng-ces.dict")); err != nil {
		t.Fatal(err)
	}
	items, _ := s.Items()
	if _, err := s.Open(t.Context(), items[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without its text: %v, want an error", err)
	}
}

// TestKept: the stamp of a kept dictionary changes if a lexicon between its languages is added, changed or removed.
func TestKept(t *testing.T) {
	t.Parallel()
	index, text := dictd([2]string{"house", "house\ndům\n"})
	system := files.Folder(t, map[string]string{"freedict-eng-ces.index": index, "freedict-eng-ces.dict.dz": packedText(t, text)})
	s := &Shelf{Folder: t.TempDir(), Installed: []string{system}}
	languages := [][2]string{{"sk", "en"}, {"cs", "en"}}
	if file, _, _ := s.Kept(languages); file != "" {
		t.Errorf("without a cache, the file is %q", file)
	}
	s.Cache = filepath.Join(t.TempDir(), "cache")
	seen := map[string]string{}
	check := func(what string, lexica int, news bool) {
		t.Helper()
		file, stamp, n := s.Kept(languages)
		if want := filepath.Join(s.Cache, "sk-en.dictionary"); file != want || n != lexica {
			t.Errorf("%s: %d lexica in %s, want %d in %s", what, n, file, lexica, want)
		}
		if before, ok := seen[stamp]; ok == news {
			t.Errorf("%s: the stamp is that of %q", what, before)
		}
		seen[stamp] = what
	}
	check("an installed dictionary", 1, true)
	for _, l := range []*Lexicon{{"mine", "cs", "en", []Pair{{"jít", "go"}}}, {"mine", "sk", "en", []Pair{{"ísť", "go"}}}, {"other", "de", "en", []Pair{{"gehen", "go"}}}} {
		if err := s.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	check("two more, and one of another language", 3, true)
	if err := s.Add(&Lexicon{"mine", "cs", "en", []Pair{{"jíst", "eat"}}}); err != nil {
		t.Fatal(err)
	}
	check("one replaced", 3, true)
	check("nothing changed", 3, false)
	items, err := s.Items()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		if i.From == "cs" && i.Added {
			if err := s.Remove(i); err != nil {
				t.Fatal(err)
			}
		}
	}
	check("one removed", 2, true)
}

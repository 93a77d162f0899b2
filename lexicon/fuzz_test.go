package lexicon

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readsWell reads a dictionary of these files, and checks the pairs if there is no error: words
// in lower case, sorted, each pair once. It returns nil if there is an error.
func readsWell(t *testing.T, path string, contents map[string][]byte) *Lexicon {
	dir := t.TempDir()
	for name, data := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Read(t.Context(), filepath.Join(dir, path), "en", "cs")
	if err != nil {
		return nil
	}
	for _, p := range l.Pairs {
		for _, w := range []string{p.Word, p.Translation} {
			if w == "" || len(w) > mostWord || strings.ContainsAny(w, " \t\r\n") || w != strings.ToLower(w) {
				t.Errorf("pair %q", p)
			}
		}
	}
	order := func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.Translation, b.Translation))
	}
	if !slices.IsSortedFunc(l.Pairs, order) || len(slices.Compact(slices.Clone(l.Pairs))) != len(l.Pairs) {
		t.Errorf("pairs are not sorted, or not different: %q", l.Pairs)
	}
	return l
}

// storesWell stores a lexicon, and reads it again.
func storesWell(t *testing.T, l *Lexicon) {
	shelf := &Shelf{Folder: t.TempDir()}
	if err := shelf.Add(l); err != nil {
		t.Fatal(err)
	}
	items, err := shelf.Items()
	i := slices.IndexFunc(items, func(i Item) bool { return i.Name == l.Name && i.From == l.From && i.To == l.To })
	if err != nil || i < 0 {
		t.Fatalf("Items = %v, %v after Add", items, err)
	}
	again, err := shelf.Open(t.Context(), items[i])
	if err != nil || !slices.Equal(again.Pairs, l.Pairs) {
		t.Errorf("stored pairs are read as %v, %v, want %q", again, err, l.Pairs)
	}
}

func FuzzDictd(f *testing.F) {
	index, text := dictd([2]string{"house|home", "house\ndům\n"}, [2]string{"go", "go\njít\n"})
	f.Add([]byte(index), []byte(text))
	f.Add([]byte("a\tA\tJ\nb\tB\tJ\n"), []byte(text))
	f.Add([]byte("a\t\t\n"), []byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, index, text []byte) {
		readsWell(t, "x.index", map[string][]byte{"x.index": index, "x.dict": text})
	})
}

func FuzzStarDict(f *testing.F) {
	idx, text := starDict(false, [2]string{"house", "dům, stavení"}, [2]string{"go", "jít"})
	f.Add([]byte(ifo+"sametypesequence=m\n"), []byte(idx), []byte(text))
	idx, text = starDict(true, [2]string{"house", "mdům\x00W\x00\x00\x00\x01x"})
	f.Add([]byte(ifo+"idxoffsetbits=64\n"), []byte(idx), []byte(text))
	f.Fuzz(func(t *testing.T, ifo, idx, text []byte) {
		readsWell(t, "x.ifo", map[string][]byte{"x.ifo": ifo, "x.idx": idx, "x.dict": text})
	})
}

func FuzzTEI(f *testing.F) {
	f.Add([]byte(tei))
	f.Add([]byte("<entry><cit><orth>a</cit></orth><quote>b</entry></cit>"))
	f.Fuzz(func(t *testing.T, data []byte) { readsWell(t, "x.tei", map[string][]byte{"x.tei": data}) })
}

func FuzzTSV(f *testing.F) {
	f.Add([]byte("house\tdům, stavení\n#\n\nİ\tı\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if l := readsWell(t, "x.tsv", map[string][]byte{"x.tsv": data}); l != nil {
			storesWell(t, l)
		}
	})
}

package check

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/internal/testing/zipped"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

const (
	herons = "we went to the river on a sunny day and saw three herons and a kingfisher"
	foxes  = "the quick brown fox jumps over the lazy dog while the cat sleeps on the wall"
)

// newBatch returns a batch against an index of the files in sources.
func newBatch(t *testing.T, sources string, opts Options) *Batch {
	t.Helper()
	settings := config.Default()
	norms, err := settings.Normalizers()
	if err != nil {
		t.Fatal(err)
	}
	index := memory.New(store.Settings{Normalization: settings.Normalization(), KeepTexts: true})
	if _, err := indexer.Run(t.Context(), index, []string{sources}, indexer.Options{N: 7, Pairs: true, Norms: norms}); err != nil {
		t.Fatal(err)
	}
	opts.Norms, opts.Search.N = norms, 7
	b, err := New(t.Context(), index, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// results runs a batch whose texts were found, and returns what was found in
// each, by name.
func results(t *testing.T, b *Batch) map[string]*search.Result {
	t.Helper()
	found := map[string]*search.Result{}
	var mu sync.Mutex
	err := b.Search(t.Context(), func(text Text, r *search.Result) error {
		mu.Lock()
		defer mu.Unlock()
		found[text.Name] = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func readAll(t *testing.T, b *Batch, paths ...string) {
	t.Helper()
	if _, err := b.Find(t.Context(), paths); err != nil {
		t.Fatal(err)
	}
	if err := b.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestFilesAreReadOnce: once they are read, they may be gone. A spool that
// keeps nothing in memory gives the same.
func TestFilesAreReadOnce(t *testing.T) {
	for name, memory := range map[string]int64{"in memory": spoolMemory, "in files": 0} {
		t.Run(name, func(t *testing.T) {
			sources := files.Folder(t, map[string]string{"fox.txt": foxes})
			dir := files.Folder(t, map[string]string{"a.txt": foxes, "b/c.txt": herons, "d.zip": string(zipped.Of("e.txt", "he wrote: "+foxes))})
			b := newBatch(t, sources, Options{})
			b.spool.left = memory
			readAll(t, b, dir)
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			found := results(t, b)
			for name, want := range map[string]int{"a.txt": 16, "b_c.txt": 0, "d.zip_e.txt": 16} {
				if r := found[name]; r == nil || r.Score.Covered != want {
					t.Errorf("%s: %+v, want %d words covered", name, r, want)
				}
			}
			if len(found) != 3 {
				t.Errorf("%d results, want 3", len(found))
			}
		})
	}
}

// TestAmong: each text is a source for the others, also where no seven words in a
// row are the same, and none is one for itself.
func TestAmong(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		return fmt.Sprintf("%c%c%c%cest", 'a'+random.IntN(26), 'a'+random.IntN(26), 'a'+random.IntN(26), 'a'+random.IntN(26))
	}
	var first, second []string
	for i := range 200 {
		first = append(first, word())
		second = append(second, first[i])
		if i%5 == 4 {
			second[i] = word()
		}
	}
	dir := files.Folder(t, map[string]string{"a.txt": strings.Join(first, " "), "b.txt": strings.Join(second, " "), "c.txt": herons})
	b := newBatch(t, files.Folder(t, map[string]string{"fox.txt": foxes}), Options{Among: true})
	readAll(t, b, dir)
	found := results(t, b)
	for name, want := range map[string]string{"a.txt": "b.txt", "b.txt": "a.txt", "c.txt": ""} {
		r := found[name]
		var got []string
		for _, s := range r.Sources {
			if s.Among {
				got = append(got, filepath.Base(s.Path))
			}
		}
		if strings.Join(got, " ") != want || want != "" && r.Score.Percent < 90 {
			t.Errorf("%s: %.0f %% from %q, want 90 or more from %q", name, r.Score.Percent, got, want)
		}
		if r.Index.Among != 2 || r.Index.Documents != 1 {
			t.Errorf("%s: checked against %d documents and %d other texts, want 1 and 2", name, r.Index.Documents, r.Index.Among)
		}
	}
}

// TestAmongTextsOfTheIndex: a text that is in the index as well is one source for
// the others, not two; but where the index has an older state of the file, both
// are.
func TestAmongTextsOfTheIndex(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": foxes + " " + herons, "b.txt": foxes, "c.txt": herons})
	b := newBatch(t, dir, Options{Among: true})
	if err := os.WriteFile(filepath.Join(dir, "c.txt"), []byte(herons+" by the way"), 0o666); err != nil {
		t.Fatal(err)
	}
	readAll(t, b, dir)
	found := results(t, b)
	for name, want := range map[string]string{
		"a.txt": "a.txt of the index, b.txt, c.txt, c.txt of the index",
		"b.txt": "a.txt, b.txt of the index",
		"c.txt": "a.txt, c.txt of the index",
	} {
		var got []string
		for _, s := range found[name].Sources {
			source := filepath.Base(s.Path)
			if !s.Among {
				source += " of the index"
			}
			got = append(got, source)
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != want {
			t.Errorf("sources of %s: %q, want %s", name, got, want)
		}
	}
}

// TestAmongKeepsWhatIsSkipped: documents that the search leaves out stay out where
// the texts are compared with each other.
func TestAmongKeepsWhatIsSkipped(t *testing.T) {
	opts := Options{Among: true, Search: search.Options{Skip: func(id store.DocID) bool { return id == store.IDOf("", "sources/fox.txt") }}}
	sources := files.Folder(t, map[string]string{"sources/fox.txt": foxes, "sources/herons.txt": herons})
	b := newBatch(t, filepath.Join(sources, "sources"), opts)
	readAll(t, b, files.Folder(t, map[string]string{"a.txt": foxes + " " + herons, "b.txt": "something else that has seven words or more"}))
	var got []string
	for _, s := range results(t, b)["a.txt"].Sources {
		got = append(got, filepath.Base(s.Path))
	}
	if strings.Join(got, " ") != "herons.txt" {
		t.Errorf("sources %q, want herons.txt alone", got)
	}
}

// TestCloseRemovesTheSpool: texts of a thesis must not stay in a folder that
// is shared.
func TestCloseRemovesTheSpool(t *testing.T) {
	b := newBatch(t, files.Folder(t, map[string]string{"fox.txt": foxes}), Options{})
	b.spool.left = 0
	readAll(t, b, files.Folder(t, map[string]string{"a.txt": herons}))
	if _, err := os.Stat(b.spool.dir); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(b.spool.dir); !os.IsNotExist(err) {
		t.Errorf("the folder of the texts is still there: %v", err)
	}
}

// TestEveryReportListsWhatWasNotRead: bad members of archives and texts that
// are too short as well.
func TestEveryReportListsWhatWasNotRead(t *testing.T) {
	dir := files.Folder(t, map[string]string{
		"a.txt": foxes, "empty.txt": "", "short.txt": "only three words", "z.txt": herons,
		"x.zip": string(zipped.Of("short.txt", "four words are short", "good.txt", herons, "bad.bin", "\x7fELF\x02\x01\x01\x00\x00\x00\x00")),
	})
	b := newBatch(t, files.Folder(t, map[string]string{"fox.txt": foxes}), Options{})
	readAll(t, b, dir, filepath.Join(dir, "missing.txt"))
	want := []string{"empty.txt", "missing.txt", "short.txt", "x.zip!/bad.bin", "x.zip!/short.txt"}
	found := results(t, b)
	if len(found) != 3 {
		t.Errorf("%d results, want 3", len(found))
	}
	for name, r := range found {
		var got []string
		for _, u := range r.Unread {
			rel, err := filepath.Rel(dir, u.Path)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(rel))
		}
		if !slices.Equal(got, want) {
			t.Errorf("the report of %s lists %q, want %q", name, got, want)
		}
	}
}

// TestSpoolKeepsEveryField fills a document, so that a field that is added and
// not kept is found out.
func TestSpoolKeepsEveryField(t *testing.T) {
	doc := new(document.Document)
	fill(t, reflect.ValueOf(doc).Elem(), "Document")
	kept, err := new(spool).store(doc)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(filepath.Dir(kept.file))
	got, err := kept.document()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, doc) {
		t.Errorf("from the spool came %+v, want %+v", got, doc)
	}
}

// fill gives v a value that is not its zero value.
func fill(t *testing.T, v reflect.Value, name string) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1_700_000_000, 0).UTC()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	case !v.CanSet():
		t.Errorf("%s is not exported: a document in a file would lose it", name)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), name)
		fill(t, v.Index(1), name)
	case v.Kind() == reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, name)
		fill(t, value, name)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case v.Kind() == reflect.String:
		v.SetString(strings.ToLower(name) + "\xff")
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.Interface: // of an argument of a message
		v.Set(reflect.ValueOf([]phrase.Stored{{Name: name, Args: map[string]any{"n": 1, "share": 1.5, "text": "\xff", "of": phrase.Stored{Name: name}}}}))
	case v.CanInt():
		v.SetInt(int64(len(name)))
	default:
		t.Fatalf("%s: this test knows no value for a %v", name, v.Type())
	}
}

// TestAmongAsIndexed: a text has the same passages from the other texts of a class as if these were in the index. In a
// class whose texts all share a form, the counts of its documents show that.
func TestAmongAsIndexed(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	word := func() string {
		return fmt.Sprintf("%c%c%cest", 'a'+random.IntN(26), 'a'+random.IntN(26), 'a'+random.IntN(26))
	}
	words := func(n int) (list []string) {
		for range n {
			list = append(list, word())
		}
		return list
	}
	form, copied := words(60), words(60)
	changed := func(text []string) string {
		text = slices.Clone(text)
		for i := range text {
			if i%6 == 5 {
				text[i] = word()
			}
		}
		return strings.Join(text, " ")
	}
	class := map[string]string{}
	for i := range 8 {
		text := strings.Join(words(150), " ") + "\n\n" + changed(form) + "\n\n" + strings.Join(words(150), " ")
		if i < 2 {
			text += "\n\n" + changed(copied)
		}
		class[fmt.Sprintf("%d.txt", i)] = text
	}
	dir := files.Folder(t, class)
	b := newBatch(t, files.Folder(t, nil), Options{Among: true})
	readAll(t, b, dir)
	among := results(t, b)
	stretches := func(r *search.Result) (list []string) {
		for _, p := range r.Passages {
			list = append(list, fmt.Sprintf("%s %d+%d", filepath.Base(r.Sources[p.Source].Path), p.Word, p.Words))
		}
		return list
	}
	for name, text := range class {
		others := maps.Clone(class)
		delete(others, name)
		b := newBatch(t, files.Folder(t, others), Options{})
		readAll(t, b, files.Folder(t, map[string]string{name: text}))
		got, want := stretches(among[name]), stretches(results(t, b)[name])
		if !slices.Equal(got, want) || (len(want) == 1) != (name < "2") {
			t.Errorf("%s: passages %q among the texts, and %q in the index; want one, that of the first two texts", name, got, want)
		}
	}
}

package segment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// labelTests are some conditions that documents of labelledIndex meet or not.
func labelTests() map[string][]store.LabelTest {
	is := func(name, want string) store.LabelTest {
		return store.LabelTest{Name: name, Holds: func(value string, ok bool) bool { return ok && value == want }}
	}
	return map[string][]store.LabelTest{
		"faculty":          {is("faculty", "law")},
		"without faculty":  {{Name: "faculty", Holds: func(value string, ok bool) bool { return !ok || value != "law" }}},
		"faculty, year":    {is("faculty", "law"), is("year", "2003")},
		"author":           {is("author", "J. Novák")},
		"without a year":   {is("year", "")},
		"none has it":      {is("nobody", "has it")},
		"said over stated": {is("faculty", "arts")},
		"nothing asked":    nil,
	}
}

// labelledIndex makes an index of documents with labels by several commits, which also
// replace and delete some.
func labelledIndex(t *testing.T, dir string) *Store {
	t.Helper()
	s := open(t, dir, Options{Workers: 1})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		for range 60 {
			doc := storetest.Doc("theses/"+strconv.Itoa(rng.IntN(300)), "text")
			if rng.IntN(3) > 0 {
				doc.Labels = map[string]string{"faculty": []string{"law", "arts", ""}[rng.IntN(3)], "nr": doc.Path}
			}
			if rng.IntN(2) > 0 {
				doc.Author, doc.Year = "J. Novák", 2000+rng.IntN(5)
			}
			if rng.IntN(4) == 0 {
				doc.Said.Labels = map[string]string{"faculty": "arts", "own": "1"}
			}
			if err := s.Add(t.Context(), doc, "text", []store.Grams{storetest.Grams(7, storetest.Hashes(rng, 3)...)}, nil); err != nil {
				t.Fatal(err)
			}
		}
		_ = s.Delete(t.Context(), store.IDOf("", "theses/"+strconv.Itoa(rng.IntN(300)))) // it may not be there
		commit(t, s)
	}
	s.awaitMerging(context.Background())
	return s
}

// wantSelected compares what Select finds with what the entries say.
func wantSelected(t *testing.T, r *Reader) {
	t.Helper()
	for name, tests := range labelTests() {
		var got, want []string
		ok, err := r.Select(t.Context(), tests, func(d *store.Document) error {
			got = append(got, fmt.Sprint(d.ID, d.Text, d.Sizes, d.Paired, d.Pairs))
			return nil
		})
		if !ok || err != nil {
			t.Fatalf("%s: Select() = %v, %v", name, ok, err)
		}
		err = r.Documents(t.Context(), func(d store.Document) error {
			if !slices.ContainsFunc(tests, func(test store.LabelTest) bool { return !test.Holds(d.Says(test.Name)) }) {
				want = append(want, fmt.Sprint(d.ID, d.Text, d.Sizes, d.Paired, d.Pairs))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: Select() finds %d documents, the entries say %d", name, len(got), len(want))
		}
	}
}

// labelFiles returns the label files in dir.
func labelFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "labels-*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSelect: what label files say, and what small tables without one do, is what the
// entries say.
func TestSelect(t *testing.T) {
	for _, size := range []int64{0, labelled} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			defer func(old int64) { labelled = old }(labelled)
			labelled = size
			s := labelledIndex(t, t.TempDir())
			wantSelected(t, s.Reader)
			if got, want := len(labelFiles(t, s.dir)), len(s.snap.tables); size == 0 && got != want || size > 0 && got > 0 {
				t.Errorf("%d label files, %d tables", got, want)
			}
			if list := problems(t, s); len(list) > 0 {
				t.Errorf("Verify reports %v", list)
			}
		})
	}
}

// TestLabelsDamaged: a label file that is damaged, of another table or not there does
// not change what is found. Verify tells, and the next commit writes a missing one.
func TestLabelsDamaged(t *testing.T) {
	defer func(old int64) { labelled = old }(labelled)
	labelled = 0
	s := labelledIndex(t, t.TempDir())
	rng := rand.New(rand.NewPCG(3, 4))
	for _, file := range labelFiles(t, s.dir) {
		sound, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			bad := slices.Clone(sound)
			if i == 0 {
				bad = bad[:len(bad)/2]
			} else {
				bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
			}
			writeLabelFile(t, file, bad)
			wantSelected(t, s.Reader)
			if list := problems(t, s); len(list) != 1 {
				t.Errorf("Verify reports %v of a damaged file of labels", list)
			}
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		wantSelected(t, s.Reader)
	}
	addDoc(t, s, "another", "text", storetest.Grams(7, 1, 2, 3))
	commit(t, s)
	s.awaitMerging(context.Background())
	wantSelected(t, s.Reader)
	if got, want := len(labelFiles(t, s.dir)), len(s.snap.tables); got != want {
		t.Errorf("%d label files for %d tables after a commit", got, want)
	}
}

// TestLabelsOfOther: a label file that is sound, and says something else than its table.
func TestLabelsOfOther(t *testing.T) {
	defer func(old int64) { labelled = old }(labelled)
	labelled = 0
	s := labelledIndex(t, t.TempDir())
	r := s.snap.index.Tables[0]
	data, err := encodeLabels(r.Sum, map[string][]byte{"": nil})
	if err != nil {
		t.Fatal(err)
	}
	writeLabelFile(t, s.path(labelName, r.File), data)
	if list := problems(t, s); len(list) != 1 {
		t.Errorf("Verify reports %v", list)
	}
	data, err = encodeLabels(r.Sum+1, map[string][]byte{"": nil})
	if err != nil {
		t.Fatal(err)
	}
	writeLabelFile(t, s.path(labelName, r.File), data)
	wantSelected(t, s.Reader)
}

func writeLabelFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

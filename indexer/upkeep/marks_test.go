package upkeep

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// longText has some blocks of marks: paragraphs of all lengths, words that make
// pairs and words that do not, letters of two bytes.
func longText() string {
	var b strings.Builder
	for w := range 9000 {
		fmt.Fprintf(&b, "%03dslovo že ", w*w%997)
		if w%37 == 0 || w%41 < 3 {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// newIndex returns an index in a folder.
func newIndex(t *testing.T) *segment.Store {
	t.Helper()
	s, err := segment.Create(filepath.Join(t.TempDir(), "index"), store.Settings{KeepTexts: true}, segment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// remark gives the documents of a store the marks that change makes of theirs.
func remark(t *testing.T, s store.Store, change func(m *store.Marks) *store.Marks) {
	t.Helper()
	for _, d := range documents(t, s) {
		text, err := store.TextOf(t.Context(), s, d.ID)
		if err != nil {
			t.Fatal(err)
		}
		marks, err := grams.MarksOf(t.Context(), s, d.ID)
		if err != nil {
			t.Fatal(err)
		}
		d.Marks = change(marks)
		if err := s.Add(t.Context(), d, text, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestDeepVerifyFindsWrongMarks changes one count of one mark at a time.
func TestDeepVerifyFindsWrongMarks(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": longText()})
	for name, test := range map[string]struct {
		change func(m *store.Marks)
		want   string
	}{
		"none":       {func(*store.Marks) {}, ""},
		"words":      {func(m *store.Marks) { m.Blocks[2].Word-- }, "1 of the 9 marks of its text are wrong, the first at byte 3"},
		"characters": {func(m *store.Marks) { m.Blocks[2].Rune-- }, "characters"},
		"paragraph":  {func(m *store.Marks) { m.Blocks[3].Inside++ }, "words of the paragraph that continues"},
		"pairs":      {func(m *store.Marks) { m.Blocks[5].Pairs++ }, "pairs, there are"},
		"n-grams":    {func(m *store.Marks) { m.Blocks[5].Grams[1]-- }, "5-grams, there are"},
		"last":       {func(m *store.Marks) { m.Blocks[len(m.Blocks)-1].Word++ }, "words, there are 18000"},
		"in a word":  {func(m *store.Marks) { m.Blocks[4].Byte += 5; m.Blocks[4].Rune += 5 }, "is within a word"},
		"left out":   {func(m *store.Marks) { m.Blocks = slices.Delete(m.Blocks, 3, 4) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newIndex(t)
			for _, n := range []int{3, 5} {
				index(t, s, indexer.Options{N: n, Pairs: true}, dir)
			}
			remark(t, s, func(m *store.Marks) *store.Marks { test.change(m); return m })
			got, _ := deepProblems(t, s)
			if len(got) != min(1, len(test.want)) || len(got) == 1 && !strings.Contains(got[0], test.want) {
				t.Errorf("VerifyTexts reports %q, want %q", got, test.want)
			}
		})
	}
}

// TestMarksCountPairsThatStay: a document that has pairs gets n-grams of another
// size, without pairs being asked for. Its text gets new marks then, by which
// the pairs that it has are found.
func TestMarksCountPairsThatStay(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": longText()})
	s := newIndex(t)
	index(t, s, indexer.Options{N: 3, Pairs: true}, dir)
	index(t, s, indexer.Options{N: 5}, dir)
	if got, _ := deepProblems(t, s); len(got) > 0 {
		t.Errorf("VerifyTexts reports %q, want nothing", got)
	}
	to := newIndex(t)
	index(t, to, indexer.Options{N: 5, Pairs: true}, dir)
	bare := newIndex(t)
	index(t, bare, indexer.Options{N: 3}, dir)
	if _, err := Copy(t.Context(), bare, to, norms(t), nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := deepProblems(t, to); len(got) > 0 {
		t.Errorf("VerifyTexts of a copy to documents with pairs reports %q, want nothing", got)
	}
}

// TestUpgradeMakesPairs: documents that were indexed without pairs get them, once, and
// keep their n-grams; the marks of their texts count the pairs.
func TestUpgradeMakesPairs(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": longText(), "b.txt": "one two three four five"})
	s := newIndex(t)
	for _, n := range []int{3, 5} {
		index(t, s, indexer.Options{N: n}, dir)
	}
	before := documents(t, s)
	for _, want := range []string{"committed 2, unchanged 0", "committed 0, unchanged 2"} {
		sum, err := Upgrade(t.Context(), s, norms(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("committed %d, unchanged %d", sum.Committed, sum.Unchanged); got != want {
			t.Errorf("Upgrade() of documents without pairs: %s, want %s", got, want)
		}
	}
	if got, _ := deepProblems(t, s); len(got) > 0 {
		t.Errorf("VerifyTexts reports %q, want nothing", got)
	}
	for i, d := range documents(t, s) {
		if marks, err := grams.MarksOf(t.Context(), s, d.ID); marks == nil || err != nil || marks.Words() != d.Words {
			t.Errorf("%s has no marks of its %d words: %v", d.Name(), d.Words, err)
		}
		if !slices.Equal(d.Sizes, before[i].Sizes) || !d.Paired || i == 0 && d.Pairs == 0 {
			t.Errorf("%s has sizes %v and %d pairs (%v), want sizes %v and some pairs", d.Name(), d.Sizes, d.Pairs, d.Paired, before[i].Sizes)
		}
	}
}

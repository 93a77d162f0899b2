package upkeep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/segment"
)

// deepProblems returns what VerifyTexts reports of s, sorted.
func deepProblems(t *testing.T, s store.Reader) (list []string, unchecked int) {
	t.Helper()
	return problems(t, s, together)
}

// problems is like deepProblems with another number of n-grams that are looked up at once.
func problems(t *testing.T, s store.Reader, together int) (list []string, unchecked int) {
	t.Helper()
	unchecked, err := verifyTexts(t.Context(), s, norms(t), together, func(err error) {
		if !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%v does not wrap ErrDamaged", err)
		}
		list = append(list, strings.TrimSuffix(err.Error(), ": index is damaged"))
	})
	if err != nil {
		t.Fatalf("VerifyTexts() = %v", err)
	}
	slices.Sort(list)
	return list, unchecked
}

// texts returns files of many words each, some of which all have.
func texts(count int) map[string]string {
	files := map[string]string{}
	for i := range count {
		var b strings.Builder
		for w := range 300 {
			fmt.Fprintf(&b, "w%d x%d ", w%40, w*(i+1)%97)
		}
		files[fmt.Sprintf("%02d.txt", i)] = b.String()
	}
	return files
}

// TestDeepVerifyOfWhatIsSound: also where the n-grams of one document come
// into several batches.
func TestDeepVerifyOfWhatIsSound(t *testing.T) {
	dir := files.Folder(t, texts(12))
	disk, err := segment.Create(filepath.Join(t.TempDir(), "index"), store.Settings{KeepTexts: true}, segment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	for _, s := range []store.Store{newStore(), disk} {
		for _, n := range []int{3, 5} {
			index(t, s, indexer.Options{N: n}, dir)
		}
		for _, together := range []int{1, 100, 1 << 20} {
			if got, unchecked := problems(t, s, together); len(got) > 0 || unchecked > 0 {
				t.Errorf("with %d n-grams at once VerifyTexts reports %q and %d unchecked, want none", together, got, unchecked)
			}
		}
	}
}

// losing is a store that has lost the last posting of one n-gram.
type losing struct {
	*memory.Store
	lost *atomic.Bool
}

func (l losing) Lookup(ctx context.Context, n int, hashes []store.Hash, limits store.Limits, fn func(store.Hit) error) error {
	return l.Store.Lookup(ctx, n, hashes, limits, func(h store.Hit) error {
		if h.Hash == hashes[0] && l.lost.CompareAndSwap(false, true) {
			h.Postings = h.Postings[:len(h.Postings)-1]
		}
		return fn(h)
	})
}

func TestDeepVerifyFindsWhatIsWrong(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.txt": "one two three four five", "b.txt": "six seven eight nine ten"})
	s := newStore()
	index(t, s, indexer.Options{N: 3}, dir)
	if got, _ := deepProblems(t, losing{s, new(atomic.Bool)}); len(got) != 1 || !strings.HasSuffix(got[0], ".txt: 1 3-grams of its text are not in the index") {
		t.Errorf("VerifyTexts of an index that lost a posting reports %q", got)
	}
	var ids []store.DocID
	for _, d := range documents(t, s) {
		ids = append(ids, d.ID)
	}
	swapped := &silent{Store: s, lost: ids[0], other: ids[1]}
	got, _ := deepProblems(t, swapped)
	if len(got) != 2 || !strings.Contains(got[0], "3 3-grams of its text") || !strings.Contains(got[1], "differs from the indexed text") {
		t.Errorf("VerifyTexts of an index with the text of another document reports %q", got)
	}
	bare := memory.New(store.Settings{})
	index(t, bare, indexer.Options{N: 3}, dir)
	if got, unchecked := deepProblems(t, bare); len(got) > 0 || unchecked != 2 {
		t.Errorf("VerifyTexts without texts reports %q and %d unchecked, want none and 2", got, unchecked)
	}
}

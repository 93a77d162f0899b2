package indexer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
)

// family makes texts of which many are another with words changed, so that how much two
// share is around any threshold. Some words and whole sentences are in most.
func family(r *rand.Rand, count int) map[string]string {
	const common = "this page is in all of them and says nothing of its own but what all pages say "
	texts := map[string]string{}
	var all [][]string
	for i := range count {
		var words []string
		if len(all) > 0 && r.IntN(3) > 0 {
			words = slices.Clone(all[r.IntN(len(all))])
			for range r.IntN(5) {
				words[r.IntN(len(words))] = fmt.Sprint("x", r.IntN(1000))
			}
		} else {
			words = strings.Fields(strings.Repeat(common, r.IntN(4)))
			for range 10 + r.IntN(100) {
				words = append(words, fmt.Sprint("w", r.IntN(50)))
			}
		}
		all = append(all, words)
		texts[fmt.Sprintf("%03d.txt", i)] = strings.Join(words, " ")
	}
	return texts
}

// gramsOf counts the n-grams of a text.
func gramsOf(text string, n int) map[string]int {
	counts, words := map[string]int{}, strings.Fields(text)
	for i := 0; i+n <= len(words); i++ {
		counts[strings.Join(words[i:i+n], " ")]++
	}
	return counts
}

// alike returns the share of two texts that is the same.
func alike(a, b map[string]int) float64 {
	common, all := 0, 0
	for g, count := range a {
		common += min(count, b[g])
		all += count
	}
	for _, count := range b {
		all += count
	}
	return float64(common) / float64(all-common)
}

// TestDedupIsExact has each document left out be as much like one that stays as is
// asked for, and no two that stay; whether they are in one run, in several, or one
// is committed while the next one is looked at.
func TestDedupIsExact(t *testing.T) {
	for seed := range uint64(need.Seeds(12)) {
		r := rand.New(rand.NewPCG(seed, 1))
		texts, n, share := family(r, 120), 1+r.IntN(4), []float64{0.5, 0.8, 0.9, 1}[r.IntN(4)]
		dir := files.Folder(t, texts)
		s := newStore()
		opts := Options{N: n, Dedup: share, Norms: norms(t, normalize.Auto), Workers: 1 + r.IntN(4), CommitBytes: int64(1 + r.IntN(5000))}
		for _, paths := range [][]string{{filepath.Join(dir, "000.txt"), filepath.Join(dir, "007.txt")}, {dir}} {
			index(t, s, opts, paths...)
		}
		grams := map[string]map[string]int{}
		for name, text := range texts {
			grams[name] = gramsOf(text, n)
		}
		var stay []string
		copies := map[string]string{}
		for _, d := range documents(t, s) {
			stay = append(stay, filepath.Base(d.Path))
			for _, name := range d.Copies {
				copies[filepath.Base(name)] = filepath.Base(d.Path)
			}
		}
		for i, a := range stay {
			for _, b := range stay[i+1:] {
				if got := alike(grams[a], grams[b]); got >= share {
					t.Errorf("seed %d: %s and %s stay, which are %.3f the same, from %v", seed, a, b, got, share)
				}
			}
		}
		for name := range texts {
			if slices.Contains(stay, name) {
				continue
			}
			if twin := copies[name]; twin == "" || alike(grams[name], grams[twin]) < share-1e-9 {
				t.Errorf("seed %d: %s is left out for %q, which is %.3f the same, from %v", seed, name, twin, alike(grams[name], grams[twin]), share)
			}
		}
		if len(copies) == 0 || len(stay) < 2 {
			t.Errorf("seed %d: %d stay and %d are left out: this shows nothing", seed, len(stay), len(copies))
		}
	}
}

// TestDedupManyCommon finds a copy whose n-grams are all in very many documents.
func TestDedupManyCommon(t *testing.T) {
	s := newStore()
	norm, _ := norms(t, normalize.Auto).For("text/plain")
	const page = "all of this is in each of them word for word and so often that nobody counts it"
	for i := range 1500 {
		text := fmt.Sprint(page, " ", strings.Repeat(fmt.Sprint("own", i, " "), 80))
		g := grams.New(norm, text, normalize.Whole, []int{2}, 0, false)
		doc := store.Document{Path: fmt.Sprint(i), Rules: "", NewLine: normalize.Whole.String(), Text: int64(len(text))}
		if err := s.Add(t.Context(), doc, text, g.All(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := files.Folder(t, map[string]string{"a": page, "b": page + " indeed", "c": "something else altogether"})
	sum := index(t, s, Options{N: 2, Dedup: 0.9, Workers: 1}, dir)
	if sum.Added != 2 || sum.Copies != 1 {
		t.Errorf("%d documents are added and %d left out, want 2 and 1", sum.Added, sum.Copies)
	}
}

// TestDedupAgain: a document that was left out is left out again, and is added once the document
// that it duplicates is removed. Documents in the index are kept.
func TestDedupAgain(t *testing.T) {
	const text = "one two three four five six seven eight nine ten eleven twelve"
	dir := files.Folder(t, map[string]string{"a": text, "b": text, "c": text + " thirteen"})
	for name, s := range map[string]store.Store{"memory": newStore(), "disk": diskStore(t)} {
		opts := Options{N: 3, Dedup: 0.9, Workers: 1}
		for range 2 {
			if sum := index(t, s, opts, dir); sum.Copies != 2 || sum.Failed != 0 {
				t.Errorf("%s: %d are left out, %v failed, want 2 and none", name, sum.Copies, sum.Failures)
			}
			docs := documents(t, s)
			if want := []string{filepath.Base(dir) + "/b", filepath.Base(dir) + "/c"}; len(docs) != 1 || !slices.Equal(docs[0].Copies, want) {
				t.Fatalf("%s: there is %+v, want a with the copies %v", name, docs, want)
			}
		}
		if sum := index(t, s, Options{N: 4, Workers: 1}, filepath.Join(dir, "a")); sum.Added != 1 || len(documents(t, s)[0].Copies) != 2 {
			t.Errorf("%s: under another size the copies are %v", name, documents(t, s)[0].Copies)
		}
		if err := errors.Join(s.Delete(t.Context(), idOf(dir, "a")), s.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
		if sum := index(t, s, opts, filepath.Join(dir, "c"), dir); sum.Added != 1 || sum.Copies != 2 {
			t.Errorf("%s: without it, %d are added and %d left out, want 1 and 2", name, sum.Added, sum.Copies)
		}
		if sum := index(t, s, Options{N: 3, Workers: 1}, dir); sum.Added != 2 {
			t.Errorf("%s: without Dedup %d are added, want 2", name, sum.Added)
		}
		if sum := index(t, s, opts, dir); sum.Unchanged != 3 {
			t.Errorf("%s: of what is there %d stay, want 3", name, sum.Unchanged)
		}
	}
}

// TestDedupOfDeleted reports documents left out as duplicates of one that was deleted before
// the commit.
func TestDedupOfDeleted(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a": "one two three four", "b": "one two three four"})
	s, opts := newStore(), Options{N: 3, Dedup: 1, Workers: 1}
	index(t, s, opts, filepath.Join(dir, "a"))
	if err := s.Delete(t.Context(), idOf(dir, "a")); err != nil {
		t.Fatal(err)
	}
	sum := index(t, s, opts, filepath.Join(dir, "b"))
	if len(sum.Failures) != 1 || filepath.Base(sum.Failures[0].Path) != "b" || !strings.Contains(sum.Failures[0].Err.Error(), "index it again") {
		t.Errorf("what was left out for a document that is gone is told as %v", sum.Failures)
	}
}

func diskStore(t *testing.T) store.Store {
	t.Helper()
	s, err := segment.Create(filepath.Join(t.TempDir(), "index"), store.Settings{KeepTexts: true}, segment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A turningDown is a store that refuses documents of one path.
type turningDown struct {
	store.Store
	path string
	here chan struct{} // closed when one of them comes
	wait chan struct{}
}

func (r *turningDown) Add(ctx context.Context, d store.Document, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if strings.HasSuffix(d.Path, r.path) {
		close(r.here)
		<-r.wait
		return fmt.Errorf("no: %w", store.ErrRefused)
	}
	return r.Store.Add(ctx, d, text, grams, pairs)
}

// TestDedupOfRefused does not leave a document out for one that is not in the index in
// the end.
func TestDedupOfRefused(t *testing.T) {
	const text = "one two three four five six seven eight"
	s := &turningDown{Store: newStore(), path: "/a", here: make(chan struct{}), wait: make(chan struct{})}
	r := newRun(s, Options{N: 3, Dedup: 0.9, Norms: norms(t, normalize.Auto)})
	add := func(name string) (outcome, error) {
		g := newTaken(r, name, text)
		return r.add(t.Context(), g, []int{3}, outcome{})
	}
	failed := make(chan error)
	go func() {
		_, err := add("x/a")
		failed <- err
	}()
	<-s.here
	second := make(chan outcome)
	go func() {
		o, err := add("x/b")
		if err != nil {
			t.Error(err)
		}
		second <- o
	}()
	close(s.wait)
	if err := <-failed; !errors.Is(err, store.ErrRefused) {
		t.Errorf("the first is added: %v", err)
	}
	if o := <-second; o.twin != nil {
		t.Errorf("the second is left out for %s, which the store refused", o.twin.name)
	}
}

func newTaken(r *run, name, text string) *taken {
	norm, rules := r.opts.Norms.For("text/plain")
	mode := norm.Mode(text)
	return &taken{entry: store.Document{Path: name, Rules: rules, NewLine: mode.String(), Text: int64(len(text))}, text: text, norm: norm, mode: mode}
}

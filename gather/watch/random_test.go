package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// TestRandom applies random changes to a folder, with archives and links, watching in
// between, now and then from a new start: after each pass the index has the
// documents that one has which is built from the folder as it is then.
func TestRandom(t *testing.T) {
	seeds, rounds := 12, 12
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 17))
		many := func(o *Options) { o.RemoveMany = true }
		b := newBench(t, many)
		outside := t.TempDir()
		var done []string
		for range rounds {
			for range 1 + rng.IntN(8) {
				done = append(done, b.random(rng, outside))
			}
			if rng.IntN(4) == 0 {
				done = append(done, "start again")
				b.start(many)
			}
			b.withoutDanglingLinks()
			b.pass()
			b.pass() // what is reached by another way only now
			done = append(done, "pass")
			if got, want := b.list(), b.built(); !slices.Equal(got, want) {
				t.Fatalf("seed %d: the index has\n%s\nwant\n%s\nafter %s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"), strings.Join(done, "; "))
			}
		}
	}
}

// withoutDanglingLinks removes broken links. Documents of their targets would be kept in the
// index, but be missing in a new one.
func (b *bench) withoutDanglingLinks() {
	b.do(filepath.WalkDir(b.folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink == 0 {
			return err
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return os.Remove(path)
		}
		return nil
	}))
}

// random applies one change to the folder, and describes it.
func (b *bench) random(rng *rand.Rand, outside string) string {
	name := func() string {
		n := fmt.Sprintf("%c", 'a'+rng.IntN(5))
		if rng.IntN(2) == 0 {
			n = fmt.Sprintf("%c/%s", 'v'+rng.IntN(4), n)
		}
		return n
	}
	text := func() string { return fmt.Sprintf("a text of number %d that has words", rng.IntN(12)) }
	at := name()
	path := filepath.Join(b.folder, at)
	switch op := rng.IntN(10); op {
	case 0, 1, 2:
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return "nothing"
		}
		if parent, err := os.Stat(filepath.Dir(path)); err == nil && !parent.IsDir() {
			return "nothing"
		}
		_ = os.Remove(path) // it may be a link
		b.write(at, text())
		return "write " + at
	case 3:
		b.do(os.RemoveAll(path))
		return "remove " + at
	case 4, 5:
		to := name()
		_ = os.MkdirAll(filepath.Dir(filepath.Join(b.folder, to)), 0o777)
		_ = os.Rename(path, filepath.Join(b.folder, to))
		return "rename " + at + " to " + to
	case 6:
		members := map[string]string{}
		for i := range rng.IntN(4) {
			members[fmt.Sprint(i, ".txt")] = text()
		}
		members["x.txt"] = []string{text(), "short"}[rng.IntN(2)]
		b.zip("z.zip", members)
		return fmt.Sprintf("zip %d members", len(members))
	case 7:
		_ = os.WriteFile(filepath.Join(outside, fmt.Sprintf("%d.txt", rng.IntN(3))), []byte(text()), 0o666)
		_ = os.Symlink(outside, filepath.Join(b.folder, fmt.Sprintf("link%d", rng.IntN(3))))
		return "link outside"
	case 8:
		link := filepath.Join(b.folder, fmt.Sprintf("link%d", rng.IntN(3)))
		_ = os.Remove(link)
		if rng.IntN(2) == 0 {
			_ = os.Symlink(path, link)
			return "link to " + at
		}
		return "unlink"
	}
	b.write("short.txt", "short")
	return "write a short one"
}

// list returns the documents of the index, with what identifies their texts.
func (b *bench) list() []string {
	b.t.Helper()
	s, err := b.open()
	b.do(err)
	defer s.Close()
	return listed(b.t, s)
}

func listed(t *testing.T, s store.Reader) (list []string) {
	t.Helper()
	err := s.Documents(t.Context(), "", func(d store.Document) error {
		list = append(list, d.Name()+" "+d.TextSum[:8]+" "+d.Content[:8])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// built returns the documents of an index built from the present folder.
func (b *bench) built() []string {
	b.t.Helper()
	s := memory.New(store.Settings{KeepTexts: true})
	opts := b.options()
	_, err := indexer.Run(b.t.Context(), s, []string{b.folder}, indexer.Options{N: 3, Norms: opts.Index.Norms})
	b.do(err)
	return listed(b.t, s)
}

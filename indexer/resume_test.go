package indexer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/internal/testing/files"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/storetest"
)

// linesOf returns JSON Lines of count documents, some with the same name, some too short, some
// without text, and some broken.
func linesOf(count int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range count {
		text := fmt.Sprintf("document %d says %d and %d of what there is to say", i, rng.IntN(1000), rng.IntN(1000))
		switch i % 11 {
		case 3:
			text = "too short"
		case 5:
			text = ""
		case 7:
			b.WriteString("{ broken\n")
			continue
		}
		fmt.Fprintf(&b, "{\"id\": \"n%d\", \"text\": %q}\n", i%(count*2/3), text)
	}
	return b.String()
}

// wholeOf returns the content of an index: names, contents and sizes.
func wholeOf(t *testing.T, s store.Reader) string {
	t.Helper()
	var b strings.Builder
	err := s.Documents(t.Context(), "", func(d store.Document) error {
		fmt.Fprintln(&b, d.Name(), d.Content, d.Sizes, d.Words)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// differing returns the lines that one of two texts has, and not the other.
func differing(got, want string) string {
	var b strings.Builder
	for _, of := range []struct{ sign, lines, others string }{{"+", got, want}, {"-", want, got}} {
		for line := range strings.Lines(of.lines) {
			if !strings.Contains(of.others, line) {
				b.WriteString(of.sign + line)
			}
		}
	}
	return b.String()
}

func segments(t *testing.T, dir string) *segment.Store {
	t.Helper()
	s, err := segment.Create(dir, storetest.Settings(), segment.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestResume interrupts the indexing of a container at random, again and again: the
// index is that of an undisturbed run, of which nothing is kept at the end; and each run
// begins where the one before was.
func TestResume(t *testing.T) {
	dir := files.Folder(t, map[string]string{"a.jsonl": linesOf(120)})
	file := filepath.Join(dir, "a.jsonl")
	opts := Options{N: 5, Base: dir, Norms: norms(t, normalize.Blank), Workers: 2, CommitEvery: 2 * time.Millisecond}
	undisturbed := segments(t, t.TempDir())
	defer undisturbed.Close()
	want := index(t, undisturbed, opts, file)
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := segments(t, t.TempDir())
		again, last := 0, ledger.Summary{}
		for runs := 1; ; runs++ {
			ctx, cancel := context.WithCancel(t.Context())
			left := 1 + rng.IntN(40+runs) // more and more: if one worker waits, the others get ahead of the progress that can be stored
			o := opts
			o.Progress = func(e ledger.Event) {
				if left--; left == 0 && e.Files < 115 { // what is interrupted after its end is done
					cancel()
				}
			}
			sum, err := Run(ctx, s, []string{file}, o)
			cancel()
			if last = sum; err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || runs > 3000 {
				kept, _ := s.Progress(t.Context())
				t.Fatalf("run %d ends with %v: %+v; it has kept %.400s", runs, err, sum.Totals, kept)
			}
			if kept, err := s.Progress(t.Context()); err != nil {
				t.Fatal(err)
			} else if kept != "" {
				again++
			}
		}
		if got := wholeOf(t, s); got != wholeOf(t, undisturbed) {
			t.Errorf("seed %d: after %d interruptions the index is another:\n%s", seed, again, differing(got, wholeOf(t, undisturbed)))
		}
		if last.Files != want.Files || last.Failed != want.Failed {
			t.Errorf("seed %d: the last run counts %d documents, %d not used; want %d, %d", seed, last.Files, last.Failed, want.Files, want.Failed)
		}
		if again == 0 {
			t.Errorf("seed %d: no interrupted run has kept how far it was", seed)
		}
		if kept, _ := s.Progress(t.Context()); kept != "" {
			t.Errorf("a run to its end has kept %s", kept)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// interrupt indexes a file until a third of it is done, one record after another.
func interrupt(t *testing.T, s store.Store, opts Options, file string) {
	t.Helper()
	opts.Workers = 1
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opts.Progress = func(e ledger.Event) {
		if e.Files == 100 {
			cancel()
		}
	}
	if _, err := Run(ctx, s, []string{file}, opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted run ends with %v", err)
	}
}

// TestResumeChanged: if the file, the index or the options have changed, the file is read from its
// start.
func TestResumeChanged(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, s store.Store, file string, opts *Options){
		"nothing": func(*testing.T, store.Store, string, *Options) {},
		"the file": func(t *testing.T, _ store.Store, file string, _ *Options) {
			files.Write(t, file, strings.Replace(linesOf(300), "document 1 says", "the first says", 1))
		},
		"the index": func(t *testing.T, s store.Store, _ string, _ *Options) {
			err := s.Documents(t.Context(), "", func(d store.Document) error { return s.Delete(t.Context(), d.ID) })
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"the limit of bytes": func(_ *testing.T, _ store.Store, _ string, opts *Options) { opts.Read.MaxBytes = 1 << 20 },
	} {
		t.Run(name, func(t *testing.T) {
			dir := files.Folder(t, map[string]string{"a.jsonl": linesOf(300)})
			file := filepath.Join(dir, "a.jsonl")
			opts := Options{N: 5, Base: dir, Norms: norms(t, normalize.Blank), Workers: 2, CommitEvery: 2 * time.Millisecond}
			s, fresh := segments(t, t.TempDir()), segments(t, t.TempDir())
			defer s.Close()
			defer fresh.Close()
			interrupt(t, s, opts, file)
			change(t, s, file, &opts)
			sum := index(t, s, opts, file)
			want := index(t, fresh, opts, file)
			if got := wholeOf(t, s); got != wholeOf(t, fresh) {
				t.Errorf("the index is another:\n%s", differing(got, wholeOf(t, fresh)))
			}
			begun := false
			for _, f := range sum.Failures {
				begun = begun || errors.Is(f.Err, errBefore)
			}
			if begun != (name == "nothing") || sum.Files != want.Files || sum.Failed != want.Failed {
				t.Errorf("went on where it was: %v; %d documents, %d not used, want %d and %d", begun, sum.Files, sum.Failed, want.Files, want.Failed)
			}
		})
	}
}

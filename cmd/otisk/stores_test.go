package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/session"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/report"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/segment"
)

// TestStoresReportAlike: whatever the store and the way its documents came into
// it, the reports on a text are the same bytes.
func TestStoresReportAlike(t *testing.T) {
	s, err := (&globalOptions{}).resolve()
	if err != nil {
		t.Fatal(err)
	}
	sources, suspects := copiedTexts(t)
	want := ""
	for seed := range uint64(need.Rounds(6)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		embedded, err := segment.Create(filepath.Join(t.TempDir(), "index"), s.StoreSettings(nil), segment.Options{Memory: int64(1<<16 + seed<<18)})
		if err != nil {
			t.Fatal(err)
		}
		defer embedded.Close()
		for name, w := range map[string]store.Store{"memory": memory.New(s.StoreSettings(nil)), "segment": embedded} {
			fill(t, rng, s, w, sources)
			got := reports(t, s, w, suspects)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s, history %d: another report; it differs at %q", name, seed, difference(got, want))
			}
		}
	}
	if !strings.Contains(want, "<passage") || strings.Count(want, "</otisk-report>") != len(suspects) {
		t.Errorf("the reports have no passages:\n%.2000s", want)
	}
}

// copiedTexts writes source texts, and suspects that have copied from them,
// and returns their paths.
func copiedTexts(t *testing.T) (sources, suspects []string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	dir := t.TempDir()
	var texts [][]string
	for i := range 24 {
		var words []string
		for range 300 + rng.IntN(900) {
			words = append(words, fmt.Sprintf("w%d", int(rng.ExpFloat64()*400)))
		}
		if i%4 == 3 { // a source that has copied too
			words = append(words, texts[i-1][100:260]...)
		}
		texts = append(texts, words)
		sources = append(sources, writeWords(t, dir, fmt.Sprintf("source%02d.txt", i), words))
	}
	for i := range 3 {
		var words []string
		for range 12 {
			from := texts[rng.IntN(len(texts))]
			at := rng.IntN(len(from) - 150)
			part := slices.Clone(from[at : at+20+rng.IntN(130)])
			for range i * 5 {
				part[rng.IntN(len(part))] = fmt.Sprintf("other%d", rng.IntN(1000))
			}
			words = append(append(words, part...), "my", "own", fmt.Sprint("word", rng.IntN(1000)))
		}
		suspects = append(suspects, writeWords(t, dir, fmt.Sprintf("suspect%d.txt", i), words))
	}
	return sources, suspects
}

func writeWords(t *testing.T, dir, name string, words []string) string {
	t.Helper()
	var b strings.Builder
	for i, w := range words {
		b.WriteString(w)
		if i%60 == 59 {
			b.WriteString(".\n\n")
		} else {
			b.WriteString(" ")
		}
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// fill brings all sources into w by a history of its own: in any order and any
// number of commits, with replacing, deleting and adding again, and merging.
func fill(t *testing.T, rng *rand.Rand, s *session.Session, w store.Store, sources []string) {
	t.Helper()
	add := func(paths ...string) {
		opts := indexer.Options{N: 7, Norms: s.Norms, Force: true, CommitBytes: 1 + rng.Int64N(40_000)}
		if sum, err := indexer.Run(t.Context(), w, paths, opts); err != nil || sum.Added != len(paths) {
			t.Fatalf("added %d of %d documents, %v", sum.Added, len(paths), err)
		}
	}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	order := slices.Clone(sources)
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for from := 0; from < len(order); {
		to := min(from+1+rng.IntN(9), len(order))
		add(order[from:to]...)
		switch rng.IntN(4) {
		case 0:
			add(order[rng.IntN(to)])
		case 1:
			again := order[rng.IntN(to)]
			check(w.Delete(t.Context(), store.IDOf("", filepath.Base(filepath.Dir(walk.Absolute(again)))+"/"+filepath.Base(again))))
			if rng.IntN(2) == 0 {
				check(w.Commit(t.Context()))
			}
			add(again)
		case 2:
			check(w.Optimize(t.Context()))
		}
		from = to
	}
}

// reports returns the reports on all suspects, but for what names the store.
func reports(t *testing.T, s *session.Session, r store.Reader, suspects []string) string {
	t.Helper()
	searcher, err := search.New(t.Context(), r, s.Norms, search.Options{N: 7, Common: 5, Summary: true, Detail: true, Texts: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, path := range suspects {
		doc, err := document.Open(t.Context(), path, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		result, err := searcher.Search(t.Context(), doc)
		if err != nil {
			t.Fatal(err)
		}
		result.Index.Kind, result.Index.Name = "", ""
		for _, format := range []string{"xml", "json"} {
			if err := report.Write(&b, format, &report.Report{Result: *result}, report.Options{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.String()
}

// difference returns where got differs from want.
func difference(got, want string) string {
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	return got[max(0, at-100):min(len(got), at+100)]
}

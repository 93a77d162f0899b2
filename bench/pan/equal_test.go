package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/otisk/otisk/bench/novels"
	"github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/segment"
)

// TestReportsDoNotDependOnTheIndex: the same documents give the same reports,
// byte for byte, from memory and from a folder, in whatever order they were added,
// replaced, deleted and merged. Over novels, and over a fortieth of PAN 2013 where
// that exists.
func TestReportsDoNotDependOnTheIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corpus")
	if err := novels.Make(dir, novels.Options{Sources: "../../samples/collection/czech", Hosts: "../../testdata/czech", Seed: 1, Suspects: 3}); err != nil {
		t.Fatal(err)
	}
	t.Run("novels", func(t *testing.T) { testEqualReports(t, dir, 1) })
	if pan := os.Getenv("OTISK_PAN"); pan != "" {
		t.Run("PAN", func(t *testing.T) { testEqualReports(t, pan, 40) })
	}
}

// testEqualReports takes every n-th text of a corpus.
func testEqualReports(t *testing.T, dir string, every int) {
	norms, err := config.Default().Normalizers()
	if err != nil {
		t.Fatal(err)
	}
	e := &equalReports{T: t, norms: norms, sources: someFiles(t, filepath.Join(dir, "src"), every)}
	settings := store.Settings{Normalization: config.Default().Normalization(), KeepTexts: true}
	straight, mixed := memory.New(settings), e.create(settings)
	e.add(straight, e.sources)
	once := e.create(settings)
	e.add(once, e.sources)
	e.mix(mixed)

	passages := 0
	for _, name := range someFiles(t, filepath.Join(dir, "susp"), every) {
		want, found := e.report(straight, name)
		passages += found
		for kind, s := range map[string]store.Store{"a folder": once, "a folder with a history": mixed} {
			if got, _ := e.report(s, name); got != want {
				from := 0
				for from < min(len(got), len(want)) && got[from] == want[from] {
					from++
				}
				from = max(0, from-300)
				t.Errorf("%s: the report from %s has\n%.600s\nfrom memory\n%.600s", filepath.Base(name), kind, got[from:], want[from:])
			}
		}
	}
	if passages == 0 {
		t.Error("no passage was found at all")
	}
}

// equalReports has the documents that the stores are filled with.
type equalReports struct {
	*testing.T
	norms   *normalize.Set
	sources []string
}

func someFiles(t *testing.T, dir string, every int) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if i%every == 0 {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}

func (e *equalReports) create(settings store.Settings) store.Store {
	s, err := segment.Create(filepath.Join(e.TempDir(), "index"), settings, segment.Options{})
	if err != nil {
		e.Fatal(err)
	}
	e.Cleanup(func() {
		if err := s.Close(); err != nil {
			e.Error(err)
		}
	})
	return s
}

// add adds files and commits. Names are those of the files alone.
func (e *equalReports) add(s store.Store, files []string) {
	for _, file := range files {
		doc, err := document.Open(e.Context(), file, document.Options{})
		if err != nil {
			e.Fatal(err)
		}
		if err := indexer.Add(e.Context(), s, filepath.Base(file), doc, indexer.Options{N: 7, Norms: e.norms, Pairs: true}); err != nil {
			e.Fatal(err)
		}
	}
	if err := s.Commit(e.Context()); err != nil {
		e.Fatal(err)
	}
}

// mix adds the files in another order and several commits, deletes half of them,
// adds those again, and merges.
func (e *equalReports) mix(s store.Store) {
	r := rand.New(rand.NewPCG(4, 4))
	files := slices.Clone(e.sources)
	r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	for some := range slices.Chunk(files, 1+len(files)/5) {
		e.add(s, some)
	}
	gone := files[:len(files)/2]
	for _, file := range gone {
		if err := s.Delete(e.Context(), store.IDOf("", filepath.Base(file))); err != nil {
			e.Fatal(err)
		}
	}
	if err := s.Commit(e.Context()); err != nil {
		e.Fatal(err)
	}
	e.add(s, gone)
	e.add(s, files[len(files)/3:len(files)/2+1]) // again, as they are
	if err := s.Optimize(e.Context()); err != nil {
		e.Fatal(err)
	}
}

// report returns the report of a search, and how many passages it has.
func (e *equalReports) report(s store.Store, file string) (string, int) {
	doc, err := document.Open(e.Context(), file, document.Options{})
	if err != nil {
		e.Fatal(err)
	}
	searcher, err := search.New(e.Context(), s, e.norms, search.Options{N: 7, Common: config.DefaultCommon, Summary: true, Texts: true, Detail: true})
	if err != nil {
		e.Fatal(err)
	}
	r, err := searcher.Search(e.Context(), doc)
	if err != nil {
		e.Fatal(err)
	}
	r.Index.Name, r.Index.Kind = "", "" // an index in memory has no name
	data, err := json.Marshal(r)
	if err != nil {
		e.Fatal(err)
	}
	return string(data), len(r.Passages)
}

package esclient_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	defaults "github.com/otisk/otisk/config"
	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/esclient"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/segment"
)

// TestReportsAlike: reports do not depend on what keeps the index. They are the
// same, byte for byte, from memory, from a folder and from a cluster, where the
// texts were added in another order and by many commits, some of them twice.
func TestReportsAlike(t *testing.T) {
	t.Parallel()
	sources := slices.DeleteFunc(files(t, "../samples/collection/*/*.txt", 1), func(d *document.Document) bool { return len(d.Text) > 160_000 })
	a := newAlike(t, sources, files(t, "../samples/suspects/*.txt", 1))
	a.check("a folder", a.folder())
	cfg := config(t, server(t))
	s := a.cluster(t, cfg)
	a.add(s, a.sources[3:]...)
	a.add(s, a.sources[:3]...)
	a.check("a cluster", s)
	for _, d := range a.sources[1:4] {
		if err := s.Delete(t.Context(), store.IDOf("", d.Path)); err != nil {
			t.Fatal(err)
		}
	}
	a.add(s, a.sources[1:3]...)
	a.add(s, a.sources[2:4]...)
	a.check("a cluster, with a history", open(t, cfg))
}

// TestReportsAlikeOnPAN does that with a tenth of the suspects of PAN 2013 and all
// sources, on each of the servers.
func TestReportsAlikeOnPAN(t *testing.T) {
	need.Long(t)
	pan := os.Getenv("OTISK_PAN")
	if pan == "" {
		need.Skip(t, "OTISK_PAN names no folder of the PAN 2013 corpus")
	}
	a := newAlike(t, files(t, filepath.Join(pan, "src", "*.txt"), 1), files(t, filepath.Join(pan, "susp", "*.txt"), 10))
	a.check("a folder", a.folder())
	for _, server := range []*shared{main8, other9, otherOpen} {
		c := server.get(t)
		cfg := config(t, c.URLs()...)
		cfg.BulkLoad = true
		s := a.cluster(t, cfg)
		a.add(s, a.sources...)
		if err := s.Optimize(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.check(c.Server.String(), open(t, cfg))
	}
}

// files reads every n-th of the texts that match a pattern.
func files(t *testing.T, pattern string, every int) (list []*document.Document) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s matches nothing, %v", pattern, err)
	}
	for i := every - 1; i < len(paths); i += every {
		d, err := document.Open(t.Context(), paths[i], document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d.Path = filepath.Base(paths[i])
		list = append(list, d)
	}
	return list
}

// An alike has sources, suspects, and the reports that any index of the sources
// has to give.
type alike struct {
	*testing.T
	norms             *normalize.Set
	settings          store.Settings
	sources, suspects []*document.Document
	want              []string
}

func newAlike(t *testing.T, sources, suspects []*document.Document) *alike {
	t.Helper()
	settings := defaults.Default()
	norms, err := settings.Normalizers()
	if err != nil {
		t.Fatal(err)
	}
	a := &alike{
		T: t, norms: norms, sources: sources, suspects: suspects,
		settings: store.Settings{Normalization: settings.Normalization(), KeepTexts: true},
	}
	s := memory.New(a.settings)
	a.add(s, sources...)
	var passages int
	a.want, passages = a.reports(s)
	if passages < len(suspects) {
		t.Fatalf("%d reports have %d passages, too few to compare", len(suspects), passages)
	}
	t.Logf("%d reports on %d sources with %d passages", len(suspects), len(sources), passages)
	return a
}

func (a *alike) folder() store.Store {
	a.Helper()
	s, err := segment.Create(filepath.Join(a.TempDir(), "index"), a.settings, segment.Options{})
	if err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() {
		if err := s.Close(); err != nil {
			a.Error(err)
		}
	})
	a.add(s, a.sources...)
	return s
}

func (a *alike) cluster(t *testing.T, cfg esclient.Config) *esclient.Store {
	t.Helper()
	s, err := esclient.Create(t.Context(), cfg, a.settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// add adds documents and commits.
func (a *alike) add(s store.Store, docs ...*document.Document) {
	a.Helper()
	group, adding := errgroup.WithContext(a.Context())
	group.SetLimit(8)
	for _, d := range docs {
		group.Go(func() error {
			return indexer.Add(adding, s, d.Path, d, indexer.Options{N: 7, Pairs: true, Norms: a.norms})
		})
	}
	if err := group.Wait(); err != nil {
		a.Fatal(err)
	}
	if err := s.Commit(a.Context()); err != nil {
		a.Fatal(err)
	}
}

// reports returns the report on each suspect, and how many passages they have.
func (a *alike) reports(r store.Reader) (list []string, passages int) {
	a.Helper()
	searcher, err := search.New(a.Context(), r, a.norms, search.Options{N: 7, Common: defaults.DefaultCommon, Summary: true, Texts: true, Detail: true})
	if err != nil {
		a.Fatal(err)
	}
	for _, d := range a.suspects {
		result, err := searcher.Search(a.Context(), d)
		if err != nil {
			a.Fatal(err)
		}
		result.Index.Name, result.Index.Kind = "", "" // an index in memory has no name
		text, err := json.Marshal(result)
		if err != nil {
			a.Fatal(err)
		}
		list, passages = append(list, string(text)), passages+len(result.Passages)
	}
	return list, passages
}

// check compares the reports from an index of the same sources.
func (a *alike) check(from string, r store.Reader) {
	a.Helper()
	got, passages := a.reports(r)
	a.Logf("%s: %d reports with %d passages", from, len(got), passages)
	for i, d := range a.suspects {
		if got[i] == a.want[i] {
			continue
		}
		at := 0
		for at < min(len(got[i]), len(a.want[i])) && got[i][at] == a.want[i][at] {
			at++
		}
		a.Errorf("the report on %s from %s differs at byte %d: %.300s\nwant %.300s", d.Path, from, at, got[i][max(0, at-100):], a.want[i][max(0, at-100):])
	}
}

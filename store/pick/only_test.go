package pick

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/segment"
	"github.com/otisk/otisk/store/storetest"
)

// TestOnly: a part of an index answers as an index of that part.
func TestOnly(t *testing.T) {
	whole, part := memory.New(storetest.Settings()), memory.New(storetest.Settings())
	rng := rand.New(rand.NewPCG(1, 2))
	var asked []store.Hash
	for i := range 40 {
		path, hashes := "theses/", storetest.Hashes(rng, 50)
		if i%3 == 0 {
			path = "texts/"
		}
		asked = append(asked, hashes...)
		doc := storetest.Doc(path+string(rune('a'+i)), "text")
		for _, s := range []*memory.Store{whole, part} {
			if s == part && path != "theses/" {
				continue
			}
			if err := s.Add(t.Context(), doc, "text", []store.Grams{storetest.Grams(5+2*(i%2), hashes...)}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range []*memory.Store{whole, part} {
		if err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(asked)
	only, err := Only(t.Context(), whole, New([]string{"theses"}, Options{Folders: true}))
	if err != nil {
		t.Fatal(err)
	}
	storetest.Compare(t, only, part, slices.Compact(asked))
	got, _ := only.Info(t.Context())
	want, _ := part.Info(t.Context())
	if got.Documents != want.Documents || got.TextBytes != want.TextBytes || !slices.Equal(got.Sizes, want.Sizes) || got.Name != ": theses" {
		t.Errorf("Info() = %+v, want %+v", got, want)
	}
	if _, err := store.Entry(t.Context(), only, store.IDOf("", "texts/a")); err == nil {
		t.Error("Document() returns one that was not picked")
	}
	other := []store.DocID{store.IDOf("", "texts/a")}
	if err := only.Entries(t.Context(), other, func(store.Document) error { return nil }); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Entries() of one that was not picked = %v, want ErrNotFound", err)
	}
	if err := only.Texts(t.Context(), other, func(int, string, error) error { return nil }); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Texts() of one that was not picked = %v, want ErrNotFound", err)
	}
}

// A plainReader hides the capabilities of a reader.
type plainReader struct{ store.Reader }

// TestOnlyByLabel: a part selected by the index equals one selected by reading entries,
// suggestions included.
func TestOnlyByLabel(t *testing.T) {
	s, err := segment.Create(t.TempDir(), storetest.Settings(), segment.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		doc := storetest.Doc([]string{"law/", "theses/"}[i%2]+string(rune('a'+i)), "text")
		if i%3 == 0 {
			doc.Labels = map[string]string{"faculty": []string{"law", "arts"}[i/3%2], "law": "yes"}
		}
		doc.Year = 2000 + i%4
		if err := s.Add(t.Context(), doc, "text", []store.Grams{storetest.Grams(7, storetest.Hashes(rng, 5)...)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ in, where []string }{
		{in: []string{"faculty=law"}}, {in: []string{"law"}}, {in: []string{"faculty=l*"}}, {in: []string{"faculty=law", "law"}}, {in: []string{"theses", "faculty=law"}},
		{where: []string{"year>=2002"}}, {where: []string{"year>=2002", "faculty=law"}}, {in: []string{"law"}, where: []string{"faculty!=arts"}},
		{where: []string{"name=*a*"}}, {in: []string{"faculty=nobody"}}, {in: []string{"nothing"}}, {where: []string{"misspelt=law"}}, {in: []string{"year=2001"}},
	} {
		where, err := ParseWhere(tt.where)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, r := range []store.Reader{s, plainReader{s}} {
			p := New(tt.in, Options{Where: where, Labels: true, Folders: true})
			part, err := Only(t.Context(), r, p)
			if err != nil {
				t.Fatal(err)
			}
			info, err := part.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, fmt.Sprint(part.(*only).picked, info, p.Missed(), p.Unknown()))
		}
		if said[0] != said[1] {
			t.Errorf("--in %q --where %q:\nby labels  %s\nby entries %s", tt.in, tt.where, said[0], said[1])
		}
	}
}

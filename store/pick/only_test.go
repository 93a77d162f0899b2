package pick

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

// TestOnly: part of an index answers as an index of that part does.
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
	if _, err := only.Document(t.Context(), store.IDOf("", "texts/a")); err == nil {
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

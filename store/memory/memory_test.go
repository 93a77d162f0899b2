package memory_test

import (
	"fmt"
	"testing"

	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
	"github.com/otisk/otisk/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Test(t, func(t *testing.T, settings store.Settings) store.Store {
		return memory.New(settings)
	})
}

// TestKeptBytes: texts are stored uncompressed.
func TestKeptBytes(t *testing.T) {
	s := filled(t, 3)
	info, err := s.Info(t.Context())
	if err != nil || info.KeptBytes != 12 {
		t.Errorf("Info().KeptBytes = %d, %v, want the 12 of three texts", info.KeptBytes, err)
	}
}

// TestCommonPairs: a pair in too many documents names none of them, whatever the limit.
func TestCommonPairs(t *testing.T) {
	for _, docs := range []int{store.CommonPairs, store.CommonPairs + 1} {
		s := filled(t, docs)
		for _, limit := range []int{0, store.CommonPairs, store.CommonPairs + 5} {
			err := s.LookupPairs(t.Context(), []store.Hash{1}, store.Limits{Docs: limit}, func(h store.Hit) error {
				if want := docs > store.CommonPairs; h.Common != want {
					t.Errorf("a pair in %d documents, limit %d: common is %v, want %v", docs, limit, h.Common, want)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// filled returns a store of documents with one pair and four bytes each.
func filled(t *testing.T, docs int) *memory.Store {
	t.Helper()
	s := memory.New(storetest.Settings())
	for i := range docs {
		doc := storetest.Doc(fmt.Sprint("/", i), "text")
		if err := s.Add(t.Context(), doc, "text", nil, storetest.Pairs(1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

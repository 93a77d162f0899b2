package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/otisk/otisk/store"
)

// keyTests concern the keys by which translations are found.
var keyTests = []test{
	{"KeysAndGramsAreApart", testKeys},
	{"KeysOfAKnownText", testKeysLater},
	{"DocumentWithoutKeys", testNoKeys},
	{"DeleteRemovesKeys", testKeysDeleted},
}

// testKeys: keys are found by their own look-up, at their position and under their limits.
func testKeys(t *testing.T, s store.Store) {
	const keys = store.TranslationKeys
	add(t, s, Doc("/a", "text a"), Grams(7, 10, 20), Grams(keys, 1<<48-1, 20, 30, 20))
	add(t, s, Doc("/b", "text b"), Grams(7, 30), Grams(keys, 30))
	commit(t, s)
	equal(t, "keys", Lookup(t, s, keys, store.Limits{}, 10, 20, 1<<48-1), []string{"14: /a@1 /a@3", "ffffffffffff: /a@0"})
	equal(t, "7-grams", Lookup(t, s, 7, store.Limits{}, 10, 20, 30), []string{"a: /a@0", "14: /a@1", "1e: /b@0"})
	equal(t, "keys with limits", Lookup(t, s, keys, store.Limits{Docs: 1, Positions: 1}, 20, 30), []string{"14: /a@1", "1e: common"})
	info, err := s.Info(t.Context())
	got := info.Keys()
	got.Bytes = 0
	if want := (store.SizeInfo{N: keys, Documents: 2, Grams: 5}); err != nil || got != want {
		t.Errorf("Info().Keys() = %+v, %v, want %+v", got, err, want)
	}
	if sizes := info.NGrams(); len(sizes) != 1 || sizes[0].N != 7 {
		t.Errorf("Info().NGrams() = %+v, want 7-grams only", sizes)
	}
}

// testKeysLater: keys can be added to a document that has n-grams, and the reverse.
func testKeysLater(t *testing.T, s store.Store) {
	const keys = store.TranslationKeys
	add(t, s, Doc("/a", "text a"), Grams(7, 10))
	add(t, s, Doc("/b", "text b"), Grams(keys, 30))
	commit(t, s)
	add(t, s, Doc("/a", "text a"), Grams(keys, 20))
	add(t, s, Doc("/b", "text b"), Grams(7, 40))
	commit(t, s)
	equal(t, "7-grams", Lookup(t, s, 7, store.Limits{}, 10, 20, 30, 40), []string{"a: /a@0", "28: /b@0"})
	equal(t, "keys", Lookup(t, s, keys, store.Limits{}, 10, 20, 30, 40), []string{"14: /a@0", "1e: /b@0"})
	for _, d := range Documents(t, s) {
		if sizes := d.NGrams(); !d.Keyed() || len(sizes) != 1 || sizes[0] != (store.Size{N: 7, Grams: 1}) {
			t.Errorf("%s has %v and keys %v, want one 7-gram and keys", d.Name(), sizes, d.Keyed())
		}
	}
}

// testNoKeys: a document without any key, because its language is unknown, is recorded as indexed
// by keys.
func testNoKeys(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "text a"), Grams(7, 10), Grams(store.TranslationKeys))
	commit(t, s)
	d, err := store.Entry(t.Context(), s, store.IDOf("", "/a"))
	if want := []store.Size{{N: 7, Grams: 1}, {N: store.TranslationKeys}}; err != nil || !slices.Equal(d.Sizes, want) {
		t.Errorf("Sizes = %v, %v, want %v", d.Sizes, err, want)
	}
	equal(t, "keys", Lookup(t, s, store.TranslationKeys, store.Limits{}, 10), nil)
	verify(t, s)
}

// testKeysDeleted: no key of a deleted document, or of a former text, is found.
func testKeysDeleted(t *testing.T, s store.Store) {
	for i := range 3 {
		add(t, s, Doc(fmt.Sprint("/", i), fmt.Sprint("text ", i)), Grams(7, 10), Grams(store.TranslationKeys, 20, store.Hash(30+i)))
	}
	commit(t, s)
	if err := s.Delete(t.Context(), store.IDOf("", "/0")); err != nil {
		t.Fatal(err)
	}
	add(t, s, Doc("/1", "other text"), Grams(7, 10), Grams(store.TranslationKeys, 40))
	commit(t, s)
	equal(t, "keys", Lookup(t, s, store.TranslationKeys, store.Limits{}, 20, 30, 31, 32, 40), []string{"14: /2@0", "20: /2@1", "28: /1@0"})
}

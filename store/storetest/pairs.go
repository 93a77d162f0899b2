package storetest

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/store"
)

// pairTests concern pairs of words.
var pairTests = []test{
	{"PairsAreFoundByBlock", testPairs},
	{"SameTextKeepsPairs", testPairsKept},
	{"PairsOfAKnownText", testPairsLater},
	{"OtherTextDropsPairs", testPairsDropped},
	{"DeleteRemovesPairs", testPairsDeleted},
	{"PairsAndGramsAreApart", testPairsApart},
	{"CommonPairsNameNothing", testCommonPairs},
	{"PairsHaveFortyBits", testPairBits},
	{"InfoCountsPairs", testPairInfo},
}

// Pairs yields pairs in short slices.
func Pairs(pairs ...store.Hash) iter.Seq[[]store.Hash] { return Grams(1, pairs...).Hashes }

// PairsOf returns pairs derived from hashes of n-grams.
func PairsOf(hashes []store.Hash) []store.Hash {
	list := make([]store.Hash, len(hashes))
	for i, h := range hashes {
		list[i] = h & (1<<fingerprint.PairBits - 1)
	}
	return list
}

// LookupPairs is Lookup for pairs.
func LookupPairs(t *testing.T, s store.Reader, limits store.Limits, pairs ...store.Hash) []string {
	t.Helper()
	names := map[store.DocID]string{}
	for _, d := range Documents(t, s) {
		names[d.ID] = d.Name()
	}
	var lines []string
	err := s.LookupPairs(t.Context(), pairs, limits, func(h store.Hit) error {
		lines = append(lines, line(h, names))
		return nil
	})
	if err != nil {
		t.Fatalf("LookupPairs(%d pairs) = %v", len(pairs), err)
	}
	return lines
}

func addPairs(t *testing.T, s store.Store, doc store.Document, grams []store.Grams, pairs ...store.Hash) {
	t.Helper()
	if err := s.Add(t.Context(), doc, doc.Content, grams, Pairs(pairs...)); err != nil {
		t.Fatalf("Add(%s) = %v", doc.Name(), err)
	}
}

// numbered returns the pairs in [from, to).
func numbered(from, to int) []store.Hash {
	var list []store.Hash
	for i := from; i < to; i++ {
		list = append(list, store.Hash(i))
	}
	return list
}

func testPairs(t *testing.T, s store.Store) {
	// 50 pairs in blocks of 16, the first of them again in block 0 and in block 3.
	addPairs(t, s, Doc("/a", "a"), nil, append(append(numbered(100, 115), 100), append(numbered(115, 148), 100)...)...)
	addPairs(t, s, Doc("/b", "b"), nil, 7, 100, 1<<40-1)
	commit(t, s)
	got := LookupPairs(t, s, store.Limits{}, 7, 8, 100, 114, 115, 147, 1<<40-1)
	equal(t, "pairs", got, []string{"7: /b@0", "64: /a@0 /a@3 /b@0", "72: /a@0", "73: /a@1", "93: /a@3", "ffffffffff: /b@0"})
	got = LookupPairs(t, s, store.Limits{Positions: 1}, 100)
	equal(t, "pairs, one place a document", got, []string{"64: /a@0 /b@0"})
	doc, err := store.Entry(t.Context(), s, store.IDOf("", "/a"))
	if err != nil || !doc.Paired || doc.Pairs != 50 {
		t.Errorf("document has Paired %v, Pairs %d, %v, want true, 50", doc.Paired, doc.Pairs, err)
	}
}

func testPairsKept(t *testing.T, s store.Store) {
	addPairs(t, s, Doc("/a", "text a"), []store.Grams{Grams(7, 1)}, 10, 20)
	commit(t, s)
	add(t, s, Doc("/a", "text a"), Grams(5, 2))
	commit(t, s)
	equal(t, "pairs", LookupPairs(t, s, store.Limits{}, 10, 20), []string{"a: /a@0", "14: /a@0"})
	equal(t, "7-grams", Lookup(t, s, 7, store.Limits{}, 1), []string{"1: /a@0"})
	doc, err := store.Entry(t.Context(), s, store.IDOf("", "/a"))
	if err != nil || !doc.Paired || doc.Pairs != 2 {
		t.Errorf("document has Paired %v, Pairs %d, %v, want true, 2", doc.Paired, doc.Pairs, err)
	}
}

func testPairsLater(t *testing.T, s store.Store) {
	add(t, s, Doc("/a", "text a"), Grams(7, 1))
	commit(t, s)
	doc, err := store.Entry(t.Context(), s, store.IDOf("", "/a"))
	if err != nil || doc.Paired {
		t.Errorf("document has Paired %v, %v, want false", doc.Paired, err)
	}
	addPairs(t, s, Doc("/a", "text a"), nil, 10)
	commit(t, s)
	equal(t, "pairs", LookupPairs(t, s, store.Limits{}, 10), []string{"a: /a@0"})
	equal(t, "7-grams", Lookup(t, s, 7, store.Limits{}, 1), []string{"1: /a@0"})
}

func testPairsDropped(t *testing.T, s store.Store) {
	addPairs(t, s, Doc("/a", "old"), []store.Grams{Grams(7, 1)}, 10)
	commit(t, s)
	add(t, s, Doc("/a", "new"), Grams(7, 2))
	commit(t, s)
	equal(t, "pairs", LookupPairs(t, s, store.Limits{}, 10), nil)
	doc, err := store.Entry(t.Context(), s, store.IDOf("", "/a"))
	if err != nil || doc.Paired || doc.Pairs != 0 {
		t.Errorf("document has Paired %v, Pairs %d, %v, want none", doc.Paired, doc.Pairs, err)
	}
}

func testPairsDeleted(t *testing.T, s store.Store) {
	addPairs(t, s, Doc("/a", "a"), nil, 10, 20)
	addPairs(t, s, Doc("/b", "b"), nil, 20)
	commit(t, s)
	remove(t, s, "/a")
	commit(t, s)
	want := []string{"14: /b@0"}
	equal(t, "pairs", LookupPairs(t, s, store.Limits{}, 10, 20), want)
	if err := s.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "pairs after Optimize", LookupPairs(t, s, store.Limits{}, 10, 20), want)
	info, err := s.Info(t.Context())
	if err != nil || info.Pairs.Documents != 1 || info.Pairs.Pairs != 1 {
		t.Errorf("Info().Pairs = %+v, %v, want 1 document, 1 pair", info.Pairs, err)
	}
}

func testPairsApart(t *testing.T, s store.Store) {
	addPairs(t, s, Doc("/a", "a"), []store.Grams{Grams(7, 10)}, 20)
	commit(t, s)
	equal(t, "pairs", LookupPairs(t, s, store.Limits{}, 10, 20), []string{"14: /a@0"})
	equal(t, "7-grams", Lookup(t, s, 7, store.Limits{}, 10, 20), []string{"a: /a@0"})
	for _, n := range []int{0, -1} {
		equal(t, fmt.Sprintf("%d-grams", n), Lookup(t, s, n, store.Limits{}, 10, 20), nil)
	}
}

func testCommonPairs(t *testing.T, s store.Store) {
	for i := range 5 {
		addPairs(t, s, Doc(fmt.Sprint("/", i), fmt.Sprint(i)), nil, 10, store.Hash(20+i))
		if i%2 == 0 {
			commit(t, s)
		}
	}
	equal(t, "pairs in at most 4 documents", LookupPairs(t, s, store.Limits{Docs: 4}, 10, 21), []string{"a: common", "15: /1@0"})
	got := strings.Fields(LookupPairs(t, s, store.Limits{Docs: 5}, 10)[0])
	slices.Sort(got)
	equal(t, "pairs in at most 5 documents", got, []string{"/0@0", "/1@0", "/2@0", "/3@0", "/4@0", "a:"})
}

func testPairBits(t *testing.T, s store.Store) {
	addPairs(t, s, Doc("/a", "a"), nil, 1)
	commit(t, s)
	equal(t, "pairs", LookupPairs(t, s, store.Limits{}, 1, 1<<40, 1<<40+1, 1<<60), []string{"1: /a@0"})
}

func testPairInfo(t *testing.T, s store.Store) {
	addPairs(t, s, Doc("/a", "a"), []store.Grams{Grams(7, 1)}, numbered(0, 40)...)
	addPairs(t, s, Doc("/none", "none"), nil)
	add(t, s, Doc("/without", "without"), Grams(7, 1))
	commit(t, s)
	info, err := s.Info(t.Context())
	if err != nil || info.Pairs.Documents != 2 || info.Pairs.Pairs != 40 {
		t.Errorf("Info().Pairs = %+v, %v, want 2 documents, 40 pairs", info.Pairs, err)
	}
	if len(info.Sizes) != 1 || info.Sizes[0].N != 7 {
		t.Errorf("Info().Sizes = %+v, want 7-grams only", info.Sizes)
	}
	if err := s.Verify(t.Context(), func(err error) { t.Errorf("Verify: %v", err) }); err != nil {
		t.Error(err)
	}
}

// comparePairs fails the test if s and the oracle answer differently.
func comparePairs(t *testing.T, s, oracle store.Reader, asked []store.Hash) {
	t.Helper()
	pairs := PairsOf(asked)
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	for _, limits := range []store.Limits{{}, {Docs: 3, Positions: 2}} {
		got, want := LookupPairs(t, s, limits, pairs...), LookupPairs(t, oracle, limits, pairs...)
		equal(t, fmt.Sprintf("LookupPairs(%+v)", limits), got, want)
	}
}

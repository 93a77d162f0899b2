package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// TestSampleOfSeveralSizes: a document that is indexed under other n-grams than those
// asked for, and that pairs of words name too, is one source of a sampled index.
func TestSampleOfSeveralSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	set := normSet(t, normalize.Auto)
	s := sampleOf(16)
	four, six := madeUp(r, 400), madeUp(r, 400)
	addMarked(t, s, set, 4, map[string]string{"/4": strings.Join(four, " ")})
	addMarked(t, s, set, 6, map[string]string{"/6": strings.Join(six, " ")})
	text := strings.Join(slices.Concat(madeUp(r, 100), four[100:140], madeUp(r, 100), six[100:140], madeUp(r, 100)), " ")
	read := 0
	res := search(t, counting{s, &read}, set, text, Options{N: 4})
	var got []string
	for _, src := range res.Sources {
		got = append(got, fmt.Sprintf("%s: %d-grams %d, words %d", src.Name, src.Match.N, src.Match.Matched, src.Covered))
	}
	want := []string{"/4: 0-grams 37, words 40", "/6: 6-grams 35, words 40"}
	if !slices.Equal(got, want) || len(res.Passages) != 2 || read != 2 {
		t.Errorf("sources %q with %d passages, %d texts read; want %q with 2, and 2", got, len(res.Passages), read, want)
	}
}

// addMarked adds texts to an index as the program does.
func addMarked(t *testing.T, s store.Store, set *normalize.Set, n int, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		doc := &document.Document{Path: name, Ext: "txt", Format: "text", Text: text}
		if err := indexer.Add(t.Context(), s, name, doc, indexer.Options{N: n, Norms: set, Pairs: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// sampleOf returns an empty index of a sample for runs of this number of words.
func sampleOf(words int) *memory.Store {
	return memory.New(store.Settings{KeepTexts: true, Normalization: map[string]string{store.SampleSetting: fmt.Sprint(words)}})
}

// TestSampleSkips: documents to skip are not read, whatever finds them.
func TestSampleSkips(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	set := normSet(t, normalize.Auto)
	first, second := madeUp(r, 200), madeUp(r, 200)
	texts := []string{strings.Join(first, " "), strings.Join(second, " "), strings.Join(first, " ")}
	paired := sampleOf(16)
	addMarked(t, paired, set, 4, map[string]string{"0": texts[0], "1": texts[1], "2": texts[2]})
	text := strings.Join(slices.Concat(first[50:110], second[50:110]), " ")
	for _, s := range []*memory.Store{sampledIndex(t, set, 4, "16", texts), paired} {
		for skip, want := range map[string]string{"": "0 1 2", "0": "1 2", "1": "0 2"} {
			asked := 0
			got := search(t, counting{s, &asked}, set, text, Options{N: 4, Skip: func(id store.DocID) bool { return id == store.IDOf("", skip) }})
			if names := strings.Fields(namesOf(got)); !slices.Equal(slices.Sorted(slices.Values(names)), strings.Fields(want)) || asked != len(names) {
				t.Errorf("without %q: sources %s, %d texts read; want %s", skip, names, asked, want)
			}
		}
	}
}

// counting counts the texts that are read whole.
type counting struct {
	store.Reader
	read *int
}

func (c counting) Texts(ctx context.Context, ids []store.DocID, fn func(int, string, error) error) error {
	*c.read += len(ids)
	return c.Reader.Texts(ctx, ids, fn)
}

// TestSampleHasCommonGrams: an n-gram that the texts which are read have in too many
// documents names none of them, though the sample has it in few.
func TestSampleHasCommonGrams(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	set := normSet(t, normalize.Auto)
	phrase := madeUp(r, 9)
	var suspect []string
	texts := map[string]string{}
	for i := range 8 {
		own := madeUp(r, 40)
		suspect = slices.Concat(suspect, own)
		texts[fmt.Sprint("/", i)] = strings.Join(slices.Concat(madeUp(r, 30+i), phrase, own, madeUp(r, 30)), " ")
	}
	suspect = slices.Concat(suspect, phrase)
	for _, common := range []int{0, 1, 7, 8} {
		var results []*Result
		for _, s := range []*memory.Store{sampleOf(0), sampleOf(16)} {
			addMarked(t, s, set, 4, texts)
			results = append(results, search(t, s, set, strings.Join(suspect, " "), Options{N: 4, Common: common}))
		}
		full, got := results[0], results[1]
		if got.Match != full.Match || (got.Match.Common > 0) != (common == 1 || common == 7) {
			t.Errorf("common in more than %d: the sample says %+v, all n-grams %+v", common, got.Match, full.Match)
		}
		for i, src := range got.Sources {
			if want := full.Sources[i]; src.Name != want.Name || src.Match != want.Match {
				t.Errorf("common in more than %d: the sample says of %s %+v, all n-grams of %s %+v", common, src.Name, src.Match, want.Name, want.Match)
			}
		}
	}
}

// TestSampleReadsTheBest: if there are too many documents, those that share most are read, where
// frequent n-grams count less; the number of others is reported.
func TestSampleReadsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	set := normSet(t, normalize.Auto)
	phrase, few, own := madeUp(r, 90), madeUp(r, 40), madeUp(r, 40)
	texts := []string{0: strings.Join(own, " "), 300: strings.Join(few, " "), 301: strings.Join(few, " ")}
	for i := range 299 {
		texts[1+i] = strings.Join(phrase, " ")
	}
	s := sampledIndex(t, set, 4, "16", texts)
	text := strings.Join(slices.Concat(phrase, madeUp(r, 20), few, madeUp(r, 20), own), " ")
	for _, tt := range []struct{ read, shared, want int }{{1, 1 << 20, 1}, {3, 1 << 20, 3}, {301, 1 << 20, 301}, {302, 1 << 20, 302}, {400, 1 << 20, 302}, {400, 9, readAtOnce}, {400, 1 << 14, readAtOnce}, {400, 23_000, 302}} {
		few := usual
		few.read, few.shared = tt.read, tt.shared
		read := 0
		res := search(t, counting{s, &read}, set, text, Options{N: 4, Exact: true, bounds: &few})
		left := int64(len(texts) - tt.want)
		if read != tt.want || len(res.Sources) != tt.want || countKind(res, UnsearchedUnread) != left {
			t.Errorf("%d documents and %d n-grams at most: %d are read, %d are sources, %d are told to be left; want %d and %d", tt.read, tt.shared, read, len(res.Sources), countKind(res, UnsearchedUnread), tt.want, left)
		}
		has := func(name string) bool { return slices.Contains(strings.Fields(namesOf(res)), name) }
		if !has("0") || tt.want >= 3 && !(has("300") && has("301")) {
			t.Errorf("%d documents at most: sources %s; want the one with n-grams of its own, and then the two with rare ones", tt.read, namesOf(res))
		}
	}
}

// TestSampleReadsWhatPairsName: a document whose unchanged runs are all too short for the
// sample is read since pairs of words name it, and its shared n-grams are counted.
func TestSampleReadsWhatPairsName(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	set := normSet(t, normalize.Auto)
	words := madeUp(r, 300)
	suspect := madeUp(r, 100)
	for at := 100; at < 200; at += 7 {
		suspect = slices.Concat(suspect, words[at:at+5], madeUp(r, 1))
	}
	text := strings.Join(suspect, " ")
	if got := search(t, sampledIndex(t, set, 4, "200", []string{strings.Join(words, " ")}), set, text, Options{N: 4}); len(got.Sources) > 0 {
		t.Fatalf("sources %s without pairs, want none", namesOf(got))
	}
	var results []*Result
	for _, s := range []*memory.Store{sampleOf(0), sampleOf(200)} {
		addMarked(t, s, set, 4, map[string]string{"/a": strings.Join(words, " ")})
		results = append(results, search(t, s, set, text, Options{N: 4}))
		another := func(id store.DocID) bool { return id == store.IDOf("", "/b") }
		if got := search(t, s, set, text, Options{N: 4, Skip: another}); got.Match != results[0].Match {
			t.Errorf("without another document: %+v, want %+v", got.Match, results[0].Match)
		}
	}
	if full, got := results[0], results[1]; got.Match != full.Match || got.Match.Matched == 0 || len(got.Passages) != 1 {
		t.Errorf("the sample says %+v with %d passages, all n-grams %+v", got.Match, len(got.Passages), full.Match)
	}
}

// TestCommonInTheSample: an n-gram that the sample has in too many documents is common,
// whichever of them are read.
func TestCommonInTheSample(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	set := normSet(t, normalize.Auto)
	phrase := madeUp(r, 40)
	var texts []string
	for range 6 {
		texts = append(texts, strings.Join(slices.Concat(madeUp(r, 30), phrase, madeUp(r, 30)), " "))
	}
	res := search(t, sampledIndex(t, set, 4, "16", texts), set, strings.Join(phrase, " "), Options{N: 4, Common: 5})
	if res.Match.Common == 0 || res.Match.Matched != 37 {
		t.Errorf("match %+v, want all 37 n-grams, and common ones among them", res.Match)
	}
}

// TestSampleWithoutItsTexts: a sampled index without texts is an error that names the document.
func TestSampleWithoutItsTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	set := normSet(t, normalize.Auto)
	text := strings.Join(madeUp(r, 60), " ")
	s := sampleOf(16)
	addMarked(t, s, set, 4, map[string]string{"/gone": text})
	_, err := check(t.Context(), textless{s}, set, Options{N: 4}, plain(text))
	if !errors.Is(err, store.ErrNoText) || !strings.HasPrefix(err.Error(), "/gone: ") {
		t.Errorf("error %v, want one that names /gone and says %v", err, store.ErrNoText)
	}
}

package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
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

// madeUp returns words of a language of its own.
func madeUp(r *rand.Rand, count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprintf("%c%c%c%c%cest", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26))
	}
	return list
}

// reworded changes every third word and swaps neighbours now and then, so that
// no three words in a row stay.
func reworded(r *rand.Rand, words []string) []string {
	out := slices.Clone(words)
	for i := range out {
		switch {
		case i%3 == 2:
			out[i] = madeUp(r, 1)[0]
		case i%6 == 3:
			out[i], out[i+1] = out[i+1]+"ing", out[i]
		}
	}
	return out
}

// TestRewordedCopyIsFound: a copy that shares no n-gram with its source is found
// by pairs of words, and the result says so.
func TestRewordedCopyIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	source := madeUp(r, 700)
	texts := map[string]string{"/source": strings.Join(source, " ")}
	for i := range 20 {
		texts[fmt.Sprintf("/other%02d", i)] = strings.Join(madeUp(r, 300), " ")
	}
	set := normSet(t, normalize.Line)
	s := index(t, set, 3, texts)
	suspect := strings.Join(slices.Concat(madeUp(r, 80), reworded(r, source[100:220]), madeUp(r, 80)), " ")

	got := search(t, s, set, suspect, Options{N: 3})
	if got.Match.Matched != 0 || len(got.Sources) != 1 || got.Sources[0].Name != "/source" {
		t.Fatalf("%d n-grams match, sources %+v; want none, and /source", got.Match.Matched, got.Sources)
	}
	if src := got.Sources[0]; src.Pairs < 2 || src.PairScore < 14 || src.Match.Matched != 0 {
		t.Errorf("source has %d pairs of score %v and %d n-grams, want the evidence of pairs alone", src.Pairs, src.PairScore, src.Match.Matched)
	}
	if len(got.Passages) != 1 || got.Passages[0].Grade != Reworded || got.Passages[0].Words < 100 || got.Passages[0].Words > 130 {
		t.Errorf("passages %+v, want one reworded one of about 120 words", got.Passages)
	}
	if len(got.Unsearched) != 0 || got.Index.Paired != 21 {
		t.Errorf("unsearched %+v, %d documents paired; want none, and 21", got.Unsearched, got.Index.Paired)
	}
	if got := search(t, s, set, suspect, Options{N: 3, Exact: true}); len(got.Sources) != 0 || len(got.Unsearched) != 0 {
		t.Errorf("exact: sources %+v, unsearched %+v; want none", got.Sources, got.Unsearched)
	}
	own := store.IDOf("", "/source")
	if got := search(t, s, set, suspect, Options{N: 3, Skip: func(id store.DocID) bool { return id == own }}); len(got.Sources) != 0 {
		t.Errorf("without the source: sources %+v, want none", got.Sources)
	}
}

// TestUnpairedDocumentsAreTold: where documents are not indexed by pairs of
// words, the result says that reworded copies were not looked for.
func TestUnpairedDocumentsAreTold(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 3, map[string]string{"/paired": "the quick brown fox jumps over the lazy dog"})
	if err := s.Add(t.Context(), store.Document{Path: "/plain", NewLine: "true"}, "", []store.Grams{{N: 3, Hashes: slices.Values([][]store.Hash{{1}})}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := search(t, s, set, "a quick brown fox jumps", Options{N: 3})
	if len(got.Unsearched) != 1 || got.Unsearched[0].Kind != UnsearchedReworded || got.Unsearched[0].Count != 1 {
		t.Errorf("unsearched %+v, want reworded copies in one document", got.Unsearched)
	}
	if got := search(t, s, set, "a quick brown fox jumps", Options{N: 3, AlignAll: true}); len(got.Unsearched) > 0 {
		t.Errorf("unsearched %+v, though all documents are aligned, also one without words", got.Unsearched)
	}
	if got.CouldRise(got.Score.Percent) != 0 {
		t.Errorf("CouldRise() = %v, want 0: an index without pairs is a choice", got.CouldRise(got.Score.Percent))
	}
}

// TestAllAreAligned: with AlignAll a source needs no key to be looked at.
func TestAllAreAligned(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := madeUp(r, 400)
	for i := range words {
		words[i] = words[i][:4] // too short for pairs
	}
	set := normSet(t, normalize.Line)
	s := index(t, set, 9, map[string]string{"/source": strings.Join(words, " ")})
	suspect := slices.Clone(words)
	for i := 4; i < len(suspect); i += 5 {
		suspect[i] = madeUp(r, 1)[0]
	}
	text := strings.Join(suspect, " ")
	if got := search(t, s, set, text, Options{N: 9}); len(got.Passages) != 0 {
		t.Errorf("passages %+v, want none: no key names the source", got.Passages)
	}
	if got := search(t, s, set, text, Options{N: 9, AlignAll: true}); len(got.Passages) != 1 {
		t.Errorf("passages %+v, want one", got.Passages)
	}
	skip := func(store.DocID) bool { return true }
	if got := search(t, s, set, text, Options{N: 9, AlignAll: true, Skip: skip}); len(got.Sources) != 0 {
		t.Errorf("sources %+v, want none: it is to be skipped", got.Sources)
	}
}

// larger is an index that reports this number of pairs.
type larger struct {
	store.Reader
	pairs int64
}

func (l larger) Info(ctx context.Context) (store.Info, error) {
	info, err := l.Reader.Info(ctx)
	info.Pairs.Pairs = l.pairs
	return info, err
}

// TestPairsWeighMoreInLargeCollections: a pair that one document has weighs more, the more
// documents there are. In few texts, rarity is unknown.
func TestPairsWeighMoreInLargeCollections(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	set := normSet(t, normalize.Auto)
	words := madeUp(r, 300)
	s := marked(t, set, 4, map[string]string{"/a": strings.Join(words, " ")})
	text := strings.Join(slices.Concat(madeUp(r, 700), reworded(r, words[100:202])), " ")
	for pairs, collection := range map[int64]float64{1: leastWords, 1_000_000: leastWords, 10_000_000: 21_000_000} {
		sources := search(t, larger{s, pairs}, set, text, Options{N: 4}).Sources
		if len(sources) != 1 || sources[0].Pairs < 10 {
			t.Fatalf("%d pairs: sources %+v, want one", pairs, sources)
		}
		want := float64(sources[0].Pairs) * math.Log(collection/wordsPerDocument)
		if got := sources[0].PairScore; math.Abs(got-want) > 0.01 {
			t.Errorf("%d pairs in the index: %d of them have score %v, want %.2f", pairs, sources[0].Pairs, got, want)
		}
	}
}

// TestPairHits: a pair is where the text has it, as often as four times, in each document
// that has it.
func TestPairHits(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := marked(t, set, 4, map[string]string{"/a": "lantern harbour winter on", "/b": "harbour lantern on it"})
	searcher, err := New(t.Context(), s, set, Options{N: 4})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("harbour lantern stone ", 5) + "gannet harbour winter"
	sus := newSuspect(plain(text), set, nil)
	finder, err := searcher.reader.NearPairs(t.Context(), store.PairQuery{
		Stretches: [][]store.PairSite{sus.pairs().sites}, Weight: func(documents int) float64 { return float64(documents) },
	})
	if err != nil {
		t.Fatal(err)
	}
	hits, err := finder.Near(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for doc, list := range hits {
		for _, h := range list {
			words := text[sus.words[h.Word-1].Start:sus.words[h.Word].End]
			name := map[store.DocID]string{store.IDOf("", "/a"): "/a", store.IDOf("", "/b"): "/b"}[doc]
			got[name] = append(got[name], fmt.Sprintf("%s in %v", words, h.Value))
		}
		slices.Sort(got[map[store.DocID]string{store.IDOf("", "/a"): "/a", store.IDOf("", "/b"): "/b"}[doc]])
	}
	four := slices.Repeat([]string{"harbour lantern in 2"}, store.PairPlaces)
	if want := append(slices.Clone(four), "harbour winter in 1"); !slices.Equal(got["/a"], want) || !slices.Equal(got["/b"], four) {
		t.Errorf("hits %q, want %q and %q", got, want, four)
	}
}

// TestFaintSourcesAreTold: more documents than are aligned since pairs of words alone name
// them.
func TestFaintSourcesAreTold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	set := normSet(t, normalize.Auto)
	words := madeUp(r, 150)
	texts := map[string]string{}
	for i := range leastByPairs + 2 {
		texts[fmt.Sprint("/", i)] = strings.Join(words, " ")
	}
	for i := range 300 { // so that few documents have the words
		texts[fmt.Sprint("/other", i)] = strings.Join(madeUp(r, 20), " ")
	}
	text := strings.Join(slices.Concat(madeUp(r, 700), reworded(r, words[20:122])), " ")
	s := marked(t, set, 4, texts)
	res := search(t, s, set, text, Options{N: 4})
	want := "[{faint sources 2 50 0 [] 2 documents that may have been reworded were not aligned, beyond the 50 likeliest}]"
	if got := fmt.Sprint(res.Unsearched); got != want || len(res.Sources) != leastByPairs {
		t.Errorf("%d sources, unsearched %s; want %d and %s", len(res.Sources), got, leastByPairs, want)
	}
	if res := search(t, s, set, text, Options{N: 4, AlignAll: true}); len(res.Unsearched) > 0 || len(res.Sources) != leastByPairs+2 {
		t.Errorf("with all aligned: %d sources, unsearched %v; want %d and nothing", len(res.Sources), res.Unsearched, leastByPairs+2)
	}
}

// TestSortHits: hits are sorted alike whether they are by ascending pair, as from a folder, or not, and however large their numbers are.
func TestSortHits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	for _, most := range []int{10, 1000, 1 << 22, 1 << 30} {
		hits := make([]store.PairHit, 300)
		for i := range hits {
			hits[i] = store.PairHit{Word: int32(r.IntN(most)), Block: int32(r.IntN(most)), Pair: int32(i / 2), Value: r.Float64()}
		}
		want := slices.SortedStableFunc(slices.Values(hits), func(a, b store.PairHit) int {
			return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.Block, b.Block), cmp.Compare(a.Pair, b.Pair))
		})
		mixed := slices.Clone(hits)
		slices.Reverse(mixed)
		sortHits(hits)
		sortHits(mixed)
		for i, h := range want {
			if hits[i] != h || mixed[i].Word != h.Word || mixed[i].Block != h.Block || mixed[i].Pair != h.Pair {
				t.Fatalf("up to %d: hit %d is %v or %v, want %v", most, i, hits[i], mixed[i], h)
			}
		}
	}
}

// naiveDensest is densest, one hit against each other.
func naiveDensest(hits []store.PairHit) evidence {
	var best evidence
	for _, at := range hits {
		near := map[int32]float64{}
		for _, h := range hits {
			if max(h.Word-at.Word, at.Word-h.Word) <= nearWords && max(h.Block-at.Block, at.Block-h.Block) <= nearBlocks {
				near[h.Pair] = h.Value
			}
		}
		e := evidence{pairs: len(near)}
		for _, v := range near {
			e.score += v
		}
		if e.score > best.score {
			best = e
		}
	}
	return best
}

func TestDensestIsTheNaiveOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seen, turn := make([]int32, 30), int32(0)
	for round := range 200 {
		var hits []store.PairHit
		for range r.IntN(60) {
			pair := int32(r.IntN(30))
			hits = append(hits, store.PairHit{Word: int32(r.IntN(300)), Block: int32(r.IntN(20)), Pair: pair, Value: float64(1 + pair%7)}) // sums of whole numbers are exact
		}
		want := naiveDensest(hits)
		if got := densest(hits, seen, &turn); got.score != want.score {
			t.Errorf("round %d: densest = %+v, want %+v", round, got, want)
		}
	}
}

// TestStretchesOverlap: all that lies near a place is in one stretch with it.
func TestStretchesOverlap(t *testing.T) {
	var sites []store.PairSite
	for i := range int32(1000) {
		if i%3 == 0 || i > 900 {
			sites = append(sites, store.PairSite{Pair: store.Hash(i), Word: i})
		}
	}
	for _, words := range []int32{1, 100, 999, 5000} {
		for _, at := range sites {
			whole := false
			for stretch := range stretches(sites, words) {
				low, high := max(at.Word-nearWords, 0), min(at.Word+nearWords, 999)
				first, last := stretch[0].Word, stretch[len(stretch)-1].Word
				whole = whole || first <= low+2 && last >= high-2
			}
			if !whole {
				t.Fatalf("stretches of %d words: none has all that is near word %d", words, at.Word)
			}
		}
	}
	if !slices.IsSortedFunc(sites, func(a, b store.PairSite) int { return cmp.Compare(a.Word, b.Word) }) {
		t.Error("the sites are not as they were")
	}
}

// TestCopiesHideNoRewordedSources: documents that n-grams name too leave room for those that
// pairs alone name, and those beyond the limit are counted.
func TestCopiesHideNoRewordedSources(t *testing.T) {
	found := sharing(10, make([]int32, 60)) // documents 1 to 60
	paired := map[store.DocID]evidence{}
	for id := range store.DocID(60) {
		paired[id+1] = evidence{pairs: 9, score: 100}
	}
	for id := range store.DocID(leastByPairs + 3) {
		paired[1000+id] = evidence{pairs: 3, score: 20}
	}
	kept, left := found.brake(paired, leastByPairs)
	if left != 3 || len(kept) != 2*leastByPairs || kept[1000].score != 20 || kept[1000+leastByPairs].score != 0 {
		t.Errorf("%d documents are kept and %d left, want %d and 3", len(kept), left, 2*leastByPairs)
	}
}

// Where less is compared, a lower score names a document; in a larger collection, only a higher one.
func TestRuleFor(t *testing.T) {
	for _, tt := range []struct {
		name       string
		suspect    int
		collection float64
		want       pairRule
	}{
		{"as measured", usualWords, leastWords, pairRule{14, 2}},
		{"a long suspect", 40_000, leastWords, pairRule{14, 2}},
		{"a larger collection", usualWords, 20 * leastWords, pairRule{14 + math.Log(20), 2}},
		{"a long suspect, a larger collection", 40_000, 20 * leastWords, pairRule{14 + math.Log(20), 2}},
		{"a short suspect, a larger collection", usualWords / 7, 20 * leastWords, pairRule{14 + math.Log(20) - math.Log(7), 1}},
		{"a short suspect", usualWords / 7, leastWords, pairRule{14 - math.Log(7), 1}},
		{"a small collection", usualWords, leastWords / 3, pairRule{14 - math.Log(3), 2}},
		{"both", 100, 1000, pairRule{10 - 2*math.Log(4), 1}},
		{"a large collection", 100, manyWords, pairRule{20, 3}},
		{"a very large collection", usualWords, 2000 * leastWords, pairRule{14 + math.Log(2000), 3}},
	} {
		got := ruleFor(tt.suspect, tt.collection)
		if got.pairs != tt.want.pairs || math.Abs(got.score-tt.want.score) > 1e-6 {
			t.Errorf("%s: rule %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// A long suspect has more documents that pairs alone may name, in proportion.
func TestMostFaint(t *testing.T) {
	for words, want := range map[int]int{0: 50, 1400: 50, 2800: 100, 45_000: 1607, 10_000_000: 10_000} {
		if got := mostFaint(words); got != want {
			t.Errorf("a suspect of %d words: %d documents, want %d", words, got, want)
		}
	}
}

// TestConvincing: a document is named by as many pairs, and by as great a score, as the
// rule asks for.
func TestConvincing(t *testing.T) {
	s := &Searcher{pairs: 100_000}
	rule := ruleFor(1400, wordsPerPair*100_000)
	near := map[store.DocID]evidence{
		1: {pairs: rule.pairs, score: rule.score},
		2: {pairs: rule.pairs - 1, score: 10 * rule.score},
		3: {pairs: 10 * rule.pairs, score: rule.score - 0.01},
	}
	if got := s.convincing(near, 1400); len(got) != 1 || got[1].pairs != rule.pairs {
		t.Errorf("named %v, want the first alone", got)
	}
}

// TestEditedCopyWithoutPairs: n-grams alone name a source that is aligned.
func TestEditedCopyWithoutPairs(t *testing.T) {
	set := normSet(t, normalize.Auto)
	s := memory.New(store.Settings{KeepTexts: true})
	doc := &document.Document{Path: "/keeper", Ext: "txt", Format: "text", Text: unrelated + "\n\n" + original}
	if err := indexer.Add(t.Context(), s, doc.Path, doc, indexer.Options{N: 5, Norms: set}); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := search(t, s, set, edited, Options{N: 5}); len(r.Passages) != 1 || r.Passages[0].Kind != KindAligned {
		t.Errorf("passages %+v, want an aligned one", r.Passages)
	}
}

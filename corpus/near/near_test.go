package near

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/corpustest"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/testing/need"
)

// collection makes documents of paragraphs: many have parts of others, words
// changed, or all of another.
func collection(seed uint64, count int) []string {
	r := rand.New(rand.NewPCG(seed, 5))
	word := func() string { return fmt.Sprintf("w%d", int(float64(3000)*r.Float64()*r.Float64())) }
	var docs []string
	for len(docs) < count {
		var pars []string
		for range 1 + r.IntN(8) {
			var words []string
			for range 1 + r.IntN(40) {
				words = append(words, word())
			}
			pars = append(pars, strings.Join(words, " "))
		}
		if len(docs) > 0 && r.IntN(3) == 0 {
			pars = strings.Split(docs[r.IntN(len(docs))], "\n\n")
			switch r.IntN(5) {
			case 0:
				pars = pars[r.IntN(len(pars)):]
			case 1:
				pars = append(pars, word()+" "+word())
			case 2:
				words := strings.Fields(pars[0])
				words[r.IntN(len(words))] = word()
				pars[0] = strings.Join(words, " ")
			case 3:
				r.Shuffle(len(pars), func(i, j int) { pars[i], pars[j] = pars[j], pars[i] })
			}
		}
		docs = append(docs, strings.Join(pars, "\n\n"))
	}
	return append(docs, "", "a")
}

// read reads documents as JSON Lines.
func read(t testing.TB, docs []string, o Options) *Data {
	t.Helper()
	d, err := Read(t.Context(), corpustest.Texts(t, docs), o, corpustest.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// pairsOf returns all pairs of d.
func pairsOf(t testing.TB, d *Data) (found, all []Pair) {
	t.Helper()
	found, err := d.Pairs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Expand(t.Context(), found, func(p Pair) error { all = append(all, p); return nil }); err != nil {
		t.Fatal(err)
	}
	return found, all
}

// naive compares all documents with all others.
func naive(docs []string, o Options) (pairs []Pair) {
	var sets []map[string]bool
	rarer := naiveRarer(docs)
	for _, d := range docs {
		set := map[string]bool{}
		words := strings.Fields(d)
		for i := 0; o.By == Shingles && i+o.Words <= len(words); i++ {
			set[strings.Join(words[i:i+o.Words], " ")] = true
		}
		for _, p := range strings.Split(d, "\n\n") {
			pw := strings.Fields(p)
			switch {
			case o.By == Paragraphs && len(pw) >= max(o.Short, 1):
				set[p] = true
			case o.By == Rarest:
				for _, span := range naiveSpans(pw, len(words), o.Words, rarer) {
					set[span] = true
				}
			}
		}
		sets = append(sets, set)
	}
	for a := range sets {
		for b := a + 1; b < len(sets); b++ {
			common := uint32(0)
			for s := range sets[a] {
				if sets[b][s] {
					common++
				}
			}
			if common > 0 && o.near(uint32(len(sets[a])), uint32(len(sets[b])), common) {
				pairs = append(pairs, Pair{uint32(a), uint32(b), common})
			}
		}
	}
	return pairs
}

// naiveRarer returns a comparison of words by the number of documents that contain them.
func naiveRarer(docs []string) func(a, b string) int {
	count := map[string]int{}
	for _, d := range docs {
		words := strings.Fields(d)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			count[w]++
		}
	}
	return func(a, b string) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(fingerprint.Sum64([]byte(a)), fingerprint.Sum64([]byte(b))))
	}
}

// naiveSpans returns the spans of a paragraph in a document of so many words.
func naiveSpans(paragraph []string, words, width int, rarer func(a, b string) int) (spans []string) {
	longest := 0
	for longest*longest < words {
		longest++
	}
	chunks := 0
	for chunks*longest < len(paragraph) {
		chunks++
	}
	for i := range chunks {
		best := i * len(paragraph) / chunks
		for k := best; k < (i+1)*len(paragraph)/chunks; k++ {
			if rarer(paragraph[k], paragraph[best]) < 0 {
				best = k
			}
		}
		spans = append(spans, strings.Join(paragraph[max(0, best-width/2):min(len(paragraph), best+width/2+1)], " "))
	}
	return spans
}

// TestIsNaive checks that Pairs finds exactly the pairs of a comparison of all documents.
func TestIsNaive(t *testing.T) {
	count := max(need.Rounds(500), 100)
	if os.Getenv("OTISK_TEST_LONG") != "" {
		count = 3000
	}
	docs := collection(1, count)
	for _, tt := range []struct {
		by                   Method
		threshold, contained float64
	}{{Shingles, 0.45, 0.8}, {Shingles, 0.45, 0}, {Shingles, 0.9, 0.95}, {Shingles, 0.1, 0}, {Shingles, 1, 1}, {Paragraphs, 0.8, 0}, {Paragraphs, 0.5, 0.9}, {Rarest, 0.4, 0}, {Rarest, 0.9, 0}} {
		o := Defaults(tt.by)
		o.Threshold, o.Contained = tt.threshold, tt.contained
		if tt.by != Rarest { // whose words would share counters
			o.Memory = 1 << 20
		}
		want := naive(docs, o)
		_, got := pairsOf(t, read(t, docs, o))
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d pairs, want the %d of comparing all", tt, len(got), len(want))
		}
		if len(want) < 10 {
			t.Errorf("%+v: only %d pairs to find", tt, len(want))
		}
	}
}

// TestSimhash checks that Pairs finds exactly the pairs of a comparison of all simhashes.
func TestSimhash(t *testing.T) {
	half := 400
	if testing.Short() {
		half = 150
	}
	docs := collection(2, 2*half)
	for i := range docs[:half] { // longer, so that a changed word changes few bits
		docs[i] = strings.Repeat(docs[i]+" ", 40) + fmt.Sprintf("x%d", i%7)
		docs[i+half] = strings.Repeat(strings.Split(docs[i], "\n\n")[0]+" ", 3) + docs[i]
	}
	d := read(t, docs, Defaults(Simhash))
	_, got := pairsOf(t, d)
	var want []Pair
	sums := map[int][]uint64{}
	err := d.eachBatch(func(b *batch) bool {
		b.each(func(doc int, h []uint64) { sums[doc] = slices.Clone(h) })
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	sum := func(i int) []uint64 {
		if same := d.Docs[i].Same; same >= 0 {
			i = int(same)
		}
		return sums[i]
	}
	for a := range d.Docs {
		for b := a + 1; b < len(d.Docs); b++ {
			distance := 0
			for w := range sum(a) {
				if len(sum(b)) == 0 {
					distance = simBits
					break
				}
				distance += bits.OnesCount64(sum(a)[w] ^ sum(b)[w])
			}
			if distance <= 5 && len(sum(a)) > 0 {
				want = append(want, Pair{uint32(a), uint32(b), uint32(distance)})
			}
		}
	}
	if !slices.Equal(got, want) || len(want) < half/7 {
		t.Errorf("%d pairs, want the %d of comparing all", len(got), len(want))
	}
}

// TestMajority compares majority with counting each bit separately.
func TestMajority(t *testing.T) {
	s := newSimhasher()
	words := strings.Fields("a b c d e f g a b c d e f g a a a a a b b b the end of it")
	counts := [simBits]int{}
	for _, w := range words {
		h := s.hash([]byte(w))
		s.add(h)
		for i := range counts {
			counts[i] += int(h[i/64] >> (i % 64) & 1)
		}
	}
	got, ties := s.majority(uint32(len(words))), 0
	for i, c := range counts {
		if 2*c == len(words) {
			ties++
		}
		if want := 2*c >= len(words); want != (got[i/64]>>(i%64)&1 == 1) {
			t.Fatalf("bit %d is set in %d of %d words: majority has %v, want %v", i, c, len(words), !want, want)
		}
	}
	if ties == 0 {
		t.Error("no bit is set in exactly half of the words")
	}
}

// TestKeep checks that each dropped document is near a kept one, and that no two kept
// documents are near each other.
func TestKeep(t *testing.T) {
	docs := collection(4, 500)
	d := read(t, docs, Defaults(Shingles))
	found, all := pairsOf(t, d)
	for name, prefer := range map[string]func(a, b uint32) int{"longest": d.Longer, "first": cmp.Compare[uint32]} {
		kept := d.Kept(found, prefer)
		near := map[uint32]bool{}
		for _, p := range all {
			a, b := slices.Contains(kept, p.A), slices.Contains(kept, p.B)
			if a && b {
				t.Errorf("%s: %d and %d are near, and both are kept", name, p.A, p.B)
			}
			near[p.A], near[p.B] = near[p.A] || b, near[p.B] || a
		}
		for doc := range uint32(len(docs)) {
			if !slices.Contains(kept, doc) && !near[doc] {
				t.Errorf("%s: %d is dropped, but is near no kept document", name, doc)
			}
		}
	}
	groups := d.Groups(found)
	count := 0
	for _, g := range groups {
		count += len(g)
		if !slices.IsSortedFunc(g, d.Longer) || len(g) < 2 {
			t.Errorf("group %v does not start with its longest document", g)
		}
	}
	alone := map[uint32]bool{}
	for _, p := range all {
		alone[p.A], alone[p.B] = true, true
	}
	if count != len(alone) {
		t.Errorf("groups have %d documents, pairs %d", count, len(alone))
	}
}

// TestContained compares a long text with a part of it: containment finds the pair,
// resemblance does not.
func TestContained(t *testing.T) {
	long := strings.Join(collection(6, 200), " ")
	words := strings.Fields(long)
	docs := []string{long, strings.Join(words[1000:1400], " ")}
	o := Defaults(Shingles)
	if _, got := pairsOf(t, read(t, docs, o)); len(got) != 1 {
		t.Errorf("%d pairs by containment, want 1", len(got))
	}
	o.Contained = 0
	if _, got := pairsOf(t, read(t, docs, o)); len(got) != 0 {
		t.Errorf("%d pairs by resemblance, want none", len(got))
	}
}

// TestCross has documents with the same long paragraphs and other short ones.
func TestCross(t *testing.T) {
	const long = "this paragraph is long because it has nine words and more\n\n"
	o := Defaults(Paragraphs)
	o.Short = 9
	d := read(t, []string{long + "one\n\ntwo", long + "two\n\nthree", long}, o)
	_, got := pairsOf(t, d)
	if len(got) != 3 {
		t.Fatalf("%d pairs, want 3", len(got))
	}
	s, err := d.Shorts()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range []struct {
		a, b uint32
		want float64
	}{{0, 1, 1. / 3}, {0, 2, 0}, {2, 2, 1}} {
		if got, err := s.Similarity(tt.a, tt.b); err != nil || got != tt.want {
			t.Errorf("short paragraphs of %d and %d are %v alike (%v), want %v", tt.a, tt.b, got, err, tt.want)
		}
	}
}

// TestShortParagraphs checks that short paragraphs count as much as long ones: two documents of
// short ones are a pair, and a common long one does not outweigh different short ones.
func TestShortParagraphs(t *testing.T) {
	const long = "this paragraph is long because it has nine words and more\n\n"
	d := read(t, []string{"one two\n\nthree", "one two\n\nthree", long + "one", long + "two"}, Defaults(Paragraphs))
	if _, got := pairsOf(t, d); !slices.Equal(got, []Pair{{0, 1, 2}}) {
		t.Errorf("pairs %v, want only that of the documents with the same short paragraphs", got)
	}
}

// TestRarest checks that a copy with a word in a hundred replaced is a pair, in texts where no
// two documents have whole paragraphs in common, and that nothing else is one.
func TestRarest(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 5))
	var docs []string
	for range 60 {
		words := make([]string, 800)
		for i := range words {
			words[i] = fmt.Sprintf("w%d", int(5000*r.Float64()*r.Float64()))
		}
		changed := slices.Clone(words)
		for i := 50; i < len(words); i += 100 {
			changed[i] = "changed"
		}
		docs = append(docs, strings.Join(words, " "), strings.Join(changed, " "))
	}
	for _, width := range []int{3, 5} {
		o := Defaults(Rarest)
		o.Words = width
		_, got := pairsOf(t, read(t, docs, o))
		for _, p := range got {
			if p.A/2 != p.B/2 {
				t.Errorf("spans of %d words: %d and %d are a pair", width, p.A, p.B)
			}
		}
		if len(got) != len(docs)/2 {
			t.Errorf("spans of %d words: %d pairs, want %d", width, len(got), len(docs)/2)
		}
	}
}

// TestGoesOn checks that a second run in the same folder does not read the collection again.
func TestGoesOn(t *testing.T) {
	for _, by := range []Method{Shingles, Rarest} {
		testGoesOn(t, Defaults(by))
	}
}

func testGoesOn(t *testing.T, o Options) {
	d := read(t, collection(7, 50), o)
	if _, err := os.Stat(d.dir.Path(wordsFile)); err == nil {
		t.Error("the file of the words still exists after the sets were computed")
	}
	again, err := Read(t.Context(), &corpus.Input{Paths: []string{"not there"}}, d.o, d.dir)
	if err != nil || !slices.Equal(again.Docs, d.Docs) || again.Summary != d.Summary {
		t.Errorf("second run loads %d documents (%v), want %d", len(again.Docs), err, len(d.Docs))
	}
	want, _ := pairsOf(t, again)
	if _, err := os.Stat(d.dir.Path(setsFile)); err == nil {
		t.Error("the file of the sets still exists beside the ordered sets")
	}
	again, err = Read(t.Context(), &corpus.Input{Paths: []string{"not there"}}, d.o, d.dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := pairsOf(t, again); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("%d pairs from the ordered sets of an earlier run, want %d", len(got), len(want))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := again.Pairs(ended); err == nil {
		t.Error("Pairs with a cancelled context returns no error")
	}
}

// TestStoppedInOrder interrupts a run while ordered sets overwrite the sets: the next run reads
// the collection again and finds the same pairs.
func TestStoppedInOrder(t *testing.T) {
	texts, o := collection(9, 300), Defaults(Shingles)
	want, _ := pairsOf(t, read(t, texts, o))
	in, dir := corpustest.Texts(t, texts), corpustest.Folder(t)
	d, err := Read(t.Context(), in, o, dir)
	if err != nil {
		t.Fatal(err)
	}
	sets, ranks, err := d.rankFiles()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ranks.WriteString("some keys, and no more"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sets.Close(), ranks.Close()); err != nil {
		t.Fatal(err)
	}
	var sum corpus.Summary
	if dir.Done(readStep, &sum) {
		t.Error("readStep counts as done although its sets are overwritten")
	}
	if d, err = Read(t.Context(), in, o, dir); err != nil {
		t.Fatal(err)
	}
	if got, _ := pairsOf(t, d); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("after an interruption, %d pairs are found, want %d", len(got), len(want))
	}
}

// TestTooManyPairs checks that Pairs returns an error if the pairs do not fit in memory.
func TestTooManyPairs(t *testing.T) {
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = strings.Repeat("the same words in each of them and so on ", 9) + fmt.Sprint("w", i, " v", i)
	}
	o := Defaults(Shingles)
	o.Memory = 1 << 20
	if _, err := read(t, texts, o).Pairs(t.Context()); !errors.Is(err, corpus.ErrTooMany) {
		t.Errorf("half a million pairs in a megabyte: %v", err)
	}
}

// TestSpreader sorts hashes, also many equal ones and many in one bucket.
func TestSpreader(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	var s spreader
	for _, size := range []int{0, 1, 2, 17, 300, 70_000} {
		for _, high := range []uint64{math.MaxUint64, 3, 1 << 10} {
			hashes := make([]uint64, size)
			for i := range hashes {
				hashes[i] = r.Uint64() % high
			}
			got := make([]uint64, size)
			s.sort(got, hashes)
			if slices.Sort(hashes); !slices.Equal(got, hashes) {
				t.Errorf("%d hashes below %d are not sorted", size, high)
			}
		}
	}
}

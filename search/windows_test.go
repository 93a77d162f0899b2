package search

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
)

// paragraphed puts words into paragraphs of all lengths, many of them too short
// for an n-gram.
func paragraphed(r *rand.Rand, words []string) string {
	var b strings.Builder
	for len(words) > 0 {
		n := min(len(words), 1+r.IntN(6))
		if r.IntN(3) > 0 {
			n = min(len(words), 20+r.IntN(400))
		}
		b.WriteString("„" + strings.Join(words[:n], " ") + ".“\n\n")
		words = words[n:]
	}
	return b.String()
}

// marked returns an index that is made as the program makes it, with marks.
func marked(t *testing.T, set *normalize.Set, n int, texts map[string]string) *memory.Store {
	t.Helper()
	s := memory.New(store.Settings{KeepTexts: true})
	for name, text := range texts {
		doc := &document.Document{Path: name, Ext: "txt", Text: text, Format: "text"}
		if err := indexer.Add(t.Context(), s, name, doc, indexer.Options{N: n, Norms: set, Pairs: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// unmarked is an index of an older program, which kept no marks.
type unmarked struct {
	store.Reader
	asked *int // texts read whole
}

func (u unmarked) Pieces(_ context.Context, ids []store.DocID, _ func(int, *store.Marks) ([]store.Piece, error), fn func(int, []string, error) error) error {
	for i := range ids {
		if err := fn(i, nil, store.ErrNoMarks); err != nil {
			return err
		}
	}
	return nil
}

func (u unmarked) Texts(ctx context.Context, ids []store.DocID, fn func(int, string, error) error) error {
	*u.asked += len(ids)
	return u.Reader.Texts(ctx, ids, fn)
}

// TestMarksChangeNothing: whether a text is read whole or by its marks, the
// result is the same, for every way to search.
func TestMarksChangeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for round := range max(3, need.Seeds(6)) {
		set := normSet(t, []normalize.Mode{normalize.Auto, normalize.Line, normalize.Whole}[round%3])
		texts := map[string]string{}
		var suspect []string
		for i := range 4 {
			words := madeUp(r, 400+r.IntN(12_000))
			texts[fmt.Sprint("/", i)] = paragraphed(r, words)
			for range 4 {
				from := r.IntN(len(words) - 150)
				suspect = slices.Concat(suspect, madeUp(r, r.IntN(900)), words[from:from+60], madeUp(r, 40), reworded(r, words[from+70:from+150]))
			}
		}
		s := marked(t, set, 4, texts)
		text := paragraphed(r, suspect)
		for _, opts := range []Options{{N: 4, Texts: true, Detail: true, Summary: true}, {N: 4, Exact: true, Texts: true}, {N: 4, AlignAll: true}} {
			asked, again := 0, 0
			got := search(t, unmarked{s, &again}, set, text, opts)
			want := search(t, unmarkedButPieces{unmarked{s, &asked}}, set, text, opts)
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			if string(a) != string(b) {
				t.Fatalf("round %d, %+v: results differ\n%s\n%s", round, opts, a, b)
			}
			if len(got.Passages) < 8 || asked != 0 || again != len(texts) {
				t.Errorf("round %d: %d passages; %d texts read whole, without marks %d; want 8 or more, 0, %d", round, len(got.Passages), asked, again, len(texts))
			}
		}
	}
}

// unmarkedButPieces counts the texts that are read whole, and has marks.
type unmarkedButPieces struct{ unmarked }

func (u unmarkedButPieces) Pieces(ctx context.Context, ids []store.DocID, choose func(int, *store.Marks) ([]store.Piece, error), fn func(int, []string, error) error) error {
	return u.Reader.Pieces(ctx, ids, choose, fn)
}

// TestPassagesDoNotDependOnTheRest: a reworded copy has the same bounds in long
// texts as in short ones.
func TestPassagesDoNotDependOnTheRest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	set := normSet(t, normalize.Auto)
	own, foreign := madeUp(r, 3000), madeUp(r, 3000)
	copied := reworded(r, foreign[1400:1502])
	chapter, page := strings.Join(foreign, " "), strings.Join(slices.Concat(own[:1500], copied, own[1500:]), " ")
	var want string
	for _, rest := range []int{0, 2000, 40_000} {
		other := func() string { return strings.Join(madeUp(r, rest), " ") + "\n\n" }
		first, before := other(), other()
		s := marked(t, set, 7, map[string]string{"/book": first + chapter + "\n\n" + other()})
		text := before + page + "\n\n" + other()
		res := search(t, s, set, text, Options{N: 7})
		if len(res.Passages) != 1 {
			t.Fatalf("with %d words before and after: %d passages, want one", rest, len(res.Passages))
		}
		p := res.Passages[0]
		got := fmt.Sprint(p.Suspect.Start-len(before), p.Suspect.End-len(before), p.Origin.Start-len(first), p.Origin.End-len(first), p.Words, p.Matched, p.Grade)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("with %d words before and after the passage is %s, want %s", rest, got, want)
		}
	}
}

// TestOtherMarksAreNotTrusted: where marks are not those of the text, it is read
// whole, and the result is the same.
func TestOtherMarksAreNotTrusted(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	set := normSet(t, normalize.Line)
	words := madeUp(r, 9000)
	s := marked(t, set, 4, map[string]string{"/a": strings.Join(words, " ")})
	suspect := strings.Join(slices.Concat(words[6000:6100], madeUp(r, 300), reworded(r, words[2000:2102])), " ")
	each := func(change func(*store.Mark)) func(*store.Marks) {
		return func(m *store.Marks) {
			for k := 1; k < len(m.Blocks)-1; k++ {
				change(&m.Blocks[k])
			}
		}
	}
	last := func(m *store.Marks) *store.Mark { return &m.Blocks[len(m.Blocks)-1] }
	for _, tt := range []struct {
		name   string
		change func(*store.Marks)
		asked  int
	}{
		{"as they are", func(*store.Marks) {}, 0},
		{"blocks begin in the middle of a word", each(func(b *store.Mark) { b.Byte += 12 }), 1},
		{"of n-grams of another size", func(m *store.Marks) { m.Sizes = []int{5} }, 1},
		{"with fewer n-grams", func(m *store.Marks) { last(m).Grams = []int64{last(m).Grams[0] - 1} }, 1},
		{"with more n-grams", func(m *store.Marks) { last(m).Grams = []int64{last(m).Grams[0] + 1} }, 1},
		{"with fewer pairs", func(m *store.Marks) { last(m).Pairs-- }, 1},
		{"with more pairs", func(m *store.Marks) { last(m).Pairs++ }, 1},
	} {
		asked := 0
		res := search(t, misled{unmarked{s, &asked}, tt.change}, set, suspect, Options{N: 4})
		if len(res.Passages) != 2 || res.Passages[0].Words != 100 || res.Passages[1].Grade != Reworded || asked != tt.asked {
			t.Errorf("%s: passages %+v, %d texts read whole; want one of 100 words and a reworded one, and %d", tt.name, res.Passages, asked, tt.asked)
		}
	}
}

// misled has other marks than those of its texts.
type misled struct {
	unmarked
	change func(*store.Marks)
}

func (m misled) Pieces(ctx context.Context, ids []store.DocID, choose func(int, *store.Marks) ([]store.Piece, error), fn func(int, []string, error) error) error {
	return m.Reader.Pieces(ctx, ids, func(i int, marks *store.Marks) ([]store.Piece, error) {
		other := *marks
		other.Blocks = slices.Clone(marks.Blocks)
		m.change(&other)
		return choose(i, &other)
	}, fn)
}

// TestPlansJoin: the ranges of a plan rise, do not touch, and have the blocks of all that
// were added and no others.
func TestPlansJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 500 {
		p, want := new(plan), [40]bool{}
		for range r.IntN(8) {
			from := r.IntN(39)
			x := [2]int{from, from + 1 + r.IntN(min(8, 40-from))}
			p.ranges = append(p.ranges, x)
			for i := x[0]; i < x[1]; i++ {
				want[i] = true
			}
		}
		p.join()
		last, got := -1, [40]bool{}
		for _, x := range p.ranges {
			if x[0] <= last || x[1] <= x[0] {
				t.Fatalf("ranges %v touch or do not rise", p.ranges)
			}
			last = x[1]
			for i := x[0]; i < x[1]; i++ {
				got[i] = true
			}
		}
		if got != want {
			t.Fatalf("ranges %v have the blocks %v, want %v", p.ranges, got, want)
		}
	}
}

// naiveJoined joins boxes as long as two meet.
func naiveJoined(list []box) []box {
	for i := range list {
		for j := range i {
			if list[i].meets(list[j]) {
				rest := slices.Concat(list[:j], list[j+1:i], list[i+1:])
				return naiveJoined(append(rest, list[i].with(list[j])))
			}
		}
	}
	return list
}

func TestJoinedIsTheNaiveOne(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	some := func() stretch { from := r.IntN(300); return stretch{from, from + 1 + r.IntN(40)} }
	for round := range 300 {
		var list []box
		for range r.IntN(40) {
			list = append(list, box{some(), some(), false})
		}
		got, want := joined(slices.Clone(list)), naiveJoined(list)
		has := map[box]bool{}
		for _, b := range want {
			has[b] = true
		}
		for _, b := range got {
			if !has[b] || len(got) != len(want) {
				t.Fatalf("round %d: %v, want %v", round, got, want)
			}
		}
	}
}

// TestRareSites: the longer the two texts are, the rarer the words of a chance site must be. A
// site that alone names a document is always examined.
func TestRareSites(t *testing.T) {
	sites := []site{{1, 1, 8.1}, {2, 2, 10.5}, {3, 3, 13.9}, {4, 4, 14}}
	for _, tt := range []struct{ suspect, source, want int }{
		{1400, 700, 4},
		{1400, 29_000, 4},
		{1400, 29_000 * 12, 3},  // ln 12 = 2.48
		{45_000, 29_000 * 2, 2}, // ln 64 = 4.2
		{5_000_000, 5_000_000, 1},
	} {
		got := rareSites(sites, tt.suspect, tt.source)
		if len(got) != tt.want || got[len(got)-1] != sites[3] {
			t.Errorf("%d and %d words: sites %v, want the last %d", tt.suspect, tt.source, got, tt.want)
		}
	}
	if len(sites) != 4 {
		t.Errorf("the sites that were given are now %v", sites)
	}
}

// TestPairsAloneGetAFirstLook: where only pairs of words meet, little is aligned,
// also in a source that shares more elsewhere.
func TestPairsAloneGetAFirstLook(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	set := normSet(t, normalize.Whole)
	source := madeUp(r, 12_000)
	s := marked(t, set, 4, map[string]string{"/a": strings.Join(source, " ")})
	copied, chance := source[2000:2030], source[9000:9002]
	work := new(Work)
	res := search(t, s, set, strings.Join(slices.Concat(madeUp(r, 300), copied, madeUp(r, 300), chance, madeUp(r, 300)), " "), Options{N: 4, Work: work})
	if len(res.Passages) != 1 || res.Passages[0].Words != len(copied) {
		t.Errorf("passages %+v, want one of %d words", res.Passages, len(copied))
	}
	if got := [3]int64{work.Faint.Load(), work.Windows.Load(), work.Aligned.Load()}; got != [3]int64{0, 1, 0} {
		t.Errorf("documents named by pairs alone, windows looked at, windows aligned: %v, want 0, 1 and 0", got)
	}
}

// TestWindowsLoseNoRun: an unchanged copy is a passage, even if its window has a longer one
// that extends over an unchanged copy in another window.
func TestWindowsLoseNoRun(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	words := madeUp(r, 9000)
	here, there := words[1000:1040], words[7000:7080]
	for i, w := range there {
		words[1040+i^1] = w // neighbours have changed places
	}
	suspect := slices.Concat(madeUp(r, 300), here, there, madeUp(r, 300))
	set := normSet(t, normalize.Whole)
	index := marked(t, set, 7, map[string]string{"source.txt": strings.Join(words, " ")})
	result := search(t, index, set, strings.Join(suspect, " "), Options{N: 7})
	covered := map[int]bool{}
	for _, p := range result.Passages {
		for k := range p.Words {
			covered[p.Word+k] = true
		}
	}
	for k := 300; k < 420; k++ {
		if !covered[k] {
			t.Fatalf("word %d of the copy is in no passage", k-300)
		}
	}
}

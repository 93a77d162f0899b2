package ngram

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/corpus/corpustest"
)

// list lists the n-grams of a text of one size.
func list(t *testing.T, text string, o Options) (got []textCount, sum Summary) {
	t.Helper()
	got, sums := lists(t, text, o)
	return got, sums[0]
}

func lists(t *testing.T, text string, o Options) (got []textCount, sums []Summary) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Memory = cmp.Or(o.Memory, 1<<20)
	sums, err := List(t.Context(), corpustest.Input(t, path), o, corpustest.Folder(t), func(text []byte, count uint64) error {
		got = append(got, textCount{string(text), count})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, sums
}

// naive counts n-grams in a map.
func naive(paragraphs [][]string, o Options) (want []textCount) {
	counts := map[string]uint64{}
	for _, words := range paragraphs {
		for i := 0; i+o.Sizes[0] <= len(words); i++ {
			counts[strings.Join(words[i:i+o.Sizes[0]], " ")]++
		}
	}
	for text, count := range counts {
		if count >= o.Least {
			want = append(want, textCount{text, count})
		}
	}
	byCount := func(a, b textCount) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.text, b.text))
	}
	slices.SortFunc(want, byCount)
	if o.Top > 0 {
		want = want[:min(len(want), o.Top)]
	}
	if o.ByText {
		slices.SortFunc(want, func(a, b textCount) int { return cmp.Compare(a.text, b.text) })
	}
	return want
}

// TestIsNaive compares with counting in memory, for all lengths and orders.
func TestIsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var paragraphs [][]string
	var b strings.Builder
	for range 400 {
		var words []string
		for range r.IntN(60) {
			word := fmt.Sprintf("w%d", int(40*r.Float64()*r.Float64()))
			if r.IntN(40) == 0 {
				word = strings.Repeat("long", 200) // more than is read at first
			}
			words = append(words, word)
		}
		paragraphs = append(paragraphs, words)
		b.WriteString(strings.Join(words, ", ") + "\n\n")
	}
	for _, o := range []Options{{Sizes: []int{1}, Least: 1}, {Sizes: []int{2}, Least: 2}, {Sizes: []int{3}, Least: 1, ByText: true}, {Sizes: []int{7}, Least: 1}, {Sizes: []int{2}, Least: 1, Top: 25}, {Sizes: []int{2}, Least: 1, Top: 25, ByText: true}, {Sizes: []int{Most}, Least: 1}} {
		want := naive(paragraphs, o)
		got, sum := list(t, b.String(), o)
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d n-grams, want %d; %.3v and %.3v", o, len(got), len(want), got, want)
		}
		if sum.Listed != int64(len(want)) || o.Top == 0 && o.Least == 1 && sum.Distinct != int64(len(want)) {
			t.Errorf("%+v: the summary has %d listed of %d, want %d", o, sum.Listed, sum.Distinct, len(want))
		}
	}
}

// TestSizes checks that several sizes are the lists of each size, one after the other.
func TestSizes(t *testing.T) {
	text := "The fox and the dog saw the fox and the dog.\n\nThe dog.\n\nThe fox and the cat saw a dog."
	for _, o := range []Options{{Least: 1}, {Least: 2, ByText: true}, {Least: 1, Top: 3}} {
		var want []textCount
		var sums []Summary
		for _, n := range []int{1, 3, 5} {
			o.Sizes = []int{n}
			part, sum := list(t, text, o)
			want, sums = append(want, part...), append(sums, sum)
		}
		o.Sizes = []int{1, 3, 5}
		got, all := lists(t, text, o)
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", o, got, want)
		}
		if !slices.Equal(all, sums) {
			t.Errorf("%+v: %+v, want %+v", o, all, sums)
		}
	}
}

// TestBlank has tokens between blanks and punctuation, as they are.
func TestBlank(t *testing.T) {
	got, _ := list(t, "The fox can't run.\n\nThe “quick”", Options{Sizes: []int{2}, Least: 1, ByText: true, Blank: true})
	want := []textCount{{"The fox", 1}, {"The “quick”", 1}, {"can t", 1}, {"fox can", 1}, {"run The", 1}, {"t run", 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestBlocks lists n-grams of so many words that these are looked up in several blocks, and in
// pieces of them where there is little memory; some go on after the end of one.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var b strings.Builder
	var words []string
	for b.Len() < leastBlock+2*leastPiece {
		word := fmt.Sprintf("%s%d", strings.Repeat("w", 1+r.IntN(3000)*r.IntN(2)), r.IntN(40))
		if r.IntN(500) == 0 {
			word = strings.Repeat("long", 1<<15)
		}
		b.WriteString(word + " ")
		words = append(words, word)
	}
	o := Options{Sizes: []int{3}, Least: 1, ByText: true, Blank: true, Memory: 1 << 14}
	want := naive([][]string{words}, o)
	got, _ := list(t, b.String(), o)
	if !slices.Equal(got, want) || len(got) < 1000 {
		t.Errorf("%d 3-grams, counted in memory %d", len(got), len(want))
	}
}

// TestFloor raises the count from which on n-grams may be listed as parts are counted, and
// loses none of the most frequent.
func TestFloor(t *testing.T) {
	tl := tally{top: 3, times: map[uint64]int64{}}
	for _, part := range []struct {
		times map[uint64]int64
		want  uint64
	}{
		{map[uint64]int64{1: 2}, 1},       // fewer than are listed: the floor is that of the options
		{map[uint64]int64{1: 5, 2: 1}, 1}, // the third of them is counted once
		{map[uint64]int64{2: 1, 9: 1}, 2},
		{map[uint64]int64{3: 1}, 2}, // 9, 3, 2, 2
		{map[uint64]int64{3: 1}, 3},
	} {
		tl.floor.Store(max(1, tl.floor.Load()))
		tl.merge(&counter{times: part.times})
		if got := tl.floor.Load(); got != part.want {
			t.Errorf("after counts %v the floor is %d, want %d", part.times, got, part.want)
		}
	}
}

// TestRecords comes back from a record what went in, and records sort by count or text.
func TestRecords(t *testing.T) {
	sorted := []textCount{{"b", 1 << 40}, {"a", 65536}, {"z", 65535}, {"a", 256}, {"b", 256}, {"z", 255}, {"a", 2}, {"a b", 2}, {"", 1}}
	for _, o := range []Options{{}, {ByText: true}} {
		var last []byte
		for i, r := range sorted {
			record := o.encode(nil, []byte(r.text), r.count)
			if text, count := o.decode(record); string(text) != r.text || count != r.count {
				t.Errorf("%v comes back as %q, %d", r, text, count)
			}
			if !o.ByText && i > 0 && bytes.Compare(last, record) >= 0 {
				t.Errorf("%v does not sort after the one before", r)
			}
			last = record
		}
	}
	o := Options{ByText: true}
	if a, b := o.encode(nil, []byte("a b"), 300), o.encode(nil, []byte("a b c"), 1); bytes.Compare(a, b) >= 0 {
		t.Error("a text does not sort before those that it begins")
	}
}

package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// sharing returns an answer of the index in which the document i+1 has the
// n-gram grams[i].
func sharing(words int, docs []int32) answers {
	s := &shared{grams: grams{n: 3, list: make([]gram, words)}, tallies: map[store.DocID]*tally{}}
	for i, g := range docs {
		id := store.DocID(i + 1)
		s.tallies[id] = &tally{doc: id, done: []run{{gram: g, k: 1}}}
	}
	return answers{s}
}

func TestMostAligned(t *testing.T) {
	var docs []int32
	for i := range mostAligned {
		docs = append(docs, int32(i))
	}
	if picked, left := sharing(2000, docs).toAlign(); len(picked) != mostAligned || len(left) != 0 {
		t.Errorf("%d of %d are aligned and %d are left, want each", len(picked), len(docs), len(left))
	}
	docs = append(docs, 1500, 1501)
	if picked, left := sharing(2000, docs).toAlign(); len(picked) != mostAligned || len(left) != 2 {
		t.Errorf("%d of %d are aligned and %d are left, want %d", len(picked), len(docs), len(left), mostAligned)
	}
}

func TestSurelyAligned(t *testing.T) {
	s := sharing(10, make([]int32, surelyAligned+5)) // all have the same n-gram
	for _, tl := range s[0].tallies {
		tl.weight = 1
	}
	s[0].tallies[33].weight = 2
	picked, left := s.toAlign()
	var got []store.DocID
	for tl := range picked {
		got = append(got, tl.doc)
	}
	slices.Sort(got)
	want := []store.DocID{33}
	for id := range store.DocID(surelyAligned - 1) {
		want = append(want, id+1)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) || len(left) != 0 {
		t.Errorf("documents %v are aligned and %d left, want the weightiest and of equal ones the first: %v", got, len(left), want)
	}
}

// TestMostListed shares one sentence with more documents than are listed.
func TestMostListed(t *testing.T) {
	c := candidates{}
	for i := range mostListed + 3 {
		c.list = append(c.list, candidate{tally: &tally{doc: store.DocID(i), weight: float64(i % 7)}, align: i < 5, own: i == 9})
	}
	c.cut()
	if len(c.list) != mostListed || c.unlisted != 3 {
		t.Errorf("%d candidates, %d unlisted; want %d and 3", len(c.list), c.unlisted, mostListed)
	}
	for i, want := range []store.DocID{4, 3, 2, 1, 0, 9, 6} {
		if got := c.list[i].doc; got != want {
			t.Errorf("candidate %d is %d, want %d: the aligned ones, those with an n-gram of their own, then by weight", i, got, want)
		}
	}
	all := candidates{}
	for i := range mostListed + 3 {
		all.list = append(all.list, candidate{tally: &tally{doc: store.DocID(i)}, align: i%2 == 0, own: i%2 == 1})
	}
	if all.cut(); len(all.list) != mostListed+3 || all.unlisted != 0 {
		t.Errorf("%d candidates, %d unlisted; want all that are aligned or have an n-gram of their own", len(all.list), all.unlisted)
	}
}

// TestUnlistedSources are counted, and leave the score as it is.
func TestUnlistedSources(t *testing.T) {
	set := normSet(t, normalize.Line)
	texts := map[string]string{}
	for i := range mostListed + 4 {
		texts[fmt.Sprint("/", i)] = "one two three four five six seven eight"
	}
	r := search(t, index(t, set, 5, texts), set, "one two three four five six seven eight", Options{N: 5})
	want := []string{"4 more sources share something, and are not listed"}
	if r.Unlisted != 4 || len(r.Sources) != mostListed || !slices.Equal(r.Notes, want) || r.Match.Percent != 100 {
		t.Errorf("%d sources and %d unlisted, notes %q, match %+v; want %d, 4, %q", len(r.Sources), r.Unlisted, r.Notes, r.Match, mostListed, want)
	}
}

func TestReach(t *testing.T) {
	float, number := func(v float64) *float64 { return &v }, func(v int) *int { return &v }
	for _, tt := range []struct {
		name  string
		limit listLimits
		match Match
		want  bool
	}{
		{"just the share", listLimits{percent: float(50)}, Match{Matched: 5, Percent: 50}, true},
		{"less", listLimits{percent: float(50.1)}, Match{Matched: 5, Percent: 50}, false},
		{"just the run", listLimits{run: number(7)}, Match{Matched: 1, Run: 7}, true},
		{"a shorter one", listLimits{run: number(8)}, Match{Matched: 1, Run: 7}, false},
		{"common n-grams make no run", listLimits{run: number(0)}, Match{Matched: 5, Common: 5}, false},
		{"nothing", listLimits{percent: float(0)}, Match{}, false},
		{"no limits", listLimits{}, Match{Matched: 1}, true},
	} {
		if got := tt.limit.reach(tt.match); got != tt.want {
			t.Errorf("%s: reach = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLongTextsAreNotAligned makes the limit the length of the source, or less.
func TestLongTextsAreNotAligned(t *testing.T) {
	const copied = "one two three four five six seven eight nine ten eleven twelve"
	source := unrelated + "\n\n" + original + "\n\n" + copied
	words, most := len(strings.Fields(source)), maxAlignedWords
	defer func() { maxAlignedWords = most }()
	tooLong := fmt.Sprintf("[{long sources 1 %[1]d 0 [/long] 1 source was not aligned, with more than %[1]d words each: only unchanged runs are shown}]", words-1)
	tooShort := "[{scattered runs 1 12 11 [] 1 unchanged run is too short for a passage, which has 12 words or more; in no passage for that reason: 11 words} "
	set := normSet(t, normalize.Auto)
	for _, tt := range []struct {
		name, text string
		limit      int
		passages   int
		unsearched string
	}{
		{"as long as can be", "My own words come first in this essay on lonely places.\n\n" + edited, words, 1, "[]"},
		{"longer", copied, words - 1, 1, tooLong},
		{"longer, with a shorter run", copied[:len(copied)-len(" twelve")], words - 1, 0, tooShort + tooLong[1:]},
	} {
		maxAlignedWords = tt.limit
		r := search(t, index(t, set, 5, map[string]string{"/long": source}), set, tt.text, Options{N: 5})
		if got := fmt.Sprint(r.Unsearched); len(r.Passages) != tt.passages || got != tt.unsearched {
			t.Errorf("%s: %d passages, unsearched %s; want %d and %s", tt.name, len(r.Passages), got, tt.passages, tt.unsearched)
		}
	}
}

// TestExactSourcesOfTheirOwnAreListed has a run that the last of many sources
// alone shares: no limit of the list may hide it.
func TestExactSourcesOfTheirOwnAreListed(t *testing.T) {
	set := normSet(t, normalize.Line)
	texts := map[string]string{"/own": "nine ten eleven twelve thirteen"}
	for i := range mostListed + 4 {
		texts[fmt.Sprint("/", i)] = "one two three four five six seven eight"
	}
	for _, exact := range []bool{true, false} {
		r := search(t, index(t, set, 5, texts), set, "one two three four five six seven eight\nnine ten eleven twelve thirteen", Options{N: 5, Exact: exact})
		if !slices.ContainsFunc(r.Sources, func(s Source) bool { return s.Path == "/own" }) || exact && r.Score.Percent != 100 {
			t.Errorf("exact %v: score %v %%, %d sources; want /own among them", exact, r.Score.Percent, len(r.Sources))
		}
	}
}

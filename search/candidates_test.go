package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/memory"
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

// fewer returns bounds with which that many sources are aligned.
func fewer(sources int) *bounds {
	b := usual
	b.aligned = sources
	return &b
}

// shorter returns bounds with which texts of that many words are aligned.
func shorter(words int) *bounds {
	b := usual
	b.words = words
	return &b
}

func TestMostAligned(t *testing.T) {
	var docs []int32
	for i := range usual.aligned {
		docs = append(docs, int32(i))
	}
	if picked, left := sharing(2000, docs).toAlign(usual.aligned); len(picked) != usual.aligned || len(left) != 0 {
		t.Errorf("%d of %d are aligned and %d are left, want each", len(picked), len(docs), len(left))
	}
	docs = append(docs, 1500, 1501)
	if picked, left := sharing(2000, docs).toAlign(usual.aligned); len(picked) != usual.aligned || len(left) != 2 {
		t.Errorf("%d of %d are aligned and %d are left, want %d", len(picked), len(docs), len(left), usual.aligned)
	}
}

func TestSurelyAligned(t *testing.T) {
	s := sharing(10, make([]int32, surelyAligned+5)) // all have the same n-gram
	for _, tl := range s[0].tallies {
		tl.weight = 1
	}
	s[0].tallies[33].weight = 2
	picked, left := s.toAlign(usual.aligned)
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
	s := index(t, set, 5, texts)
	first := func(id store.DocID) bool {
		return slices.Contains([]store.DocID{store.IDOf("", "/0"), store.IDOf("", "/1"), store.IDOf("", "/2")}, id)
	}
	for _, tt := range []struct {
		skip     func(store.DocID) bool
		unlisted int64
		note     string
	}{{nil, 4, "4 more sources share something, and are not listed"}, {first, 1, "1 more source shares something, and is not listed"}} {
		r := search(t, s, set, "one two three four five six seven eight", Options{N: 5, Skip: tt.skip})
		if r.Unlisted != tt.unlisted || len(r.Sources) != mostListed || !slices.Equal(r.Notes, []string{tt.note}) || r.Match.Percent != 100 {
			t.Errorf("%d sources and %d unlisted, notes %q, match %+v; want %d, %d, %q", len(r.Sources), r.Unlisted, r.Notes, r.Match, mostListed, tt.unlisted, tt.note)
		}
		if n := countKind(r, UnsearchedFurther); n != 0 {
			t.Errorf("%d sources are said to be left out of aligning, want none: better ones have all that they share", n)
		}
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

// TestLimitsOfOneParagraph: a source is listed if it reaches the limits in one paragraph,
// however little of the whole text it has; and not if it reaches them in none.
func TestLimitsOfOneParagraph(t *testing.T) {
	set := normSet(t, normalize.Line)
	s := index(t, set, 3, map[string]string{"/a": "a1 a2 a3 a4 a5", "/b": "b1 b2 b3"})
	const text = "a1 a2 a3 a4 a5\nown words go on here\nb1 b2 b3 and then others follow\nmore words of my own end it"
	percent := func(v float64) *float64 { return &v }
	for least, want := range map[float64]string{0: "/a /b", 50: "/a", 100: "/a", 10: "/a /b"} {
		if got := namesOf(search(t, s, set, text, Options{N: 3, Exact: true, MinPercent: percent(least)})); got != want {
			t.Errorf("from %v %% on: sources %q, want %q", least, got, want)
		}
	}
}

// TestLongTextsAreNotAligned makes the limit the length of the source, or less.
func TestLongTextsAreNotAligned(t *testing.T) {
	const copied = "one two three four five six seven eight nine ten eleven twelve"
	source := unrelated + "\n\n" + original + "\n\n" + copied
	words := len(strings.Fields(source))
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
		r := search(t, index(t, set, 5, map[string]string{"/long": source}), set, tt.text, Options{N: 5, bounds: shorter(tt.limit)})
		if got := fmt.Sprint(r.Unsearched); len(r.Passages) != tt.passages || got != tt.unsearched {
			t.Errorf("%s: %d passages, unsearched %s; want %d and %s", tt.name, len(r.Passages), got, tt.passages, tt.unsearched)
		}
	}
}

// TestLongSuspectIsNotAligned: its unchanged runs are shown nevertheless.
func TestLongSuspectIsNotAligned(t *testing.T) {
	set := normSet(t, normalize.Auto)
	text := "My own words come first in this essay on lonely places.\n\n" + edited
	words := len(strings.Fields(text))
	s := index(t, set, 5, map[string]string{"/keeper": original})
	for limit, want := range map[int]string{
		words: "aligned []",
		words - 1: " [{scattered runs 2 12 16 [] 2 unchanged runs are too short for a passage, which has 12 words or more; in no passage for that reason: 16 words} " +
			fmt.Sprintf("{long suspect %d %d 0 [] the text has %[1]d words, and with more than %[2]d it is not aligned: only unchanged runs are shown}]", words, words-1),
	} {
		r := search(t, s, set, text, Options{N: 5, bounds: shorter(limit)})
		kinds := ""
		for _, p := range r.Passages {
			kinds += p.Kind
		}
		if got := fmt.Sprint(kinds, " ", r.Unsearched); got != want {
			t.Errorf("with %d words at most: passages and unsearched %s, want %s", limit, got, want)
		}
	}
	if r := search(t, s, set, text, Options{N: 5, Exact: true}); len(r.Unsearched) > 0 {
		t.Errorf("exact: unsearched %v, want nothing, as nothing is aligned", r.Unsearched)
	}
}

// TestFurtherSourcesAreTold: of more sources than are aligned, the weightiest are, and of
// the others unchanged runs are shown; those that pairs of words name are aligned too.
func TestFurtherSourcesAreTold(t *testing.T) {
	set := normSet(t, normalize.Auto)
	rng := rand.New(rand.NewPCG(4, 1))
	var texts, suspect []string
	for i := range 4 {
		words := madeUp(rng, 40+10*i)
		texts = append(texts, strings.Join(words, " "))
		for k := 5; k < len(words); k += 6 {
			words[k] = madeUp(rng, 1)[0]
		}
		suspect = slices.Concat(suspect, words, madeUp(rng, 20))
	}
	const unpaired = "{reworded copies 4 0 0 [] reworded copies were not looked for in 4 of 4 documents: only where n-grams name the source}]"
	alone := sampledIndex(t, set, 5, "", texts)
	paired := index(t, set, 5, map[string]string{"0": texts[0], "1": texts[1], "2": texts[2], "3": texts[3]})
	for _, tt := range []struct {
		s     *memory.Store
		opts  Options
		most  int
		names string
		want  string
	}{
		{alone, Options{}, 4, "0 1 2 3", "[" + unpaired},
		{alone, Options{}, 3, "1 2 3", "[{further sources 1 3 0 [] 1 source was not aligned, beyond the first 3: only unchanged runs of them are shown} " + unpaired},
		{alone, Options{}, 1, "3", "[{further sources 3 1 0 [] 3 sources were not aligned, beyond the first 1: only unchanged runs of them are shown} " + unpaired},
		{alone, Options{AlignAll: true}, 1, "0 1 2 3", "[]"},
		{alone, Options{Exact: true}, 1, "", "[]"},
		{paired, Options{}, 1, "0 1 2 3", "[]"},
	} {
		tt.opts.bounds, tt.opts.N = fewer(tt.most), 5
		r := search(t, tt.s, set, strings.Join(suspect, " "), tt.opts)
		var aligned []string
		for _, p := range r.Passages {
			if p.Kind == KindAligned {
				aligned = append(aligned, r.Sources[p.Source].Name)
			}
		}
		slices.Sort(aligned)
		if got := fmt.Sprint(r.Unsearched); got != tt.want || strings.Join(aligned, " ") != tt.names || len(r.Sources) != 4 {
			t.Errorf("%d at most, %+v: %d sources, %q aligned, unsearched %s; want 4, %s, %s", tt.most, tt.opts, len(r.Sources), aligned, got, tt.names, tt.want)
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

// TestTheirOwnIsListedHoweverLight: of many sources that share less than all others, the one
// that shares words of its own is listed, whether or not the limit of aligned sources is
// reached.
func TestTheirOwnIsListedHoweverLight(t *testing.T) {
	set := normSet(t, normalize.Line)
	texts := map[string]string{}
	for i := range mostListed + 4 {
		texts[fmt.Sprint("/", i)] = "one two three four five six seven eight nine ten eleven twelve"
	}
	for i := range mostListed / 4 {
		texts[fmt.Sprint("/light/", i)] = "a b c d e"
	}
	s := index(t, set, 5, texts)
	for _, most := range []int{usual.aligned, 1} {
		r := search(t, s, set, "one two three four five six seven eight nine ten eleven twelve\na b c d e", Options{N: 5, Exact: true, Common: 5000, bounds: fewer(most)})
		light := 0
		for _, src := range r.Sources {
			if strings.HasPrefix(src.Path, "/light/") {
				light++
			}
		}
		if light != 1 || r.Score.Percent != 100 || r.Unlisted != mostListed/4+4 {
			t.Errorf("%d aligned at most: score %v %%, %d of the light sources listed, %d sources not; want 100, 1 and %d", most, r.Score.Percent, light, r.Unlisted, mostListed/4+4)
		}
	}
}

// TestUnchangedRunsOfFurtherSources: a source beyond those that are aligned has its
// unchanged runs as passages, and one that is aligned has none of that kind beside.
func TestUnchangedRunsOfFurtherSources(t *testing.T) {
	set := normSet(t, normalize.Auto)
	rng := rand.New(rand.NewPCG(6, 2))
	long, short := strings.Join(madeUp(rng, 90), " "), strings.Join(madeUp(rng, 30), " ")
	s := sampledIndex(t, set, 5, "", []string{long, short})
	r := search(t, s, set, long+" "+strings.Join(madeUp(rng, 40), " ")+" "+short, Options{N: 5, bounds: fewer(1)})
	var got []string
	for _, p := range r.Passages {
		got = append(got, fmt.Sprint(r.Sources[p.Source].Name, " ", p.Kind, " ", p.Words))
	}
	if want := []string{"0 exact 90", "1 exact 30"}; !slices.Equal(got, want) || r.Score.Covered != 120 {
		t.Errorf("passages %q, %d words covered; want %q and 120", got, r.Score.Covered, want)
	}
}

// TestCoversWhatIsNew: a source has something new if any of its n-grams is, the first
// or the last, and has all of them then.
func TestCoversWhatIsNew(t *testing.T) {
	covered := []bool{false, true, true, true, false}
	tl := func(gram, k int32) *tally { return &tally{done: []run{{gram: gram, k: k}}} }
	for i, tt := range []struct {
		gram, k int32
		want    bool
	}{{1, 3, false}, {0, 3, true}, {0, 3, false}, {2, 3, true}, {0, 5, false}} {
		if got := tl(tt.gram, tt.k).covers(covered); got != tt.want {
			t.Errorf("step %d: n-grams %d to %d have something new: %v, want %v", i, tt.gram, tt.gram+tt.k-1, got, tt.want)
		}
	}
}

// TestAlignedAllKeepTheirEvidence: if all documents are aligned, those found by pairs of words
// keep the evidence of the pairs.
func TestAlignedAllKeepTheirEvidence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	set := normSet(t, normalize.Auto)
	words := madeUp(r, 300)
	s := marked(t, set, 4, map[string]string{"/a": strings.Join(words, " "), "/b": strings.Join(madeUp(r, 300), " ")})
	text := strings.Join(slices.Concat(madeUp(r, 700), reworded(r, words[100:202])), " ")
	some, all := search(t, s, set, text, Options{N: 4}), search(t, s, set, text, Options{N: 4, AlignAll: true})
	if len(some.Sources) != 1 || len(all.Sources) != 1 || some.Sources[0].Pairs < 2 {
		t.Fatalf("sources %s, with all aligned %s; want /a, by its pairs", namesOf(some), namesOf(all))
	}
	if got, want := all.Sources[0], some.Sources[0]; got.Pairs != want.Pairs || got.PairScore != want.PairScore || got.Covered != want.Covered {
		t.Errorf("with all aligned: %d pairs of score %v, %d words covered; want %d, %v and %d", got.Pairs, got.PairScore, got.Covered, want.Pairs, want.PairScore, want.Covered)
	}
}

package align

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// pairOf returns a pair whose suspect has this number of words.
func pairOf(words int) *pair {
	return &pair{params: &Params{}, a: side{Prepared: &Prepared{forms: make([]int32, words)}}}
}

func TestOverlapOfHalf(t *testing.T) {
	p := pairOf(40)
	long := candidate{a: span{0, 20}, b: span{0, 20}, kind: Cluster}
	half := candidate{a: span{15, 25}, b: span{50, 60}, kind: Cluster}
	more := candidate{a: span{14, 22}, b: span{70, 78}, kind: Cluster}
	got := p.disjoint([]candidate{more, half, long})
	half.a.from = 20
	if want := []candidate{long, half}; !slices.Equal(got, want) {
		t.Errorf("disjoint = %v, want %v: one with half of its words taken keeps the rest", got, want)
	}
}

func TestLongestFree(t *testing.T) {
	marked := make([]bool, 12)
	marked[3], marked[7] = true, true
	if got, want := longestFree(marked, span{0, 11}), (span{0, 3}); got != want {
		t.Errorf("longestFree = %v, want %v: the first of equal ones", got, want)
	}
	if got, want := longestFree(marked, span{3, 12}), (span{8, 12}); got != want {
		t.Errorf("longestFree = %v, want %v", got, want)
	}
}

func TestSpansThatTouchDoNotMeet(t *testing.T) {
	a, b := span{0, 5}, span{5, 9}
	if a.meets(b) || b.meets(a) {
		t.Errorf("%v and %v meet, want apart: they share no word", a, b)
	}
	for _, tt := range []struct {
		o    span
		want int
	}{{b, 0}, {span{7, 9}, 0}, {span{4, 9}, 1}, {span{1, 3}, 2}, {a, 5}} {
		if got := a.common(tt.o); got != tt.want || tt.o.common(a) != tt.want {
			t.Errorf("%v and %v have %d words in common, want %d", a, tt.o, got, tt.want)
		}
	}
	if c := (span{4, 6}); !a.meets(c) || !c.meets(a) {
		t.Errorf("%v and %v do not meet", a, c)
	}
}

// TestRunsThatShareHalf has two runs of 24 words that share 12 in the suspect:
// both stay.
func TestRunsThatShareHalf(t *testing.T) {
	var words []string
	for i := range 36 {
		words = append(words, fmt.Sprint("word", i))
	}
	suspect := prepare(t, strings.Join(words, " "))
	source := prepare(t, strings.Join(words[:24], " ")+" between "+strings.Join(words[12:], " "))
	params := DefaultParams().bounded()
	p := newPair(&params, suspect, source)
	var got []span
	for _, c := range p.exactRuns() {
		got = append(got, c.a)
	}
	if want := []span{{0, 24}, {12, 36}}; !slices.Equal(got, want) {
		t.Errorf("exact runs %v, want %v", got, want)
	}
}

// TestRunsThatPassagesHalfCover are not added again.
func TestRunsThatPassagesHalfCover(t *testing.T) {
	p := pairOf(60)
	passage := candidate{a: span{0, 20}, b: span{0, 20}, kind: Cluster}
	half := candidate{a: span{10, 30}, b: span{80, 100}, kind: Exact}
	less := candidate{a: span{11, 31}, b: span{40, 60}, kind: Exact}
	if got := p.withExact([]candidate{passage}, []candidate{half}); len(got) != 1 {
		t.Errorf("withExact = %v, want the passage alone", got)
	}
	if got := p.withExact([]candidate{passage}, []candidate{less}); len(got) != 2 {
		t.Errorf("withExact = %v, want the run added: passages cover 9 of its 20 words", got)
	}
	same := candidate{a: less.a, b: span{90, 110}, kind: Exact}
	if got := p.withExact([]candidate{passage}, []candidate{less, same}); len(got) != 2 {
		t.Errorf("withExact = %v, want one of two runs of the same words", got)
	}
}

// TestSettle: of passages that overlap, exact ones go first, then longer ones; one
// with more than half of its words in those stays out.
func TestSettle(t *testing.T) {
	passage := func(kind Kind, from, to, source int) Passage {
		return Passage{Kind: kind, Words: to - from, Suspect: Range{From: from, To: to}, Source: Range{From: source, To: source + to - from}}
	}
	long := passage(Cluster, 100, 160, 0)
	half, more := passage(Cluster, 140, 180, 500), passage(Cluster, 139, 179, 500)
	exact, far := passage(Exact, 105, 140, 900), passage(Cluster, 10, 30, 40)
	for _, tt := range []struct {
		name       string
		list, want []Passage
	}{
		{"half of it is free", []Passage{half, long}, []Passage{long, half}},
		{"more than half is not", []Passage{more, long}, []Passage{long}},
		{"exact ones first", []Passage{long, exact}, []Passage{exact}},
		{"the words from its end on are not its own", []Passage{half, long, passage(Cluster, 180, 260, 300)}, []Passage{long, half, passage(Cluster, 180, 260, 300)}},
		{"by place", []Passage{exact, half, far}, []Passage{far, exact, half}},
		{"the same words twice", []Passage{passage(Cluster, 10, 30, 90), far}, []Passage{far}},
		{"of what was left out nothing is taken", []Passage{more, long, passage(Cluster, 162, 178, 7)}, []Passage{long, passage(Cluster, 162, 178, 7)}},
	} {
		if got, _ := New(DefaultParams()).Settle(slices.Clone(tt.list)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestSettleLosesNoRun: a long run of equal words in a dropped passage is returned, unless a
// kept passage or an earlier run covers half of it.
func TestSettleLosesNoRun(t *testing.T) {
	least := DefaultParams().Verbatim
	exact := Passage{Kind: Exact, Words: 80, Suspect: Range{From: 140, To: 220}}
	cluster := Passage{Kind: Cluster, Words: 120, Suspect: Range{From: 100, To: 220}}
	for _, tt := range []struct {
		name  string
		equal []Run
		want  []Run
	}{
		{"a run beside what is kept", []Run{{100, 7, 40}}, []Run{{100, 7, 40}}},
		{"the shortest one", []Run{{100, 7, least}}, []Run{{100, 7, least}}},
		{"a shorter one", []Run{{100, 7, least - 1}}, nil},
		{"half of it is kept", []Run{{100, 7, 80}}, nil},
		{"less than half of it is", []Run{{101, 7, 77}}, []Run{{101, 7, 77}}},
		{"told once", []Run{{100, 7, 30}, {105, 90, 20}}, []Run{{100, 7, 30}}},
	} {
		cluster.Equal = tt.equal
		kept, lost := New(DefaultParams()).Settle([]Passage{cluster, exact})
		if len(kept) != 1 || kept[0].Kind != Exact || !slices.Equal(lost, tt.want) {
			t.Errorf("%s: kept %+v, lost %v, want %v", tt.name, kept, lost, tt.want)
		}
	}
}

func TestMove(t *testing.T) {
	p := Passage{Suspect: Range{From: 1, To: 5, Start: 8, End: 30}, Source: Range{From: 2, To: 7, Start: 9, End: 40}, Equal: []Run{{1, 2, 3}}}
	p.Move(100, 1000)
	want := Passage{Suspect: Range{From: 101, To: 105, Start: 8, End: 30}, Source: Range{From: 1002, To: 1007, Start: 9, End: 40}, Equal: []Run{{101, 1002, 3}}}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("moved: %+v, want %+v", p, want)
	}
}

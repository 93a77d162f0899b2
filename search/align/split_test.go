package align

import (
	"slices"
	"strings"
	"testing"
)

// TestPartHasTheCoresInIt: the parts of a split cluster have the cores that lie in them on
// both sides, and the peak of a part is the densest of its cores.
func TestPartHasTheCoresInIt(t *testing.T) {
	params := DefaultParams()
	params.Rounds = 0 // the bounds are those of the cores
	text := prepare(t, say(newSpeaker(1).words(200)))
	p := newPair(&params, text, text)
	at := func(i, j int32, density float32) core { return core{point{i, j, 1, 3}, density / 10} }
	whole := candidate{a: span{0, 100}, b: span{20, 60}, kind: Cluster}
	stretch := span{10, 40}
	tests := []struct {
		name         string
		cores        []core
		b            span
		peakA, peakB int32
	}{
		{"one", []core{at(20, 30, 2)}, span{30, 33}, 20, 30},
		{"the densest of two", []core{at(20, 30, 2), at(25, 40, 3)}, span{30, 43}, 25, 40},
		{"the first of two as dense", []core{at(20, 50, 2), at(25, 30, 2)}, span{30, 53}, 20, 50},
		{"at its first words", []core{at(9, 50, 9), at(10, 30, 2)}, span{30, 33}, 10, 30},
		{"at its last word", []core{at(39, 30, 2), at(40, 50, 9)}, span{30, 33}, 39, 30},
		{"at the first words of the source's side", []core{at(11, 19, 9), at(12, 20, 2)}, span{20, 23}, 12, 20},
		{"at the last word of the source's side", []core{at(11, 59, 2), at(12, 60, 9)}, span{59, 62}, 11, 59},
	}
	for _, tt := range tests {
		got, ok := p.part(whole, stretch, tt.cores)
		want := candidate{a: stretch, b: tt.b, peakA: tt.peakA, peakB: tt.peakB, kind: Cluster}
		if !ok || got != want {
			t.Errorf("%s: part %+v, %v, want %+v", tt.name, got, ok, want)
		}
	}
	if got, ok := p.part(whole, stretch, []core{at(9, 30, 2), at(20, 19, 2), at(21, 60, 2), at(40, 30, 2)}); ok {
		t.Errorf("part %+v of cores beside it, want none", got)
	}
	whole.b = span{0, 200}
	if got, _ := p.part(whole, stretch, []core{at(20, 199, 2)}); got.b != (span{199, 200}) {
		t.Errorf("a pair at the last word of the source reaches over %v, want [199, 200)", got.b)
	}
}

// TestCandidatesInOnePieceStay as they are, with the bounds that they have.
func TestCandidatesInOnePieceStay(t *testing.T) {
	params := DefaultParams()
	text := prepare(t, say(newSpeaker(1).words(200)))
	p := newPair(&params, text, text)
	found := []candidate{
		{a: span{0, 3}, b: span{0, 3}, kind: Cluster},       // rises by less than a part does
		{a: span{10, 90}, b: span{10, 90}, kind: Cluster},   // one part
		{a: span{95, 99}, b: span{150, 190}, kind: Cluster}, // none of its words occurs
	}
	cores := []core{{point{1, 1, 1, 3}, 2}, {point{20, 20, 1, 3}, 2}, {point{96, 160, 1, 3}, 2}}
	if got := p.split(found, cores); !slices.Equal(got, found) {
		t.Errorf("split = %+v, want %+v", got, found)
	}
}

// TestSplitAtOwnWords: two copies separated by twenty words of the suspect's own become two
// candidates with new bounds; a part without a core is dropped.
func TestSplitAtOwnWords(t *testing.T) {
	params := DefaultParams()
	params.LeastWords = 100_000 // among this many words, none is frequent
	s := newSpeaker(8)
	copied := s.prose(60)
	own := strings.Fields("heron otter badger weasel stoat polecat marten beaver lynx wolf bear hare moose bison tarpan aurochs saiga wisent sable ermine")
	source := prepare(t, say(s.prose(50), copied, s.prose(50)))
	suspect := prepare(t, say(s.prose(100), copied[:30], own, copied[30:], s.prose(100)))
	p := newPair(&params, suspect, source)
	whole := candidate{a: span{100, 180}, b: span{50, 110}, kind: Cluster}
	first := core{point{110, 60, 1, 3}, 2}
	second := core{point{160, 90, 1, 3}, 2}
	want := []candidate{
		{a: span{100, 130}, b: span{50, 80}, peakA: 110, peakB: 60, kind: Cluster},
		{a: span{150, 180}, b: span{80, 110}, peakA: 160, peakB: 90, kind: Cluster},
	}
	bounded := slices.Clone(want)
	for i := range bounded {
		b := bounded[i].peakB
		bounded[i].b = span{b, b + 3} // what the core has
		p.bound(&bounded[i])
	}
	if got := p.split([]candidate{whole}, []core{first, second}); !slices.Equal(got, bounded) {
		t.Errorf("split = %+v, want %+v", got, bounded)
	}
	if got := p.split([]candidate{whole}, []core{second}); !slices.Equal(got, bounded[1:]) {
		t.Errorf("split = %+v, want %+v: the other has no core", got, bounded[1:])
	}
	params.Rounds, params.Reach = 0, 0
	for i := range want {
		want[i].b = span{want[i].peakB, want[i].peakB + 3}
	}
	if got := p.split([]candidate{whole}, []core{first, second}); !slices.Equal(got, want) {
		t.Errorf("split without new bounds = %+v, want %+v", got, want)
	}
}

// TestWordsOfTheSourceAreUsedUp: a word that the source has once raises the sum once.
func TestWordsOfTheSourceAreUsedUp(t *testing.T) {
	params := DefaultParams()
	params.SplitToll = 0.25
	p := newPair(&params, prepare(t, "heron otter heron badger otter"), prepare(t, "otter weasel heron otter"))
	got := p.inOrder(candidate{a: span{0, 5}, b: span{0, 4}})
	var want []float64
	for i, there := range []bool{true, true, false, false, true} {
		w := p.weight[p.a.key[i]]
		if want = append(want, -w*0.25); there {
			want[i] = w * 0.75
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
	if slices.ContainsFunc(p.left, func(n int32) bool { return n != 0 }) {
		t.Error("the bag of words is not empty")
	}
}

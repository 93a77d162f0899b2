package align

import (
	"fmt"
	"slices"
	"testing"
)

// TestHardlyMore: a tenth of a span may be outside of the other, or two words.
func TestHardlyMore(t *testing.T) {
	for _, tt := range []struct {
		s, o span
		want bool
	}{
		{span{10, 22}, span{12, 22}, true},
		{span{10, 22}, span{13, 22}, false},
		{span{10, 22}, span{11, 21}, true},
		{span{0, 50}, span{5, 50}, true},
		{span{0, 50}, span{6, 50}, false},
		{span{0, 59}, span{5, 59}, true},
		{span{0, 59}, span{6, 59}, false}, // a tenth are five whole words
		{span{0, 50}, span{0, 90}, true},
	} {
		if got := tt.s.hardlyMore(tt.o); got != tt.want {
			t.Errorf("%v.hardlyMore(%v) = %v, want %v", tt.s, tt.o, got, tt.want)
		}
	}
}

// run returns an exact run, at the same place of both texts.
func run(from, to int32) candidate {
	return candidate{a: span{from, to}, b: span{from, to}, kind: Exact}
}

// TestOnlyLongRunsReplaceClusters: a cluster gives way to its runs where enough of
// its words are in long ones, of LongRun words or more.
func TestOnlyLongRunsReplaceClusters(t *testing.T) {
	params := Params{LongRun: 40, LongShare: 0.7, TileShare: 0.8}
	p := &pair{params: &params}
	for _, tt := range []struct {
		cluster span
		runs    []candidate
		want    []candidate
	}{
		{span{0, 57}, []candidate{run(10, 50)}, []candidate{run(10, 50)}},   // 70.2 % in a run of 40 words
		{span{0, 58}, []candidate{run(10, 50)}, nil},                        // 69.0 %
		{span{0, 50}, []candidate{run(5, 44)}, nil},                         // 78 %, but of 39 words
		{span{0, 200}, []candidate{run(10, 55), run(100, 120)}, nil},        // 22 %
		{span{0, 60}, []candidate{run(10, 52)}, []candidate{run(10, 52)}},   // just 70 %
		{span{0, 50}, []candidate{run(60, 110)}, []candidate{run(60, 110)}}, // elsewhere: both stay
	} {
		cluster := candidate{a: tt.cluster, b: tt.cluster, kind: Cluster}
		got := p.replaced([]candidate{cluster}, tt.runs)
		want := tt.want
		if kept := want == nil || !want[0].a.meets(tt.cluster); kept {
			want = append([]candidate{cluster}, want...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("cluster %v with %v: %v, want %v", tt.cluster, tt.runs, got, want)
		}
	}
}

// TestRunsMeetClustersOnBothSides: a run copied from elsewhere in the source is no part of a
// cluster.
func TestRunsMeetClustersOnBothSides(t *testing.T) {
	params := Params{LongRun: 40, LongShare: 0.7, TileShare: 0.8}
	p := &pair{params: &params}
	cluster := candidate{a: span{0, 50}, b: span{0, 50}, kind: Cluster}
	for _, e := range []candidate{
		{a: span{0, 50}, b: span{300, 350}, kind: Exact},
		{a: span{300, 350}, b: span{0, 50}, kind: Exact},
	} {
		if got, want := p.replaced([]candidate{cluster}, []candidate{e}), []candidate{cluster, e}; !slices.Equal(got, want) {
			t.Errorf("replaced by %v: %v, want %v", e, got, want)
		}
	}
}

// TestExactRuns: runs of Verbatim words and more, the longest first; of two copies
// of the same words one is enough.
func TestExactRuns(t *testing.T) {
	s := newSpeaker(21)
	params := DefaultParams().bounded()
	words := func(from, to int) (list []string) {
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprintf("%c%cword", 'a'+i%26, 'a'+i/26))
		}
		return list
	}
	own := func() []string { return s.prose(9) }
	for _, tt := range []struct {
		name   string
		source [][]string
		want   []span
	}{
		{"twelve words", [][]string{words(30, 42), own(), words(60, 71)}, []span{{30, 42}}},
		{"the longest first", [][]string{words(0, 12), own(), words(30, 50), own(), words(80, 94)}, []span{{30, 50}, {80, 94}, {0, 12}}},
		{"the same words twice", [][]string{words(0, 24), own(), words(2, 24), own(), words(40, 60)}, []span{{0, 24}, {40, 60}}},
		{"more than half of them again", [][]string{words(0, 24), own(), words(11, 35)}, []span{{0, 24}}},
		{"half of them again", [][]string{words(0, 24), own(), words(12, 36)}, []span{{0, 24}, {12, 36}}},
	} {
		p := newPair(&params, prepare(t, say(words(0, 100))), prepare(t, say(tt.source...)))
		var got []span
		for _, c := range p.exactRuns() {
			got = append(got, c.a)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: exact runs %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestTiles: runs that take TileShare of the words between the first and the last are one
// passage.
func TestTiles(t *testing.T) {
	params := Params{TileShare: 0.8}
	p := &pair{params: &params}
	moved := candidate{a: span{100, 140}, b: span{100, 140}, kind: Exact}
	for _, tt := range []struct {
		first candidate
		used  bool
		want  []candidate
	}{
		{run(40, 80), false, []candidate{{a: span{40, 140}, b: span{40, 140}, kind: Cluster, sharp: start | end}}}, // 80 of 100 words
		{run(39, 79), false, []candidate{run(39, 79), moved}},                                                      // of 101
		{candidate{a: span{60, 100}, b: span{39, 79}}, false, []candidate{{a: span{60, 100}, b: span{39, 79}}, moved}},
		{candidate{a: span{39, 79}, b: span{60, 100}}, false, []candidate{{a: span{39, 79}, b: span{60, 100}}, moved}},
		{run(40, 80), true, []candidate{moved}},
	} {
		got := p.tiles([]int{0, 1}, []candidate{tt.first, moved}, []bool{tt.used, false})
		if !slices.Equal(got, tt.want) {
			t.Errorf("%+v (used: %v) and %+v: %+v, want %+v", tt.first, tt.used, moved, got, tt.want)
		}
	}
}

// TestSharpened: a cluster that is hardly more than a run ends where the run ends. Runs are
// unchanged.
func TestSharpened(t *testing.T) {
	p := &pair{}
	cluster := candidate{a: span{8, 61}, b: span{10, 61}, kind: Cluster}
	longer := candidate{a: span{8, 90}, b: span{10, 61}, kind: Cluster}
	there := candidate{a: span{10, 61}, b: span{8, 90}, kind: Cluster}
	summary := candidate{a: span{10, 61}, b: span{10, 61}, kind: Summary}
	got := p.sharpened([]candidate{cluster, longer, there, summary}, []candidate{run(200, 260), run(10, 60), run(11, 60)})
	if want := []candidate{run(10, 60), longer, there, summary}; !slices.Equal(got, want) {
		t.Errorf("sharpened: %v, want %v", got, want)
	}
}

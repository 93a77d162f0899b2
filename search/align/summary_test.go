package align

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestSummaryAtItsLimits: a stretch exactly at a limit is a summary, and one just below it is
// not.
func TestSummaryAtItsLimits(t *testing.T) {
	s := newSpeaker(7)
	source := s.prose(1500)
	var phrases []string
	for at := 0; at+20 < len(source); at += 60 {
		phrases = append(phrases, source[at:at+6]...)
	}
	params := DefaultParams().bounded()
	p := newPair(&params, prepare(t, say(s.prose(500), phrases, s.prose(500))), prepare(t, say(source)))
	found := p.summaries(nil, nil)
	if len(found) != 1 {
		t.Fatalf("%d summaries, want one", len(found))
	}
	c := found[0]
	sum := 0.0
	value := p.summaryValues()
	for k := c.a.from; k < c.a.to; k++ {
		sum += value[k]
	}
	for _, tt := range []struct {
		name string
		set  func(s *SummaryParams, more int)
	}{
		{"words of the source", func(s *SummaryParams, more int) { s.MinSource = p.b.Len() + more }},
		{"words", func(s *SummaryParams, more int) { s.MinWords = c.a.len() + more }},
		{"words of the source's side", func(s *SummaryParams, more int) {
			s.MinRatio = float64(c.b.len()+more) / float64(c.a.len()) * (1 - 1e-12)
		}},
		{"sum", func(s *SummaryParams, more int) { s.MinSum = sum + float64(more) }},
		{"mean", func(s *SummaryParams, more int) { s.MinMean = (sum + float64(more)) / float64(c.a.len()) * (1 - 1e-12) }},
		{"rest", func(s *SummaryParams, more int) { s.MinRest = sum + float64(more) }},
		{"phrases", func(s *SummaryParams, more int) { s.RestRuns = 1.1 * float64(more) }},
		{"stretches", func(s *SummaryParams, more int) { s.Most = 1 - more }},
	} {
		for more, want := range []int{1, 0} {
			params = DefaultParams().bounded()
			tt.set(&params.Summaries, more)
			if got := p.summaries(nil, nil); len(got) != want {
				t.Errorf("%s: %d summaries %d beyond the limit, want %d", tt.name, len(got), more, want)
			}
		}
	}
	params = DefaultParams().bounded()
	params.Summary = false
	if got := p.summaries(nil, nil); len(got) != 0 {
		t.Error("a summary that nobody asked for")
	}
}

// TestTwoSummaries: when the best stretch is dealt with, the next is looked for.
func TestTwoSummaries(t *testing.T) {
	s := newSpeaker(7)
	source := s.prose(1500)
	var first, second []string
	for at := 0; at+40 < len(source); at += 60 {
		first, second = append(first, source[at:at+6]...), append(second, source[at+30:at+36]...)
	}
	params := DefaultParams().bounded()
	params.Summaries.Level = -10 // the whole suspect's mean is not taken off
	p := newPair(&params, prepare(t, say(s.words(300), first, s.words(300), second, s.words(300))), prepare(t, say(source)))
	for most, want := range []int{0, 1, 2, 2} {
		params.Summaries.Most = most
		got := p.summaries(nil, nil)
		if len(got) != want {
			t.Fatalf("%d stretches looked at: %d summaries, want %d", most, len(got), want)
		}
		for i, c := range got {
			for _, o := range got[:i] {
				if c.a.meets(o.a) {
					t.Errorf("summaries %v and %v overlap", c.a, o.a)
				}
			}
		}
	}
}

// TestSummaryValuesAreTheNaiveOnes, for rare and frequent words.
func TestSummaryValuesAreTheNaiveOnes(t *testing.T) {
	for _, level := range []float64{0.13, 5, -10} {
		params := DefaultParams()
		s := newSpeaker(41)
		common := strings.Repeat("heron otter badger ", 80)
		params.Summaries.Level = level
		sp := &params.Summaries
		p := newPair(&params, prepare(t, common+say(s.words(200))), prepare(t, common+say(s.words(300))))
		all, mean := float64(p.a.Len()+p.b.Len()), 0.0
		var want []float64
		for _, k := range p.a.key {
			n, m := p.ofA[k], p.ofB[k]
			v := math.Log(1 - sp.Hit)
			if m > 0 {
				there := min(0.999, sp.Spread*float64(n+m)/all)
				chance := 1 - math.Pow(1-there, float64(p.b.Len())/sp.Unit)
				v = math.Log((sp.Hit+(1-sp.Hit)*chance)/chance) / float64(n)
			}
			want = append(want, v)
			mean += v / float64(p.a.Len())
		}
		for i, got := range p.summaryValues() {
			if w := want[i] - max(0, mean+level); !(math.Abs(got-w) <= 1e-9) {
				t.Fatalf("level %v: word %d is worth %v, want %v", level, i, got, w)
			}
		}
	}
}

func TestBestStretchFallsLittle(t *testing.T) {
	for _, tt := range []struct {
		value []float64
		fall  float64
		want  span
		sum   float64
	}{
		{[]float64{5, -3, 5}, 3, span{0, 3}, 7},
		{[]float64{5, -3, 5}, 2.9, span{0, 1}, 5},
		{[]float64{5, -3, 9}, 2.9, span{2, 3}, 9},
		{[]float64{1, -1, 9}, 3, span{2, 3}, 9}, // what adds nothing is left out
		{[]float64{-1, 2, 3, -1}, 3, span{1, 3}, 5},
		{[]float64{5, -2, 1, -2, 5}, 2, span{0, 1}, 5}, // it falls by three
		{[]float64{-1, -2}, 3, span{}, 0},
		{nil, 3, span{}, 0},
	} {
		if got, sum := bestStretch(tt.value, tt.fall); got != tt.want || sum != tt.sum {
			t.Errorf("best stretch of %v, falling by %v: %v with %v, want %v with %v", tt.value, tt.fall, got, sum, tt.want, tt.sum)
		}
	}
}

func TestDrawnFrom(t *testing.T) {
	params := DefaultParams()
	p := newPair(&params, prepare(t, "heron otter badger weasel"), prepare(t, "stoat otter heron otter stoat badger stoat"))
	for _, tt := range []struct{ a, want span }{
		{span{0, 2}, span{1, 4}}, {span{0, 1}, span{2, 3}}, {span{0, 4}, span{1, 6}}, {span{2, 3}, span{5, 6}}, {span{3, 4}, span{7, 0}},
	} {
		if got := p.drawnFrom(tt.a); got != tt.want {
			t.Errorf("%v is drawn from %v, want %v", tt.a, got, tt.want)
		}
	}
	p.weight[p.a.key[0]] = 0
	if got, want := p.drawnFrom(span{0, 1}), (span{7, 0}); got != want {
		t.Errorf("a word without weight is drawn from %v, want %v", got, want)
	}
}

// TestExplained: a stretch is no summary where compact candidates leave too little
// of it, or too much of it is in exact ones.
func TestExplained(t *testing.T) {
	value := make([]float64, 200)
	for i := range value {
		value[i] = 1
	}
	cluster := func(from, to, source int32) candidate {
		return candidate{a: span{from, to}, b: span{0, source}, kind: Cluster}
	}
	exact := func(from, to int32) candidate {
		return candidate{a: span{from, to}, b: span{0, 1000}, kind: Exact}
	}
	for _, tt := range []struct {
		name  string
		found []candidate
		rest  float64 // the most that MinRest may be, or 0 where it is explained all the same
	}{
		{"nothing", nil, 100},
		{"a compact one", []candidate{cluster(10, 50, 79)}, 60},
		{"one of too few words", []candidate{cluster(10, 49, 40)}, 100},
		{"one that is not compact", []candidate{cluster(10, 50, 80)}, 100},
		{"one that reaches over its end", []candidate{cluster(80, 130, 50)}, 80},
		{"one beside it", []candidate{cluster(100, 150, 50)}, 100},
		{"two", []candidate{cluster(0, 40, 40), cluster(60, 100, 40)}, 20},
		{"as many exact words as may be", []candidate{exact(0, 24), exact(50, 74)}, 100},
		{"more", []candidate{exact(0, 24), exact(50, 75)}, 0},
		{"exact words beside it", []candidate{exact(0, 48), exact(100, 150)}, 100},
		{"many words that are not exact", []candidate{cluster(0, 39, 39), cluster(40, 79, 39)}, 100},
	} {
		params := DefaultParams()
		p := &pair{params: &params}
		c := candidate{a: span{0, 100}, b: span{0, 900}, kind: Summary}
		for _, least := range []float64{tt.rest, tt.rest + 1} {
			params.Summaries.MinRest = least
			if got, want := p.explained(c, value, tt.found), least > tt.rest || tt.rest == 0; got != want {
				t.Errorf("%s, MinRest %v: explained %v, want %v", tt.name, least, got, want)
			}
		}
	}
}

// TestSharesPhrases: a tenth of the words outside exact runs are in runs of three
// words that the source has.
func TestSharesPhrases(t *testing.T) {
	own := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("%c%cown", 'a'+i%26, 'a'+i/26))
		}
		return strings.Join(list, " ") + " "
	}
	const phrase = "heron otter badger "
	for _, tt := range []struct {
		name, suspect string
		exact         []candidate
		want          bool
	}{
		{"three words in thirty", own(27) + phrase, nil, true},
		{"three words in thirty-one", own(28) + phrase, nil, false},
		{"three words in thirty-one, before the others", phrase + own(28), nil, false},
		{"four words in thirty-one", own(27) + phrase + "weasel ", nil, true},
		{"two words at a time", own(10) + "heron otter xyz otter badger ", nil, false},
		{"of an exact run nothing counts", own(20) + phrase, []candidate{{a: span{19, 23}}}, false},
		{"what is in an exact run is no rest", own(40) + phrase, []candidate{{a: span{0, 13}}}, true},
		{"but all else is", own(41) + phrase, []candidate{{a: span{0, 13}}}, false},
	} {
		params := DefaultParams()
		p := newPair(&params, prepare(t, "before "+tt.suspect+phrase), prepare(t, "stoat "+phrase+"weasel stoat"))
		for i := range tt.exact {
			tt.exact[i].a.from, tt.exact[i].a.to = tt.exact[i].a.from+1, tt.exact[i].a.to+1
		}
		c := candidate{a: span{1, int32(p.a.Len() - 3)}} // without the phrase that follows
		if got := p.sharesPhrases(c, tt.exact); got != tt.want {
			t.Errorf("%s: shares phrases %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestSwallow: a summary replaces the passages that it touches, as far as that reaches.
func TestSwallow(t *testing.T) {
	c := func(from, to int32) candidate { return candidate{a: span{from, to}, b: span{0, 9}, kind: Cluster} }
	summary := candidate{a: span{20, 100}, b: span{0, 900}, kind: Summary}
	whole := summary
	whole.a = span{15, 110}
	got := swallow(summary, []candidate{c(0, 20), c(15, 30), c(40, 50), c(90, 110), c(100, 130)})
	if want := []candidate{c(0, 20), c(100, 130), whole}; !slices.Equal(got, want) {
		t.Errorf("swallow = %v, want %v", got, want)
	}
}

package align

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The steps of an alignment in their simplest form, each set against the one
// that the program uses, on texts that share passages and on random numbers.

// samplePairs are pairs of texts with many and with few different words.
func samplePairs(t testing.TB) []*pair {
	t.Helper()
	params := DefaultParams()
	params.MaxPoints = 30
	var list []*pair
	for seed := range uint64(8) {
		s := newSpeaker(seed)
		shared := s.words(60)
		a := say(s.words(80), s.edited(shared, 3), s.words(40), shared[20:40])
		b := say(s.words(50), shared, s.words(30), shared[:30])
		list = append(list, newPair(&params, prepare(t, a), prepare(t, b)))
		again := strings.Repeat(say(s.words(30)), 2)
		list = append(list, newPair(&params, prepare(t, again), prepare(t, again+a)))
	}
	return list
}

// naivePoints tries each place of the suspect with each place of the source.
func naivePoints(p *pair) []point {
	a, b := p.a.key, p.b.key
	// n is how often a text has a word, or a pair of words, in different stretches,
	// all how often with copies of stretches.
	occurs := func(d *side, k int32) (n, all int) {
		for i, l := range d.key {
			if k == l {
				all++
				if !d.copied(int32(i)) {
					n++
				}
			}
		}
		return n, all
	}
	occurTogether := func(side *side, k, l int32) (n, all int) {
		keys := side.key
		for i := range keys {
			for _, d := range []int{1, 2} {
				if i+d < len(keys) && (keys[i] == k && keys[i+d] == l || keys[i] == l && keys[i+d] == k) {
					all++
					if !side.copied(int32(i)) {
						n++
					}
				}
			}
		}
		return max(n, 1), all
	}
	var list []point
	for i := range a {
		for j := range b {
			copied := p.b.copied(int32(j))
			n, mine := occurs(&p.a, a[i])
			m, all := occurs(&p.b, a[i])
			if a[i] == b[j] && mine*all <= copyFactor*p.params.MaxPoints && p.weight[a[i]] >= p.params.MinWeight && n*m <= p.params.MaxPoints && !(copied && all > p.params.MaxPoints) {
				w := math.Pow(p.weight[a[i]], p.params.Bend) / math.Pow(float64(n*m), p.params.Damp)
				list = append(list, point{int32(i), int32(j), float32(w), 1})
			}
			for _, d := range []int{1, 2} {
				for _, e := range []int{1, 2} {
					if i+d >= len(a) || j+e >= len(b) {
						continue
					}
					k, l := a[i], a[i+d]
					if !(b[j] == k && b[j+e] == l || b[j] == l && b[j+e] == k) {
						continue
					}
					n, mine := occurTogether(&p.a, k, l)
					m, all := occurTogether(&p.b, k, l)
					if n*m > p.params.MaxPoints || mine*all > copyFactor*p.params.MaxPoints || copied && all > p.params.MaxPoints {
						continue
					}
					w := p.params.PairValue * math.Pow(p.weight[k]+p.weight[l], p.params.Bend) / math.Pow(float64(n*m), p.params.Damp)
					if w > 0 {
						list = append(list, point{int32(i), int32(j), float32(w), 3})
					}
				}
			}
		}
	}
	return list
}

func byPlace(x, y point) int {
	return cmp.Or(cmp.Compare(x.i, y.i), cmp.Compare(x.j, y.j), cmp.Compare(x.words, y.words), cmp.Compare(x.weight, y.weight))
}

func TestPointsAreTheNaiveOnes(t *testing.T) {
	for i, p := range samplePairs(t) {
		got, want := p.points(), naivePoints(p)
		if !slices.IsSortedFunc(got, func(x, y point) int { return cmp.Or(cmp.Compare(x.i, y.i), cmp.Compare(x.j, y.j)) }) {
			t.Errorf("pair %d: points out of order", i)
		}
		slices.SortFunc(got, byPlace)
		slices.SortFunc(want, byPlace)
		if !slices.Equal(got, want) {
			t.Errorf("pair %d: %d points, want %d", i, len(got), len(want))
		}
		if len(want) == 0 {
			t.Errorf("pair %d has no points to compare", i)
		}
	}
}

// TestManyPairsInBothTexts: more pairs of words than there is room for at first.
func TestManyPairsInBothTexts(t *testing.T) {
	params := DefaultParams()
	s := newSpeaker(71)
	shared := s.prose(250)
	p := newPair(&params, prepare(t, say(shared, s.prose(30))), prepare(t, say(s.prose(30), s.edited(shared, 9))))
	got, want := p.points(), naivePoints(p)
	slices.SortFunc(got, byPlace)
	slices.SortFunc(want, byPlace)
	if !slices.Equal(got, want) {
		t.Errorf("%d points, want %d", len(got), len(want))
	}
	if len(p.meets.found) < 300 {
		t.Errorf("%d pairs are in both texts, want some hundreds", len(p.meets.found))
	}
}

// TestPointsOfOtherSettings: points cached for one setting are not used for another.
func TestPointsOfOtherSettings(t *testing.T) {
	p := samplePairs(t)[0]
	for _, damp := range []float64{0.85, 0.5, 0.85} {
		params := *p.params
		params.Damp = damp
		p.params = &params
		got, want := slices.Clone(p.points()), naivePoints(p)
		slices.SortFunc(got, byPlace)
		slices.SortFunc(want, byPlace)
		if !slices.Equal(got, want) {
			t.Errorf("damped by %v: %d points, want %d", damp, len(got), len(want))
		}
	}
}

// TestCoresFromTheFirstWordOn: the first point of two texts counts as any other, and
// with a radius of no words points of one place do.
func TestCoresFromTheFirstWordOn(t *testing.T) {
	params := DefaultParams()
	text := prepare(t, say(newSpeaker(1).words(60)))
	p := newPair(&params, text, text)
	points := []point{{0, 0, 1, 1}, {1, 1, 1, 1}, {2, 2, 1, 1}, {40, 40, 2, 1}}
	params.Density = 3
	if got := p.cores(points); len(got) != 3 || got[0] != (core{points[0], 3}) {
		t.Errorf("cores %v, want the first three points", got)
	}
	params.Radius, params.Density = 0, 2
	if got := p.cores(points); len(got) != 1 || got[0] != (core{points[3], 2}) {
		t.Errorf("cores %v, want the last point", got)
	}
}

// TestClustersEndWithTheirTexts, though a pair of words at the end could reach over it.
func TestClustersEndWithTheirTexts(t *testing.T) {
	params := DefaultParams()
	params.MinCluster = 1
	text := prepare(t, say(newSpeaker(1).words(60)))
	p := newPair(&params, text, text)
	got := p.clusters([]core{{point{58, 59, 2, 3}, 2}})
	if len(got) != 1 || got[0].a != (span{58, 60}) || got[0].b != (span{59, 60}) {
		t.Errorf("clusters %v, want one of [58, 60) and [59, 60)", got)
	}
}

// closerCopy reports whether a point near q is at a copy of the word of r that is
// closer to q in the suspect, or as close and before it.
func closerCopy(p *pair, points []point, q, r point) bool {
	return p.a.origin != nil && slices.ContainsFunc(points, func(s point) bool {
		d, e := abs(int(s.i-q.i)), abs(int(r.i-q.i))
		return p.a.origin[s.i] == p.a.origin[r.i] && (d < e || d == e && s.i < r.i) && d <= p.params.Radius
	})
}

func TestCoresAreTheNaiveOnes(t *testing.T) {
	for i, p := range samplePairs(t) {
		points := p.points()
		var want []core
		for _, q := range points {
			best := make(map[int32]float64)
			for _, r := range points {
				if abs(int(r.i-q.i)) <= p.params.Radius && abs(int(r.j-q.j)) <= p.params.Radius && !closerCopy(p, points, q, r) {
					best[r.i] = max(best[r.i], float64(r.weight))
				}
			}
			sum := 0.0
			for _, w := range best {
				sum += w
			}
			if sum >= p.params.Density {
				want = append(want, core{q, float32(sum)})
			}
		}
		got := p.cores(points)
		same := slices.EqualFunc(got, want, func(x, y core) bool {
			return x.point == y.point && math.Abs(float64(x.density-y.density)) < 1e-3
		})
		if !same {
			t.Errorf("pair %d: %d cores of %d points, want %d", i, len(got), len(points), len(want))
		}
	}
}

// naiveClusters numbers the cores by joining any two that are near.
func naiveClusters(p *pair, cores []core) []int {
	number := make([]int, len(cores))
	for k := range number {
		number[k] = k
	}
	for k := range cores {
		for l := range k {
			if abs(int(cores[k].i-cores[l].i)) > p.params.Gap || abs(int(cores[k].j-cores[l].j)) > p.params.SourceGap || number[k] == number[l] {
				continue
			}
			from, to := max(number[k], number[l]), min(number[k], number[l])
			for m := range number {
				if number[m] == from {
					number[m] = to
				}
			}
		}
	}
	return number
}

func TestClustersAreTheNaiveOnes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	params := DefaultParams()
	params.Gap, params.SourceGap, params.MinCluster = 9, 5, 0
	s := newSpeaker(1)
	p := newPair(&params, prepare(t, say(s.words(300))), prepare(t, say(s.words(200))))
	for round := range 50 {
		cores := make([]core, rnd.IntN(80))
		for k := range cores {
			cores[k] = core{point{int32(rnd.IntN(290)), int32(rnd.IntN(190)), 1, 1}, rnd.Float32()}
		}
		slices.SortFunc(cores, func(x, y core) int { return byPlace(x.point, y.point) })
		number := naiveClusters(p, cores)
		spans := make(map[int]candidate)
		for k, c := range cores {
			a, b := span{c.i, c.i + 1}, span{c.j, c.j + 1}
			x, ok := spans[number[k]]
			if !ok {
				x = candidate{a: a, b: b}
			}
			spans[number[k]] = candidate{a: x.a.with(a), b: x.b.with(b)}
		}
		got := p.clusters(cores)
		found := make(map[candidate]bool)
		for _, c := range got {
			found[candidate{a: c.a, b: c.b}] = true
		}
		if len(got) != len(spans) {
			t.Fatalf("round %d: %d clusters of %d cores, want %d", round, len(got), len(cores), len(spans))
		}
		for _, want := range spans {
			if !found[want] {
				t.Errorf("round %d: no cluster %v, %v", round, want.a, want.b)
			}
		}
	}
}

// naiveRuns extends each place of a and b as far as it goes.
func naiveRuns(a, b []int32, n int) []Run {
	var list []Run
	for i := range a {
		for j := range b {
			if i > 0 && j > 0 && a[i-1] == b[j-1] {
				continue
			}
			k := 0
			for i+k < len(a) && j+k < len(b) && a[i+k] == b[j+k] {
				k++
			}
			if k >= n {
				list = append(list, Run{i, j, k})
			}
		}
	}
	return list
}

func randomForms(rnd *rand.Rand, n, kinds int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(rnd.IntN(kinds))
	}
	return list
}

func TestRunsAreTheNaiveOnes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		a, b := randomForms(rnd, rnd.IntN(60), 2+round%5), randomForms(rnd, rnd.IntN(60), 2+round%5)
		if round%3 == 0 && len(b) > 0 {
			b[rnd.IntN(len(b))] = -1
		}
		const n = 3
		got, all := commonRuns(a, b, newIndex(gramCodes(a, n)), n)
		want := naiveRuns(a, b, n)
		slices.SortFunc(got, longerRun)
		slices.SortFunc(want, longerRun)
		if all && !slices.Equal(got, want) {
			t.Errorf("round %d: runs of %v and %v:\ngot  %v\nwant %v", round, a, b, got, want)
		}
		longest := Run{}
		if all := naiveRuns(a, b, 1); len(all) > 0 {
			longest = slices.MinFunc(all, longerRun)
		}
		if got := longestCommon(a, b, 0); got != longest {
			t.Errorf("round %d: longest run of %v and %v is %v, want %v", round, a, b, got, longest)
		}
		if got := longestCommon(a, b, longest.Len); got.Len != 0 {
			t.Errorf("round %d: a run longer than the longest: %v", round, got)
		}
	}
}

// Where n-grams are too frequent to try all places, each of them still lies in
// a run, and each run is one.
func TestRunsCoverFrequentGrams(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for round := range 20 {
		a, b := randomForms(rnd, 400, 1+round%2), randomForms(rnd, 300, 1+round%2)
		const n = 3
		got, all := commonRuns(a, b, newIndex(gramCodes(a, n)), n)
		if all {
			t.Fatalf("round %d: n-grams of %d different words are not too frequent", round, 1+round%2)
		}
		covered := make([]bool, len(a))
		for _, r := range got {
			if !slices.Equal(a[r.Suspect:r.Suspect+r.Len], b[r.Source:r.Source+r.Len]) {
				t.Fatalf("round %d: %v is no run", round, r)
			}
			end, there := r.Suspect+r.Len, r.Source+r.Len
			if end < len(a) && there < len(b) && a[end] == b[there] || r.Suspect > 0 && r.Source > 0 && a[r.Suspect-1] == b[r.Source-1] {
				t.Errorf("round %d: %v goes on", round, r)
			}
			mark(covered, span{int32(r.Suspect), int32(r.Suspect + r.Len)})
		}
		for _, r := range naiveRuns(a, b, n) {
			if s := (span{int32(r.Suspect), int32(r.Suspect + r.Len)}); count(covered, s) < r.Len {
				t.Errorf("round %d: run %v is not covered", round, r)
			}
		}
	}
}

// naiveGrow sums up every possible end, with the words of the other side in a
// map.
func naiveGrow(p *pair, d *side, own span, o *side, other span, peak int32, toll float64) span {
	left := make(map[int32]int)
	for k := other.from; k < other.to; k++ {
		left[o.key[k]]++
	}
	reach := int32(p.params.Reach)
	lo, hi := max(0, own.from-reach), min(int32(d.Len()), own.to+reach)
	if peak < own.from || peak >= own.to {
		peak = (own.from + own.to) / 2
	}
	value := make(map[int32]float64)
	for z := range int32(d.Len()) {
		for _, k := range []int32{peak + z, peak - 1 - z} {
			if k < lo || k >= hi {
				continue
			}
			w := p.weight[d.key[k]]
			if left[d.key[k]] > 0 {
				left[d.key[k]]--
				value[k] = w * (1 - toll)
			} else {
				value[k] = -w * toll
			}
		}
	}
	end := func(from, step int32) (best int32) {
		best = from
		top, sum := 0.0, 0.0
		for k := from; k >= lo && k < hi; k += step {
			if sum += value[k]; sum > top {
				top, best = sum, k+step
			}
		}
		return best
	}
	return span{end(peak-1, -1) + 1, max(end(peak, 1), peak+1)}
}

func TestBoundsAreTheNaiveOnes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for i, p := range samplePairs(t) {
		if p.a.origin != nil {
			continue // bounds stop at copies
		}
		for range 50 {
			stretch := func(d *side) span {
				from := rnd.IntN(d.Len())
				return span{int32(from), int32(from + 1 + rnd.IntN(d.Len()-from))}
			}
			a, b := stretch(&p.a), stretch(&p.b)
			peak := int32(rnd.IntN(p.a.Len()))
			got := p.grow(&p.a, a, &p.b, b, peak, p.params.Toll)
			if want := naiveGrow(p, &p.a, a, &p.b, b, peak, p.params.Toll); got != want {
				t.Errorf("pair %d: bounds of %v with %v from %d are %v, want %v", i, a, b, peak, got, want)
			}
			if slices.ContainsFunc(p.left, func(n int32) bool { return n != 0 }) {
				t.Fatalf("pair %d: the bag of words is not empty", i)
			}
		}
	}
}

// TestLimitsAreReached: a point at the limit of density is a core, and points at the limit of
// weight are a cluster, which grows from its densest core.
func TestLimitsAreReached(t *testing.T) {
	for i, p := range samplePairs(t) {
		if p.a.origin != nil {
			continue // copies are separated, and their weight counts once
		}
		params := *p.params
		p.params = &params
		cores := slices.Clone(p.cores(p.points()))
		if len(cores) == 0 {
			t.Fatalf("pair %d has no core", i)
		}
		least := slices.MinFunc(cores, func(a, b core) int { return cmp.Compare(a.density, b.density) })
		params.Density = float64(least.density)
		if again := p.cores(p.points()); !slices.Equal(again, cores) {
			t.Errorf("pair %d: %d cores at the density of the least, %d below it", i, len(again), len(cores))
		}
		params.Gap, params.SourceGap = p.a.Len(), p.b.Len() // one cluster of all
		weight, densest := 0.0, cores[0]
		for _, c := range cores {
			weight += float64(c.weight)
			if c.density > densest.density {
				densest = c
			}
		}
		params.MinCluster = weight
		found := p.clusters(cores)
		if len(found) != 1 || found[0].peakA != densest.i || found[0].peakB != densest.j {
			t.Errorf("pair %d: clusters %v, want one around %d and %d", i, found, densest.i, densest.j)
		}
		params.MinCluster = weight * 1.001
		if found := p.clusters(cores); len(found) != 0 {
			t.Errorf("pair %d: a cluster of %v weighs less than %v", i, weight, params.MinCluster)
		}
	}
}

// Both sides are bounded in turn, each by the other, as often as the settings
// say or until nothing moves.
func TestBothSidesAreBoundedInTurn(t *testing.T) {
	moved := 0
	for i, p := range samplePairs(t) {
		if p.a.origin != nil {
			continue // bounds stop at copies
		}
		for _, c := range p.clusters(p.cores(p.points())) {
			want, rounds := c, 0
			for rounds < p.params.Rounds {
				before := want
				want.a = naiveGrow(p, &p.a, want.a, &p.b, want.b, want.peakA, p.params.Toll)
				want.b = naiveGrow(p, &p.b, want.b, &p.a, want.a, want.peakB, p.params.SourceToll)
				if want == before {
					break
				}
				rounds++
			}
			p.bound(&c)
			if c != want {
				t.Errorf("pair %d: bounds are %v and %v, want %v and %v", i, c.a, c.b, want.a, want.b)
			}
			if rounds > 1 {
				moved++
			}
		}
	}
	if moved == 0 {
		t.Error("no bound moved in a second round")
	}
}

func TestBestStretchIsTheNaiveOne(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		value := make([]float64, 1+rnd.IntN(40))
		for i := range value {
			value[i] = float64(rnd.IntN(21) - 11)
		}
		best := 0.0
		for from := range value {
			sum := 0.0
			for _, v := range value[from:] {
				sum += v
				best = max(best, sum)
			}
		}
		s, got := bestStretch(value, math.Inf(1))
		sum := 0.0
		for _, v := range value[s.from:s.to] {
			sum += v
		}
		if got != best || sum != got {
			t.Errorf("best stretch of %v is %v with %v, sums up to %v, want %v", value, s, got, sum, best)
		}
	}
}

// repeatedForms returns a phrase of three forms so many times, each followed by
// a form that is nowhere else.
func repeatedForms(times int, own int32) []int32 {
	var list []int32
	for i := range times {
		list = append(list, 1, 2, 3, own+int32(i))
	}
	return list
}

// All runs are found up to the limit of trials for one n-gram, and beyond it the
// answer says that they are not.
func TestAllRunsUpToTheLimitOfSeeds(t *testing.T) {
	const n = 3
	tests := []struct {
		here, there int
		all         bool
	}{
		{1, 1, true}, {20, 20, true}, {1, 400, true}, {400, 1, true},
		{1, 401, false}, {21, 20, false},
	}
	for _, tt := range tests {
		a, b := repeatedForms(tt.here, 1000), repeatedForms(tt.there, 2000)
		got, all := commonRuns(a, b, newIndex(gramCodes(a, n)), n)
		if all != tt.all {
			t.Errorf("an n-gram %d and %d times: all = %v, want %v", tt.here, tt.there, all, tt.all)
		}
		if want := tt.here * tt.there; tt.all && len(got) != want {
			t.Errorf("an n-gram %d and %d times: %d runs, want %d", tt.here, tt.there, len(got), want)
		}
	}
}

func TestDisjoint(t *testing.T) {
	text := prepare(t, say(newSpeaker(1).words(60)))
	c := func(kind Kind, from, to int32) candidate { return candidate{kind: kind, a: span{from, to}} }
	tests := []struct {
		name        string
		found, want []candidate
	}{
		{"apart", []candidate{c(Cluster, 0, 20), c(Cluster, 20, 30)}, []candidate{c(Cluster, 0, 20), c(Cluster, 20, 30)}},
		{"half taken", []candidate{c(Cluster, 0, 30), c(Cluster, 20, 40)}, []candidate{c(Cluster, 0, 30), c(Cluster, 30, 40)}},
		{"more than half taken", []candidate{c(Cluster, 0, 30), c(Cluster, 19, 40)}, []candidate{c(Cluster, 0, 30)}},
		{"exact before longer", []candidate{c(Cluster, 0, 40), c(Exact, 5, 25)}, []candidate{c(Exact, 5, 25), c(Cluster, 25, 40)}},
		{"the first of equal free stretches", []candidate{c(Cluster, 0, 20), c(Exact, 5, 15)}, []candidate{c(Exact, 5, 15), c(Cluster, 0, 5)}},
		{"the longest free stretch", []candidate{c(Cluster, 0, 20), c(Exact, 4, 13)}, []candidate{c(Exact, 4, 13), c(Cluster, 13, 20)}},
	}
	for _, tt := range tests {
		p := &pair{a: side{Prepared: text}}
		if got := p.disjoint(slices.Clone(tt.found)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: disjoint(%v) = %v, want %v", tt.name, tt.found, got, tt.want)
		}
	}
}

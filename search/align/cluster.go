package align

import "github.com/otisk/otisk/internal/disjoint"

// clusters joins cores that lie within Gap words in the suspect and SourceGap
// words in the source, directly or over others, and returns the clusters whose
// cores weigh MinCluster or more. Cores are sorted by place in the suspect.
//
// Joining each core with all others near it costs the square of their number
// where a long text was copied. It is enough to join it with two: of the last
// cores at each place of the source that are within Gap, the nearest before and
// the nearest after it. Those farther off on the same side lie within Gap of the
// near one too, so whatever they are joined by joins them.
func (p *pair) clusters(cores []core) []candidate {
	if len(cores) == 0 {
		return nil
	}
	gap, reach := int32(p.params.Gap), int32(p.params.SourceGap)
	sets := disjoint.New(len(cores))
	last := sized(p.room.last, p.b.Len()) // by place in the source: the last core there + 1
	clear(last)
	p.room.last = last
	near := func(k int, j int32) bool {
		l := last[j] - 1
		if l < 0 || cores[l].i < cores[k].i-gap {
			return false
		}
		sets.Join(int(l), k)
		return true
	}
	for k := range cores {
		at := cores[k].j
		for j := at; j >= max(0, at-reach) && !near(k, j); j-- {
		}
		for j := at + 1; j <= min(int32(len(last))-1, at+reach) && !near(k, j); j++ {
		}
		last[at] = int32(k) + 1
	}
	return p.gather(cores, sets)
}

// gather returns the sets of cores that weigh enough.
func (p *pair) gather(cores []core, sets disjoint.Sets) []candidate {
	type cluster struct {
		candidate
		weight  float64
		density float32
	}
	number := make([]int32, len(cores)) // by root: number of its cluster + 1
	var all []cluster
	for k, c := range cores {
		root := sets.Root(k)
		a, b := span{c.i, c.i + c.words}, span{c.j, c.j + c.words}
		if number[root] == 0 {
			all = append(all, cluster{candidate: candidate{a: a, b: b, kind: Cluster}})
			number[root] = int32(len(all))
		}
		x := &all[number[root]-1]
		x.a, x.b = x.a.with(a), x.b.with(b)
		x.weight += float64(c.weight)
		if c.density > x.density {
			x.density, x.peakA, x.peakB = c.density, c.i, c.j
		}
	}
	var found []candidate
	for _, x := range all {
		if x.weight >= p.params.MinCluster {
			x.a.to, x.b.to = min(x.a.to, int32(p.a.Len())), min(x.b.to, int32(p.b.Len()))
			found = append(found, x.candidate)
		}
	}
	return found
}

// with returns the span that reaches over both.
func (s span) with(o span) span { return span{min(s.from, o.from), max(s.to, o.to)} }

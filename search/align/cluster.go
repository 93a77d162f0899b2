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
	var copies *copies
	if p.a.origin != nil {
		copies = p.copiesIn(cores, sets)
	}
	for k, c := range cores {
		root := sets.Root(k)
		if copies != nil {
			root = copies.part[k]
		}
		a, b := span{c.i, c.i + c.words}, span{c.j, c.j + c.words}
		if number[root] == 0 {
			all = append(all, cluster{candidate: candidate{a: a, b: b, kind: Cluster}})
			number[root] = int32(len(all))
		}
		x := &all[number[root]-1]
		x.a, x.b = x.a.with(a), x.b.with(b)
		if copies == nil || !copies.again[k] {
			x.weight += float64(c.weight)
		}
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

// A copies has the cores of a text that repeats stretches.
type copies struct {
	part  []int  // by core: the first core of its part of a cluster
	again []bool // by core: whether its part has a core of the same words before
}

// A meet has the places of the source at which words of the suspect occur. Copies of a word count
// as one.
type meet struct{ origin, j int32 }

// copiesIn cuts clusters in which the suspect has the same words more than once:
// copies of a short text that follow each other, all near one place of the source.
// Where a copy of a stretch begins, a new part of the cluster does if half of the
// weight up to the next copy, or more, is of cores that the part has before.
func (p *pair) copiesIn(cores []core, sets disjoint.Sets) *copies {
	c := &copies{part: make([]int, len(cores)), again: make([]bool, len(cores))}
	byRoot := map[int][]int{}
	for k := range cores {
		root := sets.Root(k)
		byRoot[root] = append(byRoot[root], k)
	}
	for _, list := range byRoot {
		known, part := map[meet]int32{}, list[0] // by meet: the first place of the suspect
		before := func(k int) bool {
			at, ok := known[p.meetOf(cores[k])]
			return ok && at != cores[k].i
		}
		for len(list) > 0 {
			end := p.copyEnd(cores, list)
			all, again := 0.0, 0.0
			for _, k := range list[:end] {
				all += float64(cores[k].weight)
				if before(k) {
					again += float64(cores[k].weight)
				}
			}
			if 2*again >= all {
				known, part = map[meet]int32{}, list[0]
			}
			for _, k := range list[:end] {
				c.part[k], c.again[k] = part, before(k)
				if !c.again[k] {
					known[p.meetOf(cores[k])] = cores[k].i
				}
			}
			list = list[end:]
		}
	}
	return c
}

func (p *pair) meetOf(c core) meet { return meet{p.a.origin[c.i], c.j} }

// copyEnd returns how many of the cores, which are in order of the suspect, are
// before the next place where a copy of a stretch begins.
func (p *pair) copyEnd(cores []core, list []int) int {
	for n := 1; n < len(list); n++ {
		for i := cores[list[n-1]].i + 1; i <= cores[list[n]].i; i++ {
			if p.a.copyStarts(i) {
				return n
			}
		}
	}
	return len(list)
}

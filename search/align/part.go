package align

import (
	"cmp"
	"slices"
)

// Limits of what belongs to a copy beside its exact runs.
const (
	editWords  = 4   // most words that a small edit replaces, leaves out or puts in
	afterEdit  = 3   // least equal words beyond it
	ownWords   = 5   // most words between two runs of one passage, whatever they are
	aloneMass  = 1.5 // least weight of the words before, between or after runs that the other side has outside of its runs
	aloneShare = 0.3 // least share of that in their weight
)

// copiedParts cuts each cluster that has exact runs where the words beside these are not from the source.
// A word of a run is evidence for the run alone: own words of the suspect beside a copy belong to it
// only if the source has enough of them beside the copied words.
func (p *pair) copiedParts(found, exact []candidate) []candidate {
	var out []candidate
	for _, c := range found {
		runs := p.runsOf(c, exact)
		for _, r := range runs {
			c.a, c.b = c.a.with(r.a), c.b.with(r.b)
		}
		out = append(out, p.parts(c, runs)...)
	}
	return out
}

// runsOf returns the exact runs of a cluster by place, with the runs beyond small edits: those that have most of their words
// in it on both sides. There are none if they are in another order in the source.
func (p *pair) runsOf(c candidate, exact []candidate) (runs []candidate) {
	if c.kind != Cluster {
		return nil
	}
	for _, e := range exact {
		if 2*c.a.common(e.a) > e.a.len() && 2*c.b.common(e.b) > e.b.len() {
			runs = append(runs, e)
		}
	}
	slices.SortFunc(runs, func(x, y candidate) int { return cmp.Compare(x.a.from, y.a.from) })
	for i := range runs {
		if i > 0 && (runs[i].a.from < runs[i-1].a.to || runs[i].b.from < runs[i-1].b.to) {
			return nil
		}
	}
	for i := range runs {
		runs[i] = p.edited(runs[i])
	}
	return runs
}

// parts returns the parts of a cluster with these runs.
func (p *pair) parts(c candidate, runs []candidate) (out []candidate) {
	mine, theirs := gaps(c.a, runs, suspectSide), gaps(c.b, runs, sourceSide)
	ofMine, ofTheirs := p.a.bag(mine), p.b.bag(theirs)
	mass, share := p.params.MinMass, p.params.MinShare
	if len(runs) == 0 || p.containsShare(&p.a, mine, ofTheirs, mass, share) && p.containsShare(&p.b, theirs, ofMine, mass, share) {
		return []candidate{c}
	}
	copied := func(i int) (a, b bool) {
		return p.containsShare(&p.a, mine[i:i+1], ofTheirs, aloneMass, aloneShare), p.containsShare(&p.b, theirs[i:i+1], ofMine, aloneMass, aloneShare)
	}
	part := runs[0]
	if a, b := copied(0); a || b {
		part.kind, part.sharp = Cluster, end
		if a {
			part.a.from = c.a.from
		}
		if b {
			part.b.from = c.b.from
		}
	}
	for i, e := range runs[1:] {
		a, b := copied(i + 1)
		if !a && !b && max(mine[i+1].len(), theirs[i+1].len()) > ownWords {
			out = append(out, part)
			part = e
			continue
		}
		part.a, part.b, part.kind = part.a.with(e.a), part.b.with(e.b), Cluster
	}
	if a, b := copied(len(runs)); a || b {
		part.kind, part.sharp = Cluster, part.sharp&start
		if a {
			part.a.to = c.a.to
		}
		if b {
			part.b.to = c.b.to
		}
	}
	return append(out, part)
}

func suspectSide(c candidate) span { return c.a }
func sourceSide(c candidate) span  { return c.b }

// gaps returns the words of a side before the first run, between runs, and after the last one: one more than there are runs.
// Where runs meet, they have no words.
func gaps(all span, runs []candidate, side func(candidate) span) (list []span) {
	at := all.from
	for _, r := range runs {
		list = append(list, span{at, max(at, side(r).from)})
		at = max(at, side(r).to)
	}
	return append(list, span{at, max(at, all.to)})
}

// bag returns how often stretches have each key.
func (d *side) bag(stretches []span) map[int32]int {
	count := map[int32]int{}
	for _, s := range stretches {
		for _, k := range d.key[s.from:s.to] {
			count[k]++
		}
	}
	return count
}

// containsShare reports whether a bag has enough words of some stretches of d: a weight of mass, and a share of their weight. Each word
// of the bag counts once.
func (p *pair) containsShare(d *side, stretches []span, bag map[int32]int, mass, share float64) bool {
	all, found, used := 0.0, 0.0, map[int32]int{}
	for _, s := range stretches {
		for _, k := range d.key[s.from:s.to] {
			all += p.weight[k]
			if used[k] < bag[k] {
				used[k]++
				found += p.weight[k]
			}
		}
	}
	return found >= mass && found >= share*all
}

// edited returns a run with the runs beyond small edits on both of its sides.
func (p *pair) edited(e candidate) candidate {
	for p.pastEdit(&e.a.from, &e.b.from, -1) {
		e.kind = Cluster
	}
	for p.pastEdit(&e.a.to, &e.b.to, 1) {
		e.kind = Cluster
	}
	return e
}

// pastEdit moves the ends of a run past a small edit and the equal words beyond it. These must be as many as the edit has.
func (p *pair) pastEdit(i, j *int32, step int32) bool {
	for all := int32(1); all <= 2*editWords; all++ {
		for x := max(0, all-editWords); x <= min(all, editWords); x++ {
			a, b := *i+step*x, *j+step*(all-x)
			if n := p.equalFrom(a, b, step); n >= max(afterEdit, x, all-x) {
				*i, *j = a+step*n, b+step*n
				return true
			}
		}
	}
	return false
}

// equalFrom returns the number of equal words from two places on, forwards with a step of 1, and backwards with -1.
func (p *pair) equalFrom(i, j, step int32) (n int32) {
	if step < 0 {
		i, j = i-1, j-1
	}
	for i >= 0 && j >= 0 && int(i) < p.a.Len() && int(j) < p.b.Len() && p.a.forms[i] == p.form[j] {
		n, i, j = n+1, i+step, j+step
	}
	return n
}

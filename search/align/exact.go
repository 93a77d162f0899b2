package align

import "slices"

// exactRuns returns runs of at least Verbatim equal words, longest first. Every such run of the
// suspect that is evidence has at least half of its words in one of them.
func (p *pair) exactRuns() []candidate {
	if !p.mayRun() {
		return nil
	}
	runs, _ := commonRuns(p.a.forms, p.form, p.a.seeds(), seedWords)
	runs = slices.DeleteFunc(runs, func(r Run) bool { return r.Len < p.params.Verbatim || !p.isProof(r) })
	slices.SortFunc(runs, longerRun)
	covered := make([]bool, p.a.Len())
	var found []candidate
	for _, r := range runs {
		a := span{int32(r.Suspect), int32(r.Suspect + r.Len)}
		if 2*count(covered, a) > r.Len {
			continue
		}
		mark(covered, a)
		found = append(found, candidate{a: a, b: span{int32(r.Source), int32(r.Source + r.Len)}, kind: Exact, sharp: start | end})
	}
	return found
}

// mayRun reports whether there may be a run of Verbatim equal words: most pairs of
// texts have none, and a filter of bits says so in a part of the time. A run has
// so many n-grams on end that both texts have.
func (p *pair) mayRun() bool {
	bits := p.meets.sizeFilter(p.a.Len())
	filter := p.meets.filter
	for _, code := range eachGram(p.a.forms, seedWords) {
		h := mix(code) & bits
		filter[h/64] |= 1 << (h % 64)
	}
	last, known := int32(-1), 0
	for at, code := range eachGram(p.form, seedWords) {
		if h := mix(code) & bits; filter[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		if at != last+1 {
			known = 0
		}
		last, known = at, known+1
		if known > p.params.Verbatim-seedWords {
			return true
		}
	}
	return false
}

// count returns how many words of s are marked.
func count(marked []bool, s span) int {
	n := 0
	for _, m := range marked[s.from:s.to] {
		if m {
			n++
		}
	}
	return n
}

func mark(marked []bool, s span) {
	for i := s.from; i < s.to; i++ {
		marked[i] = true
	}
}

// replaced puts exact runs in the place of the clusters that consist of long
// ones: so copied borders are exact. Where changed words lie between, the
// cluster stays whole. Runs that no cluster has are added.
func (p *pair) replaced(found, exact []candidate) []candidate {
	used := make([]bool, len(exact))
	var out []candidate
	for _, c := range found {
		inside, long := p.meeting(c, exact)
		if float64(long) < p.params.LongShare*float64(c.a.len()) {
			out = append(out, c)
		} else {
			out = append(out, p.tiles(inside, exact, used)...)
		}
		for _, k := range inside {
			used[k] = true
		}
	}
	for k, e := range exact {
		if !used[k] {
			out = append(out, e)
		}
	}
	return out
}

// meeting returns the numbers of the exact runs that meet c on both sides, and
// how many words of c are in long ones.
func (p *pair) meeting(c candidate, exact []candidate) (inside []int, long int) {
	for k, e := range exact {
		if !e.a.meets(c.a) || !e.b.meets(c.b) {
			continue
		}
		inside = append(inside, k)
		if e.a.len() >= p.params.LongRun {
			long += e.a.common(c.a)
		}
	}
	return inside, long
}

// tiles returns the runs of a cluster that no earlier cluster contains. If they leave little
// between them on either side, as when whole sentences changed places, they are one candidate;
// otherwise each is a candidate.
func (p *pair) tiles(inside []int, exact []candidate, used []bool) []candidate {
	var free []candidate
	words := 0
	for _, k := range inside {
		if !used[k] {
			free = append(free, exact[k])
			words += exact[k].a.len()
		}
	}
	if len(free) < 2 {
		return free
	}
	whole := candidate{a: free[0].a, b: free[0].b, kind: Cluster, sharp: start | end}
	for _, e := range free {
		whole.a, whole.b = whole.a.with(e.a), whole.b.with(e.b)
	}
	if float64(words) < p.params.TileShare*float64(max(whole.a.len(), whole.b.len())) {
		return free
	}
	return []candidate{whole}
}

// sharpened puts an exact run in the place of each cluster that is hardly more
// than the run, on both sides: a copy of a sentence ends where it ends.
func (p *pair) sharpened(found, exact []candidate) []candidate {
	for i, c := range found {
		for _, e := range exact {
			if c.kind == Cluster && c.a.hardlyMore(e.a) && c.b.hardlyMore(e.b) {
				found[i] = e
				break
			}
		}
	}
	return found
}

// hardlyMore reports whether a tenth of s at most is outside of o, or two words.
func (s span) hardlyMore(o span) bool {
	return s.len()-s.common(o) <= max(s.len()/10, 2)
}

// withExact adds the exact runs that are not half covered by passages, so that
// none is lost to a passage that was dropped or cut.
func (p *pair) withExact(found, exact []candidate) []candidate {
	covered := make([]bool, p.a.Len())
	for _, c := range found {
		mark(covered, c.a)
	}
	for _, e := range exact {
		if !p.tooShort(e) && 2*count(covered, e.a) < e.a.len() {
			mark(covered, e.a)
			found = append(found, e)
		}
	}
	return found
}

package align

import "slices"

// exactRuns returns runs of at least Verbatim equal words, longest first. Every
// such run of the suspect has half of its words or more in one of them.
func (p *pair) exactRuns() []candidate {
	runs, _ := commonRuns(p.a.forms, p.form, p.a.seeds(), seedWords)
	runs = slices.DeleteFunc(runs, func(r Run) bool { return r.Len < p.params.Verbatim })
	slices.SortFunc(runs, longerRun)
	covered := make([]bool, p.a.Len())
	var found []candidate
	for _, r := range runs {
		a := span{int32(r.Suspect), int32(r.Suspect + r.Len)}
		if 2*count(covered, a) > r.Len {
			continue
		}
		mark(covered, a)
		found = append(found, candidate{a: a, b: span{int32(r.Source), int32(r.Source + r.Len)}, kind: Exact})
	}
	return found
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

// replaced puts exact runs in the place of the clusters that consist of them:
// so copied borders are exact. Where changed words lie between, the cluster
// stays whole. Runs that no cluster has are added.
func (p *pair) replaced(found, exact []candidate) []candidate {
	used := make([]bool, len(exact))
	var out []candidate
	for _, c := range found {
		inside, words := meeting(c, exact)
		dominate := len(inside) > 0 && float64(words) >= p.params.VerbatimShare*float64(c.a.len())
		for _, k := range inside {
			if dominate && !used[k] {
				out = append(out, exact[k])
			}
			used[k] = true
		}
		if !dominate {
			out = append(out, c)
		}
	}
	for k, e := range exact {
		if !used[k] {
			out = append(out, e)
		}
	}
	return out
}

// meeting returns the runs that meet c on both sides, and how many words of c
// they have in the suspect.
func meeting(c candidate, exact []candidate) (inside []int, words int) {
	for k, e := range exact {
		if e.a.meets(c.a) && e.b.meets(c.b) {
			inside = append(inside, k)
			words += e.a.common(c.a)
		}
	}
	return inside, words
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

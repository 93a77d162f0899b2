package segment

import (
	"cmp"
	"math/bits"
	"slices"
)

// fanOut is how many segments of about one size are merged. Each n-gram is so
// rewritten once while an index grows eightfold. Large segments, from class
// largeClass on, wait for one another longer: merging them takes seconds, a
// thesis is looked up in one in 2 ms, and a run that adds many ends by merging
// them all. While one does, so that buffers fill up between commits, segments of
// any class wait: what were merged would soon be merged again.
const (
	fanOut      = 8
	largeFanOut = 32
	bulkFanOut  = 64
	largeClass  = 3
)

// smallPack is the size of dead text that is not worth a rewriting.
const smallPack = 1 << 20

// A plan says what to rewrite.
type plan struct {
	segments [][]segmentRecord // each group becomes one segment
	packs    []packRecord      // whose live texts go elsewhere
	tables   []tableRecord     // one after another, that become one
	oldest   bool              // there are none before them
}

func (p *plan) empty() bool { return len(p.segments) == 0 && len(p.packs) == 0 && len(p.tables) == 0 }

// due plans what is worth rewriting after a commit. The gate is closed.
func (s *Store) due() plan {
	var p plan
	for _, list := range s.snap.index.byN() {
		if group := dueOf(list, s.bulk); len(group) > 0 {
			p.segments = append(p.segments, group)
		}
	}
	for _, r := range s.snap.index.Packs {
		if gone := r.Length - r.Live; gone > r.Length/2 && gone >= smallPack && !s.packs.grown(r) {
			p.packs = append(p.packs, r)
		}
	}
	if count := dueTables(s.snap.index.Tables, everyTable); count > 1 {
		p.mergeTables(s.snap.index.Tables, count)
	}
	return p
}

// mergeTables plans to merge so many of the newest tables.
func (p *plan) mergeTables(list []tableRecord, count int) {
	p.tables, p.oldest = slices.Clone(list[len(list)-count:]), count == len(list)
}

// wholePlan plans to leave one segment for each n, and nothing dead.
func (s *Store) wholePlan() plan {
	var p plan
	for _, list := range s.snap.index.byN() {
		var group []segmentRecord
		sum := int64(0)
		for _, r := range list {
			if sum += r.Grams - r.Dead; sum > maxGrams {
				p.add(group)
				group, sum = nil, r.Grams-r.Dead
			}
			group = append(group, r)
		}
		p.add(group)
	}
	for _, r := range s.snap.index.Packs {
		if r.Live < r.Length && !s.packs.grown(r) {
			p.packs = append(p.packs, r)
		}
	}
	// Moving texts makes another table, so tables are merged after that.
	if list := s.snap.index.Tables; len(list) > 1 && len(p.packs) == 0 {
		p.mergeTables(list, len(list))
	}
	return p
}

// add plans to merge group, unless it is as it should be.
func (p *plan) add(group []segmentRecord) {
	if len(group) > 1 || len(group) == 1 && group[0].Dead > 0 {
		p.segments = append(p.segments, group)
	}
}

// byN returns the segments of each n, by rising n.
func (x *index) byN() [][]segmentRecord {
	sorted := slices.Clone(x.Segments)
	slices.SortStableFunc(sorted, func(a, b segmentRecord) int { return a.N - b.N })
	var lists [][]segmentRecord
	for i, r := range sorted {
		if i == 0 || r.N != sorted[i-1].N {
			lists = append(lists, nil)
		}
		lists[len(lists)-1] = append(lists[len(lists)-1], r)
	}
	return lists
}

// class returns the size class of a segment: each is eight times the one
// before, and the first holds all below 64 Ki n-grams.
func class(grams int64) int { return max(0, (bits.Len64(uint64(grams))-14)/3) }

// enough returns how many segments of a class are merged, while much is added or
// when not.
func enough(class int, bulk bool) int {
	switch {
	case bulk:
		return bulkFanOut
	case class >= largeClass:
		return largeFanOut
	}
	return fanOut
}

// dueOf returns the segments of one n to be merged: those of a class that has
// enough, with all smaller ones, and those that are more than half dead.
func dueOf(list []segmentRecord, bulk bool) (group []segmentRecord) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b segmentRecord) int { return cmp.Compare(a.Grams, b.Grams) })
	merged, sum := 0, int64(0) // the first so many are to be merged, into one of sum n-grams
	for i := 0; i < len(list); {
		c, end, size := class(list[i].Grams), i, sum
		for end < len(list) && class(list[end].Grams) == c {
			size += list[end].Grams
			end++
		}
		count := end - i
		if merged > 0 && class(sum) == c {
			count++
		}
		for _, r := range list[merged:i] {
			size += r.Grams
		}
		if count >= enough(c, bulk) && size <= maxGrams {
			merged, sum = end, size
		}
		i = end
	}
	group = list[:merged:merged]
	for _, r := range list[merged:] {
		if 2*r.Dead > r.Grams {
			group = append(group, r)
		}
	}
	return group
}

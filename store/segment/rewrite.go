package segment

import (
	"cmp"
	"math/bits"
	"slices"
)

// fanOut is how many segments of about the same size are merged, so that each n-gram is
// rewritten once while an index grows eightfold. Large segments, of largeClass and above,
// are merged less often: merging them takes seconds, each one adds only 2 ms to the look-up
// of a thesis, and a run that adds many documents ends by merging them all. While buffers
// overflow between commits, segments of any class are merged still less often, since the
// result would soon be merged again.
const (
	fanOut      = 8
	largeFanOut = 32
	bulkFanOut  = 64
	largeClass  = 3
)

// smallPack is the number of dead bytes below which a pack is not rewritten.
const smallPack = 1 << 20

// A plan lists what a job rewrites.
type plan struct {
	segments [][]segmentRecord // each group becomes one segment
	packs    []packRecord      // their live texts are moved to other packs
	tables   []tableRecord     // consecutive; they become one
	oldest   bool              // no older tables exist
}

func (p *plan) empty() bool { return len(p.segments) == 0 && len(p.packs) == 0 && len(p.tables) == 0 }

// due returns the plan of what is worth rewriting after a commit. The gate is closed.
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

// mergeTables adds merging the newest count tables to the plan.
func (p *plan) mergeTables(list []tableRecord, count int) {
	p.tables, p.oldest = slices.Clone(list[len(list)-count:]), count == len(list)
}

// wholePlan returns a plan after which there is one segment for each n, and nothing dead.
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
	// Moving texts makes another table, so tables are merged in a second job.
	if list := s.snap.index.Tables; len(list) > 1 && len(p.packs) == 0 {
		p.mergeTables(list, len(list))
	}
	return p
}

// add adds merging a group to the plan, unless it is one segment without dead n-grams.
func (p *plan) add(group []segmentRecord) {
	if len(group) > 1 || len(group) == 1 && group[0].Dead > 0 {
		p.segments = append(p.segments, group)
	}
}

// byN returns the segments of each n, by ascending n.
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

// class returns the size class of a segment: each class is eight times the one before, and
// the first covers everything below 64 Ki n-grams.
func class(grams int64) int { return max(0, (bits.Len64(uint64(grams))-14)/3) }

// enough returns how many segments of a class are merged. bulk means that buffers overflow
// between commits.
func enough(class int, bulk bool) int {
	switch {
	case bulk:
		return bulkFanOut
	case class >= largeClass:
		return largeFanOut
	}
	return fanOut
}

// dueOf returns the segments of one n to be merged: the ones of a class that has enough,
// with all smaller ones, and those that are more than half dead.
func dueOf(list []segmentRecord, bulk bool) (group []segmentRecord) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b segmentRecord) int { return cmp.Compare(a.Grams, b.Grams) })
	merged, sum := 0, int64(0) // the first ones that are merged, and the n-grams of the result
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

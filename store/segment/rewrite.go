package segment

import (
	"cmp"
	"context"
	"math/bits"
	"os"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/otisk/otisk/store"
)

// fanOut is how many segments of about one size are merged. Each n-gram is so
// rewritten once while an index grows eightfold. Large segments, from class
// largeClass on, wait for one another longer: merging them takes seconds, a
// thesis is looked up in one in 2 ms, and a run that adds many ends by merging
// them all.
const (
	fanOut      = 8
	largeFanOut = 32
	largeClass  = 3
)

// smallPack is the size of dead text that is not worth a rewriting.
const smallPack = 1 << 20

// A plan says what to rewrite.
type plan struct {
	segments [][]segmentRecord // each group becomes one segment
	packs    []packRecord      // whose live texts go elsewhere
	compact  bool              // the catalogue too
}

// due plans what is worth rewriting after a commit.
func (s *Store) due() plan {
	var p plan
	for _, list := range s.snap.index.byN() {
		if group := dueOf(list); len(group) > 0 {
			p.segments = append(p.segments, group)
		}
	}
	for _, r := range s.snap.index.Packs {
		if gone := r.Length - r.Live; r.Live == 0 || gone > r.Length/2 && gone >= smallPack {
			p.packs = append(p.packs, r)
		}
	}
	return p
}

// wholePlan plans to leave one segment for each n, and nothing dead.
func (s *Store) wholePlan() plan {
	p := plan{compact: true}
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
		if r.Live < r.Length {
			p.packs = append(p.packs, r)
		}
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

// enough returns how many segments of a class are merged.
func enough(class int) int {
	if class >= largeClass {
		return largeFanOut
	}
	return fanOut
}

// dueOf returns the segments of one n to be merged: those of a class that has
// enough, with all smaller ones, and those that are more than half dead.
func dueOf(list []segmentRecord) (group []segmentRecord) {
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
		if count >= enough(c) && size <= maxGrams {
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

// Optimize implements [store.Store].
func (s *Store) Optimize(ctx context.Context) error {
	return s.exclusive("optimize index", func() error {
		if err := s.commit(ctx); err != nil {
			return err
		}
		return s.rewrite(ctx, s.wholePlan())
	})
}

// rewrite carries a plan out and commits it. After an error everything is as it
// was.
func (s *Store) rewrite(ctx context.Context, p plan) error {
	if len(p.segments) == 0 && len(p.packs) == 0 {
		return nil
	}
	err := guarded(s.dir, func() error { return s.carryOut(ctx, p) })
	s.packs.reset(s.snap.index.Packs)
	s.settle()
	return err
}

func (s *Store) carryOut(ctx context.Context, p plan) error {
	if err := s.mergeAll(ctx, p.segments); err != nil {
		return err
	}
	places, err := s.moveTexts(ctx, p.packs)
	if err != nil {
		return err
	}
	if err := s.packs.sync(); err != nil {
		return err
	}
	prepare := s.copyCatalogue
	if p.compact {
		prepare = s.compactCatalogue
	}
	return s.advance(prepare, func(tx *bolt.Tx, x *index) error { return s.applyPlan(tx, x, p, places) })
}

// mergeAll merges each group; the results are fresh segments.
func (s *Store) mergeAll(ctx context.Context, groups [][]segmentRecord) error {
	open := s.snap.files()
	for _, group := range groups {
		var files []*file
		for _, r := range group {
			files = append(files, open[r.File])
		}
		var m *merger
		if err := s.snap.view(func(tx *bolt.Tx) error {
			m = newMerger(files, func(number uint64) bool { _, ok := getLive(tx, number); return ok })
			return nil
		}); err != nil {
			return err
		}
		number := s.newFile()
		size, err := m.write(ctx, s.disk, s.segmentPath(number), s.workers)
		if err == nil {
			err = s.addFresh(number, s.segmentPath(number), size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moveTexts appends the texts of packs to others, and returns their new places.
func (s *Store) moveTexts(ctx context.Context, packs []packRecord) (map[store.DocID]*place, error) {
	places := map[store.DocID]*place{}
	if len(packs) == 0 {
		return places, nil
	}
	from := map[uint64]*os.File{}
	s.packs.avoid = map[uint64]bool{}
	for _, r := range packs {
		from[r.File] = s.snap.packs[r.File]
		s.packs.avoid[r.File] = true
	}
	err := s.snap.records(ctx, func(r *record) (err error) {
		if r.Place != nil && r.Place.Stored > 0 && from[r.Place.Pack] != nil {
			places[r.ID], err = s.packs.move(from[r.Place.Pack], *r.Place)
		}
		return err
	})
	return places, err
}

// applyPlan changes a catalogue as planned.
func (s *Store) applyPlan(tx *bolt.Tx, x *index, p plan, places map[store.DocID]*place) error {
	x.setPacks(s.packs.records)
	for id, at := range places {
		r, err := getByID(tx, id)
		if err != nil {
			return err
		}
		if err := x.remove(tx, r); err != nil {
			return err
		}
		r.Place = at
		if err := x.insert(tx, r); err != nil {
			return err
		}
	}
	x.Packs = slices.DeleteFunc(x.Packs, func(r packRecord) bool { return s.packs.avoid[r.File] })
	for _, group := range p.segments {
		x.Segments = slices.DeleteFunc(x.Segments, func(r segmentRecord) bool { return slices.Contains(group, r) })
	}
	for _, f := range s.fresh {
		x.Segments = append(x.Segments, f.record)
	}
	return nil
}

// compactCatalogue copies the present catalogue without the room that deleted
// entries left.
func (s *Store) compactCatalogue(path string) error {
	if err := s.snap.readable(); err != nil {
		return err
	}
	return s.disk.compactDatabase(s.snap.db, path)
}

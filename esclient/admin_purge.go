package esclient

import (
	"context"
	"slices"

	"github.com/otisk/otisk/internal/lists"
)

// sweepEntries calls fn for each entry that meets a condition, and repeats that until no entry
// meets it. fn has to change the entry so that it no longer meets the condition.
func (s *Store) sweepEntries(ctx context.Context, v *view, condition object, fn func(t *ticket, e *version)) error {
	for {
		if err := s.c.refresh(ctx, s.names.documents()); err != nil {
			return err
		}
		query := object{"query": filter(condition), "size": s.c.limits().entriesPage, "seq_no_primary_term": true}
		f, err := find[entrySource](ctx, v, "clean up index", documentsPart, query)
		if err != nil || len(f.Hits.Hits) == 0 {
			return err
		}
		err = s.send(ctx, func(t *ticket) {
			for i := range f.Hits.Hits {
				e, err := versionOf(&f.Hits.Hits[i])
				if err != nil {
					t.fail(err)
					return
				}
				fn(t, e)
			}
		})
		if err != nil && !conflict(err) { // after a conflict the entry is read again
			return err
		}
	}
}

// purge deletes the versions that ended by that commit, or by the oldest commit that this
// process reads from. Readers in other processes have points in time; one that has lost
// its point in time learns from Purged in the head whether its commit is still complete.
func (s *Store) purge(ctx context.Context, commit int64) error {
	commit = min(commit, s.oldest())
	v := s.now
	for {
		query := object{"query": filter(v.gone(commit)), "size": s.c.limits().entriesPage, "seq_no_primary_term": true}
		f, err := find[entrySource](ctx, v, "clean up index", documentsPart, query)
		if err != nil || len(f.Hits.Hits) == 0 {
			return err
		}
		if err := s.lease.change(ctx, func(h *head) { h.Purged = max(h.Purged, commit) }); err != nil {
			return err
		}
		if err := s.purgePage(ctx, v, commit, f.Hits.Hits); err != nil {
			return err
		}
		if err := s.c.refresh(ctx, s.names.documents()); err != nil {
			return err
		}
	}
}

// purgePage deletes the parts of some versions, except those that a later version shares,
// and then their entries.
func (s *Store) purgePage(ctx context.Context, v *view, commit int64, hits []foundHit[entrySource]) error {
	var parts []piece
	for i := range hits {
		e, err := versionOf(&hits[i])
		if err != nil {
			return err
		}
		parts = append(parts, e.pieces()...)
	}
	still := object{"bool": object{"must_not": []object{v.gone(commit)}}}
	if err := s.deletePieces(ctx, v, parts, still); err != nil {
		return err
	}
	return s.send(ctx, func(t *ticket) {
		for i := range hits {
			s.bulk.delete(ctx, t, s.names.writes(documentsPart), hits[i].ID)
		}
	})
}

// deletePieces deletes the blocks of those parts that no entry meeting the condition
// refers to.
func (s *Store) deletePieces(ctx context.Context, v *view, list []piece, condition object) error {
	for part := range slices.Chunk(list, s.c.limits().entriesPage) {
		gens := lists.Map(part, func(p piece) int64 { return p.Gen })
		used, err := v.used(ctx, gens, condition)
		if err != nil {
			return err
		}
		err = s.send(ctx, func(t *ticket) {
			for _, p := range part {
				if !used[p.Gen] {
					s.deletePiece(ctx, t, p)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) deletePiece(ctx context.Context, t *ticket, p piece) {
	index := s.names.writes(p.part())
	for no := range p.Units {
		s.bulk.delete(ctx, t, index, blockID(p.Gen, no))
	}
}

func (v *view) used(ctx context.Context, gens []int64, condition object) (map[int64]bool, error) {
	used, page := map[int64]bool{}, v.c.limits().entriesPage
	for {
		query := object{
			"query": filter(object{"terms": object{"gens": gens}}, condition), "size": page, "_source": []string{"gens"},
		}
		f, err := find[entrySource](ctx, v, "clean up index", documentsPart, query)
		if err != nil {
			return nil, err
		}
		for i := range f.Hits.Hits {
			for _, gen := range f.Hits.Hits[i].Source.Gens {
				used[gen] = true
			}
		}
		if len(f.Hits.Hits) < page {
			return used, nil
		}
		// The page was full: ask for the generations that were not found yet.
		gens = slices.DeleteFunc(gens, func(gen int64) bool { return used[gen] })
	}
}

// clean deletes the parts in s.waste. The next commit retries what fails, and after a
// crash the next writer does.
func (s *Store) clean(ctx context.Context) {
	if len(s.waste) == 0 {
		return
	}
	var list []piece
	for _, l := range s.waste {
		if l.written != nil {
			l.written.open.Wait()
		}
		list = append(list, l.piece)
	}
	if s.c.refresh(ctx, s.names.documents()) == nil && s.deletePieces(ctx, s.now, list, object{"match_all": object{}}) == nil {
		s.waste = nil
	}
}

const sweepPage = 5000

// sweep deletes the blocks and chunks with a generation in [from, to) that no entry refers
// to, which writers that died have left behind, and old builds.
func (s *Store) sweep(ctx context.Context, from, to int64) error {
	list, err := s.c.list(ctx)
	if err != nil {
		return err
	}
	if err := s.c.refresh(ctx, list...); err != nil {
		return err
	}
	for _, part := range s.existing(list) {
		if err := s.sweepPart(ctx, part, from, to); err != nil {
			return err
		}
	}
	return s.dropBuilds(ctx, list)
}

func (s *Store) sweepPart(ctx context.Context, part string, from, to int64) error {
	v := s.now
	sort := []string{"gen", "no"}
	query := object{
		"query": filter(object{"range": object{"gen": object{"gte": from, "lt": to}}}),
		"size":  sweepPage, "sort": sort, "_source": []string{"gen"},
	}
	for {
		f, err := find[block](ctx, v, "clean up index", part, query)
		if err != nil {
			return err
		}
		hits := f.Hits.Hits
		if err := s.sweepHits(ctx, v, part, hits); err != nil {
			return err
		}
		if len(hits) < sweepPage {
			return nil
		}
		query["search_after"] = hits[len(hits)-1].after(len(sort))
	}
}

func (s *Store) sweepHits(ctx context.Context, v *view, part string, hits []foundHit[block]) error {
	var gens []int64
	for i := range hits {
		gens = append(gens, hits[i].Source.Gen)
	}
	gens = slices.Compact(gens) // sorted
	used := map[int64]bool{}
	for some := range slices.Chunk(slices.Clone(gens), s.c.limits().entriesPage) {
		found, err := v.used(ctx, some, object{"match_all": object{}})
		if err != nil {
			return err
		}
		for gen := range found {
			used[gen] = true
		}
	}
	return s.send(ctx, func(t *ticket) {
		for i := range hits {
			if !used[hits[i].Source.Gen] {
				s.bulk.delete(ctx, t, v.names.writes(part), hits[i].ID)
			}
		}
	})
}

package segment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/otisk/otisk/store"
)

// Verify implements [store.Reader].
func (r *Reader) Verify(ctx context.Context, problem func(error)) error {
	return r.with(ctx, func(s *snapshot) error {
		v := verifier{snapshot: s, ctx: ctx, problem: problem, numbers: map[uint64]*numbered{}}
		return v.run()
	})
}

// A verifier is one call of Verify.
type verifier struct {
	*snapshot
	ctx     context.Context
	problem func(error)
	numbers map[uint64]*numbered // that entries of the catalogue have
	partial bool                 // a segment could not be read whole
}

// A numbered is what is known of the n-grams, or the blocks of pairs, under one
// number.
type numbered struct {
	name   string
	n      int
	grams  int64
	pieces []span
}

// A span is positions of a document that a piece has.
type span struct{ from, to int64 }

// damaged reports a problem.
func (v *verifier) damaged(name, format string, args ...any) {
	v.problem(damaged(name, format, args...))
}

// noted reports err if it is about damage; else it returns it.
func (v *verifier) noted(err error) error {
	if err == nil || !errors.Is(err, store.ErrDamaged) {
		return err
	}
	v.problem(err)
	return nil
}

func (v *verifier) run() error {
	if _, err := readTrailer(v.manifest); err != nil {
		return v.noted(err)
	}
	if err := v.entries(); err != nil {
		return err
	}
	for _, s := range v.segments {
		if err := v.segment(s); err != nil {
			return err
		}
	}
	if !v.partial {
		v.spans()
	}
	return v.leftovers()
}

// entries checks the entries of the catalogue against each other, and reads
// all texts.
func (v *verifier) entries() error {
	sums := &index{Sizes: map[int]total{}}
	for _, r := range v.index.Packs {
		sums.Packs = append(sums.Packs, packRecord{File: r.File, Length: r.Length})
	}
	live, err := v.catalogue.check(v.problem)
	if err == nil {
		err = v.catalogue.walk(v.ctx, "", func(r *record) error {
			sums.count(r, 1)
			return v.record(r)
		})
	}
	if err != nil {
		return v.noted(err)
	}
	if live != len(v.numbers) {
		v.damaged(v.path(), "it has %d live numbers, its documents have %d", live, len(v.numbers))
	}
	x := v.index
	if x.Documents != sums.Documents || x.TextBytes != sums.TextBytes || x.KeptBytes != sums.KeptBytes ||
		x.Pairs != sums.Pairs || len(x.Sizes)+len(sums.Sizes) > 0 && !reflect.DeepEqual(x.Sizes, sums.Sizes) || !slices.Equal(x.Packs, sums.Packs) {
		v.damaged(v.path(), "its sums are not those of its documents")
	}
	return nil
}

// leftovers reports what no commit has put there.
func (v *verifier) leftovers() error {
	l, err := list(v.dir)
	if err != nil {
		return err
	}
	if newest, err := l.newest(v.dir); err != nil || newest != v.generation {
		return err // the snapshot does not list what a later commit has
	}
	for _, name := range l.unlisted(v.index, v.generation, func(uint64) bool { return false }) {
		v.problem(fmt.Errorf("%s: %w", filepath.Join(v.dir, name), store.ErrLeftover))
	}
	for _, r := range v.index.Packs {
		f := v.packs[r.File]
		st, err := f.Stat()
		if err != nil {
			return err
		}
		if more := st.Size() - r.Length; more > 0 {
			v.problem(fmt.Errorf("%s: its last %d bytes are %w", f.Name(), more, store.ErrLeftover))
		}
	}
	return nil
}

// record checks one entry.
func (v *verifier) record(r *record) error {
	if found, err := v.catalogue.get(r.ID); err != nil || found == nil || found.Name() != r.Name() {
		v.damaged(v.path(), "id %v does not lead to %s: %v", r.ID, r.Name(), err)
	}
	for i, number := range r.numbers() {
		if id, ok, err := v.catalogue.owner(number); !ok || id != r.ID || err != nil {
			v.damaged(v.path(), "number %d of %s is not live: %v", number, r.Name(), err)
		}
		if v.numbers[number] != nil {
			v.damaged(v.path(), "number %d stands for %s and %s", number, r.Name(), v.numbers[number].name)
		}
		v.numbers[number] = &numbered{name: r.Name(), n: pairList, grams: (r.Pairs + store.PairBlock - 1) / store.PairBlock}
		if i < len(r.Sizes) {
			v.numbers[number] = &numbered{name: r.Name(), n: r.Sizes[i].N, grams: r.Sizes[i].Grams}
		}
	}
	if (r.Place == nil) == v.index.Settings.KeepTexts || r.NoText == v.index.Settings.KeepTexts {
		v.damaged(v.path(), "%s has a text, or none, against the settings", r.Name())
	}
	if r.Place == nil {
		return nil
	}
	if err := v.readText(r.Place, io.Discard); err != nil {
		return v.noted(fmt.Errorf("text of %s: %w", r.Name(), err))
	}
	return nil
}

// segment checks the chunks of a segment, and notes what its documents have.
func (v *verifier) segment(s *view) error {
	c := counter{view: s, counts: make([]uint32, s.pieces), sums: make([]uint64, s.pieces)}
	if err := s.checkDocuments(); err != nil {
		v.problem(err)
		v.partial = true
		return nil
	}
	for i := range s.chunks {
		if v.ctx.Err() != nil {
			return context.Cause(v.ctx)
		}
		err := s.check(uint64(i))
		if err == nil {
			err = c.chunk(uint64(i))
		}
		if err != nil {
			v.problem(err)
			c.partial = true
		}
		s.giveBack(s.chunks[i].offset, s.chunks[i].end)
	}
	if c.partial {
		v.partial = true
	} else {
		v.pieces(&c)
	}
	return nil
}

// pieces checks the documents table of a segment whose chunks are in order.
func (v *verifier) pieces(c *counter) {
	dead := int64(0)
	for i := range c.view.pieces {
		p, end := c.piece(i), c.pieceEnd(i)
		first, length := uint64(p.first), end-uint64(p.first)
		if !c.complete(i, first, length) {
			v.damaged(c.path, "entry %d of its documents table has %d n-grams, the chunks have %d of them or others", i, length, c.counts[i])
		}
		number := v.numbers[p.number]
		if number == nil {
			dead += int64(length)
			continue
		}
		if number.n != c.n {
			v.damaged(c.path, "it has %s of %s under a number for %s", listName(c.n), number.name, listName(number.n))
		}
		number.pieces = append(number.pieces, span{int64(p.base), int64(p.base) + int64(length)})
	}
	if dead != c.record.Dead {
		v.damaged(c.path, "it has %d n-grams of deleted documents, the catalogue says %d", dead, c.record.Dead)
	}
}

// spans checks that the pieces of each document make the whole of it.
func (v *verifier) spans() {
	for _, number := range slices.Sorted(maps.Keys(v.numbers)) {
		d := v.numbers[number]
		slices.SortFunc(d.pieces, func(a, b span) int { return cmp.Compare(a.from, b.from) })
		at := int64(0)
		for _, s := range d.pieces {
			if s.from != at {
				break
			}
			at = s.to
		}
		if at != d.grams || len(d.pieces) > 0 && d.pieces[len(d.pieces)-1].to != at {
			v.damaged(v.dir, "the segments do not have the %d %s of %s", d.grams, listName(d.n), d.name)
		}
	}
}

// A counter counts the ordinals of each piece.
type counter struct {
	*view
	counts  []uint32
	sums    []uint64
	partial bool // some chunk is damaged
}

// complete reports whether the chunks have the ordinals of a piece. Of blocks of
// pairs some may be missing, since the places of common pairs are not kept.
func (c *counter) complete(piece int, first, length uint64) bool {
	count := uint64(c.counts[piece])
	if c.n == pairList {
		return count <= length*store.PairBlock
	}
	return count == length && c.sums[piece] == length*first+length*(length-1)/2
}

// listName names what a list has, for messages.
func listName(n int) string {
	if n == pairList {
		return "blocks of pairs"
	}
	return fmt.Sprintf("%d-grams", n)
}

// chunk counts chunk i, and checks what a look-up does not.
func (c *counter) chunk(i uint64) error {
	shift := c.chunkShift()
	last, near := int64(-1), 0
	return c.walk(i<<shift, (i+1)<<shift, func(h uint64, p cursor) error {
		if int64(h) <= last {
			return c.damagedAt(p.chunk, "its keys do not rise")
		}
		last = int64(h)
		passed, _ := c.sift([]store.Hash{store.Hash(h)}, make([]int32, 1))
		if _, _, found, err := c.find(h); passed == 0 || !found || err != nil {
			return c.damagedAt(p.chunk, "a key of it is not found")
		}
		if _, pruned, err := p.pruned(); pruned || err != nil {
			return err
		}
		for {
			ordinal, ok, err := p.next()
			if !ok || err != nil {
				return err
			}
			near = c.pieceOf(ordinal, near)
			c.counts[near]++
			c.sums[near] += ordinal
		}
	})
}

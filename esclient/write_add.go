package esclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// genBits is the number of bits of a generation below the session number, which counts
// milliseconds. 2^22 generations are more than a writer can use up in a millisecond, so
// the generations of a session never reach the number that a later session starts at.
const genBits = 22

// generation returns a number that was never used before.
func (s *Store) generation() int64 { return s.gens.Add(1) }

type leftover struct {
	piece
	written *ticket // items that may not be acknowledged yet; nil if there are none
}

// Add implements [store.Store].
func (s *Store) Add(ctx context.Context, doc store.Document, text string, grams []store.Grams, pairs iter.Seq[[]store.Hash]) error {
	if pairs != nil {
		grams = append(slices.Clone(grams), store.Grams{N: pairsN, Hashes: pairs})
	}
	v := &version{Doc: doc}
	v.Doc.ID = store.IDOf(doc.Prefix, doc.Path)
	if len(v.Doc.Name()) > longestName {
		return phrase.Error("cluster.long-name", "add {name}…: its name has {bytes} bytes, the limit is {limit}: {cause}", "name", fmt.Sprintf("%.60s", v.Doc.Name()), "bytes", len(v.Doc.Name()), "limit", longestName, "cause", store.ErrRefused)
	}
	first, into, err := s.enter(ctx)
	if err != nil {
		return phrase.Error("index.add", "add {name}: {cause}", "name", v.Doc.Name(), "cause", err)
	}
	defer s.leave(first)
	v.id = entryID(first)
	v.Doc.TextSum = store.TextSum(text, doc.Rules, doc.NewLine)
	v.Doc.Sizes, v.Doc.Paired, v.Doc.Pairs, v.Doc.NoText = nil, false, 0, !into.keep
	t := new(ticket)
	if err := s.write(ctx, t, into, v, text, grams); err != nil {
		t.fail(err) // the remaining items are not sent
		s.discard(v.pieces(), t)
		return phrase.Error("index.add", "add {name}: {cause}", "name", v.Doc.Name(), "cause", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.usable() != nil:
		err = s.usable()
	case into.names != s.names:
		err = phrase.Error("cluster.emptied", "the index was emptied meanwhile")
	case len(s.pending) >= s.c.limits().settleAt:
		err = s.settle(ctx)
	}
	if c := s.pending[v.Doc.ID]; err == nil && c != nil && c.next != nil {
		err = v.Doc.SameID(&c.next.Doc)
	}
	if err != nil {
		s.throw(v.pieces(), nil)
		return phrase.Error("index.add", "add {name}: {cause}", "name", v.Doc.Name(), "cause", err)
	}
	s.plan(v)
	return nil
}

func entryID(gen int64) string { return fmt.Sprintf("%016x", gen) }

type target struct {
	names
	keep bool // keep original texts
}

// enter records that a document is being written under generations from first on, and
// returns where to. The caller has to call leave.
func (s *Store) enter(ctx context.Context) (first int64, into target, err error) {
	if err := ctx.Err(); err != nil {
		return 0, into, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return 0, into, err
	}
	first = s.generation()
	s.adding[first] = true
	return first, target{s.names, s.settings.KeepTexts}, nil
}

func (s *Store) leave(first int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.adding, first)
}

// write sends all parts of v and waits until they are acknowledged. If it fails, v lists
// the parts of which something may have been sent.
func (s *Store) write(ctx context.Context, t *ticket, into target, v *version, text string, grams []store.Grams) error {
	for _, g := range grams {
		if err := s.provide(ctx, into, g.N); err != nil {
			return err
		}
		write := s.writeGrams
		if g.N == pairsN {
			write = s.writePairs
		}
		if err := write(ctx, t, into.names, v, g, s.generation()); err != nil {
			return err
		}
	}
	if into.keep {
		gen := s.generation()
		bounds := chunksOf(v.Doc.Marks, int64(len(text)))
		v.Text = cutText(gen, text, bounds, func(no int, source []byte) {
			s.bulk.create(ctx, t, into.writes(textsPart), blockID(gen, no), source)
		})
		v.Text.setMarks(v.Doc.Marks)
	}
	v.Doc.Marks = nil // now in v.Text
	return t.wait(ctx)
}

// writeGrams sends the blocks of the n-grams of a length under generation gen.
func (s *Store) writeGrams(ctx context.Context, t *ticket, into names, v *version, g store.Grams, gen int64) error {
	p := piece{N: g.N, Gen: gen}
	index := into.writes(p.part())
	const most = blockGrams
	hashes := make([]store.Hash, 0, most)
	flush := func() {
		p.Sum = p.Sum.add(hashes)
		p.Grams += int64(len(hashes))
		p.Units++
		source := appendBlock(make([]byte, 0, len(hashes)*(gramChars+1)+64), p.Gen, p.Units-1, hashes)
		hashes = hashes[:0]
		s.bulk.create(ctx, t, index, blockID(p.Gen, p.Units-1), source)
	}
	defer func() { v.setSize(p) }()
	for part := range g.Hashes {
		for len(part) > 0 {
			n := min(len(part), most-len(hashes))
			hashes, part = append(hashes, part[:n]...), part[n:]
			if len(hashes) < most {
				continue
			}
			if err := errors.Join(ctx.Err(), t.failed()); err != nil {
				return err
			}
			if p.Units > maxBlocks {
				return phrase.Error("cluster.many-grams", "more than {limit} n-grams: {cause}", "limit", maxBlocks*most, "cause", store.ErrRefused)
			}
			flush()
		}
	}
	if len(hashes) > 0 {
		flush()
	}
	return cmp.Or(t.failed(), ctx.Err())
}

// writePairs sends the blocks of the pairs under generation gen.
func (s *Store) writePairs(ctx context.Context, t *ticket, into names, v *version, g store.Grams, gen int64) (err error) {
	p := piece{N: g.N, Gen: gen}
	index := into.writes(p.part())
	hashes := heldPairs(g.Hashes, placesAtOnce)
	places := placesOf(hashes, placesAtOnce)
	list := make([]placed, 0, blockPairs)
	repeated := 0
	flush := func() error {
		if err := errors.Join(ctx.Err(), t.failed()); err != nil {
			return err
		}
		if p.Units > maxBlocks {
			return phrase.Error("cluster.many-pairs", "more than {limit} pairs: {cause}", "limit", maxBlocks*stepPairs, "cause", store.ErrRefused)
		}
		for _, x := range list[repeated:] {
			p.Sum = p.Sum.add([]store.Hash{x.pair})
		}
		p.Grams += int64(len(list) - repeated)
		p.Units++
		source := appendPairs(make([]byte, 0, len(list)*(pairChars+1)+64), gen, p.Units-1, list)
		repeated = min(repeatedPairs, len(list))
		list = append(list[:0], list[len(list)-repeated:]...)
		s.bulk.create(ctx, t, index, blockID(gen, p.Units-1), source)
		return t.failed()
	}
	defer func() { v.setSize(p) }()
	for part := range hashes {
		for _, h := range part {
			list, places = append(list, placed{h, places[0]}), places[1:]
			if len(list) == blockPairs {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if len(list) > repeated {
		err = flush()
	}
	return errors.Join(err, ctx.Err())
}

// provide makes the index for n-grams of that length unless it exists.
func (s *Store) provide(ctx context.Context, into target, size int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sizes[size] || into.names != s.names {
		return nil
	}
	loading := s.lease.get().Loading != nil
	if err := s.c.create(ctx, into.names, gramsPart(size), making{loading: loading}); err != nil {
		return err
	}
	if err := s.c.noteSize(ctx, into.names, size); err != nil {
		return err
	}
	s.sizes[size] = true
	return nil
}

func (s *Store) sizeList() []int { return slices.Sorted(maps.Keys(s.sizes)) }

// discard schedules parts that no entry refers to for deletion.
func (s *Store) discard(list []piece, written *ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.throw(list, written)
}

// throw is discard for a caller that holds s.mu.
func (s *Store) throw(list []piece, written *ticket) {
	s.waste = append(s.waste, lists.Map(list, func(p piece) leftover { return leftover{p, written} })...)
}

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
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Verify implements [store.Reader]. Texts and segments are read side by side, as
// many as there are processors.
func (r *Reader) Verify(ctx context.Context, problem func(error)) error {
	var mu sync.Mutex
	return r.with(ctx, func(s *snapshot) error {
		v := verifier{snapshot: s, ctx: ctx, numbers: map[uint64]*numbered{}}
		v.problem = func(err error) {
			mu.Lock()
			defer mu.Unlock()
			problem(err)
		}
		return v.run()
	})
}

// A verifier is one call of Verify.
type verifier struct {
	*snapshot
	ctx     context.Context
	problem func(error)
	numbers map[uint64]*numbered // that entries have
	blind   bool                 // the entries could not be read completely
	partial bool                 // a segment could not be read completely
	jobs    chan verifyJob
	failed  context.Context // done when a worker failed
}

// A verifyJob reads a text or some chunks. Workers are numbered.
type verifyJob func(worker int) error

// A numbered describes the n-grams, or blocks of pairs, under one number.
type numbered struct {
	name   string
	n      int
	grams  int64
	pieces []span
}

// A span is a range of positions of a document that one piece covers.
type span struct{ from, to int64 }

// damaged reports a problem.
func (v *verifier) damaged(name, message, text string, args ...any) {
	v.problem(damaged(name, message, text, args...))
}

// noted reports err as a problem if it wraps ErrDamaged; otherwise it returns it.
func (v *verifier) noted(err error) error {
	if err == nil || !errors.Is(err, store.ErrDamaged) {
		return err
	}
	v.problem(err)
	return nil
}

func (v *verifier) run() error {
	if _, err := readManifest(v.manifest); err != nil {
		return v.noted(err)
	}
	var counters []*counter
	for _, s := range v.segments {
		if c := v.counter(s); c != nil {
			counters = append(counters, c)
		}
	}
	if err := v.read(counters); err != nil {
		return err
	}
	for _, c := range counters {
		v.pieces(c)
	}
	if !v.partial {
		v.spans()
	}
	return v.leftovers()
}

// read reads the texts and the chunks of segments.
func (v *verifier) read(counters []*counter) error {
	workers, ctx := errgroup.WithContext(v.ctx)
	v.failed, v.jobs = ctx, make(chan verifyJob)
	for i := range runtime.GOMAXPROCS(0) {
		workers.Go(func() error {
			return guarded(v.dir, func() error {
				for job := range v.jobs {
					if err := job(i); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	var feeders errgroup.Group
	feeders.Go(func() error { return guarded(v.dir, v.entries) })
	feeders.Go(func() error {
		return lists.Each(counters, v.chunks)
	})
	err := feeders.Wait()
	close(v.jobs)
	if werr := workers.Wait(); werr != nil {
		return werr // the feeders stopped because of it
	}
	return err
}

// do hands a job to a worker.
func (v *verifier) do(job verifyJob) error {
	if v.ctx.Err() != nil {
		return context.Cause(v.ctx)
	}
	select {
	case v.jobs <- job:
		return nil
	case <-v.failed.Done():
		return context.Cause(v.failed)
	}
}

// entries checks the entries of tables against each other, and has all texts read.
func (v *verifier) entries() error {
	sums := &index{Sizes: map[int]total{}}
	for _, r := range v.index.Packs {
		sums.Packs = append(sums.Packs, packRecord{File: r.File, Length: r.Length})
	}
	live, err := v.tables.check()
	if err == nil {
		err = v.tables.walk(v.ctx, "", func(r *record) error {
			sums.count(r, 1)
			return v.record(r)
		})
	}
	if err != nil {
		v.blind, v.partial = true, true
		return v.noted(err)
	}
	if live != len(v.numbers) {
		v.damaged(v.path(), "damage.live", "it has {count} live numbers, its documents have {documents}", "count", live, "documents", len(v.numbers))
	}
	x := v.index
	if x.Documents != sums.Documents || x.TextBytes != sums.TextBytes || x.KeptBytes != sums.KeptBytes ||
		x.Pairs != sums.Pairs || x.Copies != sums.Copies || len(x.Sizes)+len(sums.Sizes) > 0 && !reflect.DeepEqual(x.Sizes, sums.Sizes) || !slices.Equal(x.Packs, sums.Packs) {
		v.damaged(v.path(), "damage.totals", "its totals differ from the sums of its documents")
	}
	return nil
}

// leftovers reports files and bytes that no manifest lists.
func (v *verifier) leftovers() error {
	l, err := list(v.dir)
	if err != nil {
		return err
	}
	if newest, err := l.newest(v.dir); err != nil || newest != v.generation {
		return err // a later commit has files that the snapshot does not list
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
			v.problem(fmt.Errorf("%s: %w", f.Name(), phrase.Error("damage.leftover", "its last {bytes} bytes are {cause}", "bytes", more, "cause", store.ErrLeftover)))
		}
	}
	return nil
}

// record checks one entry.
func (v *verifier) record(r *record) error {
	if found, err := v.tables.get(r.ID); err != nil || found == nil || found.Name() != r.Name() {
		v.damaged(v.path(), "damage.id-not", "id {id} does not lead to {name}: {cause}", "id", r.ID, "name", r.Name(), "cause", told(err))
	}
	for i, number := range r.numbers() {
		if id, ok, err := v.tables.owner(number); !ok || id != r.ID || err != nil {
			v.damaged(v.path(), "damage.number-dead", "number {number} of {name} is not live: {cause}", "number", number, "name", r.Name(), "cause", told(err))
		}
		if v.numbers[number] != nil {
			v.damaged(v.path(), "damage.number-two", "number {number} belongs to both {name} and {other}", "number", number, "name", r.Name(), "other", v.numbers[number].name)
		}
		v.numbers[number] = &numbered{name: r.Name(), n: pairList, grams: (r.Pairs + store.PairBlock - 1) / store.PairBlock}
		if i < len(r.Sizes) {
			v.numbers[number] = &numbered{name: r.Name(), n: r.Sizes[i].N, grams: r.Sizes[i].Grams}
		}
	}
	if (r.Place == nil) == v.index.Settings.KeepTexts || r.NoText == v.index.Settings.KeepTexts {
		v.damaged(v.path(), "damage.text-settings", "{name} has or lacks a text, contrary to the settings", "name", r.Name())
	}
	if r.Place == nil {
		return nil
	}
	return v.do(func(int) error {
		if err := v.readText(r.Place, io.Discard); err != nil {
			return v.noted(phrase.Error("damage.text-of", "text of {name}: {cause}", "name", r.Name(), "cause", err))
		}
		return nil
	})
}

// counter checks the tables of a segment, and returns a counter for its chunks, nil if the
// tables are damaged.
func (v *verifier) counter(s *view) *counter {
	if err := s.checkDocuments(); err != nil {
		v.problem(err)
		v.partial = true
		return nil
	}
	return &counter{view: s, pieceFinder: newPieceFinder(s.file), tallies: make([]tally, runtime.GOMAXPROCS(0))}
}

// chunksAtOnce is the number of chunks in one job.
const chunksAtOnce = 4

// chunks has all chunks of a segment checked and counted.
func (v *verifier) chunks(c *counter) error {
	for i := 0; i < len(c.chunks); i += chunksAtOnce {
		to := min(i+chunksAtOnce, len(c.chunks))
		if err := v.do(func(worker int) error { v.chunkRange(c, worker, i, to); return nil }); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) chunkRange(c *counter, worker, from, to int) {
	for i := from; i < to; i++ {
		err := c.check(uint64(i))
		if err == nil {
			err = c.chunk(uint64(i), c.tally(worker))
		}
		if err != nil {
			v.problem(err)
			c.partial.Store(true)
		}
	}
	c.giveBack(c.chunks[from].offset, c.chunks[to-1].end)
}

// pieces compares the documents table of a segment with the counts, unless chunks are
// damaged.
func (v *verifier) pieces(c *counter) {
	if c.partial.Load() {
		v.partial = true
		return
	}
	dead := int64(0)
	all := c.total()
	for i := range c.view.pieces {
		p, end := c.piece(i), c.pieceEnd(i)
		first, length := uint64(p.first), end-uint64(p.first)
		if !all[i].complete(c.n, first, length) {
			v.damaged(c.path, "damage.entry-grams", "entry {entry} of its documents table has {grams} n-grams, the chunks contain {found}", "entry", i, "grams", length, "found", all[i].count)
		}
		number := v.numbers[p.number]
		if number == nil {
			dead += int64(length)
			continue
		}
		if number.n != c.n {
			v.damaged(c.path, "damage.wrong-list", "it has {list} of {name} under a number of {other}", "list", listName(c.n), "name", number.name, "other", listName(number.n))
		}
		number.pieces = append(number.pieces, span{int64(p.base), int64(p.base) + int64(length)})
	}
	if dead != c.record.Dead && !v.blind { // without entries, all n-grams would seem to be of deleted documents
		v.damaged(c.path, "damage.dead", "it has {count} n-grams of deleted documents, the manifest says {listed}", "count", dead, "listed", c.record.Dead)
	}
}

// spans checks that the pieces of each document cover it exactly.
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
			v.damaged(v.dir, "damage.not-all", "the segments do not contain exactly the {count} {list} of {name}", "count", d.grams, "list", listName(d.n), "name", d.name)
		}
	}
}

// A counter counts the ordinals of each piece of a segment.
type counter struct {
	*view
	pieceFinder
	tallies []tally     // by worker; nil if it has counted nothing
	partial atomic.Bool // a chunk is damaged
}

// A tally holds the counts of one worker, by piece.
type tally []counted

// A counted is the number of ordinals and their sum.
type counted struct {
	count uint32
	sum   uint64
}

// tally returns the tally of a worker, which no other worker uses.
func (c *counter) tally(worker int) tally {
	if c.tallies[worker] == nil {
		c.tallies[worker] = make(tally, c.view.pieces)
	}
	return c.tallies[worker]
}

// total adds up all tallies.
func (c *counter) total() tally {
	all := make(tally, c.view.pieces)
	for _, t := range c.tallies {
		for i, one := range t {
			all[i].count += one.count
			all[i].sum += one.sum
		}
	}
	return all
}

// complete reports whether the chunks contain all ordinals of a piece. Blocks of pairs may
// be missing, since the places of common pairs are not kept.
func (c counted) complete(n int, first, length uint64) bool {
	if n == pairList {
		return uint64(c.count) <= length*store.PairBlock
	}
	return uint64(c.count) == length && c.sum == length*first+length*(length-1)/2
}

// A pieceFinder finds the piece of an ordinal through a table of starting points, a few per
// piece: in a segment that is verified, successive ordinals are in different pieces.
type pieceFinder struct {
	shift uint
	from  []uint32 // by the ordinal without its lowest bits
}

func newPieceFinder(f *file) pieceFinder {
	p := pieceFinder{}
	for f.grams>>p.shift > 4*uint64(f.pieces) {
		p.shift++
	}
	p.from = make([]uint32, f.grams>>p.shift+1)
	piece := 0
	for i := range p.from {
		for piece+1 < f.pieces && uint64(f.piece(piece+1).first) <= uint64(i)<<p.shift {
			piece++
		}
		p.from[i] = uint32(piece)
	}
	return p
}

// find returns the piece of an ordinal.
func (p *pieceFinder) find(f *file, ordinal uint64) int {
	i := int(p.from[ordinal>>p.shift])
	for i+1 < f.pieces && uint64(f.piece(i+1).first) <= ordinal {
		i++
	}
	return i
}

// listName returns the name of a list for messages.
func listName(n int) *phrase.Phrase {
	if n == pairList {
		return phrase.Error("damage.pairs", "blocks of pairs")
	}
	return phrase.Error("damage.grams-list", "{size}-grams", "size", n)
}

// chunk counts the ordinals of chunk i, and makes the checks that look-ups omit. A look-up
// finds each key that a block yields, if the keys ascend and pass the filter: readBlock
// rejects a block unless it has all of its keys in its 16 sub-buckets.
func (c *counter) chunk(i uint64, t tally) error {
	shift := c.chunkShift()
	ch, least := &c.chunks[i], uint64(0)
	return c.walkBlocks(i<<shift, (i+1)<<shift, func(b *batch) error {
		for _, h := range b.keys {
			if h < least {
				return c.damagedAt(ch, "damage.keys-order", "its keys do not ascend")
			}
			least = h + 1
			if at, need := c.filterAt(h); le.Uint64(c.data[at:])&need != need {
				return c.damagedAt(ch, "damage.key-lost", "one of its keys is not found")
			}
		}
		for _, posting := range b.postings {
			if posting < c.grams {
				c.count(t, posting)
			} else if err := c.list(c.cursor(ch, posting), t); err != nil {
				return err
			}
		}
		return nil
	})
}

// list counts the ordinals of a list. The pages of its chunk are checked.
func (c *counter) list(p cursor, t tally) error {
	p.sound = p.chunk.end
	if _, pruned, err := p.pruned(); pruned || err != nil {
		return err
	}
	for {
		ordinal, ok, err := p.next()
		if !ok || err != nil {
			return err
		}
		c.count(t, ordinal)
	}
}

// count counts an ordinal.
func (c *counter) count(t tally, ordinal uint64) {
	one := &t[c.pieceFinder.find(c.file, ordinal)]
	one.count++
	one.sum += ordinal
}

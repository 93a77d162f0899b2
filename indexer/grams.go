package indexer

import (
	"iter"
	"slices"
	"sync"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// keptGrams is how many n-grams of a size are kept from the first pass over a
// document (8 MB of them); a longer one is gone over again.
const keptGrams = 1 << 20

// grams are what one document is indexed by: its n-grams of several sizes, and
// its pairs of words.
type grams struct {
	norm       *normalize.Normalizer
	text       string
	mode       normalize.Mode
	words      int64
	paragraphs int64
	sizes      []*hashes // by the sizes asked for
	pairs      *hashes   // nil if they were not asked for
	marked     []int     // sizes that the marks have
	marks      *store.Marks
}

// hashes are n-grams of one size, or pairs.
type hashes struct {
	n     int // 0 for pairs
	maker func() *maker
	count int64
	kept  []store.Hash // all of them, if count <= keptGrams
}

// A maker makes hashes of words: all of them, or those that a sample has.
type maker struct {
	all interface {
		AppendAll(hashes []store.Hash, s *fingerprint.Stretch) []store.Hash
	}
	sample *fingerprint.Winnower // nil for all
	buf    []store.Hash
}

// gramMaker makes n-grams of n words. Of a sample, every run of that many words
// has one; 0 stands for all.
func gramMaker(n, sample int) *maker {
	m := &maker{all: fingerprint.NewRoller(n)}
	if sample > n {
		m.sample = fingerprint.NewWinnower(sample - n + 1)
	}
	return m
}

func (m *maker) appendAll(hashes []store.Hash, words *fingerprint.Stretch) []store.Hash {
	if m.sample == nil {
		return m.all.AppendAll(hashes, words)
	}
	m.buf = m.all.AppendAll(m.buf[:0], words)
	return m.sample.Append(hashes, m.buf)
}

// appendRest appends what a document ends with.
func (m *maker) appendRest(hashes []store.Hash) []store.Hash {
	if m.sample == nil {
		return hashes
	}
	return m.sample.AppendRest(hashes)
}

// Room for words and hashes, which one document after another uses.
var (
	stretches = sync.Pool{New: func() any { return new(fingerprint.Stretch) }}
	scratches = sync.Pool{New: func() any { return new([]store.Hash) }}
)

// release gives back the memory that g uses; g is of no use then.
func (g *grams) release() {
	for _, l := range g.lists() {
		if kept := l.kept[:0]; cap(kept) > 0 {
			scratches.Put(&kept)
		}
		l.kept = nil
	}
}

// newGrams goes over the text once, counting. sample is what the settings of
// the store say. The marks have the sizes that the document has already, and
// that stay, too.
func newGrams(norm *normalize.Normalizer, text string, mode normalize.Mode, sizes []int, sample int, pairs bool, stays ...int) *grams {
	g := &grams{norm: norm, text: text, mode: mode, marked: slices.Concat(sizes, stays)}
	slices.Sort(g.marked)
	g.marked = slices.Compact(g.marked)
	for _, n := range sizes {
		g.sizes = append(g.sizes, &hashes{n: n, maker: func() *maker { return gramMaker(n, sample) }})
	}
	if pairs {
		g.pairs = &hashes{maker: func() *maker { return &maker{all: new(fingerprint.Pairer)} }}
	}
	g.countAll()
	return g
}

// gramsAgain makes the grams of a document from its kept text, by the rules that
// it was indexed with. The marks have the sizes that it has, and those that stay.
func gramsAgain(norms *normalize.Set, d *store.Document, text string, sizes []int, sample int, pairs bool, stays ...int) (*grams, error) {
	norm, mode, err := norms.AsIndexed(d.Rules, d.NewLine)
	if err != nil {
		return nil, err
	}
	return newGrams(norm, text, mode, sizes, sample, pairs, append(sizesOf(d), stays...)...), nil
}

// sizesOf returns the n that a document is indexed under.
func sizesOf(d *store.Document) (list []int) {
	for _, s := range d.Sizes {
		list = append(list, s.N)
	}
	return list
}

// lists returns all that the document is indexed by.
func (g *grams) lists() []*hashes {
	if g.pairs == nil {
		return g.sizes
	}
	return append(slices.Clone(g.sizes), g.pairs)
}

func (g *grams) countAll() {
	lists := g.lists()
	makers := make([]*maker, len(lists))
	for i, l := range lists {
		makers[i], l.kept = l.maker(), *scratches.Get().(*[]store.Hash)
	}
	words := stretches.Get().(*fingerprint.Stretch)
	defer stretches.Put(words)
	marker := store.NewMarker(g.text, g.marked)
	for s := g.norm.Scan(g.text, g.mode); s.Fill((*normalize.Stretch)(words)); {
		g.words += int64(len(words.Ends))
		g.paragraphs += int64(len(words.Breaks))
		for i, l := range lists {
			l.take(func(kept []store.Hash) []store.Hash { return makers[i].appendAll(kept, words) })
		}
		marker.Add(s.Offset(), len(words.Ends), words.Breaks, g.pairCount())
	}
	for i, l := range lists {
		l.take(makers[i].appendRest)
	}
	g.marks = marker.Marks()
}

// pairCount returns how many pairs there are so far.
func (g *grams) pairCount() int64 {
	if g.pairs == nil {
		return 0
	}
	return g.pairs.count
}

// take counts the hashes that more appends, and keeps them while they are few.
func (l *hashes) take(more func(kept []store.Hash) []store.Hash) {
	if l.count > keptGrams {
		l.kept = l.kept[:0]
	}
	before := len(l.kept)
	l.kept = more(l.kept)
	l.count += int64(len(l.kept) - before)
}

// count returns the n-grams of n words.
func (g *grams) count(n int) int64 {
	i := slices.IndexFunc(g.sizes, func(l *hashes) bool { return l.n == n })
	return g.sizes[i].count
}

// total returns the n-grams of all sizes.
func (g *grams) total() int64 {
	var sum int64
	for _, l := range g.sizes {
		sum += l.count
	}
	return sum
}

// all returns the n-grams as a store takes them.
func (g *grams) all() []store.Grams {
	var list []store.Grams
	for _, l := range g.sizes {
		list = append(list, store.Grams{N: l.n, Hashes: g.yield(l)})
	}
	return list
}

// allPairs returns the pairs as a store takes them, nil if they were not asked
// for.
func (g *grams) allPairs() iter.Seq[[]store.Hash] {
	if g.pairs == nil {
		return nil
	}
	return g.yield(g.pairs)
}

func (g *grams) yield(l *hashes) iter.Seq[[]store.Hash] {
	return func(yield func([]store.Hash) bool) { g.hashes(l, yield) }
}

// hashes yields the hashes of one list in order.
func (g *grams) hashes(l *hashes, yield func([]store.Hash) bool) {
	if l.count <= keptGrams {
		if len(l.kept) > 0 {
			yield(l.kept)
		}
		return
	}
	m, words := l.maker(), fingerprint.Stretch{}
	block := l.kept[:0]
	for w := g.norm.Scan(g.text, g.mode); w.Fill((*normalize.Stretch)(&words)); {
		if block = m.appendAll(block[:0], &words); len(block) > 0 && !yield(block) {
			return
		}
	}
	if block = m.appendRest(block[:0]); len(block) > 0 {
		yield(block)
	}
}

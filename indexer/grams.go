package indexer

import (
	"iter"
	"slices"
	"sync"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// keptGrams is how many n-grams of a size the first pass over a document keeps in memory (8 MB). A
// longer document takes a second pass.
const keptGrams = 1 << 20

// grams are the n-grams of a document, of several sizes, and its pairs of words.
type grams struct {
	norm       *normalize.Normalizer
	text       string
	mode       normalize.Mode
	words      int64
	paragraphs int64
	sizes      []*hashes // in the order of the requested sizes
	pairs      *hashes   // nil if not requested
	marked     []int     // sizes that the marks count
	marks      *store.Marks
}

// hashes are the hashes of n-grams of one size, or of pairs.
type hashes struct {
	n     int // 0 for pairs
	maker func() *maker
	count int64
	kept  []store.Hash // all hashes if count <= keptGrams
}

// A maker computes hashes from words: all of them, or those of a sample.
type maker struct {
	all interface {
		AppendAll(hashes []store.Hash, s *fingerprint.Stretch) []store.Hash
	}
	sample *fingerprint.Winnower // nil for all hashes
	buf    []store.Hash
}

// gramMaker returns a maker of n-grams of n words. If sample is not 0, every run of sample words has
// at least one n-gram of the sample.
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

// appendRest appends the hashes that remain at the end of a document.
func (m *maker) appendRest(hashes []store.Hash) []store.Hash {
	if m.sample == nil {
		return hashes
	}
	return m.sample.AppendRest(hashes)
}

// Pools of buffers for words and hashes.
var (
	stretches = sync.Pool{New: func() any { return new(fingerprint.Stretch) }}
	scratches = sync.Pool{New: func() any { return new([]store.Hash) }}
)

// release returns the buffers of g to their pools; g must not be used afterwards.
func (g *grams) release() {
	for _, l := range g.lists() {
		if kept := l.kept[:0]; cap(kept) > 0 {
			scratches.Put(&kept)
		}
		l.kept = nil
	}
}

// newGrams makes the first pass over a text. sample is the setting of the store. The marks also
// count the sizes in stays, which the document has already and keeps.
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

// gramsAgain computes the grams of a document from its kept text by the rules of its entry. The
// marks count the sizes that it has and those in stays.
func gramsAgain(norms *normalize.Set, d *store.Document, text string, sizes []int, sample int, pairs bool, stays ...int) (*grams, error) {
	norm, mode, err := norms.AsIndexed(d.Rules, d.NewLine)
	if err != nil {
		return nil, err
	}
	return newGrams(norm, text, mode, sizes, sample, pairs, append(sizesOf(d), stays...)...), nil
}

// sizesOf returns the sizes of n-grams that the index has of a document.
func sizesOf(d *store.Document) (list []int) {
	for _, s := range d.Sizes {
		list = append(list, s.N)
	}
	return list
}

// lists returns the hashes of all sizes and of pairs.
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

// pairCount returns the number of pairs so far.
func (g *grams) pairCount() int64 {
	if g.pairs == nil {
		return 0
	}
	return g.pairs.count
}

// take counts the hashes that more appends and keeps up to keptGrams of them.
func (l *hashes) take(more func(kept []store.Hash) []store.Hash) {
	if l.count > keptGrams {
		l.kept = l.kept[:0]
	}
	before := len(l.kept)
	l.kept = more(l.kept)
	l.count += int64(len(l.kept) - before)
}

// count returns the number of n-grams of n words.
func (g *grams) count(n int) int64 {
	i := slices.IndexFunc(g.sizes, func(l *hashes) bool { return l.n == n })
	return g.sizes[i].count
}

// total returns the number of n-grams of all sizes.
func (g *grams) total() int64 {
	var sum int64
	for _, l := range g.sizes {
		sum += l.count
	}
	return sum
}

// all returns the n-grams in the form that a store expects.
func (g *grams) all() []store.Grams {
	var list []store.Grams
	for _, l := range g.sizes {
		list = append(list, store.Grams{N: l.n, Hashes: g.yield(l)})
	}
	return list
}

// allPairs returns the pairs in the form that a store expects, nil if they were not requested.
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

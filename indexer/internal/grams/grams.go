// Package grams computes the n-grams, pairs of words, keys for translations, marks and language of
// a text, as an index stores them.
package grams

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// Kept is how many n-grams of a size the first pass over a document keeps in memory (8 MB). A
// longer document takes a second pass.
const Kept = 1 << 20

// Grams are the n-grams of a document, of several sizes, and its pairs of words.
type Grams struct {
	norm   *normalize.Normalizer
	text   string
	mode   normalize.Mode
	marked []int // sizes that Marks count

	Words      int64
	Paragraphs int64
	Language   *language.Language // nil if unknown
	Sizes      []*Hashes          // in the order of the requested sizes
	Pairs      *Hashes            // nil if not requested
	Marks      *store.Marks
}

// Hashes are the hashes of n-grams of one size, or of pairs.
type Hashes struct {
	N     int   // words of an n-gram; 0 for pairs, or [store.TranslationKeys]
	Count int64 // number of hashes
	maker func() *maker
	kept  []store.Hash // all hashes if Count <= Kept
}

// A maker computes the hashes of words: all hashes, or a sample.
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

// Pools of buffers for words and hashes, and of counters.
var (
	counters  = sync.Pool{New: func() any { return new(language.Counter) }}
	stretches = sync.Pool{New: func() any { return new(fingerprint.Stretch) }}
	scratches = sync.Pool{New: func() any { return new([]store.Hash) }}
)

// Release returns the buffers of g to their pools; g must not be used afterwards.
func (g *Grams) Release() {
	for _, l := range g.lists() {
		if kept := l.kept[:0]; cap(kept) > 0 {
			scratches.Put(&kept)
		}
		l.kept = nil
	}
}

// New makes the first pass over a text. sample is the setting of the store. The marks also
// count the sizes in stays, which the document has already and keeps. If sizes contain
// [store.TranslationKeys], a second pass makes the keys, since the language must be known.
func New(norm *normalize.Normalizer, text string, mode normalize.Mode, sizes []int, sample int, pairs bool, stays ...int) *Grams {
	g := &Grams{norm: norm, text: text, mode: mode, marked: slices.Concat(sizes, stays)}
	slices.Sort(g.marked)
	g.marked = slices.DeleteFunc(slices.Compact(g.marked), func(n int) bool { return n == store.TranslationKeys })
	for _, n := range sizes {
		l := &Hashes{N: n, maker: func() *maker { return gramMaker(n, sample) }}
		if n == store.TranslationKeys {
			l.maker = g.keyMaker
		}
		g.Sizes = append(g.Sizes, l)
	}
	if pairs {
		g.Pairs = &Hashes{maker: func() *maker { return &maker{all: new(fingerprint.Pairer)} }}
	}
	g.countAll()
	return g
}

// Again computes the grams of a document from its kept text by the rules of its entry. The
// marks count the sizes that it has and those in stays.
func Again(norms *normalize.Set, d *store.Document, text string, sizes []int, sample int, pairs bool, stays ...int) (*Grams, error) {
	norm, mode, err := norms.AsIndexed(d.Rules, d.NewLine)
	if err != nil {
		return nil, err
	}
	return New(norm, text, mode, sizes, sample, pairs, append(SizesOf(d), stays...)...), nil
}

// SizesOf returns the sizes of n-grams that the index has of a document.
func SizesOf(d *store.Document) (list []int) {
	return lists.Map(d.Sizes, func(s store.Size) int { return s.N })
}

// Code returns the code of the language, "" if it is unknown.
func (g *Grams) Code() string {
	if g.Language == nil {
		return ""
	}
	return g.Language.Code
}

// keyMaker returns a maker of keys for translations, which makes none if the language is
// unknown.
func (g *Grams) keyMaker() *maker {
	if g.Language == nil {
		return &maker{all: noKeys{}}
	}
	return &maker{all: g.Language.NewKeyer()}
}

// noKeys are the keys of a text in an unknown language.
type noKeys struct{}

// AppendAll appends nothing.
func (noKeys) AppendAll(hashes []store.Hash, _ *fingerprint.Stretch) []store.Hash { return hashes }

// lists returns the hashes of all sizes and of pairs.
func (g *Grams) lists() []*Hashes {
	if g.Pairs == nil {
		return g.Sizes
	}
	return append(slices.Clone(g.Sizes), g.Pairs)
}

// countAll makes the first pass, and that for keys.
func (g *Grams) countAll() {
	var first, second []*Hashes
	for _, l := range g.lists() {
		if l.N == store.TranslationKeys {
			second = append(second, l)
		} else {
			first = append(first, l)
		}
	}
	counter := counters.Get().(*language.Counter)
	defer counters.Put(counter)
	counter.Reset()
	marker := store.NewMarker(g.text, g.marked)
	g.pass(first, func(end int, words *fingerprint.Stretch) {
		g.Words += int64(len(words.Ends))
		g.Paragraphs += int64(len(words.Breaks))
		marker.Add(end, len(words.Ends), words.Breaks, g.pairCount())
		count(counter, words)
	})
	g.Marks, g.Language = marker.Marks(), counter.Language()
	if len(second) > 0 {
		g.pass(second, func(int, *fingerprint.Stretch) {})
	}
}

// count counts words for the detection of their language.
func count(counter *language.Counter, words *fingerprint.Stretch) {
	start := 0
	for _, end := range words.Ends {
		if !counter.Add(words.Text[start:end]) {
			return
		}
		start = end + 1
	}
}

// pass computes lists from the text. It calls each with every stretch of words and the offset after
// them.
func (g *Grams) pass(lists []*Hashes, each func(end int, words *fingerprint.Stretch)) {
	makers := make([]*maker, len(lists))
	for i, l := range lists {
		makers[i], l.kept = l.maker(), *scratches.Get().(*[]store.Hash)
	}
	words := stretches.Get().(*fingerprint.Stretch)
	defer stretches.Put(words)
	for s := g.norm.Scan(g.text, g.mode); s.Fill((*normalize.Stretch)(words)); {
		for i, l := range lists {
			l.collect(func(kept []store.Hash) []store.Hash { return makers[i].appendAll(kept, words) })
		}
		each(s.Offset(), words)
	}
	for i, l := range lists {
		l.collect(makers[i].appendRest)
	}
}

// pairCount returns the number of pairs so far.
func (g *Grams) pairCount() int64 {
	if g.Pairs == nil {
		return 0
	}
	return g.Pairs.Count
}

// collect counts the hashes that more appends, and retains up to Kept of them.
func (l *Hashes) collect(more func(kept []store.Hash) []store.Hash) {
	if l.Count > Kept {
		l.kept = l.kept[:0]
	}
	before := len(l.kept)
	l.kept = more(l.kept)
	l.Count += int64(len(l.kept) - before)
}

// Count returns the number of n-grams of n words.
func (g *Grams) Count(n int) int64 {
	i := slices.IndexFunc(g.Sizes, func(l *Hashes) bool { return l.N == n })
	return g.Sizes[i].Count
}

// Total returns the number of n-grams of all sizes.
func (g *Grams) Total() int64 {
	var sum int64
	for _, l := range g.Sizes {
		if l.N != store.TranslationKeys {
			sum += l.Count
		}
	}
	return sum
}

// All returns the n-grams in the form that a store expects.
func (g *Grams) All() []store.Grams {
	return lists.Map(g.Sizes, func(l *Hashes) store.Grams { return store.Grams{N: l.N, Hashes: g.yield(l)} })
}

// AllPairs returns the pairs in the form that a store expects, nil if they were not requested.
func (g *Grams) AllPairs() iter.Seq[[]store.Hash] {
	if g.Pairs == nil {
		return nil
	}
	return g.yield(g.Pairs)
}

func (g *Grams) yield(l *Hashes) iter.Seq[[]store.Hash] {
	return func(yield func([]store.Hash) bool) { g.Hashes(l, yield) }
}

// Hashes yields the hashes of one list in order.
func (g *Grams) Hashes(l *Hashes, yield func([]store.Hash) bool) {
	if l.Count <= Kept {
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

// MarksOf returns the marks of the text of a document, nil if it has none.
func MarksOf(ctx context.Context, r store.Texts, id store.DocID) (marks *store.Marks, err error) {
	choose := func(_ int, m *store.Marks) ([]store.Piece, error) {
		marks = m
		return nil, nil
	}
	err = r.Pieces(ctx, []store.DocID{id}, choose, func(_ int, _ []string, err error) error {
		if errors.Is(err, store.ErrNoMarks) {
			return nil
		}
		return err
	})
	return marks, err
}

// WrongMarks returns an error if marks of the text are wrong. Pairs are compared if paired is true.
func (g *Grams) WrongMarks(marks *store.Marks, paired bool) error {
	checker, paragraph := store.NewMarkChecker(g.text, marks), -1
	var pairs fingerprint.Pairer
	for s := g.norm.Scan(g.text, g.mode); s.Next(); {
		start, end := s.Span()
		_, pair := pairs.Add(s.Word())
		checker.Word(start, end, s.Paragraph() != paragraph, pair && paired)
		paragraph = s.Paragraph()
	}
	return checker.Wrong()
}

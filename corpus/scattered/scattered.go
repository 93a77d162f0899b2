// Package scattered finds documents that are put together from others.
//
// A shared n-gram shows which words of a document are also in which others. The
// sources are chosen greedily, always the one that covers most uncovered words. This
// is the greedy algorithm for set cover: it chooses at most 1 + ln(words) times as
// many sources as the minimum, which is NP-hard to find.
package scattered

import (
	"bufio"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"sort"
	"sync"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/extsort"
	"github.com/otisk/otisk/corpus/occur"
	"github.com/otisk/otisk/corpus/ordered"
	"github.com/otisk/otisk/corpus/roll"
	"github.com/otisk/otisk/corpus/spill"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/closing"
)

// Options set the limits of a scattered document and its sources.
type Options struct {
	N      int     // words of an n-gram
	Least  int     // words that a source must cover which no better one does
	Share  float64 // of a document that others must cover, 0 to 1
	Most   int     // number of documents of an n-gram that are considered, the first ones
	Memory int64

	Progress func(step string, done, total int64)
}

// DocBytes is the memory for each document in bytes. 56 were measured with ids of 11.
const DocBytes = 60

// Defaults returns the default options.
func Defaults() Options {
	return Options{N: 7, Least: 20, Share: 0.8, Most: 32, Memory: 512 << 20}
}

// A Result is a document that others cover.
type Result struct {
	ID      string
	Words   int
	Covered int // words that the sources cover
	Sources []Source
}

// A Source covers a part of a document.
type Source struct {
	ID        string
	Words     int       // words that this source covers and no earlier source covers
	Stretches []Stretch // all that it covers
}

// A Stretch is the words [From, To) of a document, counted from 0.
type Stretch struct{ From, To int }

const (
	readStep  = "read"
	gramsFile = "grams"
	docsFile  = "docs"
)

type doc struct {
	id    string
	words int
	first uint64 // its first n-gram in the collection
}

// Find calls emit with each document that others cover, in the order of the
// collection.
func Find(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder, emit func(Result) error) (corpus.Summary, error) {
	f := finder{o: o, dir: dir}
	var sum corpus.Summary
	if !dir.Done(readStep, &sum) {
		var err error
		if sum, err = f.read(ctx, in); err != nil {
			return sum, err
		}
	}
	if err := dir.Read(docsFile, f.load); err != nil {
		return sum, err
	}
	f.sorter = extsort.New(dir.Path("shared"), o.Memory/3)
	if err := f.share(ctx); err != nil {
		return sum, errors.Join(err, f.sorter.Close())
	}
	return sum, f.cover(ctx, emit)
}

type finder struct {
	o    Options
	dir  *work.Folder
	docs []doc

	mu     sync.Mutex
	sorter *extsort.Sorter // of n-grams and other documents that have them
}

func (f *finder) read(ctx context.Context, in *corpus.Input) (corpus.Summary, error) {
	place := uint64(0)
	add := func(d *corpus.Doc, hashes []uint64, to *occur.Writer, docs io.Writer) error {
		for i, h := range hashes {
			if err := to.Add(h, place+uint64(i)); err != nil {
				return err
			}
		}
		place += uint64(len(hashes))
		words := 0
		if len(hashes) > 0 {
			words = len(hashes) + f.o.N - 1
		}
		head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(words)), uint64(len(d.ID)))
		_, err := docs.Write(append(head, d.ID...))
		return err
	}
	sum, names, err := occur.Collect(ctx, in, f.dir, gramsFile, docsFile, f.newWorker, add)
	if err != nil {
		return sum, err
	}
	return sum, f.dir.Finish(readStep, sum, names...)
}

func (f *finder) newWorker() func(*corpus.Doc) ([]uint64, error) {
	r := roll.New(f.o.N, false)
	return func(d *corpus.Doc) (hashes []uint64, err error) {
		r.Reset()
		d.Words(func(word []byte, _ int) {
			if h, ok := r.Add(roll.Hash(word)); ok {
				hashes = append(hashes, h)
			}
		})
		return hashes, nil
	}
}

// load reads the list of documents.
func (f *finder) load(r *bufio.Reader) error {
	first := uint64(0)
	for {
		words, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		size, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		id := make([]byte, size)
		if _, err := io.ReadFull(r, id); err != nil {
			return err
		}
		f.docs = append(f.docs, doc{string(id), int(words), first})
		if words > 0 {
			first += words - uint64(f.o.N) + 1
		}
	}
}

func (f *finder) docOf(place uint64) uint32 {
	return uint32(sort.Search(len(f.docs), func(i int) bool { return f.docs[i].first > place })) - 1
}

// share finds for each n-gram the other documents that have it.
func (f *finder) share(ctx context.Context) (err error) {
	files, err := spill.Open(f.dir.Path(gramsFile), occur.Parts)
	if err != nil {
		return err
	}
	defer closing.Into(&err, files)
	memory := f.o.Memory / 3 / int64(runtime.GOMAXPROCS(0))
	state := func() *sharer { return &sharer{f: f, in: occur.NewReader(files, memory)} }
	part := func(ctx context.Context, s *sharer, i int) error {
		if f.o.Progress != nil {
			f.o.Progress("compare", int64(i), occur.Parts)
		}
		return s.in.Each(ctx, i, s.group)
	}
	return ordered.Each(ctx, occur.Parts, state, part, func(*sharer) error { return nil })
}

// A sharer finds shared n-grams. It is for one goroutine.
type sharer struct {
	f    *finder
	in   *occur.Reader
	docs []uint32
	all  []uint32
}

// group processes n-grams. All occurrences of each hash are among them.
func (s *sharer) group(group []occur.Occurrence) error {
	slices.SortFunc(group, func(a, b occur.Occurrence) int {
		return cmp.Or(cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Place, b.Place))
	})
	for start := 0; start < len(group); {
		end := start + 1
		for end < len(group) && group[end].Hash == group[start].Hash {
			end++
		}
		if end-start > 1 {
			if err := s.same(group[start:end]); err != nil {
				return err
			}
		}
		start = end
	}
	return nil
}

// same notes for each occurrence of an n-gram the other documents that have it, the
// first ones.
func (s *sharer) same(places []occur.Occurrence) error {
	s.all, s.docs = s.all[:0], s.docs[:0]
	for _, o := range places {
		d := s.f.docOf(o.Place)
		s.all = append(s.all, d)
		if len(s.docs) <= s.f.o.Most && (len(s.docs) == 0 || s.docs[len(s.docs)-1] != d) {
			s.docs = append(s.docs, d)
		}
	}
	if len(s.docs) < 2 {
		return nil
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	var record [12]byte
	for i, o := range places {
		binary.BigEndian.PutUint64(record[:], o.Place)
		for _, d := range s.docs {
			if d == s.all[i] {
				continue
			}
			binary.BigEndian.PutUint32(record[8:], d)
			if err := s.f.sorter.Add(record[:]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *finder) cover(ctx context.Context, emit func(Result) error) error {
	now, shared := -1, map[uint32][]int{}
	finish := func() error {
		if now < 0 {
			return nil
		}
		r := f.result(f.docs[now], shared)
		clear(shared)
		if len(r.Sources) == 0 || float64(r.Covered) < f.o.Share*float64(r.Words) {
			return nil
		}
		return emit(r)
	}
	err := f.sorter.Each(ctx, func(record []byte) error {
		place, other := binary.BigEndian.Uint64(record), binary.BigEndian.Uint32(record[8:])
		if now < 0 || place >= f.docs[now].first+uint64(f.docs[now].words-f.o.N+1) {
			if err := finish(); err != nil {
				return err
			}
			now = int(f.docOf(place))
		}
		shared[other] = append(shared[other], int(place-f.docs[now].first))
		return nil
	})
	if err != nil {
		return err
	}
	return finish()
}

// A candidate may cover a part of a document.
type candidate struct {
	doc       uint32
	stretches []Stretch
	gain      int // words that it covers and none before it, at most
}

// result chooses the sources of a document; shared has the n-grams of it that each
// other document has.
func (f *finder) result(d doc, shared map[uint32][]int) Result {
	var list candidates
	for other, grams := range shared {
		c := &candidate{doc: other, stretches: f.stretches(grams)}
		for _, s := range c.stretches {
			c.gain += s.To - s.From
		}
		list = append(list, c)
	}
	heap.Init(&list)
	r := Result{ID: d.id, Words: d.words}
	covered := make([]bool, d.words)
	for len(list) > 0 && list[0].gain >= f.o.Least {
		best := list[0]
		gain := best.uncovered(covered)
		if gain < best.gain { // its coverage only decreases, so it may still be the best
			best.gain = gain
			heap.Fix(&list, 0)
			continue
		}
		heap.Pop(&list)
		best.cover(covered)
		r.Covered += gain
		r.Sources = append(r.Sources, Source{f.docs[best.doc].id, gain, best.stretches})
	}
	return r
}

// stretches joins n-grams, which rise, to stretches of words.
func (f *finder) stretches(grams []int) (list []Stretch) {
	for _, g := range grams {
		if n := len(list); n > 0 && g <= list[n-1].To {
			list[n-1].To = g + f.o.N
		} else {
			list = append(list, Stretch{g, g + f.o.N})
		}
	}
	return list
}

// uncovered returns the number of words of c that no earlier source covers.
func (c *candidate) uncovered(covered []bool) (count int) {
	for _, s := range c.stretches {
		for _, done := range covered[s.From:s.To] {
			if !done {
				count++
			}
		}
	}
	return count
}

func (c *candidate) cover(covered []bool) {
	for _, s := range c.stretches {
		for i := s.From; i < s.To; i++ {
			covered[i] = true
		}
	}
}

// candidates is a heap: the candidate that may cover most is first; among equal ones, the first of
// the collection.
type candidates []*candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(c[j].gain, c[i].gain), cmp.Compare(c[i].doc, c[j].doc)) < 0
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(*candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

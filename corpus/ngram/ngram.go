// Package ngram counts the n-grams of a collection, with their words.
//
// The words go to disk one after another, and for each n-gram its hash and where it
// starts there. The hashes are counted part by part; then the words of those
// that count enough are looked up. Two n-grams are the same by 64 bits: of 10⁹
// different ones, two are taken for one in 40 runs.
package ngram

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
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

// Most is how many words an n-gram may have.
const Most = 25

// Options say what is counted and listed.
type Options struct {
	N      int
	Least  uint64 // count from which on an n-gram is listed
	Top    int    // list these at most, the most frequent ones; 0 for all
	ByText bool   // sort by text, not by count
	Blank  bool   // tokens are what is between blanks and ASCII punctuation, and n-grams go on over the ends of paragraphs
	Memory int64

	Progress func(step string, done, total int64)
}

// A Summary counts n-grams.
type Summary struct {
	corpus.Summary
	Words, Grams, Distinct, Listed int64
}

const (
	readStep  = "read"
	wordsFile = "words"
	gramsFile = "grams"
)

// List calls emit with each n-gram and its count, in the order that is asked for.
func List(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder, emit func(text []byte, count uint64) error) (Summary, error) {
	var sum Summary
	if !dir.Done(readStep, &sum) {
		var err error
		if sum, err = read(ctx, in, o, dir); err != nil {
			return sum, err
		}
	}
	l := lister{o: o, dir: dir, sum: &sum}
	l.top.limit = o.Top
	l.sorter = extsort.New(dir.Path("sorted"), o.Memory/3)
	if err := l.count(ctx); err != nil {
		return sum, errors.Join(err, l.sorter.Close())
	}
	return sum, l.list(ctx, emit)
}

// A piece is what a worker makes of a document.
type piece struct {
	words []byte // a blank after each, or a line feed at the end of what n-grams do not go over
	grams []gram
	count int64
}

type gram struct {
	hash  uint64
	start uint32
}

func read(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder) (sum Summary, err error) {
	at := uint64(0)
	take := func(_ *corpus.Doc, p piece, to *occur.Writer, words io.Writer) error {
		for _, g := range p.grams {
			if err := to.Add(g.hash, at+uint64(g.start)); err != nil {
				return err
			}
		}
		at += uint64(len(p.words))
		sum.Words += p.count
		sum.Grams += int64(len(p.grams))
		_, err := words.Write(p.words)
		return err
	}
	var names []string
	if sum.Summary, names, err = occur.Collect(ctx, in, dir, gramsFile, wordsFile, o.newWorker, take); err != nil {
		return sum, err
	}
	return sum, dir.Finish(readStep, sum, names...)
}

// newWorker returns what takes documents apart.
func (o *Options) newWorker() func(*corpus.Doc) (piece, error) {
	roller := roll.New(o.N, false)
	starts := make([]uint32, o.N)
	return func(d *corpus.Doc) (piece, error) {
		p := piece{words: make([]byte, 0, len(d.Text)+1), grams: make([]gram, 0, len(d.Text)/6)}
		roller.Reset()
		last, at := 0, 0
		add := func(word []byte, paragraph int) {
			if paragraph != last && at > 0 {
				p.words[len(p.words)-1] = '\n'
				roller.Reset()
			}
			last = paragraph
			starts[at%o.N] = uint32(len(p.words))
			at++
			if h, ok := roller.Add(roll.Hash(word)); ok {
				p.grams = append(p.grams, gram{h, starts[at%o.N]})
			}
			p.words = append(append(p.words, word...), ' ')
		}
		if o.Blank {
			blankTokens(d.Text, add)
		} else {
			d.Words(add)
		}
		if p.count = int64(at); at > 0 {
			p.words[len(p.words)-1] = '\n'
		}
		return p, nil
	}
}

// blanks separate tokens with Options.Blank.
const blanks = " \f\n\r\t\v`~!@#$%^&*()_-+=\\|]}[{'\";:/?.>,<"

// isBlank has the bytes of blanks.
var isBlank = func() (set [256]bool) {
	for i := range len(blanks) {
		set[blanks[i]] = true
	}
	return set
}()

func blankTokens(text string, add func([]byte, int)) {
	token := []byte(nil)
	for start, end := 0, 0; end <= len(text); end++ {
		if end < len(text) && !isBlank[text[end]] {
			continue
		}
		if end > start {
			token = append(token[:0], text[start:end]...)
			add(token, 0)
		}
		start = end + 1
	}
}

// A lister counts n-grams and sorts those that are listed.
type lister struct {
	o     Options
	dir   *work.Folder
	words []byte // all of them, where there is room

	mu     sync.Mutex
	sum    *Summary
	sorter *extsort.Sorter
	top    topList
}

// A found n-gram: where its words start, and its count.
type found struct{ start, count uint64 }

// A counter counts the n-grams of parts. It is for one goroutine.
type counter struct {
	l     *lister
	in    *occur.Reader
	words *os.File
	table occur.Table
	list  []found
	buf   []byte
}

func (l *lister) count(ctx context.Context) (err error) {
	files, err := spill.Open(l.dir.Path(gramsFile), occur.Parts)
	if err != nil {
		return err
	}
	defer closing.Into(&err, files)
	words, err := os.Open(l.dir.Path(wordsFile))
	if err != nil {
		return err
	}
	defer closing.Into(&err, words)
	if l.words, err = l.held(words); err != nil {
		return err
	}
	memory := l.o.Memory / 3 / int64(runtime.GOMAXPROCS(0))
	state := func() *counter {
		return &counter{l: l, in: occur.NewReader(files, memory), words: words, buf: make([]byte, 1<<16)}
	}
	part := func(ctx context.Context, c *counter, i int) error {
		if l.o.Progress != nil {
			l.o.Progress("count", int64(i), occur.Parts)
		}
		c.list = c.list[:0]
		if err := c.in.Each(ctx, i, c.group); err != nil {
			return err
		}
		return c.look(ctx)
	}
	return ordered.Each(ctx, occur.Parts, state, part, func(*counter) error { return nil })
}

// held returns the words if they take no more than a sixth of the memory, so that they
// need not be read piece by piece; else nil.
func (l *lister) held(words *os.File) ([]byte, error) {
	info, err := words.Stat()
	if err != nil || info.Size() > l.o.Memory/6 {
		return nil, err
	}
	return os.ReadFile(words.Name())
}

// group counts the n-grams of a group.
func (c *counter) group(group []occur.Occurrence) error {
	c.table.Reset(len(group))
	distinct := int64(0)
	for _, o := range group {
		s := c.table.Of(o.Hash)
		if s.Count++; s.Count == 1 {
			s.Place = o.Place
			distinct++
		}
	}
	_ = c.table.Each(func(s *occur.Slot) error {
		if s.Count >= c.l.o.Least {
			c.list = append(c.list, found{s.Place, s.Count})
		}
		return nil
	})
	c.l.mu.Lock()
	c.l.sum.Distinct += distinct
	c.l.mu.Unlock()
	return nil
}

// look looks up the words of what was found, in their order on disk.
func (c *counter) look(ctx context.Context) error {
	slices.SortFunc(c.list, func(a, b found) int { return cmp.Compare(a.start, b.start) })
	from, have := uint64(0), c.l.words // what of the words is in the buffer, and where it is from
	for _, f := range c.list {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if c.l.o.Top > 0 && !c.l.mayBeTop(f.count) {
			continue
		}
		var text []byte
		if f.start-from < uint64(len(have)) {
			text = gramOf(have[f.start-from:], c.l.o.N)
		}
		if text == nil {
			var err error
			if have, text, err = c.fetch(f.start); err != nil {
				return err
			}
			from = f.start
		}
		if err := c.l.add(text, f.count); err != nil {
			return err
		}
	}
	c.list = c.list[:0]
	return nil
}

// usual is how much is read for an n-gram at first.
const usual = 512

// fetch reads the words that start at a place, and returns what it read and the
// n-gram.
func (c *counter) fetch(start uint64) (have, text []byte, err error) {
	for want := usual; ; want *= 8 {
		if want > len(c.buf) {
			c.buf = make([]byte, want)
		}
		size, err := c.words.ReadAt(c.buf[:want], int64(start))
		if err != nil && err != io.EOF {
			return nil, nil, err
		}
		have = c.buf[:size]
		if text := gramOf(have, c.l.o.N); text != nil {
			return have, text, nil
		}
		if size < want {
			return nil, nil, io.ErrUnexpectedEOF
		}
	}
}

// gramOf returns the n words that b begins with, nil if they are not there whole.
func gramOf(b []byte, n int) []byte {
	for end, c := range b {
		if c != ' ' && c != '\n' {
			continue
		}
		if n--; n == 0 {
			return b[:end]
		}
	}
	return nil
}

// mayBeTop reports whether a count is among the highest so far.
func (l *lister) mayBeTop(count uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.top.list) < l.top.limit || count >= l.top.list[0].count
}

// add takes an n-gram that is listed.
func (l *lister) add(text []byte, count uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.o.Top > 0 {
		l.top.add(string(text), count)
		return nil
	}
	l.sum.Listed++
	return l.sorter.Add(l.o.encode(text, count))
}

// encode returns a record that sorts as the options say.
func (o *Options) encode(text []byte, count uint64) []byte {
	b := make([]byte, 0, len(text)+9)
	if o.ByText {
		b = append(append(b, text...), 0)
		return binary.BigEndian.AppendUint64(b, count)
	}
	return append(binary.BigEndian.AppendUint64(b, ^count), text...)
}

func (o *Options) decode(b []byte) (text []byte, count uint64) {
	if o.ByText {
		return b[:len(b)-9], binary.BigEndian.Uint64(b[len(b)-8:])
	}
	return b[8:], ^binary.BigEndian.Uint64(b)
}

// list gives the n-grams in order.
func (l *lister) list(ctx context.Context, emit func([]byte, uint64) error) error {
	for _, t := range l.top.list {
		l.sum.Listed++
		if err := l.sorter.Add(l.o.encode([]byte(t.text), t.count)); err != nil {
			return err
		}
	}
	return l.sorter.Each(ctx, func(b []byte) error { return emit(l.o.decode(b)) })
}

// A topList has the most frequent n-grams, the least of them first; of equal counts the
// first by text.
type topList struct {
	limit int
	list  []textCount
}

type textCount struct {
	text  string
	count uint64
}

func (t *topList) add(text string, count uint64) {
	if heap.Push(t, textCount{text, count}); len(t.list) > t.limit {
		heap.Pop(t)
	}
}

func (t *topList) Len() int { return len(t.list) }
func (t *topList) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(t.list[i].count, t.list[j].count), cmp.Compare(t.list[j].text, t.list[i].text)) < 0
}
func (t *topList) Swap(i, j int) { t.list[i], t.list[j] = t.list[j], t.list[i] }
func (t *topList) Push(x any)    { t.list = append(t.list, x.(textCount)) }
func (t *topList) Pop() any {
	last := t.list[len(t.list)-1]
	t.list = t.list[:len(t.list)-1]
	return last
}

// Package ngram counts the n-grams of a collection, with their words.
//
// The words are written to disk, and the hash and offset of each n-gram. Hashes are
// counted by partition. The offsets of the listed n-grams are then partitioned by
// offset, so that their words are read block by block. Each further size of n-grams reads
// the words instead of the collection. n-grams are compared by 64-bit
// hashes: with 10⁹ of them, one run in 40 has a collision.
package ngram

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/extsort"
	"github.com/otisk/otisk/corpus/occur"
	"github.com/otisk/otisk/corpus/roll"
	"github.com/otisk/otisk/corpus/spill"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/internal/closing"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// Most is the largest number of words of an n-gram.
const Most = 25

// Options set which n-grams are counted and listed.
type Options struct {
	Sizes  []int  // words of the n-grams, in ascending order
	Least  uint64 // least count of a listed n-gram
	Top    int    // maximum number of n-grams to list, the most frequent first; 0 for all
	ByText bool   // sort by text, not by count
	Blank  bool   // tokens are separated by blanks and ASCII punctuation, and n-grams cross the ends of paragraphs
	Memory int64

	Progress func(step string, done, total int64)
}

// A Summary counts n-grams of one size.
type Summary struct {
	corpus.Summary
	N                              int // size
	Words, Grams, Distinct, Listed int64
}

// Names of steps and files. All but the first are followed by the size.
const (
	wordsFile   = "words"
	scatterStep = "scatter"
	countStep   = "count"
	gramsFile   = "grams"
	foundFile   = "found"
)

// ofSize returns the name of a step or file for n-grams of n words.
func ofSize(name string, n int) string { return fmt.Sprintf("%s-%d", name, n) }

// List calls emit with each n-gram and its count: those of the first size, then those of the
// others, each in the order of the options. The collection is read once.
func List(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder, emit func(text []byte, count uint64) error) (sums []Summary, err error) {
	for _, n := range o.Sizes {
		sum, err := o.listSize(ctx, in, n, dir, emit)
		if sums = append(sums, sum); err != nil {
			return sums, err
		}
	}
	return sums, nil
}

func (o *Options) listSize(ctx context.Context, in *corpus.Input, n int, dir *work.Folder, emit func(text []byte, count uint64) error) (Summary, error) {
	c, err := o.counted(ctx, in, n, dir)
	if err != nil {
		return c.Sum, err
	}
	l := lister{o: *o, n: n, dir: dir, counts: c, sorter: extsort.New(dir.Path("sorted"), o.Memory/2)}
	l.top.limit = o.Top
	if err := l.look(ctx); err != nil {
		return c.Sum, errors.Join(err, l.sorter.Close())
	}
	if o.Top > 0 {
		l.counts.Sum.Listed = int64(len(l.top.list))
	}
	err = l.list(ctx, emit)
	return l.counts.Sum, err
}

// counted runs the first two steps for one size, unless an earlier run has finished them. It
// removes the files of the first after the second.
func (o *Options) counted(ctx context.Context, in *corpus.Input, n int, dir *work.Folder) (c counts, err error) {
	if dir.Done(ofSize(countStep, n), &c) && c.Least == o.Least && c.Top == o.Top {
		return c, nil
	}
	c = counts{Least: o.Least, Top: o.Top}
	if !dir.Done(ofSize(scatterStep, n), &c.Sum) {
		if first := o.Sizes[0]; n == first {
			c.Sum, err = o.read(ctx, in, n, dir)
		} else {
			c.Sum, err = o.scatter(ctx, n, dir)
		}
		if err != nil {
			return c, err
		}
	}
	return c, o.count(ctx, n, dir, &c)
}

// A cutter makes the n-grams of a sequence of words.
type cutter struct {
	roller *roll.Roller
	starts []uint64 // of the last words
	words  uint64
}

func newCutter(n int) *cutter { return &cutter{roller: roll.New(n, false), starts: make([]uint64, n)} }

// add returns the n-gram that ends with a word: its hash and where it starts. ok is false if
// none does. start is where the word starts.
func (c *cutter) add(word []byte, start uint64) (hash, from uint64, ok bool) {
	n := uint64(len(c.starts))
	c.starts[c.words%n] = start
	c.words++
	hash, ok = c.roller.Add(roll.Hash(word))
	return hash, c.starts[c.words%n], ok
}

type piece struct {
	words []byte // a blank after each, or a line feed at the end of what n-grams do not go over
	grams []gram
	count int64
}

type gram struct {
	hash  uint64
	start uint32
}

func (o *Options) read(ctx context.Context, in *corpus.Input, n int, dir *work.Folder) (sum Summary, err error) {
	at := uint64(0)
	add := func(_ *corpus.Doc, p piece, to *occur.Writer, words io.Writer) error {
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
	worker := func() func(*corpus.Doc) (piece, error) { return o.newWorker(n) }
	if sum.Summary, names, err = occur.Collect(ctx, in, dir, ofSize(gramsFile, n), wordsFile, worker, add); err != nil {
		return sum, err
	}
	sum.N = n
	return sum, dir.Finish(ofSize(scatterStep, n), sum, names...)
}

// newWorker returns a function that splits documents into words and n-grams of n words.
func (o *Options) newWorker(n int) func(*corpus.Doc) (piece, error) {
	c := newCutter(n)
	return func(d *corpus.Doc) (piece, error) {
		p := piece{words: make([]byte, 0, len(d.Text)+1), grams: make([]gram, 0, len(d.Text)/6)}
		c.roller.Reset()
		last := 0
		add := func(word []byte, paragraph int) {
			if paragraph != last && p.count > 0 {
				p.words[len(p.words)-1] = '\n'
				c.roller.Reset()
			}
			last = paragraph
			p.count++
			if h, from, ok := c.add(word, uint64(len(p.words))); ok {
				p.grams = append(p.grams, gram{h, uint32(from)})
			}
			p.words = append(append(p.words, word...), ' ')
		}
		if o.Blank {
			blankTokens(d.Text, add)
		} else {
			d.Words(add)
		}
		if p.count > 0 {
			p.words[len(p.words)-1] = '\n'
		}
		return p, nil
	}
}

// scatter writes the n-grams of n words from the words that read has written.
func (o *Options) scatter(ctx context.Context, n int, dir *work.Folder) (sum Summary, err error) {
	var first counts
	if !dir.Done(ofSize(countStep, o.Sizes[0]), &first) {
		return sum, phrase.Error("corpus.words-missing", "the words are missing from {name}", "name", dir.Path(""))
	}
	sum = Summary{Summary: first.Sum.Summary, N: n, Words: first.Sum.Words}
	f, err := os.Open(dir.Path(wordsFile))
	if err != nil {
		return sum, oserror.Cause(err)
	}
	defer closing.Into(&err, f)
	files, err := spill.Create(dir.Path(ofSize(gramsFile, n)), occur.Parts)
	if err != nil {
		return sum, err
	}
	defer closing.Into(&err, files)
	in, to, c := bufio.NewReaderSize(f, 1<<20), occur.NewWriter(files), newCutter(n)
	var word []byte
	for at := uint64(0); ; {
		b, err := in.ReadByte()
		switch {
		case err == io.EOF:
			if err := to.Flush(); err != nil {
				return sum, err
			}
			return sum, dir.Finish(ofSize(scatterStep, n), sum, files.Names()...)
		case err != nil:
			return sum, oserror.Cause(err)
		case b != ' ' && b != '\n':
			word = append(word, b)
			continue
		}
		if h, from, ok := c.add(word, at); ok {
			sum.Grams++
			if err := to.Add(h, from); err != nil {
				return sum, err
			}
		}
		if b == '\n' {
			c.roller.Reset()
			if ctx.Err() != nil {
				return sum, context.Cause(ctx)
			}
		}
		at += uint64(len(word)) + 1
		word = word[:0]
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

// Package ngram counts the n-grams of a collection, with their words.
//
// The words are written to disk, and the hash and offset of each n-gram. Hashes are
// counted by partition. The offsets of the listed n-grams are then partitioned by
// offset, so that their words are read block by block. n-grams are compared by 64-bit
// hashes: with 10⁹ of them, one run in 40 has a collision.
package ngram

import (
	"context"
	"errors"
	"io"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/extsort"
	"github.com/otisk/otisk/corpus/occur"
	"github.com/otisk/otisk/corpus/roll"
	"github.com/otisk/otisk/corpus/work"
)

// Most is the largest number of words of an n-gram.
const Most = 25

// Options set which n-grams are counted and listed.
type Options struct {
	N      int
	Least  uint64 // least count of a listed n-gram
	Top    int    // lists at most so many, the most frequent; 0 lists all
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
	countStep = "count"
	wordsFile = "words"
	gramsFile = "grams"
	foundFile = "found"
)

// List calls emit with each n-gram and its count, in the order of the options.
func List(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder, emit func(text []byte, count uint64) error) (Summary, error) {
	c, err := counted(ctx, in, o, dir)
	if err != nil {
		return c.Sum, err
	}
	l := lister{o: o, dir: dir, counts: c, sorter: extsort.New(dir.Path("sorted"), o.Memory/2)}
	l.top.limit = o.Top
	if err := l.look(ctx); err != nil {
		return c.Sum, errors.Join(err, l.sorter.Close())
	}
	if o.Top > 0 {
		l.counts.Sum.Listed = int64(len(l.top.list))
	}
	return l.counts.Sum, l.list(ctx, emit)
}

// counted runs the first two steps, unless an earlier run has finished them. It removes
// the files of the first after the second.
func counted(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder) (c counts, err error) {
	if dir.Done(countStep, &c) && c.Least == o.Least && c.Top == o.Top {
		return c, nil
	}
	c = counts{Least: o.Least, Top: o.Top}
	if !dir.Done(readStep, &c.Sum) {
		if c.Sum, err = read(ctx, in, o, dir); err != nil {
			return c, err
		}
	}
	return c, count(ctx, o, dir, &c)
}

// A piece is a worker's result for a document.
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

// newWorker returns a function that splits documents into words.
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

// Package ngram counts the n-grams of a collection, with their words.
//
// The words go to disk one after another, and for each n-gram its hash and where it
// starts there. The hashes are counted part by part; where those start that count enough
// goes to disk too, divided by place, so that their words are then looked up block by
// block. Two n-grams are the same by 64 bits: of 10⁹ different ones, two are taken for
// one in 40 runs.
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
	countStep = "count"
	wordsFile = "words"
	gramsFile = "grams"
	foundFile = "found"
)

// List calls emit with each n-gram and its count, in the order that is asked for.
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

// counted returns what the first two steps leave. The files of the first are removed after the
// second.
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

package near

import (
	"bufio"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"math"
	"math/bits"
	"os"
	"slices"
	"time"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/fingerprint"
)

// The method by rarest words cuts each paragraph into chunks of equal length: at most the
// square root of the number of words in the document, rounded up, so that a longer document
// has longer chunks. Of each chunk, it takes the word that the fewest documents contain, with its
// neighbours in the paragraph: a span. The set of a document has a hash for each span.
//
// The number of documents of each word is known only after the whole collection was read.
// So Read writes the words to wordsFile first and computes the sets from this file, which
// is needed no more afterwards.

const wordsFile = "words"

type wordsOf struct {
	ID         string
	Time       time.Time
	Paragraphs [][]uint64 // hashes of the words
	distinct   []uint64   // hashes of the different words
}

// readRarest reads the documents, counts the documents of each word, and writes the sets to w.
func (d *Data) readRarest(ctx context.Context, in *corpus.Input, w *setWriter) (sum corpus.Summary, err error) {
	f, err := os.Create(d.dir.Path(wordsFile))
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	buffered, words := bufio.NewWriterSize(f, 1<<20), newFrequencies(d.o.Memory/4)
	encoder := gob.NewEncoder(buffered)
	sum, err = corpus.Map(ctx, in, func() func(*corpus.Doc) (wordsOf, error) { return readWords }, func(_ *corpus.Doc, doc wordsOf) error {
		for _, h := range doc.distinct {
			words.add(h)
		}
		return encoder.Encode(doc)
	})
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = d.dir.Read(wordsFile, func(r *bufio.Reader) error { return d.writeRarest(ctx, r, words, sum.Documents, w) })
	}
	return sum, err
}

func readWords(d *corpus.Doc) (wordsOf, error) {
	doc, at := wordsOf{ID: d.ID, Time: d.Time}, -1
	d.Words(func(word []byte, paragraph int) {
		if paragraph != at {
			doc.Paragraphs, at = append(doc.Paragraphs, nil), paragraph
		}
		last := &doc.Paragraphs[len(doc.Paragraphs)-1]
		*last = append(*last, fingerprint.Sum64(word))
	})
	doc.distinct = sorted(slices.Concat(doc.Paragraphs...))
	return doc, nil
}

func (d *Data) writeRarest(ctx context.Context, r io.Reader, words *frequencies, count int, w *setWriter) error {
	decoder := gob.NewDecoder(r)
	for n := 0; ; n++ {
		var doc wordsOf
		if err := decoder.Decode(&doc); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if n&255 == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			d.o.progress("look up", int64(n), int64(count))
		}
		if err := w.write(&corpus.Doc{N: n, ID: doc.ID, Time: doc.Time}, words.spans(doc.Paragraphs, d.o.Words)); err != nil {
			return err
		}
	}
}

// frequencies are the approximate numbers of documents by word: words share counters. The error
// is the same in all documents, so equal documents have equal sets.
type frequencies struct {
	counters []uint32
	shift    int
}

// newFrequencies returns counters that take at most memory bytes.
func newFrequencies(memory int64) *frequencies {
	width := bits.Len64(uint64(memory/4)) - 1
	return &frequencies{make([]uint32, 1<<width), 64 - width}
}

func (f *frequencies) add(h uint64) { f.counters[h>>f.shift]++ }

// rarer compares words: the one in fewer documents comes first.
func (f *frequencies) rarer(a, b uint64) int {
	return cmp.Or(cmp.Compare(f.counters[a>>f.shift], f.counters[b>>f.shift]), cmp.Compare(a, b))
}

// spans returns the set of a document: the hashes of spans of at most width words.
func (f *frequencies) spans(paragraphs [][]uint64, width int) (s signature) {
	for _, p := range paragraphs {
		s.words += uint32(len(p))
	}
	longest := int(math.Ceil(math.Sqrt(float64(s.words))))
	for _, p := range paragraphs {
		chunks := (len(p) + longest - 1) / longest
		for i := range chunks {
			start, end := i*len(p)/chunks, (i+1)*len(p)/chunks
			at := start + slices.Index(p[start:end], slices.MinFunc(p[start:end], f.rarer))
			h := uint64(0)
			for _, word := range p[max(0, at-width/2):min(len(p), at+width/2+1)] {
				h = mix(h + word)
			}
			s.set = append(s.set, h)
		}
	}
	s.set = sorted(s.set)
	return s
}

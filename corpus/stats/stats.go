// Package stats counts the documents, words and n-grams of a collection, to plan an
// index of it.
package stats

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/occur"
	"github.com/otisk/otisk/corpus/ordered"
	"github.com/otisk/otisk/corpus/roll"
	"github.com/otisk/otisk/corpus/spill"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/document/plain"
)

// A Report has the counts of a collection.
type Report struct {
	Documents  int     `json:"documents"`
	Problems   int     `json:"problems"` // documents and files that were unusable or changed
	Paragraphs int64   `json:"paragraphs"`
	Sentences  int64   `json:"sentences"` // by tags if a document has them, else by punctuation
	Words      int64   `json:"words"`
	Distinct   int64   `json:"distinct_words"`
	Ratio      float64 `json:"type_token_ratio"` // distinct words for each word
	Characters int64   `json:"characters"`
	TextBytes  int64   `json:"text_bytes"`
	Tags       int64   `json:"tags"` // lines of vertical files
	Sizes      []Size  `json:"sizes"`

	corpus.LeftOut
	Separators corpus.Separators `json:"separators"` // of the paragraphs of texts
}

// A Size has the counts of the n-grams of one length.
type Size struct {
	N        int     `json:"n"`
	Grams    int64   `json:"grams"`
	Distinct int64   `json:"distinct"`
	Once     int64   `json:"once"`        // distinct n-grams that occur once
	Again    float64 `json:"repeated"`    // share of the n-grams that had occurred before
	Index    int64   `json:"index_bytes"` // estimated size of an index
	Often    []Often `json:"often"`
}

// Often counts the distinct n-grams that occur From to To times.
type Often struct {
	From     uint64 `json:"from"`
	To       uint64 `json:"to"`
	Distinct int64  `json:"distinct"`
}

// gramBytes is the size of an n-gram in an index: 6.6 to 6.8 bytes were measured with
// 38 and 115 million.
const gramBytes = 6.7

// Options select the counts.
type Options struct {
	Sizes    []int // words of n-grams
	Memory   int64
	Progress func(step string, done, total int64)
}

const (
	readStep  = "read"
	wordsFile = "words"
	gramsFile = "grams"
)

// Count counts a collection.
func Count(ctx context.Context, in *corpus.Input, o Options, dir *work.Folder) (Report, error) {
	var r Report
	if !dir.Done(readStep, &r) {
		var err error
		if r, err = read(ctx, in, dir); err != nil {
			return r, err
		}
	}
	sizes := append([]int{1}, o.Sizes...)
	slices.Sort(sizes)
	for _, n := range slices.Compact(sizes) {
		s, err := o.finished(ctx, dir, n)
		if err != nil {
			return r, err
		}
		if n == 1 {
			r.Distinct, r.Ratio = s.Distinct, float64(s.Distinct)/float64(max(r.Words, 1))
		}
		if slices.Contains(o.Sizes, n) {
			r.Sizes = append(r.Sizes, s)
		}
	}
	return r, nil
}

// finished returns the counts of one size, which an earlier run may have finished.
func (o *Options) finished(ctx context.Context, dir *work.Folder, n int) (s Size, err error) {
	step := fmt.Sprint("size ", n)
	if dir.Done(step, &s) {
		return s, nil
	}
	if s, err = o.size(ctx, dir, n); err != nil {
		return s, err
	}
	return s, dir.Finish(step, s)
}

// The words of the collection are on disk as hashes of 8 bytes, low byte first; 0
// ends a paragraph.
const wordBytes = 8

type piece struct {
	hashes                       []byte
	words, paragraphs, sentences int64
	characters, tags             int64
}

func read(ctx context.Context, in *corpus.Input, dir *work.Folder) (r Report, err error) {
	worker := func() func(*corpus.Doc) (piece, error) {
		return func(d *corpus.Doc) (piece, error) { return hashed(d), nil }
	}
	var sum corpus.Summary
	err = dir.Write(wordsFile, func(w *bufio.Writer) error {
		sum, err = corpus.Map(ctx, in, worker, func(_ *corpus.Doc, p piece) error {
			r.Words += p.words
			r.Paragraphs += p.paragraphs
			r.Sentences += p.sentences
			r.Characters += p.characters
			r.Tags += p.tags
			_, err := w.Write(p.hashes)
			return err
		})
		return err
	})
	if err != nil {
		return r, err
	}
	r.Documents, r.Problems, r.TextBytes, r.Separators, r.LeftOut = sum.Documents, sum.Problems, sum.Bytes, sum.Separators, sum.LeftOut
	return r, dir.Finish(readStep, r, wordsFile)
}

// hashed returns the hashes of the words of a document, and its figures.
func hashed(d *corpus.Doc) (p piece) {
	p.characters = int64(utf8.RuneCountInString(d.Text))
	last, end := 0, 0 // paragraph and end of the word before
	initial := false  // the word before is one letter, and a full stop after it ends no sentence
	for s := d.Scan(); s.Next(); {
		word, paragraph := s.Word(), s.Paragraph()
		start, after := s.Span()
		switch {
		case p.words == 0:
		case paragraph != last:
			p.hashes = binary.LittleEndian.AppendUint64(p.hashes, 0)
			p.paragraphs++
			p.sentences++
		case !initial && endsSentence(d.Text[end:start], d.Text[start:after]):
			p.sentences++
		}
		p.words++
		p.hashes = binary.LittleEndian.AppendUint64(p.hashes, roll.Hash(word)|1)
		last, end, initial = paragraph, after, utf8.RuneCount(word) == 1
	}
	if p.words > 0 {
		p.hashes = binary.LittleEndian.AppendUint64(p.hashes, 0)
		p.paragraphs++
		p.sentences++
	}
	if d.Form == corpus.Vertical {
		var marked int64
		if p.tags, marked = plain.CountTags(d.Raw); marked > 0 {
			p.sentences = marked
		}
	}
	return p
}

// endsSentence reports whether a sentence ends in the characters between two words of a
// paragraph.
func endsSentence(between, next string) bool {
	r, _ := utf8.DecodeRuneInString(next)
	return strings.ContainsAny(between, ".!?…。！？｡।۔؟") && !unicode.IsLower(r)
}

func (o *Options) size(ctx context.Context, dir *work.Folder, n int) (s Size, err error) {
	files, err := spill.Create(dir.Path(gramsFile), occur.Parts)
	if err != nil {
		return s, err
	}
	defer func() {
		err = cmp.Or(err, files.Remove())
	}()
	s.N = n
	err = dir.Read(wordsFile, func(in *bufio.Reader) error {
		s.Grams, err = scatter(ctx, in, n, files)
		return err
	})
	if err != nil {
		return s, err
	}
	var mu sync.Mutex
	var often [64]int64 // different n-grams by the bits of their count
	memory := o.Memory / 3 / int64(runtime.GOMAXPROCS(0))
	state := func() *counter { return &counter{in: occur.NewReader(files, memory)} }
	part := func(ctx context.Context, c *counter, i int) error {
		if o.Progress != nil {
			o.Progress("count", int64(i), occur.Parts)
		}
		return c.in.Each(ctx, i, c.group)
	}
	err = ordered.Each(ctx, occur.Parts, state, part, func(c *counter) error {
		mu.Lock()
		defer mu.Unlock()
		for i, count := range c.often {
			often[i] += count
		}
		return nil
	})
	s.fill(often)
	return s, err
}

func scatter(ctx context.Context, in io.Reader, n int, files *spill.Files) (grams int64, err error) {
	w, r := occur.NewWriter(files), roll.New(n, false)
	var word [wordBytes]byte
	for at := uint64(0); ; at++ {
		if _, err := io.ReadFull(in, word[:]); err == io.EOF {
			return grams, w.Flush()
		} else if err != nil {
			return grams, err
		}
		if at&0xfffff == 0 && ctx.Err() != nil {
			return grams, context.Cause(ctx)
		}
		h := binary.LittleEndian.Uint64(word[:])
		if h == 0 {
			r.Reset()
			continue
		}
		if g, ok := r.Add(h); ok {
			grams++
			if err := w.Add(g, at); err != nil {
				return grams, err
			}
		}
	}
}

// A counter counts the n-grams of parts. It is for one goroutine.
type counter struct {
	in    *occur.Reader
	table occur.Table
	often [64]int64
}

func (c *counter) group(group []occur.Occurrence) error {
	c.table.Reset(len(group))
	for _, o := range group {
		c.table.Of(o.Hash).Count++
	}
	return c.table.Each(func(s *occur.Slot) error {
		c.often[bits.Len64(s.Count-1)]++
		return nil
	})
}

// fill sets the histogram from the numbers of n-grams that occur once, twice, 3 to 4
// times, 5 to 8 times, and so on.
func (s *Size) fill(often [64]int64) {
	from := uint64(1)
	for i, count := range often {
		to := uint64(1) << i
		if s.Distinct += count; count > 0 {
			s.Often = append(s.Often, Often{from, to, count})
		}
		from = to + 1
	}
	s.Once = often[0]
	s.Index = int64(gramBytes * float64(s.Grams))
	if s.Grams > 0 {
		s.Again = float64(s.Grams-s.Distinct) / float64(s.Grams)
	}
}

// Package dedup leaves one instance of what repeats in a collection, paragraph by
// paragraph.
//
// The rule is that of onion 1.2 unless [Options] say otherwise. n-grams of tokens
// run over the ends of paragraphs, never over those of documents. One is seen
// if it was in a kept paragraph of a document before, or anywhere earlier in
// this document. The bad tokens of a paragraph are those of the seen n-grams that
// end in it; with too many of them it is dropped. A stretch of good paragraphs that
// is too short, between two bad ones or the ends of the document, goes with
// them.
//
// That needs to be known of each n-gram whether it was kept before, which does not
// fit in memory. So there are two passes. The first writes all n-grams to
// disk, divided by their hashes (scatter.go), and finds for each that is
// repeated where it was last (link.go): a list in the order of the collection. The
// second (keep.go) reads this list beside the collection and keeps one bit for
// each token: whether the n-gram that ends there was kept by then. It does
// not look at the words again.
//
// What surprises: the n-grams are hashes of 64 bits, so with 10⁹ of them there is one
// false repetition in 40 runs.
package dedup

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/normalize"
)

// Rules say which paragraphs are dropped.
type Rule uint8

// The rules.
const (
	Onion  Rule = iota // by the share of tokens in seen n-grams, with smoothing
	Tuples             // by the share of seen n-grams within sentences
)

// Options say what is compared and what is dropped. [Defaults] are onion's.
type Options struct {
	N         int     // tokens of an n-gram
	Threshold float64 // share of a paragraph that may be bad, or seen
	Stub      int     // tokens that a stretch between bad paragraphs must exceed
	Smooth    bool    // such stretches are dropped
	Rule      Rule
	Documents bool // a document is judged as a whole, not paragraph by paragraph
	Mark      bool // nothing is dropped, but marked

	OnionHash bool                  // the hash of onion 1.2, with its collisions
	Column    int                   // of a vertical file that is compared, counted from 1; 0 for whole lines
	Words     *normalize.Normalizer // by whose rules tokens of a vertical file are compared; nil for as they are
	Norms     *normalize.Set        // for text and JSON Lines
	Field     string                // of JSON objects, that has the text

	MaxDoc      int   // bytes of a document; a longer one stays as it is
	Memory      int64 // bytes, about
	Approximate bool  // one pass, with a filter in place of the list

	Problem  func(where string, err error)
	Progress func(pass int, done int64)
}

// Defaults are the options of onion.
func Defaults() Options {
	return Options{N: 7, Threshold: 0.5, Stub: 20, Smooth: true, MaxDoc: 256 << 20, Memory: 512 << 20}
}

// A File is one of the collection, in the order in which they are read.
type File struct {
	Path string
	Form corpus.Form
	Open func() (io.ReadCloser, error)
}

// A Summary counts what was read, and what was dropped or marked of it.
type Summary struct {
	Documents, Paragraphs, Tokens                      int64
	DroppedDocuments, DroppedParagraphs, DroppedTokens int64
	Problems                                           int
	FalseRate                                          float64 // share of n-grams that the filter takes for seen wrongly, with Approximate
}

// ErrChanged says that the second pass read something else than the first.
var ErrChanged = errors.New("the collection changed while it was read")

// Run writes what stays of the files: write is called with the number of a file and
// what comes next of it, in order. Temporary files are in dir.
func Run(ctx context.Context, files []File, o Options, dir *work.Folder, write func(file int, b []byte) error) (Summary, error) {
	if o.Rule == Onion {
		o.Threshold = float64(float32(o.Threshold)) // as onion has it
	}
	r := &run{files: files, o: o, dir: dir, write: write}
	if o.Approximate {
		err := r.approximate(ctx)
		return r.sum, err
	}
	var total int64
	if !r.dir.Done(scatterStep, &total) {
		var err error
		if total, err = r.scatter(ctx); err != nil {
			return r.sum, err
		}
	}
	links := links{}
	if !r.dir.Done(linkStep, &links) {
		var err error
		if links, err = r.link(ctx, total); err != nil {
			return r.sum, err
		}
	}
	err := r.second(ctx, links)
	return r.sum, err
}

// A run is one run over a collection.
type run struct {
	files []File
	o     Options
	dir   *work.Folder
	write func(file int, b []byte) error
	sum   Summary
}

// problem names what cannot be judged.
func (r *run) problem(where string, err error) {
	r.sum.Problems++
	if r.o.Problem != nil {
		r.o.Problem(where, err)
	}
}

// tooLong names a document that is too long to be judged, once.
func (r *run) tooLong(b *block) {
	if b.First {
		r.problem(fmt.Sprintf("%s: byte %d", b.path, b.Offset), fmt.Errorf("the document there has more than %d bytes; it stays as it is", r.o.MaxDoc))
	}
}

func (r *run) progress(pass int, done int64) {
	if r.o.Progress != nil {
		r.o.Progress(pass, done)
	}
}

// layout returns what takes the blocks of a file apart.
func (r *run) layout(form corpus.Form, hash bool) (layout, error) {
	switch form {
	case corpus.Vertical:
		return newVertical(&r.o, hash), nil
	case corpus.JSONLines:
		return newJSON(&r.o, hash), nil
	case corpus.Whole:
		return newText(&r.o, hash), nil
	}
	return nil, fmt.Errorf("form %d of a file is unknown", form)
}

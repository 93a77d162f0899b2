// Package dedup removes the repeated paragraphs of a collection. Call [Run].
//
// The rule is that of onion 1.2 unless [Options] say otherwise. n-grams of tokens
// cross the ends of paragraphs, but not those of documents. An n-gram is seen if it
// occurred in a kept paragraph of an earlier document, or anywhere earlier in the
// same document. The bad tokens of a paragraph are those of the seen n-grams that
// end in it; a paragraph with too many bad tokens is dropped. A short run of good
// paragraphs between two bad ones or the ends of the document is dropped as well.
//
// A table of all kept n-grams does not fit into memory, so there are two passes. The
// first writes all n-grams to disk, partitioned by hash (scatter.go), and finds the
// previous place of each repeated one (link.go): a list in the order of the
// collection. The second (keep.go) merges this list with the collection and keeps
// one bit for each token: whether the n-gram that ends there has been kept. It does
// not read the words again.
//
// n-grams are compared by 64-bit hashes: with 10⁹ of them, one run in 40 has a
// collision.
package dedup

import (
	"context"
	"fmt"
	"io"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/document/plain"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
)

// A Rule decides which paragraphs are dropped.
type Rule uint8

// The rules.
const (
	Onion  Rule = iota // by the share of tokens in seen n-grams, with smoothing
	Tuples             // by the share of seen n-grams within sentences
)

// Options control the comparison and the output. [Defaults] are onion's.
type Options struct {
	N         int     // tokens in an n-gram
	Threshold float64 // largest share of bad tokens, or of seen n-grams, in a kept paragraph
	Stub      int     // most tokens of a short run of good paragraphs
	Smooth    bool    // drops short runs between bad paragraphs
	Rule      Rule
	Documents bool // keeps or drops whole documents, not paragraphs
	Mark      bool // marks paragraphs instead of dropping them

	OnionHash bool                  // uses the hash of onion 1.2, with its collisions
	Column    int                   // the compared column of a vertical file, counted from 1; 0 compares whole lines
	Words     *normalize.Normalizer // normalises the tokens of vertical files; nil compares their bytes
	Norms     *normalize.Set        // for text and JSON Lines
	Field     string                // name of the field of JSON objects with the text

	MaxDoc      int   // limit of a document in bytes; longer ones are copied
	Memory      int64 // approximate limit in bytes
	Approximate bool  // uses one pass, with a filter in place of the list

	Problem  func(where string, err error)
	Progress func(pass int, done int64)
}

// Defaults returns the options of onion.
func Defaults() Options {
	return Options{N: 7, Threshold: 0.5, Stub: 20, Smooth: true, MaxDoc: 256 << 20, Memory: 512 << 20}
}

// A File is one file of the collection.
type File struct {
	Path string
	Form corpus.Form
	Tags plain.Tags // of a vertical file
	Open func() (io.ReadCloser, error)
}

// A Summary counts the input, and the paragraphs that were dropped or marked.
type Summary struct {
	Documents, Paragraphs, Tokens                      int64
	DroppedDocuments, DroppedParagraphs, DroppedTokens int64
	Problems                                           int
	corpus.Separators
	FalseRate float64 // share of n-grams that the filter of Approximate wrongly reports as seen
}

// ErrChanged is returned if the second pass reads other data than the first.
var ErrChanged error = phrase.Error("cause.collection-changed", "the collection changed while it was read")

// Run deduplicates files. It passes the output of each file in order, in pieces, to
// write, with the index of the file. Temporary files are in dir.
func Run(ctx context.Context, files []File, o Options, dir *work.Folder, write func(file int, b []byte) error) (Summary, error) {
	if o.Rule == Onion {
		o.Threshold = float64(float32(o.Threshold)) // as in onion
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

type run struct {
	files []File
	o     Options
	dir   *work.Folder
	write func(file int, b []byte) error
	sum   Summary
}

// problem reports an input that cannot be judged.
func (r *run) problem(where string, err error) {
	r.sum.Problems++
	if r.o.Problem != nil {
		r.o.Problem(where, err)
	}
}

// report reports the problems of a block, and once a document that exceeds MaxDoc. It
// counts how paragraphs were separated.
func (r *run) report(b *block) {
	for _, p := range b.bad {
		r.problem(p.where, p.err)
	}
	r.sum.Merge(b.separators)
	if b.First {
		r.problem(fmt.Sprintf("%s: byte %d", b.path, b.Offset), phrase.Error("corpus.large-stays", "the document there has more than {bytes} bytes; it stays as it is", "bytes", r.o.MaxDoc))
	}
}

func (r *run) progress(pass int, done int64) {
	if r.o.Progress != nil {
		r.o.Progress(pass, done)
	}
}

// layout returns the parser for the blocks of a file.
func (r *run) layout(f *File, hash bool) (layout, error) {
	switch f.Form {
	case corpus.Vertical:
		return newVertical(&r.o, f.Tags, hash), nil
	case corpus.JSONLines:
		return newJSON(&r.o, hash), nil
	case corpus.Whole:
		return newText(&r.o, hash), nil
	}
	return nil, fmt.Errorf("form %d of a file is unknown", f.Form)
}

// Package near finds near-duplicate documents.
//
// The methods by paragraphs, by shingles and by rarest words represent a document as a
// set of hashes and find exactly the pairs whose sets are similar enough; a prefix join
// avoids comparing all pairs (order.go, join.go). Simhash represents a document as
// 384 bits, of which few differ in a pair (simhash.go).
//
// [Read] writes the sets to disk, [Data.Pairs] compares one document of each group
// with equal sets, and [Data.Expand] adds the pairs of the others.
package near

import (
	"context"
	"fmt"
	"math"

	"github.com/otisk/otisk/corpus"
	"github.com/otisk/otisk/corpus/work"
	"github.com/otisk/otisk/lang/phrase"
)

// A Method is a way to compare documents.
type Method uint8

// The methods.
const (
	Paragraphs Method = iota
	Shingles
	Rarest
	Simhash
)

// Options set the method and its limits.
type Options struct {
	By        Method
	Threshold float64 // least |A∩B| ÷ |A∪B|, 0 to 1
	Contained float64 // least |A∩B| ÷ |A| for the smaller A that also makes a pair; 0 turns this off
	Short     int     // paragraphs of fewer words are not in the set but in [Shorts]; 0 for none
	Words     int     // words of a shingle or a span
	Distance  int     // bits of a simhash that may differ
	Memory    int64   // approximate limit in bytes

	Progress func(step string, done, total int64)
}

// Defaults returns the options of the programs that Otisk replaces.
func Defaults(by Method) Options {
	o := Options{By: by, Words: 3, Distance: 5, Memory: 512 << 20}
	switch by {
	case Paragraphs:
		o.Threshold = 0.8
	case Rarest:
		o.Threshold = 0.4
	case Shingles:
		o.Threshold, o.Contained = 0.45, 0.8
	}
	return o
}

// DocBytes returns the memory for each document in bytes. 95 bytes were measured with
// ids of 11 bytes, without the simhash.
func DocBytes(by Method) int64 {
	if by == Simhash {
		return 160
	}
	return 100
}

func (o *Options) mostPairs() int { return corpus.Room(o.Memory, pairBytesHeld) }

func tooManyPairs(most int) error {
	return phrase.Error("corpus.over-pairs", "{cause}: over {most} pairs", "cause", corpus.ErrTooMany, "most", most)
}

// pairBytesHeld is the memory for a found pair, in bytes.
const pairBytesHeld = 24

// A Pair is the numbers of two documents, A < B.
type Pair struct {
	A, B   uint32
	Common uint32 // number of common hashes; by simhash, number of different bits
}

// Data are the documents of a collection, and their sets on disk.
type Data struct {
	Docs    []Doc
	Summary corpus.Summary

	o    Options
	dir  *work.Folder
	list map[uint32][]uint32 // by document, the others with an equal set
}

// A Doc describes a document.
type Doc struct {
	ID     string
	Words  uint32
	Time   int64  // Unix seconds
	Size   uint32 // number of hashes in its set
	Shorts uint32 // short paragraphs in a set of their own
	Same   int32  // an earlier document with an equal set, -1 for none

	set, short int64 // offsets on disk
}

// Similarity returns |A∩B| ÷ |A∪B| of a pair.
func (d *Data) Similarity(p Pair) float64 {
	return ratio(p.Common, d.Docs[p.A].Size+d.Docs[p.B].Size-p.Common)
}

// Containment returns |A∩B| ÷ |A| of a pair, for the smaller A.
func (d *Data) Containment(p Pair) float64 {
	return ratio(p.Common, min(d.Docs[p.A].Size, d.Docs[p.B].Size))
}

func ratio(part, whole uint32) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// near reports whether sets of a and b hashes with common shared ones are similar enough.
func (o *Options) near(a, b, common uint32) bool {
	return ratio(common, a+b-common) >= o.Threshold || o.Contained > 0 && ratio(common, min(a, b)) >= o.Contained
}

// atLeast returns x rounded up. Because of rounding errors in x, the result may be
// too small by one, but is never too large.
func atLeast(x float64) int { return int(math.Ceil(x - 1e-9)) }

// needed returns the least number of common hashes of a pair of sets of a and b hashes.
func (o *Options) needed(a, b uint32) int {
	need := atLeast(o.Threshold / (1 + o.Threshold) * float64(a+b))
	if o.Contained > 0 {
		need = min(need, atLeast(o.Contained*float64(min(a, b))))
	}
	return max(need, 1)
}

func (o *Options) progress(step string, done, total int64) {
	if o.Progress != nil {
		o.Progress(step, done, total)
	}
}

// Pairs finds the pairs of similar documents. Of documents with equal sets, only the
// first is compared.
func (d *Data) Pairs(ctx context.Context) ([]Pair, error) {
	switch d.o.By {
	case Paragraphs, Shingles, Rarest:
		return d.join(ctx)
	case Simhash:
		return d.simhashPairs(ctx)
	}
	return nil, fmt.Errorf("unknown method %d", d.o.By)
}

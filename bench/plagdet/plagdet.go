// Package plagdet scores detected passages against the true ones with the
// measures of Potthast, Stein, Barrón-Cedeño and Rosso, "An evaluation framework
// for plagiarism detection" (2010), in their macro-averaged form.
//
// A [Case] pairs a stretch of a suspect with one of a source. The recall of a true case
// is the share of its characters, on both sides together, covered by detections that
// overlap it on both sides. The precision of a detection is the same with detections
// and true cases exchanged. [Tally.Add] adds the cases of one pair of documents, since
// cases of different pairs cannot overlap.
package plagdet

import (
	"cmp"
	"math"
	"slices"
)

// A Span is a range of characters [Start, End).
type Span struct{ Start, End int }

func (s Span) length() int { return s.End - s.Start }

func (s Span) overlaps(o Span) bool { return s.Start < o.End && o.Start < s.End }

// A Case is a copied passage: where it is in the suspect and in the source.
type Case struct{ Suspect, Source Span }

func (c Case) length() int { return c.Suspect.length() + c.Source.length() }

// Overlaps reports whether two cases of one pair of documents overlap on both sides.
func (c Case) Overlaps(d Case) bool {
	return c.Suspect.overlaps(d.Suspect) && c.Source.overlaps(d.Source)
}

// A Tally sums the results of pairs of documents. The zero value is empty.
type Tally struct {
	recall, precision float64 // sums over cases and over detections
	cases, detections int
	found             int // cases that some detection overlaps
	pieces            int // detections that overlap them
	pairs, hit        int // pairs of documents, and those with a detection
}

// Add takes the true cases and the detections of one pair of documents.
func (t *Tally) Add(truth, detected []Case) {
	t.pairs++
	if len(detected) > 0 {
		t.hit++
	}
	for _, c := range truth {
		share, pieces := covered(c, detected)
		t.recall += share
		t.cases++
		t.pieces += pieces
		if pieces > 0 {
			t.found++
		}
	}
	for _, d := range detected {
		share, _ := covered(d, truth)
		t.precision += share
		t.detections++
	}
}

// Merge adds the sums of o.
func (t *Tally) Merge(o Tally) {
	t.recall += o.recall
	t.precision += o.precision
	t.cases += o.cases
	t.detections += o.detections
	t.found += o.found
	t.pieces += o.pieces
	t.pairs += o.pairs
	t.hit += o.hit
}

// A Score has the measures of a [Tally].
type Score struct {
	Recall, Precision float64 // 0 to 1
	Granularity       float64 // mean number of detections of a found case; 1 if none is found
	Plagdet           float64 // F1 of recall and precision over log2(1 + granularity)
	Cases, Detections int
	Pairs, Hit        int // pairs of documents, and those with a detection
}

// Score returns the measures of all pairs added.
func (t *Tally) Score() Score {
	s := Score{Granularity: 1, Cases: t.cases, Detections: t.detections, Pairs: t.pairs, Hit: t.hit}
	if t.cases > 0 {
		s.Recall = t.recall / float64(t.cases)
	}
	if t.detections > 0 {
		s.Precision = t.precision / float64(t.detections)
	}
	if t.found > 0 {
		s.Granularity = float64(t.pieces) / float64(t.found)
	}
	if sum := s.Recall + s.Precision; sum > 0 {
		s.Plagdet = 2 * s.Recall * s.Precision / sum / math.Log2(1+s.Granularity)
	}
	return s
}

// covered returns the share of the characters of c that overlapping cases cover, and the
// number of these cases.
func covered(c Case, cases []Case) (share float64, pieces int) {
	var suspect, source []Span
	for _, d := range cases {
		if c.Overlaps(d) {
			suspect, source = append(suspect, d.Suspect), append(source, d.Source)
		}
	}
	if len(suspect) == 0 {
		return 0, 0
	}
	return float64(union(c.Suspect, suspect)+union(c.Source, source)) / float64(c.length()), len(suspect)
}

// union returns the number of characters of s that the spans cover.
func union(s Span, spans []Span) int {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	sum, at := 0, s.Start
	for _, x := range spans {
		from, to := max(x.Start, at), min(x.End, s.End)
		if to > from {
			sum += to - from
			at = to
		}
	}
	return sum
}

// Package align finds the passages of one text that come from one other, even
// if words were changed, left out, inserted or moved.
//
// [Prepare] a text once, then call [Aligner.Align] for each source. A [Passage]
// has bounds at words on both sides, and counts that can be verified with the two
// texts.
//
// It works in these steps, each in a file:
//
//   - weight.go: rare words of the two texts weigh more; frequent ones nothing.
//   - point.go: a point is a place in both texts of a word, or of an unordered pair of
//     near words, that both contain.
//   - density.go: a point with enough weight around it on both sides is a core.
//   - cluster.go: cores that lie near each other make a cluster.
//   - bounds.go: a running sum from the densest core outwards finds where a
//     passage ends; every copy of a word counts once.
//   - split.go: a cluster is split at a gap of the suspect's own words.
//   - verify.go: a cluster that shares too little of its words is dropped.
//   - exact.go: long runs of equal words are found separately, and replace
//     the clusters that consist of them.
//   - part.go: a cluster is cut where the words beside its exact runs share nothing of their own.
//   - overlap.go: where passages overlap in the suspect, the more certain one is kept.
//   - summary.go: a stretch of the suspect with words from all parts of
//     the source. This step is optional.
//   - second.go: if no passage of a cluster was found, or a short one that shares little, it is
//     bounded and verified again with lower tolls, then as it is.
//   - snap.go: ends move to the start or end of a nearby sentence.
//
// Words are compared by their first five letters (two syllables in Korean; Chinese
// characters in overlapping pairs, see pieces.go), which takes the place of a
// stemmer in English and in Czech. There is no list of stop words. Paragraphs
// do not matter: a passage runs across their ends.
package align

import (
	"cmp"
	"context"
	"slices"

	"github.com/otisk/otisk/normalize"
)

// A Text is a text to compare: its words, in order, and the original text to which their ranges
// refer.
type Text struct {
	Words []normalize.Word
	Text  string
}

// A Range is a stretch of a text, [From, To) in words and [Start, End) in bytes.
type Range struct {
	From, To   int
	Start, End int
}

// A Kind is the step that found a passage.
type Kind uint8

const (
	Exact   Kind = iota // a run of equal words
	Cluster             // shared rare words and word pairs, near each other on both sides
	Summary             // words from all over a much longer stretch of the source
)

var kindNames = [...]string{Exact: "exact", Cluster: "cluster", Summary: "summary"}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// A Passage is a stretch of the suspect and the stretch of the source that it
// comes from. Its counts follow from the words at the two ranges alone, as
// normalised:
//
//   - Words and SourceWords are how many there are.
//   - Matched is how many words can be paired one to one with an equal word of
//     the other side: for each different word the smaller of its two numbers of
//     occurrences, summed up.
//   - Run is the longest run of equal consecutive words, wherever it is.
//   - Equal lists the pairs: the longest common runs first (of equal ones the
//     first in the suspect, then in the source), each on words not yet paired,
//     down to runs of two words; what is left is paired in order of
//     occurrence, word by word.
//   - Gaps is how many stretches of the suspect's side without a paired word
//     are between paired ones.
type Passage struct {
	Suspect, Source    Range
	Words, SourceWords int
	Matched            int
	Run                int
	Gaps               int
	Kind               Kind
	Grade              Grade
	Equal              []Run // by place in the suspect
}

// A Run states that the Len words starting at Suspect equal those starting at Source. Both are word
// numbers of the whole texts.
type Run struct{ Suspect, Source, Len int }

// An Aligner aligns texts with one set of parameters. It is safe for use by
// several goroutines at once.
type Aligner struct {
	params Params
}

// New returns an Aligner.
func New(params Params) *Aligner {
	return &Aligner{params: params.bounded()}
}

// Align returns the passages of suspect that come from source, by place in the
// suspect. They may overlap, in the source and by less than half of the words
// in the suspect too. Texts of millions of words take a minute: between its
// steps it looks at ctx, and returns its error.
func (al *Aligner) Align(ctx context.Context, suspect, source *Prepared) (list []Passage, err error) {
	if suspect.Len() == 0 || source.Len() == 0 {
		return nil, nil
	}
	params := al.params.forPieces(suspect, source)
	p := newPair(&params, suspect, source)
	defer p.release()
	var exact, found, clusters []candidate
	var cores []core
	steps := []func(){
		func() { exact = p.exactRuns() },
		func() { cores = p.cores(p.points()) },
		func() { clusters = p.clusters(cores) },
		func() { found = p.boundedAndVerified(clusters, cores, exact) },
		func() { found = p.widened(clusters, found, cores) },
		func() { found = append(found, p.rest(found, cores)...) },
		func() { found = p.summaries(found, exact) },
		func() { found = append(found, p.secondBounds(clusters, found, cores, exact)...) },
		func() { found = p.longEnough(p.snapped(p.copiedParts(p.sharpened(found, exact), exact))) },
		func() { list = p.passages(p.withExact(found, exact), &al.params) },
	}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step()
	}
	return list, nil
}

// Hints reports whether stretches of two texts, which have so many words
// together, may be part of a passage: whether a cluster there weighs a share of
// what it needs. It takes a part of the time of Align. Words are no rarer in a
// stretch than they are counted there, so that a passage of clusters that lies in
// the stretch is always hinted at; runs of equal words are not looked for.
func (al *Aligner) Hints(suspect, source *Prepared, words int, share float64) bool {
	if suspect.Len() == 0 || source.Len() == 0 {
		return false
	}
	params := al.params
	params.LeastWords = max(params.LeastWords, words)
	params = params.forPieces(suspect, source)
	params.MinCluster *= share
	p := newPair(&params, suspect, source)
	defer p.release()
	return len(p.clusters(p.cores(p.points()))) > 0
}

// snapped moves the ends of candidates to those of sentences near by.
func (p *pair) snapped(found []candidate) []candidate {
	for i := range found {
		p.snap(&found[i])
	}
	return found
}

// passages counts the words that the candidates share. limits are the settings for texts without
// pieces.
func (p *pair) passages(found []candidate, limits *Params) []Passage {
	slices.SortFunc(found, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.a.from, y.a.from), cmp.Compare(x.a.to, y.a.to), cmp.Compare(x.b.from, y.b.from))
	})
	list := make([]Passage, 0, len(found))
	for _, c := range found {
		if p.a.pieces == nil && p.b.pieces == nil {
			out := p.match(c.a, c.b).passage(c.kind, c.a, c.b)
			out.Suspect, out.Source = rangeIn(p.a.words, c.a), rangeIn(p.b.words, c.b)
			list = append(list, out)
		} else if out, ok := p.passageInWords(c, limits); ok {
			list = append(list, out)
		}
	}
	return list
}

// passage returns a passage without its ranges.
func (m matching) passage(kind Kind, a, b span) Passage {
	out := Passage{
		Words: a.len(), SourceWords: b.len(),
		Matched: m.matched, Run: m.run, Gaps: m.gaps, Kind: kind, Equal: m.equal,
	}
	out.Grade = gradeOf(&out)
	return out
}

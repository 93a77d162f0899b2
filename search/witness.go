package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/search/hint"
)

// A passage without a long run of equal words consists of single words in common. If the words are
// shared because of the subject or the kind of text, other documents share them, too. So the other
// documents that were examined, and the rest of both texts, are witnesses: the passage counts only
// if its source shares clearly more with it than they do. Otherwise it becomes a hint.
//
// What is compared are pairs of neighbouring words, as the index has them. A pair weighs
// ln((N+1)/d)/ln(N+1), where d of the N documents have it: 1 if it is in one document, and 0 if it
// is common. The value of a stretch of text is the sum of the weights of the different pairs that
// it has in common with the passage.
//
// In a short text alone, nothing shows which words are rare. So the less text there is besides the
// passage, the more is required: a higher value, and that other documents are on the subject at
// all, since a collection on other subjects shows nothing. The requirements fall continuously to
// none as the text besides the passage grows from littleText to muchText words, the last of them
// to half of that on a logarithmic scale.
//
// The constants were chosen on answers of pupils to one question, abstracts written independently,
// and rewritten short texts, and checked on PAN 2013: bench/innocent.
const (
	littleText, muchText = 150, 600 // words of both texts besides the passage

	witnessRank      = 5    // the value of the witness with this rank is compared ...
	witnessRankShort = 3    // ... and with this one if there is little text
	witnessTimes     = 2.0  // how many times that value a passage must have ...
	witnessMore      = 0.5  // ... and how much more if there is little text
	witnessFloor     = 1500 // a lower value is chance, in thousandths, unless it is about that of the passage
	shortValue       = 8000 // least value of a passage if there is little text, in thousandths
	shortDensity     = 60   // the same for each word
	knownDensity     = 15   // least value of the witness for each word: the collection knows the subject

	sameShare   = 0.5 // share of the pairs of a document from which another one is a copy or version of it
	sameStretch = 0.8 // the same of the stretch of the source
	sameTimes   = 1.5 // how many times as much of that stretch as the suspect a copy must have

	aboutShare  = 0.8  // share of the value of a passage that is about as much
	commonValue = 4000 // a lower value shows nothing if as many documents as witnessRank share about as much, copies included

	// A passage is nearly word for word if at least nearlyWords words and nearlyShare of the longer side
	// are in runs of nearlyRun words and more, and the product of both is at least nearlyBoth.
	nearlyShare, nearlyRun, nearlyWords, nearlyBoth = 0.45, 3, 20, 15
)

// Reasons why similar wording is a hint and not a passage.
const (
	ReasonShared  = "shared"  // other documents or other parts of the texts share about as much
	ReasonUnknown = "unknown" // the texts are short, and too few documents are on their subject to tell
)

// A sighting is a pair of words at a word of a text: the lower bits of its hash.
type sighting struct {
	word int32
	pair uint32
}

// sightings returns the pairs of words, the first of which has this number in the text.
func sightings(list []sighting, words []normalize.Word, first int) []sighting {
	var p fingerprint.Pairer
	for i, w := range words {
		if h, ok := p.Add([]byte(w.Text)); ok {
			list = append(list, sighting{int32(first + i), uint32(h)})
		}
	}
	return list
}

// pairWeights returns the weight of each pair of the suspect, in thousandths.
func (s *Searcher) pairWeights(sus *suspect, near *pairings) map[uint32]int32 {
	weights := map[uint32]int32{}
	all := math.Log(float64(s.index.Documents + 1))
	for _, x := range sus.pairSites() {
		weight := 1.0
		if near.finder != nil {
			d := near.finder.Documents(x.Pair)
			if d == 0 {
				continue
			}
			weight = 1 - math.Log(float64(d))/all
		}
		weights[uint32(x.Pair)] = int32(math.Round(1000 * max(weight, 0)))
	}
	return weights
}

// A court has what is needed to judge passages of one suspect.
type court struct {
	sus     *suspect
	sources []*source
	weights map[uint32]int32   // by pair of the suspect, in thousandths
	places  []sighting         // of the suspect
	posts   map[uint32][]post  // by pair of the suspect, its places in sources
	sets    []map[uint32]bool  // by source, its pairs; nil if they were not needed
	alike   map[[2]int]float64 // by two sources, the share of the pairs that they have in common
}

// A post is a place of a pair in a source.
type post struct {
	source int32
	word   int32
}

// newCourt returns a court for the sources, whose own fields are set.
func newCourt(sus *suspect, sources []*source) *court {
	c := &court{sus: sus, sources: sources, weights: sus.weights, posts: map[uint32][]post{}, sets: make([]map[uint32]bool, len(sources)), alike: map[[2]int]float64{}}
	c.places = sus.sightings()
	for i, src := range sources {
		for _, x := range src.imprint {
			if c.weights[x.pair] > 0 {
				c.posts[x.pair] = append(c.posts[x.pair], post{int32(i), x.word})
			}
		}
	}
	return c
}

// isWeak reports whether a passage consists of single words or short runs in common, so that it
// needs a witness.
func isWeak(p *found) bool {
	return p.Kind != KindExact && p.Run < align.DefaultParams().Verbatim
}

// nearlyEqual reports whether a passage is nearly word for word: the two texts show that by themselves.
func nearlyEqual(p *found) bool {
	words := 0
	for _, r := range p.Equal {
		if r.Words >= nearlyRun {
			words += r.Words
		}
	}
	share := float64(words) / float64(max(p.to-p.from, p.originTo-p.originFrom))
	return words >= nearlyWords && share >= nearlyShare && share*float64(words) >= nearlyBoth
}

// A verdict is what the witnesses say of a passage.
type verdict struct {
	holds    bool
	reason   string // why it does not hold
	value    int    // of the passage, in thousandths
	level    int    // of the witness that it is compared with
	equalers int    // documents that share about as much
}

// judge compares passage p of a source with the witnesses.
func (c *court) judge(source int, p *found) verdict {
	src := c.sources[source]
	ours, theirs := distinct(c.places, p.from, p.to), distinct(src.imprint, p.originFrom, p.originTo)
	v := verdict{}
	shared := 0
	for pair := range ours {
		if theirs[pair] {
			v.value += int(c.weights[pair])
			shared++
		}
	}
	words := max(p.to-p.from, p.originTo-p.originFrom)
	size := int32(3*words/2 + 20)
	documents := c.documents(source, ours, theirs, shared, size, &v)
	all := append(slices.Clone(documents), c.windows(c.outside(source, ours), size, witnessRank)...)
	all = append(all, c.windows(c.besides(src, theirs), size, witnessRank)...)
	slices.SortFunc(all, func(a, b int) int { return b - a })

	little := c.little(src, p)
	v.level = int(little*float64(ranked(all, witnessRankShort)) + (1-little)*float64(ranked(all, witnessRank)))
	limit := max(float64(v.value)/(witnessTimes+little*witnessMore), min((1-little)*witnessFloor, aboutShare*float64(v.value)))
	if float64(v.level) > limit || v.equalers >= witnessRank && v.value < commonValue && !nearlyEqual(p) {
		v.reason = ReasonShared
		return v
	}
	known := ranked(documents, witnessRankShort)
	if float64(v.value) < little*shortValue || float64(v.value) < little*shortDensity*float64(words) || float64(known) < (2*little-1)*knownDensity*float64(words) {
		v.reason = ReasonUnknown
		return v
	}
	v.holds = true
	return v
}

// little returns how little text there is besides a passage, from 1 to 0.
func (c *court) little(src *source, p *found) float64 {
	if nearlyEqual(p) {
		return 0
	}
	besides := max(c.sus.different()-(p.to-p.from), 0) + max(src.read-(p.originTo-p.originFrom), 0)
	return min(1, max(0, math.Log(muchText/float64(max(besides, 1)))/math.Log(float64(muchText)/littleText)))
}

// ranked returns the value with a rank from 1 in a descending list, 0 if it is shorter.
func ranked(list []int, rank int) int {
	if len(list) < rank {
		return 0
	}
	return list[rank-1]
}

// documents returns the values of the other documents, the highest first, with those that share
// about as much counted in v. A copy or version of the source is no witness: it says what the source says.
func (c *court) documents(source int, ours, theirs map[uint32]bool, shared int, size int32, v *verdict) []int {
	var values []int
	for other, hits := range c.hitsOf(ours) {
		y := c.sources[other]
		if other == source || y.own != "" {
			continue
		}
		value, end := c.window(hits, size)
		if value >= int(aboutShare*float64(v.value)) && value > 0 {
			v.equalers++
		}
		if 4*value < v.value || !c.sameAs(source, other, theirs, shared, end-size, end) {
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b int) int { return b - a })
	return values
}

// hitsOf returns the places of some pairs by source, each list by place.
func (c *court) hitsOf(pairs map[uint32]bool) map[int][]sighting {
	hits := map[int][]sighting{}
	for pair := range pairs {
		for _, x := range c.posts[pair] {
			hits[int(x.source)] = append(hits[int(x.source)], sighting{x.word, pair})
		}
	}
	for _, list := range hits {
		sortSightings(list)
	}
	return hits
}

func sortSightings(list []sighting) {
	slices.SortFunc(list, func(a, b sighting) int { return cmp.Or(cmp.Compare(a.word, b.word), cmp.Compare(a.pair, b.pair)) })
}

// outside returns the places of some pairs in a source outside of its passages.
func (c *court) outside(source int, pairs map[uint32]bool) (hits []sighting) {
	src := c.sources[source]
	for _, x := range src.imprint {
		if pairs[x.pair] && c.weights[x.pair] > 0 && !slices.ContainsFunc(src.passages, func(p found) bool { return int(x.word) >= p.originFrom && int(x.word) < p.originTo }) {
			hits = append(hits, x)
		}
	}
	return hits
}

// besides returns the places of some pairs in the suspect outside of its passages from a source.
func (c *court) besides(src *source, pairs map[uint32]bool) (hits []sighting) {
	for _, x := range c.places {
		if pairs[x.pair] && c.weights[x.pair] > 0 && !slices.ContainsFunc(src.passages, func(p found) bool { return int(x.word) >= p.from && int(x.word) < p.to }) {
			hits = append(hits, x)
		}
	}
	return hits
}

// window returns the highest value of the hits in a window of this many words, and the last word of that window.
func (c *court) window(hits []sighting, size int32) (value int, end int32) {
	count := map[uint32]int{}
	sum, lo := 0, 0
	for _, x := range hits {
		if count[x.pair]++; count[x.pair] == 1 {
			sum += int(c.weights[x.pair])
		}
		for ; hits[lo].word < x.word-size; lo++ {
			if count[hits[lo].pair]--; count[hits[lo].pair] == 0 {
				sum -= int(c.weights[hits[lo].pair])
			}
		}
		if sum > value {
			value, end = sum, x.word
		}
	}
	return value, end
}

// windows returns the values of at most this number of windows that have no hit in common, the highest first.
func (c *court) windows(hits []sighting, size int32, most int) (values []int) {
	for len(values) < most {
		value, end := c.window(hits, size)
		if value == 0 {
			break
		}
		values = append(values, value)
		hits = slices.DeleteFunc(slices.Clone(hits), func(x sighting) bool { return x.word >= end-size && x.word <= end })
	}
	return values
}

// sameAs reports whether another document is a copy or version of a source, in all or in the stretch
// with these pairs, which it has in the words [from, to].
func (c *court) sameAs(source, other int, theirs map[uint32]bool, shared int, from, to int32) bool {
	if len(theirs) == 0 {
		return false
	}
	common := 0
	for pair := range distinct(c.sources[other].imprint, int(from), int(to)+1) {
		if theirs[pair] {
			common++
		}
	}
	least := max(sameStretch*float64(len(theirs)), sameTimes*float64(shared))
	return float64(common) >= least || c.common(source, other) >= sameShare
}

// common returns the share of the pairs of the smaller of two sources that the other one has, too.
func (c *court) common(a, b int) float64 {
	key := [2]int{min(a, b), max(a, b)}
	if share, ok := c.alike[key]; ok {
		return share
	}
	x, y := c.set(a), c.set(b)
	if len(y) < len(x) {
		x, y = y, x
	}
	n := 0
	for pair := range x {
		if y[pair] {
			n++
		}
	}
	c.alike[key] = float64(n) / float64(max(len(x), 1))
	return c.alike[key]
}

// set returns the pairs of a source.
func (c *court) set(source int) map[uint32]bool {
	if c.sets[source] == nil {
		c.sets[source] = distinct(c.sources[source].imprint, 0, math.MaxInt32)
	}
	return c.sets[source]
}

// distinct returns the different pairs of a list at the words [from, to).
func distinct(list []sighting, from, to int) map[uint32]bool {
	pairs := map[uint32]bool{}
	first, _ := slices.BinarySearchFunc(list, from, func(x sighting, from int) int { return int(x.word) - from })
	for _, x := range list[first:] {
		if int(x.word) >= to {
			break
		}
		pairs[x.pair] = true
	}
	return pairs
}

// hearWitnesses judges the weak passages of all sources, whose own fields are set. Those that do not hold become hints.
func (s *Searcher) hearWitnesses(sus *suspect, sources []*source) {
	weak := slices.ContainsFunc(sources, func(src *source) bool {
		return src.whole != nil || slices.ContainsFunc(src.passages, func(p found) bool { return isWeak(&p) })
	})
	if !weak {
		return
	}
	c := newCourt(sus, sources)
	verdicts := make([][]verdict, len(sources)) // all are judged before any passage is removed
	for i, src := range sources {
		for k := range src.passages {
			v := verdict{holds: true}
			if p := &src.passages[k]; isWeak(p) && src.own == "" {
				v = c.judge(i, p)
			}
			verdicts[i] = append(verdicts[i], v)
		}
	}
	for i, src := range sources {
		var kept []found
		for k, p := range src.passages {
			v := verdicts[i][k]
			p.Witnesses = v.equalers
			if v.holds {
				kept = append(kept, p)
				continue
			}
			sus.unproven++
			if len(s.opts.Hints) > 0 {
				src.hints = append(src.hints, sus.similar(&p, v))
			}
		}
		src.passages = kept
	}
	c.chooseWhole()
}

// similar returns a passage that does not hold as a hint.
func (s *suspect) similar(p *found, v verdict) hinted {
	out := hinted{from: p.from, to: p.to, Hint: Hint{
		Kind: hint.KindSimilar, Strength: hint.Weak, Figure: thousandths(v.value), Level: thousandths(v.level), Reason: v.reason, Witnesses: v.equalers,
		Suspect: p.Suspect, Origin: p.Origin, Word: p.from, Words: p.to - p.from, OriginWords: p.originTo - p.originFrom,
	}}
	for _, r := range p.Equal {
		out.Links = append(out.Links, HintLink{Kind: hint.LinkEqual, Suspect: r.Suspect, Origin: r.Origin})
	}
	out.Page, out.LastPage = s.pages(out.Suspect)
	return out
}

// thousandths returns a number of thousandths, rounded to hundredths.
func thousandths(n int) float64 { return math.Round(float64(n)/10) / 100 }

// unprovenNote returns the note on passages that did not hold, if hints do not show them.
func unprovenNote(n int) *phrase.Phrase {
	return phrase.Counted("said.unproven", "{n} stretch shares single words with a source, which does not show a copy, and hints are off", "{n} stretches share single words with sources, which does not show a copy, and hints are off", n)
}

// Short texts may have been rewritten so that no passage is left of them. A whole text of up to
// shortText words is a hint at the sources that share most with it, if few others share about as much.
const (
	shortText  = 400
	wholeRank  = 4
	wholeTimes = 1.5
	wholeValue = 2500 // least value, in thousandths ...
	wholeDense = 20   // ... and for each word
)

// wholeHint returns a hint at the part of a source that shares most with a short suspect, nil if there is none.
func (s *Searcher) wholeHint(src *source, b *body) *hinted {
	sus := src.in.suspect
	if len(s.opts.Hints) == 0 || !src.align || sus.different() > shortText || len(src.passages) > 0 || len(src.hints) > 0 {
		return nil
	}
	c := &court{sus: sus, weights: sus.weights}
	ours := sus.sightings()
	mine := distinct(ours, 0, len(sus.words))
	var hits []sighting
	for _, x := range src.imprint {
		if mine[x.pair] && c.weights[x.pair] > 0 {
			hits = append(hits, x)
		}
	}
	size := int32(3*len(sus.words)/2 + 20)
	value, end := c.window(hits, size)
	if value < max(wholeValue, wholeDense*len(sus.words)) {
		return nil
	}
	hits = slices.DeleteFunc(hits, func(x sighting) bool { return x.word < end-size || x.word > end })
	part := b.partOf(stretch{int(end), int(end) + 1})
	first := part.whole().from
	hits = slices.DeleteFunc(hits, func(x sighting) bool { return int(x.word) < first })
	h := hint.Found{
		Suspect: hint.Range{From: 0, To: len(sus.words)}, Origin: hint.Range{From: int(hits[0].word) - first, To: int(end) - first + 1},
		Figure: thousandths(value), Strength: hint.Weak,
	}
	at := map[uint32]int{}
	for _, x := range ours {
		if _, ok := at[x.pair]; !ok {
			at[x.pair] = int(x.word)
		}
	}
	linked := map[int]bool{}
	for _, x := range hits {
		if word := at[x.pair]; !linked[word] {
			linked[word] = true
			h.Links = append(h.Links, hint.Link{Kind: hint.LinkEqual, Suspect: hint.Range{From: word, To: word + 1}, Origin: hint.Range{From: int(x.word) - first, To: int(x.word) - first + 1}})
		}
	}
	slices.SortFunc(h.Links, func(a, b hint.Link) int { return cmp.Or(a.Suspect.From-b.Suspect.From, a.Origin.From-b.Origin.From) })
	out := sus.hinted(hint.KindSimilar, h, part)
	return &out
}

// chooseWhole keeps those of the hints at whole short texts whose source shares clearly more than others do.
func (c *court) chooseWhole() {
	ours := distinct(c.places, 0, len(c.sus.words))
	size := int32(3*len(c.sus.words)/2 + 20)
	var values []int
	for other, hits := range c.hitsOf(ours) {
		if c.sources[other].own == "" {
			value, _ := c.window(hits, size)
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b int) int { return b - a })
	level := ranked(values, wholeRank)
	for _, src := range c.sources {
		if src.whole == nil || src.own != "" || len(src.hints) > 0 || src.whole.Figure < wholeTimes*thousandths(level) {
			continue
		}
		src.whole.Level, src.whole.Reason = thousandths(level), ReasonUnknown
		src.hints = append(src.hints, *src.whole)
	}
}

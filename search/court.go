package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/otisk/otisk/internal/reuse"
)

// A court has what is needed to judge passages of one suspect.
type court struct {
	sus     *suspect
	size    float64 // documents that are searched
	words   float64 // and their words
	hidden  int     // of these documents, those that are the suspect: 1 if the texts of a run are compared with each other
	pairs   *ownPairs
	sources []*source
	posts   [][]post           // by pair of the suspect, its places in sources
	sets    [][]uint32         // by source, its different pairs, ascending; nil if they were not needed
	alike   map[[2]int]float64 // by two sources, the share of the pairs that they have in common

	lists  [][]hit  // memory of hitsOf
	inside []int32  // memory of window: by pair, its hits in the window
	shared []bool   // memory of judge: by pair, whether the source's side has it
	stored []uint32 // memory of sameAs
}

// A post is a place of a pair in a source.
type post struct {
	source int32
	word   int32
}

// newCourt returns a court for the sources, whose own fields are set.
func (s *Searcher) newCourt(sus *suspect, sources []*source) *court {
	pairs := sus.pairs()
	c := &court{sus: sus, size: s.documents(), words: wordsPerPair * float64(s.pairs), pairs: pairs, sources: sources, posts: make([][]post, len(pairs.pairs)),
		sets: make([][]uint32, len(sources)), alike: map[[2]int]float64{}, lists: make([][]hit, len(sources))}
	if s.opts.Among != nil {
		c.hidden = 1
	}
	for i, src := range sources {
		for _, x := range pairs.hits(src.imprint) {
			c.posts[x.number] = append(c.posts[x.number], post{int32(i), x.word})
		}
	}
	return c
}

// judge compares passage p of a source with the witnesses. It leaves out the blocks of the passage, which need no witness.
func (c *court) judge(source int, p *found) verdict {
	src := c.sources[source]
	mine, others := p.besideBlocks()
	prose := c.pairs.outsideLinks(c.sus.outsideLists(mine))
	if words, all := total(prose), total(mine); words < min(besideWords, all) || 2*words < all || !c.sus.isProse(prose) {
		return verdict{reason: ReasonList}
	}
	mine = prose
	ours, theirs := c.pairs.different(mine...), between(src.imprint, others...)
	c.shared = reuse.Zeros(c.shared, len(c.pairs.pairs))
	for _, x := range theirs {
		if number, ok := c.pairs.find(x.pair); ok {
			c.shared[number] = true
		}
	}
	v := verdict{}
	common := slices.DeleteFunc(slices.Clone(ours), func(number int32) bool { return !c.shared[number] || !c.pairs.prose[number] })
	for _, number := range common {
		v.value += int(c.pairs.weights[number])
	}
	shared, words := len(common), max(total(mine), total(others))
	size := int32(3*words/2 + 20)
	documents := c.documents(source, ours, distinct(nil, theirs), shared, size, &v)
	little, known := 0.0, ranked(documents, witnessRankShort)
	if !nearlyEqual(p) {
		little = littleBesides(c.sus, src, p)
		nearest := ranked(documents, c.nearestRank())
		if equal, _ := p.equalBesides(1); 2*nearest > v.value || v.value-knownTimes*known+equalValue*equal < leastLeft {
			v.level, v.reason = nearest, ReasonShared
			return v
		}
	}
	v.level = int(little*float64(known) + (1-little)*float64(ranked(documents, witnessRank)))
	limit := max(float64(v.value)/(witnessTimes+little*witnessMore), min((1-little)*witnessFloor, aboutShare*float64(v.value)))
	if float64(v.level) > limit || !c.areRare(source, p, common) {
		v.reason = ReasonShared
		return v
	}
	if float64(v.value) < little*shortValue || float64(v.value) < little*shortDensity*float64(words) || float64(known) < (2*little-1)*knownDensity*float64(words) {
		v.reason = ReasonUnknown
		return v
	}
	v.holds = true
	return v
}

// areRare reports whether the pairs that a passage and its source have in common are rare, and enough for the share of its words that are
// equal. If they are not, it counts again without the copies and versions of the source, which have all of them.
func (c *court) areRare(source int, p *found, common []int32) bool {
	least := p.neededEvidence(c.sus)
	out := make([]bool, len(c.sources))
	for i, src := range c.sources {
		out[i] = src.own != ""
	}
	if c.areRareWithout(out, common, least) {
		return true
	}
	for i := range out {
		out[i] = out[i] || i != source && c.common(source, i) >= sameShare
	}
	return c.areRareWithout(out, common, least)
}

// neededEvidence returns how much evidence the pairs must be that a passage and its source have in common: none if half of its words are
// equal, much if too few are in the same order, and more than any if less than a quarter of the suspect's are equal.
func (p *found) neededEvidence(sus *suspect) float64 {
	ours, _ := p.besideBlocks()
	equal, words := p.equalBesides(1)
	switch {
	case 4*equal < total(ours):
		return math.Inf(1)
	case p.origin != nil && float64(p.inOrder(sus, ours)) < max(leastOrder*math.Sqrt(float64(words)), float64(min(words, shortOrder))):
		return orderEvidence
	case 2*equal < words:
		return leastEvidence
	}
	return 0
}

// inOrder returns how many of the equal words in some stretches of the suspect are in the same order on both sides of a passage. Those that
// each side has once count twice.
func (p *found) inOrder(sus *suspect, in []stretch) int {
	ours, times := sus.numbers().list[p.from:p.to], map[int32]int{}
	for _, n := range slices.Concat(ours, p.origin.numbers) {
		times[n]++
	}
	var all, once []int
	for _, r := range p.runs {
		if !slices.ContainsFunc(in, func(s stretch) bool { return r.Suspect >= s.from && r.Suspect < s.to }) {
			continue
		}
		for k := range r.Len {
			all = append(all, r.Source+k)
			if times[ours[r.Suspect-p.from+k]] == 2 {
				once = append(once, r.Source+k)
			}
		}
	}
	return ascending(all) + ascending(once)
}

// ascending returns the length of the longest ascending subsequence of a list.
func ascending(list []int) int {
	var ends []int // by length, the least last element
	for _, x := range list {
		if k, _ := slices.BinarySearch(ends, x); k < len(ends) {
			ends[k] = x
		} else {
			ends = append(ends, x)
		}
	}
	return len(ends)
}

// areRareWithout reports whether pairs are rare, and at least this much evidence, without some of the documents. Long documents count as
// several.
func (c *court) areRareWithout(out []bool, common []int32, least float64) bool {
	left := c.size - float64(c.hidden)
	for _, o := range out {
		if o {
			left--
		}
	}
	texts, sum := max(left, 1, left/c.size*c.words/textWords), 0.0
	for _, number := range common {
		if c.pairs.weights[number] == 0 {
			continue
		}
		n, last := int(c.pairs.counts[number])-c.hidden, int32(-1)
		for _, x := range c.posts[number] {
			if out[x.source] && x.source != last {
				n--
			}
			last = x.source
		}
		sum += max(0, 1-math.Log(float64(max(n, 1)))/math.Log(texts+1))
	}
	return sum >= leastRarity*float64(len(common)) && sum*math.Log(max(texts, fewTexts)+1) >= least
}

// littleBesides returns how little text there is besides a passage, from 1 to 0.
func littleBesides(sus *suspect, src *source, p *found) float64 {
	besides := max(sus.different()-(p.to-p.from), 0) + max(src.read-(p.originTo-p.originFrom), 0)
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
func (c *court) documents(source int, ours []int32, theirs []uint32, shared int, size int32, v *verdict) []int {
	var values []int
	var mine []uint32
	if c.hasFew() {
		for _, number := range ours {
			mine = append(mine, c.pairs.pairs[number])
		}
		slices.Sort(mine)
	}
	for other, hits := range c.hitsOf(ours) {
		if len(hits) == 0 || other == source || c.sources[other].own != "" {
			continue
		}
		value, end := c.window(hits, size)
		if value >= int(aboutShare*float64(v.value)) && value > 0 {
			v.equalers++
		}
		if 4*value < v.value || !c.sameAs(source, other, mine, theirs, shared, end-size, end) {
			values = append(values, value)
		}
	}
	slices.SortFunc(values, func(a, b int) int { return b - a })
	return values
}

// hitsOf returns the hits of some pairs by source, each list by place. The lists are valid until the next call.
func (c *court) hitsOf(numbers []int32) [][]hit {
	for i := range c.lists {
		c.lists[i] = c.lists[i][:0]
	}
	for _, number := range numbers {
		for _, x := range c.posts[number] {
			c.lists[x.source] = append(c.lists[x.source], hit{x.word, number})
		}
	}
	for _, list := range c.lists {
		slices.SortFunc(list, func(a, b hit) int { return cmp.Compare(a.word, b.word) })
	}
	return c.lists
}

// window returns the highest value of the hits in a window of this many words, and the last word of that window.
func (c *court) window(hits []hit, size int32) (value int, end int32) {
	weights := c.pairs.weights
	c.inside = reuse.Zeros(c.inside, len(weights))
	sum, lo := 0, 0
	for _, x := range hits {
		if c.inside[x.number]++; c.inside[x.number] == 1 {
			sum += int(weights[x.number])
		}
		for ; hits[lo].word < x.word-size; lo++ {
			if c.inside[hits[lo].number]--; c.inside[hits[lo].number] == 0 {
				sum -= int(weights[hits[lo].number])
			}
		}
		if sum > value {
			value, end = sum, x.word
		}
	}
	return value, end
}

// nearestRank returns the rank of the document that a passage is compared with whatever text there is besides.
func (c *court) nearestRank() int { return min(max(int(c.size)/documentsPerRank, 1), witnessRankShort) }

// hasFew reports whether the documents are so few that a nearer one than the third best counts.
func (c *court) hasFew() bool { return c.nearestRank() < witnessRankShort }

// sameAs reports whether another document is a copy or version of a source, in all or in the stretch with the pairs theirs: its words
// [from, to] have most of these. Among few documents, it is enough that they have about as many as the passage, and clearly fewer of its
// pairs mine, as another reworded copy has.
func (c *court) sameAs(source, other int, mine, theirs []uint32, shared int, from, to int32) bool {
	if len(theirs) == 0 {
		return false
	}
	c.stored = distinct(c.stored[:0], between(c.sources[other].imprint, stretch{int(from), int(to) + 1}))
	least := max(sameStretch*float64(len(theirs)), sameTimes*float64(shared))
	if c.hasFew() {
		least = min(least, max(sameTimes*float64(inBoth(c.stored, mine)), aboutShare*float64(shared)))
	}
	return float64(inBoth(c.stored, theirs)) >= least || c.common(source, other) >= sameShare
}

// common returns the share of the pairs of the smaller of two sources that the other one has, too.
func (c *court) common(a, b int) float64 {
	key := [2]int{min(a, b), max(a, b)}
	if share, ok := c.alike[key]; ok {
		return share
	}
	x, y := c.set(a), c.set(b)
	c.alike[key] = float64(inBoth(x, y)) / float64(max(min(len(x), len(y)), 1))
	return c.alike[key]
}

// set returns the different pairs of a source, ascending.
func (c *court) set(source int) []uint32 {
	if c.sets[source] == nil {
		c.sets[source] = distinct(nil, c.sources[source].imprint)
	}
	return c.sets[source]
}

// between returns those of some sightings that are at the words of some stretches.
func between(list []sighting, in ...stretch) (found []sighting) {
	for _, s := range in {
		place := func(word int) int {
			i, _ := slices.BinarySearchFunc(list, word, func(x sighting, word int) int { return int(x.word) - word })
			return i
		}
		part := list[place(s.from):place(max(s.from, s.to))]
		if len(in) == 1 {
			return part
		}
		found = append(found, part...)
	}
	return found
}

// distinct returns the different pairs of some sightings, ascending, in the memory of an empty list.
func distinct(list []uint32, of []sighting) []uint32 {
	list = slices.Grow(list, len(of))
	for _, x := range of {
		list = append(list, x.pair)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// inBoth returns the number of common elements of two ascending lists without repetitions.
func inBoth(x, y []uint32) (n int) {
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			n, x, y = n+1, x[1:], y[1:]
		}
	}
	return n
}

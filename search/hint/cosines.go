package hint

import (
	"cmp"
	"math"
	"slices"
)

// cosines computes the cosines of the units of a suspect and those of a source.
//
// A form that is in many units of the source adds little to a cosine, but most of the additions are for such forms. Their sum is at
// most the product of the lengths of both vectors in these forms alone (the Cauchy–Schwarz inequality), so most pairs of units
// are ruled out by their other forms. The sums of these are computed form by form, for a block of units of the suspect at a time.
type cosines struct {
	ours, theirs *paragraphs
	df           []int32   // by form: units of both texts that have it
	idf          []float64 // by form
	entries      []entry   // of the places of the forms of the suspect in the source
	frequent     int       // units that have a frequent form, less one

	ourNorms, theirNorms []float64 // lengths of the vectors
	ourPart, theirPart   []float64 // the lengths in frequent forms of the same vectors at length 1

	from, to int       // units of the block
	next     []int32   // by form, the first of its places in the suspect after the block
	sums     []float32 // by unit of the block, then of the source: sums of products of weights in other forms
}

// An entry is a unit of the source that has a form, with the weight of the form in a vector of length 1.
type entry struct {
	unit   int32
	weight float32
}

const (
	// frequentShare is the part of the units of the source that have a frequent form. With a half, there are 1.8 times as many
	// additions; with a sixth, six times as many cosines are to be computed.
	frequentShare = 4
	// blockSums is how many sums are kept: they fit into the cache of a processor.
	blockSums = 1 << 17
)

// set weighs the forms of a suspect and a source. The forms of the source start with those of the suspect.
func (c *cosines) set(ours, theirs *paragraphs) {
	c.ours, c.theirs, c.frequent = ours, theirs, len(theirs.units)/frequentShare
	c.df = zeros(c.df, theirs.forms())
	for f := range c.df {
		c.df[f] = int32(len(theirs.of(f)))
		if f < ours.forms() {
			c.df[f] += int32(len(ours.of(f)))
		}
	}
	c.idf = weightsOf(c.idf, c.df, max(len(ours.units)+len(theirs.units), leastDocuments))
	c.ourNorms, c.ourPart = c.lengths(c.ourNorms, c.ourPart, ours)
	c.theirNorms, c.theirPart = c.lengths(c.theirNorms, c.theirPart, theirs)
	c.entries = c.entries[:0]
	for f, idf := range c.idf[:ours.forms()] {
		for _, x := range theirs.of(f) {
			c.entries = append(c.entries, entry{x.unit, float32(x.tf() * idf / c.theirNorms[x.unit])})
		}
	}
	c.from, c.to, c.next = 0, 0, append(c.next[:0], ours.starts...)
}

// isFrequent reports whether a form is in many units of the source.
func (c *cosines) isFrequent(form int) bool { return len(c.theirs.of(form)) > c.frequent }

// lengths returns the lengths of the vectors of units, 1 of an empty one, and the shares of frequent forms in these. It uses the
// memory of the lists.
func (c *cosines) lengths(norms, parts []float64, p *paragraphs) (_, _ []float64) {
	norms, parts = zeros(norms, len(p.units)), zeros(parts, len(p.units))
	for f, idf := range c.idf[:p.forms()] {
		places := p.of(f)
		for _, x := range places {
			w := x.tf() * idf
			norms[x.unit] += w * w
		}
		if !c.isFrequent(f) {
			continue
		}
		for _, x := range places {
			w := x.tf() * idf
			parts[x.unit] += w * w
		}
	}
	for i, sum := range norms {
		if norms[i] = 1; sum > 0 {
			norms[i], parts[i] = math.Sqrt(sum), math.Sqrt(parts[i]/sum)
		}
	}
	return norms, parts
}

// isRare reports whether a form is in few units of both texts, so that it links two of them: in at most a sixth, or three.
func (c *cosines) isRare(form int32) bool {
	return int(c.df[form]) <= max(3, (len(c.ours.units)+len(c.theirs.units))/6)
}

// weightsOf returns ln(1 + n/df) of each form, in the memory of list.
func weightsOf(list []float64, df []int32, n int) []float64 {
	byCount := make([]float64, n+1)
	list = zeros(list, len(df))
	for f, count := range df {
		if byCount[count] == 0 {
			byCount[count] = math.Log(1 + float64(n)/float64(count))
		}
		list[f] = byCount[count]
	}
	return list
}

// weight returns the weight of a term.
func (c *cosines) weight(t term) float64 {
	return frequency(t.n) * c.idf[t.form]
}

// best returns the unit of the source that is most similar to unit i of the suspect, and their cosine. ok is false if no cosine
// is at least a value. It is to be called for units in rising order.
func (c *cosines) best(i int, least float64) (j int, cosine float64, ok bool) {
	const rounding = 1e-4 // of sums
	for i >= c.to {
		c.addBlock()
	}
	theirs := len(c.theirs.units)
	part, bound := c.ourPart[i], least-rounding
	for k, sum := range c.sums[(i-c.from)*theirs : (i-c.from+1)*theirs] {
		if float64(sum)+part*c.theirPart[k] < bound {
			continue
		}
		if value := c.at(i, k); value >= least && value > cosine {
			j, cosine, ok = k, value, true
			bound = cosine - rounding
		}
	}
	return j, cosine, ok
}

// addBlock computes the sums of the next block.
func (c *cosines) addBlock() {
	theirs := len(c.theirs.units)
	c.from, c.to = c.to, min(len(c.ours.units), c.to+max(1, blockSums/max(1, theirs)))
	c.sums = zeros(c.sums, (c.to-c.from)*theirs)
	for f := range c.ours.forms() {
		places := c.ours.places[c.next[f]:c.ours.starts[f+1]]
		if c.to < len(c.ours.units) {
			n, _ := slices.BinarySearchFunc(places, int32(c.to), func(x place, unit int32) int { return cmp.Compare(x.unit, unit) })
			places = places[:n]
		}
		c.next[f] += int32(len(places))
		if !c.isFrequent(f) {
			c.addForm(f, places)
		}
	}
}

// addForm adds the products of the weights of a form at these places of the suspect.
func (c *cosines) addForm(f int, places []place) {
	entries := c.entries[c.theirs.starts[f]:c.theirs.starts[f+1]]
	theirs := len(c.theirs.units)
	for _, x := range places {
		w := float32(x.tf() * c.idf[f] / c.ourNorms[x.unit])
		row := c.sums[(int(x.unit)-c.from)*theirs:][:theirs]
		for _, e := range entries {
			row[e.unit] += w * e.weight
		}
	}
}

// row returns the cosines of unit i of the suspect, which is in the block or before it.
func (c *cosines) row(i int) []float64 {
	values := make([]float64, len(c.theirs.units))
	for _, t := range c.ours.units[i].terms {
		w := c.weight(t) / c.ourNorms[i]
		for _, x := range c.theirs.of(int(t.form)) {
			values[x.unit] += w * (x.tf() * c.idf[t.form] / c.theirNorms[x.unit])
		}
	}
	return values
}

// column returns the cosines of unit j of the source.
func (c *cosines) column(j int) []float64 {
	values := make([]float64, len(c.ours.units))
	for _, t := range c.theirs.units[j].terms {
		if int(t.form) >= c.ours.forms() {
			break
		}
		w := c.weight(t) / c.theirNorms[j]
		for _, x := range c.ours.of(int(t.form)) {
			values[x.unit] += x.tf() * c.idf[t.form] / c.ourNorms[x.unit] * w
		}
	}
	return values
}

// at returns the cosine of unit i of the suspect and unit j of the source.
func (c *cosines) at(i, j int) float64 {
	sum := 0.0
	for x, y := range sameForms(&c.ours.units[i], &c.theirs.units[j]) {
		sum += c.weight(x) / c.ourNorms[i] * (c.weight(y) / c.theirNorms[j])
	}
	return sum
}

// level returns the cosine that 95 % of the other pairs with unit i of the suspect, and of those with unit j of the source, do not
// exceed. ok is false if it is higher than most. Neighbours of the two units do not count: a paragraph that was
// copied in part, or cut elsewhere, is similar to them, too.
func (c *cosines) level(i, j int, most float64) (level float64, ok bool) {
	row, ok := quantile(without(c.row(i), j), most)
	if !ok {
		return 0, false
	}
	column, ok := quantile(without(c.column(j), i), most)
	return max(row, column), ok
}

// without returns the values without the one at an index and its neighbours.
func without(values []float64, i int) []float64 {
	return slices.Delete(slices.Clone(values), max(0, i-1), min(i+2, len(values)))
}

// quantile returns the value that 95 % of the list do not exceed, 0 of an empty list. ok is false if it is higher than most.
func quantile(list []float64, most float64) (value float64, ok bool) {
	if len(list) == 0 {
		return 0, true
	}
	place := len(list) / 20 // of the value, from the highest
	higher := above(list, most)
	if len(higher) > place {
		return 0, false
	}
	for cut := most / 2; len(higher) <= place; cut /= 2 { // sorting the whole list takes longer
		if higher = above(list, cut); cut < 1e-3 {
			higher = list
		}
	}
	slices.Sort(higher)
	return higher[len(higher)-1-place], true
}

// above returns the values that are higher than one.
func above(list []float64, value float64) (higher []float64) {
	for _, v := range list {
		if v > value {
			higher = append(higher, v)
		}
	}
	return higher
}

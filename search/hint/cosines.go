package hint

import (
	"context"
	"math"
	"slices"

	"github.com/otisk/otisk/internal/reuse"
)

// cosines computes the cosines of the units of a suspect and those of a source.
//
// A form that is in many units of the source adds little to a cosine, but most of the additions are for such forms. Their sum is at
// most the product of the lengths of both vectors in these forms alone (the Cauchy–Schwarz inequality), so most pairs of units
// are ruled out by their other forms. The sums of these are computed for a unit of the source and all of the suspect at a time.
type cosines struct {
	ours   *inverted
	theirs *paragraphs
	df     []int32   // by form: units of both texts that have it
	idf    []float64 // by form

	byCount []float64 // the weights of forms by df, so that few logarithms are computed

	ourNorms, theirNorms []float64 // lengths of the vectors
	ourParts             []float32 // the lengths of the same vectors in frequent forms
	squares              []float32 // by form of the suspect, the square of its idf; 0 if it is frequent

	sums    []float32 // by unit of the suspect, of the products of weights with a unit of the source, in forms that are not frequent
	bounds  []float32 // by unit of the suspect, the dot product that a unit of the source with length 1 must have
	loaded  int       // unit of the source that counts has; -1 for none
	counts  []uint8   // by form of the suspect, the words of that unit
	weights []float64 // by form of the suspect, in one of its units
	values  []float64 // cosines of one unit
	nearest []nearest // by unit of the suspect
}

// Nearest is the unit of the source that is most similar to one of the suspect.
type nearest struct {
	unit   int
	cosine float64 // 0 if none is similar enough
}

// frequentShare is the part of the units of the source that have a frequent form. With a half, there are 1.8 times as many
// additions; with a sixth, six times as many cosines are to be computed.
const frequentShare = 4

// set weighs the forms of a suspect and a source. The forms of the source start with those of the suspect.
func (c *cosines) set(ours *inverted, theirs *paragraphs) {
	c.ours, c.theirs = ours, theirs
	c.df = reuse.Zeros(c.df, len(theirs.forms))
	for f := range c.df {
		c.df[f] = theirs.forms[f].df
	}
	for f := range ours.forms {
		c.df[f] += ours.forms[f].df
	}
	c.weigh(max(len(ours.units)+len(theirs.units), leastDocuments))
	c.ourNorms, c.theirNorms = c.lengths(c.ourNorms, &ours.paragraphs), c.lengths(c.theirNorms, theirs)
	c.separate()
	c.counts, c.loaded = reuse.Zeros(c.counts, len(ours.forms)), -1
}

// lengths returns the lengths of the vectors of units, 1 of an empty one, in the memory of norms.
func (c *cosines) lengths(norms []float64, p *paragraphs) []float64 {
	norms = norms[:0]
	for i := range p.units {
		terms := p.of(i)
		sum, other := 0.0, 0.0 // two sums are added at the same time
		for len(terms) >= 2 {
			a, b := c.weight(terms[0]), c.weight(terms[1])
			sum, other = sum+a*a, other+b*b
			terms = terms[2:]
		}
		if len(terms) > 0 {
			a := c.weight(terms[0])
			sum += a * a
		}
		if sum += other; sum == 0 {
			sum = 1
		}
		norms = append(norms, math.Sqrt(sum))
	}
	return norms
}

// separate sets ourParts and squares.
func (c *cosines) separate() {
	c.squares = reuse.Zeros(c.squares, len(c.ours.forms))
	c.ourParts = reuse.Zeros(c.ourParts, len(c.ours.units))
	for f := range c.squares {
		square := float32(c.idf[f] * c.idf[f])
		if int(c.theirs.forms[f].df) <= len(c.theirs.units)/frequentShare {
			c.squares[f] = square
			continue
		}
		for _, x := range c.ours.at(int32(f)) {
			tf := float32(frequency(x.n))
			c.ourParts[x.unit] += tf * tf * square
		}
	}
	for i, sum := range c.ourParts {
		c.ourParts[i] = float32(math.Sqrt(float64(sum)))
	}
}

// isRare reports whether a form is in few units of both texts, so that it links two of them: in at most a sixth, or three.
func (c *cosines) isRare(form int32) bool {
	return int(c.df[form]) <= max(3, (len(c.ours.units)+len(c.theirs.units))/6)
}

// weigh sets idf to ln(1 + n/df) of each form.
func (c *cosines) weigh(n int) {
	c.byCount, c.idf = reuse.Zeros(c.byCount, n+1), c.idf[:0]
	for _, count := range c.df {
		if c.byCount[count] == 0 {
			c.byCount[count] = math.Log(1 + float64(n)/float64(count))
		}
		c.idf = append(c.idf, c.byCount[count])
	}
}

// weight returns the weight of a term.
func (c *cosines) weight(t term) float64 {
	return frequency(t.n) * c.idf[t.form]
}

// best returns for each unit of the suspect the unit of the source that is most similar to it, if their cosine is at least a value.
// It ends early, with the error of ctx, if ctx is done.
func (c *cosines) best(ctx context.Context, least float64) ([]nearest, error) {
	const rounding = 1e-4 // of sums
	c.nearest, c.bounds = reuse.Zeros(c.nearest, len(c.ours.units)), c.bounds[:0]
	for _, norm := range c.ourNorms {
		c.bounds = append(c.bounds, float32((least-rounding)*norm))
	}
	for j := range c.theirs.units {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := c.add(j)
		norm, sums := float32(c.theirNorms[j]), c.sums
		parts, bounds := c.ourParts[:len(sums)], c.bounds[:len(sums)]
		for i, sum := range sums {
			if sum+part*parts[i] < norm*bounds[i] {
				continue
			}
			if value := c.at(i, j); value >= least && value > c.nearest[i].cosine {
				c.nearest[i] = nearest{j, value}
				c.bounds[i] = float32((value - rounding) * c.ourNorms[i])
			}
		}
	}
	return c.nearest, nil
}

// add sets the sums of unit j of the source, and returns the length of its vector in frequent forms.
func (c *cosines) add(j int) (part float32) {
	c.sums = reuse.Zeros(c.sums, len(c.ours.units))
	sums := c.sums
	for _, t := range c.theirs.of(j) {
		if int(t.form) >= len(c.squares) {
			continue
		}
		tf, square := float32(frequency(t.n)), c.squares[t.form]
		if square == 0 {
			w := float32(c.weight(t))
			part += w * w
			continue
		}
		w := tf * square
		for _, x := range c.ours.at(t.form) {
			sums[x.unit] += w * roughly[x.n]
		}
	}
	return float32(math.Sqrt(float64(part)))
}

// at returns the cosine of unit i of the suspect and unit j of the source.
func (c *cosines) at(i, j int) float64 {
	c.load(j)
	sum := 0.0
	for _, t := range c.ours.of(i) {
		if n := c.counts[t.form]; n > 0 {
			sum += c.weight(t) / c.ourNorms[i] * (c.weight(term{t.form, n}) / c.theirNorms[j])
		}
	}
	return sum
}

// load sets counts to those of unit j of the source.
func (c *cosines) load(j int) {
	if j == c.loaded {
		return
	}
	if c.loaded >= 0 {
		c.count(c.loaded, 0)
	}
	c.count(j, 1)
	c.loaded = j
}

// count sets the counts of the forms of unit j of the source to these, times a factor of 0 or 1.
func (c *cosines) count(j int, factor uint8) {
	for _, t := range c.theirs.of(j) {
		if int(t.form) < len(c.counts) {
			c.counts[t.form] = factor * t.n
		}
	}
}

// common returns the number of forms that unit i of the suspect and unit j of the source both have, and the sum of their weights,
// where a form that one unit has weighs 1.
func (c *cosines) common(i, j int) (shared int, mass float64) {
	most := math.Log(1 + leastDocuments)
	c.load(j)
	for _, t := range c.ours.of(i) {
		if c.counts[t.form] > 0 {
			shared++
			mass += min(1, c.idf[t.form]/most)
		}
	}
	return shared, mass
}

// row returns the cosines of unit i of the suspect. They are valid until row or column is called.
func (c *cosines) row(i int) []float64 {
	c.values = reuse.Zeros(c.values, len(c.theirs.units))
	values, weights := c.values, reuse.Zeros(c.weights, len(c.ours.forms))
	for _, t := range c.ours.of(i) {
		weights[t.form] = c.weight(t) / c.ourNorms[i]
	}
	for j := range values {
		for _, t := range c.theirs.of(j) {
			if int(t.form) < len(weights) && weights[t.form] > 0 {
				values[j] += weights[t.form] * (c.weight(t) / c.theirNorms[j])
			}
		}
	}
	c.weights = weights
	return values
}

// column returns the cosines of unit j of the source. They are valid until row or column is called.
func (c *cosines) column(j int) []float64 {
	c.values = reuse.Zeros(c.values, len(c.ours.units))
	values := c.values
	for _, t := range c.theirs.of(j) {
		if int(t.form) >= len(c.ours.forms) {
			continue
		}
		w := c.weight(t) / c.theirNorms[j]
		for _, x := range c.ours.at(t.form) {
			values[x.unit] += c.weight(term{t.form, x.n}) / c.ourNorms[x.unit] * w
		}
	}
	return values
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

// without returns the values without the one at an index and its neighbours, in the same memory.
func without(values []float64, i int) []float64 {
	return slices.Delete(values, max(0, i-1), min(i+2, len(values)))
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

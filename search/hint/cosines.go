package hint

import (
	"math"
	"slices"
)

// cosines computes the cosines of the units of a suspect and those of a source, one unit of the suspect at a time.
//
// A form that is in many units of the source adds little to a cosine, but most of the additions are for such forms. Their sum is at
// most the product of the lengths of both vectors in these forms alone (the Cauchy–Schwarz inequality), so most units of
// the suspect are ruled out by their other forms.
type cosines struct {
	ours, theirs []unit
	idf          []float64 // by form
	ourNorms     []float64 // lengths of the vectors
	theirNorms   []float64
	starts       []int32 // by form of the suspect, the index of its first entry; one more for the end
	entries      []entry
	frequent     int32     // units that have a frequent form, less one
	theirPart    []float64 // by unit of the source, the length of its vector in frequent forms
	values       []float64 // by unit of the source: the cosines of a row
}

// An entry is a unit of the source that has a form, with the weight of the form in a vector of length 1.
type entry struct {
	unit   int32
	weight float64
}

// newCosines indexes the units of a source. Forms below known are those of the suspect. df counts the units of both texts that have
// a form.
func newCosines(ours, theirs []unit, known int, df []int32) *cosines {
	c := &cosines{ours: ours, theirs: theirs, idf: weightsOf(df, max(len(ours)+len(theirs), leastDocuments)),
		starts: make([]int32, known+1), frequent: int32(len(theirs) / 2),
		theirPart: make([]float64, len(theirs)), values: make([]float64, len(theirs))}
	for i := range ours {
		c.ourNorms = append(c.ourNorms, c.norm(&ours[i]))
	}
	c.count()
	next := slices.Clone(c.starts)
	for j := range theirs {
		norm, part := c.norm(&theirs[j]), 0.0
		c.theirNorms = append(c.theirNorms, norm)
		for _, t := range theirs[j].terms {
			if int(t.form) >= known {
				break
			}
			w := c.weight(t) / norm
			c.entries[next[t.form]] = entry{int32(j), w}
			next[t.form]++
			if c.isFrequent(t.form) {
				part += w * w
			}
		}
		c.theirPart[j] = math.Sqrt(part)
	}
	return c
}

// weightsOf returns ln(1 + n/df) of each form.
func weightsOf(df []int32, n int) []float64 {
	byCount := make([]float64, n+1)
	list := make([]float64, len(df))
	for f, count := range df {
		if byCount[count] == 0 {
			byCount[count] = math.Log(1 + float64(n)/float64(count))
		}
		list[f] = byCount[count]
	}
	return list
}

// count makes room for the entries of each form.
func (c *cosines) count() {
	known := int32(len(c.starts) - 1)
	for _, u := range c.theirs {
		for _, t := range u.terms {
			if t.form < known {
				c.starts[t.form+1]++
			}
		}
	}
	for f := range known {
		c.starts[f+1] += c.starts[f]
	}
	c.entries = make([]entry, c.starts[known])
}

// isFrequent reports whether a form of the suspect is in many units of the source.
func (c *cosines) isFrequent(form int32) bool { return c.starts[form+1]-c.starts[form] > c.frequent }

// weight returns the weight of a term.
func (c *cosines) weight(t term) float64 {
	return t.tf * c.idf[t.form]
}

// norm returns the length of the vector of a unit, 1 for an empty one.
func (c *cosines) norm(u *unit) float64 {
	sum := 0.0
	for _, t := range u.terms {
		w := c.weight(t)
		sum += w * w
	}
	if sum == 0 {
		return 1
	}
	return math.Sqrt(sum)
}

// best returns the unit of the source that is most similar to unit i of the suspect, and their cosine. ok is false if no cosine is at least a value.
func (c *cosines) best(i int, least float64) (j int, cosine float64, ok bool) {
	const rounding = 1e-9
	part := c.add(i, func(form int32) bool { return !c.isFrequent(form) })
	for k, sum := range c.values {
		if sum+part*c.theirPart[k] < max(least, cosine)-rounding {
			continue
		}
		if value := c.at(i, k); value >= least && value > cosine {
			j, cosine, ok = k, value, true
		}
	}
	return j, cosine, ok
}

// add sets values to the sums of the products of weights of the forms for which with returns true. It returns the length
// of the vector of unit i of the suspect in the other forms.
func (c *cosines) add(i int, with func(form int32) bool) float64 {
	clear(c.values)
	rest := 0.0
	for _, t := range c.ours[i].terms {
		w := c.weight(t) / c.ourNorms[i]
		if !with(t.form) {
			rest += w * w
			continue
		}
		for _, e := range c.entries[c.starts[t.form]:c.starts[t.form+1]] {
			c.values[e.unit] += w * e.weight
		}
	}
	return math.Sqrt(rest)
}

// at returns the cosine of unit i of the suspect and unit j of the source.
func (c *cosines) at(i, j int) float64 {
	sum := 0.0
	for x, y := range sameForms(&c.ours[i], &c.theirs[j]) {
		sum += c.weight(x) / c.ourNorms[i] * (c.weight(y) / c.theirNorms[j])
	}
	return sum
}

// level returns the cosine that 95 % of the other pairs with unit i of the suspect, and of those with unit j of the source, do not
// exceed, or any value that is higher than most if the level is. Neighbours of the two units do not count: a paragraph that was
// copied in part, or cut elsewhere, is similar to them, too.
func (c *cosines) level(i, j int, most float64) float64 {
	var row, column []float64
	c.add(i, func(int32) bool { return true })
	for k, value := range c.values {
		if k < j-1 || k > j+1 {
			row = append(row, value)
		}
	}
	level := quantile(row)
	if level > most {
		return level
	}
	for k := range c.ours {
		if k < i-1 || k > i+1 {
			column = append(column, c.at(k, j))
		}
	}
	return max(level, quantile(column))
}

// quantile returns the value that 95 % of the list do not exceed, 0 of an empty list. It sorts the list.
func quantile(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)-1-len(list)/20]
}

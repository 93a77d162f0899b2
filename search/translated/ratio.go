package translated

import (
	"math"
	"slices"
)

// Figures of the log-likelihood ratio. Its window is local: with the frequencies of a whole
// source as the only measure of chance, words of the subject, which occur everywhere, would be
// evidence.
const (
	window      = 30      // words around the expected place in which a translation is looked for
	margin      = 15      // words on both sides of a cluster that may belong to it
	near        = 15      // words of the suspect whose cores give the expected place
	hitRate     = 0.45    // share of the counted words of a translation whose translation is found
	spreadScale = 6.0     // words in which the spread falls to 1/e
	spreadEven  = 0.3     // part of the spread that is the same anywhere in the window
	leastShare  = 0.00005 // of the source, added to that of the stems that a word is linked with
)

// A candidate is a range of the suspect that may be translated from one of the source.
type candidate struct {
	from                 int // of the suspect
	sourceFrom, sourceTo int
	ratio                float64   // log-likelihood ratio, by all links
	content              float64   // the part of it by words of the dictionary and cognates
	linked               int       // words that are linked, except names and numbers
	matches              []match   // of each word
	value                []float64 // of each word, what it adds to the ratio
}

// to returns the end of the range in the suspect.
func (c *candidate) to() int { return c.from + len(c.matches) }

// figure returns the ratio by which a candidate is judged. Names, numbers and words that are
// spelled the same add at most as much as words of the language: lists of names, tables,
// formulas and program code share nothing else.
func (c *candidate) figure() float64 { return min(c.ratio, 2*c.content) }

// A match says which word of the source a word is linked with, if any.
type match struct {
	j    int // -1 if it is linked with none
	kind kind
}

// check returns the part of a cluster with the greatest log-likelihood ratio of a translation
// against chance. It reports false if no part has one above 0.
func (p *pair) check(cluster []point) (candidate, bool) {
	from, to := int(cluster[0].i), int(cluster[len(cluster)-1].i)
	from, to = max(0, from-margin), min(p.suspect.len(), to+1+margin)
	places := expected(cluster, from, to)
	matches := make([]match, to-from)
	value := make([]float64, to-from)
	used := map[int32]bool{}
	for i := from; i < to; i++ {
		matches[i-from] = match{j: -1}
		f := p.suspect.words[i]
		if !p.counted(f) {
			continue
		}
		j, k := p.nearest(f, places[i-from], used)
		if j < 0 {
			value[i-from] = math.Log(1 - hitRate)
			continue
		}
		used[j] = true
		matches[i-from] = match{int(j), k}
		d := int(math.Abs(float64(j)-places[i-from]) + 0.5)
		value[i-from] = math.Log(1 - hitRate + hitRate*spread[min(d, window)]/p.chance(f, d))
	}
	return candidateOf(from, matches, value)
}

// chance returns the probability that the nearest word that a form is linked with is d words
// from a place by chance: that none of the 2d-1 words nearer is linked, and one of the next two.
func (p *pair) chance(form int32, d int) float64 {
	share := leastShare
	for _, l := range p.links[form] {
		share += p.share[l.stem]
	}
	if d == 0 {
		return 1 - math.Exp(-share)
	}
	return math.Exp(-share*float64(2*d-1)) - math.Exp(-share*float64(2*d+1))
}

// spread has the probability that a translation that is found is d words from its expected
// place: it falls with the distance, but in part it is the same anywhere in the window, since
// translators reorder clauses and sentences.
var spread = func() (f [window + 1]float64) {
	sum := 0.0
	for d := range f {
		f[d] = 2 * math.Exp(-float64(d)/spreadScale)
		if d == 0 {
			f[d] = 1
		}
		sum += f[d]
	}
	for d := range f {
		even := 2.0 / (2*window + 1)
		if d == 0 {
			even = 1.0 / (2*window + 1)
		}
		f[d] = (1-spreadEven)*f[d]/sum + spreadEven*even
	}
	return f
}()

// nearest returns the place in the source, not used yet and within the window around the
// expected one, of the nearest word that a form is linked with, or -1.
func (p *pair) nearest(form int32, place float64, used map[int32]bool) (int32, kind) {
	at, why, least := int32(-1), kind(0), window+0.5
	for _, l := range p.links[form] {
		if p.source.common[l.stem] {
			continue
		}
		all := p.source.at(l.stem)
		low, _ := slices.BinarySearch(all, int32(max(0, place-window-1)))
		for _, j := range all[low:] {
			if float64(j) > place+window+0.5 {
				break
			}
			if d := math.Abs(float64(j) - place); d < least && !used[j] {
				at, why, least = j, l.kind, d
			}
		}
	}
	return at, why
}

// expected returns, for each word of the suspect in [from, to), the place in the source where
// its translation is expected: the mean of the diagonals of the cores near it, weighted by the
// squares of their weights, or the diagonal of the nearest core.
func expected(cluster []point, from, to int) []float64 {
	places := make([]float64, to-from)
	low, nearest := 0, 0
	for i := from; i < to; i++ {
		for low < len(cluster) && int(cluster[low].i) < i-near {
			low++
		}
		sum, weights := 0.0, 0.0
		for _, c := range cluster[low:] {
			if int(c.i) > i+near {
				break
			}
			w := c.weight * c.weight
			weights += w
			sum += w * float64(int(c.j)+i-int(c.i))
		}
		if weights > 0 {
			places[i-from] = sum / weights
			continue
		}
		for nearest+1 < len(cluster) && abs(int(cluster[nearest+1].i)-i) <= abs(int(cluster[nearest].i)-i) {
			nearest++
		}
		c := cluster[nearest]
		places[i-from] = float64(int(c.j) + i - int(c.i))
	}
	return places
}

func abs(x int) int { return max(x, -x) }

// best returns the stretch with the greatest sum, the first of equal ones.
func best(value []float64) (from, to int, sum float64) {
	current, start := 0.0, 0
	for k, v := range value {
		if current <= 0 {
			current, start = 0, k
		}
		if current += v; current > sum {
			from, to, sum = start, k+1, current
		}
	}
	return from, to, sum
}

// candidateOf returns the part with the greatest ratio; value[0] is that of word from. Its range in
// the source is from the 5 % to the 95 % quantile of the places of its matches, and matches that
// follow within the margin. It reports false if no part has a ratio above 0.
func candidateOf(from int, matches []match, value []float64) (candidate, bool) {
	a, b, ratio := best(value)
	if ratio <= 0 {
		return candidate{}, false
	}
	c := candidate{from: from + a, ratio: ratio, matches: matches[a:b], value: value[a:b]}
	var places []int
	for k, m := range c.matches {
		language := m.kind == byDictionary || m.kind == byCognate
		if language {
			c.content += c.value[k]
		}
		if m.j >= 0 {
			places = append(places, m.j)
			if language {
				c.linked++
			}
		}
	}
	slices.Sort(places)
	first, last := len(places)/20, len(places)-1-len(places)/20
	for first > 0 && places[first]-places[first-1] <= margin {
		first--
	}
	for last+1 < len(places) && places[last+1]-places[last] <= margin {
		last++
	}
	c.sourceFrom, c.sourceTo = places[first], places[last]+1
	return c, true
}

// without returns the longest part of a candidate outside [from, to), judged again.
func (c *candidate) without(from, to int) (candidate, bool) {
	before, after := max(0, from-c.from), min(len(c.matches), max(0, to-c.from))
	switch {
	case from >= c.to() || to <= c.from:
		return *c, true
	case before >= len(c.matches)-after:
		return candidateOf(c.from, c.matches[:before], c.value[:before])
	default:
		return candidateOf(c.from+after, c.matches[after:], c.value[after:])
	}
}

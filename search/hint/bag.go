package hint

import (
	"math"
	"sync"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/normalize"
)

// A Bag has the forms of a text, and how many words have each of them.
type Bag struct {
	keys   []key // by their first words
	counts []int32
}

// counters are not in use.
var counters = sync.Pool{New: func() any { return new(counter) }}

// A counter counts the forms of one text after another.
type counter struct {
	numbers numbering
	counts  []int32
}

// BagOf returns the bag of a text, given the words of its parts.
func BagOf(parts ...[]normalize.Word) *Bag {
	c := counters.Get().(*counter)
	defer counters.Put(c)
	total := 0
	for _, words := range parts {
		total += len(words)
	}
	c.numbers.reset(total / 2)
	c.counts = c.counts[:0]
	for _, words := range parts {
		for i := range words {
			k := keyOf(words[i].Text)
			if k == 0 {
				continue
			}
			form := c.numbers.of(k)
			if int(form) == len(c.counts) {
				c.counts = append(c.counts, 0)
			}
			c.counts[form]++
		}
	}
	return &Bag{append([]key(nil), c.numbers.keys...), append([]int32(nil), c.counts...)}
}

// Cosines returns the cosine of one text with each of several others, by vectors of forms with the weights of [Rewritten],
// where df of the N texts have a form.
func Cosines(text *Bag, others []*Bag) []float64 {
	all := append([]*Bag{text}, others...)
	total := lists.Sum(all, func(b *Bag) int { return len(b.keys) })
	c := counters.Get().(*counter)
	defer counters.Put(c)
	numbers := &c.numbers
	numbers.reset(total / 4)
	var df []int32
	forms := make([][]int32, len(all)) // numbers of the forms of each text
	for i, b := range all {
		forms[i] = make([]int32, 0, len(b.keys))
		for _, k := range b.keys {
			form := numbers.of(k)
			if int(form) == len(df) {
				df = append(df, 0)
			}
			df[form]++
			forms[i] = append(forms[i], form)
		}
	}
	squares := make([]float64, len(all)+1) // by df: the squares of ln(1 + N/df)
	for d := 1; d <= len(all); d++ {
		idf := math.Log(1 + float64(len(all))/float64(d))
		squares[d] = idf * idf
	}
	list := make([]float64, 0, len(others))
	var norm float64 // of the text
	for i, b := range all {
		product, sum := 0.0, 0.0
		for k, form := range forms[i] {
			f := weightOf(b.counts[k])
			if int(form) < len(text.keys) {
				product += f * weightOf(text.counts[form]) * squares[df[form]]
			}
			sum += f * f * squares[df[form]]
		}
		if i == 0 {
			norm = math.Sqrt(sum)
			continue
		}
		list = append(list, product/max(norm*math.Sqrt(sum), math.SmallestNonzeroFloat64))
	}
	return list
}

// weightOf is frequency for any number of words.
func weightOf(n int32) float64 {
	if int(n) < len(frequencies) {
		return frequencies[n]
	}
	return 1 + math.Log(float64(n))
}

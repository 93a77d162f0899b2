package hint

import (
	"math"
	"slices"
)

// A numbering numbers the forms of a text. Those of a source start with those of the suspect, its base.
type numbering struct {
	base    *numbering
	numbers map[string]int32
}

// of returns the number of a form, a new one if it has none.
func (n *numbering) of(form string) int32 {
	if n.base != nil {
		if number, known := n.base.numbers[form]; known {
			return number
		}
	}
	number, known := n.numbers[form]
	if !known {
		if n.numbers == nil {
			n.numbers = map[string]int32{}
		}
		number = int32(n.len())
		n.numbers[form] = number
	}
	return number
}

// len returns the number of forms, including those of the base.
func (n *numbering) len() int {
	if n.base != nil {
		return n.base.len() + len(n.numbers)
	}
	return len(n.numbers)
}

// A term is a form in a unit.
type term struct{ form, n int32 } // n: of its words

// A unit is a range of words with its forms, by number.
type unit struct {
	Range
	terms    []term
	compared int // words that have a form
}

// Paragraphs are the units of a text, with an index of their forms. They can be set to several texts in turn, which saves
// allocations: these took a fifth of the time.
type paragraphs struct {
	units  []unit
	terms  []term  // of all units
	starts []int32 // by form, the index of its first place; one more for the end
	places []place

	words  []int32 // the forms of all words
	next   []int32 // by form, the index in sorted of its next word
	sorted []int32 // the unit of each word, by form
}

// A place is a form in a unit, seen from the form.
type place struct{ unit, n int32 } // n: of its words

// tf returns the weight of a form by the number of its words.
func (x place) tf() float64 { return frequency(x.n) }

// set cuts a text into units.
func (p *paragraphs) set(t *Text, numbers *numbering) {
	p.units, p.words = p.units[:0], p.words[:0]
	for _, r := range units(t) {
		before := len(p.words)
		for _, w := range t.Words[r.From:r.To] {
			if f := form(w.Text); f != "" {
				p.words = append(p.words, numbers.of(f))
			}
		}
		p.units = append(p.units, unit{Range: r, compared: len(p.words) - before})
	}
	p.index(numbers.len())
	p.fill()
}

// index sorts the words by their forms, by counting, and counts those of one form in one unit.
func (p *paragraphs) index(forms int) {
	p.next = zeros(p.next, forms+1)
	for _, f := range p.words {
		p.next[f+1]++
	}
	for f := range forms {
		p.next[f+1] += p.next[f]
	}
	p.sorted = zeros(p.sorted, len(p.words))
	for i, at := 0, 0; i < len(p.units); i++ {
		for _, f := range p.words[at : at+p.units[i].compared] {
			p.sorted[p.next[f]] = int32(i)
			p.next[f]++
		}
		at += p.units[i].compared
	}
	p.starts, p.places = append(p.starts[:0], 0), p.places[:0]
	from := int32(0)
	for _, to := range p.next[:forms] {
		for n := int32(1); from < to; from, n = from+n, 1 {
			for from+n < to && p.sorted[from+n] == p.sorted[from] {
				n++
			}
			p.places = append(p.places, place{p.sorted[from], n})
		}
		p.starts = append(p.starts, int32(len(p.places)))
	}
}

// fill gives each unit its terms, by form.
func (p *paragraphs) fill() {
	counts := make([]int, len(p.units))
	for _, x := range p.places {
		counts[x.unit]++
	}
	p.terms = zeros(p.terms, len(p.places))
	rest := p.terms
	for i, n := range counts {
		p.units[i].terms, rest = rest[:0:n], rest[n:]
	}
	for f := range p.forms() {
		for _, x := range p.of(f) {
			u := &p.units[x.unit]
			u.terms = append(u.terms, term{int32(f), x.n})
		}
	}
}

// zeros returns a list of n zero values, in the same memory as list if that has room.
func zeros[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// of returns the places of a form, by unit.
func (p *paragraphs) of(form int) []place { return p.places[p.starts[form]:p.starts[form+1]] }

// forms returns the number of forms.
func (p *paragraphs) forms() int { return len(p.starts) - 1 }

// frequencies are the first values of frequency, which takes a logarithm.
var frequencies = func() (list [32]float64) {
	for n := range list {
		list[n] = 1 + math.Log(float64(n))
	}
	return list
}()

// frequency returns the weight of n words of one form.
func frequency(n int32) float64 {
	if int(n) < len(frequencies) {
		return frequencies[n]
	}
	return 1 + math.Log(float64(n))
}

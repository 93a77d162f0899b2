package hint

import (
	"cmp"
	"math"
	"slices"

	"github.com/otisk/otisk/internal/reuse"
)

// A term is a form in a unit. A unit has at most mostUnit + leastUnit words.
type term struct {
	form int32
	n    uint8 // words
}

// A unit is a range of words with its forms.
type unit struct {
	Range
	first, last int // its terms are terms[first:last]
	compared    int // words that have a form
}

// Paragraphs are the units of a text, with their forms by number. They can be set to several texts in turn, which saves
// allocations: these took a fifth of the time.
type paragraphs struct {
	units []unit
	terms []term // of all units, in a unit by the first word of each
	forms []seen // by form
}

// Seen are the units that have a form.
type seen struct {
	df   int32 // their number
	last int32 // the term of the form in the last of them
}

// set cuts a text into units.
func (p *paragraphs) set(t *Text, numbers *numbering) {
	p.units, p.terms = p.units[:0], p.terms[:0]
	p.forms = reuse.Zeros(p.forms, len(numbers.keys))
	for _, r := range units(t) {
		u := unit{Range: r, first: len(p.terms)}
		for _, w := range t.Words[r.From:r.To] {
			if k := keyOf(w.Text); k != 0 {
				p.add(&u, numbers.of(k))
			}
		}
		u.last = len(p.terms)
		p.units = append(p.units, u)
	}
}

// add adds a word with a form to the last unit.
func (p *paragraphs) add(u *unit, form int32) {
	u.compared++
	if int(form) == len(p.forms) {
		p.forms = append(p.forms, seen{})
	}
	f := &p.forms[form]
	if f.df > 0 && int(f.last) >= u.first {
		p.terms[f.last].n++
		return
	}
	f.df++
	f.last = int32(len(p.terms))
	p.terms = append(p.terms, term{form, 1})
}

// of returns the terms of a unit.
func (p *paragraphs) of(unit int) []term { return p.terms[p.units[unit].first:p.units[unit].last] }

// A place is a form in a unit, seen from the form.
type place struct {
	unit int32
	n    uint8 // words
}

// An inverted text has for each form the units that have it.
type inverted struct {
	paragraphs
	starts []int // by form, the index of its first place; one more for the end
	places []place
}

// invert sorts the terms of each unit by form, and sets starts and places.
func (p *inverted) invert() {
	p.starts = make([]int, len(p.forms)+1)
	for f, x := range p.forms {
		p.starts[f+1] = p.starts[f] + int(x.df)
	}
	next := slices.Clone(p.starts)
	p.places = make([]place, len(p.terms))
	for i := range p.units {
		terms := p.of(i)
		slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(a.form, b.form) })
		for _, t := range terms {
			p.places[next[t.form]] = place{int32(i), t.n}
			next[t.form]++
		}
	}
}

// at returns the places of a form, by unit.
func (p *inverted) at(form int32) []place { return p.places[p.starts[form]:p.starts[form+1]] }

// frequency returns the weight of n words of one form.
func frequency(n uint8) float64 { return frequencies[n] }

// frequencies are the values of frequency, and roughly the same rounded.
var frequencies, roughly = func() (list [256]float64, rounded [256]float32) {
	for n := range list {
		list[n] = 1 + math.Log(float64(n))
		rounded[n] = float32(list[n])
	}
	return list, rounded
}()

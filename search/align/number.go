package align

import (
	"strconv"
	"unicode"
)

// borneOut returns the candidates that words confirm: MinMass of the matched words must not be bare
// numbers, or must be in equal runs of three words or more. There are so few numbers of two digits
// that two tables, or the numbers of the lines of two programs, share many of them by chance.
func (p *pair) borneOut(found []candidate) []candidate {
	out := found[:0]
	for _, c := range found {
		if p.massOfWords(c) >= p.params.MinMass || p.massOfRuns(c) >= p.params.MinMass {
			out = append(out, c)
		}
	}
	return out
}

// massOfWords returns the weight of the matched words of a candidate without bare
// numbers.
func (p *pair) massOfWords(c candidate) float64 {
	p.fill(&p.b, c.b)
	mass := 0.0
	for i := c.a.from; i < c.a.to; i++ {
		if k := p.a.key[i]; p.left[k] > 0 && !p.isNumber(i) {
			p.left[k]--
			mass += p.weight[k]
		}
	}
	p.empty(&p.b, c.b)
	return mass
}

// massOfRuns is massOfWords, but numbers count that are in equal runs and are not
// simply counted up.
func (p *pair) massOfRuns(c candidate) float64 {
	mass := 0.0
	for _, r := range p.match(c.a, c.b).equal {
		for i := int32(r.Suspect); i < int32(r.Suspect+r.Len); i++ {
			if !p.isNumber(i) || r.Len >= tileWords && p.isEvidence(i) {
				mass += p.weight[p.a.key[i]]
			}
		}
	}
	return mass
}

// leastEvidence is the number of words of an exact run that must be evidence: as many as
// it grows from.
const leastEvidence = seedWords

// isProof reports whether enough words of a run of the suspect are evidence: a column of
// the numbers of lines or of zeros is in many texts.
func (p *pair) isProof(r Run) bool {
	left := leastEvidence
	for i := int32(r.Suspect); i < int32(r.Suspect+r.Len); i++ {
		if p.isEvidence(i) {
			if left--; left == 0 {
				return true
			}
		}
	}
	return false
}

// isEvidence reports whether a word of the suspect is neither a number that repeats the previous
// word nor the number after it.
func (p *pair) isEvidence(i int32) bool {
	if i == 0 || !p.isNumber(i) || !p.isNumber(i-1) {
		return true
	}
	before, err := strconv.Atoi(p.a.words[i-1].Text)
	this, err2 := strconv.Atoi(p.a.words[i].Text)
	return err != nil || err2 != nil || this != before && this != before+1
}

// isNumber reports whether a word of the suspect consists of digits.
func (p *pair) isNumber(i int32) bool {
	for _, r := range p.a.words[i].Text {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

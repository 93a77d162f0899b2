package align

import "strings"

// sentenceEnds are the signs after which a sentence may begin.
const sentenceEnds = ".!?…。！？｡؟۔।॥།။។።"

// border reports whether a sentence or paragraph begins with word k, or ends
// before it: the first word, one after the end of a sentence, one after a blank
// line; and past the last word.
func (p *Prepared) border(k int32) bool {
	if k == 0 || int(k) == p.Len() {
		return true
	}
	return partsSentences(p.text[p.words[k-1].End:p.words[k].Start])
}

func partsSentences(between string) bool {
	if len(between) < 2 {
		return between != "" && strings.Contains(sentenceEnds, between)
	}
	return strings.ContainsAny(between, sentenceEnds) || strings.Count(between, "\n") > 1
}

// snap moves the ends of a candidate to the start or end of a sentence if one
// lies within Snap words, since people copy whole sentences. Ends that are exact
// are left alone.
func (p *pair) snap(c *candidate) {
	a, b := p.a.snap(c.a, int32(p.params.Snap)), p.b.snap(c.b, int32(p.params.Snap))
	if c.sharp&start == 0 {
		c.a.from, c.b.from = a.from, b.from
	}
	if c.sharp&end == 0 {
		c.a.to, c.b.to = a.to, b.to
	}
	if c.sharp != start|end {
		p.reach(c)
	}
}

// reach moves the ends of a candidate outwards as long as the words there are
// equal on both sides: a copy does not end before they differ.
func (p *pair) reach(c *candidate) {
	for c.a.from > 0 && c.b.from > 0 && p.a.forms[c.a.from-1] == p.form[c.b.from-1] {
		c.a.from--
		c.b.from--
	}
	for int(c.a.to) < p.a.Len() && int(c.b.to) < p.b.Len() && p.a.forms[c.a.to] == p.form[c.b.to] {
		c.a.to++
		c.b.to++
	}
}

// snap takes the nearest sentence border at each end, the outer one of two.
func (p *Prepared) snap(s span, reach int32) span {
	for z := int32(0); z <= reach; z++ {
		if s.from-z >= 0 && p.border(s.from-z) {
			s.from -= z
			break
		}
		if s.from+z < s.to && p.border(s.from+z) {
			s.from += z
			break
		}
	}
	for z := int32(0); z <= reach; z++ {
		if int(s.to+z) <= p.Len() && p.border(s.to+z) {
			s.to += z
			break
		}
		if s.to-z > s.from && p.border(s.to-z) {
			s.to -= z
			break
		}
	}
	return s
}

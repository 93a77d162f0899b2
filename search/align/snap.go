package align

import "strings"

// sentenceEnds are the signs after which a sentence may begin.
const sentenceEnds = ".!?…"

// sentenceStarts says of each word whether a sentence or paragraph begins with
// it: the first word, one after the end of a sentence, one after a blank line.
func sentenceStarts(t Text) []bool {
	starts := make([]bool, len(t.Words))
	for i, w := range t.Words {
		if i == 0 {
			starts[i] = true
			continue
		}
		starts[i] = partsSentences(t.Text[t.Words[i-1].End:w.Start])
	}
	return starts
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
	if c.sharp {
		return
	}
	c.a = p.a.snap(c.a, int32(p.params.Snap))
	c.b = p.b.snap(c.b, int32(p.params.Snap))
	p.reach(c)
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
	border := func(k int32) bool { return int(k) == len(p.sentences) || p.sentences[k] }
	for z := int32(0); z <= reach; z++ {
		if s.from-z >= 0 && border(s.from-z) {
			s.from -= z
			break
		}
		if s.from+z < s.to && border(s.from+z) {
			s.from += z
			break
		}
	}
	for z := int32(0); z <= reach; z++ {
		if int(s.to+z) <= len(p.sentences) && border(s.to+z) {
			s.to += z
			break
		}
		if s.to-z > s.from && border(s.to-z) {
			s.to -= z
			break
		}
	}
	return s
}

package align

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// longEnough drops the candidates that are shorter than a passage may be.
func (p *pair) longEnough(found []candidate) []candidate {
	return slices.DeleteFunc(found, p.tooShort)
}

// tooShort reports whether a candidate is no passage. Exact runs may be shorter
// than others, if they read like a sentence on either side: an address or a
// list of names of twelve words is the same wherever it stands.
func (p *pair) tooShort(c candidate) bool {
	least := p.params.MinWords
	if c.kind == Exact && (p.a.isProse(c.a) || p.b.isProse(c.b)) {
		least = min(least, p.params.Verbatim)
	}
	return min(c.a.len(), c.b.len()) < max(least, 1) || c.a.len()+c.b.len() < p.params.MinBoth
}

// isProse reports whether half of the words begin in letters that are not
// capitals.
func (p *Prepared) isProse(s span) bool {
	small := 0
	for _, w := range p.words[s.from:s.to] {
		if r, _ := utf8.DecodeRuneInString(p.text[w.Start:]); unicode.IsLetter(r) && !unicode.IsUpper(r) {
			small++
		}
	}
	return 2*small >= s.len()
}

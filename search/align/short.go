package align

import "slices"

// longEnough drops the candidates that are shorter than a passage may be.
func (p *pair) longEnough(found []candidate) []candidate {
	return slices.DeleteFunc(found, p.tooShort)
}

// tooShort reports whether a candidate is no passage. Exact runs may be shorter
// than others.
func (p *pair) tooShort(c candidate) bool {
	least := p.params.MinWords
	if c.kind == Exact {
		least = min(least, p.params.Verbatim)
	}
	return min(c.a.len(), c.b.len()) < max(least, 1) || c.a.len()+c.b.len() < p.params.MinBoth
}

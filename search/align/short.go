package align

import "slices"

// longEnough drops the candidates that are shorter than a passage may be.
func (p *pair) longEnough(found []candidate) []candidate {
	return slices.DeleteFunc(found, p.tooShort)
}

// tooShort reports whether a candidate is no passage. Exact runs may be shorter
// than others, but for what the suspect says again in the same words: running
// titles and the like are no evidence of a copy until they are longer.
func (p *pair) tooShort(c candidate) bool {
	least := max(p.params.MinWords, 1)
	words := min(c.a.len(), c.b.len())
	switch {
	case c.a.len()+c.b.len() < p.params.MinBoth:
		return true
	case c.kind == Exact && words < least && words >= p.params.Verbatim:
		return p.repeated(c.a)
	}
	return words < least
}

// repeated reports whether the suspect has the words of s elsewhere too. What
// consists of n-grams that occur in it hundreds of times is taken to be
// repeated.
func (p *pair) repeated(s span) bool {
	words := p.a.forms[s.from:s.to]
	seeds := p.a.seeds()
	var rarest []int32 // items that are one n-gram of the words
	shift := int32(0)  // where it is in them
	for _, g := range gramCodes(words, seedWords) {
		if items := seeds.places.of(seeds.find(g.code)); rarest == nil || len(items) < len(rarest) {
			rarest, shift = items, g.at
		}
	}
	if len(rarest) > maxSeeds {
		return true
	}
	return slices.ContainsFunc(rarest, func(item int32) bool {
		from := seeds.at[item] - shift
		to := from + int32(len(words))
		return from != s.from && from >= 0 && int(to) <= len(p.a.forms) && slices.Equal(p.a.forms[from:to], words)
	})
}

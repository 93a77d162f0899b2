package align

import "slices"

// longEnough drops the candidates that are shorter than a passage may be.
func (p *pair) longEnough(found []candidate) []candidate {
	return slices.DeleteFunc(found, p.tooShort)
}

// tooShort reports whether a candidate is not a passage. Exact runs may be shorter
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

// repeated reports whether the words of s occur elsewhere in the suspect. A span of n-grams
// that occur hundreds of times is assumed to be repeated.
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
	others := p.a.withoutCopies(s.from+shift, rarest, seeds.at)
	if len(others) >= maxSeeds {
		return true
	}
	return slices.ContainsFunc(others, func(at int32) bool {
		from := at - shift
		to := from + int32(len(words))
		return from >= 0 && int(to) <= len(p.a.forms) && slices.Equal(p.a.forms[from:to], words)
	})
}

// withoutCopies returns the places of some items other than place i, each stretch of
// words with copies once: another copy of the stretch around i says nothing new.
func (d *side) withoutCopies(i int32, items, at []int32) []int32 {
	var list []int32
	for _, item := range items {
		place := at[item]
		switch {
		case place == i:
		case d.origin == nil, d.origin[place] == place && d.origin[i] != place:
			list = append(list, place)
		}
	}
	return list
}

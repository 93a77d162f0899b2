package dedup

// judge marks the paragraphs of document i of b that are dropped. seen lists in
// ascending order the tokens, counted from the document's first, that end a seen
// n-gram.
func (r *run) judge(b *block, i int, seen []uint32) {
	end, _ := b.end(i)
	d := &b.docs[i]
	if r.o.Rule == Tuples {
		b.judgeTuples(d, end, seen, r.o.Threshold)
	} else {
		b.judgeTokens(d, end, seen, &r.o)
	}
	d.empty = true
	for p := d.par; p < end; p++ {
		if !b.pars[p].bad && b.tokens(p) > 0 {
			d.empty = false
			break
		}
	}
	r.count(b, d, end)
}

func (r *run) count(b *block, d *doc, end uint32) {
	if d.par == end {
		return // a line without a document
	}
	r.sum.Documents++
	any := false
	for p := d.par; p < end; p++ {
		tokens := int64(b.tokens(p))
		r.sum.Tokens += tokens
		if tokens == 0 {
			continue
		}
		any = true
		r.sum.Paragraphs++
		if b.pars[p].bad {
			r.sum.DroppedParagraphs++
			r.sum.DroppedTokens += tokens
		}
	}
	if any && d.empty {
		r.sum.DroppedDocuments++
	}
}

// judgeTokens is the rule of onion.
func (b *block) judgeTokens(d *doc, end uint32, seen []uint32, o *Options) {
	for p := d.par; p < end; p++ {
		tokens := b.tokens(p)
		first := b.pars[p].token - d.token
		var bad uint32
		if bad, seen = badTokens(seen, first, first+tokens, uint32(o.N)); tokens > 0 {
			b.pars[p].bad = float64(bad)/float64(tokens) > o.Threshold
		}
	}
	if o.Smooth && !o.Documents {
		b.smooth(d.par, end, o.Stub)
	}
}

// badTokens returns the number of tokens in [first, end) that are in a seen n-gram
// which ends in that range, and the rest of seen. Tokens before first do not count.
func badTokens(seen []uint32, first, end, n uint32) (bad uint32, rest []uint32) {
	next := first
	for len(seen) > 0 && seen[0] < end {
		bad += min(n, seen[0]+1-next)
		next = seen[0] + 1
		seen = seen[1:]
	}
	return bad, seen
}

// smooth drops runs of good paragraphs that have too few tokens in all and are
// between two bad ones or the ends of the document.
func (b *block) smooth(first, end uint32, stub int) {
	from, length := first, 0
	for p := first; p <= end; p++ {
		if p < end && !b.pars[p].bad {
			length += int(b.tokens(p))
			continue
		}
		if length <= stub {
			for j := from; j < p; j++ {
				b.pars[j].bad = true
			}
		}
		from, length = p+1, 0
	}
}

// judgeTuples drops a paragraph if the share of its seen n-grams exceeds the
// threshold, unless both neighbours are kept. A paragraph without n-grams is kept if
// both neighbours are; the ends of the document count as kept neighbours.
func (b *block) judgeTuples(d *doc, end uint32, seen []uint32, threshold float64) {
	for p := d.par; p < end; p++ {
		last := b.pars[p].token - d.token + b.tokens(p)
		count := 0
		for len(seen) > 0 && seen[0] < last {
			count++
			seen = seen[1:]
		}
		b.pars[p].bad = b.pars[p].tuples == 0 || float64(count)/float64(b.pars[p].tuples) > threshold
	}
	b.judgeBetween(d, end)
}

// judgeBetween keeps the paragraphs whose two neighbours are kept. Paragraphs without
// tokens, such as tags before the first paragraph, are not neighbours; they are kept
// if any paragraph of the document is.
func (b *block) judgeBetween(d *doc, end uint32) {
	empty := true
	first, before := true, false // no paragraph with tokens came before; whether the last one was bad by itself
	next := d.par                // the first with tokens after p
	for p := d.par; p < end; p++ {
		if b.tokens(p) == 0 {
			continue
		}
		for next = max(next, p+1); next < end && b.tokens(next) == 0; {
			next++
		}
		bad := b.pars[p].bad
		after := next < end && b.pars[next].bad
		if edge := first || next == end; bad && !before && !after && (!edge || b.pars[p].tuples == 0) {
			b.pars[p].bad = false
		}
		first, before, empty = false, bad, empty && b.pars[p].bad
	}
	for p := d.par; p < end; p++ {
		if b.tokens(p) == 0 {
			b.pars[p].bad = empty
		}
	}
}

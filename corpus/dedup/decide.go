package dedup

// judge decides on the paragraphs of document i of b. seen are the tokens of the
// document, counted from its first, that end a seen n-gram, rising.
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

// count adds what was decided on a document to the summary.
func (r *run) count(b *block, d *doc, end uint32) {
	if d.par == end {
		return // a line that is none
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

// badTokens returns how many of the tokens [first, end) are in a seen n-gram that
// ends there, and what is left of seen. What of the first n-grams is before
// first does not count.
func badTokens(seen []uint32, first, end, n uint32) (bad uint32, rest []uint32) {
	next := first
	for len(seen) > 0 && seen[0] < end {
		bad += min(n, seen[0]+1-next)
		next = seen[0] + 1
		seen = seen[1:]
	}
	return bad, seen
}

// smooth makes good paragraphs bad that are too few tokens together, between two
// bad ones or the ends of the document.
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

// judgeTuples drops paragraphs of whose n-grams more than a share were seen, unless
// they are directly between two that stay. A paragraph without n-grams
// stays between two that stay, as which both ends of the document count.
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

// judgeBetween keeps what is between two that stay. What has no tokens, such as the tags
// before the first paragraph, is beside nothing, and stays if anything of the document does.
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

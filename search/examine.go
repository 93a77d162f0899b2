package search

import (
	"cmp"
	"context"
	"slices"
)

// A placed run is an exact run with its place in both texts.
type placed struct {
	run
	suspect, origin Span // origin is zero where the source's text is missing
	words           int
}

// examineAll reads the text of each listed source, one after another so that
// only one is in memory, and takes from it all that the result needs.
func (c *check) examineAll(ctx context.Context) error {
	for i, src := range c.sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		body, err := c.body(ctx, src.entry)
		if err != nil {
			return err
		}
		c.examine(src, &c.result.Sources[i], body)
	}
	return nil
}

// examine finds the places and passages of one source; body is nil where its
// text is missing.
func (c *check) examine(src *source, out *Source, body *body) {
	if body == nil {
		out.NoText = true
		for _, r := range src.done {
			src.runs = append(src.runs, c.place(r, Span{}))
		}
		src.passages = c.exactPassages(src)
		return
	}
	for _, l := range locate(c.suspect, body.words(), c.opts.N, src.doc, src.all(), c.known) {
		if !slices.ContainsFunc(src.done, l.partOf) {
			continue
		}
		src.runs = append(src.runs, c.place(l.run, body.span(l.from, l.to)))
	}
	src.passages = c.exactPassages(src)
	if c.opts.Texts {
		out.Excerpts = excerpts(body, src.passages)
	}
}

// place returns r with its place in the suspect.
func (c *check) place(r run, origin Span) placed {
	from := int(c.suspect.grams[r.gram].word)
	words := c.runWords(r.k)
	return placed{run: r, suspect: c.suspect.span(from, from+words), origin: origin, words: words}
}

// A found passage also knows its words in the suspect.
type found struct {
	Passage
	from, to int // words of the suspect [from, to)
}

// exactPassages returns the runs of a source as passages.
func (c *check) exactPassages(src *source) []found {
	var list []found
	for _, r := range src.runs {
		from := int(c.suspect.grams[r.gram].word)
		list = append(list, found{from: from, to: from + r.words, Passage: Passage{
			Kind: KindExact, Grade: Verbatim, Suspect: r.suspect, Origin: r.origin,
			Word: from, Words: r.words, OriginWords: r.words, Matched: r.words, Run: r.words,
			Common: c.commonShare(r.gram, r.end()),
			Equal:  []Run{{Suspect: [2]int{r.suspect.Start, r.suspect.End}, Origin: [2]int{r.origin.Start, r.origin.End}, Words: r.words}},
		}})
	}
	return list
}

// commonShare returns the share of common n-grams among [from, to), 0 to 1.
func (c *check) commonShare(from, to int32) float64 {
	if to <= from {
		return 0
	}
	common := 0
	for g := from; g < to; g++ {
		if c.sweep.common[g] {
			common++
		}
	}
	return float64(common) / float64(to-from)
}

// passages puts the passages of all sources in order and numbers them.
func (c *check) passages() {
	var list []found
	for i, src := range c.sources {
		for _, p := range src.passages {
			p.Source = i
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to),
			cmp.Compare(a.Source, b.Source), cmp.Compare(a.Origin.Start, b.Origin.Start))
	})
	c.count(list)
	for i, p := range list {
		p.Number = i + 1
		c.result.Passages = append(c.result.Passages, p.Passage)
	}
}

package search

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/search/align"
)

// A placed run is an exact run with its place in both texts.
type placed struct {
	run
	suspect, origin Span // origin is zero where the source's text is missing
	words           int
}

// examineAll reads the text of each source and takes from it all that the
// result needs. No more texts are in memory at once than there are processors.
func (c *check) examineAll(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(c.slots))
	for _, src := range c.sources {
		group.Go(func() error {
			select {
			case c.slots <- struct{}{}:
			case <-ctx.Done():
				return ctx.Err()
			}
			defer func() { <-c.slots }()
			return c.examine(ctx, src)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, src := range c.sources {
		c.known.add(src.known)
	}
	return nil
}

// examine finds the places and passages of one source.
func (c *check) examine(ctx context.Context, src *source) error {
	body, err := c.body(ctx, src)
	if err != nil {
		return err
	}
	if body == nil {
		src.noText = true
		for _, r := range src.done {
			src.runs = append(src.runs, c.place(r, Span{}))
		}
		src.passages = c.exactPassages(src)
		return nil
	}
	src.known = corrections{map[falseMatch]bool{}, borders{}}
	for _, l := range locate(c.suspect, body.words(), c.opts.N, src.doc, src.all(), src.known) {
		if slices.ContainsFunc(src.done, l.partOf) {
			src.runs = append(src.runs, c.place(l.run, body.span(l.from, l.to)))
		}
	}
	if src.passages, err = c.passagesOf(ctx, src, body); err != nil {
		return err
	}
	if c.opts.Texts {
		src.excerpts = excerpts(body, src.passages)
	}
	return nil
}

// passagesOf returns the passages of one source: by alignment, or else its
// exact runs.
func (c *check) passagesOf(ctx context.Context, src *source, body *body) ([]found, error) {
	if c.opts.Exact {
		return c.exactPassages(src), nil
	}
	if src.aligned && src.entry.Words <= maxAlignedWords && len(c.suspect.words) <= maxAlignedWords {
		return c.alignedPassages(ctx, body)
	}
	if src.aligned {
		src.note("%s: with more than %d words it was not aligned; its passages are unchanged runs", src.entry.Name(), maxAlignedWords)
	}
	least := align.DefaultParams().Verbatim
	return slices.DeleteFunc(c.exactPassages(src), func(p found) bool { return p.Words < least }), nil
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
		p.Number, p.Word = i+1, p.from
		p.Page, p.LastPage = c.suspect.pages(p.Suspect)
		c.result.Passages = append(c.result.Passages, p.Passage)
	}
}

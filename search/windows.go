package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/store"
)

// Long texts are aligned in windows around matching n-grams and pairs. Weights and chance depend on the
// length of the two texts, so in a long text as a whole the same copy would be found differently
// or not at all; and most of a long text shares nothing.
const (
	wholeWords    = 6000 // a text up to this length is aligned whole
	suspectMargin = 600  // words of the suspect on each side of a match, in a window
	sourceMargin  = 150  // words of the source on each side of a match
	hintWords     = 150  // words around a site, on both sides, that are checked first
	hintShare     = 0.6  // share of the weight of a cluster that those words must reach
	siteWords     = 35   // approximate number of words in a block of pairs
	// leastSite is the least score of the pairs around a site for which there is a
	// window: that of one pair that hardly any document has.
	leastSite = 8
	// usualSource is how many words the sources had that leastSite was measured with.
	usualSource = 29_000
	// mostMore is how much higher the least score is at most: with that, a site
	// alone would name its document.
	mostMore = 6
)

// A stretch is a range of words of a text, [from, to).
type stretch struct{ from, to int }

func (s stretch) len() int             { return s.to - s.from }
func (s stretch) meets(o stretch) bool { return s.from < o.to && o.from < s.to }
func (s stretch) with(o stretch) stretch {
	return stretch{min(s.from, o.from), max(s.to, o.to)}
}

// around returns s extended by this many words on both sides, within whole.
func (s stretch) around(margin int, whole stretch) stretch {
	return stretch{max(whole.from, s.from-margin), min(whole.to, s.to+margin)}
}

// A box is a stretch of the suspect and a stretch of a source to align with each other.
type box struct {
	suspect, source stretch
	sure            bool // it contains a matching run of n-grams, not only pairs
}

func (b box) meets(o box) bool { return b.suspect.meets(o.suspect) && b.source.meets(o.source) }

func (b box) with(o box) box {
	return box{b.suspect.with(o.suspect), b.source.with(o.source), b.sure || o.sure}
}

// joined merges boxes that overlap in both texts.
func joined(list []box) []box {
	slices.SortFunc(list, func(a, b box) int {
		return cmp.Or(cmp.Compare(a.suspect.from, b.suspect.from), cmp.Compare(a.source.from, b.source.from))
	})
	var out []box
	for _, b := range list {
		for i := len(out) - 1; i >= 0; i-- {
			if out[i].meets(b) {
				b = b.with(out[i])
				out = slices.Delete(out, i, i+1)
				i = len(out) // the merged box may overlap others
			}
		}
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b box) int {
		return cmp.Or(cmp.Compare(a.suspect.from, b.suspect.from), cmp.Compare(a.source.from, b.source.from))
	})
	return out
}

// A plan has the blocks of a source's text to read, as ranges of marks: those near runs and sites.
type plan struct {
	marks  *store.Marks
	ranges [][2]int // of blocks, [first, end)
}

// planFor returns the plan for a source with these marks. ok is false if the marks do not match the
// n-grams and pairs of the source.
func (s *Searcher) planFor(src *source, marks *store.Marks) (p *plan, ok bool) {
	p = &plan{marks: marks}
	src.sites = rareSites(src.sites, src.in.suspect.different(), int(src.entry.Words))
	blocks := len(marks.Blocks) - 1
	end := &marks.Blocks[blocks]
	size, counted := marks.Size(src.in.n)
	grams, _ := src.entry.Grams(src.in.n) // in a sampled index, only those of the sample
	if len(src.done) > 0 && (!counted || end.Grams[size] < grams || end.Grams[size] > grams && s.sample == 0) {
		return nil, false
	}
	if len(src.sites) > 0 && end.Pairs != src.entry.Pairs {
		return nil, false
	}
	if s.wholly(src, int(end.Word)) || src.keyed {
		p.ranges = [][2]int{{0, blocks}}
		return p, true
	}
	margin := max(sourceMargin, src.in.n)
	for _, r := range src.all() {
		first, last := marks.BlockOf(size, int64(r.pos)), marks.BlockOf(size, int64(r.last()))
		p.add(marks.Blocks[first].Word-int64(margin), marks.Blocks[last+1].Word+int64(margin))
	}
	for _, x := range src.sites {
		at := p.wordOf(x)
		p.add(at-int64(margin), at+siteWords+int64(margin))
	}
	p.join()
	return p, true
}

// rareSites returns the significant sites of a suspect and a source of these lengths. Equal n-grams do
// not make other sites of a long source more likely: a novel shares idioms with any thesis.
func rareSites(sites []site, suspect, source int) []site {
	least := rareSite(suspect, source)
	return slices.DeleteFunc(slices.Clone(sites), func(x site) bool { return x.score < least })
}

// rareSite returns the least score of a significant site. The number of chance sites is proportional to
// the number of compared places, and a score is the logarithm of its improbability: so in longer texts,
// a higher score is required.
func rareSite(suspect, source int) float32 {
	more := math.Log(float64(suspect) * float64(source) / (usualWords * usualSource))
	return float32(leastSite + min(max(more, 0), mostMore))
}

// wholly reports whether the plan covers the whole text of a source.
func (s *Searcher) wholly(src *source, words int) bool {
	return words <= wholeWords || s.opts.AlignAll && src.align
}

// wordOf returns the approximate word of the source at a site.
func (p *plan) wordOf(x site) int64 {
	return p.marks.NearPair(int64(x.block) * store.PairBlock)
}

// add adds the blocks that contain words [from, to).
func (p *plan) add(from, to int64) {
	p.ranges = append(p.ranges, [2]int{p.marks.Block(from), p.marks.Block(to-1) + 1})
}

// join merges adjacent ranges.
func (p *plan) join() {
	slices.SortFunc(p.ranges, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	out := p.ranges[:0]
	for _, r := range p.ranges {
		if n := len(out); n > 0 && r[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], r[1])
		} else {
			out = append(out, r)
		}
	}
	p.ranges = out
}

// pieces returns the ranges of bytes to read.
func (p *plan) pieces() []store.Piece {
	return lists.Map(p.ranges, func(r [2]int) store.Piece {
		return store.Piece{From: p.marks.Blocks[r[0]].Byte, To: p.marks.Blocks[r[1]].Byte}
	})
}

// boxes returns the windows of a source and the suspect to align, given the runs of the source.
func (s *Searcher) boxes(src *source, b *body, runs []located) []box {
	words := stretch{0, len(src.in.suspect.words)}
	if s.opts.AlignAll {
		if whole := b.parts[0].whole(); whole.len() > 0 {
			return []box{{words, whole, true}}
		}
		return nil
	}
	mine, theirs := suspectMargin, sourceMargin
	if src.in.suspect.different() <= wholeWords {
		mine = words.len()
	}
	if s.wholly(src, int(b.plan.marks.Words())) {
		theirs = wholeWords
	}
	var list []box
	for _, p := range b.parts {
		whole := p.whole()
		add := func(a, b stretch, sure bool) {
			list = append(list, box{a.around(mine, words), b.around(theirs, whole), sure})
		}
		for _, l := range runs {
			if at := (stretch{l.word, l.word + src.in.runWords(l.k)}); at.meets(whole) {
				from := int(src.in.list[l.gram].word)
				add(stretch{from, from + at.len()}, at, true)
			}
		}
		for _, x := range src.sites {
			if at := int(b.plan.wordOf(x)); at >= whole.from && at < whole.to {
				add(stretch{int(x.word), int(x.word) + 1}, stretch{at, at + siteWords}, false)
			}
		}
	}
	return joined(list)
}

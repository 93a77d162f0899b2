package search

import (
	"context"
	"slices"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
)

// kinds are the kinds of passage by the step of the alignment that found them.
var kinds = map[align.Kind]string{align.Exact: KindExact, align.Cluster: KindAligned, align.Summary: KindSummary}

// alignable reports whether the suspect is short enough to be aligned.
func (s *Searcher) alignable(sus *suspect) bool { return len(sus.words) <= s.bounds.words }

// alignedPassages aligns the suspect with a source, window by window.
//
// It ends early with ctx, which may be over before the search is: then its
// error is that of ctx.
func (s *Searcher) alignedPassages(ctx context.Context, src *source, b *body, boxes []box) ([]found, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer b.release()
	var all []align.Passage
	boxes = s.promising(src, b, boxes)
	for _, x := range boxes {
		list, err := alignBox(ctx, s.aligner, src, b, x)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	if len(boxes) > 1 {
		kept, lost := s.aligner.Settle(all)
		for _, r := range lost {
			list, err := alignBox(ctx, s.aligner, src, b, box{suspect: stretch{r.Suspect, r.Suspect + r.Len}, source: stretch{r.Source, r.Source + r.Len}})
			if err != nil {
				return nil, err
			}
			kept = append(kept, list...)
		}
		all = kept
	}
	more, err := s.interwoven(ctx, src, b, all)
	if err != nil {
		return nil, err
	}
	list := lists.Map(append(all, more...), func(p align.Passage) found { return src.in.alignedPassage(p, b) })
	slices.SortStableFunc(list, func(a, b found) int { return a.from - b.from })
	return list, nil
}

// alignBox aligns a stretch of the suspect with one of a source. Words of
// passages are counted in the whole texts, bytes of the source in its part.
func alignBox(ctx context.Context, aligner *align.Aligner, src *source, b *body, x box) ([]align.Passage, error) {
	list, err := aligner.Align(ctx, src.in.suspect.slice(x.suspect), b.slice(src.in.suspect, x.source))
	for i := range list {
		list[i].Move(x.suspect.from, x.source.from)
	}
	return list, err
}

// promising returns those of the boxes of a source that are worth the time: the
// sure ones, and those where the words close to a site look like a copy. Chance
// names hundreds of sources for a thesis, and thousands in a large index.
func (s *Searcher) promising(src *source, b *body, boxes []box) []box {
	var out []box
	near := src.closeTo(b)
	looked, kept := 0, 0
	for _, x := range boxes {
		if !x.sure {
			looked++
			if !s.likely(src, b, near, x) {
				continue
			}
			kept++
		}
		out = append(out, x)
	}
	s.opts.Work.add(len(src.done) == 0, looked, kept)
	return out
}

// closeTo returns what lies close to each site of the source.
func (src *source) closeTo(b *body) []box {
	list := make([]box, len(src.sites))
	for i, at := range src.sites {
		from := int(b.plan.wordOf(at))
		list[i] = box{
			suspect: stretch{int(at.word), int(at.word) + 1}.around(hintWords, stretch{0, len(src.in.suspect.words)}),
			source:  stretch{from - hintWords, from + siteWords + hintWords},
		}
	}
	return list
}

// likely reports whether the text near a site in a box looks like a copy.
func (s *Searcher) likely(src *source, b *body, near []box, x box) bool {
	var in []box
	for _, close := range near {
		close.source = stretch{max(close.source.from, x.source.from), min(close.source.to, x.source.to)}
		if close.suspect.meets(x.suspect) && close.source.len() > 0 {
			in = append(in, close)
		}
	}
	return slices.ContainsFunc(joined(in), func(close box) bool { return s.hints(src, b, close, x) })
}

// hints reports whether the text near the sites of a box may be part of a copy.
func (s *Searcher) hints(src *source, b *body, close, x box) bool {
	return s.aligner.Hints(src.in.suspect.slice(close.suspect), b.slice(src.in.suspect, close.source), x.suspect.len()+x.source.len(), hintShare)
}

// slice returns a stretch of the source, prepared to be aligned with a suspect.
func (b *body) slice(s *suspect, x stretch) *align.Prepared {
	part := b.partOf(x)
	if part.prepared == nil {
		part.prepared = s.prepared().Source(align.Text{Text: part.text, Words: part.words})
	}
	first := x.from - part.whole().from
	return part.prepared.Slice(first, first+x.len())
}

// partOf returns the part that has a stretch of words.
func (b *body) partOf(s stretch) *textPart {
	for _, p := range b.parts {
		if p.whole().meets(s) {
			return p
		}
	}
	return nil
}

// slice returns a stretch of the suspect, prepared.
func (s *suspect) slice(x stretch) *align.Prepared {
	if x.len() == len(s.words) {
		return s.prepared()
	}
	return s.prepared().Slice(x.from, x.to)
}

// alignedPassage returns an aligned passage as reports have it.
func (s *shared) alignedPassage(p align.Passage, b *body) found {
	part := b.partOf(stretch{p.Source.From, p.Source.To})
	out := found{from: p.Suspect.From, to: p.Suspect.To, originFrom: p.Source.From, originTo: p.Source.To, runs: p.Equal, Passage: Passage{
		Kind: kinds[p.Kind], Grade: p.Grade.String(),
		Suspect: spanOf(&s.suspect.runes, p.Suspect.Start, p.Suspect.End), Origin: part.span(p.Source.Start, p.Source.End),
		Words: p.Words, OriginWords: p.SourceWords, Matched: p.Matched, Run: p.Run, Gaps: p.Gaps,
		Common: s.commonShare(s.in(p.Suspect.From, p.Suspect.To)),
		Equal:  make([]Run, 0, len(p.Equal)),
	}}
	if p.Grade != align.Verbatim && p.Kind != align.Summary {
		out.origin = s.suspect.originOf(&p, part)
	}
	for _, r := range p.Equal {
		out.Equal = append(out.Equal, Run{
			Suspect: bytesOf(s.suspect.words, r.Suspect, r.Len, 0),
			Origin:  bytesOf(part.words, r.Source-int(part.before.Word), r.Len, int(part.before.Byte)), Words: r.Len,
		})
	}
	return out
}

// bytesOf returns where some words are in their text, which begins at a byte of
// another.
func bytesOf(words []normalize.Word, from, count, at int) [2]int {
	return [2]int{at + words[from].Start, at + words[from+count-1].End}
}

package search

import (
	"context"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
)

// maxAlignedWords is the most words of a text that are aligned at once: the whole
// suspect, or what a source has of it in one window. More would take more memory
// than a report is worth.
var maxAlignedWords = 2_000_000 // a test makes it smaller

// kinds are the kinds of passage by the step of the alignment that found them.
var kinds = map[align.Kind]string{align.Exact: KindExact, align.Cluster: KindAligned, align.Summary: KindSummary}

// alignable reports whether the suspect is short enough to be aligned.
func (s *suspect) alignable() bool { return len(s.words) <= maxAlignedWords }

// alignedPassages aligns the suspect with a source, window by window.
//
// It ends early with ctx, which may be over before the search is: then its
// error is that of ctx.
func (s *Searcher) alignedPassages(ctx context.Context, src *source, b *body, boxes []box) ([]found, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all []align.Passage
	for _, x := range boxes {
		list, err := s.alignBox(ctx, src, b, x)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	if len(boxes) > 1 {
		all = align.Settle(all)
	}
	var list []found
	for _, p := range all {
		list = append(list, src.in.alignedPassage(p, b))
	}
	return list, nil
}

// alignBox aligns a stretch of the suspect with one of a source. Words of
// passages are counted in the whole texts, bytes of the source in its part.
func (s *Searcher) alignBox(ctx context.Context, src *source, b *body, x box) ([]align.Passage, error) {
	part := b.partOf(x.source)
	first := x.source.from - part.whole().from
	source := align.Prepare(align.Text{Text: part.text, Words: part.words[first : first+x.source.len()]})
	defer source.Release()
	list, err := s.aligner.Align(ctx, src.in.preparedOf(x.suspect), source)
	for i := range list {
		list[i].Move(x.suspect.from, x.source.from)
	}
	return list, err
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

// preparedOf returns a stretch of the suspect, prepared.
func (s *suspect) preparedOf(x stretch) *align.Prepared {
	if x.len() == len(s.words) {
		return s.prepared()
	}
	return s.prepared().Slice(x.from, x.to)
}

// alignedPassage returns an aligned passage as reports have it.
func (s *shared) alignedPassage(p align.Passage, b *body) found {
	part := b.partOf(stretch{p.Source.From, p.Source.To})
	out := found{from: p.Suspect.From, to: p.Suspect.To, Passage: Passage{
		Kind: kinds[p.Kind], Grade: p.Grade.String(),
		Suspect: spanOf(&s.runes, p.Suspect.Start, p.Suspect.End), Origin: part.span(p.Source.Start, p.Source.End),
		Words: p.Words, OriginWords: p.SourceWords, Matched: p.Matched, Run: p.Run, Gaps: p.Gaps,
		Common: s.commonShare(s.in(p.Suspect.From, p.Suspect.To)),
		Equal:  make([]Run, 0, len(p.Equal)),
	}}
	for _, r := range p.Equal {
		out.Equal = append(out.Equal, Run{
			Suspect: bytesOf(s.words, r.Suspect, r.Len, 0),
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

package search

import (
	"context"

	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
)

// maxAlignedWords is the length of a text from which on it is not aligned: it
// would take more memory than a report is worth.
const maxAlignedWords = 2_000_000

// kinds are the kinds of passage by the step of the alignment that found them.
var kinds = map[align.Kind]string{align.Exact: KindExact, align.Cluster: KindAligned, align.Summary: KindSummary}

// alignable reports whether the suspect is short enough to be aligned.
func (s *suspect) alignable() bool { return len(s.words) <= maxAlignedWords }

// alignText returns the words of the text.
func (b *body) alignText() align.Text {
	t := align.Text{Text: b.text}
	for _, p := range b.norm.Paragraphs(b.text, b.mode) {
		t.Words = append(t.Words, p.Words...)
	}
	return t
}

// alignedPassages aligns the suspect with a source.
//
// It ends early with ctx, which may be over before the search is: then its
// error is that of ctx.
func (s *Searcher) alignedPassages(ctx context.Context, sh *shared, b *body) ([]found, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	source := b.alignText()
	passages, err := s.aligner.Align(ctx, sh.prepared(), align.Prepare(source))
	if err != nil {
		return nil, err
	}
	var list []found
	for _, p := range passages {
		list = append(list, sh.alignedPassage(p, source.Words, b))
	}
	return list, nil
}

// alignedPassage returns an aligned passage as reports have it.
func (s *shared) alignedPassage(p align.Passage, source []normalize.Word, b *body) found {
	out := found{from: p.Suspect.From, to: p.Suspect.To, Passage: Passage{
		Kind: kinds[p.Kind], Grade: p.Grade.String(),
		Suspect: spanOf(&s.runes, p.Suspect.Start, p.Suspect.End), Origin: b.span(p.Source.Start, p.Source.End),
		Words: p.Words, OriginWords: p.SourceWords, Matched: p.Matched, Run: p.Run, Gaps: p.Gaps,
		Common: s.commonShare(s.in(p.Suspect.From, p.Suspect.To)),
		Equal:  make([]Run, 0, len(p.Equal)),
	}}
	for _, r := range p.Equal {
		out.Equal = append(out.Equal, Run{
			Suspect: bytesOf(s.words, r.Suspect, r.Len), Origin: bytesOf(source, r.Source, r.Len), Words: r.Len,
		})
	}
	return out
}

func bytesOf(words []normalize.Word, from, count int) [2]int {
	return [2]int{words[from].Start, words[from+count-1].End}
}

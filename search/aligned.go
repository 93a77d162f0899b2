package search

import (
	"context"
	"errors"
	"sort"

	"otisk/normalize"
	"otisk/search/align"
	"otisk/store"
)

const (
	// maxAlignedWords is the length of a text from which on it is not aligned:
	// it would take more memory than a report is worth.
	maxAlignedWords = 2_000_000
	// Frequencies of words, which only the search for summaries needs, are
	// counted in so many documents of the index.
	sampleDocuments = 300
	sampleBytes     = 200 << 10 // longest text of the sample
)

// kinds are the kinds of passage by the step of the alignment that found them.
var kinds = map[align.Kind]string{align.Exact: KindExact, align.Cluster: KindAligned, align.Summary: KindSummary}

// alignerOf returns the aligner of all checks, which is made at the first use.
func (s *Searcher) alignerOf(ctx context.Context) (*align.Aligner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aligner != nil {
		return s.aligner, nil
	}
	params := align.DefaultParams()
	params.Summary = s.opts.Summary
	var known *align.Frequencies
	if params.Summary {
		var err error
		if known, err = s.frequencies(ctx); err != nil {
			return nil, err
		}
	}
	s.aligner = align.New(params, known)
	return s.aligner, nil
}

// errEnough ends a walk over documents.
var errEnough = errors.New("enough")

// frequencies counts the words of some documents of the index, the first ones
// by name.
func (s *Searcher) frequencies(ctx context.Context) (*align.Frequencies, error) {
	known, seen := &align.Frequencies{}, 0
	err := s.reader.Documents(ctx, func(d store.Document) error {
		if d.NoText || d.Text > sampleBytes {
			return nil
		}
		if seen++; seen > sampleDocuments {
			return errEnough
		}
		text, err := s.reader.Text(ctx, d.ID)
		if err != nil {
			return err
		}
		b, err := s.bodyOf(text, d)
		if err != nil {
			return err
		}
		known.Add(align.Prepare(b.alignText()))
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return known, nil
}

// alignText returns the words of the text.
func (b *body) alignText() align.Text {
	t := align.Text{Text: b.text}
	for _, p := range b.norm.Paragraphs(b.text, b.mode) {
		t.Words = append(t.Words, p.Words...)
	}
	return t
}

// alignedPassages aligns the suspect with a source.
func (c *check) alignedPassages(ctx context.Context, b *body) ([]found, error) {
	aligner, err := c.alignerOf(ctx)
	if err != nil {
		return nil, err
	}
	source := b.alignText()
	var list []found
	for _, p := range aligner.Align(c.suspect.prepared(), align.Prepare(source)) {
		list = append(list, c.foundPassage(p, source.Words, b))
	}
	return list, nil
}

// foundPassage returns an aligned passage as reports have it.
func (c *check) foundPassage(p align.Passage, source []normalize.Word, b *body) found {
	out := found{from: p.Suspect.From, to: p.Suspect.To, Passage: Passage{
		Kind: kinds[p.Kind], Grade: p.Grade.String(),
		Suspect: c.suspect.runes.span(p.Suspect.Start, p.Suspect.End), Origin: b.span(p.Source.Start, p.Source.End),
		Words: p.Words, OriginWords: p.SourceWords, Matched: p.Matched, Run: p.Run, Gaps: p.Gaps,
		Common: c.commonShare(c.suspect.gramsIn(p.Suspect.From, p.Suspect.To, c.opts.N)),
		Equal:  make([]Run, 0, len(p.Equal)),
	}}
	for _, r := range p.Equal {
		out.Equal = append(out.Equal, Run{
			Suspect: bytesOf(c.suspect.words, r.Suspect, r.Len), Origin: bytesOf(source, r.Source, r.Len), Words: r.Len,
		})
	}
	return out
}

func bytesOf(words []normalize.Word, from, count int) [2]int {
	return [2]int{words[from].Start, words[from+count-1].End}
}

// gramsIn returns the range of n-grams that lie in the words [from, to).
func (s *suspect) gramsIn(from, to, n int) (first, end int32) {
	at := func(word int) int32 {
		return int32(sort.Search(len(s.grams), func(i int) bool { return int(s.grams[i].word) >= word }))
	}
	return at(from), at(to - n + 1)
}

package search

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/search/align"
)

// A source is a candidate whose text was looked at.
type source struct {
	candidate
	noText   bool
	tooLong  bool     // to be aligned
	late     bool     // for that: the time was over
	runs     []placed // its exact runs, in order of the suspect
	passages []found
	covered  int // words of the suspect in its passages
	excerpts []Excerpt
	notes    []string
	known    corrections // what its text says against the hashes
}

// examineAll reads the text of each candidate and takes from it all that the
// result needs. No more texts are taken apart at once than there are processors.
// Once aligning is over, no more of them are aligned: the best come first.
func (s *Searcher) examineAll(ctx, aligning context.Context, list []candidate) ([]*source, error) {
	group, within := errgroup.WithContext(ctx)
	sources := make([]*source, len(list))
	err := s.reader.Texts(within, docsOf(list), func(i int, text string, missing error) error {
		select {
		case s.slots <- struct{}{}:
		case <-within.Done():
			return within.Err()
		}
		group.Go(func() (err error) {
			defer func() { <-s.slots }()
			sources[i], err = s.examine(within, aligning, list[i], text, missing)
			return err
		})
		return nil
	})
	if failed := group.Wait(); failed != nil {
		return nil, failed // what ended within, and so perhaps Texts
	}
	if err != nil {
		return nil, err
	}
	return sources, ctx.Err()
}

// examine finds the places and passages of one candidate, whose text is missing
// where the index keeps none.
func (s *Searcher) examine(ctx, aligning context.Context, c candidate, text string, missing error) (*source, error) {
	sh := c.in
	src := &source{candidate: c, known: newCorrections()}
	body, err := s.body(ctx, src, text, missing)
	if err != nil {
		return nil, err
	}
	if body == nil {
		src.noText = true
		for _, r := range src.done {
			src.runs = append(src.runs, sh.placed(r, Span{}))
		}
		src.passages = sh.exactPassages(src)
		return src, nil
	}
	for _, l := range locate(sh, body.words(), src.doc, src.all(), src.known) {
		if src.holds(l) {
			src.runs = append(src.runs, sh.placed(l.run, body.span(l.from, l.to)))
		}
	}
	if src.passages, err = s.passagesOf(ctx, aligning, src, body); err != nil {
		return nil, err
	}
	if s.opts.Texts {
		src.excerpts = excerpts(body, src.passages)
	}
	return src, nil
}

// passagesOf returns the passages of one source: by alignment, or else its
// exact runs.
func (s *Searcher) passagesOf(ctx, aligning context.Context, src *source, body *body) ([]found, error) {
	sh := src.in
	if s.opts.Exact {
		return sh.exactPassages(src), nil
	}
	src.tooLong = src.align && src.entry.Words > maxAlignedWords
	if src.align && !src.tooLong && sh.alignable() {
		list, err := s.alignedPassages(aligning, sh, body)
		if err == nil || ctx.Err() != nil {
			return list, err
		}
		src.late = true
	}
	least := align.DefaultParams().Verbatim
	return slices.DeleteFunc(sh.exactPassages(src), func(p found) bool { return p.Words < least }), nil
}

package search

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search/align"
	"github.com/otisk/otisk/search/hint"
	"github.com/otisk/otisk/store"
)

// A source is a candidate whose text was examined.
type source struct {
	candidate
	own       string // how it is the suspect's own
	examined  bool
	noText    bool
	tooLong   bool     // to be aligned
	late      bool     // for that: the time was over
	runs      []placed // its exact runs, in order of the suspect
	passages  []found
	hints     []hinted
	covered   int // words of the suspect in its passages
	excerpts  []Excerpt
	hintsLate bool // the time for alignments was over before hints were looked for
	notes     []*phrase.Phrase
	known     corrections // runs that its text refutes
	imprint   []sighting  // pairs of words of the examined text, if it is aligned
	read      int         // words of the examined text
	whole     *hinted     // hint at a whole short suspect, if other sources share less
	compared  bool        // to be compared for the list of similar documents
	bag       *hint.Bag   // of the examined text, if it is compared
}

// examineAll reads the text of each candidate and takes from it all that the
// result needs: of a text with marks, only what is within reach of what meets. No
// more texts are taken apart at once than there are processors. Once aligning is
// over, no more of them are aligned: the best come first.
func (s *Searcher) examineAll(ctx, aligning context.Context, list []candidate, near *pairings) ([]*source, error) {
	sources := make([]*source, len(list))
	most := mostCompared
	if len(list) > 0 && list[0].in.suspect.different() <= shortText {
		most = mostShort
	}
	for i, c := range list {
		sources[i] = &source{candidate: c, known: newCorrections(), compared: i < most && s.documents() > 1}
	}
	if err := s.examineLocated(ctx, aligning, sources, near); err != nil {
		return nil, err
	}
	if err := s.examineTexts(ctx, aligning, sources); err != nil {
		return nil, err
	}
	return sources, ctx.Err()
}

// examineLocated examines parts of the sources with marks, those with known sites while it looks for the
// sites of the others.
func (s *Searcher) examineLocated(ctx, aligning context.Context, sources []*source, near *pairings) error {
	var first, later []*source
	for _, src := range sources {
		if near.lacks(&src.candidate) {
			later = append(later, src)
			continue
		}
		near.place(&src.candidate)
		first = append(first, src)
	}
	begun := make(chan struct{})
	group, within := errgroup.WithContext(ctx)
	group.Go(func() error { return s.examineParts(within, aligning, first, turn{begun: begun}) })
	if len(later) > 0 {
		group.Go(func() error {
			if err := s.locate(within, near, later); err != nil {
				return err
			}
			return s.examineParts(within, aligning, later, turn{after: begun})
		})
	}
	return group.Wait()
}

// A turn orders the examination of two lists of sources.
type turn struct {
	after <-chan struct{} // if not nil, closed when those that come first are begun
	begun chan<- struct{} // if not nil, to be closed when all sources are begun
}

// wait waits until those that come first are begun, or ctx ends.
func (t turn) wait(ctx context.Context) error {
	if t.after == nil {
		return nil
	}
	select {
	case <-t.after:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pass notes that all sources are begun.
func (t turn) pass() {
	if t.begun != nil {
		close(t.begun)
	}
}

// examineParts reads parts of texts that have marks, and examines those.
func (s *Searcher) examineParts(ctx, aligning context.Context, sources []*source, t turn) error {
	plans := make([]*plan, len(sources))
	return s.inSlots(ctx, func(ctx context.Context, start func(func() error) error) error {
		defer t.pass()
		return s.reader.Pieces(ctx, docsOf(sources), func(i int, marks *store.Marks) ([]store.Piece, error) {
			var ok bool
			if plans[i], ok = s.planFor(sources[i], marks); !ok {
				return nil, store.ErrNoMarks
			}
			return plans[i].pieces(), nil
		}, func(i int, pieces []string, missing error) error {
			if err := t.wait(ctx); err != nil || missing != nil {
				return err
			}
			return start(func() error {
				b, err := s.bodyOf(sources[i], plans[i], pieces)
				if b == nil || err != nil {
					return err
				}
				return s.examine(ctx, aligning, sources[i], b)
			})
		})
	})
}

// examineTexts reads the texts of the sources that are not examined yet, whole.
func (s *Searcher) examineTexts(ctx, aligning context.Context, sources []*source) error {
	left := slices.DeleteFunc(slices.Clone(sources), func(src *source) bool { return src.examined })
	return s.inSlots(ctx, func(ctx context.Context, start func(func() error) error) error {
		return s.reader.Texts(ctx, docsOf(left), func(i int, text string, missing error) error {
			return start(func() error {
				b, err := s.textOf(ctx, left[i], text, missing)
				if err != nil {
					return err
				}
				return s.examine(ctx, aligning, left[i], b)
			})
		})
	})
}

// inSlots calls read with a function start, which runs its argument in parallel with
// others, each in a slot.
func (s *Searcher) inSlots(ctx context.Context, read func(ctx context.Context, start func(func() error) error) error) error {
	group, within := errgroup.WithContext(ctx)
	err := read(within, func(work func() error) error {
		select {
		case s.slots <- struct{}{}:
		case <-within.Done():
			return within.Err()
		}
		group.Go(func() error {
			defer func() { <-s.slots }()
			return work()
		})
		return nil
	})
	if failed := group.Wait(); failed != nil {
		return failed // what ended within, and so perhaps read
	}
	return err
}

// examine finds the places and passages of one source in what there is of its
// text: nil where there is none.
func (s *Searcher) examine(ctx, aligning context.Context, src *source, b *body) (err error) {
	src.examined = true
	if b == nil {
		src.noText = true
		for _, r := range src.done {
			src.runs = append(src.runs, src.in.placed(located{run: r}))
		}
		src.passages = src.in.exactPassages(src)
		return nil
	}
	defer b.free()
	if src.compared {
		src.bag = b.bag()
	}
	if src.onlyCompared {
		return nil
	}
	runs := locate(src.in, b, src.doc, src.all(), src.known)
	for _, l := range runs {
		if src.holds(l) {
			src.runs = append(src.runs, src.in.placed(l))
		}
	}
	if src.passages, err = s.passagesOf(ctx, aligning, src, b, runs); err != nil {
		return err
	}
	if src.hints, err = s.hintsOf(ctx, aligning, src, b); err != nil {
		return err
	}
	if src.align {
		src.imprint, src.read = b.sightings(), b.words()
		src.whole = s.wholeHint(src, b)
	}
	if s.opts.Texts {
		src.excerpts = b.excerpts(src.passages, append(slices.Clip(src.hints), src.wholeHints()...))
	}
	return nil
}

// bag returns the forms of what was read of a text.
func (b *body) bag() *hint.Bag {
	words := lists.Map(b.parts, func(p *textPart) []normalize.Word { return p.words })
	return hint.BagOf(words...)
}

// wholeHints returns the hint at a whole suspect, if there is one.
func (src *source) wholeHints() []hinted {
	if src.whole == nil {
		return nil
	}
	return []hinted{*src.whole}
}

// passagesOf returns the passages of one source: by alignment, or else its
// exact runs.
func (s *Searcher) passagesOf(ctx, aligning context.Context, src *source, b *body, runs []located) ([]found, error) {
	sh := src.in
	if s.opts.Exact {
		return sh.exactPassages(src), nil
	}
	var windows []box
	if src.align {
		windows = s.boxes(src, b, runs)
		src.tooLong = slices.ContainsFunc(windows, func(x box) bool { return x.source.len() > s.bounds.words })
	}
	if src.align && !src.tooLong && s.alignable(sh.suspect) {
		list, err := s.alignedPassages(aligning, src, b, windows)
		if err == nil || ctx.Err() != nil {
			return list, err
		}
		src.late = true
	}
	least := align.DefaultParams().Verbatim
	return slices.DeleteFunc(sh.exactPassages(src), func(p found) bool { return p.Words < least }), nil
}

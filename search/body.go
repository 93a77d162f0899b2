package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/otisk/otisk/internal/offset"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// A body is the original text of a source.
type body struct {
	text  string
	norm  *normalize.Normalizer
	mode  normalize.Mode
	runes offset.Index
}

// words returns the words of the text, from the start.
func (b *body) words() *normalize.Scanner { return b.norm.Scan(b.text, b.mode) }

// span returns the place of bytes [start, end).
func (b *body) span(start, end int) Span { return spanOf(&b.runes, start, end) }

// body returns the text of a source, as the index has it or, where that keeps
// none, from the file. It is nil where neither has it.
func (s *Searcher) body(ctx context.Context, src *source, text string, missing error) (*body, error) {
	entry, err := src.entry, missing
	if errors.Is(err, store.ErrNoText) && s.opts.Reread != nil {
		text, err = s.opts.Reread(ctx, entry)
		if err != nil && ctx.Err() == nil {
			src.notes = append(src.notes, fmt.Sprintf("%s: its text is not kept, and its file cannot be read again: %v", entry.Name(), err))
			return nil, nil
		}
	}
	if errors.Is(err, store.ErrNoText) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.bodyOf(text, entry)
}

// bodyOf prepares the text of a document for taking apart as it was when it
// was indexed.
func (s *Searcher) bodyOf(text string, entry store.Document) (*body, error) {
	norm, mode, err := s.norms.AsIndexed(entry.Rules, entry.NewLine)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", entry.Name(), err)
	}
	return &body{text: text, norm: norm, mode: mode, runes: offset.Runes(text)}, nil
}

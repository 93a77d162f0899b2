package indexer

import (
	"context"
	"errors"
	"fmt"

	"github.com/otisk/otisk/store"
)

// What is said of a document cannot be changed without its text and n-grams
// being what they are.
var (
	errNoText = errors.New("its text is not kept: index it again with a table of what is to be said")
	errOther  = fmt.Errorf("its text is not the one that it was indexed by: %w", store.ErrDamaged)
)

// Describe changes what is said of d, a document of s, and nothing else. It is
// pending until the next commit. It returns an error where s does not keep the
// text.
func Describe(ctx context.Context, s store.Store, d store.Document, says store.Description) error {
	if d.NoText {
		return errNoText
	}
	text, err := s.Text(ctx, d.ID)
	if err != nil {
		return err
	}
	if d.TextSum != store.TextSum(text, d.Rules, d.NewLine) {
		return errOther // adding it would drop its n-grams
	}
	if d.Marks, err = marksOf(ctx, s, d.ID); err != nil {
		return err
	}
	d.Said = says
	return s.Add(ctx, d, text, nil, nil)
}

// marksOf returns the marks of the text of a document; nil where it has none.
func marksOf(ctx context.Context, r store.Reader, id store.DocID) (marks *store.Marks, err error) {
	choose := func(_ int, m *store.Marks) ([]store.Piece, error) {
		marks = m
		return nil, nil
	}
	err = r.Pieces(ctx, []store.DocID{id}, choose, func(_ int, _ []string, err error) error {
		if errors.Is(err, store.ErrNoMarks) {
			return nil
		}
		return err
	})
	return marks, err
}

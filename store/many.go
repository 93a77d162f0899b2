package store

import (
	"context"
	"errors"
)

// singles answers for one document at a time, at little cost for each.
type singles interface {
	Document(ctx context.Context, id DocID) (Document, error)
	Text(ctx context.Context, id DocID) (string, error)
}

// EntriesOf is [Reader.Entries] for a reader that asks nobody else: it calls
// Document for each of ids.
func EntriesOf(ctx context.Context, r singles, ids []DocID, fn func(Document) error) error {
	for _, id := range ids {
		d, err := r.Document(ctx, id)
		if err != nil {
			return err
		}
		if err := fn(d); err != nil {
			return err
		}
	}
	return nil
}

// TextsOf is [Reader.Texts] for a reader that asks nobody else: it calls Text
// for each of ids.
func TextsOf(ctx context.Context, r singles, ids []DocID, fn func(i int, text string, err error) error) error {
	for i, id := range ids {
		text, err := r.Text(ctx, id)
		if err != nil && !errors.Is(err, ErrNoText) {
			return err
		}
		if err := fn(i, text, err); err != nil {
			return err
		}
	}
	return nil
}

package store

import (
	"context"
	"errors"
)

type singles interface {
	Document(ctx context.Context, id DocID) (Document, error)
	Text(ctx context.Context, id DocID) (string, error)
}

type browser interface {
	Documents(ctx context.Context, fn func(Document) error) error
}

// EntriesOf implements [Reader.Entries] for a reader without a server: it calls Document
// for each of ids.
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

// LeftOutOf implements [Reader.LeftOut] by reading all entries, and reading them again if
// any has Copies.
func LeftOutOf(ctx context.Context, r browser) (map[DocID]bool, error) {
	left := map[DocID]bool{}
	err := r.Documents(ctx, func(d Document) error {
		for _, name := range d.Copies {
			left[IDOf("", name)] = true
		}
		return nil
	})
	if err != nil || len(left) == 0 {
		return left, err
	}
	err = r.Documents(ctx, func(d Document) error {
		delete(left, d.ID)
		return nil
	})
	return left, err
}

// TextsOf implements [Reader.Texts] for a reader without a server: it calls Text for each
// of ids.
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

// PiecesOf implements [Reader.Pieces] for a reader without a server: it calls one, which
// returns the pieces of a document that choose selects, for each of ids.
func PiecesOf(ids []DocID, one func(id DocID, choose func(*Marks) ([]Piece, error)) ([]string, error),
	choose func(i int, m *Marks) ([]Piece, error), fn func(i int, pieces []string, err error) error) error {
	for i, id := range ids {
		pieces, err := one(id, func(m *Marks) ([]Piece, error) { return choose(i, m) })
		if err != nil && !errors.Is(err, ErrNoText) && !errors.Is(err, ErrNoMarks) {
			return err
		}
		if err := fn(i, pieces, err); err != nil {
			return err
		}
	}
	return nil
}

package store

import (
	"context"
	"errors"
)

// Entry returns the entry of id, or an error wrapping ErrNotFound.
func Entry(ctx context.Context, r Catalogue, id DocID) (doc Document, err error) {
	err = r.Entries(ctx, []DocID{id}, func(d Document) error {
		doc = d
		return nil
	})
	return doc, err
}

// TextOf returns the original text of a document, or an error wrapping ErrNotFound, or
// ErrNoText if the text is not kept.
func TextOf(ctx context.Context, r Texts, id DocID) (text string, err error) {
	err = r.Texts(ctx, []DocID{id}, func(_ int, found string, err error) error {
		text = found
		return err
	})
	return text, err
}

// EntriesOf implements [Catalogue] for a reader without a server: it calls one, which
// returns an entry, for each of ids.
func EntriesOf(ids []DocID, one func(DocID) (Document, error), fn func(Document) error) error {
	for _, id := range ids {
		d, err := one(id)
		if err != nil {
			return err
		}
		if err := fn(d); err != nil {
			return err
		}
	}
	return nil
}

// LeftOutOf implements LeftOut of [Catalogue] by reading all entries, and reading them again if
// any has Copies.
func LeftOutOf(ctx context.Context, r Catalogue) (map[DocID]bool, error) {
	left := map[DocID]bool{}
	err := r.Documents(ctx, "", func(d Document) error {
		for _, name := range d.Copies {
			left[IDOf("", name)] = true
		}
		return nil
	})
	if err != nil || len(left) == 0 {
		return left, err
	}
	err = r.Documents(ctx, "", func(d Document) error {
		delete(left, d.ID)
		return nil
	})
	return left, err
}

// TextsOf implements Texts of [Texts] for a reader without a server: it calls one, which
// returns a text, for each of ids.
func TextsOf(ids []DocID, one func(DocID) (string, error), fn func(i int, text string, err error) error) error {
	for i, id := range ids {
		text, err := one(id)
		if err != nil && !errors.Is(err, ErrNoText) {
			return err
		}
		if err := fn(i, text, err); err != nil {
			return err
		}
	}
	return nil
}

// PiecesOf implements Pieces of [Texts] for a reader without a server: it calls one, which
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

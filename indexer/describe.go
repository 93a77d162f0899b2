package indexer

import (
	"context"

	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// Errors of changing a description, which requires the kept text.
var (
	errNoText error = phrase.Error("cause.text-not-kept", "the index does not keep its text: to describe it, index it again with a table of descriptions")
	errOther  error = phrase.Error("index.other-text", "its kept text is not the text that was indexed: {cause}", "cause", store.ErrDamaged)
)

// Describe replaces the description of d, a document of s, and changes nothing else. The change is
// pending until the next commit. It returns an error if s does not keep the text of d.
func Describe(ctx context.Context, s store.Store, d store.Document, says store.Description) error {
	if d.NoText {
		return errNoText
	}
	text, err := store.TextOf(ctx, s, d.ID)
	if err != nil {
		return err
	}
	if d.TextSum != store.TextSum(text, d.Rules, d.NewLine) {
		return errOther // adding it would drop its n-grams
	}
	if d.Marks, err = grams.MarksOf(ctx, s, d.ID); err != nil {
		return err
	}
	d.Said = says
	return s.Add(ctx, d, text, nil, nil)
}

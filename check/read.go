package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/search"
)

// Read reads every file that was found, once. Files that cannot be read are in [Batch.Unread]; they
// do not stop the batch.
func (b *Batch) Read(ctx context.Context) error {
	found := make([][]Text, len(b.files))
	err := b.each(ctx, Reading, len(b.files), func(ctx context.Context, i int) (err error) {
		found[i], err = b.read(ctx, b.files[i])
		return err
	})
	if err != nil {
		return err
	}
	b.texts = slices.Concat(found...)
	distinguish(b.texts)
	return nil
}

// An endError stops the batch; other errors concern one file.
type endError struct{ error }

func (b *Batch) read(ctx context.Context, f file) ([]Text, error) {
	var texts []Text
	count := 0
	err := document.Each(ctx, f.path, b.opts.Read, func(doc *document.Document, err error) error {
		doc.Path = f.shown + strings.TrimPrefix(doc.Path, f.path)
		if slices.Contains(b.opts.Skip, doc.Path) {
			return nil
		}
		if count++; b.opts.Most > 0 && count > b.opts.Most {
			return endError{phrase.Error("said.many-texts", "{name} has more than {most} texts", "name", f.shown, "most", b.opts.Most)}
		}
		if b.opts.Single && doc.Path != f.shown {
			return endError{fmt.Errorf("%s: %w", f.shown, document.ErrMany)}
		}
		if err == nil {
			err = b.longEnough(doc)
		}
		if err != nil {
			b.unread.add(doc.Path, err)
			return nil
		}
		t := f.text(doc)
		if t.kept, err = b.spool.store(doc); err != nil {
			return endError{err}
		}
		texts = append(texts, t)
		return nil
	})
	var ended endError
	switch {
	case errors.As(err, &ended):
		return nil, ended.error
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		b.unread.add(f.shown, err)
	}
	return texts, nil
}

// Words returns the words of a text as the search compares them, with their places.
func (b *Batch) Words(t Text) (words []normalize.Word, err error) {
	doc, err := t.kept.document()
	if err != nil {
		return nil, err
	}
	norm, _ := b.opts.Norms.For(doc.Types()...)
	for s := norm.Scan(doc.Text, doc.Mode(norm)); s.Next(); {
		start, end := s.Span()
		words = append(words, normalize.Word{Text: string(s.Word()), Start: start, End: end})
	}
	return words, nil
}

// longEnough returns an error for a text without n-grams. The search would also return it, but only
// after other reports are written, which could not list the text.
func (b *Batch) longEnough(doc *document.Document) error {
	norm, _ := b.opts.Norms.For(doc.Types()...)
	paragraph, words := -1, 0
	for s := norm.Scan(doc.Text, doc.Mode(norm)); s.Next(); {
		if s.Paragraph() != paragraph {
			paragraph, words = s.Paragraph(), 0
		}
		if words++; words == b.opts.Search.N {
			return nil
		}
	}
	return search.TooShort(b.opts.Search.N)
}

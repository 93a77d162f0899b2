package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/store"
)

// An outcome is what became of a file.
type outcome struct {
	unchanged, kept, replaced bool
	words, grams, text        int64
}

// A storeError is one that no other file would fare better with.
type storeError struct{ error }

// index works on one file: on the document in it, or on all of a collection.
// It counts them, and returns what ends the run or concerns the whole file.
func (r *run) index(ctx context.Context, f file) error {
	old, known, err := r.known(ctx, f)
	if err != nil {
		return err
	}
	if _, indexed := old.Grams(r.opts.N); known && indexed && !r.opts.Force {
		same, err := unchanged(ctx, f, old)
		if err != nil {
			return err
		}
		if same {
			r.done(f, outcome{unchanged: true}, nil)
			return nil
		}
	}
	return document.Each(ctx, f.path, r.opts.Read, func(doc *document.Document, err error) error {
		m := f.member(doc)
		o := outcome{}
		if err == nil {
			o, err = r.document(ctx, m, doc)
		}
		var fatal storeError
		if errors.As(err, &fatal) || ctx.Err() != nil {
			return err
		}
		r.done(m, o, err)
		if r.due() {
			if err := r.commit(ctx); err != nil {
				return storeError{err}
			}
		}
		return nil
	})
}

// member returns the document as a file: f itself, or what stands in the
// collection f.
func (f file) member(doc *document.Document) file {
	if doc.Path == f.path {
		return f
	}
	return file{path: doc.Path, canonical: f.canonical + strings.TrimPrefix(doc.Path, f.path), size: doc.Bytes}
}

// known returns the version of a file that is in the index, if there is one.
func (r *run) known(ctx context.Context, f file) (store.Document, bool, error) {
	old, err := r.store.Document(ctx, store.IDOf(r.opts.Prefix, f.canonical))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return old, false, storeError{fmt.Errorf("%s: %w", f.path, err)}
	}
	return old, err == nil, nil
}

// document works on one document.
func (r *run) document(ctx context.Context, f file, doc *document.Document) (outcome, error) {
	old, known, err := r.known(ctx, f)
	if err != nil {
		return outcome{}, err
	}
	sizes := []int{r.opts.N}
	if known {
		same := old.Content == doc.Content
		if o, settled, err := r.settled(old, same); settled || err != nil {
			return o, err
		}
		if !same || r.opts.Force {
			sizes = r.sizes(old)
		}
	}
	r.note(f.path, doc.Notes)
	entry, grams, err := r.prepare(f, doc, sizes)
	if err != nil {
		return outcome{}, err
	}
	if err := r.store.Add(ctx, entry, doc.Text, grams.all()); err != nil {
		return outcome{}, storeError{err}
	}
	return outcome{replaced: known, words: entry.Words, grams: grams.total(), text: entry.Text}, nil
}

// unchanged reports whether the file has the content that was indexed.
func unchanged(ctx context.Context, f file, old store.Document) (bool, error) {
	if f.size != old.Bytes {
		return false, nil
	}
	sum, err := document.Hash(ctx, f.path)
	return sum == old.Content, err
}

// settled reports whether a file that is in the index needs no work: it is
// unchanged, or it was decided to leave it.
func (r *run) settled(old store.Document, same bool) (outcome, bool, error) {
	_, indexed := old.Grams(r.opts.N)
	switch {
	case same && indexed && !r.opts.Force:
		return outcome{unchanged: true}, true, nil
	case same || !indexed || r.opts.Changed == nil:
		return outcome{}, false, nil
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	decision, err := r.opts.Changed(old)
	if err != nil {
		return outcome{}, false, storeError{fmt.Errorf("%s: %w", old.Path, err)}
	}
	return outcome{kept: true}, decision == Skip, nil
}

// sizes returns the n to index under: the one asked for and those the document
// has already.
func (r *run) sizes(old store.Document) []int {
	list := []int{r.opts.N}
	for _, s := range old.Sizes {
		list = append(list, s.N)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// prepare makes the catalogue entry and the n-grams of a document.
func (r *run) prepare(f file, doc *document.Document, sizes []int) (store.Document, *grams, error) {
	norm, rules := r.opts.Norms.For(doc.Types()...)
	mode := doc.Mode(norm)
	g := newGrams(norm, doc.Text, mode, sizes)
	if g.count(r.opts.N) == 0 {
		return store.Document{}, nil, fmt.Errorf("%w: %d words, and no paragraph has the %d of an n-gram", ErrTooShort, g.words, r.opts.N)
	}
	return store.Document{
		Prefix: r.opts.Prefix, Path: f.canonical, Bytes: doc.Bytes, ModTime: doc.ModTime, Content: doc.Content,
		Format: doc.Format, Title: doc.Title, Author: doc.Author, Rules: rules, NewLine: mode.String(),
		Text: int64(len(doc.Text)), Words: g.words, Parts: g.paragraphs,
	}, g, nil
}

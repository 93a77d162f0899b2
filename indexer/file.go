package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// An outcome is what became of a file, and how much was added to the store.
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
	if known && r.reads(old) {
		same, err := unchanged(ctx, f, old)
		if err != nil {
			return err
		}
		if same {
			r.done(f, outcome{unchanged: true}, nil)
			return nil
		}
	}
	read := r.reading(old)
	return document.Each(ctx, f.path, read, func(doc *document.Document, err error) error {
		m := f.member(doc)
		o := outcome{}
		if err == nil {
			o, err = r.document(ctx, m, doc, read)
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

// reading returns how to read a file whose version in the index is old. An
// encoding that was given for it once is remembered, until another is given or
// it is indexed again by force.
func (r *run) reading(old store.Document) document.Options {
	read := r.opts.Read
	if read.Encoding == "" && !r.opts.Force {
		read.Encoding = old.Charset
	}
	return read
}

// reads reports whether reading the file of old again gives what the index has,
// under N and by its pairs too, if its bytes are the same.
func (r *run) reads(old store.Document) bool {
	_, indexed := old.Grams(r.opts.N)
	return indexed && (old.Paired || !r.opts.Pairs) && !r.opts.Force && old.Reader == document.Version && old.Charset == r.reading(old).Encoding
}

// member returns the document as a file: f itself, or what is in the
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

// document works on one document, which was read with these options.
func (r *run) document(ctx context.Context, f file, doc *document.Document, read document.Options) (outcome, error) {
	old, known, err := r.known(ctx, f)
	if err != nil {
		return outcome{}, err
	}
	if known && r.reads(old) && old.Content == doc.Content {
		return outcome{unchanged: true}, nil
	}
	if want := r.reading(old); want.Encoding != read.Encoding { // a member, read as the others were
		read = want
		if doc, err = document.Open(ctx, f.path, read); err != nil {
			return outcome{}, err
		}
	}
	t := r.take(f, doc, read)
	sizes := []int{r.opts.N}
	if known {
		same := old.TextSum == t.entry.TextSum
		if o, settled, err := r.settled(old, same); settled || err != nil {
			return o, err
		}
		if sizes = r.sizes(old, same); len(sizes) == 0 {
			return r.add(ctx, t, sizes, outcome{unchanged: true})
		}
	}
	r.note(f.path, doc.Notes)
	return r.add(ctx, t, sizes, outcome{replaced: known})
}

// A taken is a document with all that is found out about it.
type taken struct {
	entry store.Document
	text  string
	norm  *normalize.Normalizer
	mode  normalize.Mode
}

// take makes the entry of a document.
func (r *run) take(f file, doc *document.Document, read document.Options) *taken {
	norm, rules := r.opts.Norms.For(doc.Types()...)
	t := &taken{text: doc.Text, norm: norm, mode: doc.Mode(norm)}
	t.entry = store.Document{
		Prefix: r.opts.Prefix, Path: f.canonical, Bytes: doc.Bytes, ModTime: doc.ModTime, Content: doc.Content,
		Format: doc.Format, Title: doc.Title, Author: doc.Author, Year: doc.Year, Rules: rules, NewLine: t.mode.String(),
		Reader: document.Version, Text: int64(len(doc.Text)),
		TextSum: store.TextSum(doc.Text, rules, t.mode.String()),
	}
	if doc.Encoding != "" {
		t.entry.Charset = read.Encoding
	}
	return t
}

// add puts a document into the store, with its n-grams of these sizes beside
// those that it keeps there.
func (r *run) add(ctx context.Context, t *taken, sizes []int, o outcome) (outcome, error) {
	g := newGrams(t.norm, t.text, t.mode, sizes, r.opts.Pairs)
	if len(sizes) > 0 && g.count(r.opts.N) == 0 {
		return outcome{}, fmt.Errorf("%w: %d words, and no paragraph has the %d of an n-gram", ErrTooShort, g.words, r.opts.N)
	}
	t.entry.Words, t.entry.Parts = g.words, g.paragraphs
	if err := r.store.Add(ctx, t.entry, t.text, g.all(), g.allPairs()); errors.Is(err, store.ErrRefused) {
		return outcome{}, err
	} else if err != nil {
		return outcome{}, storeError{err}
	}
	o.words, o.grams, o.text = g.words, g.total(), t.entry.Text
	return o, nil
}

// unchanged reports whether the file has the content that was indexed.
func unchanged(ctx context.Context, f file, old store.Document) (bool, error) {
	if f.size != old.Bytes {
		return false, nil
	}
	sum, err := document.Hash(ctx, f.path)
	return sum == old.Content, err
}

// settled reports whether a file whose text may be another than that in the
// index is left as it is there, by decision.
func (r *run) settled(old store.Document, same bool) (outcome, bool, error) {
	if _, indexed := old.Grams(r.opts.N); same || !indexed || r.opts.Changed == nil {
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

// sizes returns the n to index a known document under: where its text is the
// same, the one asked for, if it is new; else, all that there are, since
// n-grams of another text are of no use.
func (r *run) sizes(old store.Document, same bool) []int {
	_, indexed := old.Grams(r.opts.N)
	if same && !r.opts.Force {
		if indexed {
			return nil
		}
		return []int{r.opts.N}
	}
	list := []int{r.opts.N}
	for _, s := range old.Sizes {
		list = append(list, s.N)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

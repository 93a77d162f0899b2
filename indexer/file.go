package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// An outcome is what became of a file, and how much was added to the store.
type outcome struct {
	unchanged, described, kept, replaced, renamed bool
	words, grams, text                            int64

	twin *twin // of a document that was left out
}

// A version is what the index has of a file.
type version struct {
	store.Document
	known   bool
	renamed bool // it has another name there
}

// A storeError is one that no other file would fare better with.
type storeError struct{ error }

// index works on one file: on the document in it, or on all of a collection.
// It counts them, and returns what ends the run or concerns the whole file.
func (r *run) index(ctx context.Context, f file) error {
	old, err := r.known(ctx, f)
	if err != nil {
		return err
	}
	if r.reads(old) {
		same, err := unchanged(ctx, f, old.Document)
		if err != nil {
			return err
		}
		if same && r.said(&f, old.Document).Equal(old.Said) {
			r.done(f, outcome{unchanged: true}, nil)
			return nil
		}
	}
	read, met := r.reading(old.Document), new(metMembers)
	left, err := r.interruption(ctx, f)
	if err != nil {
		return storeError{err}
	}
	if left != nil {
		r.wentBefore(f, left)
		if left.Done {
			return nil
		}
		left.reading(r, f, &read)
	}
	read.Known = func(doc *document.Document, whole bool) bool {
		m := f.with(doc)
		if !r.skips(ctx, m, doc, whole, met) {
			return false
		}
		left.has(store.IDOf(r.opts.Prefix, m.document()))
		return true
	}
	err = document.Each(ctx, f.path, read, func(doc *document.Document, err error) error { return r.one(ctx, f, doc, err, read, left, met) })
	r.resume.finished(ctx, f, left, err)
	if lerr := r.loseUnmet(ctx, f, met, err); lerr != nil {
		return storeError{lerr}
	}
	return err
}

// fellApart refuses a file as one text that is called as one of many documents, and of which
// the index has such: a table without its column of texts, or a dump without its beginning.
func (r *run) fellApart(ctx context.Context, f file, doc *document.Document) error {
	if doc.Path != f.path || !document.MayHoldMany(f.path) {
		return nil
	}
	held, err := r.heldFrom(ctx, f.place)
	if err != nil {
		return storeError{err}
	}
	if n := r.membersAmong(f.place, held); n > 0 {
		why := append([]string{format.Counted(n, "the index has %d document of it", "the index has %d documents of it") + ", and it would be read as one text"}, doc.Notes...)
		return fmt.Errorf("%w: %s", document.ErrDamaged, strings.Join(why, "; "))
	}
	return nil
}

// membersAmong counts the documents that the file at place holds, and is not itself.
func (r *run) membersAmong(place string, list []store.Document) (count int) {
	for _, d := range list {
		if r.names.at(&d) != place {
			count++
		}
	}
	return count
}

// loseUnmet takes for gone what the index has from a file that was read, err says how
// well, and was not found in it. Of one that held many documents, and of which something cannot be made
// out, nothing is gone.
func (r *run) loseUnmet(ctx context.Context, f file, met *metMembers, err error) error {
	if r.sync == nil || err != nil && (r.opts.Changes == nil || !textless(err)) {
		return nil
	}
	unmet, lerr := r.unmet(ctx, f.place, met.names)
	switch n := len(unmet); {
	case lerr != nil:
		return lerr
	case err == nil && !met.damaged, errors.Is(err, document.ErrEmpty), err != nil && r.membersAmong(f.place, unmet) == 0:
		for _, d := range unmet {
			r.sync.lost(d)
		}
	case n > 0:
		r.note(f.path, []string{format.Counted(n, "it is damaged: %d document that the index has was not found in it, and stays", "it is damaged: %d documents that the index has were not found in it, and stay")})
	}
	return nil
}

// unmet returns the documents of the index from the file at place that are not among
// those that it was found to hold.
func (r *run) unmet(ctx context.Context, place string, met map[string]bool) (list []store.Document, err error) {
	held := r.sync.members[place]
	if r.opts.Changes != nil {
		held, err = r.heldFrom(ctx, place)
	}
	for _, d := range held {
		if !met[d.Path] {
			list = append(list, d)
		}
	}
	return list, err
}

// one works on a document of a file, or counts why it could not be read, and returns
// what ends the run. left is what an interrupted run has left, met what the file was
// found to hold.
func (r *run) one(ctx context.Context, f file, doc *document.Document, err error, read document.Options, left *interrupted, met *metMembers) error {
	m := f.with(doc)
	o := outcome{}
	if err == nil {
		err = r.fellApart(ctx, f, doc)
	}
	if err == nil {
		o, err = r.document(ctx, m, doc, read)
	}
	if err == nil {
		left.has(store.IDOf(r.opts.Prefix, m.document()))
	}
	met.judge(err)
	if r.sync != nil && (r.opts.Changes == nil || !textless(err) || doc.Cut) {
		met.add(m.document())
	}
	var fatal storeError
	if errors.As(err, &fatal) || ctx.Err() != nil {
		return err
	}
	r.done(m, o, err)
	if !left.active() && r.due() {
		if err := r.commit(ctx); err != nil {
			return storeError{err}
		}
	}
	return nil
}

// skips reports whether a document of a container is in the index as it is there, and
// counts it then. So a run that is repeated gets to where it was as fast as the
// container is unpacked.
func (r *run) skips(ctx context.Context, f file, doc *document.Document, whole bool, met *metMembers) bool {
	old, err := r.known(ctx, f)
	if err != nil || !r.reads(old) || old.Content != doc.Content || !r.said(&f, old.Document).Equal(old.Said) {
		return false // what is wrong is found again
	}
	if !whole {
		doc.Title, doc.Author, doc.Year = cmp.Or(doc.Title, old.Title), cmp.Or(doc.Author, old.Author), cmp.Or(doc.Year, old.Year)
	}
	if !states(&old.Document, doc) || r.claim(f) != nil {
		return false
	}
	if r.sync != nil {
		met.add(f.document())
	}
	r.done(f, outcome{unchanged: true}, nil)
	return true
}

// metMembers are the documents that a file was found to hold.
type metMembers struct {
	mu      sync.Mutex
	names   map[string]bool
	damaged bool // something in the file, so that what was not found may be there
}

func (m *metMembers) add(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.names == nil {
		m.names = map[string]bool{}
	}
	m.names[name] = true
}

// judge takes note of why a member cannot be read, nil for one that can: of one that is damaged
// it is not known which document of the index it was.
func (m *metMembers) judge(err error) {
	if errors.Is(err, document.ErrDamaged) || errors.Is(err, document.ErrEncoding) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.damaged = true
	}
}

// reading returns how to read a file whose version in the index is old. An
// encoding that was given for it once is remembered, until another is given or
// it is indexed again by force.
func (r *run) reading(old store.Document) document.Options {
	read := r.opts.Read
	read.Workers = r.opts.Workers
	if read.Encoding == "" && !r.opts.Force {
		read.Encoding = old.Charset
	}
	return read
}

// reads reports whether reading the file of old again gives what the index has,
// under N and by its pairs too, if its bytes are the same.
func (r *run) reads(old version) bool {
	_, indexed := old.Grams(r.opts.N)
	return old.known && !old.renamed && indexed && (old.Paired || !r.opts.Pairs) && !r.opts.Force &&
		r.opts.Read.Reads(old.Reader, old.Format) && old.Charset == r.reading(old.Document).Encoding
}

// with returns the document as a file: f itself, or what is in the
// collection f.
func (f file) with(doc *document.Document) file {
	if doc.Path != f.path {
		f.member = strings.TrimPrefix(doc.Path, f.path)
		f.path, f.size = doc.Path, doc.Bytes
	}
	return f
}

// known returns the version of a file that is in the index, if there is one.
func (r *run) known(ctx context.Context, f file) (version, error) {
	name := r.opts.Prefix + f.document()
	old, err := r.store.Document(ctx, store.IDOf("", name))
	switch {
	case err == nil && old.Name() != name:
		return version{}, sameIDError{name, old.Name()}
	case err == nil:
		return version{Document: old, known: true}, nil
	}
	for _, name := range r.names.others(&f) {
		if !errors.Is(err, store.ErrNotFound) {
			break
		}
		old, err = r.store.Document(ctx, store.IDOf(r.opts.Prefix, name+f.member))
		if err == nil && old.Prefix == r.opts.Prefix && r.names.at(&old) == f.canonical+f.member {
			return version{Document: old, known: true, renamed: true}, nil
		}
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return version{}, storeError{fmt.Errorf("%s: %w", f.path, err)}
	}
	return version{}, nil
}

// document works on one document, which was read with these options.
func (r *run) document(ctx context.Context, f file, doc *document.Document, read document.Options) (_ outcome, err error) {
	if err := r.claim(f); err != nil {
		return outcome{}, err
	}
	old, err := r.known(ctx, f)
	if err != nil {
		return outcome{}, err
	}
	if r.reads(old) && old.Content == doc.Content && states(&old.Document, doc) && r.said(&f, old.Document).Equal(old.Said) {
		return outcome{unchanged: true}, nil
	}
	if !old.known && r.sync != nil {
		old.Document, old.known = r.sync.renamed(doc.Content)
		old.renamed = old.known
		defer func() {
			if old.known && err != nil {
				r.sync.lost(old.Document)
			}
		}()
	}
	if want := r.reading(old.Document); want.Encoding != read.Encoding { // it was read as something else was
		read = want
		if doc, err = document.Open(ctx, f.path, read); err != nil {
			return outcome{}, err
		}
	}
	t := r.take(f, doc, read)
	if err := r.stays(old, f, t); err != nil {
		return outcome{}, err
	}
	t.entry.Said = r.said(&f, old.Document)
	if !old.known {
		return r.addNew(ctx, f, doc, old, t)
	}
	return r.again(ctx, f, doc, old, t)
}

// states reports whether the index has what a document states of itself. In a
// container that can change while its text stays.
func states(old *store.Document, doc *document.Document) bool {
	return old.Title == doc.Title && old.Author == doc.Author && old.Year == doc.Year && old.Address == doc.Address && maps.Equal(old.Labels, doc.Labels)
}

// addNew works on a document that the index does not have. It gets the sizes that old
// has, which may be a document of the same content.
func (r *run) addNew(ctx context.Context, f file, doc *document.Document, old version, t *taken) (outcome, error) {
	t.pairs = t.pairs || old.Paired
	o, err := r.add(ctx, t, r.sizes(old, false), outcome{})
	if o.twin == nil {
		if err == nil && t.entry.Said.IsZero() {
			r.sync.arrived(store.IDOf(t.entry.Prefix, t.entry.Path))
		}
		r.note(f.path, doc.Notes)
		return o, err
	}
	r.dedup.left(f, o.twin)
	r.note(f.path, []string{fmt.Sprintf("left out, %v%% the same as %s", math.Floor(1000*o.twin.share)/10, o.twin.name)})
	return o, nil
}

// again works on a document that the index has already.
func (r *run) again(ctx context.Context, f file, doc *document.Document, old version, t *taken) (outcome, error) {
	same := old.TextSum == store.TextSum(t.text, t.entry.Rules, t.entry.NewLine)
	if o, settled, err := r.settled(old.Document, same); settled || err != nil {
		return o, err
	}
	sizes := r.sizes(old, same)
	if same {
		t.stays, t.entry.Copies = sizesOf(&old.Document), old.Copies
		t.pairs = t.pairs || old.Paired // they stay, so the marks have to count them
	}
	if len(sizes) == 0 {
		return r.add(ctx, t, sizes, outcome{unchanged: true, described: !old.Said.Equal(t.entry.Said) || !states(&old.Document, doc)})
	}
	r.note(f.path, doc.Notes)
	t.pairs = t.pairs || old.renamed && old.Paired
	o, err := r.add(ctx, t, sizes, outcome{replaced: !old.renamed, renamed: old.renamed})
	if err == nil && old.renamed {
		if err := r.store.Delete(ctx, old.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
			return outcome{}, storeError{err}
		}
	}
	return o, err
}

// stays refuses a file whose name is that of a document from another place with
// another content: nothing is replaced by what is something else. Where the
// content is the same, the document stays where it is.
func (r *run) stays(old version, f file, t *taken) error {
	if !old.known || old.renamed {
		return nil
	}
	place := r.names.at(&old.Document)
	if old.Prefix == r.opts.Prefix && place == f.place+f.member {
		return nil
	}
	if old.Prefix != r.opts.Prefix || old.Content != t.entry.Content {
		return takenError{f.document(), place}
	}
	t.entry.Base = old.Base
	return nil
}

// A taken is a document with all that is found out about it.
type taken struct {
	entry store.Document
	text  string
	norm  *normalize.Normalizer
	mode  normalize.Mode
	pairs bool  // to be indexed by its pairs, too
	stays []int // sizes that it is indexed under already, and stays
}

// take makes the entry of a document.
func (r *run) take(f file, doc *document.Document, read document.Options) *taken {
	norm, rules := r.opts.Norms.For(doc.Types()...)
	t := &taken{text: doc.Text, norm: norm, mode: doc.Mode(norm), pairs: r.opts.Pairs}
	t.entry = store.Document{
		Prefix: r.opts.Prefix, Path: f.document(), Base: f.base, Bytes: doc.Bytes, ModTime: doc.ModTime, Content: doc.Content,
		Format: doc.Format, Title: doc.Title, Author: doc.Author, Year: doc.Year, Address: doc.Address, Labels: doc.Labels, Rules: rules, NewLine: t.mode.String(),
		Reader: doc.Reader, Text: int64(len(doc.Text)),
	}
	if doc.Encoding != "" {
		t.entry.Charset = read.Encoding
	}
	for _, m := range doc.Marks {
		if m.Kind == document.Recognized {
			t.entry.Scanned++
		}
	}
	return t
}

// add puts a document into the store, with its n-grams of these sizes beside
// those that it keeps there. Of a size of which it has no n-gram it is not: so a
// search by that size knows that it was not searched.
func (r *run) add(ctx context.Context, t *taken, sizes []int, o outcome) (_ outcome, err error) {
	g := newGrams(t.norm, t.text, t.mode, sizes, r.store.Settings().Sample(), t.pairs, t.stays...)
	defer func() { g.release() }()
	if some := slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return g.count(n) == 0 && n != r.opts.N }); len(some) < len(sizes) {
		g.release()
		g = newGrams(t.norm, t.text, t.mode, some, r.store.Settings().Sample(), t.pairs, t.stays...)
	}
	if len(sizes) > 0 && g.count(r.opts.N) == 0 {
		words := "words"
		if g.words == 1 {
			words = "word"
		}
		return outcome{}, fmt.Errorf("%w: %d %s, and no paragraph has the %d of an n-gram", ErrTooShort, g.words, words, r.opts.N)
	}
	if r.dedup != nil && len(sizes) > 0 {
		twin, arrival, failed := r.dedup.admit(ctx, t, g, o.replaced || o.renamed)
		if twin != nil || failed != nil {
			return outcome{twin: twin, text: t.entry.Text}, failed
		}
		defer func() {
			if err == nil {
				r.dedup.arrive(arrival)
			}
		}()
	}
	t.entry.Words, t.entry.Parts = g.words, g.paragraphs
	t.entry.Marks = g.marks
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

// sizes returns the n to index a document under: where its text is the same, the
// one asked for, if it is new; else, all that there are, since n-grams of another
// text, or under another name, are of no use.
func (r *run) sizes(old version, same bool) []int {
	_, indexed := old.Grams(r.opts.N)
	if same && !r.opts.Force && !old.renamed {
		if indexed {
			return nil
		}
		return []int{r.opts.N}
	}
	list := append(sizesOf(&old.Document), r.opts.N)
	slices.Sort(list)
	return slices.Compact(list)
}

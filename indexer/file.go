package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/indexer/internal/grams"
	"github.com/otisk/otisk/indexer/ledger"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/language"
	"github.com/otisk/otisk/normalize"
	"github.com/otisk/otisk/store"
)

// A file is a file to be indexed, or a document in one.
type file struct {
	path      string // by which the walk found the file
	canonical string // absolute, with all links resolved
	reached   string // path as the walk reached it, starting at the canonical path of the argument
	size      int64
	folder    bool // a folder that is one document

	name   string // relative to its base, see namer
	base   string // key of the base
	place  string // where the base locates it: canonical or reached
	member string // for a document in a file: the rest of its path and its name
}

func fileOf(f walk.File) file {
	found := file{path: f.Path, canonical: f.Canonical, reached: f.Reached(), size: f.Info.Size(), folder: f.Info.IsDir()}
	if found.folder {
		found.size = 0
	}
	return found
}

// document returns the name of the document in the index, without its prefix.
func (f *file) document() string { return f.name + f.member }

// An outcome is the result of processing a file: what was done, and how much was added.
type outcome struct {
	ledger.Outcome
	twin  *twin // document that this one duplicates; nil unless it was left out
	there bool  // the index has the document, perhaps under another name
}

// A version is the entry of a file in the index.
type version struct {
	store.Document
	known   bool
	renamed bool // it has another name in the index
}

// A storeError is an error of the store, which ends the run.
type storeError struct{ error }

// index indexes one file: its document, or all documents of a collection. It counts them and
// returns errors that end the run or concern the whole file.
func (r *run) index(ctx context.Context, f file) error {
	old, err := r.known(ctx, f)
	if err != nil {
		return err
	}
	if r.reads(old) {
		same, err := r.unchanged(ctx, f, old.Document)
		if err != nil {
			return err
		}
		// An archive that was indexed in another mode also has documents that it no longer contains.
		if same && r.said(&f, old.Document).Equal(old.Said) && !r.sync.hasMembers(f.place) {
			r.done(f, outcome{Outcome: ledger.Outcome{Unchanged: true}}, nil)
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
		m := f.memberFile(doc)
		if !r.skips(ctx, m, doc, whole, met) {
			return false
		}
		left.addPresent(store.IDOf(r.opts.Prefix, m.document()))
		return true
	}
	err = document.Each(ctx, f.path, read, func(doc *document.Document, err error) error {
		return r.indexDocument(ctx, f, doc, err, read, left, met)
	})
	r.resume.finished(ctx, f, left, err)
	if lerr := r.loseUnmet(ctx, f, met, err); lerr != nil {
		return storeError{lerr}
	}
	return err
}

// fellApart refuses to read a file as one text if its name is that of a collection and the index
// has documents of that collection: a table that lost its text column, or a dump that lost its
// start.
func (r *run) fellApart(ctx context.Context, f file, doc *document.Document) error {
	if doc.Path != f.path || doc.Project || !document.MayHoldMany(f.path) {
		return nil
	}
	held, err := r.heldFrom(ctx, f.place)
	if err != nil {
		return storeError{err}
	}
	if n := r.membersAmong(f.place, held); n > 0 {
		why := error(phrase.Counted("said.fell-apart", "the index has {n} document of it, and it would be read as one text", "the index has {n} documents of it, and it would be read as one text", n))
		for _, note := range doc.Remarks() {
			why = fmt.Errorf("%w; %w", why, note)
		}
		return fmt.Errorf("%w: %w", document.ErrDamaged, why)
	}
	return nil
}

// noteApart notes that the index has documents of the files that a project was joined from: they are
// further sources with the same text.
func (r *run) noteApart(ctx context.Context, f file, doc *document.Document) error {
	if len(doc.Parts) == 0 || r.sync != nil {
		return nil
	}
	count := 0
	for _, name := range r.names.allOf(f.place) {
		folder := strings.TrimPrefix(path.Clean(name)+"/", "./") // the name of a base is "."
		for _, within := range []string{name + document.MemberMark, folder} {
			err := r.store.Documents(ctx, r.opts.Prefix+within, func(d store.Document) error {
				if d.Content != doc.Content && slices.Contains(doc.Parts, d.Content) {
					count++
				}
				return nil
			})
			if err != nil {
				return storeError{err}
			}
		}
	}
	if count > 0 {
		doc.Note(phrase.Counted("said.indexed-apart", "the index also has {n} document of its files, indexed apart: --sync removes it", "the index also has {n} documents of its files, indexed apart: --sync removes them", count))
	}
	return nil
}

// membersAmong counts the documents that are members of the file at place.
func (r *run) membersAmong(place string, list []store.Document) (count int) {
	return lists.Count(list, func(d store.Document) bool { return r.names.at(&d) != place })
}

// loseUnmet marks as gone the documents of the index that a file no longer contains. err is the
// error of reading the file. If a collection is damaged, none of its documents is gone.
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
		r.ledger.Note(f.path, phrase.Counted("said.damaged-stays", "it is damaged: {n} document that the index has was not found in it, and stays", "it is damaged: {n} documents that the index has were not found in it, and stay", n))
	}
	return nil
}

// unmet returns the documents of the index that come from the file at place and were not found
// in it.
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

// indexDocument indexes a document of a file, or counts the error of reading it. It returns errors that end
// the run. left is the progress of an interrupted run, met the documents found in the file.
func (r *run) indexDocument(ctx context.Context, f file, doc *document.Document, err error, read document.Options, left *interrupted, met *metMembers) error {
	m := f.memberFile(doc)
	o := outcome{}
	if err == nil {
		err = cmp.Or(r.fellApart(ctx, f, doc), r.noteApart(ctx, f, doc))
	}
	if err == nil {
		o, err = r.document(ctx, m, doc, read)
	}
	if err == nil {
		left.addPresent(store.IDOf(r.opts.Prefix, m.document()))
	}
	met.judge(err)
	if r.sync != nil && (r.opts.Changes == nil || !textless(err) || doc.Cut) {
		met.add(m.document())
	}
	var fatal storeError
	if errors.As(err, &fatal) || err != nil && ctx.Err() != nil {
		return err
	}
	r.done(m, o, err)
	if !left.active() && r.due() {
		if err := r.ledger.Commit(ctx); err != nil {
			return storeError{err}
		}
	}
	return nil
}

// skips reports whether a document of a container is in the index unchanged, and counts it as
// such. Therefore a repeated run passes known records as fast as the container can be
// decompressed.
func (r *run) skips(ctx context.Context, f file, doc *document.Document, whole bool, met *metMembers) bool {
	old, err := r.known(ctx, f)
	if err != nil || !r.reads(old) || old.Content != doc.Content || !r.said(&f, old.Document).Equal(old.Said) {
		return false // document repeats the look-up and reports the error
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
	r.done(f, outcome{Outcome: ledger.Outcome{Unchanged: true}}, nil)
	return true
}

// metMembers are the documents found in a file.
type metMembers struct {
	mu      sync.Mutex
	names   map[string]bool
	damaged bool // the file is damaged, so documents that were not found may still exist
}

func (m *metMembers) add(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	lists.Put(&m.names, name, true)
}

// judge records the error of reading a member, which may be nil. It is unknown which document of
// the index a damaged member was.
func (m *metMembers) judge(err error) {
	if errors.Is(err, document.ErrDamaged) || errors.Is(err, document.ErrEncoding) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.damaged = true
	}
}

// reading returns the options for reading a file whose entry in the index is old. An encoding
// that was given once is remembered until another one is given or Options.Force is set.
func (r *run) reading(old store.Document) document.Options {
	read := r.opts.Read
	read.Workers = r.opts.Workers
	if read.Encoding == "" && !r.opts.Force {
		read.Encoding = old.Charset
	}
	return read
}

// reads reports whether reading the file of old again would give the same entry, including N,
// pairs and keys, provided that its bytes are the same.
func (r *run) reads(old version) bool {
	return old.known && !old.renamed && len(r.lacks(old)) == 0 && (old.Paired || !r.opts.Pairs) && !r.opts.Force &&
		r.opts.Read.Reads(old.Reader, old.Format) && old.Charset == r.reading(old.Document).Encoding
}

// memberFile returns the file of a document: f itself, or the member of the collection f.
func (f file) memberFile(doc *document.Document) file {
	if doc.Path != f.path {
		f.member = strings.TrimPrefix(doc.Path, f.path)
		f.path, f.size = doc.Path, doc.Bytes
	}
	return f
}

// known returns the entry of a file in the index, if there is one.
func (r *run) known(ctx context.Context, f file) (version, error) {
	name := r.opts.Prefix + f.document()
	old, err := store.Entry(ctx, r.store, store.IDOf("", name))
	switch {
	case err == nil && old.Name() != name:
		return version{}, sameID(name, old.Name())
	case err == nil:
		return version{Document: old, known: true}, nil
	}
	for _, name := range r.names.others(&f) {
		if !errors.Is(err, store.ErrNotFound) {
			break
		}
		old, err = store.Entry(ctx, r.store, store.IDOf(r.opts.Prefix, name+f.member))
		if err == nil && old.Prefix == r.opts.Prefix && r.names.at(&old) == f.canonical+f.member {
			return version{Document: old, known: true, renamed: true}, nil
		}
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return version{}, storeError{fmt.Errorf("%s: %w", f.path, err)}
	}
	return version{}, nil
}

// document indexes one document, which was read with these options.
func (r *run) document(ctx context.Context, f file, doc *document.Document, read document.Options) (_ outcome, err error) {
	if err := r.claim(f); err != nil {
		return outcome{}, err
	}
	old, err := r.known(ctx, f)
	if err != nil {
		return outcome{}, err
	}
	if r.reads(old) && old.Content == doc.Content && states(&old.Document, doc) && r.said(&f, old.Document).Equal(old.Said) {
		return outcome{Outcome: ledger.Outcome{Unchanged: true}}, nil
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
	if want := r.reading(old.Document); want.Encoding != read.Encoding { // its entry has another encoding
		read = want
		if doc, err = document.Open(ctx, f.path, read); err != nil {
			return outcome{}, err
		}
	}
	t := r.documentOf(f, doc, read)
	if err := r.stays(old, f, t); err != nil {
		return outcome{}, err
	}
	t.entry.Said = r.said(&f, old.Document)
	if !old.known {
		return r.addNew(ctx, f, doc, old, t)
	}
	return r.again(ctx, f, doc, old, t)
}

// states reports whether the index has the metadata that a document states. In a container, that
// can change while the text stays the same.
func states(old *store.Document, doc *document.Document) bool {
	return old.Title == doc.Title && old.Author == doc.Author && old.Year == doc.Year && old.Address == doc.Address && maps.Equal(old.Labels, doc.Labels)
}

// addNew adds a document that the index does not have, with the sizes of old, which may be a
// document with the same content.
func (r *run) addNew(ctx context.Context, f file, doc *document.Document, old version, t *taken) (outcome, error) {
	if len(r.opts.Languages) > 0 {
		if code := language.CodeOf(t.text); !slices.Contains(r.opts.Languages, code) {
			r.ledger.Note(f.path, otherLanguage(code))
			return outcome{Outcome: ledger.Outcome{Foreign: true, Text: t.entry.Text}}, nil
		}
	}
	t.pairs = t.pairs || old.Paired
	o, err := r.add(ctx, t, r.sizes(old, false), outcome{})
	if o.twin == nil {
		if err == nil && t.entry.Said.IsZero() {
			r.sync.arrived(store.IDOf(t.entry.Prefix, t.entry.Path))
		}
		r.ledger.Note(f.path, doc.Remarks()...)
		return o, err
	}
	r.dedup.leaveOut(f, o.twin)
	r.ledger.Note(f.path, phrase.Error("said.left-out", "left out, {percent}% the same as {name}", "percent", math.Floor(1000*o.twin.share)/10, "name", o.twin.name))
	return o, nil
}

// otherLanguage returns the note on a document that is left out because of its language.
func otherLanguage(code string) *phrase.Phrase {
	if code == language.Unknown {
		return phrase.Error("said.unrecognized", "left out, its language is not recognized")
	}
	return phrase.Error("said.other-language", "left out, its language is {name}", "name", code)
}

// again processes a document that the index already has.
func (r *run) again(ctx context.Context, f file, doc *document.Document, old version, t *taken) (outcome, error) {
	same := old.TextSum == store.TextSum(t.text, t.entry.Rules, t.entry.NewLine)
	if o, settled, err := r.settled(old.Document, same); settled || err != nil {
		return o, err
	}
	sizes := r.sizes(old, same)
	if same {
		t.stays, t.entry.Copies = grams.SizesOf(&old.Document), old.Copies
		t.pairs = t.pairs || old.Paired // its pairs stay, so the marks must count them
	}
	if len(sizes) == 0 {
		return r.add(ctx, t, sizes, outcome{Outcome: ledger.Outcome{Unchanged: true, Described: !old.Said.Equal(t.entry.Said) || !states(&old.Document, doc)}})
	}
	r.ledger.Note(f.path, doc.Remarks()...)
	t.pairs = t.pairs || old.renamed && old.Paired
	o, err := r.add(ctx, t, sizes, outcome{Outcome: ledger.Outcome{Replaced: !old.renamed && !same, Renamed: old.renamed}, there: true})
	if err == nil && old.renamed {
		if err := r.store.Delete(ctx, old.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
			return outcome{}, storeError{err}
		}
	}
	return o, err
}

// stays refuses a file whose name belongs to a document from another place with other content, so
// that no document is replaced by an unrelated one. If the content is the same, the document
// keeps its place.
func (r *run) stays(old version, f file, t *taken) error {
	if !old.known || old.renamed {
		return nil
	}
	place := r.names.at(&old.Document)
	if old.Prefix == r.opts.Prefix && place == f.place+f.member {
		return nil
	}
	if old.Prefix != r.opts.Prefix || old.Content != t.entry.Content {
		return nameTaken(f.document(), place)
	}
	t.entry.Base = old.Base
	return nil
}

// A taken is a document to be added, with its entry.
type taken struct {
	entry store.Document
	text  string
	norm  *normalize.Normalizer
	mode  normalize.Mode
	pairs bool  // index its pairs
	stays []int // sizes that the index already has and keeps
}

// documentOf returns a document with its entry.
func (r *run) documentOf(f file, doc *document.Document, read document.Options) *taken {
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

// add adds a document to the store with its n-grams of these sizes; other sizes that the store has
// are kept. Sizes without any n-gram are not added, so that a search for such a size reports the
// document as not searched.
func (r *run) add(ctx context.Context, t *taken, sizes []int, o outcome) (_ outcome, err error) {
	g := grams.New(t.norm, t.text, t.mode, sizes, r.store.Settings().Sample(), t.pairs, t.stays...)
	defer func() { g.Release() }()
	if some := slices.DeleteFunc(slices.Clone(sizes), func(n int) bool {
		return g.Count(n) == 0 && n != r.opts.N && n != store.TranslationKeys
	}); len(some) < len(sizes) {
		g.Release()
		g = grams.New(t.norm, t.text, t.mode, some, r.store.Settings().Sample(), t.pairs, t.stays...)
	}
	if slices.Contains(sizes, r.opts.N) && g.Count(r.opts.N) == 0 {
		return outcome{}, fmt.Errorf("%w: %w", ErrTooShort, tooFew(g.Words, r.opts.N))
	}
	if r.dedup != nil && slices.Contains(sizes, r.opts.N) {
		twin, arrival, failed := r.dedup.admit(ctx, t, g, o.there)
		if twin != nil || failed != nil {
			return outcome{Outcome: ledger.Outcome{Copy: twin != nil, Text: t.entry.Text}, twin: twin}, failed
		}
		defer func() {
			if err == nil {
				r.dedup.arrive(arrival)
			}
		}()
	}
	t.entry.Words, t.entry.Parts, t.entry.Language = g.Words, g.Paragraphs, g.Code()
	t.entry.Marks = g.Marks
	if err := r.store.Add(ctx, t.entry, t.text, g.All(), g.AllPairs()); errors.Is(err, store.ErrRefused) {
		return outcome{}, err
	} else if err != nil {
		return outcome{}, storeError{err}
	}
	o.Words, o.Grams, o.Text = g.Words, g.Total(), t.entry.Text
	return o, nil
}

// unchanged reports whether the file has the content that was indexed.
func (r *run) unchanged(ctx context.Context, f file, old store.Document) (bool, error) {
	if f.folder {
		sum, err := document.FolderSum(ctx, f.path, r.reading(old))
		return sum == old.Content, err
	}
	if f.size != old.Bytes {
		return false, nil
	}
	sum, err := document.Hash(ctx, f.path)
	return sum == old.Content, err
}

// settled reports whether the entry of a changed file is kept, by the decision of Options.Changed.
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
	return outcome{Outcome: ledger.Outcome{Kept: true}}, decision == Skip, nil
}

// lacks returns the sizes that the options ask for and a document does not have.
func (r *run) lacks(old version) []int {
	return slices.DeleteFunc(r.opts.asked(), func(n int) bool {
		_, indexed := old.Grams(n)
		return indexed
	})
}

// sizes returns the sizes of n-grams to add for a document. If its text is unchanged, these are
// the ones that it lacks. Otherwise they are all sizes, since n-grams of the former text or name
// are dropped.
func (r *run) sizes(old version, same bool) []int {
	if same && !r.opts.Force && !old.renamed {
		return r.lacks(old)
	}
	list := append(grams.SizesOf(&old.Document), r.opts.asked()...)
	slices.Sort(list)
	return slices.Compact(list)
}

// tooFew states that a text of some words has no paragraph as long as an n-gram.
func tooFew(words int64, size int) error {
	return phrase.Counted("cause.too-few", "{n} word, and no paragraph has the {size} of an n-gram",
		"{n} words, and no paragraph has the {size} of an n-gram", int(words), "size", size)
}

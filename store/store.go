// Package store says what Otisk asks of the place where an index is kept: the
// hashes of every document's n-grams, a catalogue of the documents, and their
// original texts.
//
// [Reader] is what a search needs, [Store] adds writing. Package
// store/storetest holds the tests that every implementation passes; each
// sentence below about behaviour is one of them. Reads answer from the last
// commit, whatever has been added since; a failure half-way leaves that commit
// as it was.
package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/otisk/otisk/fingerprint"
)

// A Hash stands for an n-gram: 48 bits, in every store.
type Hash = fingerprint.Hash

// Errors that callers decide on. Implementations wrap them.
var (
	ErrNotFound = errors.New("document not in index")      // no document has that id
	ErrNoText   = errors.New("original text not kept")     // the document was stored without its text
	ErrNoMarks  = errors.New("marks of its text not kept") // the document was stored without them
	ErrNoIndex  = errors.New("no index there")             // nothing to open
	ErrLocked   = errors.New("index is being written to")  // another writer has it
	ErrFormat   = errors.New("index has another format")   // made by another program or version
	ErrDamaged  = errors.New("index is damaged")           // a checksum or bound is wrong
	ErrReadOnly = errors.New("index cannot be written to") // folder or cluster refuses writes
	ErrRefused  = errors.New("document refused")           // it cannot be kept; others can
	ErrLeftover = errors.New("not part of the index")      // of a write that did not end, or has not yet
	ErrAborted  = errors.New("an earlier commit failed")   // nothing can be written until the index is opened again
)

// A DocID names a document: CityHash64 of its name.
type DocID uint64

// IDOf returns the id of the document with this prefix and path.
func IDOf(prefix, path string) DocID { return DocID(fingerprint.Sum64([]byte(prefix + path))) }

// String returns the id as 16 hexadecimal digits.
func (id DocID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// A Size is one length of n-grams that a document is indexed under.
type Size struct {
	N     int   `json:"n"`     // words per n-gram
	Grams int64 `json:"grams"` // n-grams of the document
}

// A Document is the catalogue entry of one indexed file.
type Document struct {
	ID      DocID             `json:"-"`
	Prefix  string            `json:"prefix,omitempty"`
	Path    string            `json:"path"`               // relative to its base: name of the base and path there, with slashes
	Base    string            `json:"base,omitempty"`     // key of its base; "" for none: then Path is the whole path
	Bytes   int64             `json:"bytes"`              // size of the file
	ModTime time.Time         `json:"mod_time"`           // of the file, UTC, whole seconds
	Content string            `json:"content"`            // SHA-256 of the file, hexadecimal
	TextSum string            `json:"text_sum,omitempty"` // what [TextSum] says; "" in an index made before there was one
	Reader  int               `json:"reader,omitempty"`   // version of the reader of files that read it
	Charset string            `json:"charset,omitempty"`  // encoding that it was read in because it was given
	Format  string            `json:"format"`             // what it was read as: text, html, ...
	Title   string            `json:"title,omitempty"`    // where the format states one
	Author  string            `json:"author,omitempty"`   // where the format states one
	Year    int               `json:"year,omitempty"`     // likewise
	Address string            `json:"address,omitempty"`  // where it was found, where what holds it states that: a URL
	Labels  map[string]string `json:"labels,omitempty"`   // what else that states of it, by name
	Rules   string            `json:"rules,omitempty"`    // file type whose rules normalised it, "" for the general ones
	NewLine string            `json:"new_line"`           // what separated its paragraphs: true, false or blank
	Text    int64             `json:"text"`               // bytes of the original text
	Words   int64             `json:"words"`              // normalised words
	Parts   int64             `json:"paragraphs"`         // paragraphs with words
	NoText  bool              `json:"no_text,omitempty"`  // the original text is not kept
	Sizes   []Size            `json:"sizes"`              // by rising N
	Paired  bool              `json:"paired,omitempty"`   // it is indexed by its pairs of words too
	Pairs   int64             `json:"pairs,omitempty"`    // pairs of the document
	Said    Description       `json:"said,omitzero"`      // what people say of it, which counts before what its file states
	Scanned int               `json:"scanned,omitempty"`  // pages of which a program has read the text in their pictures
	Copies  []string          `json:"copies,omitempty"`   // names of documents that were left out because they are nearly the same, the first 100

	// Marks are those of the text, for Add. They are no part of the entry:
	// Pieces hands them out.
	Marks *Marks `json:"-"`
}

// TextSum identifies what n-grams are made from, which the bytes of a file do
// not: the same file read in another encoding has another text. It is the
// SHA-256 of the text as it was read, the rules that normalise it, and what
// separates its paragraphs, hexadecimal.
func TextSum(text, rules, newLine string) string {
	sum := sha256.New()
	for _, part := range []string{rules, newLine, text} {
		_, _ = fmt.Fprintf(sum, "%d\n", len(part))                     // a hash takes everything
		for buf := make([]byte, min(len(part), 32<<10)); part != ""; { // not all of it copied at once
			size := copy(buf, part)
			_, _ = sum.Write(buf[:size])
			part = part[size:]
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// SameID returns an error wrapping [ErrRefused] if d has the id of old and another
// name: an id is a hash, and two names can have one.
func (d *Document) SameID(old *Document) error {
	if d.Name() == old.Name() {
		return nil
	}
	return fmt.Errorf("its name %s has the same id as %s, which is in the index: %w", d.Name(), old.Name(), ErrRefused)
}

// Name returns prefix and path, which is what the id is made from and what
// people call the document by.
func (d *Document) Name() string { return d.Prefix + d.Path }

// Grams returns the number of n-grams of n words, and whether d is indexed
// under n at all.
func (d *Document) Grams(n int) (grams int64, ok bool) {
	for _, s := range d.Sizes {
		if s.N == n {
			return s.Grams, true
		}
	}
	return 0, false
}

// SetGrams notes that d is indexed under n.
func (d *Document) SetGrams(n int, grams int64) {
	sizes := slices.DeleteFunc(slices.Clone(d.Sizes), func(s Size) bool { return s.N == n })
	sizes = append(sizes, Size{n, grams})
	slices.SortFunc(sizes, func(a, b Size) int { return a.N - b.N })
	d.Sizes = sizes
}

// PairBlock is how many pairs of a document, in their order, share one place.
// Where a pair is must be known to see whether several are together, and a
// few words more or less do not matter for that.
const PairBlock = 16

// CommonPairs is in how many documents a pair may be to name any of them. An
// index need not keep the places of one that is in more.
const CommonPairs = 5000

// A Posting is a place where a hash occurs.
type Posting struct {
	Doc DocID
	Pos uint32 // counts the n-grams of the document from 0, or its blocks of pairs
}

// ByPlace orders postings by document, then position.
func ByPlace(a, b Posting) int {
	return cmp.Or(cmp.Compare(a.Doc, b.Doc), cmp.Compare(a.Pos, b.Pos))
}

// CountDocuments counts the documents of postings, which are in their order.
func CountDocuments(postings []Posting) (count int) {
	for i, p := range postings {
		if i == 0 || p.Doc != postings[i-1].Doc {
			count++
		}
	}
	return count
}

// A Piece is a stretch of a text, [From, To) in bytes.
type Piece struct{ From, To int64 }

// Cut returns pieces of a text, or an error where one is not in it.
func Cut(text string, pieces []Piece) ([]string, error) {
	list := make([]string, len(pieces))
	for i, p := range pieces {
		if p.From < 0 || p.To < p.From || p.To > int64(len(text)) {
			return nil, fmt.Errorf("bytes %d to %d of a text of %d", p.From, p.To, len(text))
		}
		list[i] = text[p.From:p.To]
	}
	return list, nil
}

// Limits bound what a look-up returns for one hash.
type Limits struct {
	Docs      int // a hash in more documents than this is common: counted, not listed; 0 for no limit
	Positions int // places listed in one document, the first ones; 0 for no limit
}

// OfPairs returns the limits of a look-up of pairs: one that is in more than
// [CommonPairs] documents is common in any case.
func (l Limits) OfPairs() Limits {
	if l.Docs == 0 || l.Docs > CommonPairs {
		l.Docs = CommonPairs
	}
	return l
}

// A Hit is what a look-up found for one hash.
type Hit struct {
	Hash     Hash
	Common   bool      // the hash is in more than Limits.Docs documents
	Postings []Posting // by document, then position; nil for a common hash
}

// Settings are what an index was made with. Only [Store.Recreate] changes them.
type Settings struct {
	// Normalization has every setting that the hashes depend on, by name. Two
	// texts can be compared only where all of them are equal.
	Normalization map[string]string `json:"normalization"`
	// KeepTexts says whether original texts are kept.
	KeepTexts bool `json:"keep_texts"`
	// Key is a secret that the ids in reports without names are made with, so
	// that a document has the same id in all of them. "" in older indexes.
	Key string `json:"key,omitempty"`
}

// SampleSetting is the name that Normalization has [Settings.Sample] under.
const SampleSetting = "sample"

// Sample returns the words of the shortest run that a sampled index finds for
// certain; it holds some of the n-grams of each document only, at least one of
// those in any such run, and their positions count these. It is 0 for an index
// that holds all n-grams.
func (s Settings) Sample() int {
	words, _ := strconv.Atoi(s.Normalization[SampleSetting])
	return words
}

// A SizeInfo sums up the n-grams of one length.
type SizeInfo struct {
	N         int   `json:"n"`
	Documents int64 `json:"documents"`
	Grams     int64 `json:"grams"`
	Bytes     int64 `json:"bytes"` // on disk, deleted ones not yet merged away included; 0 where unknown
}

// A PairInfo sums up the pairs of words.
type PairInfo struct {
	Documents int64 `json:"documents"` // that are indexed by their pairs
	Pairs     int64 `json:"pairs"`
	Bytes     int64 `json:"bytes"` // on disk, deleted ones not yet merged away included; 0 where unknown
}

// Info sums up an index.
type Info struct {
	Kind      string            `json:"kind"`             // embedded, memory, elasticsearch
	Name      string            `json:"name"`             // what reports call it, the same whatever keeps it; "" for one without a name
	Where     string            `json:"where"`            // folder, or hosts and name
	Format    int               `json:"format"`           // version of the layout
	Details   map[string]string `json:"details"`          // what this kind has besides, for people
	Changed   time.Time         `json:"changed,omitzero"` // when documents were added or deleted last, where that is known
	Documents int64             `json:"documents"`
	LeftOut   int64             `json:"left_out,omitempty"` // near-duplicates that are named in [Document.Copies], where somebody counted them
	TextBytes int64             `json:"text_bytes"`         // original texts, as they were
	KeptBytes int64             `json:"kept_bytes"`         // original texts, as they are kept
	Sizes     []SizeInfo        `json:"sizes"`              // by rising N
	Bases     []Base            `json:"bases"`              // what names are relative to, as [Store.SetBases] gave them
	Pairs     PairInfo          `json:"pairs"`
}

// A Reader answers from the last commit before it was opened; a commit by
// another process never changes its answers. It is safe for use by several
// goroutines at once.
type Reader interface {
	// Settings returns what the index was made with.
	Settings() Settings

	// Info sums up the index.
	Info(ctx context.Context) (Info, error)

	// Measure adds to info, which Info returned, what Info leaves out because it costs
	// a request each and a search does not need it: the bytes of each size and of the
	// pairs, and details. A store whose Info is complete adds nothing.
	Measure(ctx context.Context, info *Info) error

	// Document returns the entry of id, or an error wrapping ErrNotFound.
	Document(ctx context.Context, id DocID) (Document, error)

	// Entries calls fn with the entry of each of ids, in their order. One that no
	// document has is an error wrapping ErrNotFound. It is Document for many: a
	// server is asked for all of them in a few requests.
	Entries(ctx context.Context, ids []DocID, fn func(Document) error) error

	// Documents calls fn for each document, in ascending byte order of the names.
	// An error from fn ends the call and is returned unchanged.
	Documents(ctx context.Context, fn func(Document) error) error

	// DocumentsIn is Documents for the documents whose names begin with prefix. It
	// does not read the others.
	DocumentsIn(ctx context.Context, prefix string, fn func(Document) error) error

	// LeftOut returns the ids of the documents that are named in the Copies of
	// entries and are not in the index themselves: near-duplicates that were left out.
	LeftOut(ctx context.Context) (map[DocID]bool, error)

	// Text returns the original text of a document, or an error wrapping
	// ErrNotFound, or ErrNoText where it is not kept.
	Text(ctx context.Context, id DocID) (string, error)

	// Texts calls fn with the original text of each of ids, in their order, each by
	// its index; with an error wrapping ErrNoText where it is not kept. One that no
	// document has is an error wrapping ErrNotFound, and what fn returns ends it
	// and is returned as it is. It is Text for many: a server is asked for as many
	// at once as take some megabytes.
	Texts(ctx context.Context, ids []DocID, fn func(i int, text string, err error) error) error

	// Pieces is Texts for pieces of texts: choose names those of each of ids, given
	// its index and the marks of its text, and fn gets them. The error that fn gets
	// wraps ErrNoMarks where the index has none, as where choose returns such a one;
	// another error from choose ends it and is returned as it is. Both may be called
	// by several goroutines, one after another.
	Pieces(ctx context.Context, ids []DocID, choose func(i int, m *Marks) ([]Piece, error), fn func(i int, pieces []string, err error) error) error

	// Lookup calls fn once for each of hashes that some document has among its
	// n-grams of n words, in rising order. hashes must rise strictly. The hit
	// and its postings are valid only during the call. An error from fn stops
	// the look-up and is returned as it is. An n that no document is indexed
	// under has no hits.
	Lookup(ctx context.Context, n int, hashes []Hash, limits Limits, fn func(Hit) error) error

	// LookupPairs is Lookup for pairs of words ([fingerprint.Pair]). The Pos of a
	// posting counts blocks of [PairBlock] pairs, and a pair that is in one
	// block more than once has one posting there. A pair in more than
	// [CommonPairs] documents is common whatever the limits, and may stay so
	// when some of them are deleted.
	LookupPairs(ctx context.Context, pairs []Hash, limits Limits, fn func(Hit) error) error

	// Verify reads all that is stored, and calls problem for each checksum,
	// bound or cross-reference that is wrong, with what it concerns: an error
	// wrapping ErrDamaged. One wrapping ErrLeftover harms nothing, and goes
	// when the index is next written to. An error that Verify returns, of a
	// context that is done say, says nothing about the index.
	Verify(ctx context.Context, problem func(error)) error

	// Close releases the reader. A second Close does nothing.
	Close() error
}

// Grams are the n-grams of one document, of N words each.
type Grams struct {
	N int
	// Hashes yields all hashes in the order of their positions, in slices of
	// any length that are valid only until the next. It may be run more than
	// once, and ends early by its consumer's wish only.
	Hashes iter.Seq[[]Hash]
}

// A Store is an index that can be written to: by one process, and there by
// several goroutines at once. Its reads answer from its own last commit.
type Store interface {
	Reader

	// Add puts a document into the index with the sizes that grams has and the
	// pairs that pairs yields as [Grams] yields hashes; with nil for pairs, it is
	// not indexed by any. doc.ID, doc.TextSum, doc.Sizes, doc.Paired, doc.Pairs
	// and doc.NoText are set from the arguments and the settings. A document of
	// that id which is there already is replaced whole, except that its other
	// sizes and its pairs stay where doc.TextSum is equal to what it had: those of
	// another text do not. One that has the id of a document with another name is
	// refused, by Add or by the next Commit. Nothing can be read back before the next
	// Commit. An error leaves the document as it was; one that wraps ErrRefused concerns this
	// document alone.
	Add(ctx context.Context, doc Document, text string, grams []Grams, pairs iter.Seq[[]Hash]) error

	// Delete removes a document with all its postings and its text, or returns
	// an error wrapping ErrNotFound, which counts uncommitted changes.
	Delete(ctx context.Context, id DocID) error

	// SetBases replaces the bases of the index. It is pending until the next
	// Commit, as what is added is.
	SetBases(ctx context.Context, bases []Base) error

	// SetProgress sets how far the work has come of which the next commit is a
	// part. Only that commit keeps it: each commit drops the progress of the one
	// before, since it described the index as it was then.
	SetProgress(progress string)

	// Progress returns the progress that the last commit kept, "" for none.
	Progress(ctx context.Context) (string, error)

	// SetBookmark sets how far a source of documents, a crawl say, is in the
	// index; "" removes the bookmark. It is pending until the next Commit. Later
	// commits keep a bookmark; Recreate removes all.
	SetBookmark(name, value string)

	// Bookmark returns the bookmark of that name as of the last commit, "" for none.
	Bookmark(ctx context.Context, name string) (string, error)

	// Commit makes all pending changes visible and lasting, all at once: documents
	// added and deleted, bases, progress and bookmarks. After a crash the index has
	// either all of them or none.
	//
	// If Commit fails, for whatever reason, pending changes are dropped and the last
	// commit stays as it was; if the failure hides whether the commit was made (the
	// answer of a server was lost), the index has all of the changes or none. The
	// Store is then aborted: Add, Delete, SetBases, Commit, Optimize and Recreate return
	// an error wrapping ErrAborted until the index is opened again, so that nobody
	// takes a later commit for one that has the dropped changes. Reads still answer.
	Commit(ctx context.Context) error

	// Optimize merges what many commits left behind, so that look-ups are as
	// fast as after one, and drops what was deleted. It commits first; if that
	// fails, the Store is aborted.
	Optimize(ctx context.Context) error

	// Recreate removes every document, base and bookmark and all pending changes, and
	// gives the index these settings. It commits. An error leaves the last commit as
	// it was and aborts the Store.
	Recreate(ctx context.Context, settings Settings) error
}

// Aborted returns the error of a write to a Store that was aborted because of cause.
// It wraps [ErrAborted] and the cause; nil for no cause.
func Aborted(cause error) error {
	if cause == nil {
		return nil
	}
	return fmt.Errorf("%w, and the index must be opened again: %w", ErrAborted, cause)
}

// Package store defines what Otisk requires of an index: the hashes of the n-grams of every
// document, an entry for each document, and the original texts.
//
// [Reader] is what a search needs, [Store] adds writing, and [Sifter] is a capability that
// some readers have. Package store/storetest tests every implementation; each sentence
// below about behaviour is a test there. Reads answer from the last commit, whatever has
// been added since; an operation that fails leaves that commit unchanged.
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
	"github.com/otisk/otisk/lang/phrase"
)

// A Hash represents an n-gram by 48 bits, in every store.
type Hash = fingerprint.Hash

// Errors that callers check for. Implementations wrap them.
var (
	ErrNotFound error = phrase.Error("said.not-in-index", "document not in index")            // no document has that id
	ErrNoText   error = phrase.Error("damage.no-text", "original text not kept")              // the document was stored without its text
	ErrNoMarks        = errors.New("marks of its text not kept")                              // the text was stored without marks
	ErrNoIndex  error = phrase.Error("said.no-index", "no index there")                       // there is nothing to open
	ErrLocked   error = phrase.Error("said.locked", "index is being written to")              // another writer has it
	ErrFormat   error = phrase.Error("said.index-format", "the index has a different format") // another program or version made it
	ErrDamaged  error = phrase.Error("said.index-damaged", "index is damaged")                // a checksum or bound is wrong
	ErrReadOnly error = phrase.Error("damage.read-only", "index cannot be written to")        // the folder or cluster refuses writes
	ErrRefused  error = phrase.Error("damage.refused", "document refused")                    // this document cannot be stored; others can
	ErrLeftover error = phrase.Error("damage.not-part", "not part of the index")              // from a write that was interrupted, or is in progress
	ErrAborted  error = phrase.Error("damage.aborted", "an earlier commit failed")            // no change is possible until the index is opened again
)

// A DocID identifies a document: CityHash64 of its name.
type DocID uint64

// IDOf returns the id of the document with this prefix and path.
func IDOf(prefix, path string) DocID { return DocID(fingerprint.Sum64([]byte(prefix + path))) }

// String returns the id as 16 hexadecimal digits.
func (id DocID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// TranslationKeys stands for the list of keys by which translations are found, in place of the
// number of words of n-grams. A store treats the list like n-grams of that many words; a
// document may have none, because its language is unknown. Package language makes the keys.
const TranslationKeys = 1<<16 - 1

// A Size is one length of n-grams that a document is indexed under.
type Size struct {
	N     int   `json:"n"`     // words per n-gram, or TranslationKeys
	Grams int64 `json:"grams"` // n-grams of the document
}

// A Document is the entry of one indexed file.
type Document struct {
	ID       DocID             `json:"-"`
	Prefix   string            `json:"prefix,omitempty"`
	Path     string            `json:"path"`               // relative to its base: name of the base and path there, with slashes
	Base     string            `json:"base,omitempty"`     // key of its base; "" for none: then Path is the whole path
	Bytes    int64             `json:"bytes"`              // size of the file
	ModTime  time.Time         `json:"mod_time"`           // modification time of the file, UTC, in whole seconds
	Content  string            `json:"content"`            // SHA-256 of the file, hexadecimal
	TextSum  string            `json:"text_sum,omitempty"` // what [TextSum] says; "" in an index made before there was one
	Reader   int               `json:"reader,omitempty"`   // version of the reader that extracted the text
	Charset  string            `json:"charset,omitempty"`  // encoding that it was read in because it was given
	Format   string            `json:"format"`             // format as which it was read: text, html, ...
	Title    string            `json:"title,omitempty"`    // where the format states one
	Author   string            `json:"author,omitempty"`   // where the format states one
	Year     int               `json:"year,omitempty"`     // likewise
	Address  string            `json:"address,omitempty"`  // where it was found, where what holds it states that: a URL
	Labels   map[string]string `json:"labels,omitempty"`   // other metadata in the file, by name
	Rules    string            `json:"rules,omitempty"`    // file type whose rules normalised it, "" for the general ones
	NewLine  string            `json:"new_line"`           // what separated its paragraphs: true, false or blank
	Text     int64             `json:"text"`               // bytes of the original text
	Words    int64             `json:"words"`              // normalised words
	Parts    int64             `json:"paragraphs"`         // paragraphs with words
	NoText   bool              `json:"no_text,omitempty"`  // the original text is not kept
	Sizes    []Size            `json:"sizes"`              // by rising N
	Paired   bool              `json:"paired,omitempty"`   // it is indexed by its pairs of words too
	Pairs    int64             `json:"pairs,omitempty"`    // pairs of the document
	Said     Description       `json:"said,omitzero"`      // metadata set by users; overrides the metadata in the file
	Scanned  int               `json:"scanned,omitempty"`  // pages of which a program has read the text in their pictures
	Language string            `json:"language,omitempty"` // code of ISO 639-1, as detected; "" if unknown
	Copies   []string          `json:"copies,omitempty"`   // names of documents that were left out because they are nearly the same, the first 100

	// Marks are the marks of the text, for Add. The entry does not contain them:
	// Texts.Pieces passes them to its caller.
	Marks *Marks `json:"-"`
}

// TextSum identifies the source of n-grams, which the bytes of a file do not: the same file
// read in another encoding gives another text. It is the SHA-256 of the rules that
// normalise the text, the paragraph separator and the text, in hexadecimal digits.
func TextSum(text, rules, newLine string) string {
	sum, buf := sha256.New(), make([]byte, 4<<10) // larger copies leave the cache
	for _, part := range []string{rules, newLine, text} {
		_, _ = fmt.Fprintf(sum, "%d\n", len(part)) // a hash takes everything
		for part != "" {
			size := copy(buf, part)
			_, _ = sum.Write(buf[:size])
			part = part[size:]
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// SameID returns an error wrapping [ErrRefused] if d and old have the same id and different
// names, which is possible because an id is a hash.
func (d *Document) SameID(old *Document) error {
	if d.Name() == old.Name() {
		return nil
	}
	return phrase.Error("index.same-id-there", "its name {name} has the same id as {other}, which is in the index: {cause}", "name", d.Name(), "other", old.Name(), "cause", ErrRefused)
}

// Name returns prefix and path. The id is the hash of the name.
func (d *Document) Name() string { return d.Prefix + d.Path }

// Grams returns the number of n-grams of n words; ok is false if d is not indexed under n.
func (d *Document) Grams(n int) (grams int64, ok bool) {
	for _, s := range d.Sizes {
		if s.N == n {
			return s.Grams, true
		}
	}
	return 0, false
}

// Keyed reports whether d is indexed by keys for translations.
func (d *Document) Keyed() bool {
	_, ok := d.Grams(TranslationKeys)
	return ok
}

// NGrams returns the sizes of d without [TranslationKeys].
func (d *Document) NGrams() []Size {
	return slices.DeleteFunc(slices.Clone(d.Sizes), func(s Size) bool { return s.N == TranslationKeys })
}

// SetGrams records that d is indexed under n.
func (d *Document) SetGrams(n int, grams int64) {
	sizes := slices.DeleteFunc(slices.Clone(d.Sizes), func(s Size) bool { return s.N == n })
	sizes = append(sizes, Size{n, grams})
	slices.SortFunc(sizes, func(a, b Size) int { return a.N - b.N })
	d.Sizes = sizes
}

// PairBlock is the number of consecutive pairs of a document that share one position.
// Positions of pairs serve to find pairs that are close together, for which a few words do
// not matter.
const PairBlock = 16

// CommonPairs is the number of documents above which a pair is common and names none of
// them. An index need not store the positions of such a pair.
const CommonPairs = 5000

// A Posting is an occurrence of a hash.
type Posting struct {
	Doc DocID
	Pos uint32 // counts the n-grams of the document from 0, or its blocks of pairs
}

// ByPlace orders postings by document, then position.
func ByPlace(a, b Posting) int {
	return cmp.Or(cmp.Compare(a.Doc, b.Doc), cmp.Compare(a.Pos, b.Pos))
}

// CountDocuments counts the documents in sorted postings.
func CountDocuments(postings []Posting) (count int) {
	for i, p := range postings {
		if i == 0 || p.Doc != postings[i-1].Doc {
			count++
		}
	}
	return count
}

// A Piece is a range [From, To) of bytes of a text.
type Piece struct{ From, To int64 }

// Cut returns pieces of a text, or an error if a piece is out of range.
func Cut(text string, pieces []Piece) ([]string, error) {
	list := make([]string, len(pieces))
	for i, p := range pieces {
		if p.From < 0 || p.To < p.From || p.To > int64(len(text)) {
			return nil, phrase.Error("damage.range", "bytes {from} to {to} of a text of {all}", "from", p.From, "to", p.To, "all", len(text))
		}
		list[i] = text[p.From:p.To]
	}
	return list, nil
}

// Limits bound the result of a look-up for one hash.
type Limits struct {
	Docs      int // a hash in more documents than this is common: counted, not listed; 0 for no limit
	Positions int // places listed in one document, the first ones; 0 for no limit
}

// OfPairs returns the limits for a look-up of pairs: Docs is at most [CommonPairs].
func (l Limits) OfPairs() Limits {
	if l.Docs == 0 || l.Docs > CommonPairs {
		l.Docs = CommonPairs
	}
	return l
}

// A Hit is the result of a look-up for one hash.
type Hit struct {
	Hash     Hash
	Common   bool      // the hash is in more than Limits.Docs documents
	Postings []Posting // by document, then position; nil for a common hash
}

// Settings are fixed when an index is created. Only [Store.Recreate] changes them.
type Settings struct {
	// Normalization holds every setting that affects the hashes, by name. Two texts can be
	// compared only if all of them are equal.
	Normalization map[string]string `json:"normalization"`
	// KeepTexts reports whether the index stores original texts.
	KeepTexts bool `json:"keep_texts"`
	// Key is a secret from which reports without names derive ids, so that a document has
	// the same id in all of them. It may be empty.
	Key string `json:"key,omitempty"`
}

// SampleSetting is the name of [Settings.Sample] in Normalization.
const SampleSetting = "sample"

// Sample returns the number of words of the shortest run that a sampled index finds for
// certain, 0 for an index of all n-grams. A sampled index holds some of the n-grams of each
// document, at least one in any run of that length, and numbers their positions without
// gaps.
func (s Settings) Sample() int {
	words, _ := strconv.Atoi(s.Normalization[SampleSetting])
	return words
}

// ErrSampleTexts means that an index is set to be sampled and to keep no texts.
var ErrSampleTexts error = phrase.Error("damage.sample-texts", "an index with a sample of the n-grams must keep the texts, where a search finds the other n-grams")

// Check returns ErrSampleTexts if documents cannot be added with these settings.
func (s Settings) Check() error {
	if s.Sample() > 0 && !s.KeepTexts {
		return ErrSampleTexts
	}
	return nil
}

// A SizeInfo summarises the n-grams of one size.
type SizeInfo struct {
	N         int   `json:"n"`
	Documents int64 `json:"documents"`
	Grams     int64 `json:"grams"`
	Bytes     int64 `json:"bytes"` // on disk, deleted ones not yet merged away included; 0 where unknown
}

// A PairInfo summarises the pairs of words.
type PairInfo struct {
	Documents int64 `json:"documents"` // that are indexed by their pairs
	Pairs     int64 `json:"pairs"`
	Bytes     int64 `json:"bytes"` // on disk, deleted ones not yet merged away included; 0 where unknown
}

// Info summarises an index.
type Info struct {
	Kind      string            `json:"kind"`             // embedded, memory, elasticsearch
	Name      string            `json:"name"`             // what reports call it, the same whatever keeps it; "" for one without a name
	Where     string            `json:"where"`            // folder, or hosts and name
	Format    int               `json:"format"`           // version of the layout
	Details   map[string]string `json:"details"`          // further details of this kind, for people
	Changed   time.Time         `json:"changed,omitzero"` // when documents were added or deleted last, where that is known
	Documents int64             `json:"documents"`
	LeftOut   int64             `json:"left_out,omitempty"` // near-duplicates that are named in [Document.Copies], where somebody counted them
	TextBytes int64             `json:"text_bytes"`         // original texts, as they were
	KeptBytes int64             `json:"kept_bytes"`         // original texts, as they are kept
	Sizes     []SizeInfo        `json:"sizes"`              // by rising N
	Bases     []Base            `json:"bases"`              // what names are relative to, as SetBases of [Store] gave them
	Pairs     PairInfo          `json:"pairs"`
}

// NGrams returns the sizes of the index without [TranslationKeys].
func (i *Info) NGrams() []SizeInfo {
	return slices.DeleteFunc(slices.Clone(i.Sizes), func(s SizeInfo) bool { return s.N == TranslationKeys })
}

// Keys returns the summary of the keys for translations, the zero value if there are none.
func (i *Info) Keys() SizeInfo {
	for _, s := range i.Sizes {
		if s.N == TranslationKeys {
			return s
		}
	}
	return SizeInfo{}
}

// A Reader answers from the last commit before it was opened; a commit by another process
// never changes its answers. It is safe for concurrent use.
type Reader interface {
	Index

	// Verify reads everything that is stored, and calls problem with an error wrapping
	// ErrDamaged for each wrong checksum, bound or cross-reference. An error wrapping
	// ErrLeftover reports something harmless that the next writer removes. The error that
	// Verify returns, such as that of a cancelled context, is not about the index.
	Verify(ctx context.Context, problem func(error)) error

	// Close releases the reader. A second Close does nothing.
	Close() error
}

// An Index is what a search reads.
type Index interface {
	Summary
	Catalogue
	Texts
	Lookups
}

// A Summary describes an index as a whole.
type Summary interface {
	// Settings returns the settings of the index.
	Settings() Settings

	// Info returns a summary of the index.
	Info(ctx context.Context) (Info, error)

	// Measure adds to info, the result of Info, the figures that cost a request each and
	// that searches do not need: the bytes of each size and of the pairs, and details. It
	// does nothing if Info is complete.
	Measure(ctx context.Context, info *Info) error
}

// A Catalogue has the entries of the documents. See also [Entry].
type Catalogue interface {
	// Entries calls fn with the entry of each of ids, in their order. If an id belongs to
	// no document, it returns an error wrapping ErrNotFound. A store on a
	// server reads them in a few requests.
	Entries(ctx context.Context, ids []DocID, fn func(Document) error) error

	// Documents calls fn for each document whose name begins with prefix, in ascending
	// byte order of the names. It does not read the others. An error from fn ends the call
	// and is returned unchanged.
	Documents(ctx context.Context, prefix string, fn func(Document) error) error

	// LeftOut returns the ids of the documents that are named in the Copies of
	// entries and are not in the index themselves: near-duplicates that were left out.
	LeftOut(ctx context.Context) (map[DocID]bool, error)
}

// Texts are the original texts of the documents. See also [TextOf].
type Texts interface {
	// Texts calls fn with the index and the original text of each of ids, in their order.
	// If a text is not kept, fn gets an error wrapping ErrNoText. If an id belongs to no
	// document, Texts returns an error wrapping ErrNotFound. An error from fn ends the call
	// and is returned unchanged. A store on a server reads some megabytes per request.
	Texts(ctx context.Context, ids []DocID, fn func(i int, text string, err error) error) error

	// Pieces is Texts for pieces of texts. For each of ids it calls choose with the index
	// and the marks of the text, and fn with the pieces that choose returned. If the text
	// has no marks, or choose returns an error wrapping ErrNoMarks, fn gets an error
	// wrapping ErrNoMarks; any other error from choose ends the call and is returned
	// unchanged. Calls of choose and fn do not overlap, but may come from several
	// goroutines.
	Pieces(ctx context.Context, ids []DocID, choose func(i int, m *Marks) ([]Piece, error), fn func(i int, pieces []string, err error) error) error
}

// Lookups find documents by their n-grams and pairs of words.
type Lookups interface {
	// Lookup calls fn once for each of hashes that some document has among its n-grams of n
	// words, in ascending order. hashes must be strictly ascending. The hit and its
	// postings are valid only during the call. An error from fn ends the look-up and is
	// returned unchanged. If no document is indexed under n, there are no hits.
	Lookup(ctx context.Context, n int, hashes []Hash, limits Limits, fn func(Hit) error) error

	// LookupPairs is Lookup for pairs of words ([fingerprint.Pair]). The Pos of a posting
	// counts blocks of [PairBlock] pairs, and a pair that occurs several times in one block
	// has one posting there. A pair in more than [CommonPairs] documents is common whatever
	// the limits, and may stay common after some of the documents are deleted.
	LookupPairs(ctx context.Context, pairs []Hash, limits Limits, fn func(Hit) error) error

	// NearPairs returns a finder of the places where documents have several pairs of a
	// suspect near each other. Its weights and limits count documents as LookupPairs does.
	// The finder is valid until the reader is closed.
	NearPairs(ctx context.Context, q PairQuery) (PairFinder, error)
}

// Grams are the n-grams of one document, of N words each.
type Grams struct {
	N int
	// Hashes yields all hashes in the order of their positions, in slices that are valid
	// until the next one. It can be iterated several times, and stops early only if its
	// consumer does.
	Hashes iter.Seq[[]Hash]
}

// A Store is an index open for writing, by one process and there by several goroutines at
// once. Its reads answer from its own last commit.
type Store interface {
	Reader
	Adder
	Journal

	// Commit makes all pending changes visible and durable, atomically: documents added and
	// deleted, bases, progress and bookmarks. After a crash the index has either all of
	// them or none.
	//
	// If Commit fails for any reason, the pending changes are dropped and the last commit
	// is unchanged. If the failure hides whether the commit was made (the answer of a
	// server was lost), the index has all of the changes or none. The Store is then
	// aborted: Add, Delete, SetBases, Commit, Optimize and Recreate return an error
	// wrapping ErrAborted until the index is opened again, so that no later commit is
	// mistaken for one that includes the dropped changes. Reads continue to work.
	Commit(ctx context.Context) error

	// Optimize merges the results of many commits, so that look-ups are as fast as after
	// one, and drops deleted documents. It commits first; if that fails, the Store is
	// aborted.
	Optimize(ctx context.Context) error

	// Recreate removes every document, base and bookmark and all pending changes, sets the
	// settings, and commits. An error leaves the last commit unchanged and aborts the
	// Store.
	Recreate(ctx context.Context, settings Settings) error
}

// An Adder changes documents. Its changes are pending until the next Commit.
type Adder interface {
	// Add adds a document with the n-grams of grams and the pairs that pairs yields, as
	// [Grams] yields hashes. If pairs is nil, the document is not indexed by pairs. Add
	// sets doc.ID, doc.TextSum, doc.Sizes, doc.Paired, doc.Pairs and doc.NoText from the
	// arguments and the settings. It replaces a document with the same name completely,
	// except that sizes and pairs that the arguments lack are kept if doc.TextSum is
	// unchanged. If a document with another name has the same id, Add or the next Commit
	// returns an error wrapping ErrRefused. Nothing can be read back before the next
	// Commit. An error leaves the document unchanged; if it wraps ErrRefused, it concerns
	// this document alone.
	Add(ctx context.Context, doc Document, text string, grams []Grams, pairs iter.Seq[[]Hash]) error

	// Delete removes a document with its postings and its text. If there is none, pending
	// changes included, it returns an error wrapping ErrNotFound.
	Delete(ctx context.Context, id DocID) error

	// SetBases replaces the bases of the index. The change is pending until the next
	// Commit.
	SetBases(ctx context.Context, bases []Base) error
}

// A Journal records how far work on an index has come.
type Journal interface {
	// SetProgress sets how far the work has come that the next commit is part of. That
	// commit alone keeps it: each commit drops the progress of the one before, which
	// described an earlier state of the index.
	SetProgress(progress string)

	// Progress returns the progress as of the last commit, "" for none.
	Progress(ctx context.Context) (string, error)

	// SetBookmark records how far a source of documents, such as a crawl, is in the index;
	// "" removes the bookmark. The change is pending until the next Commit. Later commits
	// keep bookmarks; Recreate removes them.
	SetBookmark(name, value string)

	// Bookmark returns a bookmark as of the last commit, "" for none.
	Bookmark(ctx context.Context, name string) (string, error)
}

// Aborted returns the error for a change of a Store that was aborted because of cause. It
// wraps [ErrAborted] and the cause. For a nil cause it returns nil.
func Aborted(cause error) error {
	if cause == nil {
		return nil
	}
	return phrase.Error("damage.reopen", "{aborted}, and the index must be opened again: {cause}", "aborted", ErrAborted, "cause", cause)
}

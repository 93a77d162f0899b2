package segment

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/otisk/otisk/store"
)

// A catalogue knows the documents of one generation. It is safe for use by
// several goroutines.
type catalogue interface {
	// get returns the record of a document, nil if there is none.
	get(id store.DocID) (*record, error)

	// owner returns the document that a live number was given to.
	owner(number uint64) (id store.DocID, ok bool, err error)

	// walk calls fn for each record whose name is not below from, by rising
	// name. An error from fn is returned as it is.
	walk(ctx context.Context, from string, fn func(*record) error) error

	// check reads all there is, and reports what does not add up. It returns
	// how many numbers are live.
	check(problem func(error)) (live int, err error)

	close() error
}

// An index is what a catalogue says of the whole.
type index struct {
	Settings   store.Settings  `json:"settings"`
	Changed    time.Time       `json:"changed,omitzero"` // when documents were added or deleted last; older programs do not say
	NextNumber uint64          `json:"next_number"`      // of a document's n-grams
	NextFile   uint64          `json:"next_file"`        // number in a file's name
	Documents  int64           `json:"documents"`
	TextBytes  int64           `json:"text_bytes"` // of the texts as they were
	KeptBytes  int64           `json:"kept_bytes"` // as they are kept
	Sizes      map[int]total   `json:"sizes"`      // by n
	Pairs      total           `json:"pairs,omitzero"`
	Copies     *int64          `json:"copies,omitempty"`   // names of documents that were left out; nil once an older program has committed
	Segments   []segmentRecord `json:"segments"`           // by rising file
	Tables     []tableRecord   `json:"tables"`             // from the oldest on; none in version 2
	Packs      []packRecord    `json:"packs"`              // by rising file
	Bases      []store.Base    `json:"bases,omitempty"`    // that names are relative to
	Progress   string          `json:"progress,omitempty"` // of an indexer, as of this commit; a commit of another program drops it

	Bookmarks map[string]string `json:"bookmarks,omitempty"` // how far sources of documents are in the index, by name
}

// A total sums up the n-grams of one n, or the pairs.
type total struct {
	Documents int64 `json:"documents"`
	Grams     int64 `json:"grams"`
}

// A segmentRecord lists a segment.
type segmentRecord struct {
	File  uint64 `json:"file"`
	N     int    `json:"n"` // 0 for pairs
	Bytes int64  `json:"bytes"`
	Grams int64  `json:"grams"` // dead ones included
	Dead  int64  `json:"dead"`
	Sum   uint32 `json:"crc32c,omitempty"` // that its footer has; older programs do not say
}

// A packRecord lists a file of texts.
type packRecord struct {
	File   uint64 `json:"file"`
	Length int64  `json:"length"` // what lies past it is not committed
	Live   int64  `json:"live"`   // bytes that documents refer to
}

// A tableRecord lists a table of documents.
type tableRecord struct {
	File  uint64 `json:"file"`
	Bytes int64  `json:"bytes"`
	Sum   uint32 `json:"crc32c"` // that its footer has
}

// A record is the catalogue entry of a document. The name is the key, because
// a path may hold bytes that JSON cannot.
type record struct {
	store.Document
	PrefixLen int      `json:"prefix_length,omitempty"` // the part of the name that is the prefix
	Numbers   []uint64 `json:"numbers"`                 // by size
	Place     *place   `json:"place,omitempty"`         // of the text, nil for none

	PairNumber uint64 `json:"pair_number,omitempty"` // of the pairs, if it has any
}

// numbers returns the numbers of all that the document is indexed by.
func (r *record) numbers() []uint64 {
	if !r.Paired {
		return r.Numbers
	}
	return append(slices.Clone(r.Numbers), r.PairNumber)
}

// A place is where a text is kept.
type place struct {
	Pack   uint64 `json:"pack"`
	Offset int64  `json:"offset"`
	Stored int64  `json:"stored"` // bytes there
	Sum    uint32 `json:"crc32c"` // of them
	Length int64  `json:"length"` // bytes of the text
}

func encodeRecord(r record) ([]byte, error) {
	r.PrefixLen, r.Prefix, r.Path = len(r.Prefix), "", ""
	return json.Marshal(r)
}

func decodeRecord(name, value []byte) (r record, err error) {
	err = r.decode(name, value, false)
	return r, err
}

// decode reads an entry into r. Where it is had for a moment only, what r has may be
// written over.
func (r *record) decode(name, value []byte, moment bool) error {
	r.empty()
	if !quickRecord(value, r, moment) {
		*r = record{}
		if err := json.Unmarshal(value, r); err != nil {
			return fmt.Errorf("entry of %q: %w: %w", name, store.ErrDamaged, err)
		}
	}
	if r.PrefixLen < 0 || r.PrefixLen > len(name) || len(r.Numbers) != len(r.Sizes) {
		return fmt.Errorf("entry of %q does not add up: %w", name, store.ErrDamaged)
	}
	r.Prefix, r.Path = string(name[:r.PrefixLen]), string(name[r.PrefixLen:])
	r.ID = store.IDOf(r.Prefix, r.Path)
	return nil
}

// empty makes r one that says nothing, with room for what the next one says.
func (r *record) empty() {
	labels, said, sizes, numbers := r.Labels, r.Said.Labels, r.Sizes[:0], r.Numbers[:0]
	clear(labels)
	clear(said)
	*r = record{Numbers: numbers}
	r.Labels, r.Said.Labels, r.Sizes = labels, said, sizes
}

// number returns the number of the n-grams of n words.
func (r *record) number(n int) (number uint64, ok bool) {
	for i, s := range r.Sizes {
		if s.N == n {
			return r.Numbers[i], true
		}
	}
	return 0, false
}

// set notes n-grams of n words under a number.
func (r *record) set(n int, number uint64, grams int64) {
	i, found := slices.BinarySearchFunc(r.Sizes, n, func(s store.Size, n int) int { return s.N - n })
	if found {
		r.Sizes[i], r.Numbers[i] = store.Size{N: n, Grams: grams}, number
		return
	}
	r.Sizes = slices.Insert(r.Sizes, i, store.Size{N: n, Grams: grams})
	r.Numbers = slices.Insert(r.Numbers, i, number)
}

// count adds a record to the sums, or takes it out where sign is -1.
func (x *index) count(r *record, sign int64) {
	x.Documents += sign
	x.TextBytes += sign * r.Text
	for _, s := range r.Sizes {
		t := x.Sizes[s.N]
		t.Documents += sign
		t.Grams += sign * s.Grams
		x.Sizes[s.N] = t
		if t.Documents == 0 {
			delete(x.Sizes, s.N)
		}
	}
	if x.Copies != nil {
		*x.Copies += sign * int64(len(r.Copies))
	}
	if r.Paired {
		x.Pairs.Documents += sign
		x.Pairs.Grams += sign * r.Pairs
	}
	if r.Place == nil {
		return
	}
	x.KeptBytes += sign * r.Place.Stored
	for i := range x.Packs {
		if x.Packs[i].File == r.Place.Pack {
			x.Packs[i].Live += sign * r.Place.Stored
		}
	}
}

// clone returns a copy that can be changed.
func (x *index) clone() *index {
	c := *x
	c.Sizes = maps.Clone(x.Sizes)
	if c.Sizes == nil {
		c.Sizes = map[int]total{}
	}
	c.Segments, c.Packs, c.Bases = slices.Clone(x.Segments), slices.Clone(x.Packs), slices.Clone(x.Bases)
	c.Tables, c.Bookmarks = slices.Clone(x.Tables), maps.Clone(x.Bookmarks)
	if x.Copies != nil {
		copies := *x.Copies
		c.Copies = &copies
	}
	return &c
}

package segment

import (
	"maps"
	"slices"
	"time"

	"github.com/otisk/otisk/store"
)

// An index is the content of a manifest.
type index struct {
	Settings   store.Settings  `json:"settings"`
	Changed    time.Time       `json:"changed,omitzero"` // when documents were added or deleted last
	NextNumber uint64          `json:"next_number"`      // next number for n-grams of a document
	NextFile   uint64          `json:"next_file"`        // next number for a file name
	Documents  int64           `json:"documents"`
	TextBytes  int64           `json:"text_bytes"` // of the texts as they were
	KeptBytes  int64           `json:"kept_bytes"` // as they are kept
	Sizes      map[int]total   `json:"sizes"`      // by n
	Pairs      total           `json:"pairs,omitzero"`
	Copies     int64           `json:"copies,omitempty"`   // names in the Copies of all documents
	Segments   []segmentRecord `json:"segments"`           // by ascending file
	Tables     []tableRecord   `json:"tables"`             // the oldest first
	Packs      []packRecord    `json:"packs"`              // by ascending file
	Bases      []store.Base    `json:"bases,omitempty"`    // that names are relative to
	Progress   string          `json:"progress,omitempty"` // of an indexer, as of this commit

	Bookmarks map[string]string `json:"bookmarks,omitempty"` // how far sources of documents are in the index, by name
}

// A total counts the documents and n-grams of one n, or those of pairs.
type total struct {
	Documents int64 `json:"documents"`
	Grams     int64 `json:"grams"`
}

// A segmentRecord describes a segment.
type segmentRecord struct {
	File  uint64 `json:"file"`
	N     int    `json:"n"` // 0 for pairs
	Bytes int64  `json:"bytes"`
	Grams int64  `json:"grams"` // dead ones included
	Dead  int64  `json:"dead"`
	Sum   uint32 `json:"crc32c"` // of its footer
}

// A packRecord describes a pack of texts.
type packRecord struct {
	File   uint64 `json:"file"`
	Length int64  `json:"length"` // what lies past it is not committed
	Live   int64  `json:"live"`   // bytes that documents refer to
}

// A tableRecord describes a table of documents.
type tableRecord struct {
	File  uint64 `json:"file"`
	Bytes int64  `json:"bytes"`
	Sum   uint32 `json:"crc32c"` // of its footer
}

// A record is the entry of a document in a table (entry.go).
type record struct {
	store.Document
	Numbers    []uint64 // by size, parallel to Sizes
	PairNumber uint64   // of the pairs, if Paired
	Place      *place   // of the text; nil for none

	prefixLen uint64 // length of the prefix in the name
}

// numbers returns the numbers of all n-grams and pairs of the document.
func (r *record) numbers() []uint64 {
	if !r.Paired {
		return r.Numbers
	}
	return append(slices.Clone(r.Numbers), r.PairNumber)
}

// A place says where a text is stored.
type place struct {
	Pack   uint64
	Offset int64
	Stored int64  // bytes in the pack
	Sum    uint32 // crc32c of those bytes
	Length int64  // bytes of the text
}

// number returns the number under which the n-grams of n words are indexed.
func (r *record) number(n int) (number uint64, ok bool) {
	for i, s := range r.Sizes {
		if s.N == n {
			return r.Numbers[i], true
		}
	}
	return 0, false
}

// set records n-grams of n words under a number.
func (r *record) set(n int, number uint64, grams int64) {
	i, found := slices.BinarySearchFunc(r.Sizes, n, func(s store.Size, n int) int { return s.N - n })
	if found {
		r.Sizes[i], r.Numbers[i] = store.Size{N: n, Grams: grams}, number
		return
	}
	r.Sizes = slices.Insert(r.Sizes, i, store.Size{N: n, Grams: grams})
	r.Numbers = slices.Insert(r.Numbers, i, number)
}

// count adds a record to the totals, or subtracts it if sign is -1.
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
	x.Copies += sign * int64(len(r.Copies))
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

// clone returns a copy that can be modified.
func (x *index) clone() *index {
	c := *x
	c.Sizes = maps.Clone(x.Sizes)
	if c.Sizes == nil {
		c.Sizes = map[int]total{}
	}
	c.Segments, c.Packs, c.Bases = slices.Clone(x.Segments), slices.Clone(x.Packs), slices.Clone(x.Bases)
	c.Tables, c.Bookmarks = slices.Clone(x.Tables), maps.Clone(x.Bookmarks)
	return &c
}

package esclient

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/otisk/otisk/store"
)

// The layout, version 1. Of an index called NAME there are:
//
//	NAME-documents  the catalogue: an entry for each version of a document, and the head
//	NAME-texts      original texts, in chunks
//	NAME-7gram      n-grams of 7 words, in blocks; likewise for each other size
//	NAME-pairs      pairs of words, in blocks
//
// These are aliases. They lead to NAME-documents-1 and so on; the number,
// the build, rises by one when the whole is started again. The mapping of each has
// in _meta who made it, the version of the layout, and its part.
//
// Each has a second alias, NAME-documents-1-writes and so on, and everything is
// written by way of that, with require_alias. To the name of an index that is
// gone the server would write, too: it would make one with a mapping of its own
// guess, in which most of the n-grams are missing and none of the new ones is
// found.
//
// A part of a document is written under a generation, a number that is never
// used twice. A block has
//
//	_id  generation and number of the block, 24 hexadecimal digits
//	gen  the generation
//	no   the number of the block in its part, from 0
//	h    its hashes in the order of their positions: 8 characters of base64
//	     each (48 bits, the URL-safe alphabet), separated by blanks
//
// The field h is searched word by word and kept in _source, and that is all:
// no doc values, norms or frequencies. A block has 256 n-grams, or 16 pairs, and
// the last one of a part has the rest. Hash number i of block no of n-grams is at
// position 256·no+i; pairs of one block share a place. Example: the hashes 1 and
// 2^48-1 of generation 4294967297:
//
//	PUT NAME-7gram/_create/000000010000000100000000
//	{"gen":4294967297,"no":0,"h":"AAAAAAAB ________"}
//
// A chunk of a text has gen, no, and z: up to 64 kB of the text, compressed by
// Zstandard, base64. An entry has
//
//	doc    id of the document, 16 hexadecimal digits
//	key    its name in hexadecimal, which sorts as its bytes do
//	from   the commit that it appeared with
//	to     the commit that it was replaced or deleted with, if it was
//	gens   the generations of its parts
//	about  what it can be found by: format, prefix, year, author and labels, as [store.Document.Told] has them
//	text, kept, grams.N, grams.pairs  figures that are summed up for all documents
//	units.texts, units.N, units.pairs  of how many chunks and blocks its parts are, likewise
//	entry  everything that is known of the document
//
// An index answers as of a commit: the entries that had appeared by then and
// were not gone by then, and their parts. So blocks and entries can be written
// in any order; the head, one document whose replacement is atomic, says which
// commit is the last one, and thereby makes it visible, whole. See head.go.
//
// An index records the version as "layout" in _meta.otisk. Indices made before the
// first release record none there, and are rejected; docs/ELASTICSEARCH.md has the
// policy for later versions.
const layoutVersion = 1

const (
	blockGrams = 256             // n-grams of a block
	blockPairs = store.PairBlock // pairs of a block
	word       = 8               // characters of a hash in a block
	maxBlocks  = 1<<24 - 1       // number of the last block of a part: positions have 32 bits
)

// chunkBytes is the size of a chunk of text before compression. A search reads the
// chunks that contain passages.
const chunkBytes = 64 << 10

// names are the indices of one build.
type names struct {
	base  string // NAME
	build int
}

// after returns the names of the build that follows n.
func (n names) after() names { return names{n.base, n.build + 1} }

// blockOf returns the number of hashes in a full block of a part.
func blockOf(part string) int {
	if part == pairsPart {
		return blockPairs
	}
	return blockGrams
}

func (n names) part(part string) string { return n.base + "-" + part }

func (n names) concrete(part string) string { return n.part(part) + "-" + strconv.Itoa(n.build) }

// Parts of an index.
const (
	documentsPart = "documents"
	textsPart     = "texts"
	pairsPart     = "pairs"
)

// pairsN means pairs where else the words of n-grams are: pairs are kept
// in the same way.
const pairsN = -1

// all returns the indices of the build that has these sizes.
func (n names) all(sizes []int) []string {
	list := partsOf(sizes)
	for i, part := range list {
		list[i] = n.concrete(part)
	}
	return list
}

// partsOf lists the parts of an index that has these sizes.
func partsOf(sizes []int) []string {
	list := []string{documentsPart, textsPart}
	for _, size := range sizes {
		list = append(list, gramsPart(size))
	}
	return list
}

// writes returns the alias that a part is written by.
func (n names) writes(part string) string { return writesOf(n.concrete(part)) }

// writesOf returns the alias that an index is written by.
func writesOf(index string) string { return index + "-writes" }

// gramsPart returns the part that has the n-grams of size words, or the pairs.
func gramsPart(size int) string {
	if size == pairsN {
		return pairsPart
	}
	return strconv.Itoa(size) + "gram"
}

// gramsField returns the field of an entry that counts them.
func gramsField(size int) string {
	if size == pairsN {
		return pairsPart
	}
	return strconv.Itoa(size)
}

// gramsName returns what messages call them.
func gramsName(size int) string {
	if size == pairsN {
		return pairsPart
	}
	return strconv.Itoa(size) + "-grams"
}

func (n names) documents() string { return n.concrete(documentsPart) }

// part returns the part that p is in.
func (p piece) part() string {
	if p.N == 0 {
		return textsPart
	}
	return gramsPart(p.N)
}

// meta is what _meta.otisk of each index has.
type meta struct {
	Layout   int             `json:"layout"` // version
	Part     string          `json:"part"`
	Block    int             `json:"block"`
	Settings *store.Settings `json:"settings,omitempty"` // in the part documents
	Expect   int64           `json:"expect,omitempty"`   // likewise: bytes of text that the index was made for
}

// mapping returns the mapping of an index of that part. Of the catalogue it has
// the settings of the whole, and for how much text it was made.
func mapping(part string, settings *store.Settings, expect int64) map[string]any {
	type m = map[string]any
	number := m{"type": "long"}
	properties := m{"gen": number, "no": m{"type": "integer", "index": false}}
	switch part {
	case documentsPart:
		sum := m{"type": "long", "index": false}
		properties = m{
			"doc":  m{"type": "keyword"},
			"key":  m{"type": "keyword"},
			"from": number, "to": number, "gens": number,
			"about": m{"type": "keyword"},
			"text":  sum, "kept": sum,
			"grams": m{"type": "object", "dynamic": false, "properties": m{}},
			"units": m{"type": "object", "dynamic": false, "properties": m{textsPart: sum}},
		}
	case textsPart:
	default:
		properties["h"] = m{"type": "text", "analyzer": "whitespace", "index_options": "docs", "norms": false}
	}
	return m{
		"dynamic":    false,
		"_meta":      m{"otisk": meta{layoutVersion, part, blockOf(part), settings, expect}},
		"properties": properties,
	}
}

// blockID returns the _id of a block or chunk.
func blockID(gen int64, no int) string { return fmt.Sprintf("%016x%08x", gen, no) }

// appendHash appends the characters of h.
func appendHash(b []byte, h store.Hash) []byte {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], uint64(h)<<16)
	return base64.RawURLEncoding.AppendEncode(b, raw[:6])
}

// appendBlock appends the source of a block.
func appendBlock(b []byte, gen int64, no int, hashes []store.Hash) []byte {
	b = append(b, `{"gen":`...)
	b = strconv.AppendInt(b, gen, 10)
	b = append(b, `,"no":`...)
	b = strconv.AppendInt(b, int64(no), 10)
	b = append(b, `,"h":"`...)
	for i, h := range hashes {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendHash(b, h)
	}
	return append(b, `"}`...)
}

// A block is one as it comes back.
type block struct {
	Gen int64  `json:"gen"`
	No  int    `json:"no"`
	H   string `json:"h"`
}

// hashes appends the hashes of b, which has no more than most, to list.
func (b *block) hashes(list []store.Hash, most int) ([]store.Hash, error) {
	if len(b.H)%(word+1) != word || len(b.H) > most*(word+1) || b.No < 0 || b.No > maxBlocks {
		return list, b.damage("has a wrong length")
	}
	for i := 0; i < len(b.H); i += word + 1 {
		var h, bad uint64
		for _, c := range []byte(b.H[i : i+word]) {
			v := uint64(digits[c])
			h, bad = h<<6|v, bad|v
		}
		if bad > 63 || i > 0 && b.H[i-1] != ' ' {
			return list, b.damage("has a wrong character")
		}
		list = append(list, store.Hash(h))
	}
	return list, nil
}

func (b *block) damage(what string) error {
	return fmt.Errorf("block %s %s: %w", blockID(b.Gen, b.No), what, store.ErrDamaged)
}

// digits has the value of each character of base64, 255 for the others.
var digits = func() (table [256]byte) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := range table {
		table[i] = 255
	}
	for i, c := range []byte(alphabet) {
		table[c] = byte(i)
	}
	return table
}()

// A sum is a checksum of hashes in their order: FNV-1a over whole hashes.
type sum uint64

func (s sum) add(hashes []store.Hash) sum {
	if s == 0 {
		s = 14695981039346656037
	}
	for _, h := range hashes {
		s = (s ^ sum(h)) * 1099511628211
	}
	return s
}

// marshal encodes what cannot fail to be encoded.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a type in this package that JSON has no form for
	}
	return b
}

package esclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// The layout, version 2. An index called NAME has these parts:
//
//	NAME-documents   the catalogue: an entry for each version of a document, and the head
//	NAME-texts       original texts, in chunks
//	NAME-7gram       n-grams of 7 words, in blocks; likewise for each other length
//	NAME-pairs       pairs of words, in blocks
//	NAME-translated  keys for translations, in blocks like those of n-grams
//
// These are aliases of NAME-documents-1 and so on. The number, called the build, grows by
// one when the index is emptied or resharded. The mapping of each index records in _meta
// that otisk made it, the version of the layout, and its part.
//
// Each index has a second alias, NAME-documents-1-writes and so on. All writes go there,
// with require_alias. A write to the name of an index that was deleted would make the
// server create it with a guessed mapping: most n-grams would be missing, and the new
// ones could not be found.
//
// A part of a document is written under a generation, a number that is never
// used twice. A block has
//
//	_id  generation and number of the block, 24 hexadecimal digits
//	gen  the generation
//	no   the number of the block in its part, from 0
//	h    its hashes in the order of their positions, as words of 8 characters,
//	     separated by blanks
//
// The field h is indexed by word and stored in _source only, without doc values, norms
// or frequencies. A full block has 256 n-grams; the last one of a part may have fewer. Hash
// i of block no is at position 256·no+i. Blocks of pairs are described in layout_pairs.go.
// layout_words.go describes the words. Example: the hashes 1 and 2^48-1 of generation 4294967297:
//
//	PUT NAME-7gram/_create/000000010000000100000000
//	{"gen":4294967297,"no":0,"h":"!!!!!!!# |d8li7ec"}
//
// A chunk of a text has gen, no, and z: a part of the text, compressed by Zstandard, base64. It
// begins where a block of the marks does, since a search reads whole blocks of text; a block
// longer than 64 kB, such as one with many blanks, has several chunks, and a text without marks chunks
// of 16 kB. An entry has
//
//	doc    id of the document, 16 hexadecimal digits
//	key    its name in hexadecimal, which sorts by the bytes of the name
//	from   the first commit in which it is valid
//	to     the first commit in which it is not, if it was replaced or deleted
//	gens   the generations of its parts
//	about  format, prefix, year, author and labels, as [store.Document.Told] returns them
//	text, kept, grams.N, grams.pairs   bytes of the text, also compressed; n-grams and pairs
//	units.texts, units.N, units.pairs  numbers of chunks and blocks
//	grams.translated, units.translated the same of keys
//	entry  the whole entry, of which the fields above are searched and added up
//
// An index answers as of a commit: with the entries that are valid in it, and their
// parts. So blocks and entries can be written in any order. The head, one document whose
// replacement is atomic, records the last commit and thereby makes it visible as a whole.
// See head.go.
//
// An index records the version as "layout" in _meta.otisk. Indices made before the
// first release record none there, or 1, and are rejected; docs/ELASTICSEARCH.md has the
// policy for later versions.
const layoutVersion = 2

const (
	blockGrams = 256       // n-grams of a block
	maxBlocks  = 1<<24 - 1 // number of the last block of a part: positions have 32 bits
)

// Sizes of chunks of text before compression: of a text without marks, and the limit. With chunks
// of 64 kB a search reads most of a novel that shares some idioms.
const (
	chunkBytes   = 16 << 10
	longestChunk = 64 << 10
)

// chunksOf returns the offsets at which the chunks of a text of size bytes begin, and its size.
func chunksOf(marks *store.Marks, size int64) []int64 {
	bounds := []int64{0}
	cut := func(end, most int64) {
		for at := bounds[len(bounds)-1]; at < end; bounds = append(bounds, at) {
			at = min(at+most, end)
		}
	}
	if marks != nil {
		for _, b := range marks.Blocks {
			cut(b.Byte, longestChunk)
		}
	}
	cut(size, chunkBytes)
	return bounds
}

type names struct {
	base  string // NAME
	build int
}

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
	keysPart      = "translated"
)

// pairsN stands for pairs in place of the number of words of n-grams. Pairs are stored in
// the same way.
const pairsN = -1

// all returns the names of all indices of a build with n-grams of these sizes.
func (n names) all(sizes []int) []string {
	list := partsOf(sizes)
	for i, part := range list {
		list[i] = n.concrete(part)
	}
	return list
}

// partsOf returns the parts of an index with n-grams of these sizes, the catalogue first.
func partsOf(sizes []int) []string {
	list := []string{documentsPart, textsPart}
	list = append(list, lists.Map(sizes, gramsPart)...)
	return list
}

func (n names) writes(part string) string { return writesOf(n.concrete(part)) }

func writesOf(index string) string { return index + "-writes" }

func gramsPart(size int) string {
	switch size {
	case pairsN:
		return pairsPart
	case store.TranslationKeys:
		return keysPart
	}
	return strconv.Itoa(size) + "gram"
}

// gramsField returns the field under grams and units of an entry for the n-grams of size
// words, for the pairs, or for the keys.
func gramsField(size int) string { return strings.TrimSuffix(gramsPart(size), "gram") }

func gramsName(size int) *phrase.Phrase {
	switch size {
	case pairsN:
		return phrase.Error("cluster.pairs", "pairs")
	case store.TranslationKeys:
		return phrase.Error("cluster.keys", "keys for translations")
	}
	return phrase.Error("damage.grams-list", "{size}-grams", "size", size)
}

func (n names) documents() string { return n.concrete(documentsPart) }

func (p piece) part() string {
	if p.N == 0 {
		return textsPart
	}
	return gramsPart(p.N)
}

// meta is _meta.otisk of the mapping of an index.
type meta struct {
	Layout   int             `json:"layout"` // version
	Part     string          `json:"part"`
	Block    int             `json:"block"`
	Settings *store.Settings `json:"settings,omitempty"` // only in the catalogue
	Expect   int64           `json:"expect,omitempty"`   // only in the catalogue: bytes of text that the index was sized for
}

// mapping returns the mapping of an index of that part. settings and expect are recorded
// in the catalogue.
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
	case pairsPart: // with the similarity boolean, the score of a word is the boost of its query
		properties["h"] = m{"type": "text", "analyzer": "whitespace", "index_options": "docs", "norms": false, "similarity": "boolean"}
	default:
		properties["h"] = m{"type": "text", "analyzer": "whitespace", "index_options": "docs", "norms": false}
	}
	return m{
		"dynamic":    false,
		"_source":    m{"enabled": true},
		"_routing":   m{"required": false},
		"_meta":      m{"otisk": meta{layoutVersion, part, blockOf(part), settings, expect}},
		"properties": properties,
	}
}

func blockID(gen int64, no int) string { return fmt.Sprintf("%016x%08x", gen, no) }

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
		b = gramWords.append(b, uint64(h))
	}
	return append(b, `"}`...)
}

type block struct {
	Gen int64  `json:"gen"`
	No  int    `json:"no"`
	H   string `json:"h"`
}

// hashes appends the hashes of b to list. It returns an error if there are more than
// most, or none.
func (b *block) hashes(list []store.Hash, most int) ([]store.Hash, error) {
	const step = gramChars + 1
	if len(b.H)%step != gramChars || len(b.H) > most*step || b.No < 0 || b.No > maxBlocks {
		return list, b.damage(phrase.Error("cluster.block-length", "has an invalid length"))
	}
	for i := 0; i < len(b.H); i += step {
		h, ok := gramWords.value(b.H[i : i+gramChars])
		if !ok || i > 0 && b.H[i-1] != ' ' {
			return list, b.damage(phrase.Error("cluster.block-character", "has an invalid character"))
		}
		list = append(list, store.Hash(h))
	}
	return list, nil
}

// own appends to list the n-grams of n words of b, or its pairs without those that it repeats.
func (b *block) own(n int, list []store.Hash) ([]store.Hash, error) {
	if n != pairsN {
		return b.hashes(list, blockGrams)
	}
	pairs, err := b.pairs(nil)
	if err != nil {
		return list, err
	}
	list = append(list, lists.Map(pairs[b.repeated():], func(p placed) store.Hash { return p.pair })...)
	return list, nil
}

// wordsOf returns the words by which the blocks with an n-gram of n words, or a pair, are
// found.
func wordsOf(n int, h store.Hash) []string {
	if n == pairsN {
		return placesWords(h, true)
	}
	return []string{string(gramWords.append(nil, uint64(h)))}
}

func (b *block) damage(what *phrase.Phrase) error {
	return phrase.Error("cluster.block", "block {block} {what}: {cause}", "block", blockID(b.Gen, b.No), "what", what, "cause", store.ErrDamaged)
}

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

// marshal returns the JSON of v. It panics if v has a type that JSON cannot represent.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // would take six characters for some of those of a word
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

package segment

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// The format of a segment, version 1. Numbers are little endian; bit 0 of a bit
// string is the lowest bit of its first byte.
//
//	header       64 bytes  magic, version, n, geometry, n-grams, documents
//	chunks                 one for each value of the top cb bits of a hash
//	documents    16 bytes  each: first ordinal u32, its position u32, number u64
//	chunk table  16 bytes  each: offset u64, keys u32, listed u32
//	pages         4 bytes  each: crc32c of 1 KB of the file up to here; the last may be short
//	tops          4 bytes  each: crc32c of 1 KB of pages
//	footer       64 bytes  offsets of the tables, crc32c of tops and footer, magic
//
// An n-gram of the segment is identified by its ordinal, counted from 0; the documents table
// maps ordinals to documents and positions. A hash has 48 bits: the top cb bits select its
// chunk, the top hb bits its sub-bucket, and the other w = 48-hb bits are stored. 16
// sub-buckets make a block. A chunk has these parts, each padded with zeros to 8 bytes:
//
//	lists     ow bits each: ordinal<<1 | last. Ordinals of hashes with several places
//	filter    u64 for each half of a block: bits that its hashes set
//	rel       u16 for each block, and one more: keys of the chunk before it (u32 above 65,535 keys)
//	blocks    for each block of K keys: K+16 bits unary (1 a key, 0 ends a sub-bucket), then K×w bits
//	postings  pw bits for each key: below P (the n-grams of the segment) an ordinal, else P + index in lists
//	slack     8 bytes of zeros, so that 8 bytes can be loaded at any bit
//
// Nothing is stored that can be computed: block b starts at bit rel[b]×(w+1) + b×16 of its
// part, ow = 1 + bits of P, pw = bits of P+listed. Lists come first so that a merge can write a
// list of any length while it reads it; the size of the later parts depends on its length.
//
// To look up a hash h:
//
//  1. h >> (48-cb) is its chunk, and h without those bits its key.
//  2. key >> (w+4) is its block, key >> (w+3) its word of the filter. Unless the word
//     has both bits of the key, the segment does not contain h; that ends 90 to 97 % of
//     look-ups of absent hashes with one memory access.
//  3. The keys of the block are numbered from rel[b] to before rel[b+1]. With b, that
//     gives the position of its bits.
//  4. The ones between zero r-1 and zero r of the block's unary bits are the keys of
//     sub-bucket r = key>>w&15. Their position gives their numbers.
//  5. If one of the corresponding values of w bits equals the lowest w bits of the key, the
//     key has its number i. Otherwise the segment does not contain h.
//  6. Posting i is an ordinal, or the index in lists where the ordinals begin.
//  7. The last entry of documents whose first ordinal is not above an ordinal is its
//     document; the position is ordinal - first + the position in the entry.
//
// So looking up a hash that is present costs one memory access each in filter, rel, blocks,
// postings and documents; an absent one mostly costs one in the filter. Lookup looks up 2,048
// hashes at once in a segment, so that memory accesses overlap (seek.go), and uses all
// processors.
//
// Pages have checksums of their own, because a look-up in a large segment reads one page in a
// hundred, and must check the pages that it reads. Checksums have checksums too, so that opening
// a segment reads its footer, tops and chunk table only.
//
// The smallest segment, of one n-gram, has 360 bytes. docs/INDEX-FORMAT.md has an example in
// bytes. Measured on 38.4 M 7-grams of English and Czech prose, November 2026, bytes an n-gram:
// lists 0.45, rel 0.11, blocks 2.83, postings 2.95, tables 0.01, checksums 0.03; with 28.4 M
// 7-grams of 14,153 documents the filter takes 0.59, and the whole 6.76.
//
// A segment of pairs of words has n = 0, hashes of 40 bits, and one ordinal for each block of
// 16 pairs: in the text above, read "block of pairs" for "n-gram". An ordinal may be under up
// to 16 hashes. A list of one entry has a number of documents in place of an ordinal: the pair is
// in too many to be listed.
const (
	segmentVersion = 1
	pairList       = 0 // in place of n, for pairs

	blockBits  = 4  // a block is 1<<blockBits sub-buckets
	filterBits = 3  // a word of the filter is for 1<<filterBits sub-buckets, half a block
	chunkBits  = 14 // a chunk has at most 1<<chunkBits sub-buckets
	leastBits  = 7  // lower limit of hb
	mostBits   = 32 // upper limit of hb
	maxGrams   = math.MaxUint32
	wideKeys   = math.MaxUint16 // a chunk with more keys has a rel table of u32
	headerSize = 64
	footerSize = 64
	pieceSize  = 16
	refSize    = 16
	pageBits   = 10 // a page has 1<<pageBits bytes
	sumSize    = 4  // bytes of the checksum of a page
)

var (
	segmentMagic = [8]byte{'O', 'T', 'I', 'S', 'K', 's', 'e', 'g'}
	castagnoli   = crc32.MakeTable(crc32.Castagnoli)
	le           = binary.LittleEndian
)

// bitsOf returns the number of bits of the hashes in a list: n-grams of n words, or pairs.
func bitsOf(n int) uint {
	if n == pairList {
		return fingerprint.PairBits
	}
	return fingerprint.Bits
}

// A geometry determines how a segment divides the bits of a hash.
type geometry struct {
	bits  uint   // bits of a hash
	grams uint64 // number of ordinals, those of deleted documents included
	hb    uint   // top bits that select a sub-bucket
	cb    uint   // top bits that select a chunk
}

// geometryFor returns the geometry of a new segment with the given numbers of entries and
// ordinals, which are equal for n-grams. It gives 16 to 32 Ki entries a chunk, and one or
// two a sub-bucket. For pairs it gives two to four, since half of the entries belong to
// keys with several: the number of keys is the same.
func geometryFor(n int, entries, ordinals uint64) geometry {
	few := uint(0)
	if n == pairList {
		few = 1
	}
	hb := uint(max(leastBits, min(bits.Len64(entries>>few)-1, mostBits)))
	return geometry{bits: bitsOf(n), grams: ordinals, hb: hb, cb: hb - min(hb, chunkBits-few)}
}

func (g geometry) valid() bool {
	return g.grams > 0 && g.grams <= maxGrams && g.hb >= leastBits && g.hb <= mostBits && g.cb+blockBits <= g.hb
}

// lowBits is the number of bits that are stored of a key.
func (g geometry) lowBits() uint { return g.bits - g.hb }

// chunks returns the number of chunks.
func (g geometry) chunks() int { return 1 << g.cb }

// blocks returns the number of blocks in a chunk.
func (g geometry) blocks() int { return 1 << (g.hb - g.cb - blockBits) }

// words returns the number of words in the filter of a chunk.
func (g geometry) words() int { return 1 << (g.hb - g.cb - filterBits) }

// wordShift is how far a key is shifted to get the index of its filter word.
func (g geometry) wordShift() uint { return g.lowBits() + filterBits }

// chunkShift is how far a hash is shifted to get the number of its chunk.
func (g geometry) chunkShift() uint { return g.bits - g.cb }

// listBits is the width of an entry of lists.
func (g geometry) listBits() uint { return uint(bits.Len64(g.grams)) + 1 }

// A chunkRef is an entry of the chunk table.
type chunkRef struct {
	offset uint64 // in the file
	keys   uint32 // distinct hashes
	listed uint32 // entries of lists
}

// A chunk is a chunkRef with the offsets of its parts in the file.
type chunk struct {
	chunkRef
	filter, rel, blocks, postings, end uint64
	postingBits                        uint
	wide                               bool
}

// layout computes the offsets of the parts of a chunk.
func (g geometry) layout(ref chunkRef) chunk {
	c := chunk{chunkRef: ref, wide: ref.keys > wideKeys}
	keys, blocks := uint64(ref.keys), uint64(g.blocks())
	relSize := uint64(2)
	if c.wide {
		relSize = 4
	}
	c.postingBits = uint(bits.Len64(g.grams + uint64(ref.listed)))
	c.filter = ref.offset + bytesOf(uint64(ref.listed)*uint64(g.listBits()))
	c.rel = c.filter + uint64(g.words())*8
	c.blocks = c.rel + bytesOf((blocks+1)*relSize*8)
	c.postings = c.blocks + bytesOf(keys*uint64(g.lowBits()+1)+blocks<<blockBits)
	c.end = c.postings + bytesOf(keys*uint64(c.postingBits)) + 8
	return c
}

// bytesOf returns the size in bytes of this number of bits, padded to 8 bytes.
func bytesOf(bits uint64) uint64 { return (bits + 63) / 64 * 8 }

// filterMask returns the bits that h sets in its filter word. With three bits, 5 % of
// absent hashes would pass in place of 7, which saves no more time than the test costs.
func filterMask(h uint64) uint64 {
	x := h * 0x9E3779B97F4A7C15
	return 1<<(x>>58) | 1<<(x>>52&63)
}

// A piece is an entry of the documents table: consecutive n-grams of one document, starting
// at one position. It ends where the next piece begins.
type piece struct {
	first  uint32 // ordinal
	base   uint32 // position of that ordinal in the document
	number uint64
}

func appendPiece(b []byte, p piece) []byte {
	b = le.AppendUint32(b, p.first)
	b = le.AppendUint32(b, p.base)
	return le.AppendUint64(b, p.number)
}

func pieceAt(b []byte) piece {
	return piece{le.Uint32(b), le.Uint32(b[4:]), le.Uint64(b[8:])}
}

func appendRef(b []byte, r chunkRef) []byte {
	b = le.AppendUint64(b, r.offset)
	b = le.AppendUint32(b, r.keys)
	return le.AppendUint32(b, r.listed)
}

func refAt(b []byte) chunkRef {
	return chunkRef{le.Uint64(b), le.Uint32(b[8:]), le.Uint32(b[12:])}
}

// pagesOf returns the number of pages for this number of bytes.
func pagesOf(size uint64) uint64 { return (size + 1<<pageBits - 1) >> pageBits }

// appendHeader appends the header: magic, version u32, n u32, hash bits, hb,
// cb, block bits and filter bits u8 each, 3 zeros, n-grams u64, documents u64,
// zeros.
func appendHeader(b []byte, n int, g geometry, pieces int) []byte {
	start := len(b)
	b = append(b, segmentMagic[:]...)
	b = le.AppendUint32(b, segmentVersion)
	b = le.AppendUint32(b, uint32(n))
	b = append(b, byte(g.bits), byte(g.hb), byte(g.cb), blockBits, filterBits, 0, 0, 0)
	b = le.AppendUint64(b, g.grams)
	b = le.AppendUint64(b, uint64(pieces))
	return append(b, make([]byte, headerSize-(len(b)-start))...)
}

// A footer is the end of a segment: offset of the documents u64, of the chunk
// table u64, size of the file u64, offset of pages u64, of tops u64, zero u64,
// crc32c u32 of tops and footer before it, zero u32, magic.
type footer struct {
	documents, chunks, size, pages, tops uint64
	sum                                  uint32
}

// sumAt is the offset of the checksum in the footer.
const sumAt = 48

func appendFooter(b []byte, f footer) []byte {
	start := len(b)
	b = le.AppendUint64(b, f.documents)
	b = le.AppendUint64(b, f.chunks)
	b = le.AppendUint64(b, f.size)
	b = le.AppendUint64(b, f.pages)
	b = le.AppendUint64(b, f.tops)
	b = append(b, make([]byte, sumAt-(len(b)-start))...)
	b = le.AppendUint32(b, f.sum)
	b = le.AppendUint32(b, 0)
	return append(b, segmentMagic[:]...)
}

func footerAt(b []byte) footer {
	return footer{le.Uint64(b), le.Uint64(b[8:]), le.Uint64(b[16:]), le.Uint64(b[24:]), le.Uint64(b[32:]), le.Uint32(b[sumAt:])}
}

// damaged returns an error about a file that wraps [store.ErrDamaged].
// Its details are the message with this name, its English text, and its arguments.
func damaged(name, message, text string, args ...any) error {
	return fmt.Errorf("%s: %w: %w", name, phrase.Error(message, text, args...), store.ErrDamaged)
}

// told returns an error with the text of err, which does not wrap it.
func told(err error) error {
	if err == nil {
		return phrase.Error("damage.elsewhere", "that place has no document, or a different one")
	}
	return phrase.Told{English: err.Error(), Message: phrase.Store(err)}
}

// otherVersion returns an error that wraps [store.ErrFormat].
func otherVersion(name string, version, known uint32) error {
	return fmt.Errorf("%s: %w: %w", name, store.ErrFormat, phrase.Error("damage.version", "it has version {version}, this program reads version {known}", "version", version, "known", known))
}

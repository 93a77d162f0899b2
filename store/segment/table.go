package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/store"
)

// A table holds entries of documents that some commits changed: those added or replaced,
// and the names of those deleted. A generation has a few tables, each of later commits than
// the one before; the newest entry of a name decides. Like segments, tables never change,
// and are merged. The layout, little endian:
//
//	magic    8 bytes
//	blocks            zstd frames: entries in ascending order of names, about 16 KB before compression
//	refs    16 bytes  per block: offset u64, bytes u32, bytes before compression u32
//	ids     16 bytes  per entry, by ascending id: id u64, block u32, offset in the block u32
//	live    16 bytes  per number that these documents have, ascending: number u64, id u64
//	dead     8 bytes  per number that documents in earlier tables had, ascending
//	pages    4 bytes  per page: crc32c of 1 KB of the file up to here
//	tops     4 bytes  per page of pages: crc32c of 1 KB of them
//	footer  80 bytes  offsets of refs, ids, live, dead, pages, tops and the size u64 each,
//	                  version u32, crc32c u32 of tops and the footer up to here, zeros u64, magic
//
// An entry is the length of the name, the name, the length of the value, the value; lengths
// are varints. The value is a record (entry.go), or empty for a deleted document. A block
// has at least one entry.
//
// Each page is checked when it is first read. So opening a table reads its footer and the
// checksums of checksums: 16 bytes a megabyte.
const (
	tableVersion    = 1
	tableHeader     = 8
	tableFooter     = 80
	tableSumAt      = 60
	blockRefSize    = 16
	idSize          = 16
	liveSize        = 16
	deadSize        = 8
	tableBlock      = 16 << 10 // size in bytes at which a block ends, before compression
	maxTableBlock   = 1 << 28
	cachedBlocks    = 16
	noBlock         = 1<<32 - 1
	tableCompressed = zstd.SpeedFastest
)

var tableMagic = [8]byte{'O', 'T', 'I', 'S', 'K', 'd', 'o', 'c'}

// A table is a table open for reading.
type table struct {
	mapping
	pages                 pages
	refs, ids, live, dead array
	sum                   uint32 // of the footer

	mu    sync.Mutex
	cache [cachedBlocks]cachedBlock // the blocks read most recently
	next  int                       // index in cache that is replaced next
}

// A cachedBlock is a decompressed block.
type cachedBlock struct {
	block int
	raw   []byte // nil for none
}

// An array is a part of a table that consists of items of equal size.
type array struct{ from, count, size uint64 }

// at returns the offset of item i.
func (p array) at(i uint64) uint64 { return p.from + i*p.size }

// An entry is the name and the value of a document; the value is empty for a deleted one.
type entry struct {
	name, value []byte
	path        string // of the table
}

// unpack returns the decoder of blocks.
var unpack = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxTableBlock))
})

// openTable maps the table that r describes.
func openTable(dir string, r tableRecord) (*table, error) {
	path := filepath.Join(dir, fmt.Sprintf(tableName, r.File))
	data, err := mapFile(path, r.Bytes, tableHeader+tableFooter)
	if err != nil {
		return nil, err
	}
	t, err := parseTable(path, data)
	if err == nil && t.sum != r.Sum {
		err = damaged(path, "damage.other-file", "it is not the file that the manifest lists")
	}
	if err != nil {
		_ = data.Unmap()
		return nil, err
	}
	t.users.Store(1)
	return t, nil
}

// parseTable reads the footer of a table.
func parseTable(path string, data []byte) (*table, error) {
	end := data[len(data)-tableFooter:]
	if [8]byte(data) != tableMagic || [8]byte(end[tableFooter-8:]) != tableMagic || le.Uint64(end[tableSumAt+4:]) != 0 {
		return nil, damaged(path, "damage.table-marks", "it does not start and end with the magic number of a table")
	}
	var at [7]uint64
	for i := range at {
		at[i] = le.Uint64(end[i*8:])
	}
	tops := at[5]
	if at[6] != uint64(len(data)) || tops > uint64(len(data)-tableFooter) || at[4] > tops {
		return nil, damaged(path, "damage.footer", "its footer is invalid")
	}
	sum := crc32.Checksum(data[tops:len(data)-tableFooter+tableSumAt], castagnoli)
	if sum != le.Uint32(end[tableSumAt:]) {
		return nil, damaged(path, "damage.footer-sum", "checksum of its footer is invalid")
	}
	if version := le.Uint32(end[tableSumAt-4:]); version != tableVersion {
		return nil, otherVersion(path, version, tableVersion)
	}
	t := &table{mapping: mapping{path: path, data: data}, sum: sum}
	return t, t.layOut(at)
}

// layOut sets the parts of a table from their offsets.
func (t *table) layOut(at [7]uint64) error {
	sizes := [4]uint64{blockRefSize, idSize, liveSize, deadSize}
	for i, p := range []*array{&t.refs, &t.ids, &t.live, &t.dead} {
		if at[i] < tableHeader || at[i+1] < at[i] || (at[i+1]-at[i])%sizes[i] != 0 {
			return damaged(t.path, "damage.footer", "its footer is invalid")
		}
		*p = array{at[i], (at[i+1] - at[i]) / sizes[i], sizes[i]}
	}
	sums, tops := twoLevels(at[4])
	if at[5] != at[4]+sums || at[6] != at[5]+tops+tableFooter {
		return damaged(t.path, "damage.footer", "its footer is invalid")
	}
	data := t.data
	t.pages = newPages(t.path, data[:at[4]], data[at[4]:at[5]], data[at[5]:at[5]+tops])
	return nil
}

// retain adds a user of the table.
func (t *table) retain() *table {
	t.users.Add(1)
	return t
}

// word returns the number at the start of item i of an array.
func (t *table) word(p array, i uint64) (uint64, error) {
	at := p.at(i)
	if err := t.pages.ensure(at, at+p.size); err != nil {
		return 0, err
	}
	return le.Uint64(t.data[at:]), nil
}

// search returns the index of the first item that starts with a number not below key. Ids
// are random and numbers nearly dense, so interpolation finds the place with few page
// reads.
func (t *table) search(p array, key uint64) (uint64, error) {
	low, high := uint64(0), p.count // bounds of the result
	for tries := 0; low < high; tries++ {
		middle := low + (high-low)/2
		if tries < 4 && high-low > 64 {
			guess, err := t.guess(p, key, low, high)
			if err != nil {
				return 0, err
			}
			middle = guess
		}
		word, err := t.word(p, middle)
		if err != nil {
			return 0, err
		}
		if word < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// guess interpolates the index of key between low and high.
func (t *table) guess(p array, key, low, high uint64) (uint64, error) {
	first, err := t.word(p, low)
	if err != nil {
		return 0, err
	}
	last, err := t.word(p, high-1)
	if err != nil || key <= first || key >= last {
		return low + (high-low)/2, err
	}
	share := float64(key-first) / float64(last-first)
	return min(high-1, low+uint64(share*float64(high-low))), nil
}

// find returns the index of the item that starts with key; ok is false if there is none.
func (t *table) find(p array, key uint64) (i uint64, ok bool, err error) {
	if i, err = t.search(p, key); err != nil || i == p.count {
		return i, false, err
	}
	word, err := t.word(p, i)
	return i, word == key && err == nil, err
}

// get returns the entry of a document; ok is false if there is none.
func (t *table) get(id store.DocID) (e entry, ok bool, err error) {
	i, ok, err := t.find(t.ids, uint64(id))
	if err != nil || !ok {
		return e, false, err
	}
	block, offset := t.idAt(i)
	raw, err := t.block(int(block))
	if err != nil {
		return e, false, err
	}
	if offset > uint32(len(raw)) {
		return e, false, damaged(t.path, "damage.document-past", "document {id} is past the end of a block", "id", id)
	}
	e, _, err = t.entry(raw[offset:])
	return e, true, err
}

// idAt returns where the entry of id i is. The page of the id must be checked already.
func (t *table) idAt(i uint64) (block, offset uint32) {
	at := t.ids.at(i)
	return le.Uint32(t.data[at+8:]), le.Uint32(t.data[at+12:])
}

// owner returns the document that a live number belongs to; ok is false if the table does
// not list the number, and dead is true if it lists it as dead.
func (t *table) owner(number uint64) (id store.DocID, ok, dead bool, err error) {
	if _, dead, err = t.find(t.dead, number); err != nil || dead {
		return 0, false, dead, err
	}
	i, ok, err := t.find(t.live, number)
	if err != nil || !ok {
		return 0, false, false, err
	}
	return store.DocID(le.Uint64(t.data[t.live.at(i)+8:])), true, false, nil
}

// block returns a decompressed block, which must not be modified.
func (t *table) block(i int) ([]byte, error) {
	if raw := t.cached(i); raw != nil {
		return raw, nil
	}
	raw, err := t.readBlock(uint64(i)) // without the lock, so that parallel searches do not wait for each other
	if err == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.cache[t.next] = cachedBlock{i, raw}
		t.next = (t.next + 1) % cachedBlocks
	}
	return raw, err
}

// cached returns a recently read block, or nil.
func (t *table) cached(i int) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.cache {
		if c.raw != nil && c.block == i {
			return c.raw
		}
	}
	return nil
}

func (t *table) readBlock(i uint64) ([]byte, error) {
	if i >= t.refs.count {
		return nil, damaged(t.path, "damage.no-block", "it has no block {block}", "block", i)
	}
	offset, err := t.word(t.refs, i)
	if err != nil {
		return nil, err
	}
	ref := t.data[t.refs.at(i):]
	stored, length := uint64(le.Uint32(ref[8:])), le.Uint32(ref[12:])
	if offset < tableHeader || offset > t.refs.from || stored > t.refs.from-offset || length > maxTableBlock {
		return nil, damaged(t.path, "damage.block-bounds", "block {block} is out of bounds", "block", i)
	}
	if err := t.pages.ensure(offset, offset+stored); err != nil {
		return nil, err
	}
	dec, err := unpack()
	if err != nil {
		return nil, err
	}
	raw, err := dec.DecodeAll(t.data[offset:offset+stored], make([]byte, 0, min(length, 4*tableBlock)))
	if err != nil || len(raw) != int(length) || length == 0 {
		return nil, damaged(t.path, "damage.block-unpack", "block {block} cannot be unpacked: {cause}", "block", i, "cause", told(err))
	}
	return raw, nil
}

// entry parses the entry at the start of b, and returns the rest.
func (t *table) entry(b []byte) (e entry, rest []byte, err error) {
	e.path = t.path
	for _, field := range []*[]byte{&e.name, &e.value} {
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return e, nil, damaged(t.path, "damage.entry-past", "an entry extends past the end of its block")
		}
		*field, b = b[n:n+int(length)], b[n+int(length):]
	}
	return e, b, nil
}

// A nextEntry returns the next entry in ascending order of names, and false after the last.
type nextEntry func() (entry, bool, error)

// from returns an iterator over the entries whose names are not below name.
func (t *table) from(name []byte) nextEntry {
	block, rest := 0, []byte(nil)
	read := func() (e entry, ok bool, err error) {
		for len(rest) == 0 {
			if block == int(t.refs.count) {
				return e, false, nil
			}
			if rest, err = t.readBlock(uint64(block)); err != nil {
				return e, false, err
			}
			block++
		}
		e, rest, err = t.entry(rest)
		return e, err == nil, err
	}
	if len(name) == 0 {
		return read
	}
	started := false
	return func() (e entry, ok bool, err error) {
		if !started {
			if block, err = t.blockOf(name); err != nil {
				return e, false, err
			}
			started = true
		}
		for {
			e, ok, err = read()
			if !ok || err != nil || bytes.Compare(e.name, name) >= 0 {
				return e, ok, err
			}
		}
	}
}

// blockOf returns the last block whose first name is not above name, or the first block.
func (t *table) blockOf(name []byte) (block int, err error) {
	after := sort.Search(int(t.refs.count), func(i int) bool {
		if err != nil {
			return true
		}
		raw, berr := t.block(i)
		var e entry
		if berr == nil {
			e, _, berr = t.entry(raw)
		}
		err = berr
		return err == nil && bytes.Compare(e.name, name) > 0
	})
	return max(0, after-1), err
}

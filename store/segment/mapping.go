package segment

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"sync/atomic"

	"github.com/edsrzf/mmap-go"

	"github.com/otisk/otisk/lang/phrase"
)

// A mapping is a memory-mapped file.
type mapping struct {
	path  string
	data  mmap.MMap
	users atomic.Int32 // the last one unmaps
}

// mapFile maps the file at path, which must have size bytes, at least least: an access past
// the end of a file would end the program.
func mapFile(path string, size, least int64) (mmap.MMap, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() != size {
		return nil, damaged(path, "damage.bytes", "it has {bytes} bytes, the manifest says {listed}", "bytes", st.Size(), "listed", size)
	}
	if size < least {
		return nil, damaged(path, "damage.few-bytes", "it has only {bytes} bytes", "bytes", size)
	}
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, phrase.Error("damage.map", "map {name}: {cause}", "name", path, "cause", err)
	}
	return data, nil
}

// release drops a user of the file, and unmaps it with the last one.
func (m *mapping) release() error {
	if m.users.Add(-1) > 0 {
		return nil
	}
	return m.data.Unmap()
}

// giveBack advises the system that the bytes in [from, to) are not needed for now, except
// those on pages shared with other bytes.
func (m *mapping) giveBack(from, to uint64) {
	page := uint64(os.Getpagesize())
	if from, to = (from+page-1)/page*page, to/page*page; from < to {
		giveBack(m.data[from:to])
	}
}

// pages holds the checksums of the pages of a file, and those of the pages of checksums. A
// page is checked when it is first read. Only the checksums of checksums must be checked
// before.
type pages struct {
	path  string
	data  []byte    // the bytes with checksums
	sums  []byte    // of the pages of data
	tops  []byte    // checksums of the pages of checksums; already verified
	sound checklist // pages of data that were checked
	fine  checklist // pages of sums that were checked
}

func newPages(path string, data, sums, tops []byte) pages {
	return pages{path, data, sums, tops, newChecklist(pagesOf(uint64(len(data)))), newChecklist(pagesOf(uint64(len(sums))))}
}

// twoLevels returns the sizes in bytes of the checksums of size bytes of data, and of the
// checksums of these checksums.
func twoLevels(size uint64) (sums, tops uint64) {
	sums = pagesOf(size) * sumSize
	return sums, pagesOf(sums) * sumSize
}

// ensure checks the pages with the bytes in [from, to), unless they were checked before.
func (p *pages) ensure(from, to uint64) error {
	if from == to {
		return nil
	}
	return p.sound.ensure(from>>pageBits, (to-1)>>pageBits, p.check)
}

// check checks a page again.
func (p *pages) check(page uint64) error {
	at := page * sumSize
	if err := p.fine.ensure(at>>pageBits, at>>pageBits, p.checkSums); err != nil {
		return err
	}
	if pageSum(p.data, page) != le.Uint32(p.sums[at:]) {
		return damaged(p.path, "damage.page-sum", "checksum of page {page} is wrong", "page", page)
	}
	return nil
}

// checkSums checks a page of checksums.
func (p *pages) checkSums(page uint64) error {
	if pageSum(p.sums, page) != le.Uint32(p.tops[page*sumSize:]) {
		return damaged(p.path, "damage.sums-page", "page {page} of its checksums is wrong", "page", page)
	}
	return nil
}

// pageSum returns the checksum of a page of data.
func pageSum(data []byte, page uint64) uint32 {
	from := page << pageBits
	return crc32.Checksum(data[from:min(from+1<<pageBits, uint64(len(data)))], castagnoli)
}

// appendSums appends checksums, and the checksums of their pages.
func appendSums(b []byte, sums []uint32) []byte {
	start := len(b)
	b, _ = binary.Append(b, le, sums)
	var tops pageSums
	tops.add(b[start:])
	b, _ = binary.Append(b, le, tops.checksums())
	return b
}

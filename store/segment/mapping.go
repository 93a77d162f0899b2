package segment

import (
	"fmt"
	"hash/crc32"
	"os"
	"sync/atomic"

	"github.com/edsrzf/mmap-go"
)

// A mapping is a file whose bytes are mapped into memory.
type mapping struct {
	path  string
	data  mmap.MMap
	users atomic.Int32 // the last unmaps it
}

// mapFile maps the file at path, which has to have so many bytes, and least at
// least: touching what is mapped past a file's end ends the program.
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
		return nil, damaged(path, "it has %d bytes, the catalogue says %d", st.Size(), size)
	}
	if size < least {
		return nil, damaged(path, "it has only %d bytes", size)
	}
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	return data, nil
}

// release unmaps the file when its last user is done.
func (m *mapping) release() error {
	if m.users.Add(-1) > 0 {
		return nil
	}
	return m.data.Unmap()
}

// giveBack says that the bytes from one to before another are not needed for
// now, but for those that share a page with others.
func (m *mapping) giveBack(from, to uint64) {
	page := uint64(os.Getpagesize())
	if from, to = (from+page-1)/page*page, to/page*page; from < to {
		giveBack(m.data[from:to])
	}
}

// pages has the checksums of a file's pages, from its start to some byte: of
// each page, and of each page of those. What is read of a large file is checked
// when it is first read; only the few checksums of checksums must be known to be
// right.
type pages struct {
	path  string
	data  []byte    // what has checksums
	sums  []byte    // of the pages of data
	tops  []byte    // of the pages of sums; right
	sound checklist // pages of data found right
	fine  checklist // pages of sums found right
}

func newPages(path string, data, sums, tops []byte) pages {
	return pages{path, data, sums, tops, newChecklist(pagesOf(uint64(len(data)))), newChecklist(pagesOf(uint64(len(sums))))}
}

// twoLevels returns how many bytes the checksums of so many bytes take, and the
// checksums of those.
func twoLevels(size uint64) (sums, tops uint64) {
	sums = pagesOf(size) * sumSize
	return sums, pagesOf(sums) * sumSize
}

// ensure checks the pages that have the bytes from one to before another, unless
// that has been done: what is read of them afterwards is what was written.
func (p *pages) ensure(from, to uint64) error {
	if from == to {
		return nil
	}
	return p.sound.ensure(from>>pageBits, (to-1)>>pageBits, p.check)
}

// check checks a page, whatever was found before.
func (p *pages) check(page uint64) error {
	at := page * sumSize
	if err := p.fine.ensure(at>>pageBits, at>>pageBits, p.checkSums); err != nil {
		return err
	}
	if pageSum(p.data, page) != le.Uint32(p.sums[at:]) {
		return damaged(p.path, "checksum of page %d is wrong", page)
	}
	return nil
}

// checkSums checks a page of checksums.
func (p *pages) checkSums(page uint64) error {
	if pageSum(p.sums, page) != le.Uint32(p.tops[page*sumSize:]) {
		return damaged(p.path, "page %d of its checksums is wrong", page)
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
	for _, sum := range sums {
		b = le.AppendUint32(b, sum)
	}
	var tops pageSums
	tops.add(b[start:])
	for _, sum := range tops.checksums() {
		b = le.AppendUint32(b, sum)
	}
	return b
}

package segment

import (
	"fmt"
	"hash/crc32"
	"os"
	"sync/atomic"

	"github.com/edsrzf/mmap-go"
)

// A file is a segment open for reading. Its tables have been checked; each of
// its chunks is when it is first used.
type file struct {
	geometry
	path   string
	data   mmap.MMap
	n      int
	chunks []chunk
	sound  checklist // chunks whose checksum was found right
	pieces int
	table  []byte // of pieces

	refs atomic.Int32 // snapshots that have it open
}

// openFile maps the segment at path, which has to have so many bytes: touching
// what is mapped behind a file's end ends the program.
func openFile(path string, size int64) (*file, error) {
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
	if size < headerSize+footerSize {
		return nil, damaged(path, "it has only %d bytes", size)
	}
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	s, err := parse(path, data)
	if err != nil {
		_ = data.Unmap()
		return nil, err
	}
	s.refs.Store(1)
	return s, nil
}

// parse reads the tables of a segment.
func parse(path string, data []byte) (*file, error) {
	if len(data) < headerSize+footerSize {
		return nil, damaged(path, "it has only %d bytes", len(data))
	}
	header, end := data[:headerSize], data[len(data)-footerSize:]
	if [8]byte(header) != segmentMagic {
		return nil, damaged(path, "it does not begin as a segment does")
	}
	if [8]byte(end[footerSize-8:]) != segmentMagic {
		return nil, damaged(path, "it does not end as a segment does")
	}
	f := footerAt(end)
	tables := uint64(len(data) - footerSize)
	if le.Uint32(end[sumAt+4:]) != 0 || f.size != uint64(len(data)) || f.documents < headerSize || f.documents > f.chunks || f.chunks > tables {
		return nil, damaged(path, "its footer is wrong")
	}
	if sumTables(header, data[f.documents:tables], end) != f.sum {
		return nil, damaged(path, "checksum of its tables is wrong")
	}
	if version := le.Uint32(header[8:]); version > formatVersion {
		return nil, otherVersion(path, version, formatVersion)
	}
	s := &file{path: path, data: data, n: int(le.Uint32(header[12:]))}
	s.geometry = geometry{grams: le.Uint64(header[24:]), hb: uint(header[17]), cb: uint(header[18])}
	if header[16] != hashBits || header[19] != blockBits || !s.valid() {
		return nil, damaged(path, "its geometry is wrong")
	}
	s.table = data[f.documents:f.chunks]
	s.pieces = len(s.table) / pieceSize
	if err := s.checkPieces(le.Uint64(header[32:])); err != nil {
		return nil, err
	}
	return s, s.readChunks(data[f.chunks:tables], f.documents)
}

// checkPieces checks that the documents table covers all ordinals.
func (s *file) checkPieces(count uint64) error {
	if len(s.table)%pieceSize != 0 || uint64(s.pieces) != count || count == 0 {
		return damaged(s.path, "its documents table has %d bytes", len(s.table))
	}
	last := uint64(0)
	for i := range s.pieces {
		first := uint64(s.piece(i).first)
		if i == 0 && first != 0 || i > 0 && first <= last || first >= s.grams {
			return damaged(s.path, "entry %d of its documents table is out of order", i)
		}
		last = first
	}
	return nil
}

// readChunks reads the chunk table; the chunks lie without a gap from the
// header to end.
func (s *file) readChunks(table []byte, end uint64) error {
	if uint64(len(table)) != uint64(s.geometry.chunks())*refSize {
		return damaged(s.path, "its chunk table has %d bytes", len(table))
	}
	s.chunks = make([]chunk, len(table)/refSize)
	s.sound = newChecklist(len(s.chunks))
	at := uint64(headerSize)
	for i := range s.chunks {
		c := s.layout(refAt(table[i*refSize:]))
		if c.offset != at || c.end > end {
			return damaged(s.path, "entry %d of its chunk table is wrong", i)
		}
		s.chunks[i], at = c, c.end
	}
	if at != end {
		return damaged(s.path, "there are %d bytes between its chunks and its tables", end-at)
	}
	return nil
}

// piece returns entry i of the documents table.
func (s *file) piece(i int) piece { return pieceAt(s.table[i*pieceSize:]) }

// pieceEnd returns the ordinal after the last of entry i.
func (s *file) pieceEnd(i int) uint64 {
	if i+1 < s.pieces {
		return uint64(s.piece(i + 1).first)
	}
	return s.grams
}

// pieceOf returns the entry that an ordinal of the segment belongs to. near is
// where to look first: lists rise, so it is often the one before or the next.
func (s *file) pieceOf(ordinal uint64, near int) int {
	low, high := 0, s.pieces
	if uint64(s.piece(near).first) <= ordinal {
		low = near
		for step := 1; low+step < s.pieces; step *= 2 {
			if uint64(s.piece(low+step).first) > ordinal {
				high = low + step
				break
			}
			low += step
		}
	}
	for high-low > 1 {
		if middle := int(uint(low+high) / 2); uint64(s.piece(middle).first) <= ordinal {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// stretch is how much of a file is read before it is given back, where it is
// read from front to back.
const stretch = 1 << 20

// A checklist notes which of some things have been checked. It is safe for use
// by several goroutines.
type checklist []atomic.Uint64

func newChecklist(things int) checklist { return make(checklist, (things+63)/64) }

func (c checklist) has(i uint64) bool { return c[i/64].Load()>>(i%64)&1 != 0 }

func (c checklist) note(i uint64) { c[i/64].Or(1 << (i % 64)) }

// ensure checks chunk i unless that has been done: what is read of it
// afterwards is what was written.
func (s *file) ensure(i uint64) error {
	if s.sound.has(i) {
		return nil
	}
	if err := s.check(int(i)); err != nil {
		return err
	}
	s.sound.note(i)
	return nil
}

// check checks the checksum of chunk i.
func (s *file) check(i int) error {
	c := &s.chunks[i]
	sum := uint32(0)
	for at := c.offset; at < c.end; at += stretch {
		end := min(at+stretch, c.end)
		sum = crc32.Update(sum, castagnoli, s.data[at:end])
		if end < c.end {
			s.giveBack(at, end)
		}
	}
	if sum != c.sum {
		return damaged(s.path, "checksum of chunk %d is wrong", i)
	}
	return nil
}

// giveBack says that the bytes from one to before another are not needed for
// now, but for those that share a page with others.
func (s *file) giveBack(from, to uint64) {
	page := uint64(os.Getpagesize())
	if from, to = (from+page-1)/page*page, to/page*page; from < to {
		giveBack(s.data[from:to])
	}
}

// retain notes one more user of the file.
func (s *file) retain() *file {
	s.refs.Add(1)
	return s
}

// release unmaps the file when its last user is done.
func (s *file) release() error {
	if s.refs.Add(-1) > 0 {
		return nil
	}
	return s.data.Unmap()
}

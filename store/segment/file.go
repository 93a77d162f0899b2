package segment

import (
	"hash/crc32"
	"sync/atomic"

	"github.com/otisk/otisk/internal/lists"
)

// A file is a segment open for reading. Each page is checked when it is first read.
type file struct {
	mapping
	geometry
	n       int
	chunks  []chunk
	filters []uint64 // by chunk: offset of its filter in words of the data
	pieces  int
	table   []byte // encoded pieces

	end   uint64 // offset after the chunks
	sum   uint32 // of the footer
	pages pages
	sound checklist // equal to pages.sound
}

// openFile maps the segment at path, which must have size bytes.
func openFile(path string, size int64) (*file, error) {
	data, err := mapFile(path, size, headerSize+footerSize)
	if err != nil {
		return nil, err
	}
	s, err := parse(path, data)
	if err != nil {
		_ = data.Unmap()
		return nil, err
	}
	s.users.Store(1)
	return s, nil
}

// parse reads the tables of a segment.
func parse(path string, data []byte) (*file, error) {
	if len(data) < headerSize+footerSize {
		return nil, damaged(path, "damage.few-bytes", "it has only {bytes} bytes", "bytes", len(data))
	}
	header, end := data[:headerSize], data[len(data)-footerSize:]
	if [8]byte(header) != segmentMagic {
		return nil, damaged(path, "damage.segment-start", "it does not start with the magic number of a segment")
	}
	if [8]byte(end[footerSize-8:]) != segmentMagic {
		return nil, damaged(path, "damage.segment-end", "it does not end with the magic number of a segment")
	}
	f, version := footerAt(end), le.Uint32(header[8:])
	if le.Uint32(end[sumAt+4:]) != 0 || f.size != uint64(len(data)) || f.documents < headerSize || f.documents > f.chunks || f.chunks > uint64(len(data)-footerSize) {
		return nil, damaged(path, "damage.footer", "its footer is invalid")
	}
	s := &file{mapping: mapping{path: path, data: data}, end: f.documents, sum: f.sum}
	if err := s.readPages(f); err != nil {
		return nil, err
	}
	s.sound = s.pages.sound
	if version != segmentVersion {
		return nil, otherVersion(path, version, segmentVersion)
	}
	if err := s.readHeader(header, data[f.documents:f.chunks]); err != nil {
		return nil, err
	}
	return s, s.layOut(data[f.chunks:f.pages])
}

// readPages finds the checksums of pages, and checks the pages of the header and the chunk
// table.
func (s *file) readPages(f footer) error {
	sums, tops := twoLevels(f.pages)
	if f.chunks > f.pages || f.pages > f.size || f.pages+sums != f.tops || f.tops+tops+footerSize != f.size {
		return damaged(s.path, "damage.footer", "its footer is invalid")
	}
	if crc32.Checksum(s.data[f.tops:f.size-footerSize+sumAt], castagnoli) != f.sum {
		return damaged(s.path, "damage.footer-sum", "checksum of its footer is invalid")
	}
	s.pages = newPages(s.path, s.data[:f.pages], s.data[f.pages:f.tops], s.data[f.tops:f.tops+tops])
	if err := s.ensure(0, headerSize); err != nil {
		return err
	}
	return s.ensure(f.chunks, f.pages)
}

// readHeader parses the header, and finds the documents table.
func (s *file) readHeader(header, documents []byte) error {
	s.n = int(le.Uint32(header[12:]))
	s.geometry = geometry{bits: bitsOf(s.n), grams: le.Uint64(header[24:]), hb: uint(header[17]), cb: uint(header[18])}
	if uint(header[16]) != s.bits || header[19] != blockBits || header[20] != filterBits || !s.valid() {
		return damaged(s.path, "damage.geometry", "its geometry is invalid")
	}
	s.table, s.pieces = documents, len(documents)/pieceSize
	if len(s.table)%pieceSize != 0 || uint64(s.pieces) != le.Uint64(header[32:]) || s.pieces == 0 {
		return damaged(s.path, "damage.documents-bytes", "its documents table has {bytes} bytes", "bytes", len(s.table))
	}
	return nil
}

// ensureDocuments checks the pages of the documents table, and that its entries cover all
// ordinals.
func (s *file) ensureDocuments() error {
	if err := s.ensure(s.end, s.end+uint64(len(s.table))); err != nil {
		return err
	}
	last := uint64(0)
	for i := range s.pieces {
		first := uint64(s.piece(i).first)
		if i == 0 && first != 0 || i > 0 && first <= last || first >= s.grams {
			return damaged(s.path, "damage.documents-order", "entry {entry} of its documents table is out of order", "entry", i)
		}
		last = first
	}
	return nil
}

// checkDocuments checks the documents table and the chunk table again, even if their pages
// were found sound before.
func (s *file) checkDocuments() error {
	if err := s.checkPages(s.end, uint64(len(s.pages.data))); err != nil {
		return err
	}
	return s.ensureDocuments()
}

// ensurePiece checks that an ordinal belongs to entry i of the documents table. The binary
// search that found i may have read unchecked pages.
func (s *file) ensurePiece(i int, ordinal uint64) error {
	from := s.end + uint64(i)*pieceSize
	to := min(from+2*pieceSize, s.end+uint64(len(s.table))) // a piece ends where the next begins
	if !s.ensured(from, to) {
		if err := s.ensure(from, to); err != nil {
			return err
		}
	}
	if ordinal >= uint64(s.piece(i).first) && ordinal < s.pieceEnd(i) {
		return nil
	}
	if err := s.ensureDocuments(); err != nil {
		return err
	}
	return damaged(s.path, "damage.gram-lost", "n-gram {gram} belongs to no document", "gram", ordinal)
}

// layOut reads the chunk table. Chunks follow each other without gaps between the header
// and the documents table.
func (s *file) layOut(table []byte) error {
	if uint64(len(table)) != uint64(s.geometry.chunks())*refSize {
		return damaged(s.path, "damage.chunks-bytes", "its chunk table has {bytes} bytes", "bytes", len(table))
	}
	s.chunks = make([]chunk, s.geometry.chunks())
	s.filters = make([]uint64, len(s.chunks))
	at := uint64(headerSize)
	for i := range s.chunks {
		c := s.layout(refAt(table[i*refSize:]))
		if c.offset != at || c.end > s.end {
			return damaged(s.path, "damage.chunks-entry", "entry {entry} of its chunk table is invalid", "entry", i)
		}
		s.chunks[i], s.filters[i], at = c, c.filter/8, c.end
	}
	if at != s.end {
		return damaged(s.path, "damage.chunks-gap", "there are {bytes} bytes between its chunks and its tables", "bytes", s.end-at)
	}
	return nil
}

// entries returns an upper bound of the number of entries in all chunks.
func (s *file) entries() uint64 {
	return lists.Sum(s.chunks, func(c chunk) uint64 { return uint64(c.keys) + uint64(c.listed) })
}

// piece returns entry i of the documents table.
func (s *file) piece(i int) piece { return pieceAt(s.table[i*pieceSize:]) }

// pieceEnd returns the ordinal after the last one of entry i.
func (s *file) pieceEnd(i int) uint64 {
	if i+1 < s.pieces {
		return uint64(s.piece(i + 1).first)
	}
	return s.grams
}

// pieceOf returns the entry of the documents table that an ordinal belongs to. The search
// starts at near, since ordinals of a list ascend.
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

// stretch is how many bytes of a sequentially read file are read before their memory is
// given back.
const stretch = 1 << 20

// A checklist records which of a number of items were checked. It is safe for concurrent
// use.
type checklist []atomic.Uint64

func newChecklist(things uint64) checklist { return make(checklist, (things+63)/64) }

func (c checklist) includes(i uint64) bool { return c[i/64].Load()>>(i%64)&1 != 0 }

func (c checklist) note(i uint64) { c[i/64].Or(1 << (i % 64)) }

// ensure calls check for those from first to last that were not checked before.
func (c checklist) ensure(first, last uint64, check func(i uint64) error) error {
	for i := first; i <= last; i++ {
		if c.includes(i) {
			continue
		}
		if err := check(i); err != nil {
			return err
		}
		c.note(i)
	}
	return nil
}

// ensured reports whether the bytes in [from, to) lie on pages that were checked. It
// reports false for long ranges.
func (s *file) ensured(from, to uint64) bool {
	return to-from <= 1<<pageBits && s.sound.includes(from>>pageBits) && s.sound.includes((to-1)>>pageBits)
}

// ensure checks the pages with the bytes in [from, to), unless they were checked before.
func (s *file) ensure(from, to uint64) error { return s.pages.ensure(from, to) }

// check checks chunk i again, even if it was found sound before.
func (s *file) check(i uint64) error {
	c := &s.chunks[i]
	for at := c.offset; at < c.end; at += stretch {
		end := min(at+stretch, c.end)
		if err := s.checkPages(at, end); err != nil {
			return err
		}
		if end < c.end {
			s.giveBack(at, end)
		}
	}
	return nil
}

// checkPages checks the pages with the bytes in [from, to) again.
func (s *file) checkPages(from, to uint64) error {
	for page := from >> pageBits; page <= (to-1)>>pageBits; page++ {
		if err := s.pages.check(page); err != nil {
			return err
		}
	}
	return nil
}

// retain adds a user of the file.
func (s *file) retain() *file {
	s.users.Add(1)
	return s
}

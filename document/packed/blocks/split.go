package blocks

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/otisk/otisk/lang/phrase"
)

type splitter struct {
	from *bufio.Reader
	give func(*part) bool

	data    []byte // read so far and still needed
	dropped int64  // bytes of the file before data
	ended   bool   // nothing follows data
}

var errStopped = errors.New("stopped")

// split queues the parts of the file.
func (s *splitter) split() error {
	for {
		found, err := s.stream()
		switch {
		case err == errStopped || err == nil && !found:
			return nil
		case err != nil:
			return err
		}
	}
}

// more reads until s.data has size bytes or the file ends.
func (s *splitter) more(size int) error {
	for len(s.data) < size && !s.ended {
		if at := len(s.data); cap(s.data) < max(size, at+1) {
			s.data = slices.Grow(s.data, max(size-at, 256<<10))
		}
		n, err := s.from.Read(s.data[len(s.data):cap(s.data)])
		s.data = s.data[:len(s.data)+n]
		if s.ended = err == io.EOF; err != nil && !s.ended {
			return err
		}
	}
	return nil
}

// stream queues the parts of one stream; found is false at the end of the file.
func (s *splitter) stream() (found bool, err error) {
	if err := s.more(headerSize + markBits/8); err != nil {
		return false, err
	}
	if len(s.data) == 0 {
		return false, nil
	}
	at := headerSize * 8
	if !s.header() {
		at = 0
	}
	return true, s.blocks(at)
}

// header reports whether a stream starts here.
func (s *splitter) header() bool {
	return len(s.data) >= headerSize && bytes.HasPrefix(s.data, []byte("BZh")) && s.data[3] >= '1' && s.data[3] <= '9'
}

// blocks queues the blocks from bit at to the end of the stream.
func (s *splitter) blocks(at int) error {
	mark, start, err := s.find(at)
	if err != nil {
		return err
	}
	if mark == 0 || start != at {
		if !s.give(&part{err: fmt.Errorf("%w: %w", ErrBlock, phrase.Error("cause.bzip2-between", "invalid data between two blocks"))}) {
			return errStopped
		}
	}
	for mark == blockMark {
		next, end, err := s.find(start + markBits + sumBits)
		if err != nil {
			return err
		}
		if !s.give(s.block(start, end)) {
			return errStopped
		}
		s.drop(end / 8)
		mark, start = next, end%8
	}
	if mark == 0 { // end of the file, or no block within the size limit
		keep := markBits/8 - 1
		if s.ended {
			keep = 0
		}
		s.drop(max(0, len(s.data)-keep))
		return nil
	}
	if err := s.more((start+markBits+sumBits)/8 + 1); err != nil {
		return err
	}
	end := start + markBits + sumBits
	if len(s.data)*8 < end {
		return io.ErrUnexpectedEOF
	}
	sum := uint32(bitsAt(s.data, start+markBits, sumBits))
	s.drop((end + 7) / 8)
	if !s.give(&part{mark: endMark, sum: sum, after: s.dropped}) {
		return errStopped
	}
	return nil
}

// block returns the bits [start, end) as a part.
func (s *splitter) block(start, end int) *part {
	p := &part{mark: blockMark, size: end - start, bits: make([]byte, (end-start+7)/8)}
	from, shift := s.data[start/8:], start%8
	for i := range p.bits {
		p.bits[i] = from[i] << shift
		if shift > 0 && i+1 < len(from) {
			p.bits[i] |= from[i+1] >> (8 - shift)
		}
	}
	if p.size >= markBits+sumBits {
		p.sum = uint32(bitsAt(p.bits, markBits, sumBits))
	}
	return p
}

// drop discards the first size bytes.
func (s *splitter) drop(size int) {
	size = min(size, len(s.data))
	s.dropped += int64(size)
	s.data = s.data[:copy(s.data, s.data[size:])]
}

// find returns the first signature at or after bit at, and its position in bits. If there is
// none within the size limit of a block, mark is 0 and found is the end of the searched range.
func (s *splitter) find(at int) (mark int64, found int, err error) {
	for from := at / 8; ; {
		if mark, found := findMark(s.data, from, at); mark != 0 {
			return mark, found, nil
		}
		from = max(from, len(s.data)-markBits/8)
		if s.ended || len(s.data) > most+at/8 {
			return 0, len(s.data) * 8, nil
		}
		if err := s.more(len(s.data) + 1); err != nil {
			return 0, 0, err
		}
	}
}

// findMark returns the first signature in data[from:] that starts at or after bit at.
func findMark(data []byte, from, at int) (mark int64, found int) {
	table := marks()
	for i := from; i+markBits/8 <= len(data); i++ {
		shifts := table[binary.BigEndian.Uint16(data[i+2:])]
		for shift := 0; shifts != 0; shift, shifts = shift+1, shifts>>1 {
			bit := i*8 + shift
			if shifts&1 == 0 || bit < at || bit+markBits > len(data)*8 {
				continue
			}
			if v := int64(bitsAt(data, bit, markBits)); v == blockMark || v == endMark {
				return v, bit
			}
		}
	}
	return 0, 0
}

// marks maps two consecutive bytes to the bits of the byte two before them at which a signature
// may start, so that most bytes need only one look-up.
var marks = sync.OnceValue(func() *[1 << 16]uint8 {
	var table [1 << 16]uint8
	for shift := range 8 {
		for _, mark := range []int64{blockMark, endMark} {
			table[uint16(mark>>(markBits-32+shift))] |= 1 << shift
		}
	}
	return &table
})

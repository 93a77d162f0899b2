// Package blocks unpacks what bzip2 packed, several blocks at once.
//
// Blocks of bzip2 are packed by themselves and start with 48 bits of their own,
// anywhere in a byte. [NewReader] looks for these, makes a file of each block, and
// lets package compress/bzip2 unpack it, which checks its sum; the sums of all
// blocks of a stream are compared with that of the stream. So it does not matter how
// many streams a file has. A block that is damaged is left out, and told.
package blocks

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// ErrBlock says that a block is lost; what follows is the next one.
var ErrBlock = errors.New("a block is damaged, and left out")

// What a block, and the end of a stream, start with.
const (
	blockMark  = 0x314159265359
	endMark    = 0x177245385090
	markBits   = 48
	headerSize = 4 // bytes that a stream starts with: BZh and a digit
	sumBits    = 32
)

// most is how long a packed block may be, in bytes: one of 900,000 symbols of the 20
// bits that a symbol has at most is smaller.
const most = 3 << 20

// unpacked is how large a block may be: 900,000 bytes where each 5 stand for 259.
const unpacked = 64 << 20

// A part is a block or the end of a stream, in the order of the file.
type part struct {
	mark int64  // one of the two; 0 for damage between blocks
	bits []byte // of a block, from its mark on
	size int    // of bits, in bits
	sum  uint32 // of a block or a stream

	after int64 // of the end of a stream: where the next one starts in the file

	done chan struct{} // closed when it is unpacked
	text []byte
	err  error
}

// A Reader unpacks a file.
type Reader struct {
	parts chan *part
	turns chan struct{} // one for each part that is held
	stop  chan struct{}
	group sync.WaitGroup

	held  *part  // taken from parts, and not yet its turn
	text  []byte // unpacked, not yet read
	sum   uint32 // of the blocks of a stream so far
	lost  bool   // one of them is
	open  bool   // a stream is begun, and not ended
	ended error  // that of reading on
	last  error  // of reading the file; set before parts is closed

	stream int64 // where the stream that is read starts in the file
}

// Stream returns where the stream starts in the file that the next byte read is in. Unpacking
// can begin there as at the start of the file.
func (b *Reader) Stream() int64 { return b.stream }

// NewReader unpacks r, on so many processors; 0 for all. The reader must be closed
// before r is.
func NewReader(r io.Reader, workers int) *Reader {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	b := &Reader{parts: make(chan *part, workers+1), turns: make(chan struct{}, workers+1), stop: make(chan struct{})}
	b.group.Go(func() {
		defer close(b.parts)
		s := &splitter{from: bufio.NewReaderSize(r, 1<<20), give: b.give}
		b.last = s.split()
	})
	return b
}

// Close ends the unpacking. Reading after it is an error.
func (b *Reader) Close() {
	close(b.stop)
	b.group.Wait()
	b.text, b.ended = nil, errClosed
}

var errClosed = errors.New("closed")

// give puts a part into the line, once there is room. It returns false after Close.
func (b *Reader) give(p *part) bool {
	select {
	case b.turns <- struct{}{}:
	case <-b.stop:
		return false
	}
	p.done = make(chan struct{})
	if p.mark != blockMark {
		close(p.done)
	} else {
		b.group.Go(func() {
			p.text, p.err = unpack(p.bits, p.size, p.sum)
			close(p.done)
		})
	}
	b.parts <- p // there is room for as many as have a turn
	return true
}

// Read implements [io.Reader]. After an error wrapping [ErrBlock], reading goes on with
// the next block that is whole.
func (b *Reader) Read(p []byte) (int, error) {
	for len(b.text) == 0 {
		if b.ended != nil {
			return 0, b.ended
		}
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}

// take returns the next part, nil at the end.
func (b *Reader) take() *part {
	p := b.held
	if b.held = nil; p != nil {
		return p
	}
	p, ok := <-b.parts
	if !ok {
		return nil
	}
	<-b.turns
	<-p.done
	return p
}

// next has the text of the next block.
func (b *Reader) next() error {
	p := b.take()
	switch {
	case p == nil && b.last == nil && b.open:
		b.ended = io.ErrUnexpectedEOF
		return b.ended
	case p == nil && b.last == nil:
		b.ended = io.EOF
		return b.ended
	case p == nil:
		b.ended = b.last
		return b.ended
	case p.mark == 0:
		b.lost = true
		return p.err
	case p.mark == endMark:
		b.stream = p.after
		return b.endStream(p.sum)
	}
	b.open = true
	if p.err != nil {
		p = b.joined(p)
	}
	if p.err != nil {
		b.lost = true
		return fmt.Errorf("%w: %w", ErrBlock, p.err)
	}
	b.text, b.sum = p.text, (b.sum<<1|b.sum>>31)^p.sum
	return nil
}

// endStream compares the sum of a stream.
func (b *Reader) endStream(sum uint32) error {
	wrong := sum != b.sum && !b.lost
	b.sum, b.lost, b.open = 0, false, false
	if wrong {
		return fmt.Errorf("%w: the sum of a stream is another", ErrBlock)
	}
	return nil
}

// joined returns a block that could not be unpacked with what follows it, if that makes
// it whole: what a block starts with may be in one by chance.
func (b *Reader) joined(p *part) *part {
	if b.held = b.take(); b.held == nil || b.held.mark != blockMark {
		return p
	}
	w := &bitWriter{bytes: bytes.Clone(p.bits[:p.size/8])}
	for at := p.size / 8 * 8; at < p.size; at++ {
		w.bit(p.bits[at/8] >> (7 - at%8))
	}
	for at := range b.held.size {
		w.bit(b.held.bits[at/8] >> (7 - at%8))
	}
	text, err := unpack(w.bytes, p.size+b.held.size, p.sum)
	if err != nil {
		return p
	}
	b.held = nil
	return &part{mark: blockMark, sum: p.sum, text: text}
}

// unpack unpacks one block: it makes a file of it.
func unpack(block []byte, size int, sum uint32) ([]byte, error) {
	w := &bitWriter{bytes: append([]byte("BZh9"), block[:size/8]...)}
	for at := size / 8 * 8; at < size; at++ {
		w.bit(block[at/8] >> (7 - at%8))
	}
	w.bits(endMark, markBits)
	w.bits(uint64(sum), sumBits)
	var text bytes.Buffer
	n, err := io.Copy(&text, io.LimitReader(bzip2.NewReader(bytes.NewReader(w.bytes)), unpacked+1))
	if err == nil && n > unpacked {
		err = errors.New("a block is larger than it can be")
	}
	return text.Bytes(), err
}

// A bitWriter appends bits.
type bitWriter struct {
	bytes []byte
	free  int // bits of the last byte
}

func (w *bitWriter) bit(b byte) {
	if w.free == 0 {
		w.bytes, w.free = append(w.bytes, 0), 8
	}
	w.free--
	w.bytes[len(w.bytes)-1] |= b & 1 << w.free
}

func (w *bitWriter) bits(v uint64, count int) {
	for i := count - 1; i >= 0; i-- {
		w.bit(byte(v >> i))
	}
}

// bitsAt returns so many bits at a place, 56 at most.
func bitsAt(data []byte, at, count int) (v uint64) {
	var eight [9]byte
	copy(eight[:], data[at/8:])
	v = binary.BigEndian.Uint64(eight[:])<<(at%8) | uint64(eight[8])>>(8-at%8)
	return v >> (64 - count)
}

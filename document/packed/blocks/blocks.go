// Package blocks decompresses bzip2, several blocks in parallel.
//
// Blocks of bzip2 are independent and start with a signature of 48 bits, which need not be
// aligned to bytes. [NewReader] finds the signatures, makes a file of each block, and
// decompresses it by package compress/bzip2, which checks the CRC of the block; the CRC of a stream is
// checked against those of its blocks. A file may have any number of streams. A
// damaged block is left out and reported as an error.
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

	"github.com/otisk/otisk/lang/phrase"
)

// ErrBlock reports that a block was left out because it is damaged. Reading continues with the
// next block.
var ErrBlock error = phrase.Error("cause.block-damaged", "a block is damaged and left out")

// Signatures of a block and of the end of a stream.
const (
	blockMark  = 0x314159265359
	endMark    = 0x177245385090
	markBits   = 48
	headerSize = 4 // bytes of the header of a stream: BZh and a digit
	sumBits    = 32
)

// most is the size limit for a compressed block, in bytes: 900,000 symbols of at most 20 bits
// are smaller.
const most = 3 << 20

// unpacked is the size limit for a decompressed block, in bytes: 900,000 bytes, each 5 of which
// encode 259.
const unpacked = 64 << 20

// A part is a block or the end of a stream, in the order of the file.
type part struct {
	mark int64  // signature of a block or an end; 0 for damage between blocks
	bits []byte // of a block, starting with its signature
	size int    // number of bits in bits
	sum  uint32 // CRC of a block or a stream

	after int64 // after the end of a stream: offset of the next stream in the file

	done chan struct{} // closed when the block is decompressed
	text []byte
	err  error
}

// A Reader decompresses a file.
type Reader struct {
	parts chan *part
	turns chan struct{} // one for each part in memory
	stop  chan struct{}
	group sync.WaitGroup

	held  *part  // received from parts, to be returned by the next take
	text  []byte // decompressed and not yet read
	sum   uint32 // combined CRC of the blocks of the stream so far
	lost  bool   // a block of the stream is missing
	open  bool   // inside a stream
	ended error  // error of all further reads
	last  error  // error of reading the file; set before parts is closed

	stream int64 // offset of the current stream in the file
}

// Stream returns the offset in the file of the stream that has the next byte. Decompression
// can start there as at the start of the file.
func (b *Reader) Stream() int64 { return b.stream }

// NewReader decompresses r with this number of workers, 0 for one a processor. The reader must
// be closed before r.
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

// Close stops the workers. Reading after Close is an error.
func (b *Reader) Close() {
	close(b.stop)
	b.group.Wait()
	b.text, b.ended = nil, errClosed
}

var errClosed = errors.New("closed")

// give queues a part as soon as there is room. It returns false after Close.
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
	b.parts <- p // never blocks: the channel has room for all turns
	return true
}

// Read implements [io.Reader]. After an error wrapping [ErrBlock], it continues with the next
// undamaged block.
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

func (b *Reader) nextPart() *part {
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

// next sets b.text to the content of the next block.
func (b *Reader) next() error {
	p := b.nextPart()
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

func (b *Reader) endStream(sum uint32) error {
	wrong := sum != b.sum && !b.lost
	b.sum, b.lost, b.open = 0, false, false
	if wrong {
		return fmt.Errorf("%w: %w", ErrBlock, phrase.Error("cause.bzip2-crc", "the CRC of a stream is wrong"))
	}
	return nil
}

// joined appends the next part to a block that could not be decompressed, in case the
// signature between them is in the block by chance.
func (b *Reader) joined(p *part) *part {
	if b.held = b.nextPart(); b.held == nil || b.held.mark != blockMark {
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

// unpack decompresses one block, as a file of its own.
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
		err = phrase.Error("cause.bzip2-large", "a block exceeds the size limit of the format")
	}
	return text.Bytes(), err
}

type bitWriter struct {
	bytes []byte
	free  int // unused bits of the last byte
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

// bitsAt returns count bits, 56 at most, that start at bit at.
func bitsAt(data []byte, at, count int) (v uint64) {
	var eight [9]byte
	copy(eight[:], data[at/8:])
	v = binary.BigEndian.Uint64(eight[:])<<(at%8) | uint64(eight[8])>>(8-at%8)
	return v >> (64 - count)
}

package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/huff0"
)

// Texts are Zstandard frames (RFC 8878), readable by any decoder, of Huffman-coded literals
// only. Searching for repeats would take five times as long, most of the time of indexing.
// A text takes 0.6 of its size, with repeats 0.45.

const (
	frameMagic  = 0xFD2FB528
	frameForm   = 3 << 6    // eight bytes of content size, a window, no checksum
	frameWindow = 7 << 3    // 128 KB
	blockBytes  = 128 << 10 // bytes of text in a block, the maximum
	blockHead   = 3         // bytes
	literalHead = 5         // bytes, for sizes of 18 bits and four streams
	fourStreams = 3<<2 | 2  // Huffman-coded literals with a header of that size
	minHuffman  = 64        // shorter blocks are stored raw
)

// Block types of Zstandard.
const (
	blockRaw = iota
	blockSame
	blockCoded
)

// A framer holds the buffers for writing frames.
type framer struct {
	scratch    huff0.Scratch
	block, out []byte
	frame      bytes.Buffer // buffers a whole frame
}

// framers holds unused framers.
var framers = sync.Pool{New: func() any { return &framer{scratch: huff0.Scratch{Reuse: huff0.ReusePolicyNone}} }}

// write writes text as one frame, and buffers one block at a time.
func (f *framer) write(w io.Writer, text string) error {
	out := binary.LittleEndian.AppendUint32(f.out[:0], frameMagic)
	out = append(out, frameForm, frameWindow)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(text)))
	for last := false; !last; out = out[:0] {
		f.block = append(f.block[:0], text[:min(blockBytes, len(text))]...)
		text = text[len(f.block):]
		last = text == ""
		out = appendBlock(out, f.block, last, &f.scratch)
		if _, err := w.Write(out); err != nil {
			return err
		}
	}
	f.out = out
	return nil
}

// appendBlock appends a block with data, coded or raw, whichever is shorter.
func appendBlock(buf, data []byte, last bool, scratch *huff0.Scratch) []byte {
	var coded []byte
	err := huff0.ErrIncompressible
	if len(data) >= minHuffman {
		coded, _, err = huff0.Compress4X(data, scratch)
	}
	size := literalHead + len(coded) + 1
	switch {
	case errors.Is(err, huff0.ErrUseRLE):
		return append(appendBlockHead(buf, blockSame, len(data), last), data[0])
	case err != nil || size >= len(data):
		return append(appendBlockHead(buf, blockRaw, len(data), last), data...)
	}
	buf = appendBlockHead(buf, blockCoded, size, last)
	head := fourStreams | uint64(len(data))<<4 | uint64(len(coded))<<22
	buf = append(buf, byte(head), byte(head>>8), byte(head>>16), byte(head>>24), byte(head>>32))
	return append(append(buf, coded...), 0) // no sequences
}

func appendBlockHead(buf []byte, kind, size int, last bool) []byte {
	head := kind<<1 | size<<blockHead
	if last {
		head |= 1
	}
	return append(buf, byte(head), byte(head>>8), byte(head>>16))
}

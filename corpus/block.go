package corpus

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/otisk/otisk/internal/oserror"
)

// A Block is a piece of a stream. It consists of whole documents, or is a part of
// a document that exceeds the limit.
type Block struct {
	Data   []byte // followed in memory by slackBytes line feeds
	Offset int64  // of its first byte in the stream
	Over   bool   // it is a part of a document that is too large
	First  bool   // and its first
}

// slackBytes is the number of line feeds after the data of a block. They let loops
// read eight bytes at a time without checking the end.
const slackBytes = 16

// blockBytes is the usual size of a block. A longer document is a separate block.
const blockBytes = 1 << 20

var newline = []byte("\n")

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Free returns the memory of a block to the pool.
func (b *Block) Free() {
	if cap(b.Data) <= 4*blockBytes {
		data := b.Data[:0]
		buffers.Put(&data)
	}
	b.Data = nil
}

// Blocks reads a stream and calls fn with its blocks in order. Together they have
// all bytes of the stream. A document of more than max bytes is split into blocks
// marked Over; with [Whole], the stream is one document. If the stream is damaged,
// fn gets the blocks before the damage, then Blocks returns the error. fn owns the
// block. An error of fn ends the reading and is returned unchanged. doc is the tag of the
// documents of a vertical file.
func Blocks(ctx context.Context, r io.Reader, form Form, doc string, max int, fn func(*Block) error) error {
	start := docStart(doc)
	c := cutter{r: r, last: start.last, first: start.first, max: max, heldBack: len(start) + 2}
	switch form {
	case JSONLines:
		c.last, c.first = lastLine, firstLine
	case Whole:
		c.last, c.first = func([]byte, int) int { return 0 }, func([]byte) int { return 0 }
	}
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b := c.next()
		if len(b.Data) == 0 {
			return c.err
		}
		if err := fn(b); err != nil {
			return err
		}
	}
}

// A cutter cuts a stream into blocks. Its buffer begins at the start of a document,
// or within a document that exceeds the limit.
type cutter struct {
	r     io.Reader
	last  func(data []byte, from int) int // offset of the last document that starts in data at from or later; 0 if there is none
	first func(data []byte) int           // where the first one starts after the start of data; 0 for nowhere
	max   int

	// heldBack is the number of bytes of a too large document that stay in the buffer,
	// so that the tag that starts the next document is not cut.
	heldBack int

	rest   []byte // read, and not yet in a block
	offset int64  // of the rest in the stream
	over   bool   // the rest begins within a document that is too large
	ended  bool
	err    error // ended the stream, after rest
}

// next returns the next block. At the end of the stream it is empty.
func (c *cutter) next() *Block {
	buf := append((*buffers.Get().(*[]byte))[:0], c.rest...)
	for {
		from := len(buf)
		if !c.ended {
			buf = c.fill(buf)
		}
		if at := c.cut(buf, from); at > 0 {
			return c.give(buf, at, false)
		}
		switch {
		case c.ended:
			return c.give(buf, len(buf), false)
		case c.over, len(buf) > c.max:
			return c.part(buf)
		}
	}
}

// cut returns the offset at which to cut buf between two documents, 0 if there is
// none. The bytes from from to the end were not searched before.
func (c *cutter) cut(buf []byte, from int) int {
	switch {
	case c.over:
		return c.first(buf)
	case c.ended:
		return 0 // all of it is one block
	}
	return c.last(buf, from)
}

// part makes a block of a part of a document. It ends at a line end if buf has one.
func (c *cutter) part(buf []byte) *Block {
	first := !c.over
	at := len(buf) - c.heldBack
	if end := bytes.LastIndexByte(buf[:at], '\n'); end > 0 {
		at = end + 1
	}
	c.over = true
	b := c.give(buf, at, true)
	b.First = first
	return b
}

// give makes a block of buf up to at; over reports whether it ends within a document.
func (c *cutter) give(buf []byte, at int, within bool) *Block {
	c.rest = append(c.rest[:0], buf[at:]...)
	b := &Block{Offset: c.offset, Over: c.over}
	c.over = within
	c.offset += int64(at)
	b.Data = append(buf[:at], slack[:]...)[:at]
	return b
}

var slack = [slackBytes]byte{'\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n'}

// fill reads one more piece of the stream to the end of buf.
func (c *cutter) fill(buf []byte) []byte {
	if need := len(buf) + blockBytes; cap(buf) < need+slackBytes {
		size := max(need, 2*len(buf))
		if size > c.max { // the last attempt: the buffer never exceeds the size limit of a document
			size = max(need, c.max+2*blockBytes)
		}
		grown := make([]byte, len(buf), size+slackBytes)
		copy(grown, buf)
		buf = grown
	}
	want := buf[len(buf) : len(buf)+blockBytes]
	for len(want) > 0 && !c.ended {
		n, err := c.r.Read(want)
		want = want[n:]
		if c.ended = err != nil; c.ended && err != io.EOF {
			c.err = oserror.Cause(err)
		}
	}
	return buf[:len(buf)+blockBytes-len(want)]
}

// A startLine is a line feed and the start of the tag of documents of a vertical file:
// "\n<doc".
type startLine []byte

func docStart(doc string) startLine { return startLine("\n<" + doc) }

// startsDoc reports whether the line of which after follows "<doc" begins a
// document.
func startsDoc(after []byte) bool { return len(after) > 0 && (after[0] == ' ' || after[0] == '>') }

// last returns the offset of the last document of a vertical file in data that starts
// at from or later; 0 if there is none.
func (s startLine) last(data []byte, from int) int {
	from = max(0, from-len(s)-1)
	for end := len(data); ; {
		i := bytes.LastIndex(data[from:end], s)
		if i < 0 {
			return 0
		}
		if startsDoc(data[from+i+len(s):]) {
			return from + i + 1
		}
		end = from + i + 1
	}
}

// first returns the offset of the first document after the start of data; 0 if there
// is none.
func (s startLine) first(data []byte) int {
	for from := 0; ; {
		i := bytes.Index(data[from:], s)
		if i < 0 {
			return 0
		}
		from += i + 1
		if startsDoc(data[from+len(s)-1:]) {
			return from
		}
	}
}

func lastLine(data []byte, from int) int {
	if i := bytes.LastIndexByte(data[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	return 0
}

func firstLine(data []byte) int { return bytes.IndexByte(data, '\n') + 1 }

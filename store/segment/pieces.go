package segment

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"sync"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A skippable frame with the marks of the text precedes its frame; decoders of Zstandard
// skip it. The blocks of a frame are independent, so a piece of a text can be decoded
// alone. All of the frame is read, since the checksum covers the whole; that takes a
// twentieth of the time of decoding it.
const (
	marksMagic = 0x184D2A50 // magic number of the skippable frame
	marksHead  = 8          // bytes of magic and size
	frameHead  = 14         // bytes of magic, descriptor, window and size of the text
)

// appendMarks appends the frame with the marks, unless they are nil.
func appendMarks(buf []byte, marks *store.Marks) []byte {
	if marks == nil {
		return buf
	}
	data := marks.Encode()
	buf = binary.LittleEndian.AppendUint32(buf, marksMagic)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(data)))
	return append(buf, data...)
}

// Pieces implements [store.Reader].
func (r *Reader) Pieces(ctx context.Context, ids []store.DocID, choose func(i int, m *store.Marks) ([]store.Piece, error), fn func(i int, pieces []string, err error) error) error {
	one := func(id store.DocID, choose func(*store.Marks) ([]store.Piece, error)) ([]string, error) {
		return r.pieces(ctx, id, choose)
	}
	return store.PiecesOf(ids, one, choose, fn)
}

func (r *Reader) pieces(ctx context.Context, id store.DocID, choose func(*store.Marks) ([]store.Piece, error)) (list []string, err error) {
	err = r.with(ctx, func(s *snapshot) error {
		t, err := s.keptText(id)
		switch {
		case err != nil:
			return err
		case t.place == nil:
			return fmt.Errorf("%s: %w", t.name, store.ErrNoText)
		case t.place.Length == 0:
			return fmt.Errorf("%s: %w", t.name, store.ErrNoMarks)
		}
		list, err = s.pieces(t.place, choose)
		if err != nil {
			err = phrase.Error("damage.text-of", "text of {name}: {cause}", "name", t.name, "cause", err)
		}
		return err
	})
	return list, err
}

// A keptText is the name of a document and the place of its text, nil for none.
type keptText struct {
	name  string
	place *place
}

// keptText returns the name and place of a document's text.
func (s *snapshot) keptText(id store.DocID) (keptText, error) {
	if t, ok := s.recent.get(id); ok {
		return t, nil
	}
	d, err := s.record(id)
	if err != nil {
		return keptText{}, err
	}
	return keptText{d.Name(), d.Place}, nil
}

// recent caches the places of texts whose entries were read last: a search reads entries,
// and then pieces of the same documents.
type recent struct {
	mu    sync.Mutex
	texts map[store.DocID]keptText
}

// mostRecent limits the cached documents, which take less than a megabyte. Nearly all
// searches name fewer.
const mostRecent = 4096

func (r *recent) get(id store.DocID) (t keptText, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok = r.texts[id]
	return t, ok
}

func (r *recent) put(d *record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.texts == nil || len(r.texts) >= mostRecent {
		r.texts = map[store.DocID]keptText{}
	}
	r.texts[d.ID] = keptText{d.Name(), d.Place}
}

// pieces returns the pieces of the text at p that choose selects.
func (s *snapshot) pieces(p *place, choose func(*store.Marks) ([]store.Piece, error)) ([]string, error) {
	buf := storedBuffers.Get().(*[]byte)
	defer storedBuffers.Put(buf)
	f, err := s.stored(p, buf)
	if err != nil {
		return nil, err
	}
	marks, frame, err := cutMarks(*buf, p.Length)
	if err != nil {
		return nil, damagedText(f, p, told(err))
	}
	if marks == nil {
		return nil, store.ErrNoMarks
	}
	pieces, err := choose(marks)
	if err != nil {
		return nil, err
	}
	list, err := cutFrame(frame, p.Length, pieces)
	if err != nil {
		return nil, damagedText(f, p, told(err))
	}
	return list, nil
}

// storedBuffers holds buffers for compressed texts.
var storedBuffers = sync.Pool{New: func() any { return new([]byte) }}

// stored reads the compressed text at p into buf, and verifies its checksum.
func (s *snapshot) stored(p *place, buf *[]byte) (*os.File, error) {
	f := s.packs[p.Pack]
	if f == nil {
		return nil, damaged(fmt.Sprintf(packName, p.Pack), "damage.not-listed", "it is not listed")
	}
	if int64(cap(*buf)) < p.Stored {
		*buf = make([]byte, p.Stored)
	}
	*buf = (*buf)[:p.Stored]
	if _, err := f.ReadAt(*buf, p.Offset); err != nil {
		return nil, damagedText(f, p, told(err))
	}
	if crc32.Checksum(*buf, castagnoli) != p.Sum {
		return nil, damagedText(f, p, errTextSum)
	}
	return f, nil
}

// damagedText returns an error about the text at p in f that wraps [store.ErrDamaged].
func damagedText(f *os.File, p *place, cause error) error {
	return damaged(f.Name(), "damage.in-text", "text at byte {byte}: {cause}", "byte", p.Offset, "cause", cause)
}

var errTextSum = phrase.Error("damage.checksum", "its checksum is wrong")

// cutMarks parses the marks at the start of data, nil for none, and returns the rest.
func cutMarks(data []byte, length int64) (marks *store.Marks, frame []byte, err error) {
	if len(data) < marksHead || binary.LittleEndian.Uint32(data) != marksMagic {
		return nil, data, nil
	}
	size := int64(binary.LittleEndian.Uint32(data[4:]))
	if size > int64(len(data)-marksHead) {
		return nil, nil, phrase.Error("damage.marks-bytes", "its marks should have {bytes} bytes, and have {found}", "bytes", size, "found", len(data))
	}
	marks, err = store.DecodeMarks(data[marksHead:marksHead+size], length)
	return marks, data[marksHead+size:], err
}

// cutFrame returns pieces of the text in a frame. It decodes only the blocks that contain
// them.
func cutFrame(frame []byte, length int64, pieces []store.Piece) ([]string, error) {
	if !ours(frame) {
		return cutAnyFrame(frame, pieces)
	}
	c := frameCutter{rest: frame[frameHead:]}
	wanted := map[int64]bool{}
	for _, p := range pieces {
		if p.From < 0 || p.To < p.From || p.To > length {
			return nil, phrase.Error("damage.range", "bytes {from} to {to} of a text of {all}", "from", p.From, "to", p.To, "all", length)
		}
		for k := p.From / blockBytes; k*blockBytes < p.To; k++ {
			wanted[k] = true
		}
	}
	if err := c.decode(length, wanted); err != nil {
		return nil, err
	}
	list := lists.Map(pieces, c.piece)
	return list, nil
}

// ours reports whether a frame was written by a framer.
func ours(frame []byte) bool {
	return len(frame) > frameHead && binary.LittleEndian.Uint32(frame) == frameMagic && frame[4] == frameForm && frame[5] == frameWindow
}

// cutAnyFrame decodes all of a frame from another encoder.
func cutAnyFrame(frame []byte, pieces []store.Piece) ([]string, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	text, err := dec.DecodeAll(frame, nil)
	if err != nil {
		return nil, err
	}
	return store.Cut(string(text), pieces)
}

// A frameCutter decodes blocks of a frame.
type frameCutter struct {
	rest   []byte
	blocks map[int64][]byte // decoded text by block
}

// decode decodes the wanted blocks of a text with the given length.
func (c *frameCutter) decode(length int64, wanted map[int64]bool) error {
	c.blocks = map[int64][]byte{}
	for k := int64(0); k*blockBytes < length && len(c.blocks) < len(wanted); k++ {
		if len(c.rest) < blockHead {
			return phrase.Error("damage.block-missing", "its block {block} is missing", "block", k)
		}
		head := int(c.rest[0]) | int(c.rest[1])<<8 | int(c.rest[2])<<16
		kind, size := head>>1&3, head>>blockHead
		stored := size
		if kind == blockSame {
			stored = 1
		}
		c.rest = c.rest[blockHead:]
		if stored > len(c.rest) {
			return phrase.Error("damage.block-short", "its block {block} is truncated", "block", k)
		}
		if wanted[k] {
			text, err := decodeBlock(kind, size, c.rest[:stored], int(min(blockBytes, length-k*blockBytes)))
			if err != nil {
				return phrase.Error("damage.block", "its block {block}: {cause}", "block", k, "cause", err)
			}
			c.blocks[k] = text
		}
		c.rest = c.rest[stored:]
	}
	return nil
}

// tables holds scratch space for decoding.
var tables = sync.Pool{New: func() any { return new(huff0.Scratch) }}

// decodeBlock returns the text of a block, which has length bytes.
func decodeBlock(kind, size int, data []byte, length int) ([]byte, error) {
	switch {
	case kind == blockRaw && size == length:
		return data, nil
	case kind == blockSame && size == length:
		text := make([]byte, length)
		for i := range text {
			text[i] = data[0]
		}
		return text, nil
	case kind != blockCoded || len(data) < literalHead:
		return nil, phrase.Error("damage.block-kind", "a block of kind {kind} with {bytes} bytes", "kind", kind, "bytes", size)
	}
	head := uint64(data[0]) | uint64(data[1])<<8 | uint64(data[2])<<16 | uint64(data[3])<<24 | uint64(data[4])<<32
	coded := int(head >> 22)
	if head&15 != fourStreams || int(head>>4&(1<<18-1)) != length || literalHead+coded+1 != len(data) {
		return nil, phrase.Error("damage.block-literals", "a block of {bytes} bytes with literals of {coded}", "bytes", len(data), "coded", coded)
	}
	scratch := tables.Get().(*huff0.Scratch)
	defer tables.Put(scratch)
	scratch, streams, err := huff0.ReadTable(data[literalHead:literalHead+coded], scratch)
	if err != nil {
		return nil, err
	}
	return scratch.Decoder().Decompress4X(make([]byte, 0, length), streams)
}

// piece returns a piece of the text. Its blocks must have been decoded.
func (c *frameCutter) piece(p store.Piece) string {
	buf := make([]byte, 0, p.To-p.From)
	for k := p.From / blockBytes; k*blockBytes < p.To; k++ {
		block := c.blocks[k]
		from, to := max(p.From-k*blockBytes, 0), min(p.To-k*blockBytes, int64(len(block)))
		buf = append(buf, block[from:to]...)
	}
	return string(buf)
}

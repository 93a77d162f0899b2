package segment

import (
	"bufio"
	"hash/crc32"
	"path/filepath"
	"slices"

	"github.com/otisk/otisk/lang/phrase"
)

// A segmentWriter writes one segment sequentially.
type segmentWriter struct {
	geometry
	path   string
	file   *outFile
	buf    *bufio.Writer
	size   uint64 // bytes written so far
	start  uint64 // offset of the current chunk
	refs   []chunkRef
	header []byte
	pages  pageSums
	total  int64 // bytes of the complete file; set by writeTables
}

// newSegmentWriter creates the file at path. The caller must end with writeTables and end,
// or with abort.
func newSegmentWriter(d disk, path string, n int, g geometry, pieces int) (*segmentWriter, error) {
	if !g.valid() {
		return nil, phrase.Error("damage.segment-full", "write {name}: {grams} n-grams do not fit into a segment", "name", path, "grams", g.grams)
	}
	f, err := d.create(path)
	if err != nil {
		return nil, err
	}
	w := &segmentWriter{geometry: g, path: path, file: f, buf: bufio.NewWriterSize(f, 256<<10), start: headerSize}
	w.header = appendHeader(nil, n, g, pieces)
	if err := w.write(w.header); err != nil {
		return nil, w.abort(err)
	}
	return w, nil
}

func (w *segmentWriter) write(b []byte) error {
	w.pages.add(b)
	n, err := w.buf.Write(b)
	w.size += uint64(n)
	return err
}

// chunk records the reference of a chunk that was written completely.
func (w *segmentWriter) chunk(ref chunkRef) {
	ref.offset, w.start = w.start, w.size
	w.refs = append(w.refs, ref)
}

// writeTables writes everything after the chunks, so that the file can be read, and sets
// total.
func (w *segmentWriter) writeTables(pieces []piece) error {
	f := footer{documents: w.size}
	tables := make([]byte, 0, len(pieces)*pieceSize+len(w.refs)*refSize)
	for _, p := range pieces {
		tables = appendPiece(tables, p)
	}
	f.chunks = w.size + uint64(len(tables))
	for _, r := range w.refs {
		tables = appendRef(tables, r)
	}
	if err := w.write(tables); err != nil {
		return w.abort(err)
	}
	f.pages = w.size
	sums, tops := twoLevels(f.pages)
	f.tops = f.pages + sums
	f.size = f.tops + tops + footerSize
	end := appendSums(nil, w.pages.checksums())
	f.sum = crc32.Checksum(appendFooter(slices.Clone(end[sums:]), f)[:tops+sumAt], castagnoli)
	if _, err := w.buf.Write(appendFooter(end, f)); err != nil {
		return w.abort(err)
	}
	if err := w.buf.Flush(); err != nil {
		return w.abort(err)
	}
	w.total, w.buf = int64(f.size), nil
	return nil
}

// end syncs and closes the file.
func (w *segmentWriter) end() error {
	if err := w.file.close(nil); err != nil {
		return w.removed(err)
	}
	return nil
}

// abort closes and removes the file, and returns err with the name of the file.
func (w *segmentWriter) abort(err error) error {
	_ = w.file.close(err)
	return w.removed(err)
}

// removed removes the file, and returns err with its name. If removing fails too, the next
// writer removes it.
func (w *segmentWriter) removed(err error) error {
	_ = w.file.disk.remove(w.path)
	return phrase.Error("cause.write-file", "write {name}: {cause}", "name", filepath.Base(w.path), "cause", refused(err))
}

// A pageSums computes the checksums of pages incrementally.
type pageSums struct {
	full []uint32
	sum  uint32 // of the last page
	size int    // of the last page
}

func (p *pageSums) add(b []byte) {
	for len(b) > 0 {
		part := b[:min(len(b), 1<<pageBits-p.size)]
		p.sum = crc32.Update(p.sum, castagnoli, part)
		b = b[len(part):]
		if p.size += len(part); p.size == 1<<pageBits {
			p.full, p.sum, p.size = append(p.full, p.sum), 0, 0
		}
	}
}

// checksums returns the checksums of all pages. The last page may be short.
func (p *pageSums) checksums() []uint32 {
	if p.size == 0 {
		return p.full
	}
	return append(p.full, p.sum)
}

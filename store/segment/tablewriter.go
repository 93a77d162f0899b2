package segment

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/lang/phrase"
)

// A tableWriter writes a table sequentially. It holds 24 bytes per document and 16 per
// number in memory, and a second copy of one of these arrays at a time.
type tableWriter struct {
	path  string
	file  *outFile
	buf   *bufio.Writer
	enc   *zstd.Encoder
	size  uint64
	pages pageSums
	raw   []byte // the current block
	refs  []byte
	ids   []idEntry
}

// An idEntry locates the entry of a document.
type idEntry struct {
	id            uint64
	block, offset uint32
	gone          bool
}

// An owned is a number with the id of its document.
type owned struct{ number, id uint64 }

func newTableWriter(d disk, path string) (*tableWriter, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(tableCompressed), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(tableBlock*4), zstd.WithSingleSegment(true))
	if err != nil {
		return nil, err
	}
	f, err := d.create(path)
	if err != nil {
		return nil, err
	}
	w := &tableWriter{path: path, file: f, buf: bufio.NewWriterSize(f, 64<<10), enc: enc}
	return w, w.write(tableMagic[:])
}

func (w *tableWriter) write(b []byte) error {
	w.pages.add(b)
	n, err := w.buf.Write(b)
	w.size += uint64(n)
	return err
}

// put adds an entry. Names must ascend.
func (w *tableWriter) put(e entry) error {
	w.ids = append(w.ids, idEntry{fingerprint.Sum64(e.name), uint32(len(w.refs) / blockRefSize), uint32(len(w.raw)), len(e.value) == 0})
	w.raw = binary.AppendUvarint(w.raw, uint64(len(e.name)))
	w.raw = append(w.raw, e.name...)
	w.raw = binary.AppendUvarint(w.raw, uint64(len(e.value)))
	w.raw = append(w.raw, e.value...)
	if len(w.raw) < tableBlock {
		return nil
	}
	return w.endBlock()
}

// endBlock writes the current block.
func (w *tableWriter) endBlock() error {
	if len(w.raw) == 0 {
		return nil
	}
	if len(w.raw) > maxTableBlock {
		return phrase.Error("damage.entry-large", "write {name}: an entry of {bytes} bytes is too large", "name", w.path, "bytes", len(w.raw))
	}
	packed := w.enc.EncodeAll(w.raw, nil)
	w.refs = le.AppendUint64(w.refs, w.size)
	w.refs = le.AppendUint32(w.refs, uint32(len(packed)))
	w.refs = le.AppendUint32(w.refs, uint32(len(w.raw)))
	w.raw = w.raw[:0]
	return w.write(packed)
}

// end writes everything after the blocks, and syncs the file. live and dead must be sorted.
func (w *tableWriter) end(live []owned, dead []uint64) (r tableRecord, err error) {
	if err := w.endBlock(); err != nil {
		return r, err
	}
	var at [7]uint64
	for i, array := range []func() []byte{func() []byte { return w.refs }, w.idArray, func() []byte { return liveArray(live) }, func() []byte { return deadArray(dead) }} {
		at[i] = w.size
		if err := w.write(array()); err != nil { // holds one encoded array at a time
			return r, err
		}
	}
	at[4] = w.size
	sums, tops := twoLevels(w.size)
	at[5] = at[4] + sums
	at[6] = at[5] + tops + tableFooter
	b := appendSums(nil, w.pages.checksums())
	b, _ = binary.Append(b, le, at[:])
	b = le.AppendUint32(b, tableVersion)
	r.Bytes, r.Sum = int64(at[6]), crc32.Checksum(b[sums:], castagnoli)
	b = le.AppendUint32(b, r.Sum)
	b = le.AppendUint64(b, 0)
	if _, err := w.buf.Write(append(b, tableMagic[:]...)); err != nil {
		return r, err
	}
	return r, w.buf.Flush()
}

// close syncs and closes the file, or removes it after an error. If that fails too, the
// next writer removes it.
func (w *tableWriter) close(err error) error {
	if err = w.file.close(err); err != nil {
		_ = w.file.disk.remove(w.path)
		return phrase.Error("cause.write-file", "write {name}: {cause}", "name", filepath.Base(w.path), "cause", refused(err))
	}
	return nil
}

// idArray returns the encoded ids. If two names have one id, at most one of them is in the
// index.
func (w *tableWriter) idArray() []byte {
	slices.SortFunc(w.ids, func(a, b idEntry) int {
		if a.id == b.id && a.gone != b.gone {
			return map[bool]int{false: -1, true: 1}[a.gone]
		}
		return cmp.Compare(a.id, b.id)
	})
	w.ids = slices.CompactFunc(w.ids, func(a, b idEntry) bool { return a.id == b.id })
	array := make([]byte, 0, len(w.ids)*idSize)
	for _, e := range w.ids {
		array = le.AppendUint64(array, e.id)
		array = le.AppendUint32(array, e.block)
		array = le.AppendUint32(array, e.offset)
	}
	w.ids = nil
	return array
}

func liveArray(live []owned) []byte {
	array := make([]byte, 0, len(live)*liveSize)
	for _, o := range live {
		array = le.AppendUint64(array, o.number)
		array = le.AppendUint64(array, o.id)
	}
	return array
}

func deadArray(dead []uint64) []byte {
	array := make([]byte, 0, len(dead)*deadSize)
	for _, number := range dead {
		array = le.AppendUint64(array, number)
	}
	return array
}

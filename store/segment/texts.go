package segment

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// A pack is a file of original texts: a zstd frame for each, preceded by a skippable frame
// with its marks, so `zstd -dc` prints all texts. The table has the place of each text; the
// manifest has the committed length of the pack, and how many bytes of it are live. Bytes
// past the committed length are overwritten by the next writer.
const (
	packBytes  = 1 << 30 // no text is appended to a pack of this size
	wholeBytes = 4 << 20 // longer texts are compressed while they are written
	maxWindow  = 8 << 20 // limit for windows of frames
)

// text returns the text at p.
func (s *snapshot) text(p *place) (string, error) {
	var b strings.Builder
	b.Grow(int(p.Length))
	err := s.readText(p, &b)
	return b.String(), err
}

// readText writes the text at p to w.
func (s *snapshot) readText(p *place, w io.Writer) error {
	if p.Length == 0 {
		return nil
	}
	f := s.packs[p.Pack]
	if f == nil {
		return damaged(fmt.Sprintf(packName, p.Pack), "damage.not-listed", "it is not listed")
	}
	sum := crc32.New(castagnoli)
	dec, err := decoderOf(io.TeeReader(io.NewSectionReader(f, p.Offset, p.Stored), sum))
	if err != nil {
		return damagedText(f, p, told(err))
	}
	defer putDecoder(dec)
	length, err := io.Copy(w, io.LimitReader(dec, p.Length+1))
	switch {
	case err != nil:
		return damagedText(f, p, told(err))
	case length != p.Length:
		return damagedText(f, p, phrase.Error("damage.text-bytes", "it does not have the {bytes} bytes that its entry says", "bytes", p.Length))
	case sum.Sum32() != p.Sum:
		return damagedText(f, p, errTextSum)
	}
	return nil
}

// decoders holds unused decoders: making one takes longer than decoding a page.
var decoders sync.Pool

// decoderOf returns a decoder that reads r. The caller returns it by putDecoder.
func decoderOf(r io.Reader) (*zstd.Decoder, error) {
	if dec, ok := decoders.Get().(*zstd.Decoder); ok {
		return dec, dec.Reset(r)
	}
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
}

func putDecoder(dec *zstd.Decoder) {
	_ = dec.Reset(nil) // so that it holds no file; it cannot fail
	decoders.Put(dec)
}

// A packWriter appends texts. It is safe for use by several goroutines.
type packWriter struct {
	dir     string
	disk    disk
	newFile func() uint64 // returns an unused number

	mu      sync.Mutex
	records []packRecord    // as committed, plus the appended bytes
	avoid   map[uint64]bool // packs that must not be appended to
	pack    int             // index in records of the open pack; -1 for none
	file    *outFile
}

func newPackWriter(dir string, d disk, newFile func() uint64) *packWriter {
	return &packWriter{dir: dir, disk: d, newFile: newFile, pack: -1}
}

// append stores a text, with its marks if they are not nil. It is durable after sync, and
// once a manifest lists its place.
func (w *packWriter) append(text string, marks *store.Marks) (*place, error) {
	p := &place{Length: int64(len(text))}
	head := appendMarks(nil, marks)
	if len(text) == 0 {
		return p, nil
	}
	f := framers.Get().(*framer)
	defer framers.Put(f)
	if len(text) > wholeBytes {
		return p, w.put(p, func(out io.Writer) error {
			if _, err := out.Write(head); err != nil {
				return err
			}
			return f.write(out, text)
		})
	}
	f.frame.Reset() // outside the lock, so that texts are compressed in parallel
	f.frame.Write(head)
	if err := f.write(&f.frame, text); err != nil {
		return p, err
	}
	return p, w.put(p, func(out io.Writer) error { _, err := f.frame.WriteTo(out); return err })
}

// move copies the frame at p from another pack unchanged.
func (w *packWriter) move(from *os.File, p place) (*place, error) {
	to := p
	frame := io.NewSectionReader(from, p.Offset, p.Stored)
	err := w.put(&to, func(out io.Writer) error { _, err := io.Copy(out, frame); return err })
	if err == nil && (to.Sum != p.Sum || to.Stored != p.Stored) {
		err = damagedText(from, &p, errTextSum)
	}
	return &to, err
}

// put appends the bytes that write writes, and sets p to their place.
func (w *packWriter) put(p *place, write func(io.Writer) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.roll(); err != nil {
		return refused(err)
	}
	r := &w.records[w.pack]
	out := io.NewOffsetWriter(w.file, r.Length)
	sum := crc32.New(castagnoli)
	if err := write(io.MultiWriter(out, sum)); err != nil {
		return refused(err) // the bytes lie past the recorded length
	}
	stored, err := out.Seek(0, io.SeekCurrent)
	p.Pack, p.Offset, p.Stored, p.Sum = r.File, r.Length, stored, sum.Sum32()
	r.Length += p.Stored
	r.Live += p.Stored
	return err
}

// roll makes sure that a pack with room is open.
func (w *packWriter) roll() error {
	if w.pack >= 0 && w.records[w.pack].Length < packBytes && !w.avoid[w.records[w.pack].File] {
		return nil
	}
	if err := w.sync(); err != nil {
		return err
	}
	for i, r := range w.records {
		if r.Length < packBytes && !w.avoid[r.File] && !w.linked(r) {
			return w.open(i)
		}
	}
	w.records = append(w.records, packRecord{File: w.newFile()})
	return w.open(len(w.records) - 1)
}

// linked reports whether a pack has other names: then it belongs to a copy of the index
// too, as cp -l and backup programs make them, and appending or truncating would change the
// copy. All other files of an index never change.
func (w *packWriter) linked(r packRecord) bool {
	st, err := os.Stat(w.path(r.File))
	return err == nil && linked(st)
}

func (w *packWriter) open(i int) (err error) {
	w.file, err = w.disk.open(w.path(w.records[i].File), os.O_CREATE)
	if err == nil {
		w.pack = i
	}
	return err
}

func (w *packWriter) path(file uint64) string {
	return filepath.Join(w.dir, fmt.Sprintf(packName, file))
}

// sync makes the appended bytes durable, and closes the pack.
func (w *packWriter) sync() error {
	if w.pack < 0 {
		return nil
	}
	w.pack = -1
	return w.file.close(nil)
}

// reset forgets the bytes appended since records were committed.
func (w *packWriter) reset(records []packRecord) {
	if w.pack >= 0 {
		w.pack = -1
		_ = w.file.shut() // uncommitted bytes do not count
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.records = slices.Clone(records)
}

// grown reports whether a pack was appended to since r was committed.
func (w *packWriter) grown(r packRecord) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.records, func(o packRecord) bool { return o.File == r.File && o.Length > r.Length })
}

// shun excludes packs from being appended to.
func (w *packWriter) shun(records []packRecord) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.avoid = map[uint64]bool{}
	for _, r := range records {
		w.avoid[r.File] = true
	}
}

// adopt replaces the records by those of a commit, and keeps what was appended since.
func (w *packWriter) adopt(committed []packRecord) {
	w.mu.Lock()
	defer w.mu.Unlock()
	present := uint64(0)
	if w.pack >= 0 {
		present = w.records[w.pack].File
	}
	had := w.records
	w.records, w.pack = slices.Clone(committed), -1
	for _, r := range had {
		i := slices.IndexFunc(w.records, func(o packRecord) bool { return o.File == r.File })
		if i >= 0 {
			w.records[i] = r
		} else if r.Live > 0 && !w.avoid[r.File] {
			w.records = append(w.records, r) // created since
			i = len(w.records) - 1
		}
		if r.File == present {
			w.pack = i
		}
	}
}

// cut truncates packs to their records, unless they have other names. Bytes that cannot be
// truncated are overwritten later.
func (w *packWriter) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.records {
		st, err := os.Stat(w.path(r.File))
		if err != nil || st.Size() <= r.Length || linked(st) {
			continue
		}
		if f, err := w.disk.open(w.path(r.File), 0); err == nil {
			_ = f.close(f.truncate(r.Length))
		}
	}
}

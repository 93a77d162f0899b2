package segment

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/otisk/otisk/store"
)

// A search in part of an index asks what labels all documents have. To read their
// entries for that took as long as the search itself, so a large table has a file
// beside it with what such a search needs, the label file. It is derived from the table, says of
// which, and nothing depends on it: where it is missing, damaged, or of another
// table, the same is derived in memory, and the next commit writes it anew. Programs that do
// not know it leave it alone. The layout, little endian:
//
//	magic     8 bytes
//	version   u32, 1
//	table     u32, crc32c in the footer of the table
//	checksum  u32, crc32c of all that follows
//	count     varint, of sections
//	sections  for each: name and bytes of the frame, varints before both lengths
//	frames    of zstd, one for each section
//
// The first section has no name, and the documents by their order in the table,
// without those that are gone: id u64, then as varints the length of the text, the
// pairs and one more (0 where it is not indexed by pairs), the count of sizes, and n and
// n-grams of each. The others have a label each, by rising name, and author and year: the count of values, the values
// (length and bytes), and for each document that has the label how many documents
// it comes after the last one that had it (one more for the first), and which value it has.
const (
	labelName    = "labels-%08d"
	labelVersion = 1
	labelHeader  = 20
)

// labelled is how large a table has a label file. A smaller one is read as fast.
var labelled int64 = 256 << 10 // a test makes it smaller

var labelMagic = [8]byte{'O', 'T', 'I', 'S', 'K', 'l', 'a', 'b'}

// A labels is a label file that was read.
type labels struct {
	path     string
	sections map[string][]byte // packed
}

// A column has what documents have under one name, while it is made.
type column struct {
	values map[string]uint64
	list   []string // values by number
	places []byte
	last   int // document that has one, from 1 on
}

// put notes the value of a document, counted from 1 on.
func (c *column) put(doc int, value string) {
	number, known := c.values[value]
	if !known {
		number = uint64(len(c.list))
		value = strings.Clone(value)
		c.values[value] = number
		c.list = append(c.list, value)
	}
	c.places = binary.AppendUvarint(c.places, uint64(doc-c.last))
	c.places = binary.AppendUvarint(c.places, number)
	c.last = doc
}

func (c *column) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(c.list)))
	for _, value := range c.list {
		b = appendText(b, value)
	}
	return append(b, c.places...)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// deriveLabels makes the sections of the label file of a table out of its entries.
func deriveLabels(ctx context.Context, t *table) (map[string][]byte, error) {
	var facts []byte
	columns := map[string]*column{}
	count := 0
	err := layers{t}.glance(ctx, "", func(r *record) error {
		count++
		facts = appendFacts(facts, &r.Document)
		note := func(name string) {
			value, ok := r.Says(name)
			if !ok || value == "" && slices.Contains(store.LabelNames, name) {
				return
			}
			c := columns[name]
			if c == nil {
				name = strings.Clone(name)
				c = &column{values: map[string]uint64{}}
				columns[name] = c
			}
			c.put(count, value)
		}
		for _, name := range store.LabelNames {
			note(name)
		}
		for name := range r.Labels {
			note(name)
		}
		for name := range r.Said.Labels {
			if _, stated := r.Labels[name]; !stated {
				note(name)
			}
		}
		return nil
	})
	sections := map[string][]byte{"": facts}
	for name, c := range columns {
		sections[name] = c.encode()
	}
	return sections, err
}

// leastFacts is how many bytes appendFacts appends at least.
const leastFacts = 8 + 3

func appendFacts(b []byte, d *store.Document) []byte {
	b = le.AppendUint64(b, uint64(d.ID))
	b = binary.AppendUvarint(b, uint64(d.Text))
	pairs := uint64(0)
	if d.Paired {
		pairs = uint64(d.Pairs) + 1
	}
	b = binary.AppendUvarint(b, pairs)
	b = binary.AppendUvarint(b, uint64(len(d.Sizes)))
	for _, s := range d.Sizes {
		b = binary.AppendUvarint(b, uint64(s.N))
		b = binary.AppendUvarint(b, uint64(s.Grams))
	}
	return b
}

// encodeLabels returns the label file of the table with this checksum.
func encodeLabels(sum uint32, sections map[string][]byte) ([]byte, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(tableCompressed), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	head := binary.AppendUvarint(nil, uint64(len(sections)))
	var frames []byte
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		frame := enc.EncodeAll(sections[name], nil)
		head = binary.AppendUvarint(appendText(head, name), uint64(len(frame)))
		frames = append(frames, frame...)
	}
	body := append(head, frames...)
	b := slices.Clone(labelMagic[:])
	b = le.AppendUint32(b, labelVersion)
	b = le.AppendUint32(b, sum)
	return append(le.AppendUint32(b, crc32.Checksum(body, castagnoli)), body...), nil
}

// readLabels reads the label file at path, of the table with this checksum.
func readLabels(path string, sum uint32) (*labels, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) < labelHeader || [8]byte(data) != labelMagic || le.Uint32(data[8:]) != labelVersion {
		return nil, damaged(path, "it does not begin as a file of labels does")
	}
	if le.Uint32(data[12:]) != sum || le.Uint32(data[16:]) != crc32.Checksum(data[labelHeader:], castagnoli) {
		return nil, damaged(path, "its checksum is wrong, or it is of another table")
	}
	l := &labels{path: path, sections: map[string][]byte{}}
	q := varints{rest: data[labelHeader:]}
	var names []string
	var lengths []uint64
	for range min(q.next(), uint64(len(data))) {
		names = append(names, q.text())
		lengths = append(lengths, q.next())
	}
	for i, name := range names {
		l.sections[name] = q.bytes(lengths[i])
	}
	if q.bad || len(q.rest) > 0 {
		return nil, damaged(path, "its sections do not add up")
	}
	return l, nil
}

// section returns a section unpacked, nil for none.
func (l *labels) section(name string) ([]byte, error) {
	packed, ok := l.sections[name]
	if !ok {
		return nil, nil
	}
	dec, err := unpack()
	if err != nil {
		return nil, err
	}
	b, err := dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, damaged(l.path, "the section %q cannot be unpacked: %v", name, err)
	}
	return b, nil
}

// Varints read one after another. After the end, bad is true.
type varints struct {
	rest []byte
	bad  bool
}

func (q *varints) next() uint64 {
	v, n := binary.Uvarint(q.rest)
	if n <= 0 {
		q.bad, q.rest = true, nil
		return 0
	}
	q.rest = q.rest[n:]
	return v
}

func (q *varints) bytes(count uint64) []byte {
	if count > uint64(len(q.rest)) {
		q.bad, q.rest = true, nil
		return nil
	}
	b := q.rest[:count]
	q.rest = q.rest[count:]
	return b
}

func (q *varints) text() string { return string(q.bytes(q.next())) }

// labelsOf returns the sections of a table by name, which the label file in dir has, or the
// table.
func (t *table) labelsOf(ctx context.Context, dir string, r tableRecord) (func(name string) ([]byte, error), error) {
	if l, err := readLabels(filepath.Join(dir, fmt.Sprintf(labelName, r.File)), r.Sum); err == nil {
		return l.section, nil
	}
	sections, err := deriveLabels(ctx, t)
	return func(name string) ([]byte, error) { return sections[name], nil }, err
}

// Select implements [store.Selector].
func (r *Reader) Select(ctx context.Context, tests []store.LabelTest, fn func(*store.Document) error) (ok bool, err error) {
	err = r.with(ctx, func(s *snapshot) error {
		if ok = s.version > boltVersion; !ok {
			return nil
		}
		for i, t := range s.tables {
			sections, err := t.labelsOf(ctx, s.dir, s.index.Tables[i])
			if err != nil {
				return err
			}
			if err := selectIn(sections, tests, s.tables[i+1:], fn); err != nil {
				return err
			}
		}
		return nil
	})
	return ok, err
}

// selectIn calls fn for the documents of one table for which all tests hold, unless a
// later table says something else of them.
func selectIn(sections func(string) ([]byte, error), tests []store.LabelTest, later layers, fn func(*store.Document) error) error {
	facts, err := sections("")
	if err != nil {
		return err
	}
	var passed [][]bool // by test and document
	for _, test := range tests {
		column, err := sections(test.Name)
		if err != nil {
			return err
		}
		p, err := passing(column, test, len(facts)/leastFacts)
		if err != nil {
			return err
		}
		passed = append(passed, p)
	}
	var d store.Document
	q := varints{rest: facts}
	for doc := 1; len(q.rest) > 0; doc++ {
		q.facts(&d)
		if q.bad {
			return fmt.Errorf("labels do not add up: %w", store.ErrDamaged)
		}
		holds := !slices.ContainsFunc(passed, func(p []bool) bool {
			return !p[min(doc, len(p)-1)]
		})
		if !holds {
			continue
		}
		if over, err := later.has(d.ID); over || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if err := fn(&d); err != nil {
			return err
		}
	}
	return nil
}

// has reports whether one of the tables says something of a document.
func (l layers) has(id store.DocID) (bool, error) {
	for _, t := range l {
		if _, ok, err := t.find(t.ids, uint64(id)); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// facts reads what a label file says of a document.
func (q *varints) facts(d *store.Document) {
	*d = store.Document{Sizes: d.Sizes[:0]}
	if id := q.bytes(8); id != nil {
		d.ID = store.DocID(le.Uint64(id))
	}
	d.Text = int64(q.next())
	if pairs := q.next(); pairs > 0 {
		d.Paired, d.Pairs = true, int64(pairs-1)
	}
	for range min(q.next(), uint64(len(q.rest))) {
		d.Sizes = append(d.Sizes, store.Size{N: int(q.next()), Grams: int64(q.next())})
	}
}

// passing returns for which of most documents a test holds, counted from 1 on; for
// those after the end, what is said of the last one does.
func passing(column []byte, test store.LabelTest, most int) ([]bool, error) {
	q := varints{rest: column}
	none := test.Holds("", slices.Contains(store.LabelNames, test.Name))
	var holds []bool
	if len(column) > 0 {
		for range min(q.next(), uint64(len(column))) {
			holds = append(holds, test.Holds(q.text(), true))
		}
	}
	docs := []bool{none}
	for len(q.rest) > 0 {
		after, value := q.next(), q.next()
		if q.bad || after == 0 || after > uint64(most) || value >= uint64(len(holds)) {
			return nil, fmt.Errorf("labels do not add up: %w", store.ErrDamaged)
		}
		for range after - 1 {
			docs = append(docs, none)
		}
		docs = append(docs, holds[value])
	}
	return append(docs, none), nil
}

// keepLabels writes the label files of large tables that have none. Without one a
// search takes longer, so it is no error if that cannot be done.
func (s *Store) keepLabels() {
	for i, t := range s.snap.tables {
		s.writeLabels(t, s.snap.index.Tables[i])
	}
}

// writeLabels writes the label file of a table, unless it is there or the table is small.
func (s *Store) writeLabels(t *table, r tableRecord) {
	path := s.path(labelName, r.File)
	if r.Bytes < labelled || labelsThere(path, r.Sum) {
		return
	}
	sections, err := deriveLabels(context.Background(), t)
	if err != nil {
		return // the next who reads the table is told
	}
	data, err := encodeLabels(r.Sum, sections)
	if err != nil {
		return
	}
	f, err := s.disk.create(path)
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if cerr := f.file.Close(); err != nil || cerr != nil {
		_ = s.disk.remove(path)
	}
}

// labelsThere reports whether a file begins as the label file of a table does.
func labelsThere(path string, sum uint32) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [labelHeader]byte
	_, err = f.ReadAt(head[:], 0)
	return err == nil && [8]byte(head[:8]) == labelMagic && le.Uint32(head[8:]) == labelVersion && le.Uint32(head[12:]) == sum
}

// checkLabels compares a label file with what is derived from its table.
func checkLabels(ctx context.Context, dir string, t *table, r tableRecord) error {
	path := filepath.Join(dir, fmt.Sprintf(labelName, r.File))
	if _, err := os.Stat(path); err != nil {
		return nil // derived when it is asked for
	}
	l, err := readLabels(path, r.Sum)
	if err != nil {
		return err
	}
	want, err := deriveLabels(ctx, t)
	if err != nil {
		return nil // told of the table itself
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got, err := l.section(name); err != nil || string(got) != string(want[name]) {
			return damaged(path, "it says something else of %s than the documents do", strconv.Quote(name))
		}
	}
	if len(l.sections) != len(want) {
		return damaged(path, "it has labels that no document has")
	}
	return nil
}

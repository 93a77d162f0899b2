package near

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"math/bits"
	"slices"

	"github.com/otisk/otisk/corpus/ordered"
	"github.com/otisk/otisk/corpus/spill"
	"github.com/otisk/otisk/internal/lists"
)

// A joiner finds the pairs of sets with enough common hashes.
//
// If two sets must share k hashes, at least one shared hash is among the first
// |A| − k + 1 of A, in an order common to all sets. So only these prefixes are
// written to disk, partitioned by hash. Documents that share a hash are candidates,
// unless the sizes or the remaining lengths of their sets rule out a pair.
type joiner struct {
	d     *Data
	ranks []rank
	sizes []uint32 // of the sets; close together, unlike those in d
	files *spill.Files
	out   *spill.Files // candidates, partitioned by their first document
	shift int          // bits of the first document below its partition

	source string // file with the compared sets
}

const (
	parts     = 256
	pairBytes = 8
	buffered  = 1 << 14
)

// An entry is a key of a document and its position in the ordered set of the document.
type entry struct {
	key  uint64
	doc  uint32
	rest uint32 // number of keys at and after that position, and a flag in the lowest bit
}

// join finds the pairs by the prefixes of their sets.
func (d *Data) join(ctx context.Context) ([]Pair, error) {
	ranks, err := d.ranked(ctx)
	if err != nil {
		return nil, err
	}
	sizes := lists.Map(d.Docs, func(doc Doc) uint32 { return doc.Size })
	j := &joiner{d: d, ranks: ranks, sizes: sizes, shift: max(0, bits.Len(uint(len(d.Docs)))-8), source: ranksFile}
	if j.out, err = spill.Create(d.dir.Path("candidates"), parts); err != nil {
		return nil, err
	}
	defer j.out.Remove()
	if err := j.byResemblance(ctx); err != nil {
		return nil, err
	}
	if d.o.Contained > 0 {
		if err := j.byContainment(ctx); err != nil {
			return nil, err
		}
	}
	return j.verify(ctx)
}

// prefix returns the length of the prefix of a document's keys that must be joined if
// pairs need at least need common hashes. Hashes of no other document come first.
func (j *joiner) prefix(doc, need int) int {
	size, left := int(j.sizes[doc]), int(j.ranks[doc].size)
	return max(0, min(size-need+1-(size-left), left))
}

func (j *joiner) byResemblance(ctx context.Context) (err error) {
	if j.files, err = spill.Create(j.d.dir.Path("prefixes"), parts); err != nil {
		return err
	}
	defer j.files.Remove()
	w := newEntries(j.files)
	err = j.eachRank(ctx, func(doc int, keys []uint64) error { return j.prefixes(w, doc, keys) })
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		return err
	}
	return j.meet(ctx, (*meeting).resemblances)
}

// prefixes writes the entries of a document's prefix. The flag marks the entries that
// suffice to find larger documents.
func (j *joiner) prefixes(w *entries, doc int, keys []uint64) error {
	t, size := j.d.o.Threshold, float64(j.sizes[doc])
	probe := j.prefix(doc, atLeast(t*size))
	index := j.prefix(doc, atLeast(2*t/(1+t)*size))
	for p := range probe {
		if err := w.add(entry{keys[p], uint32(doc), flagged(len(keys)-p, p < index)}); err != nil {
			return err
		}
	}
	return nil
}

func flagged(rest int, flag bool) uint32 {
	if flag {
		return uint32(rest)<<1 | 1
	}
	return uint32(rest) << 1
}

func (e entry) left() int  { return int(e.rest >> 1) }
func (e entry) flag() bool { return e.rest&1 == 1 }

// entries writes entries divided by their keys, those of each part one after another:
//
//	7 bytes   the key, mixed, without its first byte, which is the number of the part; low byte first
//	varint    the document, minus that of the previous entry in this part
//	varint    the field rest
//
// In collections with little overlap, an entry takes 10 bytes. Disk use peaks while
// entries and ordered sets exist. An entries is not safe for concurrent use.
type entries struct {
	files   *spill.Files
	buffers [][]byte
	last    []uint32 // document of each part
}

const keyBytes = 7

func newEntries(files *spill.Files) *entries {
	return &entries{files, make([][]byte, files.Len()), make([]uint32, files.Len())}
}

// add adds an entry. Entries must be added in ascending order of documents.
func (w *entries) add(e entry) error {
	key := mix(e.key)
	i := int(key >> 56)
	b := binary.LittleEndian.AppendUint64(w.buffers[i], key)
	b = binary.AppendUvarint(b[:len(b)-8+keyBytes], uint64(e.doc-w.last[i]))
	w.last[i] = e.doc
	return w.put(i, binary.AppendUvarint(b, uint64(e.rest)))
}

// decode appends the entries of a part to list. The first byte of their keys, which
// all entries of a part share, is not stored.
func decode(raw []byte, list []entry) []entry {
	doc := uint32(0)
	for at := 0; at < len(raw); {
		key := uint64(binary.LittleEndian.Uint32(raw[at:])) | uint64(binary.LittleEndian.Uint32(raw[at+keyBytes-4:]))<<(8*(keyBytes-4))
		at += keyBytes
		since, n := binary.Uvarint(raw[at:])
		at += n
		rest, n := binary.Uvarint(raw[at:])
		at += n
		doc += uint32(since)
		list = append(list, entry{key, doc, uint32(rest)})
	}
	return list
}

func (w *entries) addPair(i int, a, b uint32) error {
	return w.put(i, binary.LittleEndian.AppendUint64(w.buffers[i], uint64(a)<<32|uint64(b)))
}

// put buffers b for part i, and writes the buffer when it is full.
func (w *entries) put(i int, b []byte) error {
	if w.buffers[i] = b; len(b) < buffered {
		return nil
	}
	w.buffers[i] = b[:0]
	return w.files.Append(i, b)
}

func (w *entries) flush() error { return w.files.AppendAll(w.buffers) }

// A meeting finds candidates among the documents that share a key.
type meeting struct {
	j      *joiner
	out    *entries
	raw    []byte
	list   []entry
	keys   []uint64 // of the entries: the high bits, then the number of the entry
	order  []uint64 // the same, sorted
	sorter spreader
	group  []entry
	last   uint64 // pair
}

func (j *joiner) meet(ctx context.Context, fn func(*meeting, []entry) error) error {
	state := func() *meeting { return &meeting{j: j, out: newEntries(j.out)} }
	part := func(ctx context.Context, m *meeting, i int) error { return m.part(ctx, i, fn) }
	return ordered.Each(ctx, parts, state, part, func(m *meeting) error { return m.out.flush() })
}

func (m *meeting) part(ctx context.Context, i int, fn func(*meeting, []entry) error) (err error) {
	if m.raw, err = m.j.files.Read(i, m.raw); err != nil {
		return err
	}
	m.list = decode(m.raw, m.list[:0])
	width := bits.Len(uint(len(m.list)))
	m.sort(width)
	for start := 0; start < len(m.order); {
		end := start + 1
		for end < len(m.order) && m.order[end]>>width == m.order[start]>>width {
			end++
		}
		if end-start > 1 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := fn(m, m.bySize(m.order[start:end], width)); err != nil {
				return err
			}
		}
		start = end
	}
	return nil
}

// sort orders the entries by the high bits of their keys. The others make room for their
// numbers of width bits; if only they differ, documents are compared in vain. All keys
// have the same first byte.
func (m *meeting) sort(width int) {
	m.keys = m.keys[:0]
	for i, e := range m.list {
		m.keys = append(m.keys, e.key<<8>>width<<width|uint64(i))
	}
	m.order = slices.Grow(m.order[:0], len(m.keys))[:len(m.keys)]
	m.sorter.sort(m.order, m.keys)
}

// bySize returns the entries with these numbers in order of the size of the set. The
// slice is valid until the next call.
func (m *meeting) bySize(numbers []uint64, width int) []entry {
	m.group = m.group[:0]
	m.group = append(m.group, lists.Map(numbers, func(n uint64) entry { return m.list[n&(1<<width-1)] })...)
	sizes := m.j.sizes
	slices.SortFunc(m.group, func(a, b entry) int {
		return cmp.Or(cmp.Compare(sizes[a.doc], sizes[b.doc]), cmp.Compare(a.doc, b.doc))
	})
	return m.group
}

func (m *meeting) candidate(a, b uint32) error {
	if a > b {
		a, b = b, a
	}
	pair := uint64(a)<<32 | uint64(b)
	if pair == m.last {
		return nil
	}
	m.last = pair
	return m.out.addPair(int(a>>m.j.shift), a, b)
}

// resemblances finds candidates among the documents that share a key, sorted by size.
func (m *meeting) resemblances(group []entry) error {
	t := m.j.d.o.Threshold
	for i := 1; i < len(group); i++ {
		large := group[i]
		size := m.j.sizes[large.doc]
		least := uint32(atLeast(t * float64(size)))
		for k := i - 1; k >= 0; k-- {
			small := group[k]
			other := m.j.sizes[small.doc]
			if other < least {
				break
			}
			if !small.flag() || min(small.left(), large.left()) < atLeast(t/(1+t)*float64(size+other)) {
				continue
			}
			if err := m.candidate(small.doc, large.doc); err != nil {
				return err
			}
		}
	}
	return nil
}

// byContainment finds documents whose set is mostly contained in a larger one. Shared
// keys may be anywhere in the larger set, so all its keys are joined that are in the
// prefix of some other document.
func (j *joiner) byContainment(ctx context.Context) (err error) {
	if j.files, err = spill.Create(j.d.dir.Path("contained"), parts); err != nil {
		return err
	}
	defer j.files.Remove()
	filter := newBloom(j.d.o.Memory / 4)
	err = j.eachRank(ctx, func(doc int, keys []uint64) error {
		for _, k := range keys[:j.prefix(doc, j.contained(doc))] {
			filter.add(k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	w := newEntries(j.files)
	err = j.eachRank(ctx, func(doc int, keys []uint64) error {
		probe := j.prefix(doc, j.contained(doc))
		for p, k := range keys {
			if p < probe || filter.contains(k) {
				if err := w.add(entry{k, uint32(doc), flagged(len(keys)-p, p < probe)}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		return err
	}
	return j.meet(ctx, j.containments)
}

// contained returns the number of hashes that a larger document must share with doc.
func (j *joiner) contained(doc int) int {
	return atLeast(j.d.o.Contained * float64(j.sizes[doc]))
}

func (j *joiner) containments(m *meeting, group []entry) error {
	for i, small := range group {
		need := j.contained(int(small.doc))
		if !small.flag() || small.left() < need {
			continue
		}
		size := j.sizes[small.doc]
		first := i
		for first > 0 && j.sizes[group[first-1].doc] == size {
			first--
		}
		for k := first; k < len(group); k++ {
			if k == i || group[k].left() < need {
				continue
			}
			if err := m.candidate(small.doc, group[k].doc); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *joiner) eachRank(ctx context.Context, fn func(doc int, keys []uint64) error) error {
	return j.d.dir.Read(ranksFile, func(r *bufio.Reader) (err error) {
		var raw []byte
		var keys []uint64
		for doc, rank := range j.ranks {
			if doc&1023 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if raw, keys, err = readKeys(r, rank.size, raw, keys); err != nil {
				return err
			}
			if err := fn(doc, keys); err != nil {
				return err
			}
		}
		return nil
	})
}

// readKeys reads count keys, reusing the slices raw and keys.
func readKeys(r io.Reader, count uint32, raw []byte, keys []uint64) ([]byte, []uint64, error) {
	raw = slices.Grow(raw[:0], 8*int(count))[:8*int(count)]
	if _, err := io.ReadFull(r, raw); err != nil {
		return raw, keys, err
	}
	keys = keys[:0]
	for at := 0; at < len(raw); at += 8 {
		keys = append(keys, binary.LittleEndian.Uint64(raw[at:]))
	}
	return raw, keys, nil
}

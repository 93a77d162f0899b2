package near

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"os"
	"slices"

	"github.com/otisk/otisk/corpus/extsort"
	"github.com/otisk/otisk/internal/disjoint"
)

// Expand calls fn with each pair in order of A and B: the given pairs, and the pairs
// that documents with equal sets add.
func (d *Data) Expand(ctx context.Context, pairs []Pair, fn func(Pair) error) error {
	s := extsort.New(d.dir.Path("expand"), d.o.Memory/4)
	add := func(a, b, common uint32) error {
		var r [12]byte
		binary.BigEndian.PutUint32(r[:], min(a, b))
		binary.BigEndian.PutUint32(r[4:], max(a, b))
		binary.BigEndian.PutUint32(r[8:], common)
		return s.Add(r[:])
	}
	if err := d.expand(ctx, pairs, add); err != nil {
		return err
	}
	return s.Each(ctx, func(r []byte) error {
		return fn(Pair{binary.BigEndian.Uint32(r), binary.BigEndian.Uint32(r[4:]), binary.BigEndian.Uint32(r[8:])})
	})
}

// expand calls add with all pairs in any order.
func (d *Data) expand(ctx context.Context, pairs []Pair, add func(a, b, common uint32) error) error {
	for _, p := range pairs {
		for _, a := range d.equal(p.A) {
			for _, b := range d.equal(p.B) {
				if err := add(a, b, p.Common); err != nil {
					return err
				}
			}
		}
	}
	for first := range d.list {
		same, common := d.equal(first), d.Docs[first].Size
		if d.o.By == Simhash {
			common = 0
		}
		for i, a := range same {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			for _, b := range same[i+1:] {
				if err := add(a, b, common); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// equal returns a document and the others with an equal set.
func (d *Data) equal(doc uint32) []uint32 { return append([]uint32{doc}, d.list[doc]...) }

// Longer compares documents for sorting: the longest first, those of equal length in
// the order of the collection.
func (d *Data) Longer(a, b uint32) int {
	return cmp.Or(cmp.Compare(d.Docs[b].Words, d.Docs[a].Words), cmp.Compare(a, b))
}

// Newer compares documents for sorting: the newest first.
func (d *Data) Newer(a, b uint32) int {
	return cmp.Or(cmp.Compare(d.Docs[b].Time, d.Docs[a].Time), cmp.Compare(a, b))
}

// Groups returns the connected components of pairs. The longest document of a group
// comes first; groups are sorted by their first document.
func (d *Data) Groups(pairs []Pair) [][]uint32 {
	sets := disjoint.New(len(d.Docs))
	for _, p := range pairs {
		sets.Join(int(p.A), int(p.B))
	}
	for first, same := range d.list {
		for _, doc := range same {
			sets.Join(int(first), int(doc))
		}
	}
	members := map[int][]uint32{}
	var roots []int
	for i := range d.Docs {
		root := sets.Root(i)
		if members[root] = append(members[root], uint32(i)); len(members[root]) == 2 {
			roots = append(roots, root)
		}
	}
	slices.SortFunc(roots, func(a, b int) int { return cmp.Compare(members[a][0], members[b][0]) })
	var groups [][]uint32
	for _, root := range roots {
		slices.SortFunc(members[root], d.Longer)
		groups = append(groups, members[root])
	}
	return groups
}

// Kept returns the documents to keep, in the order of the collection. It visits all
// documents in order of preference and keeps each that is near no document kept
// before, so every dropped document is near a kept one.
func (d *Data) Kept(pairs []Pair, prefer func(a, b uint32) int) []uint32 {
	neighbours := map[uint32][]uint32{}
	for _, p := range pairs {
		neighbours[p.A] = append(neighbours[p.A], p.B)
		neighbours[p.B] = append(neighbours[p.B], p.A)
	}
	order := make([]uint32, len(d.Docs))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, prefer)
	kept := map[uint32]bool{} // by the first document with the same set
	var list []uint32
	for _, doc := range order {
		first := doc
		if same := d.Docs[doc].Same; same >= 0 {
			first = uint32(same)
		}
		if kept[first] || slices.ContainsFunc(neighbours[first], func(n uint32) bool { return kept[n] }) {
			continue
		}
		kept[first] = true
		list = append(list, doc)
	}
	slices.Sort(list)
	return list
}

// Shorts reads and compares the short paragraphs of documents.
type Shorts struct {
	d    *Data
	file *os.File
}

// Shorts opens the file with the short paragraphs; the caller must close it.
func (d *Data) Shorts() (*Shorts, error) {
	f, err := os.Open(d.dir.Path(setsFile))
	return &Shorts{d, f}, err
}

// Close closes the file.
func (s *Shorts) Close() error { return s.file.Close() }

// Similarity returns |A∩B| ÷ |A∪B| of the short paragraphs of two documents, 1 if
// neither has any.
func (s *Shorts) Similarity(a, b uint32) (float64, error) {
	x, err := s.read(a)
	if err != nil {
		return 0, err
	}
	y, err := s.read(b)
	if err != nil || len(x)+len(y) == 0 {
		return 1, err
	}
	common := commonKeys(x, y, 0)
	return ratio(common, uint32(len(x)+len(y))-common), nil
}

func (s *Shorts) read(doc uint32) (list []uint64, err error) {
	raw := make([]byte, 8*s.d.Docs[doc].Shorts)
	if _, err := s.file.ReadAt(raw, s.d.Docs[doc].short); err != nil && err != io.EOF {
		return nil, err
	}
	for at := 0; at < len(raw); at += 8 {
		list = append(list, binary.LittleEndian.Uint64(raw[at:]))
	}
	return list, nil
}

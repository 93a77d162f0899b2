package near

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"github.com/otisk/otisk/corpus/ordered"
	"github.com/otisk/otisk/internal/closing"
)

// A verifier compares the sets of candidates: sets of a range of documents in memory
// with sets that it reads in order.
type verifier struct {
	j     *joiner
	file  *os.File
	raw   []byte
	pairs []uint64
	first []uint64 // keys of the stretch
	from  int64    // offset of the keys in the file
	other []uint64
	found []Pair
}

func (j *joiner) verify(ctx context.Context) (pairs []Pair, err error) {
	f, err := os.Open(j.d.dir.Path(j.source))
	if err != nil {
		return nil, err
	}
	defer closing.Into(&err, f)
	found, count := make([][]Pair, parts), atomic.Int64{}
	most := j.d.o.mostPairs()
	state := func() *verifier { return &verifier{j: j, file: f} }
	part := func(ctx context.Context, v *verifier, i int) error {
		v.found = nil
		err := v.part(ctx, i)
		if found[i] = v.found; count.Add(int64(len(v.found))) > int64(most) {
			return tooManyPairs(most)
		}
		return err
	}
	if err := ordered.Each(ctx, parts, state, part, func(*verifier) error { return nil }); err != nil {
		return nil, err
	}
	pairs = slices.Concat(found...)
	slices.SortFunc(pairs, byNumbers)
	return pairs, nil
}

func byNumbers(a, b Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) }

// stretchBytes is the approximate size of the sets in memory.
const stretchBytes = 32 << 20

func (v *verifier) part(ctx context.Context, i int) (err error) {
	if v.raw, err = v.j.out.Read(i, v.raw); err != nil {
		return err
	}
	v.pairs = v.pairs[:0]
	for at := 0; at < len(v.raw); at += pairBytes {
		v.pairs = append(v.pairs, binary.LittleEndian.Uint64(v.raw[at:]))
	}
	slices.Sort(v.pairs)
	v.pairs = slices.Compact(v.pairs)
	for start := 0; start < len(v.pairs); {
		first, end := v.pairs[start]>>32, start
		size := int64(0)
		for end < len(v.pairs) && (size < stretchBytes || v.pairs[end]>>32 == v.pairs[end-1]>>32) {
			r := v.j.ranks[v.pairs[end]>>32]
			size = r.at + 8*int64(r.size) - v.j.ranks[first].at
			end++
		}
		if err := v.stretch(ctx, v.pairs[start:end]); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// stretch compares candidates whose first documents span about stretchBytes of the file.
func (v *verifier) stretch(ctx context.Context, pairs []uint64) (err error) {
	first, last := v.j.ranks[pairs[0]>>32], v.j.ranks[pairs[len(pairs)-1]>>32]
	v.from = first.at
	if v.first, err = v.read(first.at, int(last.at-first.at)/8+int(last.size), v.first); err != nil {
		return err
	}
	slices.SortFunc(pairs, func(a, b uint64) int { return cmp.Or(cmp.Compare(uint32(a), uint32(b)), cmp.Compare(a, b)) })
	before := -1
	for _, p := range pairs {
		a, b := uint32(p>>32), uint32(p)
		if int(b) != before {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if v.other, err = v.read(v.j.ranks[b].at, int(v.j.ranks[b].size), v.other); err != nil {
				return err
			}
			before = int(b)
		}
		start := (v.j.ranks[a].at - v.from) / 8
		v.compare(a, b, v.first[start:start+int64(v.j.ranks[a].size)])
	}
	return nil
}

// compare records a and b as a pair if their sets are similar enough. The keys of b are in v.other.
func (v *verifier) compare(a, b uint32, keys []uint64) {
	docs, o := v.j.d.Docs, &v.j.d.o
	common := commonKeys(keys, v.other, o.needed(docs[a].Size, docs[b].Size))
	if o.near(docs[a].Size, docs[b].Size, common) {
		v.found = append(v.found, Pair{a, b, common})
	}
}

// read reads count keys from the file and reuses the slice keys.
func (v *verifier) read(at int64, count int, keys []uint64) ([]uint64, error) {
	raw := slices.Grow(v.raw[:0], 8*count)[:8*count]
	if _, err := v.file.ReadAt(raw, at); err != nil && err != io.EOF {
		return keys, err
	}
	v.raw, keys = raw, keys[:0]
	for i := 0; i < len(raw); i += 8 {
		keys = append(keys, binary.LittleEndian.Uint64(raw[i:]))
	}
	return keys, nil
}

// commonKeys returns the number of common keys of two ascending lists. As soon as need
// cannot be reached, it returns a number below need.
func commonKeys(a, b []uint64, need int) uint32 {
	i, j, common := 0, 0, 0
	for i < len(a) && j < len(b) && common+min(len(a)-i, len(b)-j) >= need {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return uint32(common)
}

package segment

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
)

// The functions of a file in this file read one key at a time, as the format is described.

// passes reports whether a hash passes the filter. The page of the filter word must be
// checked before.
func (s *file) passes(hash uint64) bool {
	at, mask := s.filterAt(hash)
	return le.Uint64(s.data[at:])&mask == mask
}

// find returns the posting of the hash h; ok is false if the segment does not contain h. It
// checks the pages that it reads.
func (s *file) find(h uint64) (c *chunk, posting uint64, ok bool, err error) {
	c, key, ok, err := s.key(h)
	if !ok || err != nil {
		return c, 0, false, err
	}
	posting, err = s.ensurePosting(c, key)
	return c, posting, err == nil, err
}

// walk calls visit for each key in [lo, hi), in ascending order. The chunks must be checked
// before.
func (s *file) walk(lo, hi uint64, visit func(h uint64, p cursor) error) error {
	return s.walkBlocks(lo, hi, func(b *batch) error {
		for i, h := range b.keys {
			p := s.cursor(b.chunk, b.postings[i])
			p.sound = b.chunk.end
			if err := visit(h, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// chunkByLookups is counter.chunk, but looks each key up.
func (c *counter) chunkByLookups(i uint64, t tally) error {
	shift := c.chunkShift()
	last := int64(-1)
	return c.walk(i<<shift, (i+1)<<shift, func(h uint64, p cursor) error {
		if int64(h) <= last {
			return c.damagedAt(p.chunk, "damage.keys-order", "its keys do not ascend")
		}
		last = int64(h)
		if _, _, found, err := c.file.find(h); !c.passes(h) || !found || err != nil {
			return c.damagedAt(p.chunk, "damage.key-lost", "one of its keys is not found")
		}
		return c.list(p, t)
	})
}

// TestVerifyReadsAsLookupsDo changes bits of segments and corrects the checksums: Verify
// finds the chunks damaged in which a look-up of a key fails, and counts the same n-grams in
// the others.
func TestVerifyReadsAsLookupsDo(t *testing.T) {
	need.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(11, 12))
	reasons := []string{"do not ascend", "is not found", "too few keys", "too many keys", "runs over the end", "a list has n-gram"}
	all := corpora()
	for _, name := range slices.Sorted(maps.Keys(all)) { // in one order, so that each run makes the same changes
		g := all[name]
		f := writeSegment(t, g[:min(len(g), 2000)], 50)
		for range 300 {
			data := bytes.Clone(f.data)
			for range 1 + rng.IntN(2) {
				data[headerSize+rng.Uint64N(f.end-headerSize)] ^= 1 << rng.IntN(8)
			}
			mend(data)
			s, err := parse("changed", data)
			if err != nil {
				t.Fatal(err)
			}
			c := &counter{view: &view{file: s}, pieceFinder: newPieceFinder(s)}
			for i := range s.chunks {
				got, want := make(tally, s.pieces), make(tally, s.pieces)
				err, wanted := c.chunk(uint64(i), got), c.chunkByLookups(uint64(i), want)
				if (err == nil) != (wanted == nil) {
					t.Errorf("%s: chunk %d: %v, with look-ups %v", name, i, err, wanted)
				}
				if err == nil && !slices.Equal(got, want) {
					t.Errorf("%s: chunk %d: other counts than with look-ups", name, i)
				}
				if err != nil {
					reasons = slices.DeleteFunc(reasons, func(reason string) bool { return strings.Contains(err.Error(), reason) })
				}
			}
		}
	}
	if len(reasons) > 0 {
		t.Errorf("no change is reported as %q", reasons)
	}
}

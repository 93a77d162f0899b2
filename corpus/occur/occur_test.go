package occur

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/otisk/otisk/corpus/spill"
)

// TestAllComeBack writes occurrences with hashes that repeat, and reads them with
// much memory and with little.
func TestAllComeBack(t *testing.T) {
	files, err := spill.Create(filepath.Join(t.TempDir(), "part"), Parts)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Remove()
	w := NewWriter(files)
	r := rand.New(rand.NewPCG(1, 2))
	want := map[uint64][]uint64{} // places by place of the first
	first := map[uint64]uint64{}
	place := uint64(1)
	for range 200_000 {
		hash := r.Uint64()
		if r.IntN(2) == 0 {
			hash = uint64(r.IntN(1000)) * 0x9E3779B97F4A7C15
		}
		place += uint64(r.IntN(1 << r.IntN(40)))
		if err := w.Add(hash, place); err != nil {
			t.Fatal(err)
		}
		if _, ok := first[hash]; !ok {
			first[hash] = place
		}
		want[first[hash]] = append(want[first[hash]], place)
		place++
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, memory := range []int64{1 << 30, 1000} {
		reader, seen := NewReader(files, memory), 0
		var table Table
		for part := range Parts {
			err := reader.Each(t.Context(), part, func(group []Occurrence) error {
				got := map[uint64][]uint64{}
				table.Reset(len(group))
				for _, o := range group {
					s := table.Of(o.Hash)
					if s.Count++; s.Count == 1 {
						s.Place = o.Place
					}
					got[s.Place] = append(got[s.Place], o.Place)
				}
				return table.Each(func(s *Slot) error {
					seen += int(s.Count)
					if !slices.Equal(got[s.Place], want[s.Place]) {
						t.Errorf("a hash is at %v, want %v", got[s.Place], want[s.Place])
					}
					return nil
				})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if seen != 200_000 {
			t.Errorf("%d of 200,000 occurrences come back", seen)
		}
	}
}

package segment

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/storetest"
)

// checked returns how many bytes of tables and segments have been read and
// checked.
func (s *snapshot) checked() (bytes int64) {
	count := func(p *pages) {
		for i := range p.sound {
			bytes += int64(bits.OnesCount64(p.sound[i].Load())) << pageBits
		}
		bytes += int64(len(p.tops))
	}
	for _, t := range s.tables {
		count(&t.pages)
	}
	for _, v := range s.segments {
		count(&v.pages)
	}
	return bytes
}

// TestOpeningReadsLittle: what opening, looking one hash up and adding one
// document read and write does not grow with the index.
func TestOpeningReadsLittle(t *testing.T) {
	need.OneGoroutine(t)
	read, written := map[int]int64{}, map[int]int64{}
	for _, documents := range []int{1000, 30_000} {
		s := open(t, t.TempDir(), Options{Workers: 1, inTurn: true})
		rng := rand.New(rand.NewPCG(41, 42))
		var some []store.Hash
		for i := range documents {
			some = storetest.Hashes(rng, 6)
			addDoc(t, s, fmt.Sprint("/", i), fmt.Sprint("text ", i), storetest.Grams(7, some...))
		}
		if err := s.Optimize(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		again := open(t, s.dir, Options{Workers: 1, inTurn: true})
		if err := again.Lookup(t.Context(), 7, sorted(some)[:1], store.Limits{}, func(store.Hit) error { return nil }); err != nil {
			t.Fatal(err)
		}
		before := again.snap.index
		addDoc(t, again, "/one more", "text", storetest.Grams(7, 1))
		commit(t, again)
		read[documents] = again.snap.checked()
		written[documents] = newBytes(again.snap.index, before)
	}
	t.Logf("read %v, written %v bytes, by documents", read, written)
	if read[30_000] > 2*read[1000]+64<<10 || written[30_000] > 4<<10 {
		t.Errorf("one more document in 1,000 and 30,000 reads %v bytes and writes %v", read, written)
	}
}

// newBytes returns how many bytes the files have that x lists and before does not.
func newBytes(x, before *index) (bytes int64) {
	had := map[uint64]bool{}
	for _, r := range before.Segments {
		had[r.File] = true
	}
	for _, r := range before.Tables {
		had[r.File] = true
	}
	for _, r := range x.Segments {
		if !had[r.File] {
			bytes += r.Bytes
		}
	}
	for _, r := range x.Tables {
		if !had[r.File] {
			bytes += r.Bytes
		}
	}
	return bytes
}

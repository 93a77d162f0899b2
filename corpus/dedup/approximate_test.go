package dedup

import (
	"math/rand/v2"
	"testing"

	"github.com/otisk/otisk/internal/testing/need"
)

// TestFalseRate fills a filter and asks for as many others: the share that it takes for
// remembered is the one that it states.
func TestFalseRate(t *testing.T) {
	need.OneGoroutine(t)
	memory := int64(1 << 20)
	if testing.Short() {
		memory /= 8
	}
	for _, bitsEach := range []int{24, 16, 12, 8, 6} {
		r := rand.New(rand.NewPCG(1, uint64(bitsEach)))
		f, count := newFilter(memory), 8*int(memory)/bitsEach
		for range count {
			f.add(r.Uint64())
		}
		const asked = 2_000_000
		wrong := 0
		for range asked {
			if f.contains(r.Uint64()) {
				wrong++
			}
		}
		got, said := float64(wrong)/asked, f.falseRate()
		t.Logf("%d bits an n-gram: %.5f are wrong, %.5f are stated", bitsEach, got, said)
		if got < 0.85*said || got > 1.15*said {
			t.Errorf("%d bits an n-gram: %.5f are taken for remembered wrongly, %.5f are stated", bitsEach, got, said)
		}
	}
}

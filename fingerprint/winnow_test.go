package fingerprint

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// winnow picks of a list as many at once as parts says.
func winnow(hashes []Hash, width int, parts ...int) []Hash {
	w := NewWinnower(width)
	var out []Hash
	for _, part := range parts {
		part = min(part, len(hashes))
		out = w.Append(out, hashes[:part])
		hashes = hashes[part:]
	}
	return w.AppendRest(w.Append(out, hashes))
}

// checkWinnow compares the picked hashes with the comment of Winnower.
func checkWinnow(t *testing.T, hashes []Hash, width int) {
	t.Helper()
	picked := winnow(hashes, width)
	if again := winnow(hashes, width, 1, 3, 2, len(hashes)/2); !slices.Equal(again, picked) {
		t.Fatalf("winnowing %x, width %d, in parts: %x, at once %x", hashes, width, again, picked)
	}
	// They are some of the hashes, in their order.
	rest := hashes
	for _, h := range picked {
		at := slices.Index(rest, h)
		if at < 0 {
			t.Fatalf("winnowing %x, width %d: picked %x, %x is not there in that order", hashes, width, picked, h)
		}
		rest = rest[at+1:]
	}
	// Of width neighbours, the least is picked.
	if len(hashes) > 0 && len(picked) == 0 {
		t.Fatalf("winnowing %x, width %d: nothing is picked", hashes, width)
	}
	for i := 0; i+width <= len(hashes); i++ {
		if least := slices.Min(hashes[i : i+width]); !slices.Contains(picked, least) {
			t.Fatalf("winnowing %x, width %d: picked %x, not the least %x of %x", hashes, width, picked, least, hashes[i:i+width])
		}
	}
}

func TestWinnow(t *testing.T) {
	tests := []struct {
		hashes []Hash
		width  int
		want   []Hash
	}{
		{nil, 4, nil},
		{[]Hash{5}, 4, []Hash{5}},
		{[]Hash{5, 3, 9}, 4, []Hash{3}},
		{[]Hash{5, 3, 9}, 3, []Hash{3}},
		{[]Hash{5, 3, 9}, 1, []Hash{5, 3, 9}},
		{[]Hash{77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98}, 4, []Hash{17, 17, 8, 39, 17}}, // the example of the paper
		{[]Hash{7, 7, 7, 7, 7, 7, 7, 7, 7}, 3, []Hash{7, 7, 7}},
	}
	for _, tt := range tests {
		if got := winnow(tt.hashes, tt.width); !slices.Equal(got, tt.want) {
			t.Errorf("winnowing %d, width %d: %d, want %d", tt.hashes, tt.width, got, tt.want)
		}
	}
}

func TestWinnowPicksFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	hashes := make([]Hash, 100_000)
	for i := range hashes {
		hashes[i] = Hash(rng.Uint64() >> 16)
	}
	for _, width := range []int{1, 4, 19, 100} {
		got, want := len(winnow(hashes, width)), 2*len(hashes)/(width+1)
		if got < want*95/100 || got > want*105/100 {
			t.Errorf("of %d hashes, width %d, %d are picked, want about %d", len(hashes), width, got, want)
		}
	}
}

func TestNewWinnowerPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("NewWinnower(0) did not panic")
		}
	}()
	NewWinnower(0)
}

func FuzzWinnow(f *testing.F) {
	f.Add([]byte{77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98}, uint8(4))
	f.Add([]byte{1, 1, 1, 1, 1, 0, 1, 1, 1}, uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, width uint8) {
		hashes := make([]Hash, len(data))
		for i, b := range data {
			hashes[i] = Hash(b)
		}
		checkWinnow(t, hashes, 1+int(width))
	})
}

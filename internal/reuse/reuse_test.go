package reuse_test

import (
	"slices"
	"testing"

	"github.com/otisk/otisk/internal/reuse"
)

func TestZeros(t *testing.T) {
	list := []int{1, 2, 3, 4}
	if got := reuse.Zeros(list, 3); !slices.Equal(got, []int{0, 0, 0}) || &got[0] != &list[0] {
		t.Errorf("Zeros of a list with room = %v, want three zeros in the same memory", got)
	}
	if got := reuse.Zeros([]int{1}, 5); !slices.Equal(got, make([]int, 5)) {
		t.Errorf("Zeros of a short list = %v, want five zeros", got)
	}
}

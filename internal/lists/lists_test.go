package lists_test

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"
	"unicode"

	"github.com/otisk/otisk/internal/lists"
)

var isOdd = func(n int) bool { return n%2 == 1 }

// TestLists makes lists, sets and numbers of a list.
func TestLists(t *testing.T) {
	list := []int{3, 4, 3, 5}
	if got := lists.Map(list, strconv.Itoa); !slices.Equal(got, []string{"3", "4", "3", "5"}) {
		t.Errorf("Map = %q", got)
	}
	if got := lists.Filter(list, isOdd); !slices.Equal(got, []int{3, 3, 5}) {
		t.Errorf("Filter = %d", got)
	}
	if got := lists.Set(list); !maps.Equal(got, map[int]bool{3: true, 4: true, 5: true}) {
		t.Errorf("Set = %v", got)
	}
	if got := lists.Count(list, isOdd); got != 3 {
		t.Errorf("Count = %d, want 3", got)
	}
	if got := lists.Runes("Žluť 1", unicode.IsLetter); got != 4 {
		t.Errorf("Runes = %d, want 4", got)
	}
	if got := lists.Sum(list, func(n int) float64 { return float64(n) / 2 }); got != 7.5 {
		t.Errorf("Sum = %v, want 7.5", got)
	}
}

// TestEmpty makes nil of lists without elements: writers of JSON and callers distinguish it from an empty list.
func TestEmpty(t *testing.T) {
	if got := lists.Map([]int{}, strconv.Itoa); got != nil {
		t.Errorf("Map = %#v, want nil", got)
	}
	if got := lists.Filter([]int{2}, isOdd); got != nil {
		t.Errorf("Filter = %#v, want nil", got)
	}
}

// TestPut fills a map that does not exist before.
func TestPut(t *testing.T) {
	var m map[string]int
	lists.Put(&m, "a", 1)
	lists.Put(&m, "b", 2)
	if want := map[string]int{"a": 1, "b": 2}; !maps.Equal(m, want) {
		t.Errorf("Put gives %v, want %v", m, want)
	}
}

// TestEach stops at the first error.
func TestEach(t *testing.T) {
	stop, calls := errors.New("stop"), 0
	err := lists.Each([]int{1, 2, 3}, func(n int) error {
		calls++
		if n == 2 {
			return stop
		}
		return nil
	})
	if err != stop || calls != 2 {
		t.Errorf("Each = %v after %d calls, want %v after 2", err, calls, stop)
	}
	if err := lists.Each(nil, func(int) error { return stop }); err != nil {
		t.Errorf("Each of no element = %v", err)
	}
}

package esclient

import (
	"fmt"
	"testing"
)

// TestShards shows how many shards an index of that much text has.
func TestShards(t *testing.T) {
	for _, tt := range []struct {
		cfg  Config
		want string // of n-grams, pairs, texts and the catalogue
	}{
		{Config{}, "1 1 1 1"},
		{Config{Expect: 5 << 30}, "1 1 1 1"},
		{Config{Expect: 30 << 30}, "3 2 1 1"},
		{Config{Expect: 300 << 30}, "30 18 7 1"},
		{Config{Expect: 1 << 50}, "1024 1024 1024 1"},
		{Config{Shards: 4, Expect: 300 << 30}, "4 4 4 4"},
	} {
		c := tt.cfg
		got := fmt.Sprint(c.shards(gramsPart(7)), c.shards(pairsPart), c.shards(textsPart), c.shards(documentsPart))
		if got != tt.want {
			t.Errorf("%+v makes shards %s, want %s", c, got, tt.want)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range [][3]int{{1, 1, 1}, {1, 7, 7}, {1, 0, 1}, {3, 2, 3}, {3, 4, 6}, {3, 13, 24}} {
		if got := split(tt[0], tt[1]); got != tt[2] {
			t.Errorf("split(%d, %d) = %d, want %d", tt[0], tt[1], got, tt[2])
		}
	}
}

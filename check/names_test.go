package check

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDistinctNames(t *testing.T) {
	var used names
	for _, tt := range []struct{ name, want string }{
		{"a.txt", "a.txt"},
		{"a.txt", "a.txt~2"},
		{"A.TXT", "A.TXT~3"},
		{"a.txt~2", "a.txt~2~2"},
		{"\u00e1.txt", "\u00e1.txt"},
		{"a\u0301.txt", "a\u0301.txt~2"}, // the same letter, written otherwise
		{"b\x1b[2J\n.txt", "b_[2J_.txt"},
		{"b_[2J_.txt", "b_[2J_.txt~2"},
	} {
		if got := used.distinct(tt.name); got != tt.want {
			t.Errorf("distinct(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLongNamesAreCut(t *testing.T) {
	var used names
	one, two := used.distinct(strings.Repeat("ž", 300)+"1"), used.distinct(strings.Repeat("ž", 300)+"2")
	for _, name := range []string{one, two} {
		if len(name) > longestName || !utf8.ValidString(name) {
			t.Errorf("%q has %d bytes, want %d at most, and whole letters", name, len(name), longestName)
		}
	}
	if one == two {
		t.Errorf("two texts are called %q", one)
	}
}

package document

import (
	"fmt"
	"testing"
)

// TestNamesTakenAreNotAskedAgain: documents with the same name get their numbers in linear
// time; numbers that are part of names of other documents are skipped.
func TestNamesTakenAreNotAskedAgain(t *testing.T) {
	asked := 0
	n := newNames()
	n.before = func(string) bool { asked++; return false }
	const count = 1000
	for i := range count {
		if i == 500 {
			n.unique("a~600")
		}
		got, want := n.unique("a"), fmt.Sprintf("a~%d", i+1)
		switch {
		case i == 0:
			want = "a"
		case i >= 599:
			want = fmt.Sprintf("a~%d", i+2)
		}
		if got != want {
			t.Fatalf("document %d is called %s, want %s", i, got, want)
		}
	}
	if asked > 3*count {
		t.Errorf("%d names were asked for, for %d documents", asked, count)
	}
}

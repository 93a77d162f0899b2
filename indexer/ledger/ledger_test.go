package ledger

import (
	"errors"
	"testing"
)

// TestMostFailures: all failures are counted, and a bounded number of them is kept.
func TestMostFailures(t *testing.T) {
	var s Summary
	for range maxFailures + 5 {
		s.failed("a", errors.New("bad"))
	}
	if s.Failed != maxFailures+5 || len(s.Failures) != maxFailures {
		t.Errorf("%d failures are counted and %d kept, want %d and %d", s.Failed, len(s.Failures), maxFailures+5, maxFailures)
	}
}

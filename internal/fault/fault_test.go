package fault_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/fault"
)

// A panic becomes an error that says what happened and where our code was.
func TestCatch(t *testing.T) {
	work := func() (err error) {
		defer fault.Catch(&err)
		var none []string
		_ = none[0]
		return nil
	}
	var f *fault.Error
	err := work()
	if !errors.As(err, &f) {
		t.Fatalf("error %v, want a fault", err)
	}
	for _, want := range []string{"out of range", "TestCatch", "fault_test.go:", "report"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

// TestCatchNothing checks that a function without a panic keeps its error.
func TestCatchNothing(t *testing.T) {
	own := errors.New("its own")
	work := func(result error) (err error) {
		defer fault.Catch(&err)
		return result
	}
	if err := work(own); err != own {
		t.Errorf("error %v, want %v", err, own)
	}
	if err := work(nil); err != nil {
		t.Errorf("error %v, want none", err)
	}
}

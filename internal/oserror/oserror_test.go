package oserror_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/otisk/otisk/internal/oserror"
)

func TestCause(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, open := os.Open(missing)
	other := errors.New("something else")
	for _, err := range []error{open, fmt.Errorf("read it: %w", open), os.Rename(missing, missing+"2"), other} {
		got := oserror.Cause(err)
		if err != other && (got.Error() == err.Error() || !errors.Is(got, fs.ErrNotExist)) {
			t.Errorf("Cause(%v) = %v, want what the system says alone", err, got)
		}
		if err == other && got != other {
			t.Errorf("Cause(%v) = %v, want it as it is", err, got)
		}
	}
}

package phrase

import (
	"errors"
	"io"
	"testing"
)

// TestError: a phrase has its English text with the arguments filled in, and wraps those that
// are errors.
func TestError(t *testing.T) {
	err := Error("read.line", "line {n} of {file}: {cause}", "n", 12, "file", "a.txt", "cause", io.EOF)
	if got, want := err.Error(), "line 12 of a.txt: EOF"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, io.EOF) {
		t.Error("an argument that is an error is not wrapped")
	}
	if name, args := err.Message(); name != "read.line" || len(args) != 6 {
		t.Errorf("Message() = %q, %v", name, args)
	}
}

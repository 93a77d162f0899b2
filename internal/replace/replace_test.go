package replace_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/otisk/otisk/internal/replace"
)

// TestFile: a file has the old content or the new one, and nothing is left beside it.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	fill := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, werr := io.WriteString(w, text)
			return errors.Join(err, werr)
		}
	}
	wrong := errors.New("wrong")
	for _, tt := range []struct {
		text string
		err  error
		want string
	}{{"one", nil, "one"}, {"half of tw", wrong, "one"}, {"two", nil, "two"}} {
		if err := replace.File(path, 0o644, true, fill(tt.text, tt.err)); !errors.Is(err, tt.err) {
			t.Errorf("File(%q) = %v, want %v", tt.text, err, tt.err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != tt.want {
			t.Errorf("after %q it has %q, %v", tt.text, got, err)
		}
	}
	if err := replace.File(filepath.Join(dir, "none", "a"), 0o644, false, fill("x", nil)); err == nil {
		t.Error("in a folder that is not there: no error")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder has %v, %v", list, err)
	}
}

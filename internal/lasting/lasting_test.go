package lasting_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/otisk/otisk/internal/lasting"
)

func TestMkdirAll(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b", "c")
	for range 2 {
		if err := lasting.MkdirAll(deep, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(deep); err != nil || !info.IsDir() {
		t.Errorf("Stat(%s) = %v, %v, want a folder", deep, info, err)
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if err := lasting.MkdirAll(dir, 0o755); err == nil {
			t.Errorf("MkdirAll(%s) = nil, want an error: there is a file", dir)
		}
	}
}

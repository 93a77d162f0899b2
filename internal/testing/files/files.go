// Package files writes files for tests, and makes steps of writing files fail.
package files

import (
	"os"
	"path/filepath"
	"testing"
)

// Write writes text to the file at path, and makes the folders above it. It returns path.
func Write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Folder returns a new folder with these files, by their paths in it. Symbolic links in the path
// of the folder are resolved.
func Folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		Write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

package samples

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"flag"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/files"
)

var update = flag.Bool("update", false, "write samples.zip again")

// originals returns the samples of the folder by name.
func originals(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, root := range []string{marker, "collection", "suspects"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				all[filepath.ToSlash(path)], err = os.ReadFile(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// pack returns the samples as an archive.
func pack(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
	samples := originals(t)
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(samples[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPacked: the archive has the samples of the folder and nothing else, in at most 1 MB.
func TestPacked(t *testing.T) {
	if *update {
		if err := os.WriteFile("samples.zip", pack(t), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(packed) > 1e6 {
		t.Errorf("samples.zip has %d bytes, want at most 1,000,000", len(packed))
	}
	texts, err := FS()
	if err != nil {
		t.Fatal(err)
	}
	want := originals(t)
	err = fs.WalkDir(texts, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		got, err := fs.ReadFile(texts, name)
		if !bytes.Equal(got, want[name]) {
			t.Errorf("samples.zip has another %s than the folder: run go test ./samples -update", name)
		}
		delete(want, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("samples.zip has no %s: run go test ./samples -update", name)
	}
}

// TestExtract: a second call changes nothing; lost samples are written again.
func TestExtract(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "demo")
	want := originals(t)
	for _, lost := range []string{"none", "suspects/czech-essay.txt", "collection/czech"} {
		if err := os.RemoveAll(filepath.Join(dir, lost)); err != nil {
			t.Fatal(err)
		}
		if err := Extract(dir); err != nil {
			t.Fatalf("without %s: %v", lost, err)
		}
		for name, text := range want {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, text) {
				t.Errorf("without %s: %s: %v, %d bytes, want %d", lost, name, err, len(got), len(text))
			}
		}
	}
}

// TestExtractSparesFiles: files of other origin are left unchanged, and nothing is written beside
// them.
func TestExtractSparesFiles(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"thesis.txt", "has other files"},
		{"README.md", "has other files"},
		{"collection/mine.txt", "has other files"},
	} {
		dir := files.Folder(t, map[string]string{tt.name: "mine"})
		if err := Extract(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("folder with %s: %v, want an error with %q", tt.name, err, tt.want)
		}
		list, err := os.ReadDir(dir)
		if err != nil || len(list) != 1 {
			t.Errorf("folder with %s: has %d entries afterwards", tt.name, len(list))
		}
	}
	dir := t.TempDir()
	if err := Extract(dir); err != nil {
		t.Fatal(err)
	}
	edited := files.Write(t, filepath.Join(dir, "suspects", "czech-essay.txt"), "mine")
	if err := Extract(dir); err == nil || !strings.Contains(err.Error(), "is not the sample of this name") {
		t.Errorf("edited sample: %v", err)
	}
	if got, err := os.ReadFile(edited); err != nil || string(got) != "mine" {
		t.Errorf("edited sample is overwritten: %q, %v", got, err)
	}
}

// TestExtractInto: a path that cannot be a folder is reported by its name.
func TestExtractInto(t *testing.T) {
	file := files.Write(t, filepath.Join(t.TempDir(), "file"), "mine")
	if err := Extract(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Extract(file) = %v, want an error with its path", err)
	}
}

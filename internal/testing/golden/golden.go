// Package golden compares results of tests with files in their testdata.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// Compare compares got with the file testdata/name and prints the first lines that differ. With
// -update it writes the file instead.
func Compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Errorf("%s differs from line %d on (run with -update to accept)\ngot:  %q\nwant: %q", path, i+1, a[min(i, len(a)):min(i+3, len(a))], b[min(i, len(b)):min(i+3, len(b))])
			return
		}
	}
}

package document

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document/internal/sample"
)

// TestFormats checks that every format has a file in sample.Files, which TestDamage then
// damages, and a line in the table of docs/FILE-FORMATS.md with its name and its extensions.
func TestFormats(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "FILE-FORMATS.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(doc), "\n")
	sampled := map[*row]bool{}
	for name, data := range sample.Files(t) {
		if f, err := find(data, extension(name)); err == nil {
			sampled[f] = true
		}
	}
	for i := range formats {
		f := &formats[i]
		if !sampled[f] {
			t.Errorf("row %d, %s: no file of it in sample.Files", i, f.name)
		}
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "|") && strings.Contains(l, "| `"+f.name+"` |") })
		if at < 0 {
			t.Errorf("%s: no line for `%s` in docs/FILE-FORMATS.md", f.name, f.name)
			continue
		}
		for _, ext := range f.exts {
			if !strings.Contains(lines[at], "."+ext) {
				t.Errorf("%s: docs/FILE-FORMATS.md does not name .%s", f.name, ext)
			}
		}
	}
}

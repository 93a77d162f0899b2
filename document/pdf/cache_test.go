package pdf

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
)

// sum calls the function of endless that adds up.
func sum(t *testing.T, p *program) (uint64, error) {
	t.Helper()
	t.Cleanup(p.close)
	module, err := p.runtime.InstantiateModule(t.Context(), p.code, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatal(err)
	}
	result, err := module.ExportedFunction("sum").Call(t.Context())
	if err != nil {
		return 0, err
	}
	return result[0], nil
}

// TestCached checks that the code of a module is found under the name of the empty module, and that the
// code of the empty module is never used.
func TestCached(t *testing.T) {
	empty, err := interruptible(endless, true)
	if err != nil {
		t.Fatal(err)
	}
	p, err := compileIn("", empty, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sum(t, p); err == nil {
		t.Error("an empty function returns")
	}
	dir := filepath.Join(t.TempDir(), "code")
	if err := fill(dir, endless, empty); err != nil {
		t.Fatal(err)
	}
	if err := fill(dir, endless, empty); err != nil {
		t.Errorf("filled by another process at the same time: %v", err)
	}
	for range 2 {
		p, err := cached(dir, endless, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := sum(t, p); n != 1_000_000 || err != nil {
			t.Errorf("the cached function returns %d, %v, want 1000000", n, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*")); len(left) != 1 {
		t.Errorf("files beside the cache: %v", left)
	}
	// Another version of the runtime leaves a file beside this one.
	if err := os.WriteFile(filepath.Join(filepath.Dir(compiledFiles(dir)[0]), "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if isFilled(dir, 1) {
		t.Error("a folder with two files is used")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	p, err = compileIn(dir, empty, 1)
	if err != nil {
		t.Fatal(err)
	}
	p.close()
	if isFilled(dir, len(pdfiumCode)) {
		t.Error("a folder with the code of the empty module is used")
	}
}

package pdf

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
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

// TestCached checks that the code of a module is read from the file in which it was cached, that a file that
// is damaged or from another version is replaced, and that the code of the empty module is never used.
func TestCached(t *testing.T) {
	empty, err := interruptible(endless, true)
	if err != nil {
		t.Fatal(err)
	}
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(1)
	p, err := compileIn(&cacheFile{write: true}, empty, config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sum(t, p); err == nil {
		t.Error("an empty function returns")
	}
	path := filepath.Join(t.TempDir(), "folder", "code")
	for _, config := range []wazero.RuntimeConfig{config, wazero.NewRuntimeConfigInterpreter()} {
		if p, err := compileIn(&cacheFile{path: path}, empty, config); err == nil {
			p.close()
			t.Error("without a file, the empty module is compiled")
		}
	}
	var whole []byte
	for _, change := range []func(file []byte) []byte{
		func([]byte) []byte { return nil },
		func(file []byte) []byte { return file },
		func(file []byte) []byte { return file[:len(file)/2] },
		func(file []byte) []byte { file[len(file)/2] ^= 1; return file },
		func(file []byte) []byte { return bytes.Replace(file, []byte("WAZEVO"), []byte("WAZEVX"), 1) },
		func(file []byte) []byte { file[len("WAZEVO")+1] ^= 1; return file }, // its version
	} {
		if whole != nil {
			if err := os.WriteFile(path, change(slices.Clone(whole)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p, err := cached(path, endless, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := sum(t, p); n != 1_000_000 || err != nil {
			t.Errorf("the cached function returns %d, %v, want 1000000", n, err)
		}
		file, err := os.ReadFile(path)
		if whole != nil && !bytes.Equal(file, whole) || err != nil {
			t.Errorf("the file was not replaced, %v", err)
		}
		whole = file
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("files beside the cache: %v", left)
	}
	for _, path := range []string{"", filepath.Join(path, "code")} { // a file below a file cannot be written
		p, err := cached(path, endless, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := sum(t, p); n != 1_000_000 || err != nil {
			t.Errorf("without a cache, the function returns %d, %v, want 1000000", n, err)
		}
	}
}

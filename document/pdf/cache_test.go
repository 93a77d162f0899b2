package pdf

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
)

// simple is a module that exports a function, which returns 1,000,000.
var simple = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x05\x01\x60\x00\x01\x7F" + // its type
	"\x03\x02\x01\x00" +
	"\x05\x03\x01\x00\x01" + // a page of memory
	"\x07\x07\x01\x03sum\x00\x00" +
	"\x0A\x08\x01\x06\x00\x41\xC0\x84\x3D\x0B" +
	"\x0B\x07\x01\x00\x41\x00\x0B\x01x") // data

func unpackSimple() ([]byte, error) { return simple, nil }

// sum calls the function of simple.
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
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(1)
	p, err := compileIn(&cacheFile{}, emptied(simple), config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sum(t, p); err == nil {
		t.Error("an empty function returns")
	}
	path := filepath.Join(t.TempDir(), "folder", "code")
	var whole []byte
	for _, change := range []func(file []byte) []byte{
		func([]byte) []byte { return nil },
		func(file []byte) []byte { return file },
		func(file []byte) []byte { return file[:len(file)/2] },
		func(file []byte) []byte { return file[:20] },
		func(file []byte) []byte { return nil },
		func(file []byte) []byte { file[3] ^= 0x80; return file },        // the size of the empty module
		func(file []byte) []byte { file[14] ^= 1; return file },          // the empty module
		func(file []byte) []byte { file[len(file)-6] ^= 1; return file }, // the code, which its checksum and a byte follow
		func(file []byte) []byte { return bytes.Replace(file, []byte("WAZEVO"), []byte("WAZEVX"), 1) },
		func(file []byte) []byte { file[bytes.Index(file, []byte("WAZEVO"))+len("WAZEVO")+1] ^= 1; return file }, // its version
	} {
		if whole != nil {
			if err := os.WriteFile(path, change(slices.Clone(whole)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p, err := cached(path, unpackSimple, 1)
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
	if p, err := readCompiled(path, wazero.NewRuntimeConfigInterpreter()); err == nil {
		p.close()
		t.Error("an interpreter takes the empty module")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("files beside the cache: %v", left)
	}
	for _, path := range []string{"", filepath.Join(path, "code")} { // a file below a file cannot be written
		p, err := cached(path, unpackSimple, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := sum(t, p); n != 1_000_000 || err != nil {
			t.Errorf("without a cache, the function returns %d, %v, want 1000000", n, err)
		}
	}
}

// TestChecksum checks that the recorded checksum is that of the engine: it is part of the name of the file in the cache.
func TestChecksum(t *testing.T) {
	if got := fmt.Sprintf("%x\n", sha256.Sum256([]byte(pdfium))); got != pdfiumSum {
		t.Errorf("the checksum of the engine is %s, recorded is %s", got, pdfiumSum)
	}
}

// TestInterpreter reads a file where the runtime has no compiler.
func TestInterpreter(t *testing.T) {
	module, err := unpacked()
	if err != nil {
		t.Fatal(err)
	}
	config := wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(features).WithMemoryLimitPages(Options{}.pages())
	p, err := compileIn(&cacheFile{}, module, config)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if err := p.provideImports(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := p.read(t.Context(), specimen(), Options{MaxText: 1 << 20}, drawPauses)
	if err != nil || len(f.Pages) != 1 || len(f.Pages[0].Lines) == 0 {
		t.Errorf("read %+v, %v, want the lines of a page", f, err)
	}
}

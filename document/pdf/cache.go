package pdf

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/tetratelabs/wazero"
	"golang.org/x/sys/cpu"
)

// The compiled engine is in the user's cache folder. But the runtime decodes and validates the whole
// module before it looks there, which takes three times as long as reading the compiled engine. So
// the runtime is given a module whose functions are empty, and finds in the cache, under the name of
// that module, the compiled engine.

// cacheDir returns the folder of the compiled engine for this processor and runtime, "" if there is
// no cache folder.
func cacheDir() string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	h := sha256.New()
	h.Write((&patch{}).turn())
	h.Write((&patch{}).pause())
	// A checksum of the module takes a tenth of the time.
	fmt.Fprint(h, len(pdfiumCode), crc32.Checksum(pdfiumCode, crc32.MakeTable(crc32.Castagnoli)), functionNames,
		versionOf("github.com/klippa-app/go-pdfium"), versionOf("github.com/tetratelabs/wazero"), cpu.X86, cpu.ARM64)
	return filepath.Join(base, "otisk", "pdf", fmt.Sprintf("%x", h.Sum(nil)[:16]))
}

// versionOf returns the version of a module that the program was built with, "" if unknown.
func versionOf(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == module {
				return m.Version
			}
		}
	}
	return ""
}

// cached returns the compiled module from the cache folder dir, where it is put first if necessary.
func cached(dir string, module []byte, pages uint32) (*program, error) {
	if dir == "" {
		return nil, os.ErrNotExist
	}
	empty, err := interruptible(module, true)
	if err != nil {
		return nil, err
	}
	if !isFilled(dir, len(module)) {
		if err := fill(dir, module, empty); err != nil {
			return nil, err
		}
	}
	p, err := compileIn(dir, empty, pages)
	if err != nil {
		return nil, err
	}
	if !isFilled(dir, len(module)) { // the runtime did not use it, and the empty functions are compiled
		p.close()
		return nil, errors.Join(errModule, os.RemoveAll(dir))
	}
	return p, nil
}

// fill compiles a module, and puts the result into dir under the name of the empty module.
func fill(dir string, module, empty []byte) error {
	full, err := interruptible(module, false)
	if err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(parent, "compiling-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	var files []string
	for i, module := range [][]byte{full, empty} {
		dir := filepath.Join(temp, fmt.Sprint(i))
		p, err := compileIn(dir, module, mostPages)
		if err != nil {
			return err
		}
		p.close()
		files = append(files, compiledFiles(dir)...)
	}
	if len(files) != 2 {
		return errModule
	}
	if err := os.Rename(files[0], files[1]); err != nil {
		return err
	}
	if err := os.Rename(filepath.Dir(filepath.Dir(files[1])), dir); err != nil && !isFilled(dir, len(module)) {
		return err // and no other process has filled it
	}
	return nil
}

// compiledFiles returns the files that the runtime has put into a folder.
func compiledFiles(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	return files
}

// isFilled reports whether a folder has a compiled module and nothing else. The code of an empty module
// is much smaller than the module; that of another one is larger.
func isFilled(dir string, size int) bool {
	files := compiledFiles(dir)
	if len(files) != 1 {
		return false
	}
	info, err := os.Stat(files[0])
	return err == nil && info.Size() > int64(size)
}

// compileIn compiles a module with a cache in dir, none if that is "".
func compileIn(dir string, module []byte, pages uint32) (*program, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(pages)
	if dir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(dir)
		if err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(cache)
	}
	ctx := context.Background()
	p := &program{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	var err error
	if p.code, err = p.runtime.CompileModule(ctx, module); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

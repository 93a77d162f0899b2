package pdf

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"

	"github.com/tetratelabs/wazero"
	"golang.org/x/sys/cpu"
)

// The compiled engine is in the user's cache folder. But the runtime decodes and validates the whole
// module before it looks there, which takes three times as long as reading the compiled engine. So
// the runtime is given a module whose functions are empty, and reads the compiled engine as the code of
// that module.

// cachePath returns the file of the compiled engine for this processor and runtime, "" if there is no
// cache folder.
func cachePath() string {
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
	return filepath.Join(base, "otisk", "pdf", fmt.Sprintf("%x.code", h.Sum(nil)[:16]))
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

// cached returns the compiled module from the cache file at path. If it cannot be read, the module is
// compiled and, unless the path is empty, the file is written.
func cached(path string, module []byte, pages uint32) (*program, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(pages)
	if path != "" {
		empty, err := interruptible(module, true)
		if err != nil {
			return nil, err
		}
		if p, err := compileIn(&cacheFile{path: path}, empty, config); err == nil {
			return p, nil
		}
	}
	full, err := interruptible(module, false)
	if err != nil {
		return nil, err
	}
	return compileIn(&cacheFile{path: path, write: true}, full, config)
}

// compileIn compiles a module with a cache, if the runtime takes ours. It returns an error if the cache should be read and
// was not.
func compileIn(file *cacheFile, module []byte, config wazero.RuntimeConfig) (*program, error) {
	cache, err := file.cache()
	if err == nil {
		config = config.WithCompilationCache(cache)
	} else if !file.write {
		return nil, err
	}
	ctx := context.Background()
	p := &program{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	p.code, err = p.runtime.CompileModule(ctx, module)
	if err == nil && !file.write && !file.found {
		err = errModule // an interpreter has no compiled code
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// A cacheFile is a file with one compiled module. It implements the runtime's internal interface of
// caches, whatever the key, and is either written or read. Nothing is written without a path.
type cacheFile struct {
	path  string
	write bool
	found bool // the runtime has opened it
}

// cache returns a cache for the runtime that uses the file. The cache that the runtime has for a folder
// reads each number by a call of the system, which takes half as long as reading the code.
func (c *cacheFile) cache() (wazero.CompilationCache, error) {
	cache := wazero.NewCompilationCache()
	field := reflect.ValueOf(cache).Elem().FieldByName("fileCache")
	if !field.IsValid() || field.Kind() != reflect.Interface || !reflect.TypeOf(c).Implements(field.Type()) {
		return nil, errModule
	}
	reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Set(reflect.ValueOf(c))
	return cache, nil
}

// Get opens the file. An error stops the runtime, so that it never compiles the empty functions.
func (c *cacheFile) Get([sha256.Size]byte) (io.ReadCloser, bool, error) {
	if c.write {
		return nil, false, nil
	}
	f, err := os.Open(c.path)
	if err != nil {
		return nil, false, err
	}
	c.found = true
	return codeReader{bufio.NewReaderSize(f, 64<<10), f}, true, nil
}

// A codeReader reads compiled code into huge pages.
type codeReader struct {
	*bufio.Reader
	io.Closer
}

func (r codeReader) Read(p []byte) (int, error) {
	useHugePages(p)
	return r.Reader.Read(p)
}

// Add writes the file. If that fails, as on a full disk, the module is compiled again next time.
func (c *cacheFile) Add(_ [sha256.Size]byte, content io.Reader) error {
	if !c.write {
		return errModule
	}
	if c.path != "" {
		_ = c.replace(content)
	}
	return nil
}

// replace atomically replaces the file with content.
func (c *cacheFile) replace(content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(c.path), "compiling-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = io.Copy(f, content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), c.path)
}

// Delete rejects a file of another version of the runtime, which is replaced then.
func (*cacheFile) Delete([sha256.Size]byte) error { return errModule }

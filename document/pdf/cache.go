package pdf

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
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
// that module. Both are in one file, so that nothing has to be unpacked: the size of the empty module and its checksum, the
// module, the compiled engine.

// cachePath returns the file of the compiled engine for this processor and runtime, "" if there is no
// cache folder.
func cachePath() string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	key := sha256.Sum256(fmt.Append(nil, pdfiumSum, versionOf("github.com/tetratelabs/wazero"), cpu.X86, cpu.ARM64))
	return filepath.Join(base, "otisk", "pdf", fmt.Sprintf("%x.code", key[:16]))
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
// unpacked and compiled and, unless the path is empty, the file is written.
func cached(path string, unpack func() ([]byte, error), pages uint32) (*program, error) {
	config := wazero.NewRuntimeConfig().WithCoreFeatures(features).WithMemoryLimitPages(pages)
	if path != "" {
		if p, err := readCompiled(path, config); err == nil {
			return p, nil
		}
	}
	module, err := unpack()
	if err != nil {
		return nil, err
	}
	return compileIn(&cacheFile{path: path, empty: emptied(module)}, module, config)
}

// readCompiled returns the compiled module in a cache file.
func readCompiled(path string, config wazero.RuntimeConfig) (*program, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	var head [2]uint32
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil || head[0] > mostEmpty {
		return nil, errors.Join(err, errModule)
	}
	empty := make([]byte, head[0])
	if _, err := io.ReadFull(r, empty); err != nil || checksum(empty) != head[1] {
		return nil, errors.Join(err, errModule)
	}
	return compileIn(&cacheFile{code: r}, empty, config)
}

// mostEmpty is the maximum size of an empty module in a cache file.
const mostEmpty = 16 << 20

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// compileIn compiles a module with a cache, if the runtime takes ours. It returns an error if the cache should be read and
// was not.
func compileIn(file *cacheFile, module []byte, config wazero.RuntimeConfig) (*program, error) {
	cache, err := file.cache()
	if err == nil {
		config = config.WithCompilationCache(cache)
	} else if file.code != nil {
		return nil, err
	}
	ctx := context.Background()
	p := &program{runtime: wazero.NewRuntimeWithConfig(ctx, config), imports: importsOf(module)}
	p.code, err = p.runtime.CompileModule(ctx, module)
	if err == nil && file.code != nil && !file.found {
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
	empty []byte    // the module without code, written before the compiled one
	code  io.Reader // the compiled module; nil if the file is written
	found bool      // the runtime reads it
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

// Get returns the compiled module.
func (c *cacheFile) Get([sha256.Size]byte) (io.ReadCloser, bool, error) {
	c.found = c.code != nil
	return io.NopCloser(codeReader{c.code}), c.found, nil
}

// A codeReader reads compiled code into huge pages.
type codeReader struct{ io.Reader }

func (r codeReader) Read(p []byte) (int, error) {
	useHugePages(p)
	return r.Reader.Read(p)
}

// Add writes the file. If that fails, as on a full disk, the module is compiled again next time.
func (c *cacheFile) Add(_ [sha256.Size]byte, content io.Reader) error {
	if c.code != nil {
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
	head := [2]uint32{uint32(len(c.empty)), checksum(c.empty)}
	err = binary.Write(f, binary.LittleEndian, head)
	if err == nil {
		_, err = io.Copy(f, io.MultiReader(bytes.NewReader(c.empty), content))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), c.path)
}

// Delete rejects a file of another version of the runtime, which is replaced then.
func (*cacheFile) Delete([sha256.Size]byte) error { return errModule }

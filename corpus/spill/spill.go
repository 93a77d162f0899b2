// Package spill partitions data that exceeds memory into files, which are then
// processed one at a time.
package spill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// Files are the partitions. The file of a partition is made by the first Append to
// it. Append may be called by several goroutines at once.
type Files struct {
	name  string
	parts []part
}

type part struct {
	mu   sync.Mutex
	file *os.File
	size int64
}

// Create makes empty partitions whose files have names that start with name. It
// removes files that an earlier run left under these names.
func Create(name string, count int) (*Files, error) {
	f := &Files{name: name, parts: make([]part, count)}
	for i := range f.parts {
		if err := os.Remove(f.path(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, phrase.Error("cause.remove-file", "remove {name}: {cause}", "name", f.path(i), "cause", oserror.Cause(err))
		}
	}
	return f, nil
}

// Open opens the partitions that an earlier run made.
func Open(name string, count int) (*Files, error) {
	f := &Files{name: name, parts: make([]part, count)}
	for i := range f.parts {
		if err := f.parts[i].open(f.path(i)); err != nil {
			return nil, errors.Join(phrase.Error("cause.open-file", "open {name}: {cause}", "name", f.path(i), "cause", oserror.Cause(err)), f.Close())
		}
	}
	return f, nil
}

func (p *part) open(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	p.file = file
	p.size, err = file.Seek(0, io.SeekEnd)
	return err
}

func (f *Files) path(i int) string { return fmt.Sprintf("%s.%d", f.name, i) }

// Len returns the number of partitions.
func (f *Files) Len() int { return len(f.parts) }

// Size returns the size of a partition in bytes.
func (f *Files) Size(i int) int64 { return f.parts[i].size }

// Append appends b to a partition.
func (f *Files) Append(i int, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	p := &f.parts[i]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		file, err := os.OpenFile(f.path(i), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return phrase.Error("cause.make-file", "make {name}: {cause}", "name", f.path(i), "cause", oserror.Cause(err))
		}
		p.file = file
	}
	n, err := p.file.Write(b)
	p.size += int64(n)
	if err != nil {
		return phrase.Error("cause.write-file", "write {name}: {cause}", "name", f.path(i), "cause", oserror.Cause(err))
	}
	return nil
}

// AppendAll appends a buffer to each partition.
func (f *Files) AppendAll(buffers [][]byte) error {
	for i, b := range buffers {
		if err := f.Append(i, b); err != nil {
			return err
		}
	}
	return nil
}

// Read returns the content of a partition, in buf if that is large enough.
func (f *Files) Read(i int, buf []byte) ([]byte, error) {
	size := int(f.parts[i].size)
	if cap(buf) < size {
		buf = make([]byte, size, size+size/8)
	}
	buf = buf[:size]
	if size == 0 {
		return buf, nil
	}
	if _, err := f.parts[i].file.ReadAt(buf, 0); err != nil && err != io.EOF {
		return nil, phrase.Error("cause.read-file", "read {name}: {cause}", "name", f.path(i), "cause", oserror.Cause(err))
	}
	return buf, nil
}

// Reader returns a reader of a partition from its start.
func (f *Files) Reader(i int) io.Reader {
	if f.parts[i].file == nil {
		return strings.NewReader("")
	}
	return io.NewSectionReader(f.parts[i].file, 0, f.parts[i].size)
}

// Names returns the base names of the files that exist.
func (f *Files) Names() (names []string) {
	for i := range f.parts {
		if f.parts[i].size > 0 {
			names = append(names, filepath.Base(f.path(i)))
		}
	}
	return names
}

// Close closes the files without removing them.
func (f *Files) Close() error {
	var errs error
	for i := range f.parts {
		if file := f.parts[i].file; file != nil {
			errs = errors.Join(errs, file.Close())
			f.parts[i].file = nil
		}
	}
	return errs
}

// Remove closes and removes the files.
func (f *Files) Remove() error {
	errs := f.Close()
	for i := range f.parts {
		if f.parts[i].size > 0 {
			errs = errors.Join(errs, os.Remove(f.path(i)))
		}
	}
	return errs
}

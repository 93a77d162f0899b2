// Package spill keeps parts of a large whole in files, one for each, until they
// are worked on part by part.
package spill

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/otisk/otisk/internal/oserror"
)

// Files are the parts. Append is safe for use by several goroutines.
type Files struct {
	name  string
	parts []part
}

type part struct {
	mu   sync.Mutex
	file *os.File
	size int64
}

// Create makes so many files, empty, whose names start with name.
func Create(name string, count int) (*Files, error) { return open(name, count, os.O_TRUNC) }

// Open opens the files that an earlier run made.
func Open(name string, count int) (*Files, error) { return open(name, count, 0) }

func open(name string, count, flag int) (*Files, error) {
	f := &Files{name: name, parts: make([]part, count)}
	for i := range f.parts {
		file, err := os.OpenFile(f.path(i), os.O_RDWR|os.O_CREATE|flag, 0o600)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open %s: %w", f.path(i), oserror.Cause(err)), f.Close())
		}
		f.parts[i].file = file
		if f.parts[i].size, err = file.Seek(0, io.SeekEnd); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

func (f *Files) path(i int) string { return fmt.Sprintf("%s.%d", f.name, i) }

// Len returns how many parts there are.
func (f *Files) Len() int { return len(f.parts) }

// Size returns the bytes of a part.
func (f *Files) Size(i int) int64 { return f.parts[i].size }

// Append adds bytes to a part.
func (f *Files) Append(i int, b []byte) error {
	p := &f.parts[i]
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.file.Write(b)
	p.size += int64(n)
	if err != nil {
		return fmt.Errorf("write %s: %w", f.path(i), oserror.Cause(err))
	}
	return nil
}

// Read returns a part whole, in buf if that is large enough.
func (f *Files) Read(i int, buf []byte) ([]byte, error) {
	size := int(f.parts[i].size)
	if cap(buf) < size {
		buf = make([]byte, size, size+size/8)
	}
	buf = buf[:size]
	if _, err := f.parts[i].file.ReadAt(buf, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %s: %w", f.path(i), oserror.Cause(err))
	}
	return buf, nil
}

// Reader returns a reader of a part from its start.
func (f *Files) Reader(i int) io.Reader {
	return io.NewSectionReader(f.parts[i].file, 0, f.parts[i].size)
}

// Names returns the names of the files without their folder's, by the given
// name of their start.
func Names(name string, count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("%s.%d", name, i)
	}
	return names
}

// Close closes the files and leaves them.
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
		errs = errors.Join(errs, os.Remove(f.path(i)))
	}
	return errs
}

// Package whole writes output files that are there whole or not at all.
//
// What is written goes to a file beside the one that is asked for, whose name
// follows from it, so that a run after a crash takes its place and nothing stays
// behind. [File.Commit] gives it its name.
package whole

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/otisk/otisk/internal/oserror"
)

// A File is an output that is being written. It implements [io.Writer].
type File struct {
	path string
	file *os.File     // nil for the standard output
	lock *flock.Flock // nil for what is not replaced
	buf  *bufio.Writer
}

// bufferBytes are gathered between two writes.
const bufferBytes = 1 << 20

// To returns an output that goes to stdout where path is "" or "-", else to a
// file.
func To(path string, stdout io.Writer) (*File, error) {
	if path == "" || path == "-" {
		return &File{buf: bufio.NewWriterSize(stdout, bufferBytes)}, nil
	}
	return Create(path)
}

// Create starts the file at path. Where that is a link, it is the file that it leads
// to. What is there and is no file, such as a device or a pipe, is written to as it is.
func Create(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		if !info.Mode().IsRegular() {
			return device(path)
		}
	}
	return create(path)
}

// device opens what cannot be replaced.
func device(path string) (*File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, oserror.Cause(err))
	}
	return &File{path: path, file: file, buf: bufio.NewWriterSize(file, bufferBytes)}, nil
}

// create starts a file that gets its name when it is whole.
func create(path string) (*File, error) {
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".otisk-part")
	file, err := os.OpenFile(part, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, oserror.Cause(err))
	}
	lock := flock.New(part)
	got, err := lock.TryLock()
	if err == nil && !got {
		err = errors.New("another otisk is writing it")
	}
	if err == nil {
		err = file.Truncate(0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", path, oserror.Cause(err)), file.Close())
	}
	return &File{path: path, file: file, lock: lock, buf: bufio.NewWriterSize(file, bufferBytes)}, nil
}

// Write implements [io.Writer].
func (f *File) Write(b []byte) (int, error) {
	n, err := f.buf.Write(b)
	return n, f.named(err)
}

// WriteString implements [io.StringWriter].
func (f *File) WriteString(s string) (int, error) {
	n, err := f.buf.WriteString(s)
	return n, f.named(err)
}

// named says in an error which file it is about.
func (f *File) named(err error) error {
	if err == nil {
		return nil
	}
	name := f.path
	if name == "" {
		name = "the results"
	}
	return fmt.Errorf("write %s: %w", name, oserror.Cause(err))
}

// Commit writes what is left and gives the file its name.
func (f *File) Commit() error {
	if err := f.buf.Flush(); err != nil {
		return f.named(err)
	}
	if f.file == nil {
		return nil
	}
	if f.lock == nil {
		return f.Close()
	}
	part := f.file.Name()
	err := f.file.Sync()
	if cerr := errors.Join(f.file.Close(), f.lock.Close()); err == nil {
		err = cerr
	}
	if f.file = nil; err == nil {
		err = os.Rename(part, f.path)
	}
	if err != nil {
		return errors.Join(f.named(err), os.Remove(part))
	}
	return nil
}

// Close removes a file that was not committed. After Commit it does nothing.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	part := f.file.Name()
	err := f.file.Close()
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close(), os.Remove(part))
	}
	f.file = nil
	return err
}

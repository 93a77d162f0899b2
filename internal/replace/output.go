package replace

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// An Output is a file that is written for minutes. Its content goes to a
// temporary file that gets the name of the output when [Output.Commit] is
// called. The name of the temporary file follows from that of the output, so
// the next run overwrites what a crash left, and a lock on it keeps two programs
// from writing one output. It implements [io.Writer].
type Output struct {
	path string
	file *os.File     // nil for the standard output
	lock *flock.Flock // nil for devices and pipes, which are not replaced
	buf  *bufio.Writer
}

const bufferBytes = 1 << 20

// To returns an output to stdout if path is "" or "-", and to the file at path
// otherwise.
func To(path string, stdout io.Writer) (*Output, error) {
	if path == "" || path == "-" {
		return &Output{buf: bufio.NewWriterSize(stdout, bufferBytes)}, nil
	}
	return Create(path)
}

// Create starts an output to the file at path. If path is a symbolic link, Commit
// replaces the link's target. Devices and pipes are written to directly.
func Create(path string) (*Output, error) {
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

func device(path string) (*Output, error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, phrase.Error("cause.write-file", "write {name}: {cause}", "name", path, "cause", oserror.Cause(err))
	}
	return &Output{path: path, file: file, buf: bufio.NewWriterSize(file, bufferBytes)}, nil
}

func create(path string) (*Output, error) {
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".otisk-part")
	failed := func(cause error) error {
		return phrase.Error("cause.write-file", "write {name}: {cause}", "name", path, "cause", oserror.Cause(cause))
	}
	file, err := os.OpenFile(part, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, failed(err)
	}
	lock := flock.New(part)
	got, err := lock.TryLock()
	if err == nil && !got {
		return nil, errors.Join(failed(phrase.Error("cause.other-writer", "another otisk is writing it")), file.Close())
	}
	if err == nil {
		err = file.Truncate(0)
	}
	if err != nil {
		return nil, errors.Join(failed(err), lock.Close(), file.Close(), os.Remove(part))
	}
	return &Output{path: path, file: file, lock: lock, buf: bufio.NewWriterSize(file, bufferBytes)}, nil
}

// Write implements [io.Writer].
func (o *Output) Write(b []byte) (int, error) {
	n, err := o.buf.Write(b)
	return n, o.named(err)
}

// WriteString implements [io.StringWriter].
func (o *Output) WriteString(s string) (int, error) {
	n, err := o.buf.WriteString(s)
	return n, o.named(err)
}

func (o *Output) named(err error) error {
	if err == nil {
		return nil
	}
	return phrase.Error("cause.write-file", "write {name}: {cause}", "name", cmp.Or(o.path, "the results"), "cause", oserror.Cause(err))
}

// Commit flushes and syncs the output, and atomically replaces its path.
func (o *Output) Commit() error {
	if err := o.buf.Flush(); err != nil {
		return o.named(err)
	}
	if o.file == nil {
		return nil
	}
	if o.lock == nil {
		return o.Close()
	}
	part := o.file.Name()
	err := o.file.Sync()
	err = cmp.Or(err, errors.Join(o.file.Close(), o.lock.Close()))
	if o.file = nil; err == nil {
		err = os.Rename(part, o.path)
	}
	if err != nil {
		return errors.Join(o.named(err), os.Remove(part))
	}
	return nil
}

// Close discards an output that was not committed. After Commit it does nothing.
func (o *Output) Close() error {
	if o.file == nil {
		return nil
	}
	part := o.file.Name()
	err := o.file.Close()
	if o.lock != nil {
		err = errors.Join(err, o.lock.Close(), os.Remove(part))
	}
	o.file = nil
	return err
}

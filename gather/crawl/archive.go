package crawl

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// An archive is a folder of append-only files. Opening it truncates each file to
// its size at the last commit.
type archive struct {
	step  lasting.Step
	dir   string
	good  map[string]int64 // committed size of each file
	open  map[string]*growing
	dirty map[string]bool // written to since the last commit
	fresh map[string]bool // folders to sync, since files were created in them
}

type growing struct {
	file *os.File
	buf  *bufio.Writer
	size int64
}

func openArchive(dir string, good map[string]int64, step lasting.Step) (*archive, error) {
	a := &archive{step: step, dir: dir, good: good, open: map[string]*growing{}, dirty: map[string]bool{}, fresh: map[string]bool{dir: true}}
	for name := range good {
		if err := a.cut(name); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), oserror.Cause(err))
		}
	}
	return a, nil
}

// cut truncates a file to its committed size. A file that no longer exists
// starts empty.
func (a *archive) cut(name string) error {
	path := filepath.Join(a.dir, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.good[name] = 0
		return nil
	case err != nil:
		return err
	case info.Size() < a.good[name]:
		return phrase.Error("gather.archive-short", "has {bytes} bytes instead of {wanted}: another program has changed it; move it to another folder, then run the crawl again", "bytes", info.Size(), "wanted", a.good[name])
	case info.Size() > a.good[name]:
		return a.step.Do("truncate", path, func() error { return os.Truncate(path, a.good[name]) })
	}
	return nil
}

func (a *archive) append(name string, data []byte) (at int64, err error) {
	g, err := a.file(name)
	if err != nil {
		return 0, err
	}
	at = g.size
	n, err := g.buf.Write(data)
	g.size += int64(n)
	a.dirty[name] = true
	return at, err
}

// size returns the size of a file, including data not yet committed.
func (a *archive) size(name string) int64 {
	if g := a.open[name]; g != nil {
		return g.size
	}
	return a.good[name]
}

func (a *archive) file(name string) (*growing, error) {
	if g := a.open[name]; g != nil {
		return g, nil
	}
	path := filepath.Join(a.dir, name)
	if err := a.step.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if err := a.step.Before("create", path); err != nil {
		return nil, err
	}
	// If the file exists but is not in the state, it is from a run that was killed before its first commit.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	size := a.good[name]
	if err := file.Truncate(size); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if _, err := file.Seek(size, 0); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	g := &growing{file: file, buf: bufio.NewWriterSize(file, 256<<10), size: size}
	if a.open[name] = g; size == 0 {
		a.fresh[filepath.Dir(path)] = true
	}
	return g, nil
}

// sync flushes all writes to the disk, and returns the sizes of the files that
// have grown.
func (a *archive) sync() (map[string]int64, error) {
	sizes := map[string]int64{}
	for name := range a.dirty {
		g := a.open[name]
		if err := a.save(g); err != nil {
			return nil, phrase.Error("cause.write-file", "write {name}: {cause}", "name", filepath.Join(a.dir, name), "cause", oserror.Cause(err))
		}
		sizes[name] = g.size
	}
	for dir := range a.fresh {
		if err := a.step.SyncDir(dir); err != nil {
			return nil, phrase.Error("cause.write-file", "write {name}: {cause}", "name", dir, "cause", oserror.Cause(err))
		}
	}
	return sizes, nil
}

func (a *archive) save(g *growing) error {
	if err := a.step.Do("write", g.file.Name(), g.buf.Flush); err != nil {
		return err
	}
	return a.step.Do("sync", g.file.Name(), g.file.Sync)
}

func (a *archive) committed(sizes map[string]int64) {
	maps.Copy(a.good, sizes)
	clear(a.dirty)
	clear(a.fresh)
}

// close closes all files. Data that was not committed may be lost.
func (a *archive) close() (err error) {
	for _, g := range a.open {
		err = errors.Join(err, g.file.Close())
	}
	return err
}

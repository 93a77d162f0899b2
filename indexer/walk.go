package indexer

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otisk/otisk/internal/oserror"
)

// A file is a file that the walk found, or a member of it.
type file struct {
	path      string // as it was reached from the given path
	canonical string // absolute, without links
	reached   string // as it was reached from the canonical form of the given path
	size      int64
	info      fs.FileInfo

	name   string // relative to its base, see namer
	base   string // key of the base
	place  string // its location in the base: canonical or reached
	member string // suffix of these paths for a member
}

// document returns the name of the document.
func (f *file) document() string { return f.name + f.member }

// A walker finds files: the given ones, and all in the given folders, in the order of names. It
// follows links and skips hidden entries (.name) of folders.
type walker struct {
	ctx     context.Context
	exclude []string // canonical folders that are not entered
	found   func(file)
	fail    func(path string, err error)
	enter   func(path string, info fs.FileInfo) // called for each folder; nil for nothing

	top, start string // current given path and its canonical form
}

func (w *walker) walk(paths []string) {
	for _, p := range paths {
		w.top, w.start = p, ""
		w.visit(p, nil)
	}
}

// reached returns path as reached from the canonical form of the given path.
func (w *walker) reached(path string) string {
	rel, err := filepath.Rel(w.top, path)
	if err != nil {
		return path
	}
	return filepath.Join(w.start, rel)
}

// visit handles a path that may be a link; above are the canonical folders that contain it.
func (w *walker) visit(path string, above []string) {
	if w.ctx.Err() != nil {
		return
	}
	canonical, err := Canonical(path)
	if err != nil {
		w.fail(path, oserror.Cause(err))
		return
	}
	if w.start == "" {
		w.start = canonical
	}
	info, err := os.Stat(canonical)
	if err != nil {
		w.fail(path, oserror.Cause(err))
		return
	}
	w.at(path, canonical, info, above)
}

// at handles the file or folder at path.
func (w *walker) at(path, canonical string, info fs.FileInfo, above []string) {
	switch {
	case w.ctx.Err() != nil:
	case !info.IsDir():
		w.found(file{path: path, canonical: canonical, reached: w.reached(path), size: info.Size(), info: info})
	case slices.Contains(w.exclude, canonical):
	case slices.Contains(above, canonical):
		w.fail(path, fmt.Errorf("is a link to %s, a folder that contains it: not followed", canonical))
	default:
		if w.enter != nil {
			w.enter(path, info)
		}
		w.folder(path, append(slices.Clip(above), canonical))
	}
}

// folder handles the entries of a folder, which is the last of above.
func (w *walker) folder(path string, above []string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		w.fail(path, oserror.Cause(err))
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			w.entry(filepath.Join(path, e.Name()), e, above)
		}
	}
}

// entry handles an entry of a folder. Resolving the links in the whole path of each file would take
// longer than opening the file, so only entries that are links themselves are resolved, and
// entries that are neither file nor folder, which some systems use for links.
func (w *walker) entry(path string, e fs.DirEntry, above []string) {
	info, err := e.Info()
	switch {
	case err != nil:
		w.fail(path, oserror.Cause(err))
	case info.IsDir() || info.Mode().IsRegular():
		w.at(path, filepath.Join(above[len(above)-1], e.Name()), info, above)
	default:
		w.visit(path, above)
	}
}

// Canonical returns the form of a path that identifies a file: absolute, without links.
func Canonical(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Walk calls found for each file at paths, in the order of [Run], and fail for paths that cannot be
// read or followed. It returns the error of ctx, if any.
func Walk(ctx context.Context, paths, exclude []string, found func(path string), fail func(path string, err error)) error {
	w := walker{ctx: ctx, exclude: exclude, fail: fail, found: func(f file) { found(f.path) }}
	w.walk(paths)
	return ctx.Err()
}

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

// A file is one that the walk found.
type file struct {
	path      string // as it was reached
	canonical string // absolute, without links
	reached   string // as it was reached, from the canonical path of what was named
	size      int64
	info      fs.FileInfo

	name   string // relative to its base, see namer
	base   string // key of the base
	place  string // where the base says it is: canonical or reached
	member string // what follows each of these paths for a document in it
}

// document returns the name of the document in it.
func (f *file) document() string { return f.name + f.member }

// A walker finds files: those named, and all in the folders named, links
// followed, in order of name. Hidden files (.name) in folders are left out.
type walker struct {
	ctx     context.Context
	exclude []string // canonical folders
	found   func(file)
	fail    func(path string, err error)
	enter   func(path string, info fs.FileInfo) // called for each folder; nil for nothing

	top, start string // what of the paths is walked, and its canonical path
}

func (w *walker) walk(paths []string) {
	for _, p := range paths {
		w.top, w.start = p, ""
		w.visit(p, nil)
	}
}

// reached returns path from the canonical path of what was named.
func (w *walker) reached(path string) string {
	rel, err := filepath.Rel(w.top, path)
	if err != nil {
		return path
	}
	return filepath.Join(w.start, rel)
}

// visit handles one path; above are the canonical folders that led to it.
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

// at handles what is at path.
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

// folder handles what is in a folder, the last of above.
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

// entry handles one entry of a folder. To look for links in the whole path of
// each file would cost more than to open it, so only those that are links are
// resolved. What is neither file nor folder may be one in its system.
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

// Canonical returns path as documents are known by: absolute, without links.
func Canonical(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Walk calls found for each file at paths, as [Run] finds them, and fail for
// what cannot be followed or read. It returns the error of ctx, if any.
func Walk(ctx context.Context, paths, exclude []string, found func(path string), fail func(path string, err error)) error {
	w := walker{ctx: ctx, exclude: exclude, fail: fail, found: func(f file) { found(f.path) }}
	w.walk(paths)
	return ctx.Err()
}

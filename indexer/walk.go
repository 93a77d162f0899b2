package indexer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A file is one that the walk found.
type file struct {
	path      string // as it was reached
	canonical string // absolute, without links
	size      int64
}

// A walker finds files: those named, and all in the folders named, links
// followed, in order of name. Hidden files (.name) in folders are left out.
type walker struct {
	ctx     context.Context
	exclude []string // canonical folders
	found   func(file)
	fail    func(path string, err error)
}

func (w *walker) walk(paths []string) {
	for _, p := range paths {
		w.visit(p, nil)
	}
}

// visit handles one path; above are the canonical folders that led to it.
func (w *walker) visit(path string, above []string) {
	if w.ctx.Err() != nil {
		return
	}
	canonical, info, err := resolve(path)
	if err != nil {
		w.fail(path, err)
		return
	}
	if !info.IsDir() {
		w.found(file{path, canonical, info.Size()})
		return
	}
	if slices.Contains(w.exclude, canonical) {
		return
	}
	if slices.Contains(above, canonical) {
		w.fail(path, fmt.Errorf("is a link to %s, a folder that contains it: not followed", canonical))
		return
	}
	w.folder(path, append(slices.Clip(above), canonical))
}

func (w *walker) folder(path string, above []string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		w.fail(path, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			w.visit(filepath.Join(path, e.Name()), above)
		}
	}
}

// resolve returns the canonical path and what is there.
func resolve(path string) (string, os.FileInfo, error) {
	canonical, err := Canonical(path)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(canonical)
	return canonical, info, err
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

package indexer

import (
	"context"
	"io/fs"
	"path/filepath"
)

// A Found is a file that a walk found.
type Found struct {
	Path      string // as it was reached
	Canonical string // absolute, without links
	Info      fs.FileInfo
}

// A Finder finds files as [Run] does and provides more detail about them.
type Finder struct {
	Exclude []string                            // canonical folders that are not entered
	Folder  func(path string, info fs.FileInfo) // called before a folder is read
	File    func(Found)                         // called for each file
	Fail    func(path string, err error)        // called for paths that cannot be read or followed
}

// Find finds all files at path, which is top or inside top. It returns the error of ctx, if any.
func (f *Finder) Find(ctx context.Context, top, path string) error {
	w := walker{ctx: ctx, exclude: f.Exclude, fail: f.Fail, enter: f.Folder, top: top}
	w.found = func(at file) { f.File(Found{at.path, at.canonical, at.info}) }
	w.start, _ = Canonical(top)
	w.visit(path, foldersAbove(top, path))
	return ctx.Err()
}

// foldersAbove returns the canonical folders from top to the parent of path.
func foldersAbove(top, path string) (above []string) {
	for path != top && len(path) > len(top) {
		path = filepath.Dir(path)
		if canonical, err := Canonical(path); err == nil {
			above = append(above, canonical)
		}
	}
	return above
}

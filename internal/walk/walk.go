// Package walk finds the files of folders, in one order and by one set of rules.
//
// [Files] lists them by path. A [Walker] also reports canonical paths, folders and
// file information.
//
// Folders are walked in lexical order and symbolic links are followed, except to a
// folder that contains the link. Entries whose name begins with a dot are skipped, but a
// path that the caller names is always visited.
package walk

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// A File is a file that a walk found.
type File struct {
	Path      string // begins with the path given by the caller
	Canonical string // absolute, with all links resolved
	Root      string // canonical form of the path given by the caller
	Info      fs.FileInfo

	top string // path given by the caller
}

// Reached returns the path that led to the file, starting at Root. It differs from
// Canonical if there are links below Root.
func (f *File) Reached() string {
	rel, err := filepath.Rel(f.top, f.Path)
	if err != nil {
		return f.Path
	}
	return filepath.Join(f.Root, rel)
}

// A Walker calls its functions, from one goroutine, for each file and folder. Only File is
// required.
type Walker struct {
	Exclude []string                            // canonical folders that are not entered
	Folder  func(path string, info fs.FileInfo) // called before a folder is read
	File    func(File)                          // called for each file
	Whole   func(path string) (bool, error)     // reports whether a canonical folder is visited as a file is, and not entered; nil for none
	Fail    func(path string, err error)        // called for each path that cannot be followed or read
}

// Files calls found for each file at paths and fail for each path that cannot be
// followed or read. It returns the error of ctx, if any.
func Files(ctx context.Context, paths, exclude []string, found func(path string), fail func(path string, err error)) error {
	w := Walker{Exclude: exclude, Fail: fail, File: func(f File) { found(f.Path) }}
	return w.Walk(ctx, paths...)
}

// Walk visits each of paths and everything in it. It returns the error of ctx, if any.
func (w *Walker) Walk(ctx context.Context, paths ...string) error {
	for _, p := range paths {
		w.from(ctx, p, p, nil)
	}
	return ctx.Err()
}

// At visits path, which is top or is inside top, as a walk over top would. It returns
// the error of ctx, if any.
func (w *Walker) At(ctx context.Context, top, path string) error {
	var above []string
	if IsFolder(path) {
		above = foldersAbove(top, path)
	}
	w.from(ctx, top, path, above)
	return ctx.Err()
}

func foldersAbove(top, path string) (above []string) {
	for path != top && len(path) > len(top) {
		path = filepath.Dir(path)
		if canonical, err := Canonical(path); err == nil {
			above = append(above, canonical)
		}
	}
	return above
}

// A step is a walk over one of the given paths.
type step struct {
	*Walker
	ctx       context.Context
	top, root string
}

// from visits path, which is top or is inside top. above are the canonical folders that led to it.
func (w *Walker) from(ctx context.Context, top, path string, above []string) {
	root, err := Canonical(top)
	s := &step{w, ctx, top, root}
	if err != nil {
		s.fail(path, oserror.Cause(err))
		return
	}
	s.visit(path, above)
}

// visit handles one path. above are the canonical folders that led to it.
func (s *step) visit(path string, above []string) {
	if s.ctx.Err() != nil {
		return
	}
	canonical, err := Canonical(path)
	if err != nil {
		s.fail(path, oserror.Cause(err))
		return
	}
	info, err := os.Stat(canonical)
	if err != nil {
		s.fail(path, oserror.Cause(err))
		return
	}
	s.at(path, canonical, info, above)
}

func (s *step) fail(path string, err error) {
	if s.Fail != nil {
		s.Fail(path, err)
	}
}

func (s *step) file(path, canonical string, info fs.FileInfo) {
	s.File(File{Path: path, Canonical: canonical, Root: s.root, Info: info, top: s.top})
}

// at handles the file or folder at path.
func (s *step) at(path, canonical string, info fs.FileInfo, above []string) {
	switch {
	case s.ctx.Err() != nil:
	case !info.IsDir():
		s.file(path, canonical, info)
	case slices.Contains(s.Exclude, canonical):
	case slices.Contains(above, canonical):
		s.fail(path, phrase.Error("index.loop", "is a link to {name}, a folder that contains it: not followed", "name", canonical))
	default:
		s.inside(path, canonical, info, above)
	}
}

// inside visits a folder as a file, or visits its entries. If it is unknown which, it is a failure, and nothing is
// visited.
func (s *step) inside(path, canonical string, info fs.FileInfo, above []string) {
	if s.Whole != nil {
		whole, err := s.Whole(canonical)
		if err != nil {
			s.fail(path, err)
			return
		}
		if whole {
			s.file(path, canonical, info)
			return
		}
	}
	if s.Folder != nil {
		s.Folder(path, info)
	}
	s.folder(path, append(slices.Clip(above), canonical))
}

// folder handles the entries of a folder, the last of above.
func (s *step) folder(path string, above []string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		s.fail(path, oserror.Cause(err))
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			s.entry(filepath.Join(path, e.Name()), e, above)
		}
	}
}

// entry handles one entry of a folder. Resolving the links in the whole path of each
// file takes longer than opening the file, so only entries that are links are
// resolved. An entry that is neither a file nor a folder may be a link on its system.
func (s *step) entry(path string, e fs.DirEntry, above []string) {
	info, err := e.Info()
	switch {
	case err != nil:
		s.fail(path, oserror.Cause(err))
	case info.IsDir() || info.Mode().IsRegular():
		s.at(path, filepath.Join(above[len(above)-1], e.Name()), info, above)
	default:
		s.visit(path, above)
	}
}

package walk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/otisk/otisk/internal/oserror"
)

// Canonical returns path absolute and with all links resolved.
func Canonical(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Absolute returns path absolute and with all links resolved. If there is no such file, it resolves the
// links in the folders above it.
func Absolute(path string) string {
	if full, err := Canonical(path); err == nil {
		return full
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if parent := filepath.Dir(abs); parent != abs {
		return filepath.Join(Absolute(parent), filepath.Base(abs))
	}
	return abs
}

// Within returns path relative to folder, with slashes. ok is false if path is not
// inside folder. Both are compared as text: links are not resolved.
func Within(folder, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// IsFolder reports whether path is certainly a folder, or a link to one.
func IsFolder(path string) bool {
	folder, _ := Folder(path)
	return folder
}

// Folder reports whether path is a folder, or a link to one. The error means that this is unknown;
// its text lacks the path. A path without a file is no error.
func Folder(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil && !missing(err) {
		return false, oserror.Cause(err)
	}
	return err == nil && info.IsDir(), nil
}

// NoFolder reports whether there is certainly no folder at path: nothing exists there, or a file does.
func NoFolder(path string) bool {
	folder, err := Folder(path)
	return err == nil && !folder
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// IsGone reports whether there is certainly no file at path: nothing exists there, or a
// folder does. It returns false if the parent folder cannot be read, and if a
// link in path is broken, since its target may be on a disk that is not mounted.
func IsGone(path string) bool {
	info, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) && !astray(path) || errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir()
}

// astray reports whether a link in path is broken.
func astray(path string) bool {
	for at := path; ; at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil {
			_, err := os.Stat(at)
			return info.Mode()&fs.ModeSymlink != 0 && errors.Is(err, fs.ErrNotExist)
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

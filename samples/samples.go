// Package samples contains the sample texts in the program, for otisk demo: README.md, the folder
// collection with texts to index, and the folder suspects with texts to check.
//
// They are in samples.zip, a third of their size. After a change of a sample,
// go test ./samples -update writes the archive again.
package samples

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/lang/phrase"
)

//go:embed samples.zip
var packed []byte

// marker is the file that identifies a folder with the sample texts.
const marker = "README.md"

// FS returns the sample texts.
func FS() (fs.FS, error) { return zip.NewReader(bytes.NewReader(packed), int64(len(packed))) }

// Extract writes the sample texts into dir, which is created if needed. It overwrites nothing:
// existing files with the content of a sample are skipped, and any other file in the place
// of a sample is an error. A folder that has files but not the README.md of the samples belongs to
// someone else, which is an error too.
func Extract(dir string) error {
	texts, err := FS()
	if err != nil {
		return err
	}
	if err := claim(texts, dir); err != nil {
		return err
	}
	return fs.WalkDir(texts, ".", func(name string, e fs.DirEntry, err error) error {
		path := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return named(path, os.MkdirAll(path, 0o777))
		}
		return extract(texts, name, path)
	})
}

// claim returns an error if dir is not empty and its marker is not that of the samples.
func claim(texts fs.FS, dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return named(dir, err)
	}
	state, err := compare(texts, marker, filepath.Join(dir, marker))
	if err == nil && state != same {
		err = phrase.Error("error.foreign-folder", "the folder {name} has other files: choose a new folder", "name", dir)
	}
	return err
}

// A state is the result of comparing a file with a sample.
type state int

const (
	missing state = iota // there is no file
	same                 // the file has the content of the sample
	other                // the file has another content
)

// compare compares the file at path with the sample called name.
func compare(texts fs.FS, name, path string) (state, error) {
	got, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return missing, nil
	}
	if err != nil {
		return other, named(path, err)
	}
	want, err := fs.ReadFile(texts, name)
	if err == nil && bytes.Equal(got, want) {
		return same, nil
	}
	return other, err
}

// extract atomically writes the sample called name to path, unless path already has its content.
func extract(texts fs.FS, name, path string) error {
	switch state, err := compare(texts, name, path); {
	case err != nil || state == same:
		return err
	case state == other:
		return phrase.Error("error.foreign-file", "the file {name} is not the sample of this name: choose a new folder", "name", path)
	}
	in, err := texts.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return named(path, replace.File(path, 0o644, false, func(out io.Writer) error {
		_, err := io.Copy(out, in)
		return err
	}))
}

// named returns err as an error about writing to path, nil if err is nil.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return phrase.Error("error.write", "write {file}: {cause}", "file", path, "cause", oserror.Cause(err))
}

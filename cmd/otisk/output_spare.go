package main

import (
	"os"
	"path/filepath"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang"
	"github.com/otisk/otisk/store/segment"
)

// spare returns an error if the output file of a flag is one of the files to read, or if its
// folder does not exist. It is called before the check, which may take long.
func spare(flag, path string, read []string) error {
	if path == "" {
		return nil
	}
	there, err := os.Stat(path)
	if err != nil {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return lang.NewMessage("error.write", "file", path, "cause", oserror.Cause(err))
		}
		return nil
	}
	for _, name := range read {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && os.SameFile(there, info) {
			return misuse("usage.is-read", "flag", flag, "file", path)
		}
	}
	return nil
}

// spareIndex returns an error if the output path of a flag is in the folder of an index.
func spareIndex(flag, path string) error {
	if path == "" {
		return nil
	}
	for at := walk.Absolute(path); ; at = filepath.Dir(at) {
		if segment.Exists(at) {
			return misuse("usage.in-index", "flag", flag, "file", path)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// spareAll calls spare for the file of --summary-file, and for the report if it is a file. If the
// summary is in the folder of the reports, that folder is created first.
func spareAll(t *target, review *reviewOptions, read []string) error {
	if t.out != "" && !t.isFile() && filepath.Dir(review.summaryFile) == filepath.Clean(t.out) {
		if err := os.MkdirAll(t.out, 0o777); err != nil {
			return lang.NewMessage("error.write", "file", review.summaryFile, "cause", oserror.Cause(err))
		}
	}
	if err := spare("--summary-file", review.summaryFile, read); err != nil || !t.isFile() {
		return err
	}
	return spare("-o", t.out, read)
}

// spareFolders returns an error if one of the folders to check is the folder of the reports, whose
// files are not read as texts.
func (o *searchOptions) spareFolders(paths []string) error {
	if o.target.out == "" || o.target.isFile() {
		return nil
	}
	out, err := walk.Canonical(o.target.out)
	if err != nil {
		return nil // the folder does not exist yet
	}
	for _, path := range paths {
		if p, err := walk.Canonical(path); err == nil && p == out {
			return misuse("usage.among-texts", "folder", o.target.out)
		}
	}
	return nil
}

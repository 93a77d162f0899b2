package harvest

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/lang/phrase"
)

// A Folder is a [Target] that stores full texts as files in texts/, and their metadata in
// metadata.csv, a table of descriptions as package indexer reads it.
type Folder struct {
	Dir  string
	Step lasting.Step // for tests
}

var _ Target = (*Folder)(nil)

// Name implements [Target].
func (f *Folder) Name() string { return "files" }

// holdsAll implements [Target]. It reports whether any of the files exists.
func (f *Folder) holdsAll(_ context.Context, _ *job, names []string) (bool, error) {
	for _, name := range names {
		_, err := os.Stat(filepath.Join(f.Dir, filepath.FromSlash(name)))
		if !errors.Is(err, fs.ErrNotExist) {
			return err == nil, err
		}
	}
	return false, nil
}

// read implements [Target]. Files are stored unchanged. Since they may be large, they are written
// to temporary files next to their destination.
func (f *Folder) read(_ context.Context, ident string, sources []source) (works []work, _ []error, err error) {
	taken := map[string]int{}
	for _, s := range sources {
		name := s.name
		if taken[name]++; taken[name] > 1 {
			ending := filepath.Ext(name)
			name = fmt.Sprintf("%s~%d%s", name[:len(name)-len(ending)], taken[name], ending)
		}
		w := work{name: "texts/" + folderOf(ident) + "/" + name}
		if err := f.write(f.part(w.name), s.data); err != nil {
			return nil, nil, phrase.Error("cause.write-file", "write {name}: {cause}", "name", w.name, "cause", oserror.Cause(err))
		}
		works = append(works, w)
	}
	return works, nil, nil
}

// part returns the path of a temporary file, which is hidden so that nobody indexes it.
func (f *Folder) part(name string) string {
	path := filepath.Join(f.Dir, filepath.FromSlash(name))
	return filepath.Join(filepath.Dir(path), ".part-"+filepath.Base(path))
}

// write writes a file in the folder of a record. put syncs the names.
func (f *Folder) write(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := f.Step.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	if err := f.Step.Do("mkdir", dir, func() error { return os.Mkdir(dir, 0o777) }); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := f.Step.Before("create", path); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err = f.Step.Before("write", path); err == nil {
		_, err = file.Write(data)
	}
	if err == nil {
		err = f.Step.Before("sync", path)
	}
	return errors.Join(err, file.Sync(), file.Close())
}

// folderOf returns the folder name of a record. Its suffix distinguishes records whose identifiers
// differ only in characters that file names cannot have.
func folderOf(ident string) string {
	const longest = 80
	name := safeName(ident)
	if len(name) > longest {
		name = name[:longest]
	}
	return safeName(name) + "-" + sumOf([]byte(ident))[:8]
}

// put implements [Target]. Files are written atomically. Before it returns, and the state records
// the batch, the changed folders are synced, each once.
func (f *Folder) put(_ context.Context, b *batch) ([]refusal, error) {
	changed := map[string]bool{}
	for _, works := range b.works {
		for _, w := range works {
			path := filepath.Join(f.Dir, filepath.FromSlash(w.name))
			if err := f.Step.Do("rename", path, func() error { return os.Rename(f.part(w.name), path) }); err != nil {
				return nil, phrase.Error("cause.write-file", "write {name}: {cause}", "name", path, "cause", oserror.Cause(err))
			}
			dir := filepath.Dir(path)
			changed[dir], changed[filepath.Dir(dir)] = true, true
		}
	}
	for _, name := range b.removed() {
		path := filepath.Join(f.Dir, filepath.FromSlash(name))
		if err := f.Step.Do("remove", path, func() error { return os.Remove(path) }); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, phrase.Error("cause.remove-file", "remove {name}: {cause}", "name", path, "cause", oserror.Cause(err))
		}
		dir := filepath.Dir(path)
		_ = os.Remove(dir) // fails unless the folder is empty
		changed[dir], changed[filepath.Dir(dir)] = true, true
	}
	for dir := range changed {
		if err := f.Step.SyncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, phrase.Error("cause.write-file", "write {name}: {cause}", "name", dir, "cause", oserror.Cause(err))
		}
	}
	return nil, nil
}

// Finish implements [Target]. It writes metadata.csv.
func (f *Folder) Finish(s *state) error {
	rows := map[string]entry{}
	labels := map[string]bool{}
	err := s.each(func(ident string, e entry) error {
		for _, name := range e.Names {
			e.ident = ident
			rows[name] = e
		}
		for name := range e.Said.Labels {
			labels[name] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := f.table(rows, slices.Sorted(maps.Keys(labels))); err != nil {
		return phrase.Error("cause.write-file", "write {name}: {cause}", "name", filepath.Join(f.Dir, tableName), "cause", oserror.Cause(err))
	}
	return nil
}

const tableName = "metadata.csv"

func (f *Folder) table(rows map[string]entry, labels []string) error {
	return f.Step.Do("replace", tableName, func() error {
		return replace.File(filepath.Join(f.Dir, tableName), 0o644, true, func(out io.Writer) error { return writeTable(out, rows, labels) })
	})
}

func writeTable(out io.Writer, rows map[string]entry, labels []string) error {
	w := csv.NewWriter(out)
	err := w.Write(append([]string{"path", "title", "author", "year", "address", "identifier"}, labels...))
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		e := rows[name]
		year := ""
		if e.Said.Year > 0 {
			year = strconv.Itoa(e.Said.Year)
		}
		row := []string{name, e.Said.Title, e.Said.Author, year, e.Said.Address, e.ident}
		row = append(row, lists.Map(labels, func(label string) string { return e.Said.Labels[label] })...)
		err = errors.Join(err, w.Write(row))
	}
	w.Flush()
	return errors.Join(err, w.Error())
}

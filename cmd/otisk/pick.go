package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/otisk/otisk/indexer"
	"github.com/otisk/otisk/store"
	"github.com/otisk/otisk/store/pick"
)

// canonical returns the path that the file at path has without links, also
// where it is gone: then links in the folders above are still followed.
func canonical(path string) string {
	if full, err := indexer.Canonical(path); err == nil {
		return full
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if parent := filepath.Dir(abs); parent != abs {
		return filepath.Join(canonical(parent), filepath.Base(abs))
	}
	return abs
}

// newPicker returns what finds the documents that were typed, of an index with
// these bases. Where prefix is given, only those with it are meant; folders says
// that a folder means all in it.
func newPicker(bases []store.Base, typed []string, prefix *string, folders bool) *pick.Picker {
	return pick.New(typed, pick.Options{Prefix: prefix, Folders: folders, File: canonical, Bases: bases})
}

// given returns the prefix that documents must have; nil where none is given.
func given(prefix string) *string {
	if prefix == "" {
		return nil
	}
	return &prefix
}

// pickAll returns the documents that are meant.
func pickAll(ctx context.Context, r store.Reader, p *pick.Picker) (list []store.Document, err error) {
	err = r.Documents(ctx, func(d store.Document) error {
		if p.Match(&d) {
			list = append(list, d)
		}
		return nil
	})
	return list, err
}

// missed names what was typed that no document is.
func missed(cmd *cobra.Command, p *pick.Picker, typed int) error {
	list := p.Missed()
	for _, m := range list {
		what := m.Error()
		if m.Only > 0 {
			what += "; -r means all of them"
		}
		warn(cmd, "%s: %s", printable(m.Typed), printable(what))
	}
	if len(list) > 0 {
		return skippedError{len(list), typed}
	}
	return nil
}

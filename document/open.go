package document

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
)

// Open reads the one document in the file at path, the project in a folder, or the document in a collection for a path
// such as theses.zip!/2001/novak.txt. The error does not name the file.
func Open(ctx context.Context, path string, opts Options) (*Document, error) {
	doc, err := open(ctx, path, opts)
	if file, _, member := CutMember(path); member && opts.Projects != Nowhere && errors.Is(err, os.ErrNotExist) && !walk.IsFolder(file) {
		opts.Projects = Nowhere // it may have been read as a separate document
		return open(ctx, path, opts)
	}
	return doc, err
}

func open(ctx context.Context, path string, opts Options) (*Document, error) {
	file, _, _ := CutMember(path)
	var found *Document
	var bad error
	count := 0
	err := Each(ctx, file, opts, func(doc *Document, err error) error {
		if file != path && doc.Path != path {
			return nil
		}
		if count++; count > 1 {
			return ErrMany
		}
		found, bad = doc, err
		return nil
	})
	if err == nil {
		err = bad
	}
	if err == nil && found == nil {
		err = fmt.Errorf("%w: %w", os.ErrNotExist, phrase.Error("cause.no-document", "no such document in {name}", "name", filepath.Base(file)))
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

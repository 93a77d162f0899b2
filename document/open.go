package document

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Open reads the one document in the file at path, or the document in a collection for a path
// such as theses.zip!/2001/novak.txt. The error does not name the file.
func Open(ctx context.Context, path string, opts Options) (*Document, error) {
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
		err = fmt.Errorf("%w: no such document in %s", os.ErrNotExist, filepath.Base(file))
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

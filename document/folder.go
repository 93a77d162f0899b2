package document

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// maxFolder is the limit for the number of files in the folder of a project.
const maxFolder = 20_000

// A folderTree is the tree of the files of a folder. Links out of it are not followed.
type folderTree struct {
	root  *os.Root
	names []string
	left  int64 // bytes that may still be read
	err   error // of the first file that could not be read
}

// openFolder opens a folder, of whose files at most size bytes are read. It skips hidden files.
func openFolder(folder string, size int64) (*folderTree, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, oserror.Cause(err)
	}
	t := &folderTree{root: root, left: size}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(path.Base(name), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular():
			if t.names = append(t.names, name); len(t.names) > maxFolder {
				return fmt.Errorf("%w: %w", ErrTooLarge, phrase.Error("cause.folder-files", "a folder of more than {count} files", "count", maxFolder))
			}
		}
		return nil
	})
	if err != nil {
		root.Close()
		return nil, oserror.Cause(err)
	}
	slices.Sort(t.names)
	return t, nil
}

func (t *folderTree) close() { t.root.Close() }

// Names implements [project.Tree].
func (t *folderTree) Names() []string { return t.names }

// Read implements [project.Tree].
func (t *folderTree) Read(name string) ([]byte, error) {
	data, err := t.read(name)
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("%s: %w", name, err)
	}
	return data, err
}

func (t *folderTree) read(name string) ([]byte, error) {
	info, err := t.root.Stat(name)
	if err != nil {
		return nil, oserror.Cause(err)
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	if t.left -= info.Size(); t.left < 0 {
		return nil, fmt.Errorf("%w: %w", ErrTooLarge, phrase.Error("cause.folder-size", "the files of the folder"))
	}
	data, err := t.root.ReadFile(name)
	if err != nil {
		return nil, oserror.Cause(err)
	}
	return data, nil
}

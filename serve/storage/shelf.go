package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/otisk/otisk/internal/lasting"
	"github.com/otisk/otisk/internal/replace"
	"github.com/otisk/otisk/serve/bucket"
)

// A Shelf keeps files of one kind, such as all uploads, in a folder or in a bucket.
type Shelf struct {
	kind   string // Files or Reports, or another folder of the data folder
	folder *Folder
}

// Waits reports whether files without a row are removed only after a day, since other servers may be
// receiving them.
func (s *Shelf) Waits() bool { return s.folder.Shared() || s.bucket() != nil }

// Shelf returns the files of a kind: Files or Reports.
func (f *Folder) Shelf(kind string) *Shelf { return &Shelf{kind, f} }

// bucket returns the bucket of the shelf, nil for a folder.
func (s *Shelf) bucket() *bucket.Bucket {
	if s.kind == Files || s.kind == Reports {
		return s.folder.bucket
	}
	return nil
}

func (s *Shelf) key(name string) string  { return s.kind + "/" + name }
func (s *Shelf) path(name string) string { return s.folder.Path(s.kind, name) }

// Temporary returns a new path for a file of a request or job of this server. When the server has
// ended, [Folder.Sweep] removes the file.
func (f *Folder) Temporary() string {
	server, _ := f.server.Load().(string)
	return f.Path(Work, server+ofServer+rand.Text())
}

// ofServer ends the id of the server in the name of a temporary file.
const ofServer = "-"

// Put stores what fill writes as the file name, in place of an earlier one. When it returns, the file
// is durable; if it returns an error, the earlier file stays.
func (s *Shelf) Put(ctx context.Context, name string, fill func(io.Writer) error) error {
	b := s.bucket()
	if b == nil {
		return replace.File(s.path(name), 0o600, true, fill)
	}
	path := s.folder.Temporary()
	defer os.Remove(path)
	if err := replace.File(path, 0o600, false, fill); err != nil {
		return err
	}
	return b.Put(ctx, s.key(name), path)
}

// MoveIn moves the file at path, which is in the data folder, to the file name. See [Shelf.Put].
func (s *Shelf) MoveIn(ctx context.Context, path, name string) error {
	if b := s.bucket(); b != nil {
		if err := b.Put(ctx, s.key(name), path); err != nil {
			return err
		}
		return os.Remove(path)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path, s.path(name)); err != nil {
		return err
	}
	return lasting.SyncDir(s.folder.Path(s.kind))
}

// Fetch returns the path of a file with the content of the file name, which the caller must not
// change: it is the stored file itself, or a copy in dir. If there is none, the error is
// fs.ErrNotExist, at the latest when the path is opened.
func (s *Shelf) Fetch(ctx context.Context, name, dir string) (path string, err error) {
	b := s.bucket()
	if b == nil {
		return s.path(name), nil
	}
	path = filepath.Join(dir, name)
	return path, b.Get(ctx, s.key(name), path)
}

// Use calls fn with the path of a file as that of [Shelf.Fetch], which is valid until fn returns.
func (s *Shelf) Use(ctx context.Context, name string, fn func(path string) error) error {
	b := s.bucket()
	if b == nil {
		return fn(s.path(name))
	}
	path := s.folder.Temporary()
	defer os.Remove(path)
	if err := b.Get(ctx, s.key(name), path); err != nil {
		return err
	}
	return fn(path)
}

// Read returns the content of the file name. If there is none, the error is fs.ErrNotExist.
func (s *Shelf) Read(ctx context.Context, name string) (data []byte, err error) {
	err = s.Use(ctx, name, func(path string) error {
		data, err = os.ReadFile(path)
		return err
	})
	return data, err
}

// Remove removes the file name if it exists.
func (s *Shelf) Remove(ctx context.Context, name string) error {
	if b := s.bucket(); b != nil {
		return b.Delete(ctx, s.key(name))
	}
	return os.RemoveAll(s.path(name))
}

// each calls fn with the name of each file, and the time when it was stored.
func (s *Shelf) each(ctx context.Context, fn func(name string, stored time.Time) error) error {
	if b := s.bucket(); b != nil {
		return b.Each(ctx, s.key(""), func(key string, stored time.Time) error { return fn(key[len(s.key("")):], stored) })
	}
	entries, err := os.ReadDir(s.folder.Path(s.kind))
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			continue
		}
		if err == nil {
			err = fn(e.Name(), info.ModTime())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package document

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// looksLikeTar reports whether data is a tar archive, by its first header.
func looksLikeTar(data []byte) bool {
	return len(data) >= 512 && bytes.HasPrefix(data[257:], []byte("ustar"))
}

func eachTar(ctx context.Context, meta Document, data []byte, opts Options, fn func(*Document, error) error) error {
	c := newCollection(ctx, meta, opts, fn)
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := c.add(h.Name, h.ModTime, r); err != nil {
			return err
		}
	}
}

func eachZip(ctx context.Context, meta Document, z *zip.Reader, opts Options, fn func(*Document, error) error) error {
	c := newCollection(ctx, meta, opts, fn)
	for _, f := range z.File {
		if !f.Mode().IsRegular() {
			continue
		}
		if err := c.add(f.Name, f.Modified, &lazyFile{f: f}); err != nil {
			return err
		}
	}
	return nil
}

// A lazyFile opens a member when it is first read.
type lazyFile struct {
	f *zip.File
	r io.ReadCloser
}

func (l *lazyFile) Read(p []byte) (int, error) {
	if l.r == nil {
		r, err := l.f.Open()
		if err != nil {
			return 0, err
		}
		l.r = r
	}
	n, err := l.r.Read(p)
	if err != nil {
		l.r.Close()
	}
	return n, err
}

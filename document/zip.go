package document

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// maxMembers is how many files an archive may hold.
const maxMembers = 100_000

// A container is a zip archive that is one document. All that is taken out of
// it together is bounded.
type container struct {
	ctx   context.Context
	files map[string]*zip.File
	left  int64 // bytes that may yet be unpacked
	max   int64
}

// openZip opens the archive in data. It counts the members before the list of
// them is built, since a small file can declare very many.
func openZip(data []byte) (*zip.Reader, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > maxMembers {
		return nil, fmt.Errorf("%w: archive of more than %d files", ErrTooLarge, maxMembers)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return z, nil
}

// newContainer opens a document in a zip archive.
func newContainer(ctx context.Context, data []byte, opts Options) (*container, error) {
	z, err := openZip(data)
	if err != nil {
		return nil, err
	}
	c := &container{ctx: ctx, files: make(map[string]*zip.File, len(z.File)), left: opts.maxBytes(), max: opts.maxBytes()}
	for _, f := range z.File {
		if _, twice := c.files[f.Name]; !twice {
			c.files[f.Name] = f
		}
	}
	return c, nil
}

// has reports whether the container has a member of that name.
func (c *container) has(name string) bool { return c.files[name] != nil }

// open opens a member. Reading fails once all members together have given more
// than the limit.
func (c *container) open(name string) (io.ReadCloser, error) {
	f := c.files[name]
	if f == nil {
		return nil, fmt.Errorf("%w: no %s in it", ErrDamaged, name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
	}
	return &member{r, c, name}, nil
}

// read returns the content of a member.
func (c *container) read(name string) ([]byte, error) {
	r, err := c.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// A member reads one file of a container.
type member struct {
	r    io.ReadCloser
	c    *container
	name string
}

func (m *member) Read(p []byte) (int, error) {
	if m.c.ctx.Err() != nil {
		return 0, context.Cause(m.c.ctx)
	}
	n, err := m.r.Read(p)
	if m.c.left -= int64(n); m.c.left < 0 {
		return 0, fmt.Errorf("%w: unpacks to more than %d bytes", ErrTooLarge, m.c.max)
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %s: %w", ErrDamaged, m.name, err)
	}
	return n, err
}

func (m *member) Close() error { return m.r.Close() }

// zipKind names the document format of a zip archive by what is in it, ""
// where it is an archive and nothing more.
func zipKind(z *zip.Reader) string {
	for _, f := range z.File {
		switch {
		case f.Name == "mimetype" && f.UncompressedSize64 < 256:
			if kind := mimeKind(f); kind != "" {
				return kind
			}
		case f.Name == "word/document.xml", strings.HasPrefix(f.Name, "word/document"):
			return "docx"
		case f.Name == "META-INF/container.xml":
			return "epub"
		case f.Name == "xl/workbook.xml":
			return "an Excel workbook"
		case f.Name == "ppt/presentation.xml":
			return "a PowerPoint presentation"
		}
	}
	return ""
}

func mimeKind(f *zip.File) string {
	r, err := f.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, 256))
	if err != nil {
		return ""
	}
	switch mime := strings.TrimSpace(string(data)); {
	case strings.HasPrefix(mime, "application/vnd.oasis.opendocument.text"):
		return "odt"
	case mime == "application/epub+zip":
		return "epub"
	case strings.HasPrefix(mime, "application/vnd.oasis.opendocument."):
		return "an OpenDocument " + path.Base(strings.ReplaceAll(mime, ".", "/"))
	}
	return ""
}

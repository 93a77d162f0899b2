// Package archive unpacks: zip archives that are one document, archives of many
// files, and files that are packed by themselves. Whatever it unpacks is bounded.
//
// [NewContainer] opens an archive that is one document, such as EPUB, and [Members]
// goes through one of many, [Tar] and [SevenZip] of any size; [Unpack] unpacks a single
// file.
package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
)

// maxMembers is how many files an archive may hold.
const maxMembers = 100_000

// IsZip reports whether data is a zip archive.
func IsZip(data []byte) bool { return bytes.HasPrefix(data, []byte("PK\x03\x04")) }

// Open opens the zip archive in data. It counts the members before the list of
// them is built, since a small file can declare very many.
func Open(data []byte) (*zip.Reader, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > maxMembers {
		return nil, tooMany()
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	return z, apart(z)
}

// apart returns an error if members share bytes of the archive: a small file could unpack
// to any number of large ones, and no program makes such archives.
func apart(z *zip.Reader) error {
	type stretch struct{ from, to int64 }
	var list []stretch
	for _, f := range z.File {
		from, err := f.DataOffset()
		if err != nil || f.CompressedSize64 == 0 {
			continue // to open the member says why it cannot be read
		}
		list = append(list, stretch{from, from + int64(f.CompressedSize64)})
	}
	slices.SortFunc(list, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	for i := range list {
		if i > 0 && list[i].from < list[i-1].to {
			return fmt.Errorf("%w: members of the archive share their data", format.ErrDamaged)
		}
	}
	return nil
}

func tooMany() error {
	return fmt.Errorf("%w: archive of more than %d files", format.ErrTooLarge, maxMembers)
}

func tooLarge(max int64) error {
	return fmt.Errorf("%w: unpacks to more than %d bytes", format.ErrTooLarge, max)
}

// MIME returns what the member of a zip archive says of the archive's kind if it
// is the one that does, "" otherwise.
func MIME(f *zip.File) string {
	most := int64(256)
	if f.Name == listName {
		most = 64 << 10
	}
	if f.Name != "mimetype" && f.Name != listName || f.UncompressedSize64 >= uint64(most) {
		return ""
	}
	r, err := f.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil {
		return ""
	}
	if f.Name != listName {
		return strings.TrimSpace(string(data))
	}
	if m := listedType.FindSubmatch(data); m != nil {
		return string(append(m[1], m[2]...))
	}
	return ""
}

// listName is the member that lists the members of an OpenDocument file, and says what
// the whole is.
const listName = "META-INF/manifest.xml"

var listedType = regexp.MustCompile(`media-type="([^"]+)"[^<>]*full-path="/"|full-path="/"[^<>]*media-type="([^"]+)"`)

// A Container is a zip archive that is one document. All that is taken out of
// it together is bounded.
type Container struct {
	ctx   context.Context
	files map[string]*zip.File
	left  int64 // bytes that may yet be unpacked
	max   int64
}

// NewContainer opens a document in a zip archive.
func NewContainer(ctx context.Context, src *format.Source) (*Container, error) {
	z, err := Open(src.Data)
	if err != nil {
		return nil, err
	}
	c := &Container{ctx: ctx, files: make(map[string]*zip.File, len(z.File)), left: src.Bytes, max: src.Bytes}
	for _, f := range z.File {
		if _, twice := c.files[f.Name]; !twice {
			c.files[f.Name] = f
		}
	}
	return c, nil
}

// Has reports whether the container has a member of that name.
func (c *Container) Has(name string) bool { return c.files[name] != nil }

// Unpacked returns how many bytes were taken out of it until now.
func (c *Container) Unpacked() int64 { return c.max - c.left }

// open opens a member. Reading fails once all members together have given more
// than the limit.
func (c *Container) open(name string) (io.ReadCloser, error) {
	f := c.files[name]
	if f == nil {
		return nil, fmt.Errorf("%w: no %s in it", format.ErrDamaged, name)
	}
	if f.UncompressedSize64 > uint64(c.left) {
		return nil, tooLarge(c.max) // more than it says is never unpacked
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", format.ErrDamaged, name, err)
	}
	return &member{r, c, name}, nil
}

// Read returns the content of a member.
func (c *Container) Read(name string) ([]byte, error) {
	r, err := c.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var buf bytes.Buffer
	buf.Grow(int(c.files[name].UncompressedSize64) + bytes.MinRead)
	_, err = buf.ReadFrom(r)
	return buf.Bytes(), err
}

// Walk gives h what a member of XML consists of.
func (c *Container) Walk(name string, h xmlwalk.Handler) error {
	r, err := c.open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	size := c.files[name].UncompressedSize64
	if size > wholeMost {
		return xmlwalk.Walk(c.ctx, r, h)
	}
	data := make([]byte, 0, size+bytes.MinRead)
	buf := bytes.NewBuffer(data)
	if _, err := buf.ReadFrom(r); err != nil {
		return err
	}
	return xmlwalk.WalkData(c.ctx, buf.Bytes(), h)
}

// wholeMost is up to which size a member of XML is taken into memory, where it is read in
// less time.
const wholeMost = 32 << 20

// WalkIf does the same for a member that says nothing about the document's text:
// if it is missing or broken, that is no reason to refuse the document.
func (c *Container) WalkIf(name string, h xmlwalk.Handler) {
	if c.Has(name) {
		_ = c.Walk(name, h)
	}
}

// Fields returns the texts of the elements called names in a member, as WalkIf
// does.
func (c *Container) Fields(member string, names ...string) *xmlwalk.Fields {
	f := xmlwalk.NewFields(names...)
	c.WalkIf(member, f)
	return f
}

// A member reads one file of a container.
type member struct {
	r    io.ReadCloser
	c    *Container
	name string
}

func (m *member) Read(p []byte) (int, error) {
	if err := format.Ended(m.c.ctx); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	if m.c.left -= int64(n); m.c.left < 0 {
		return 0, tooLarge(m.c.max)
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %s: %w", format.ErrDamaged, m.name, err)
	}
	return n, err
}

func (m *member) Close() error { return m.r.Close() }

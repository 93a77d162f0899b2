// Package archive decompresses zip archives that are one document, archives of many files,
// and single compressed files. Decompressed sizes are limited everywhere.
//
// [NewContainer] opens an archive that is one document, such as EPUB. [Members] iterates
// over the files of an archive in memory; [Tar] and [SevenZip] do so for archives of any
// size. [Unpack] decompresses a single file.
package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/xmlwalk"
	"github.com/otisk/otisk/lang/phrase"
)

// maxMembers limits the number of files in an archive.
const maxMembers = 100_000

// IsZip reports whether data is a zip archive.
func IsZip(data []byte) bool { return bytes.HasPrefix(data, []byte("PK\x03\x04")) }

// Open opens the zip archive in data. It counts the members before it allocates the
// list of them, since a small file can declare very many. Names of members are decoded from
// encoding if they are not UTF-8; if it is empty, it is detected.
func Open(data []byte, encoding string) (*zip.Reader, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > maxMembers {
		return nil, tooMany()
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.zip-directory", "the archive has no list of its members"))
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	rename(z.File, encoding)
	return z, apart(z)
}

// OpenFile opens the zip archive at path as [Open] does. It also opens one whose members overlap.
func OpenFile(path string) (*zip.ReadCloser, error) {
	many, err := manyMembers(path)
	if err != nil {
		return nil, err
	}
	if many {
		return nil, tooMany()
	}
	z, err := zip.OpenReader(path)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, err)
	}
	return z, nil
}

// manyMembers reports whether the file at path has more than maxMembers entries of a zip archive.
func manyMembers(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	const sign, block = "PK\x01\x02", 1 << 20
	data, kept, count := make([]byte, block), 0, 0
	for {
		n, err := f.Read(data[kept:])
		held := data[:kept+n]
		count += bytes.Count(held, []byte(sign))
		if count > maxMembers || err == io.EOF {
			return count > maxMembers, nil
		}
		if err != nil {
			return false, err
		}
		kept = copy(data, held[max(0, len(held)-len(sign)+1):]) // one may be at the border
	}
}

// apart returns an error if members overlap: then a small archive could decompress to any
// number of large files. No program writes such archives.
func apart(z *zip.Reader) error {
	type stretch struct{ from, to int64 }
	var list []stretch
	for _, f := range z.File {
		from, err := f.DataOffset()
		if err != nil || f.CompressedSize64 == 0 {
			continue // opening the member returns the error
		}
		list = append(list, stretch{from, from + int64(f.CompressedSize64)})
	}
	slices.SortFunc(list, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	for i := range list {
		if i > 0 && list[i].from < list[i-1].to {
			return fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.zip-overlap", "members of the archive share their data"))
		}
	}
	return nil
}

func tooMany() error {
	return fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("said.many-members", "archive of more than {files} files", "files", maxMembers))
}

func tooLarge(max int64) error {
	return fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("said.unpacks-more", "unpacks to more than {bytes} bytes", "bytes", max))
}

// ContentType returns the media type of the main part of an Office Open XML document if f is the
// member that states it, otherwise "".
func ContentType(f *zip.File) string {
	if !strings.EqualFold(f.Name, "[Content_Types].xml") {
		return ""
	}
	data := content(f, 1<<20)
	if text, ok := FromUTF16(data); ok {
		data = text
	}
	return string(mainType.Find(data))
}

var mainType = regexp.MustCompile(`application/vnd\.[\w.-]+\.(document|template|slideshow|presentation|sheet|addin|drawing|stencil)(\.binary)?(\.macroEnabled(Template)?)?\.main(\+xml)?`)

// content returns the content of a member of at most this number of bytes, nil for others.
func content(f *zip.File, most int64) []byte {
	if f.UncompressedSize64 >= uint64(most) {
		return nil
	}
	r, err := f.Open()
	if err != nil {
		return nil
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil {
		return nil
	}
	return data
}

// MIME returns the media type of the archive if f is the member that states it, as in EPUB
// and OpenDocument; otherwise "".
func MIME(f *zip.File) string {
	most := int64(256)
	if f.Name == listName {
		most = 64 << 10
	}
	if f.Name != "mimetype" && f.Name != listName {
		return ""
	}
	data := content(f, most)
	if f.Name != listName {
		return strings.TrimSpace(string(data))
	}
	if m := listedType.FindSubmatch(data); m != nil {
		return string(append(m[1], m[2]...))
	}
	return ""
}

// listName is the member of an OpenDocument file that lists its members and states the
// media type of the whole.
const listName = "META-INF/manifest.xml"

var listedType = regexp.MustCompile(`media-type="([^"]+)"[^<>]*full-path="/"|full-path="/"[^<>]*media-type="([^"]+)"`)

// A Container is a zip archive that is one document. The total size of everything read
// from it is limited.
type Container struct {
	ctx   context.Context
	files map[string]*zip.File
	fold  map[string]*zip.File // by name in lower case
	bases map[string]string    // names by base name in lower case; nil until used
	left  int64                // bytes that may still be decompressed
	max   int64
}

// NewContainer opens a document in a zip archive.
func NewContainer(ctx context.Context, src *format.Source) (*Container, error) {
	z, err := Open(src.Data, src.Encoding)
	if err != nil {
		return nil, err
	}
	c := &Container{ctx: ctx, files: make(map[string]*zip.File, len(z.File)), fold: make(map[string]*zip.File, len(z.File)), left: src.Bytes, max: src.Bytes}
	for _, f := range z.File {
		if _, twice := c.files[f.Name]; !twice {
			c.files[f.Name] = f
		}
		if lower := strings.ToLower(f.Name); c.fold[lower] == nil {
			c.fold[lower] = f
		}
	}
	return c, nil
}

// find returns the member with that name, or else with a name that differs only in case; nil if
// there is none.
func (c *Container) find(name string) *zip.File {
	if f := c.files[name]; f != nil {
		return f
	}
	return c.fold[strings.ToLower(name)]
}

// Has reports whether the container has a member of that name, in any case.
func (c *Container) Has(name string) bool { return c.find(name) != nil }

// Unpacked returns how many bytes have been decompressed so far.
func (c *Container) Unpacked() int64 { return c.max - c.left }

// open opens a member. Reading fails once the total size of all members read exceeds the
// limit.
func (c *Container) open(name string) (io.ReadCloser, error) {
	f := c.find(name)
	if f == nil {
		return nil, fmt.Errorf("%w: %w", format.ErrDamaged, phrase.Error("cause.zip-member", "member {name} is missing", "name", name))
	}
	if f.UncompressedSize64 > uint64(c.left) {
		return nil, tooLarge(c.max) // package zip never returns more than the stated size
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
	buf.Grow(int(c.find(name).UncompressedSize64) + bytes.MinRead)
	_, err = buf.ReadFrom(r)
	return buf.Bytes(), err
}

// Walk calls h for the elements and the text of an XML member.
func (c *Container) Walk(name string, h xmlwalk.Handler) error {
	r, err := c.open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	size := c.find(name).UncompressedSize64
	if size > wholeMost {
		return xmlwalk.Walk(c.ctx, r, h)
	}
	data := make([]byte, 0, size+bytes.MinRead)
	buf := bytes.NewBuffer(data)
	if _, err := buf.ReadFrom(r); err != nil {
		return err
	}
	if text, ok := FromUTF16(buf.Bytes()); ok {
		return xmlwalk.WalkText(c.ctx, text, h)
	}
	return xmlwalk.WalkData(c.ctx, buf.Bytes(), h)
}

// FromUTF16 returns XML in UTF-16 as UTF-8. ok is false if it is in another encoding.
func FromUTF16(data []byte) (text []byte, ok bool) {
	for _, order := range []struct {
		start []byte
		order unicode.Endianness
	}{{[]byte("\xff\xfe"), unicode.LittleEndian}, {[]byte("\xfe\xff"), unicode.BigEndian}, {[]byte("<\x00"), unicode.LittleEndian}, {[]byte("\x00<"), unicode.BigEndian}} {
		if bytes.HasPrefix(data, order.start) {
			text, err := unicode.UTF16(order.order, unicode.UseBOM).NewDecoder().Bytes(data)
			return text, err == nil
		}
	}
	return nil, false
}

// wholeMost is the size up to which an XML member is read whole, so that UTF-16 is recognised, in
// bytes.
const wholeMost = 32 << 20

// WalkIf is like [Container.Walk] for a member that has no text of the document: it ignores a
// missing or damaged member.
func (c *Container) WalkIf(name string, h xmlwalk.Handler) {
	if c.Has(name) {
		_ = c.Walk(name, h)
	}
}

// Fields returns the texts of the elements with these names in a member; like WalkIf, it
// ignores errors.
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

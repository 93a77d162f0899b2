package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// memberMark stands between the path of a collection and that of a document
// in it: theses.zip!/2001/novak.txt.
const memberMark = "!/"

// Errors about collections.
var (
	ErrMany   = errors.New("holds many documents") // Open was asked for one
	ErrNested = errors.New("archive in an archive")
)

// Each calls fn for each document in the file at path: for one, mostly; for
// all of a collection, which is an archive or a vertical file. A member that
// cannot be read is given to fn as an error, with a document that has its path
// and no more; the others follow. The error of Each is about the whole file,
// or it is fn's.
func Each(ctx context.Context, path string, opts Options, fn func(*Document, error) error) error {
	f, err := readFile(ctx, path, opts.maxBytes())
	if err != nil {
		return err
	}
	doc := Document{
		Path: path, Ext: extension(path),
		Bytes: int64(len(f.data)), ModTime: f.modTime, Content: f.content,
	}
	return each(ctx, doc, f.data, opts, fn)
}

// Open reads the one document in the file at path, or the one that a path such
// as theses.zip!/2001/novak.txt names in a collection. The error does not name
// the file.
func Open(ctx context.Context, path string, opts Options) (*Document, error) {
	file := path
	if at := strings.Index(path, memberMark); at >= 0 {
		if _, err := os.Lstat(path); err != nil {
			file = path[:at]
		}
	}
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

// each finds out what data is and gives its documents to fn; meta is what is
// known of the file.
func each(ctx context.Context, meta Document, data []byte, opts Options, fn func(*Document, error) error) error {
	switch {
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		inner, name, err := gunzip(ctx, data, opts)
		if err != nil {
			return err
		}
		meta.Ext = innerExt(meta.Path, name)
		if looksLikeTar(inner) {
			return eachTar(ctx, meta, inner, opts, fn)
		}
		return one(ctx, meta, inner, opts, fn)
	case looksLikeTar(data):
		return eachTar(ctx, meta, data, opts, fn)
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		z, err := openZip(data)
		if err != nil {
			return err
		}
		if zipKind(z) == "" {
			return eachZip(ctx, meta, z, opts, fn)
		}
	case looksLikeVertical(data) || meta.Ext == "vert" || meta.Ext == "vrt":
		return eachVertical(ctx, meta, data, opts, fn)
	}
	return one(ctx, meta, data, opts, fn)
}

// one reads data as one document.
func one(ctx context.Context, doc Document, data []byte, opts Options, fn func(*Document, error) error) error {
	if err := read(ctx, &doc, data, opts); err != nil {
		return err
	}
	return fn(&doc, nil)
}

// gunzip unpacks data, and returns the name that it was packed with.
func gunzip(ctx context.Context, data []byte, opts Options) ([]byte, string, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	inner, err := readBounded(ctx, z, opts.maxBytes())
	return inner, z.Name, err
}

// readBounded reads r to its end, which must come within max bytes.
func readBounded(ctx context.Context, r io.Reader, max int64) ([]byte, error) {
	var buf bytes.Buffer
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n, err := io.CopyN(&buf, r, chunk)
		switch {
		case int64(buf.Len()) > max:
			return nil, fmt.Errorf("%w: unpacks to more than %d bytes", ErrTooLarge, max)
		case err == io.EOF:
			return buf.Bytes(), nil
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		case n < chunk:
			return buf.Bytes(), nil
		}
	}
}

// innerExt returns the file type of what is packed in a file.
func innerExt(outer, name string) string {
	if ext := extension(name); ext != "" {
		return ext
	}
	return extension(strings.TrimSuffix(outer, filepath.Ext(outer)))
}

// A collection gives the members of one archive to fn.
type collection struct {
	ctx  context.Context
	meta Document
	opts Options
	fn   func(*Document, error) error
	left int64 // bytes that may yet be unpacked
	held int   // members so far
}

// unpackFactor is how many times the limit of one file all members of an
// archive together may unpack to.
const unpackFactor = 16

func newCollection(ctx context.Context, meta Document, opts Options, fn func(*Document, error) error) *collection {
	return &collection{ctx: ctx, meta: meta, opts: opts, fn: fn, left: unpackFactor * opts.maxBytes()}
}

// add reads one member. An error of its own goes to fn; that of the collection
// is returned.
func (c *collection) add(name string, modTime time.Time, r io.Reader) error {
	if hiddenMember(name) {
		return nil
	}
	if c.held++; c.held > maxMembers {
		return fmt.Errorf("%w: archive of more than %d files", ErrTooLarge, maxMembers)
	}
	doc := Document{Path: c.meta.Path + memberMark + name, Ext: extension(name), ModTime: modTime.UTC().Truncate(time.Second)}
	if modTime.IsZero() {
		doc.ModTime = c.meta.ModTime
	}
	if !safeName(name) {
		return c.fn(&Document{Path: doc.Path}, fmt.Errorf("%w: its path leads out of the archive", ErrDamaged))
	}
	data, err := readBounded(c.ctx, r, min(c.left, c.opts.maxBytes()))
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	if c.left -= int64(len(data)); c.left <= 0 {
		return fmt.Errorf("%w: unpacks to more than %d bytes", ErrTooLarge, unpackFactor*c.opts.maxBytes())
	}
	if err == nil {
		err = c.read(&doc, data)
	}
	if err != nil {
		return c.fn(&Document{Path: doc.Path}, err)
	}
	return c.fn(&doc, nil)
}

// read reads a member, which may be packed by itself, but is no archive.
func (c *collection) read(doc *Document, data []byte) error {
	doc.Bytes, doc.Content = int64(len(data)), contentOf(data)
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		inner, name, err := gunzip(c.ctx, data, c.opts)
		if err != nil {
			return err
		}
		data, doc.Ext = inner, innerExt(doc.Path, name)
	}
	if looksLikeTar(data) {
		return ErrNested
	}
	return read(c.ctx, doc, data, c.opts)
}

// hiddenMember reports whether a member is no document: hidden files, and what
// some systems add by themselves.
func hiddenMember(name string) bool {
	return strings.HasSuffix(name, "/") || strings.HasPrefix(path.Base(name), ".") || strings.HasPrefix(name, "__MACOSX/")
}

// safeName reports whether name stays within the archive's folder.
func safeName(name string) bool {
	return filepath.IsLocal(name) && !strings.Contains(name, `\`) && !strings.ContainsRune(name, 0)
}

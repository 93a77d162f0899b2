package document

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/archive/sevenzip"
	"github.com/otisk/otisk/document/article"
	"github.com/otisk/otisk/document/container"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
)

// MemberMark separates the path of a collection from that of a document in it:
// theses.zip!/2001/novak.txt.
const MemberMark = "!/"

// CutMember splits the path of a document in a collection into the path of the collection and
// the name in it. If path is that of a file, ok is false. The name alone is ambiguous, since a
// folder beside an archive may end in the first character of MemberMark. So an existing file
// at path is that file; otherwise the collection is the first existing file on the path or, if
// there is none, the first part that is not a folder.
func CutMember(path string) (file, member string, ok bool) {
	if !strings.Contains(path, MemberMark) {
		return path, "", false
	}
	if _, err := os.Lstat(path); err == nil {
		return path, "", false
	}
	isFile := func(file, _ string) bool { info, err := os.Stat(file); return err == nil && !info.IsDir() }
	noFolder := func(_, folder string) bool { info, err := os.Stat(folder); return err != nil || !info.IsDir() }
	for _, is := range []func(file, folder string) bool{isFile, noFolder} {
		for at := 0; ; at++ {
			next := strings.Index(path[at:], MemberMark)
			if next < 0 {
				break
			}
			if at += next; is(path[:at], path[:at+1]) {
				return path[:at], path[at+len(MemberMark):], true
			}
		}
	}
	return path, "", false
}

// Each calls fn for each document in the file at path: one for most files, many for an
// archive, a vertical file or a container; for a folder, the project in it. With [Options.Workers], several goroutines call fn
// for the records of a container at once, in any order. For a member that cannot be read, fn
// gets the error and a document that has only its path; Each continues with the next member.
// Each returns an error about the whole file, or the error of fn.
func Each(ctx context.Context, path string, opts Options, fn func(*Document, error) error) error {
	if folder, err := walk.Folder(path); err != nil {
		return err
	} else if folder {
		return eachInFolder(ctx, path, opts, fn)
	}
	if found, err := eachStreamed(ctx, path, opts, fn); found || err != nil {
		return err
	}
	f, err := readFile(ctx, path, opts.maxBytes())
	if err != nil {
		return err
	}
	doc := Document{
		Path: path, Ext: extension(path),
		Bytes: int64(len(f.data)), ModTime: f.modTime, Content: f.content,
	}
	return each(ctx, doc, f.data, opts, newNames().distinct("", fn))
}

// names holds the names of the documents of one file, as hashes, since there may be millions.
type names struct {
	mu    sync.Mutex
	seed  maphash.Seed
	taken map[uint64]bool
	last  map[uint64]int // last number appended to a repeated name

	before func(name string) bool // reports whether a name was taken before reading resumed; nil for none
}

func newNames() *names {
	return &names{seed: maphash.MakeSeed(), taken: map[uint64]bool{}, last: map[uint64]int{}}
}

// distinct gives fn documents with unique paths: a repeated path gets a number and the
// document a note. A document with the path own keeps it.
func (n *names) distinct(own string, fn func(*Document, error) error) func(*Document, error) error {
	return func(doc *Document, err error) error {
		if path := doc.Path; path != own {
			if doc.Path = n.unique(path); doc.Path != path {
				doc.Note(phrase.Error("said.renamed", "the file has another document called {name}: this one is renamed to {new}", "name", filepath.Base(path), "new", filepath.Base(doc.Path)))
			}
		}
		return fn(doc, err)
	}
}

// unique returns name, with a number appended if name is taken.
func (n *names) unique(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	own := maphash.String(n.seed, name)
	given, hash := name, own
	for i := max(2, n.last[own]+1); n.taken[hash] || n.before != nil && n.before(given); i++ {
		given = fmt.Sprintf("%s~%d", name, i)
		hash = maphash.String(n.seed, given)
		n.last[own] = i
	}
	n.taken[hash] = true
	return given
}

// each detects the format of data and gives its documents to fn; meta is the metadata of the
// file.
func each(ctx context.Context, meta Document, data []byte, opts Options, fn func(*Document, error) error) error {
	zipped := archive.IsZip(data)
	if archive.IsPacked(data) {
		var err error
		if data, err = unpack(ctx, &meta, data, opts); err != nil {
			return err
		}
	}
	if archive.IsTar(data) {
		return eachPacked(ctx, meta, data, opts, fn)
	}
	if found, err := eachHeld(ctx, meta, data, opts, fn); found {
		return err
	}
	err := documents(ctx, meta, data, opts, asText(meta.Path, opts, fn))
	if zipped && err == ErrNested {
		return eachPacked(ctx, meta, data, opts, fn)
	}
	return err
}

// NoTextColumn is the note on a table without a column of texts.
const NoTextColumn = "the table has no column called text and is read as one text"

// asText adds a note to a table without a text column, which is read as one text.
func asText(path string, opts Options, fn func(*Document, error) error) func(*Document, error) error {
	if opts.Whole || !container.IsTable(path) {
		return fn
	}
	return func(doc *Document, err error) error {
		if err == nil {
			doc.Note(phrase.Error("said.no-column", NoTextColumn))
		}
		return fn(doc, err)
	}
}

// unpack decompresses data.
func unpack(ctx context.Context, meta *Document, data []byte, opts Options) ([]byte, error) {
	inner, name, err := archive.Unpack(ctx, data, opts.budget())
	if err != nil {
		return nil, err
	}
	if meta.Ext = extension(name); meta.Ext == "" {
		meta.Ext = extension(strings.TrimSuffix(meta.Path, filepath.Ext(meta.Path)))
	}
	return inner, nil
}

// documents gives the documents in data, which is not an archive, to fn: one, or several for a
// format that holds many.
func documents(ctx context.Context, meta Document, data []byte, opts Options, fn func(*Document, error) error) error {
	f, err := find(data, meta.Ext)
	if err != nil {
		return err
	}
	if opts.toArticle && f.name == "html" {
		page := *f
		page.read, page.times = article.Read, 30
		f = &page
	}
	src := opts.source(data, meta.Ext)
	if f.split != nil {
		return f.parts(ctx, meta, src, opts, fn)
	}
	attached, err := f.fill(ctx, &meta, src, opts)
	if err != nil {
		return err
	}
	return give(ctx, &meta, attached, opts, fn)
}

// maxWithin is the maximum nesting depth of attachments.
const maxWithin = 5

// give gives a document to fn, unless it has attachments but no text, and then its
// attachments.
func give(ctx context.Context, doc *Document, attached []format.Attached, opts Options, fn func(*Document, error) error) error {
	if len(attached) == 0 || doc.Text != "" {
		if err := fn(doc, nil); err != nil {
			return err
		}
	}
	opts.within++
	for _, a := range attached {
		inner := Document{Path: doc.Path + MemberMark + a.Name, Ext: extension(a.Name), ModTime: doc.ModTime}
		if opts.within > maxWithin {
			if err := fn(&Document{Path: inner.Path}, ErrNested); err != nil {
				return err
			}
			continue
		}
		if err := oneMember(ctx, inner, a.Data, opts, fn); err != nil {
			return err
		}
	}
	return nil
}

// parts gives the documents of a file that holds many to fn. It skips those without text.
func (f *row) parts(ctx context.Context, meta Document, src *format.Source, opts Options, fn func(*Document, error) error) error {
	count := 0
	err := f.split(ctx, src, func(name string, part *format.Source) error {
		doc := meta
		doc.Bytes, doc.Content = int64(len(part.Data)), contentOf(part.Data)
		attached, err := f.fill(ctx, &doc, part, opts)
		switch {
		case err == ErrEmpty:
			return nil
		case ctx.Err() != nil:
			return err
		}
		count++
		path := meta.Path + MemberMark + cmp.Or(name, strconv.Itoa(count))
		if err != nil {
			return fn(&Document{Path: path}, err)
		}
		doc.Path = path
		return give(ctx, &doc, attached, opts, fn)
	})
	if err == nil && count == 0 {
		return ErrEmpty
	}
	return err
}

// eachMember calls fn for each document in the members of an archive, except those for which skip
// returns true for; nil skips none.
func eachMember(ctx context.Context, meta Document, data []byte, opts Options, skip func(name string) bool, fn func(*Document, error) error) error {
	return archive.Members(ctx, data, opts.Encoding, opts.budget(), skip, func(m archive.Member, err error) error {
		doc := Document{Path: meta.Path + MemberMark + m.Name, Ext: extension(m.Name), ModTime: m.ModTime.UTC().Truncate(time.Second)}
		if m.ModTime.IsZero() {
			doc.ModTime = meta.ModTime
		}
		if err != nil {
			return fn(&Document{Path: doc.Path}, err)
		}
		return oneMember(ctx, doc, m.Data, opts, fn)
	})
}

// oneMember gives the documents of a member to fn, or an error.
func oneMember(ctx context.Context, doc Document, data []byte, opts Options, fn func(*Document, error) error) error {
	var stop error
	err := member(ctx, doc, data, opts, func(doc *Document, err error) error {
		stop = fn(doc, err)
		return stop
	})
	if err != nil && stop == nil {
		return fn(&Document{Path: doc.Path}, err)
	}
	return stop
}

// member reads a member, which may be compressed but must not be an archive.
func member(ctx context.Context, doc Document, data []byte, opts Options, fn func(*Document, error) error) error {
	doc.Bytes, doc.Content = int64(len(data)), contentOf(data)
	if archive.IsPacked(data) {
		var err error
		if data, err = unpack(ctx, &doc, data, opts); err != nil {
			return err
		}
	}
	if archive.IsTar(data) || sevenzip.Is(data) {
		return ErrNested
	}
	if found, err := eachHeld(ctx, doc, data, opts, fn); found {
		return err
	}
	return documents(ctx, doc, data, opts, fn)
}

package indexer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/fingerprint"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
	"github.com/otisk/otisk/store"
)

// ErrOutside means that a path is not inside Options.Base.
var ErrOutside error = phrase.Error("cause.outside-base", "not in the folder that names are to be relative to")

// A namer knows the bases of an index and names files relative to them.
//
// A file is named relative to the innermost base that contains it. So its name depends neither on the
// working directory nor on how the path was typed. A folder that is in no base becomes a base with
// its own name: theses/2001/novak.txt.
type namer struct {
	bases   []store.Base
	given   *store.Base // Options.Base, which all names are relative to; nil if it is not set
	whole   bool        // the index may have documents named by their absolute path
	changed bool        // bases differ from those of the index
}

func newNamer(info store.Info) *namer {
	n := &namer{bases: slices.Clone(info.Bases)}
	n.whole = slices.ContainsFunc(n.bases, func(b store.Base) bool { return b.Key == store.WholePaths })
	if len(n.bases) == 0 && info.Documents > 0 {
		n.whole = true
		n.add(store.Base{Key: store.WholePaths})
	}
	return n
}

// add adds a base with a random key, so that bases of several indexes can be combined.
func (n *namer) add(b store.Base) {
	if b.Name != "" || b.Folder != "" {
		b.Key = keyOf(b)
		for n.known(b.Key) {
			b.Key = keyOf(store.Base{Name: b.Key, Folder: b.Folder})
		}
	}
	n.bases, n.changed = append(n.bases, b), true
}

func (n *namer) known(key string) bool {
	return slices.ContainsFunc(n.bases, func(b store.Base) bool { return b.Key == key })
}

func keyOf(b store.Base) string {
	return store.DocID(fingerprint.Sum64([]byte(b.Name + "\x00" + b.Folder))).String()
}

// baseOf returns the innermost base that contains the file at path, the last one if several have
// the same folder, or nil.
func (n *namer) baseOf(path string) *store.Base {
	return n.innermost(path, func(b *store.Base) bool { return b.Folder != path && (!b.Flat || filepath.Dir(path) == b.Folder) })
}

// innermost returns the innermost base that contains path and for which will returns true.
func (n *namer) innermost(path string, will func(*store.Base) bool) (best *store.Base) {
	for i := range n.bases {
		b := &n.bases[i]
		if b.Key == store.WholePaths || best != nil && len(b.Folder) < len(best.Folder) {
			continue
		}
		if _, ok := walk.Within(b.Folder, path); ok && will(b) {
			best = b
		}
	}
	return best
}

// called returns the name of a file relative to a base.
func called(b *store.Base, path string) (name string, ok bool) {
	rel, ok := walk.Within(b.Folder, path)
	if b.Name != "" {
		rel = b.Name + "/" + rel
	}
	return rel, ok
}

// name sets the name of f. A file that a link outside all bases leads to is named after the path
// through the link.
func (n *namer) name(f *file) {
	for _, path := range []string{f.canonical, f.reached} {
		b := n.baseOf(path)
		if n.given != nil {
			b = n.given
		}
		if b == nil {
			continue
		}
		if name, ok := called(b, path); ok {
			f.name, f.base, f.place = name, b.Key, path
			return
		}
	}
	f.name, f.place = f.canonical, f.canonical // cannot happen for files of a walk
}

// others returns further names that f may have in the index: relative to other bases, or its
// absolute path.
func (n *namer) others(f *file) (names []string) {
	if n.whole {
		names = append(names, f.canonical)
	}
	for i := range n.bases {
		b := &n.bases[i]
		if b.Key == store.WholePaths || b.Key == f.base {
			continue
		}
		if name, ok := called(b, f.canonical); ok && name != f.name {
			names = append(names, name)
		}
	}
	return names
}

// at returns the path of the file of a document.
func (n *namer) at(d *store.Document) string { return store.File(n.bases, d.Base, d.Path) }

// prepareNames finds the bases of all roots and adds missing ones, which are committed with the
// first documents.
func (r *run) prepareNames(ctx context.Context) error {
	info, err := r.store.Info(ctx)
	if err != nil {
		return err
	}
	r.names = newNamer(info)
	if r.opts.Base != "" {
		if err := r.giveBase(); err != nil {
			return err
		}
	}
	for _, root := range r.roots {
		if err := r.prepareName(ctx, root); err != nil {
			return err
		}
	}
	if !r.names.changed {
		return nil
	}
	return r.store.SetBases(ctx, r.names.bases)
}

// giveBase makes all names relative to Options.Base.
func (r *run) giveBase() error {
	folder, err := walk.Canonical(r.opts.Base)
	if err != nil {
		return phrase.Error("index.base", "base {name}: {cause}", "name", r.opts.Base, "cause", oserror.Cause(err))
	}
	is := func(b store.Base) bool { return b.Key != store.WholePaths && b.Name == "" && b.Folder == folder }
	if !slices.ContainsFunc(r.names.bases, is) {
		r.names.add(store.Base{Folder: folder})
	}
	given := r.names.bases[slices.IndexFunc(r.names.bases, is)]
	r.names.given = &given
	return nil
}

// prune drops bases without documents after documents have moved to another base; otherwise files
// would be named relative to them again.
func (r *run) prune(ctx context.Context) error {
	used := map[string]bool{store.WholePaths: true, r.names.given.Key: true}
	err := r.store.Documents(ctx, "", func(d store.Document) error {
		used[d.Base] = true
		return nil
	})
	if err != nil {
		return err
	}
	before := len(r.names.bases)
	r.names.bases = slices.DeleteFunc(r.names.bases, func(b store.Base) bool { return !used[b.Key] })
	if len(r.names.bases) == before {
		return nil
	}
	if err := r.store.SetBases(ctx, r.names.bases); err != nil {
		return err
	}
	return r.store.Commit(ctx)
}

// prepareName makes sure that the file or folder at root has a base.
func (r *run) prepareName(ctx context.Context, root root) error {
	canonical := root.canonical
	if r.names.given != nil {
		if _, ok := walk.Within(r.names.given.Folder, canonical); !ok {
			return fmt.Errorf("%s: %w: %s", root.path, ErrOutside, r.names.given.Folder)
		}
		return nil
	}
	if whole, _ := r.whole(canonical); whole || !root.folder { // the walk reports the error
		if r.names.baseOf(canonical) != nil {
			return nil
		}
		return r.newBase(ctx, filepath.Dir(canonical), true)
	}
	if r.names.innermost(canonical, func(b *store.Base) bool { return !b.Flat }) != nil {
		return nil
	}
	if b := r.names.innermost(canonical, func(b *store.Base) bool { return b.Folder == canonical }); b != nil {
		b.Flat, r.names.changed = false, true // now the whole folder is indexed
		return nil
	}
	return r.newBase(ctx, canonical, false)
}

// newBase makes folder a base. Its name is that of the folder, preceded by those of parent folders
// if another base already has the name; but if the files are those of that other base, it is the
// same tree, moved or copied.
//
// If a single file was given, its folder becomes a base for the files directly in it. Otherwise
// folders indexed later from, say, a home folder would have names that start with the name of its
// owner.
func (r *run) newBase(ctx context.Context, folder string, flat bool) error {
	for _, name := range baseNames(folder) {
		var taken []*store.Base
		for i := range r.names.bases {
			if b := &r.names.bases[i]; b.Key != store.WholePaths && b.Name == name {
				taken = append(taken, b)
			}
		}
		if len(taken) == 0 {
			r.names.add(store.Base{Name: name, Folder: folder, Flat: flat})
			return nil
		}
		done, err := r.joinBase(ctx, taken, name, folder, flat)
		if done || err != nil {
			return err
		}
	}
	return phrase.Error("index.names-taken", "{name}: every name for this folder is taken by another base", "name", folder)
}

// baseNames returns the possible names of a base, the shortest first.
func baseNames(folder string) (names []string) {
	parts := strings.FieldsFunc(filepath.ToSlash(folder), func(c rune) bool { return c == '/' })
	if len(parts) == 0 {
		parts = []string{"root"}
	}
	for i := range parts {
		names = append(names, strings.Join(parts[len(parts)-1-i:], "/"))
	}
	for i := 2; i < 100; i++ {
		names = append(names, fmt.Sprintf("%s~%d", parts[len(parts)-1], i))
	}
	return names
}

// joinBase decides by the content of files whether folder is the same tree as one of these bases,
// which share a name; if so, folder gets that name.
func (r *run) joinBase(ctx context.Context, taken []*store.Base, name, folder string, flat bool) (done bool, err error) {
	same, other, err := r.compare(ctx, taken, folder)
	if err != nil {
		return false, err
	}
	gone := slices.IndexFunc(taken, func(b *store.Base) bool { return walk.NoFolder(b.Folder) })
	switch old := taken[len(taken)-1].Folder; {
	case gone >= 0 && other == 0 && (same > 0 || len(taken) == 1 && r.unused(ctx, taken[0])):
		if same > 0 {
			r.ledger.Note(folder, phrase.Error("said.base-moved", "contains the files of {folder}, which no longer exists: the documents {name}/… now belong to it", "folder", taken[gone].Folder, "name", name))
		}
		taken[gone].Folder, taken[gone].Flat, r.names.changed = folder, taken[gone].Flat && flat, true
	case same > 0 && same >= other:
		r.ledger.Note(folder, phrase.Error("said.base-shared", "its files have the names of files of {folder}: equal texts are the same document, {name}/…", "folder", old, "name", name))
		r.names.add(store.Base{Name: name, Folder: folder, Flat: flat})
	default:
		r.ledger.Note(folder, phrase.Error("said.base-taken", "is not called {name}, since the documents {name}/… are from {folder}", "name", name, "folder", old))
		return false, nil
	}
	return true, nil
}

// errFound stops an iteration over documents.
var errFound = errors.New("found")

// unused reports whether a base has no documents.
func (r *run) unused(ctx context.Context, b *store.Base) bool {
	err := r.store.Documents(ctx, "", func(d store.Document) error {
		if d.Base == b.Key {
			return errFound
		}
		return nil
	})
	return err == nil
}

// compare counts the documents of some bases whose files in folder have the same content, and those
// whose files have other content.
func (r *run) compare(ctx context.Context, bases []*store.Base, folder string) (same, other int, err error) {
	c := contents{ctx: ctx, read: r.opts.Read}
	err = r.store.Documents(ctx, "", func(d store.Document) error {
		i := slices.IndexFunc(bases, func(b *store.Base) bool { return b.Key == d.Base })
		if i < 0 || d.Prefix != r.opts.Prefix {
			return nil
		}
		there := store.Base{Name: bases[i].Name, Folder: folder}
		content, err := c.of(there.File(d.Path), d.Bytes)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
		case content == d.Content:
			same++
		default:
			other++
		}
		return nil
	})
	return same, other, err
}

// contents computes checksums of files and archive members. It caches the last archive, since
// documents come in the order of their names.
type contents struct {
	ctx     context.Context
	read    document.Options
	archive string
	members map[string]string
}

// of returns the SHA-256 of the file or member at path. If its size is not bytes, it may return
// any other string.
func (c *contents) of(path string, bytes int64) (string, error) {
	if archive, _, ok := document.CutMember(path); ok {
		if err := c.open(archive); err != nil {
			return "", err
		}
		content, ok := c.members[path]
		if !ok {
			return "", os.ErrNotExist
		}
		return content, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != bytes {
		return "", err
	}
	return document.Hash(c.ctx, path)
}

func (c *contents) open(archive string) error {
	if c.archive == archive {
		return nil
	}
	members := map[string]string{}
	err := document.Each(c.ctx, archive, c.read, func(doc *document.Document, err error) error {
		members[doc.Path] = doc.Content
		return nil
	})
	if err != nil {
		return err
	}
	c.archive, c.members = archive, members
	return nil
}

// Kinds of problems that Run reports, on which a caller may give advice.
var (
	ErrSameID      = errors.New("two names have the same id")
	ErrNameTaken   = errors.New("the name of a file is that of another document")
	ErrEmptyFolder = errors.New("a folder with documents in the index has no files") // with Options.Sync
)

// sameID returns the error for a name with the id of other, a name or a phrase.
func sameID(name string, other any) error {
	return phrase.Error("index.same-id", "its name {name} has the same id as {other}", "name", name, "other", other).Of(ErrSameID)
}

// nameTaken returns the error for a file whose name belongs to the document at place, a
// path or a phrase.
func nameTaken(name string, place any) error {
	return phrase.Error("index.name-taken", "its name {name} belongs to {place}, which has a different text", "name", name, "place", place).Of(ErrNameTaken)
}

package document

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/project"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/lang/phrase"
)

// eachPacked gives the documents of a zip or tar archive in memory to fn. A project of several source
// files is one document; other members are documents of their own.
func eachPacked(ctx context.Context, meta Document, data []byte, opts Options, fn func(*Document, error) error) error {
	var found []*project.Project
	var names []string
	if opts.Projects != Nowhere {
		var err error
		if found, names, err = projectsIn(ctx, data, opts); err != nil {
			return err
		}
	}
	s, none := settle(found, names), true
	noted := func(doc *Document, err error) error {
		none = false
		return fn(doc, err)
	}
	if err := s.give(ctx, meta, opts, noted); err != nil {
		return err
	}
	err := eachMember(ctx, meta, data, opts, s.skips, noted)
	if err == nil && none { // all are folders or hidden
		return errNoRecords
	}
	return err
}

// give gives the projects of an archive to fn.
func (s *settlement) give(ctx context.Context, meta Document, opts Options, fn func(*Document, error) error) error {
	for _, p := range s.projects {
		doc := meta
		if !s.whole {
			doc.Path = meta.Path + MemberMark + p.Main
			doc.Bytes, doc.Content = sumOf(p, "")
		}
		if err := joined(ctx, doc, p, s.out, opts, fn); err != nil {
			return err
		}
	}
	return nil
}

// projectsIn returns the projects in a zip or tar archive, and the names of its members.
func projectsIn(ctx context.Context, data []byte, opts Options) ([]*project.Project, []string, error) {
	ctx, cancel := opts.budget().Limit(ctx)
	defer cancel()
	if archive.IsTar(data) {
		t := &memberTree{}
		t.err = archive.Members(ctx, data, opts.Encoding, opts.budget(), nil, func(m archive.Member, err error) error { return t.add(m.Name, m.Data, err) })
		return t.projects(ctx, opts)
	}
	names, err := archive.Names(data, opts.Encoding)
	if err != nil || !slices.ContainsFunc(names, project.MayHave) {
		return nil, nil, err
	}
	c, err := archive.NewContainer(ctx, opts.source(data, ""))
	if err != nil {
		return nil, nil, err
	}
	found, err := project.Find(ctx, zipTree{c, names}, opts.budget(), opts.Encoding)
	return found, names, err
}

// eachProject passes the projects in a tar or 7-Zip archive with members t to fn. It returns which
// members are no documents beside them, nil if there is no project.
func eachProject(ctx context.Context, meta Document, from io.ReadSeeker, t *memberTree, opts Options, fn func(*Document, error) error) (skips func(string) bool, err error) {
	limited, cancel := opts.budget().Limit(ctx)
	defer cancel()
	projects, names, err := t.projects(limited, opts)
	settled := settle(projects, names)
	if err != nil || len(settled.projects) == 0 {
		return nil, err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return nil, oserror.Cause(err)
	}
	sum := sha256.New()
	if meta.Bytes, err = io.Copy(sum, from); err != nil {
		return nil, oserror.Cause(err)
	}
	meta.Content = hex.EncodeToString(sum.Sum(nil))
	return settled.skips, settled.give(ctx, meta, opts, fn)
}

// A memberTree is the tree of the members of an archive that cannot be read in any order. It holds
// all members up to maxHeld bytes, and beyond that the texts among them.
type memberTree struct {
	names []string
	files map[string][]byte
	held  int   // bytes of all members; those that are not texts are dropped beyond maxHeld
	texts int   // bytes of the texts among them
	main  bool  // a file may be the main file of a project
	err   error // of reading the archive
}

// Limits of archives that are searched for projects.
const (
	maxSource  = 4 << 20  // bytes of a source file
	maxSources = 64 << 20 // bytes of all texts
	maxHeld    = 64 << 20 // bytes of all members
)

// errNoProject reports that an archive has too many files or too much text for a project.
var errNoProject = errors.New("no project")

// add adds a member, unless unpacking it returned err.
func (t *memberTree) add(name string, data []byte, err error) error {
	if err != nil {
		return nil // the member is reported when the archive is read
	}
	if t.names = append(t.names, name); len(t.names) > maxFolder || t.texts > maxSources {
		return errNoProject
	}
	if t.files == nil {
		t.files = map[string][]byte{}
	}
	t.main = t.main || project.MayHave(name)
	if t.held += len(data); t.held-len(data) <= maxHeld && !t.whole() {
		maps.DeleteFunc(t.files, func(_ string, data []byte) bool { return !isSource(data) })
	}
	if isSource(data) {
		t.texts += len(data)
	} else if !t.whole() {
		return nil
	}
	t.files[name] = data
	return nil
}

// whole reports whether t holds all members so far.
func (t *memberTree) whole() bool { return t.held <= maxHeld }

// isSource reports whether data may be a source file of a project.
func isSource(data []byte) bool {
	return len(data) <= maxSource && bytes.IndexByte(data[:min(len(data), 8<<10)], 0) < 0
}

// projects returns the projects and the names of all members. A damaged archive has no projects, and
// its error is returned when its members are read.
func (t *memberTree) projects(ctx context.Context, opts Options) ([]*project.Project, []string, error) {
	if ended := format.Ended(ctx); ended != nil {
		return nil, nil, ended
	}
	if t.err != nil || !t.main {
		return nil, nil, nil
	}
	slices.Sort(t.names)
	t.names = slices.Compact(t.names)
	found, err := project.Find(ctx, t, opts.budget(), opts.Encoding)
	return found, t.names, err
}

// Names implements [project.Tree].
func (t *memberTree) Names() []string { return t.names }

// Read implements [project.Tree].
func (t *memberTree) Read(name string) ([]byte, error) {
	if data, ok := t.files[name]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

// A zipTree is the tree of the members of an archive.
type zipTree struct {
	*archive.Container
	names []string
}

func (t zipTree) Names() []string { return t.names }

// A settlement states how the files of a tree are read.
type settlement struct {
	projects []*project.Project
	whole    bool            // the only project represents the tree
	out      []string        // files that are not read as documents
	skipped  map[string]bool // the same, and the files of the projects
}

func (s *settlement) skips(name string) bool { return s.skipped[name] }

// settle decides which files of a tree are documents of their own, beside projects. A single
// project represents the whole tree, unless there are documents outside its folder. Other files in
// its folder belong to it. Of several projects, each is a document, and so are texts and source
// files beside them; but if there are many, only those that include files are projects.
func settle(found []*project.Project, names []string) *settlement {
	s := &settlement{skipped: map[string]bool{}}
	if len(found) == 1 && !isCollection(found[0], names) {
		p := found[0]
		s.projects, s.whole = found, true
		for _, name := range names {
			switch {
			case p.Has(name):
				s.skipped[name] = true
			case p.Within(name) && !isOwn(name):
				s.out, s.skipped[name] = append(s.out, name), true
			case !p.Within(name):
				s.whole = false
			}
		}
		return s
	}
	for _, p := range found {
		if len(p.Joined) > 0 || len(found) <= fewMains {
			s.projects = append(s.projects, p)
		}
	}
	for _, name := range names {
		if slices.ContainsFunc(s.projects, func(p *project.Project) bool { return p.Has(name) || p.Within(name) && !isText(name) }) {
			s.skipped[name] = true
		}
	}
	return s
}

// fewMains is the number of main files up to which those without included files are projects, too:
// a thesis and its slides, not a collection.
const fewMains = 8

// ownExts are types of files that are documents of their own in the folder of a project.
var ownExts = format.Names("docx", "docm", "doc", "odt", "odm", "rtf", "epub", "mobi", "pptx", "ppt", "odp", "eml")

func isOwn(name string) bool { return ownExts[extension(name)] }

// proseExts are types of files that hold texts.
var proseExts = format.Names("txt", "md", "markdown", "html", "htm", "rst", "org", "adoc", "asciidoc", "pdf")

// isCollection reports whether the main file of a project is in a folder with more texts than
// one project has beside its sources: a project among the texts of other people.
func isCollection(p *project.Project, names []string) bool {
	texts := lists.Count(names, func(name string) bool {
		return path.Dir(name) == p.Root() && !p.Has(name) && (proseExts[extension(name)] || isOwn(name))
	})
	return texts > usualTexts
}

// usualTexts is the number of texts that one project may have beside its main file: a manual, a
// licence, notes, the compiled document.
const usualTexts = 8

// isText reports whether a file in the folder of a project may be a document of its own.
func isText(name string) bool {
	return isOwn(name) || proseExts[extension(name)] && extension(name) != "pdf" || project.MayHave(name)
}

// joined passes a project to fn as one document. out are the other files of its folder.
func joined(ctx context.Context, doc Document, p *project.Project, out []string, opts Options, fn func(*Document, error) error) error {
	path := doc.Path
	doc.Ext = p.Ext
	links := newLinker(p, opts)
	f, err := find(p.Source, p.Ext)
	if err == nil {
		src := opts.source(p.Source, p.Ext)
		src.Decoded = p.Encoding
		if p.Master {
			src.Linked = links.from(p.Main)
		}
		_, err = f.fill(ctx, &doc, src, opts)
	}
	if ended := format.Ended(ctx); ended != nil {
		return ended
	}
	if err != nil {
		return fn(&Document{Path: path}, err)
	}
	read := doc.Notes
	doc.Project, doc.Parts, doc.Notes = true, p.Sums, nil
	noteProject(&doc, p, out)
	links.note(&doc)
	doc.Notes = append(doc.Notes, read...)
	return fn(&doc, nil)
}

// noteProject notes which files a document was joined from, and which are missing in it.
func noteProject(doc *Document, p *project.Project, out []string) {
	whole := phrase.Error("said.project", "read as one document: {name}", "name", p.Main)
	if n := len(p.Joined); n > 0 {
		whole = whole.With(phrase.Counted("said.project-joined", "with {n} file that it includes", "with {n} files that it includes", n))
	}
	doc.Note(whole)
	if len(p.Missing) > 0 {
		doc.Note(phrase.Error("said.project-missing", "included files that are missing: {list}", "list", format.Listed(p.Missing)))
	}
	if len(p.Guessed) > 0 {
		doc.Note(phrase.Error("said.project-guessed", "included files whose names are computed: all matching files are read: {list}", "list", format.Listed(p.Guessed)))
	}
	if len(p.Circular) > 0 {
		doc.Note(phrase.Error("said.project-circular", "files that include themselves: {list}", "list", format.Listed(p.Circular)))
	}
	sources := lists.Filter(out, project.MayHave)
	if len(sources) > 0 {
		doc.Note(phrase.Error("said.project-sources", "source files that are not included in the document are not read: {list}", "list", format.Listed(sources)))
	}
	doc.Note(phrase.Counted("said.project-others", "{n} other file of the project, such as pictures and bibliographies, is not read", "{n} other files of the project, such as pictures and bibliographies, are not read", max(0, len(out)-len(sources))))
}

// FindsProject returns a function that reports whether a folder is to be read as one document: it has
// exactly one main file of a project directly in it. An error means that a file could not be read that
// may belong to a project. FindsProject returns nil if folders are not read as documents.
func (o Options) FindsProject(ctx context.Context) func(path string) (bool, error) {
	if o.Projects != InFolders {
		return nil
	}
	return func(path string) (bool, error) {
		p, _, err := folderProject(ctx, path, o)
		if errors.Is(err, ErrTooLarge) {
			err = nil // it has too many files, or too large ones, for a project
		}
		return p != nil, err
	}
}

// folderProject returns the project of a folder and the names of its files, nil if it is not
// one.
func folderProject(ctx context.Context, folder string, opts Options) (*project.Project, []string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, nil, oserror.Cause(err)
	}
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Type().IsRegular() && project.MayHave(e.Name()) }) {
		return nil, nil, nil
	}
	t, err := openFolder(folder, opts.maxBytes())
	if err != nil {
		return nil, nil, err
	}
	defer t.close()
	found, err := project.Find(ctx, t, opts.budget(), opts.Encoding)
	if err != nil {
		return nil, nil, err
	}
	if lacks := len(found) == 0 || len(found) == 1 && len(found[0].Missing) > 0; lacks && t.err != nil && !isCollection(&project.Project{}, t.names) {
		return nil, nil, t.err
	}
	found = slices.DeleteFunc(found, func(p *project.Project) bool { return p.Root() != "." })
	if len(found) != 1 || isCollection(found[0], t.names) || slices.ContainsFunc(t.names, func(name string) bool { return isOwn(name) && !found[0].Has(name) }) {
		return nil, nil, nil
	}
	return found[0], t.names, nil
}

// eachInFolder gives the project in a folder to fn.
func eachInFolder(ctx context.Context, folder string, opts Options, fn func(*Document, error) error) error {
	limited, cancel := opts.budget().Limit(ctx)
	defer cancel()
	p, names, err := folderProject(limited, folder, opts)
	if err != nil {
		return err
	}
	if p == nil {
		return fmt.Errorf("%w: %w", ErrNotFile, errFolder)
	}
	doc := Document{Path: folder}
	doc.Bytes, doc.Content = sumOf(p, namesOf(p))
	if doc.ModTime, err = lastChange(folder, p); err != nil {
		return err
	}
	s := settle([]*project.Project{p}, names)
	return joined(ctx, doc, p, s.out, opts, fn)
}

// FolderSum returns the checksum of the project in a folder, as in [Document.Content].
func FolderSum(ctx context.Context, folder string, opts Options) (string, error) {
	p, _, err := folderProject(ctx, folder, opts)
	if err != nil {
		return "", err
	}
	if p == nil {
		return "", fmt.Errorf("%w: %w", ErrNotFile, errFolder)
	}
	_, sum := sumOf(p, namesOf(p))
	return sum, nil
}

// sumOf returns the size of the files of a project and the checksum of head and the files.
func sumOf(p *project.Project, head string) (size int64, content string) {
	sum := sha256.New()
	sum.Write([]byte(head))
	size, _ = p.WriteTo(sum) // writing to a hash cannot fail
	return size, hex.EncodeToString(sum.Sum(nil))
}

// namesOf returns the names of the files of a project and of those that are missing.
func namesOf(p *project.Project) string {
	return fmt.Sprintf("%s\x00%s\x00%s\x00", p.Main, strings.Join(p.Joined, "\x00"), strings.Join(p.Missing, "\x00"))
}

// lastChange returns the time of the last change of the files of a project.
func lastChange(folder string, p *project.Project) (last time.Time, err error) {
	t, err := openFolder(folder, 0)
	if err != nil {
		return last, err
	}
	defer t.close()
	for _, name := range append([]string{p.Main}, p.Joined...) {
		info, err := t.root.Stat(name)
		if err != nil {
			return last, err
		}
		if at := modTime(info); at.After(last) {
			last = at
		}
	}
	return last, nil
}

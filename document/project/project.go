// Package project joins the files of a thesis that is written in several files: LaTeX,
// Typst, books of Quarto, bookdown or mdBook, and master documents of LibreOffice and Word.
//
// [Find] returns the projects in a tree of files. Each has one main file, which is either a
// source file that no other one includes or the configuration file of a book. Its source is
// the main file with the included files in place of the commands that include them, so the
// reader of the format reads it like one file. The source of a master document is the document
// itself: its reader asks for the linked files, see [Project.Linked].
//
// Bibliographies that a program generated (.bbl) and pictures in source form are left out. A
// file is never followed out of the tree, or into itself.
package project

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/otisk/otisk/document/charset"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/tex"
	"github.com/otisk/otisk/lang/phrase"
)

// A Tree is a set of files. Names are paths relative to its root, separated by slashes.
type Tree interface {
	Names() []string // sorted
	Read(name string) ([]byte, error)
}

// A Project is a main file joined with the files that it includes.
type Project struct {
	Main     string   // the main file
	Ext      string   // file type of Source
	Source   []byte   // joined source, in UTF-8
	Encoding string   // encoding of the main file
	Joined   []string // files in Source, without the main file, in order
	Sums     []string // SHA-256 of the main file and of each in Joined, hexadecimal
	Missing  []string // included files that the tree does not have
	Circular []string // included files that include themselves
	Master   bool     // Source is a master document, which shows the files in Joined
	Guessed  []string // names of included files that TeX computes, with asterisks; all matching files are included
	late     int      // 1 if an included file starts the document, otherwise 0
	used     []string // files that contain no text of Source but belong to it, such as templates

	files map[string][]byte // content of Joined, for a master document
	links map[link]string   // linked files by the places of their links
}

// Has reports whether a file is part of the project: it is in Source or it belongs to it
// otherwise.
func (p *Project) Has(name string) bool {
	return name == p.Main || slices.Contains(p.Joined, name) || slices.Contains(p.used, name)
}

// Root returns the folder of the main file, "." for the root of the tree.
func (p *Project) Root() string { return path.Dir(p.Main) }

// Within reports whether a file is in the folder of the main file.
func (p *Project) Within(name string) bool {
	return p.Root() == "." || strings.HasPrefix(name, p.Root()+"/")
}

// maxDepth is the limit for the nesting of includes.
const maxDepth = 50

// A kind is a kind of projects. Its main files have one of its extensions and pass its test.
type kind struct {
	exts []string
	main func(name, text string) bool
	join func(j *joiner, name, text string)
	ext  string // of the joined source
}

var kinds = []kind{
	{[]string{"tex", "ltx", "latex"}, isTexMain, (*joiner).tex, "tex"},
	{[]string{"typ"}, isTypstMain, (*joiner).typst, "typ"},
	{[]string{"qmd", "rmd"}, isMarkdownMain, (*joiner).markdown, "md"},
	{[]string{"yml", "yaml", "toml"}, isBook, (*joiner).book, "md"},
}

// MayHave reports whether a file with this name may be the main file of a project.
func MayHave(name string) bool {
	ext := extension(name)
	if masterExts[ext] {
		return true
	}
	switch ext {
	case "yml", "yaml", "toml":
		return isBook(name, "")
	}
	return slices.ContainsFunc(kinds, func(k kind) bool { return slices.Contains(k.exts, ext) })
}

// Find returns the projects in a tree, in the order of their main files. The total size of
// all sources is limited by budget.
func Find(ctx context.Context, tree Tree, budget format.Budget, encoding string) ([]*Project, error) {
	f := &files{ctx: ctx, tree: tree, names: tree.Names(), budget: budget, encoding: encoding, texts: map[string]*text{}}
	f.folded = map[string]string{}
	for _, name := range f.names {
		f.folded[strings.ToLower(name)] = name
	}
	left := budget.Bytes
	var found []*Project
	for _, name := range f.names {
		ext := extension(name)
		for _, k := range kinds {
			if !slices.Contains(k.exts, ext) || !MayHave(name) {
				continue
			}
			t, err := f.text(name)
			if err := f.ended(err); err != nil {
				return nil, err
			}
			if err != nil || !k.main(name, t.text) {
				continue
			}
			j := &joiner{files: f, p: &Project{Main: name, Ext: k.ext, Encoding: t.encoding}, left: left}
			j.within(name, func() { k.join(j, name, t.text) })
			if err := f.ended(j.err); err != nil {
				return nil, err
			}
			if left = j.left; j.err == nil && j.out.Len() > 0 {
				j.p.Source = []byte(j.out.String())
				found = append(found, j.p)
			}
		}
	}
	masters, err := f.masters()
	if err != nil {
		return nil, err
	}
	found = independent(append(found, masters...))
	for _, p := range found {
		p.sum(f)
	}
	return found, nil
}

// sum sets the checksums of the files of a project.
func (p *Project) sum(f *files) {
	for _, name := range append([]string{p.Main}, p.Joined...) {
		switch data, held := p.files[name]; {
		case held:
			p.Sums = append(p.Sums, sumOf(data))
		case p.Master:
			p.Sums = append(p.Sums, sumOf(p.Source))
		default:
			p.Sums = append(p.Sums, f.texts[name].sum)
		}
	}
}

// sumOf returns the SHA-256 of data, hexadecimal.
func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ended returns err if it concerns the whole tree and not one file.
func (f *files) ended(err error) error {
	if ended := format.Ended(f.ctx); ended != nil {
		return ended
	}
	if errors.Is(err, format.ErrTooLarge) {
		return err
	}
	return nil
}

// independent removes the projects whose main file belongs to another project. Of files that
// include each other, the first that starts a document remains.
func independent(list []*Project) []*Project {
	slices.SortStableFunc(list, func(a, b *Project) int { return cmp.Compare(a.late, b.late) })
	var kept []*Project
	for i, p := range list {
		other := slices.IndexFunc(list, func(q *Project) bool { return q != p && q.Has(p.Main) })
		if other < 0 || p.Has(list[other].Main) && i < other {
			kept = append(kept, p)
		}
	}
	slices.SortFunc(kept, func(a, b *Project) int { return strings.Compare(a.Main, b.Main) })
	return kept
}

// files reads the files of a tree.
type files struct {
	ctx      context.Context
	tree     Tree
	names    []string
	folded   map[string]string // name by its lower-case form
	budget   format.Budget
	encoding string // encoding of all files; "" to detect it
	texts    map[string]*text
}

// A text is the content of a file.
type text struct {
	text, encoding, sum string
	err                 error
}

// text returns the content of a file.
func (f *files) text(name string) (*text, error) {
	if t := f.texts[name]; t != nil {
		return t, t.err
	}
	t := &text{}
	f.texts[name] = t
	data, err := f.tree.Read(name)
	if err == nil {
		t.sum = sumOf(data)
		data, t.encoding, err = charset.Decode(f.ctx, &format.Source{Data: data, Encoding: f.encoding}, "")
	}
	t.text, t.err = strings.NewReplacer("\ufeff", "", "\r\n", "\n").Replace(string(data)), err
	return t, err
}

// fileNamed returns the name of the file at a path, which may differ in case, as on Windows.
func (f *files) fileNamed(name string) (string, bool) {
	if _, ok := slices.BinarySearch(f.names, name); ok {
		return name, true
	}
	found, ok := f.folded[strings.ToLower(name)]
	return found, ok
}

// A joiner joins the source of one project.
type joiner struct {
	*files
	p            *Project
	out          strings.Builder
	left         int64             // bytes that may still be written
	open         []string          // files that are being joined
	roots        []string          // folders that names in \import are relative to
	paths        map[string]string // bodies of macros that may be parts of paths
	conditionals tex.Conditionals
	begun        bool     // the preamble is over
	classed      bool     // a file with the class of the document has been joined
	later        []string // files to join at the end of the document
	err          error
}

// write adds a part of a file.
func (j *joiner) write(s string) {
	if j.left -= int64(len(s)); j.left < 0 && j.err == nil {
		j.err = fmt.Errorf("%w: %w", format.ErrTooLarge, phrase.Error("cause.project-limit", "the files of a project have more than the limit together"))
	}
	if j.err == nil {
		j.out.WriteString(s)
	}
}

// within calls fn for a file, whose name circular includes are checked against.
func (j *joiner) within(name string, fn func()) {
	j.open = append(j.open, name)
	fn()
	j.open = j.open[:len(j.open)-1]
}

// resolve returns the file that is included under a name from one of the folders. Each of the
// extensions is appended in turn.
func (j *joiner) resolve(name string, folders []string, exts ...string) (string, bool) {
	name = strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	for _, dir := range folders {
		for _, ext := range exts {
			full := path.Join(dir, name) + ext
			if strings.HasPrefix(name, "/") {
				full = strings.TrimPrefix(path.Clean(name), "/") + ext
			}
			if found, ok := j.fileNamed(full); ok && !strings.HasPrefix(full, "../") {
				return found, true
			}
		}
	}
	return "", false
}

// include calls join for an included file, unless it is missing, unreadable or already open. asked
// is the name in the source.
func (j *joiner) include(asked, name string, found bool, join func(name, text string)) {
	if j.err != nil {
		return
	}
	if !found {
		j.p.Missing = add(j.p.Missing, asked)
		return
	}
	if slices.Contains(j.open, name) || len(j.open) >= maxDepth {
		j.p.Circular = add(j.p.Circular, name)
		return
	}
	t, err := j.text(name)
	if err != nil {
		if ended := j.ended(err); ended != nil {
			j.err = cmp.Or(j.err, ended)
		}
		j.p.Missing = add(j.p.Missing, asked)
		return
	}
	j.p.Joined = add(j.p.Joined, name)
	j.within(name, func() { join(name, t.text) })
}

// here returns the folder of the file that is being joined.
func (j *joiner) here() string { return path.Dir(j.open[len(j.open)-1]) }

// add appends a name to a list that does not have it.
func add(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// extension returns the file type in a name: lower case without the dot.
func extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
}

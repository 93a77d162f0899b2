package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/internal/lists"
	"github.com/otisk/otisk/internal/oserror"
	"github.com/otisk/otisk/internal/walk"
	"github.com/otisk/otisk/lang/phrase"
)

type file struct {
	path      string // location
	canonical string // the same, with links resolved
	shown     string // path as given
	name      string // name of its reports
}

// Names of the standard input, on the command line and in reports.
const (
	stdinShown = "standard input"
	stdinName  = "stdin"
)

// IsStdin reports whether a path means the standard input, which can be read only once.
func IsStdin(path string) bool { return path == "-" || path == "/dev/stdin" }

// Find lists the files at paths in the order of indexing, and returns their number, including paths
// that cannot be followed.
func (b *Batch) Find(ctx context.Context, paths []string) (int, error) {
	for _, top := range paths {
		if IsStdin(top) {
			if err := b.findStdin(ctx); err != nil {
				return 0, err
			}
			continue
		}
		w := walk.Walker{Exclude: b.opts.Exclude, Whole: b.opts.Read.FindsProject(ctx), Fail: b.unread.add}
		w.File = func(f walk.File) {
			b.files = append(b.files, file{f.Path, f.Canonical, f.Path, nameBelow(top, f.Path)})
		}
		if err := w.Walk(ctx, top); err != nil {
			return 0, err
		}
	}
	return len(b.files) + b.unread.count(), nil
}

// FindAs adds the file at path as if it had been found under the name shown, as for an uploaded file.
func (b *Batch) FindAs(path, shown string) {
	b.files = append(b.files, file{path, path, shown, shown})
}

// Files returns the files that were found.
func (b *Batch) Files() []string {
	return lists.Map(b.files, func(f file) string { return f.path })
}

// findStdin copies the standard input to a file, since formats such as PDF need random access.
func (b *Batch) findStdin(ctx context.Context) error {
	for _, f := range b.files {
		if f.shown == stdinShown {
			return phrase.Error("cause.stdin-twice", "the standard input is named twice")
		}
	}
	path, err := b.spool.copy(ctx, b.opts.Stdin, b.opts.Read.MaxBytes)
	if err != nil {
		return phrase.Error("cause.read-stdin", "read the standard input: {cause}", "cause", oserror.Cause(err))
	}
	b.files = append(b.files, file{path, path, stdinShown, stdinName})
	return nil
}

// nameBelow returns the name of the reports on the file at path, which was found in top.
func nameBelow(top, path string) string {
	if rel, err := filepath.Rel(top, path); err == nil && rel != "." {
		return strings.ReplaceAll(rel, string(filepath.Separator), "_")
	}
	return filepath.Base(path)
}

func (f file) text(doc *document.Document) Text {
	member := strings.TrimPrefix(doc.Path, f.shown)
	t := Text{Path: doc.Path, Name: f.name, canonical: f.canonical + member, content: doc.Content}
	t.Name += strings.NewReplacer(document.MemberMark, "_", "/", "_").Replace(member)
	return t
}

// distinguish makes the names of texts unique, in their order.
func distinguish(texts []Text) {
	var used names
	for i := range texts {
		texts[i].Name = used.distinct(texts[i].Name)
	}
}

// longestName is the size limit for the name of a report without its extension, in bytes. Most
// systems allow 255 with it.
const longestName = 230

type names struct{ taken map[string]bool }

// distinct returns name, or name~2 and so on if it is in use. Names that differ only in case or in
// the composition of accents are the same, since some systems would use one file for them. A name
// that is too long is cut and gets a hash of the whole name as its end. Control characters, which
// could control a terminal that lists the folder, become underscores.
func (n *names) distinct(name string) string {
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	name = short(strings.Map(visible, name))
	free := name
	for i := 2; n.taken[folded(free)]; i++ {
		free = fmt.Sprintf("%s~%d", name, i)
	}
	n.taken[folded(free)] = true
	return free
}

func visible(r rune) rune {
	if unicode.IsControl(r) {
		return '_'
	}
	return r
}

func folded(name string) string { return strings.ToLower(norm.NFC.String(name)) }

func short(name string) string {
	if len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	end := longestName - 9
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "~" + hex.EncodeToString(sum[:4])
}

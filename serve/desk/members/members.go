// Package members finds the texts of uploaded zip archives in their members, by the paths that results have.
package members

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/archive"
	"github.com/otisk/otisk/document/project"
)

// PathOf returns the path of a text in its file, "" if the file is the text.
func PathOf(name, path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, name), document.MemberMark)
}

// Needed returns the members of an archive that texts with some paths need, when others are gone, and
// the names of those with the texts. needed is nil if a path has no member of its own. A member without a
// text, such as a chapter of a LaTeX project, stays if it may belong to a text that stays; if it may also
// belong to one that is gone, needed is nil.
func Needed(all []*zip.File, paths, gone []string) (kept []*zip.File, needed map[string]bool) {
	count := map[string]int{}
	for _, f := range all {
		count[shown(f.Name)]++
	}
	needed = map[string]bool{}
	for _, name := range paths {
		for count[name] == 0 {
			outer, ok := outerOf(name)
			if !ok {
				return nil, nil
			}
			name = outer
		}
		if count[name] > 1 {
			return nil, nil
		}
		needed[name] = true
	}
	stay, leave := slices.ContainsFunc(paths, project.MayHave), slices.ContainsFunc(gone, project.MayHave)
	without := map[string]bool{}
	for _, path := range gone {
		for ok := true; ok; path, ok = outerOf(path) {
			without[path] = true
		}
	}
	for _, f := range all {
		name := shown(f.Name)
		switch {
		case needed[name]:
			kept = append(kept, f)
		case without[name], archive.Hidden(f.Name), !stay:
		case leave:
			return nil, nil
		default:
			kept = append(kept, f)
		}
	}
	return kept, needed
}

// outerOf returns the path of the member that has a text with this path in it, such as a mail with an
// attachment.
func outerOf(path string) (outer string, ok bool) {
	at := strings.LastIndex(path, document.MemberMark)
	if at < 0 {
		return "", false
	}
	return path[:at], true
}

// In reports whether a text is in one of the members.
func In(path string, members map[string]bool) bool {
	for ok := true; ok; path, ok = outerOf(path) {
		if members[path] {
			return true
		}
	}
	return false
}

// shown returns the name of a member as results have it.
func shown(name string) string { return string([]rune(name)) }

// Turns reports whether a character is not shown, but ends a line or turns the direction of others: "\u202etxt.exe"
// would be shown as exe.txt.
func Turns(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// Plain returns the name of a file with "_" for each such character, and for a last part of which nothing is shown.
func Plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if Turns(r) {
			return '_'
		}
		return r
	}, name)
	seen := func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
	if dir, last := path.Split(name); last != "" && !strings.ContainsFunc(last, seen) {
		return dir + "_"
	}
	return name
}

// Copy writes an archive with the members but folders, which get other names if names has any.
func Copy(ctx context.Context, w io.Writer, all []*zip.File, names []string) error {
	out := zip.NewWriter(w)
	for i, f := range all {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		h := f.FileHeader
		if names != nil && h.Name != names[i] {
			const isUTF8 = 0x800
			h.Name, h.NonUTF8, h.Extra, h.Flags = names[i], false, nil, h.Flags|isUTF8
		}
		data, err := f.OpenRaw()
		if err != nil {
			return err
		}
		to, err := out.CreateRaw(&h)
		if err != nil {
			return err
		}
		if _, err := io.Copy(to, data); err != nil {
			return err
		}
	}
	return out.Close()
}

// UniqueNames returns unique names in UTF-8, as Plain has them, for the members of an archive; nil if they have such names, or
// if the archive is one document.
func UniqueNames(all []*zip.File) (names []string) {
	taken := map[string]bool{}
	changed := false
	for _, f := range all {
		if f.Name == "[Content_Types].xml" || archive.MIME(f) != "" {
			return nil
		}
		whole := f.Name
		if !utf8.ValidString(whole) { // of Windows, where zip archives have no other sign of it
			if decoded, err := charmap.CodePage852.NewDecoder().String(whole); err == nil {
				whole = decoded
			}
		}
		whole = Plain(whole)
		name, ext := whole, path.Ext(whole)
		for i := 2; taken[name]; i++ {
			name = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(whole, ext), i, ext)
		}
		taken[name] = true
		changed = changed || name != f.Name
		names = append(names, name)
	}
	if !changed {
		return nil
	}
	return names
}

// Has reports whether a file is a zip archive with a member of the given name.
func Has(archive, name string) bool {
	r, err := Open(archive, name)
	return err == nil && r.Close() == nil
}

// A member is an open file of a zip archive.
type member struct {
	io.ReadCloser
	archive *zip.ReadCloser
}

// Close closes the file and its archive.
func (m member) Close() error { return errors.Join(m.ReadCloser.Close(), m.archive.Close()) }

// Open opens the member of a zip archive with the given name.
func Open(archive, name string) (io.ReadCloser, error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	for _, f := range z.File {
		if f.Name == name {
			r, err := f.Open()
			if err != nil {
				return nil, errors.Join(err, z.Close())
			}
			return member{r, z}, nil
		}
	}
	return nil, errors.Join(os.ErrNotExist, z.Close())
}

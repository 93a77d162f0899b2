package document_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
)

// zipOf writes an archive of files, given as name, content, name, content …, and returns its path.
func zipOf(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "x.zip", b.Bytes())
}

// tarOf is zipOf for a tar archive, the files in reverse order.
func tarOf(t *testing.T, files ...string) string {
	t.Helper()
	return write(t, "x.tar", tarred(t, files))
}

// tgzOf is tarOf for a compressed archive.
func tgzOf(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(tarred(t, files)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return write(t, "x.tar.gz", b.Bytes())
}

func tarred(t *testing.T, files []string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := len(files) - 2; i >= 0; i -= 2 {
		err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o600, Size: int64(len(files[i+1]))})
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestProjects reads archives with projects: which documents are there, and their text.
func TestProjects(t *testing.T) {
	const head, end = "\\documentclass{book}\\begin{document}", "\\end{document}"
	texts := func(dir string) (files []string) {
		for _, c := range "abcdefghij" {
			files = append(files, dir+string(c)+".txt", "essay "+string(c))
		}
		return files
	}
	mains := func(n int) (files []string) {
		for i := range n {
			files = append(files, string(rune('a'+i))+".tex", head+"text"+end)
		}
		return files
	}
	tests := []struct {
		name  string
		files []string
		want  string // names of documents after that of the archive, with their text
	}{
		{"one main file", []string{"main.tex", head + `one \input{b}` + end, "b.tex", "two", "README.md", "no", "a.png", "\x89PNG", "old.tex", "no"}, "=one two"},
		{"in a folder", []string{"repo/main.tex", head + `one` + end, "repo/code/x.py", "no"}, "=one"},
		{"with an office file", []string{"main.tex", head + `one` + end, "notes.rtf", `{\rtf1 two}`}, "=one; notes.rtf=two"},
		{"with files elsewhere", []string{"thesis/main.tex", head + `one` + end, "thesis/x.txt", "no", "other.txt", "two"}, "thesis/main.tex=one; other.txt=two"},
		{"two main files", []string{"main.tex", head + `one \input{b}` + end, "b.tex", "two", "slides.tex", head + "three" + end, "main.pdf", "%PDF-", "x.txt", "four"}, "main.tex=one two; slides.tex=three; x.txt=four"},
		{"among texts of others", append(texts(""), "main.tex", head+"one"+end), "a.txt=essay a; b.txt=essay b; c.txt=essay c; d.txt=essay d; e.txt=essay e; f.txt=essay f; g.txt=essay g; h.txt=essay h; i.txt=essay i; j.txt=essay j; main.tex=one"},
		{"a collection", mains(9), "a.tex=text; b.tex=text; c.tex=text; d.tex=text; e.tex=text; f.tex=text; g.tex=text; h.tex=text; i.tex=text"},
		{"no main file", []string{"a.txt", "one", "b.tex", "two"}, "a.txt=one; b.tex=two"},
		{"book", []string{"book.toml", "[book]\ntitle = \"T\"", "src/SUMMARY.md", "[A](a.md)\n[B](b.md)", "src/a.md", "one", "src/b.md", "two"}, "=one two"},
	}
	for i := range 3 * len(tests) {
		tt := tests[i/3]
		path := []func(*testing.T, ...string) string{zipOf, tarOf, tgzOf}[i%3](t, tt.files...)
		var got []string
		err := document.Each(t.Context(), path, document.Options{}, func(doc *document.Document, err error) error {
			if err != nil {
				t.Errorf("%s: %s: %v", tt.name, doc.Path, err)
			}
			got = append(got, strings.TrimPrefix(strings.TrimPrefix(doc.Path, path), "!/")+"="+strings.Join(strings.Fields(doc.Text), " "))
			return nil
		})
		if slices.Sort(got); err != nil || strings.Join(got, "; ") != joinSorted(tt.want) {
			t.Errorf("%s: documents %q with error %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func joinSorted(list string) string {
	parts := strings.Split(list, "; ")
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// TestProjectsApart opens a document that was read when projects were not joined, and damaged
// members of a project.
func TestProjectsApart(t *testing.T) {
	path := zipOf(t, "main.tex", `\documentclass{book}\begin{document}one \input{b}\end{document}`, "b.tex", "two")
	doc, err := document.Open(t.Context(), path+"!/b.tex", document.Options{})
	if err != nil || doc.Text != "two" {
		t.Errorf("Open of an included file: %v, %v; want its text", doc, err)
	}
	doc, err = document.Open(t.Context(), path, document.Options{})
	if err != nil || doc.Format != "latex" || len(doc.Content) != 64 || doc.Bytes < 100 {
		t.Errorf("Open of a project: %+v, %v; want a document with the size and checksum of the archive", doc, err)
	}
	if _, err := document.Open(t.Context(), path, document.Options{Projects: document.Nowhere}); err != document.ErrMany {
		t.Errorf("Open of a project with files apart: error %v, want %v", err, document.ErrMany)
	}
}

// TestProjectCut reads a truncated archive of a project: the files before the damage are documents, and the
// damage is reported.
func TestProjectCut(t *testing.T) {
	data := tarred(t, []string{"b.tex", "two", "main.tex", `\documentclass{book}\begin{document}one \input{b}\end{document}`})
	path := write(t, "x.tar", data[:len(data)-1600])
	var got []string
	err := document.Each(t.Context(), path, document.Options{}, func(doc *document.Document, err error) error {
		got = append(got, strings.TrimPrefix(doc.Path, path))
		return err
	})
	if !errors.Is(err, document.ErrDamaged) || slices.Contains(got, "") {
		t.Errorf("documents %q with error %v, want members and %v", got, err, document.ErrDamaged)
	}
}

// TestProjectFolder reads a folder, and does not follow a link out of it.
func TestProjectFolder(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "thesis")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write("secret.tex", "secret")
	write("thesis/main.tex", `\documentclass{book}\begin{document}one \input{b} \input{c} \input{../secret}\end{document}`)
	write("thesis/b.tex", "two")
	if err := os.Symlink("../secret.tex", filepath.Join(folder, "c.tex")); err != nil {
		t.Skip(err)
	}
	whole := document.Options{Projects: document.InFolders}.FindsProject(t.Context())
	if !whole(folder) || whole(dir) {
		t.Errorf("FindsProject of the folder and its parent: %t, %t; want true, false", whole(folder), whole(dir))
	}
	doc, err := document.Open(t.Context(), folder, document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(doc.Text), " "); got != "one two" || !slices.Contains(doc.Notes, "included files that are missing: c, ../secret") {
		t.Errorf("text %q with notes %q, want “one two” and a note of two missing files", got, doc.Notes)
	}
	before := doc.Content
	write("thesis/b.tex", "three")
	if sum, err := document.FolderSum(t.Context(), folder, document.Options{}); err != nil || sum == before {
		t.Errorf("FolderSum after a change: %s, %v; want another than before", sum, err)
	}
}

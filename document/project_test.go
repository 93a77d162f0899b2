package document_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/archive/sevenzip/seventest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/need"
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

// sevenOf is zipOf for a 7-Zip archive.
func sevenOf(t *testing.T, files ...string) string {
	t.Helper()
	a := seventest.Archive{Method: "lzma2", Packed: true}
	for i := 0; i < len(files); i += 2 {
		a.Files = append(a.Files, seventest.File{Name: files[i], Content: files[i+1]})
	}
	return write(t, "x.7z", a.Bytes())
}

// folderOf writes files to a folder and returns its path.
func folderOf(t *testing.T, files ...string) string {
	t.Helper()
	folder := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(folder, files[i])
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(files[i+1]), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
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

// TestProjects reads archives with projects: their documents and texts.
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
	for _, tt := range tests {
		for _, pack := range []func(*testing.T, ...string) string{zipOf, tarOf, tgzOf, sevenOf} {
			path := pack(t, tt.files...)
			if got, _ := textsIn(t, path, document.Options{}); got != joinSorted(tt.want) {
				t.Errorf("%s: %s: documents %q, want %q", tt.name, filepath.Base(path), got, tt.want)
			}
		}
	}
}

// textsIn returns the documents of a file as name=text, sorted, and their notes.
func textsIn(t *testing.T, path string, opts document.Options) (texts string, notes []string) {
	t.Helper()
	var got []string
	err := document.Each(t.Context(), path, opts, func(doc *document.Document, err error) error {
		if err != nil {
			t.Errorf("%s: %v", doc.Path, err)
		}
		got = append(got, strings.TrimPrefix(strings.TrimPrefix(doc.Path, path), "!/")+"="+strings.Join(strings.Fields(doc.Text), " "))
		notes = append(notes, doc.Notes...)
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	slices.Sort(got)
	return strings.Join(got, "; "), notes
}

// odtOf returns a text of LibreOffice that shows the files at addresses between its own words.
func odtOf(before string, addresses ...string) string {
	text := "<text:p>" + before + "</text:p>"
	for _, a := range addresses {
		text += `<text:section text:name="s"><text:section-source xlink:href="` + a + `"/><text:h/></text:section>`
	}
	return string(sample.ODT("", text+"<text:p>end</text:p>"))
}

// docxOf is odtOf for Word.
func docxOf(before string, addresses ...string) string {
	body, relations := "<w:p><w:r><w:t>"+before+"</w:t></w:r></w:p>", ""
	for i, a := range addresses {
		body += fmt.Sprintf(`<w:subDoc r:id="r%d"/>`, i)
		relations += fmt.Sprintf(`<Relationship Id="r%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/subDocument" Target="%s" TargetMode="External"/>`, i, a)
	}
	return string(sample.DOCX(body+"<w:p><w:r><w:t>end</w:t></w:r></w:p>", "word/_rels/document.xml.rels", "<Relationships>"+relations+"</Relationships>"))
}

// TestMasters reads master documents in archives and folders.
func TestMasters(t *testing.T) {
	many := []string{"main.docx", docxOf("one", "a.docx"), "a.docx", docxOf("two")}
	for i := range 100 {
		many = append(many, fmt.Sprintf("essays/%d.docx", i), docxOf("essay"))
	}
	archives := []func(*testing.T, ...string) string{zipOf, tarOf, tgzOf, sevenOf}
	anywhere := append(archives, folderOf)
	tests := []struct {
		name  string
		packs []func(*testing.T, ...string) string
		files []string
		want  string // as in TestProjects; "" for any
		note  string // one of the notes; "" for any
	}{
		{"LibreOffice", anywhere, []string{"main.odm", odtOf("one", "../a%20b.odt", "../c/d.odt"), "a b.odt", odtOf("two"), "c/d.odt", odtOf("three"), "p.png", "\x89PNG\x00"},
			"=one two end three end end", "read as one document: main.odm: with 2 files that it includes"},
		{"Word", anywhere, []string{"main.docx", docxOf("one", "a%20b.docx", `c\d.docx`), "a b.docx", docxOf("two"), "c/d.docx", docxOf("three")},
			"=one two end three end end", "read as one document: main.docx: with 2 files that it includes"},
		{"of several formats", anywhere, []string{"main.odm", odtOf("one", "../a.rtf", "../b.txt"), "a.rtf", `{\rtf1 two}`, "b.txt", "three"}, "=one two three end", ""},
		{"in each other", anywhere, []string{"main.odm", odtOf("one", "../a.odm", "../b.docx"), "a.odm", odtOf("two", "../c.odt"), "b.docx", docxOf("three", "d.docx"), "c.odt", odtOf("four"), "d.docx", docxOf("five")},
			"=one two four end end three five end end end", "read as one document: main.odm: with 4 files that it includes"},
		{"in a circle, and twice", anywhere, []string{"main.odm", odtOf("one", "../a.odt", "../a.odt", "../b.odt"), "a.odt", odtOf("two", "../main.odm", "../b.odt"), "b.odt", odtOf("three", "../a.odt")},
			"=one two three end end end", "files that include themselves: main.odm, a.odt"},
		{"links out", anywhere, []string{"main.odm", odtOf("one", "../a.odt", "../../b.odt", "/etc/passwd", "file:///c.odt"), "a.odt", odtOf("two")},
			"=one two end end", "included files that are missing: ../../b.odt, /etc/passwd, file:///c.odt"},
		{"a damaged file", anywhere, []string{"main.odm", odtOf("one", "../a.odt", "../b.rtf"), "a.odt", odtOf("two"), "b.rtf", `{\rtf1 }`},
			"=one two end end", "a file in the text is not read: b.rtf: no text in it"},
		{"beside other files", archives, []string{"main.odm", odtOf("one", "../a.odt"), "a.odt", odtOf("two"), "review.docx", docxOf("three")}, "=one two end end; review.docx=three end", ""},
		{"all are missing", archives, []string{"main.odm", odtOf("one", "../a.odt"), "b.odt", odtOf("two")}, "b.odt=two end; main.odm=one end", "1 included file is not read"},
		{"a collection", archives[:1], many, "", "1 included file is not read"},
	}
	for _, tt := range tests {
		for _, pack := range tt.packs {
			path := pack(t, tt.files...)
			got, notes := textsIn(t, path, document.Options{})
			if tt.want != "" && got != joinSorted(tt.want) || tt.note != "" && !slices.Contains(notes, tt.note) {
				t.Errorf("%s: %s: documents %q, notes %q, want %q, %q", tt.name, filepath.Base(path), got, notes, tt.want, tt.note)
			}
		}
	}
	path := zipOf(t, "main.odm", odtOf("one", "../a.odt"), "a.odt", odtOf("two"))
	if got, _ := textsIn(t, path, document.Options{Projects: document.Nowhere}); got != "a.odt=two end; main.odm=one end" {
		t.Errorf("documents %q of files that are read apart", got)
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

// TestMasterFlags reads a master document with hidden text and headings in a chapter.
func TestMasterFlags(t *testing.T) {
	hidden := sample.ODT(`<style:style style:name="H"><style:text-properties text:display="none"/></style:style>`,
		`<text:h>Head</text:h><text:p>two<text:span text:style-name="H">unseen words</text:span></text:p>`)
	doc, err := document.Open(t.Context(), zipOf(t, "main.odm", odtOf("one", "../a.odt"), "a.odt", string(hidden)), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Flags) != 1 || doc.Flags[0].Kind != document.HiddenText || !strings.HasPrefix(doc.Text, "one\n\nHead\n\ntwo") || doc.Flags[0].Start < len("one\n\nHead\n\ntwo") {
		t.Errorf("text %q with flags %+v, want hidden text after “two”", doc.Text, doc.Flags)
	}
	if len(doc.Marks) != 1 || doc.Text[doc.Marks[0].Start:doc.Marks[0].End] != "Head" {
		t.Errorf("marks %+v, want the heading of the chapter", doc.Marks)
	}
	if len(doc.Parts) != 2 || len(doc.Parts[0]) != 64 {
		t.Errorf("parts %q, want the checksums of two files", doc.Parts)
	}
}

// TestLargeProject reads a project in an archive that is too large to be held in memory: it is unpacked again
// for the files that are documents of their own.
func TestLargeProject(t *testing.T) {
	need.OneGoroutine(t)
	picture := "\x89PNG\x00" + strings.Repeat("\x00", 33<<20)
	path := tgzOf(t, "main.tex", `\documentclass{book}\begin{document}one \input{b}\end{document}`, "a.png", picture, "notes.rtf", `{\rtf1 three}`, "b.png", picture, "b.tex", "two")
	if got, _ := textsIn(t, path, document.Options{}); got != "=one two; notes.rtf=three" {
		t.Errorf("documents %q, want the project and a file beside it", got)
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
	for path, want := range map[string]bool{folder: true, dir: false} {
		if got, err := whole(path); got != want || err != nil {
			t.Errorf("FindsProject of %s: %t, %v; want %t", path, got, err, want)
		}
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

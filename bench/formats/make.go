package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/otisk/otisk/internal/zipped"
)

// A maker writes the text in every format that this machine has the tools for.
type maker struct {
	dir     string
	text    *text
	files   []string // that were made, in order
	missing []string // what was not, and why
}

func (m *maker) all(ctx context.Context) error {
	if err := m.own(); err != nil {
		return err
	}
	m.others(ctx)
	return nil
}

// own writes what needs no other program.
func (m *maker) own() error {
	word := m.text.wordDocument()
	plain := m.text.plainText()
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"utf8.txt", []byte(plain)},
		{"win1250.txt", windows1250(plain)},
		{"utf16.txt", utf16LE(plain)},
		{"markdown.md", []byte(m.text.markdown())},
		{"page.html", []byte(m.text.page())},
		{"tei.xml", []byte(m.text.tei())},
		{"source.tex", []byte(m.text.latex("12pt,a4paper]{report", t1))},
		{"tokens.vert", []byte(m.text.vertical())},
		{"word.docx", word},
		{"word.rtf", m.text.richText()},
	} {
		if err := m.write(f.name, f.data); err != nil {
			return err
		}
	}
	return m.archives(plain, word)
}

const t1, ot1 = `\usepackage[T1]{fontenc}`, ``

// others has other programs write the text.
func (m *maker) others(ctx context.Context) {
	m.pandoc(ctx)
	m.office(ctx)
	for name, source := range map[string]string{
		"latex.pdf":    m.text.latex("12pt,a4paper]{report", t1),
		"columns.pdf":  m.text.latex("10pt,a4paper,twocolumn,twoside]{article", t1),
		"modern.pdf":   m.text.latex("12pt,a4paper]{article", t1+`\usepackage{lmodern}`),
		"times.pdf":    m.text.latex("12pt,a4paper]{report", t1+`\usepackage{mathptmx}`),
		"oldfonts.pdf": m.text.latex("11pt,a4paper]{article", ot1),
		"bitmaps.pdf":  m.text.latex("11pt,a4paper]{article", `\pdfmapfile{}`),
	} {
		m.latex(ctx, name, source)
	}
	m.run(ctx, "chromium.pdf", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--print-to-pdf=chromium.pdf", "page.html")
}

func (m *maker) write(name string, data []byte) error {
	if err := os.WriteFile(filepath.Join(m.dir, name), data, 0o666); err != nil {
		return err
	}
	m.files = append(m.files, filepath.Join(m.dir, name))
	return nil
}

// run makes the file of that name by a program that works in the folder.
func (m *maker) run(ctx context.Context, name, program string, args ...string) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = m.dir
	output, err := cmd.CombinedOutput()
	path := filepath.Join(m.dir, name)
	if _, made := os.Stat(path); made != nil {
		lines := strings.Split(strings.TrimSpace(string(output)), "\n")
		m.missing = append(m.missing, fmt.Sprintf("%s by %s: %v %s", name, program, err, lines[len(lines)-1]))
		return
	}
	m.files = append(m.files, path)
}

func (m *maker) pandoc(ctx context.Context) {
	for _, to := range []string{"docx", "odt", "epub", "rtf"} {
		m.run(ctx, "pandoc."+to, "pandoc", "-s", "markdown.md", "-o", "pandoc."+to)
	}
	for _, f := range []struct{ to, ext string }{{"asciidoc", "adoc"}, {"rst", "rst"}, {"org", "org"}, {"ipynb", "ipynb"}, {"docbook", "dbk"}, {"jats", "nxml"}} {
		m.run(ctx, "pandoc."+f.ext, "pandoc", "-s", "markdown.md", "-t", f.to, "-o", "pandoc."+f.ext)
	}
}

// office has LibreOffice write what pandoc wrote.
func (m *maker) office(ctx context.Context) {
	for _, to := range []string{"docx", "odt", "rtf", "epub", "pdf", "html", "doc"} {
		name := "office." + to
		m.run(ctx, name, "sh", "-c", "cp pandoc.odt office-source.odt && soffice -env:UserInstallation=file://\"$PWD\"/profile --headless --convert-to "+to+
			" --outdir converted office-source.odt && mv converted/office-source."+to+" "+name)
	}
}

// latex runs LaTeX twice, for the table of contents and the references.
func (m *maker) latex(ctx context.Context, name, source string) {
	base := strings.TrimSuffix(name, ".pdf")
	if err := os.WriteFile(filepath.Join(m.dir, base+"-made.tex"), []byte(source), 0o666); err != nil {
		m.missing = append(m.missing, fmt.Sprintf("%s: %v", name, err))
		return
	}
	m.run(ctx, name, "pdflatex", "-interaction=batchmode", "-jobname="+base, base+"-made.tex")
}

// archives packs some of the files.
func (m *maker) archives(plain string, word []byte) error {
	var packedText, packedTar bytes.Buffer
	if err := gzipTo(&packedText, []byte(plain)); err != nil {
		return err
	}
	tarred, err := tarOf("kniha/page.html", []byte(m.text.page()))
	if err != nil {
		return err
	}
	if err := gzipTo(&packedTar, tarred); err != nil {
		return err
	}
	for name, data := range map[string][]byte{"utf8.txt.gz": packedText.Bytes(), "word.zip": zipped.Of("práce/word.docx", string(word)), "page.tar.gz": packedTar.Bytes()} {
		if err := m.write(name, data); err != nil {
			return err
		}
	}
	return nil
}

func gzipTo(buf *bytes.Buffer, data []byte) error {
	w := gzip.NewWriter(buf)
	if _, err := w.Write(data); err != nil {
		return err
	}
	return w.Close()
}

func tarOf(name string, data []byte) ([]byte, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg}); err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	return buf.Bytes(), w.Close()
}

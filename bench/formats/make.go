package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/otisk/otisk/internal/testing/zipped"
	"github.com/otisk/otisk/report/paper"
)

// A maker writes the text in every format that this machine has the tools for.
type maker struct {
	dir     string
	text    *text
	files   []string // files made, in order
	missing []string // files that could not be made, with the reason
}

func (m *maker) all(ctx context.Context) error {
	if err := m.own(); err != nil {
		return err
	}
	m.others(ctx)
	return nil
}

// own writes the files that need no other program.
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

// others writes the files that need other programs.
func (m *maker) others(ctx context.Context) {
	m.pandoc(ctx)
	m.office(ctx)
	m.scan(ctx)
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
	m.run(ctx, "chromium.pdf", cmp.Or(paper.Program(), "chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--print-to-pdf=chromium.pdf", "page.html")
}

func (m *maker) write(name string, data []byte) error {
	if err := os.WriteFile(filepath.Join(m.dir, name), data, 0o666); err != nil {
		return err
	}
	m.files = append(m.files, filepath.Join(m.dir, name))
	return nil
}

// run makes the file named name by a program that runs in the folder.
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
	for _, to := range []string{"docx", "odt", "epub", "rtf", "pptx"} {
		m.run(ctx, "pandoc."+to, "pandoc", "-s", "markdown.md", "-o", "pandoc."+to)
	}
	for _, f := range []struct{ to, ext string }{{"asciidoc", "adoc"}, {"rst", "rst"}, {"org", "org"}, {"ipynb", "ipynb"}, {"docbook", "dbk"}, {"jats", "nxml"}} {
		m.run(ctx, "pandoc."+f.ext, "pandoc", "-s", "markdown.md", "-t", f.to, "-o", "pandoc."+f.ext)
	}
}

// office converts the files of pandoc by LibreOffice, and makes sheets with a paragraph in each row.
func (m *maker) office(ctx context.Context) {
	rows := m.text.rows()
	if err := os.WriteFile(filepath.Join(m.dir, "rows.csv"), []byte(rows), 0o666); err != nil {
		m.missing = append(m.missing, fmt.Sprintf("rows.csv: %v", err))
	}
	for _, f := range []struct{ from, to, filter string }{
		{"pandoc.odt", "docx odt rtf epub pdf html doc", ""}, {"pandoc.pptx", "ppt odp", ""}, {"rows.csv", "xlsx xls ods", "--infilter=CSV:44,34,76,1"},
	} {
		from := "office-source" + filepath.Ext(f.from)
		for to := range strings.FieldsSeq(f.to) {
			m.run(ctx, "office."+to, "sh", "-c", "cp "+f.from+" "+from+" && soffice -env:UserInstallation=file://\"$PWD\"/profile --headless "+f.filter+" --convert-to "+to+
				" --outdir converted "+from+" && mv converted/office-source."+to+" office."+to)
		}
	}
}

// scan makes a DjVu file of blank pages with a text layer, as text recognition produces it.
func (m *maker) scan(ctx context.Context) {
	const width, height, step, perPage = 1600, 2400, 50, 40
	lines := strings.FieldsFunc(m.text.plainText(), func(r rune) bool { return r == '\n' })
	var script strings.Builder
	script.WriteString("printf 'P4 %d %d\\n' " + fmt.Sprint(width, height) + " > blank.pbm; head -c " + fmt.Sprint(width/8*height) + " /dev/zero >> blank.pbm; ")
	count := 0
	for page := range slices.Chunk(lines, perPage) {
		count++
		var zones strings.Builder
		fmt.Fprintf(&zones, "(page 0 0 %d %d", width, height)
		for i, l := range page {
			base := height - (i+2)*step
			fmt.Fprintf(&zones, "\n (line 100 %d %d %d %s)", base, 100+18*utf8.RuneCountInString(l), base+step*2/3, quotedDjVu(l))
		}
		name := fmt.Sprintf("page%d", count)
		if err := os.WriteFile(filepath.Join(m.dir, name+".txt"), []byte(zones.String()+")\n"), 0o666); err != nil {
			m.missing = append(m.missing, fmt.Sprintf("scan.djvu: %v", err))
			return
		}
		fmt.Fprintf(&script, "cjb2 blank.pbm %[1]s.djvu && djvused %[1]s.djvu -e 'select 1; set-txt %[1]s.txt; save' && ", name)
	}
	script.WriteString("djvm -c scan.djvu")
	for i := range count {
		fmt.Fprintf(&script, " page%d.djvu", i+1)
	}
	m.run(ctx, "scan.djvu", "sh", "-c", script.String())
}

// quotedDjVu quotes a text in the syntax of djvused.
func quotedDjVu(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
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
	err := w.Close() // it writes the end
	return buf.Bytes(), err
}

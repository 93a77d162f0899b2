package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	declaration = "Prohlašuji, že jsem tuto bakalářskou práci vypracoval samostatně a výhradně s použitím citovaných pramenů, literatury a dalších odborných zdrojů. " +
		"Jsem si vědom, že na moji práci se vztahují práva a povinnosti vyplývající z autorského zákona v platném znění."
	references = "ČERMÁK, František. Jazyk a jazykověda. Praha: Karolinum, 2011. ISBN 978-80-246-1946-0.\n\n" +
		"ECO, Umberto. Jak napsat diplomovou práci. Olomouc: Votobia, 1997. ISBN 80-7198-173-7."
)

// A thesis of the class: its paragraphs, and the file that it is written to.
type thesis struct {
	name       string
	paragraphs []string
}

// A classSize is how many theses a class has, and in which formats: the first thesis has
// the first format, and so on, round and round.
type classSize struct {
	theses  int
	endings []string
	flags   []string // of the search
}

var (
	smallClass = classSize{10, []string{"txt", "md", "html", "tex", "docx"}, nil}
	largeClass = classSize{24, []string{"txt", "odt", "rtf", "tex", "docx", "epub", "md", "html", "pdf"}, []string{"--pages"}} // by pandoc and LibreOffice
)

// copiers are the theses that copy, with those that they copy from, from 1.
var copiers = map[int]int{2: 1, 4: 3, 6: 5, 8: 7, 10: 9}

// makeClass writes theses into a folder. Each has a declaration and references. Five copy:
// 2 two paragraphs of 1 as they are, 4 two of 3 with every ninth word changed, 6 a sentence
// of 5 between quotation marks, 8 three paragraphs of 7 in a row, and 10 three of 9 with
// their sentences in another order.
func makeClass(t *testing.T, dir string, size classSize) []thesis {
	t.Helper()
	const own, skipped = 9, 20
	pool := paragraphsOfNovels(t)
	if len(pool) < skipped+size.theses*own {
		t.Fatalf("%d paragraphs, want %d", len(pool), skipped+size.theses*own)
	}
	class := make([]thesis, size.theses)
	for i := range class {
		ending := size.endings[i%len(size.endings)]
		class[i] = thesis{fmt.Sprintf("prace%02d.%s", i+1, ending), append([]string(nil), pool[skipped+i*own:skipped+(i+1)*own]...)}
	}
	copy(class[1].paragraphs[3:], class[0].paragraphs[2:4])
	class[3].paragraphs[4], class[3].paragraphs[5] = everyNinth(class[2].paragraphs[5]), everyNinth(class[2].paragraphs[6])
	class[5].paragraphs[1] = "Autorka o tom píše: „" + firstWords(class[4].paragraphs[1], 14) + ".“ K tomu není co dodat."
	copy(class[7].paragraphs[2:], class[6].paragraphs[4:7])
	for i := range 3 {
		class[9].paragraphs[i+1] = sentencesMoved(class[8].paragraphs[i+4])
	}
	for _, c := range class {
		if err := os.WriteFile(filepath.Join(dir, c.name), c.file(t), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return class
}

// paragraphsOfNovels returns paragraphs of Czech novels that any format can hold as they
// are, in order.
func paragraphsOfNovels(t *testing.T) (pool []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	for _, file := range []string{"samples/collection/czech/nemcova-babicka.txt", "testdata/czech/jirasek-filosofska-historie.txt", "testdata/czech/karas-cesky-plavec-na-severu.txt"} {
		text := strings.ReplaceAll(content(t, filepath.Join(root, filepath.FromSlash(file))), "\r\n", "\n")
		for p := range strings.SplitSeq(text, "\n") {
			if n := len(strings.Fields(p)); n >= 40 && n < 250 && !strings.ContainsAny(p, "<>&_*#[]{}\\|$%~^") {
				pool = append(pool, strings.Join(strings.Fields(p), " "))
			}
		}
	}
	return pool
}

// sentencesMoved returns a paragraph with each two of its sentences exchanged.
func sentencesMoved(text string) string {
	s := strings.Split(text, ". ")
	for i := 0; i+2 < len(s); i += 2 { // the last one may end in another sign
		s[i], s[i+1] = s[i+1], s[i]
	}
	return strings.Join(s, ". ")
}

func everyNinth(text string) string {
	words := strings.Fields(text)
	for i := 8; i < len(words); i += 9 {
		words[i] = "jinak"
	}
	return strings.Join(words, " ")
}

var notWord = regexp.MustCompile(`[.,;:!?]+$`)

func firstWords(text string, n int) string {
	return notWord.ReplaceAllString(strings.Join(strings.Fields(text)[:n], " "), "")
}

// file returns the bytes of a thesis in the format of its name. All have one title, as
// files made from one template do.
func (c thesis) file(t *testing.T) []byte {
	t.Helper()
	all := append(append([]string{declaration}, c.paragraphs...), "Literatura")
	all = append(all, strings.Split(references, "\n\n")...)
	joined := func(before, after string) string {
		return before + strings.Join(all, after+"\n\n"+before) + after + "\n"
	}
	switch filepath.Ext(c.name) {
	case ".html":
		return []byte("<!doctype html><html><head><meta charset=utf-8><title>Šablona práce</title></head><body>\n" + joined("<p>", "</p>") + "</body></html>\n")
	case ".tex":
		return []byte("\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\title{Šablona práce}\n\\begin{document}\n" + joined("", "") + "\\end{document}\n")
	case ".docx":
		return docx(t, all)
	case ".odt", ".rtf", ".epub", ".pdf":
		return converted(t, joined("", ""), filepath.Ext(c.name))
	}
	return []byte(joined("", ""))
}

// converted returns a text as a file of another format, by pandoc and, for PDF,
// LibreOffice.
func converted(t *testing.T, text, ext string) []byte {
	t.Helper()
	dir := t.TempDir()
	run := func(name string, args ...string) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		if cmd.Dir = dir; name == "pandoc" {
			cmd.Stdin = strings.NewReader("% Šablona práce\n\n" + text)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v: %s", name, args, err, out)
		}
	}
	made := ext
	if ext == ".pdf" {
		made = ".odt"
	}
	run("pandoc", "--standalone", "-f", "markdown", "-o", "out"+made)
	if ext == ".pdf" {
		run("soffice", "-env:UserInstallation=file://"+filepath.ToSlash(filepath.Join(dir, "profile")), "--headless", "--convert-to", "pdf", "out.odt")
	}
	return []byte(content(t, filepath.Join(dir, "out"+ext)))
}

// docx returns the least file that is a document of Word.
func docx(t *testing.T, paragraphs []string) []byte {
	t.Helper()
	var body, b bytes.Buffer
	for _, p := range paragraphs {
		body.WriteString("<w:p><w:r><w:t>" + html.EscapeString(p) + "</w:t></w:r></w:p>")
	}
	z := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + body.String() + `</w:body></w:document>`},
	} {
		w, err := z.Create(part[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(part[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// checkClass makes a class and checks its theses among each other, against an index of
// other texts, in every format. It returns the folders of the theses and of the reports.
func checkClass(t *testing.T, size classSize) (class []thesis, theses, reports string) {
	t.Helper()
	dir := t.TempDir()
	theses, reports = filepath.Join(dir, "class"), filepath.Join(dir, "reports")
	if err := os.Mkdir(theses, 0o755); err != nil {
		t.Fatal(err)
	}
	class = makeClass(t, theses, size)
	index := filepath.Join(dir, "index")
	otisk(t, "index", "-q", "--index", index, filepath.Join("..", "..", "samples", "collection", "czech", "dyk-krysar.txt"))
	args := []string{"search", "-q", "--index", index, "--among", "--format", "html,json,xml,text", "-o", reports, "--summary-file", filepath.Join(reports, "scores.csv"), theses}
	otisk(t, append(args, size.flags...)...)
	return class, theses, reports
}

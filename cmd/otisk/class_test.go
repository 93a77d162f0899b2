package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"os"
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

// makeClass writes ten theses in five formats into a folder. Each has a declaration and
// references. Four copy: 2 two paragraphs of 1 as they are, 4 two of 3 with every ninth word
// changed, 6 a sentence of 5 between quotation marks, 8 three paragraphs of 7 in a row.
func makeClass(t *testing.T, dir string) []thesis {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "samples", "collection", "czech", "nemcova-babicka.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var pool []string
	for p := range strings.SplitSeq(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n") {
		if n := len(strings.Fields(p)); n >= 40 && n < 250 && !strings.ContainsAny(p, "<>&_*#[]{}\\|$%~^") {
			pool = append(pool, strings.Join(strings.Fields(p), " "))
		}
	}
	const own = 9
	if len(pool) < 20+10*own {
		t.Fatalf("%d paragraphs, want %d", len(pool), 20+10*own)
	}
	class := make([]thesis, 10)
	for i := range class {
		ending := []string{"txt", "md", "html", "tex", "docx"}[i%5]
		class[i] = thesis{fmt.Sprintf("prace%02d.%s", i+1, ending), append([]string(nil), pool[20+i*own:20+(i+1)*own]...)}
	}
	copy(class[1].paragraphs[3:], class[0].paragraphs[2:4])
	class[3].paragraphs[4], class[3].paragraphs[5] = everyNinth(class[2].paragraphs[5]), everyNinth(class[2].paragraphs[6])
	class[5].paragraphs[1] = "Autorka o tom píše: „" + firstWords(class[4].paragraphs[1], 14) + ".“ K tomu není co dodat."
	copy(class[7].paragraphs[2:], class[6].paragraphs[4:7])
	for _, c := range class {
		if err := os.WriteFile(filepath.Join(dir, c.name), c.file(t), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return class
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
	}
	return []byte(joined("", ""))
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
func checkClass(t *testing.T) (class []thesis, theses, reports string) {
	t.Helper()
	dir := t.TempDir()
	theses, reports = filepath.Join(dir, "class"), filepath.Join(dir, "reports")
	if err := os.Mkdir(theses, 0o755); err != nil {
		t.Fatal(err)
	}
	class = makeClass(t, theses)
	index := filepath.Join(dir, "index")
	otisk(t, "index", "-q", "--index", index, filepath.Join("..", "..", "samples", "collection", "czech", "dyk-krysar.txt"))
	otisk(t, "search", "-q", "--index", index, "--among", "--format", "html,json,xml,text", "-o", reports, "--summary-file", filepath.Join(reports, "scores.csv"), theses)
	return class, theses, reports
}

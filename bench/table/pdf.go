package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Lines on a page of a PDF file, and words in a line.
const (
	linesOfPage = 45
	wordsOfLine = 10
)

// pagesOfPaper is the number of pages of the generated paper.
const pagesOfPaper = 12

// pdfSteps returns the steps that read many PDF files: a generated paper repeatedly, and the files of a folder, of
// which some may be unreadable.
func (b bench) pdfSteps() (steps []step, err error) {
	var found []string
	if b.pdfs != "" {
		if found, err = filepath.Glob(filepath.Join(b.pdfs, "*.pdf")); err != nil {
			return nil, err
		}
	}
	paper := b.path("paper.pdf")
	for _, set := range []struct {
		name   string
		before func() error
		files  []string
		failed string // what the shell does after an error
	}{
		{"papers", b.pdf(paper, pagesOfPaper), slices.Repeat([]string{paper}, b.batch), "exit"},
		{"papers of -pdf", nil, found, "true"},
	} {
		few, all := set.files[:min(b.alone, len(set.files))], set.files[:min(b.batch, len(set.files))]
		script := func(commands string, files []string) []string {
			if len(files) == 0 {
				return nil
			}
			return append([]string{"sh", "-c", commands, b.program}, files...)
		}
		pdftotext := func(files []string) []string {
			if peer("pdftotext") == nil {
				return nil
			}
			return script(`for file; do pdftotext "$file" - || `+set.failed+`; done`, files)
		}
		steps = append(steps,
			step{
				fmt.Sprintf("%d %s, a process each", len(few), set.name), set.before,
				script(`for file; do "$0" text -q "$file" || `+set.failed+`; done`, few), "pdftotext", pdftotext(few),
			},
			step{
				fmt.Sprintf("%d %s, one process", len(all), set.name), set.before,
				script(`"$0" text -q "$@" || `+set.failed, all), "pdftotext", pdftotext(all),
			},
		)
	}
	return steps, nil
}

// pdf returns a function that writes a PDF file with the ASCII words of the texts. It has no table of
// offsets: readers find its objects by reading it.
func (b bench) pdf(path string, pages int) func() error {
	return func() error {
		words, err := b.words(pages * linesOfPage * wordsOfLine)
		if err != nil {
			return err
		}
		var kids, out strings.Builder
		for page := range pages {
			var content strings.Builder
			content.WriteString("BT /F 11 Tf 14 TL 72 740 Td\n")
			for line := range linesOfPage {
				at := min((page*linesOfPage+line)*wordsOfLine, len(words))
				fmt.Fprintf(&content, "(%s) '\n", strings.Join(words[at:min(at+wordsOfLine, len(words))], " "))
			}
			content.WriteString("ET")
			fmt.Fprintf(&kids, "%d 0 R ", 2*page+4)
			fmt.Fprintf(&out, "%d 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources <</Font <</F 3 0 R>>>>>> endobj\n", 2*page+4, 2*page+5)
			fmt.Fprintf(&out, "%d 0 obj <</Length %d>> stream\n%s\nendstream endobj\n", 2*page+5, content.Len(), &content)
		}
		return os.WriteFile(path, fmt.Appendf(nil, `%%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [%s] /Count %d>> endobj
3 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Times-Roman>> endobj
%strailer <</Root 1 0 R>>
`, &kids, pages, &out), 0o666)
	}
}

// words returns up to n words of the texts that have only ASCII letters.
func (b bench) words(n int) ([]string, error) {
	var words []string
	for _, path := range b.texts {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for w := range strings.FieldsSeq(string(text)) {
			if len(words) == n {
				return words, nil
			}
			if strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyz") == "" {
				words = append(words, w)
			}
		}
	}
	return words, nil
}

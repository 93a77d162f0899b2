package main

import (
	"fmt"
	"os"
	"strings"
)

// Lines on a page of a PDF file, and words in a line.
const (
	linesOfPage = 45
	wordsOfLine = 10
)

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

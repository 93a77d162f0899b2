package document

import (
	"fmt"

	"github.com/otisk/otisk/document/pdf"
)

// swapped flags the pages whose fonts draw other letters than the text says: a
// reader sees one text and a program another.
func swapped(doc *Document, pages []pdf.Page) {
	count, first := 0, 0
	for i, p := range pages {
		if p.Swapped == "" {
			continue
		}
		if count++; count == 1 {
			first = i + 1
		}
		end := len(doc.Text)
		if i+1 < len(doc.Pages) {
			end = doc.Pages[i+1]
		}
		start := doc.Pages[i]
		doc.Flags = append(doc.Flags, Flag{UnknownFont, start, end, visibleCount([]byte(doc.Text[start:end])), "letters are drawn as others: " + p.Swapped})
	}
	if count > 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("on %d pages, the first is page %d, letters are drawn as others than the text says: what a reader sees there was not compared", count, first))
	}
}

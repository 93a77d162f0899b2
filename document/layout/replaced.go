package layout

import (
	"fmt"

	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
)

// replaced flags pages whose stated text (ActualText) differs from the drawn words.
func replaced(t *format.Text, pages []pdf.Page) {
	for _, drawn := range []bool{true, false} {
		read := "the stated ones are read"
		if drawn {
			read = "the drawn ones are read"
		}
		count, first := 0, 0
		for i, p := range pages {
			if p.Replaced == 0 || p.AsDrawn != drawn {
				continue
			}
			if count++; count == 1 {
				first = i + 1
			}
			start, end := pageRange(t, i)
			t.Flags = append(t.Flags, format.Flag{
				Kind: format.HiddenText, Start: start, End: end, Count: p.Replaced, Detail: "other words are stated than are drawn: " + read,
			})
		}
		if count > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("the file states other words than it draws on %d of %d pages, the first is page %d: %s", count, len(pages), first, read))
		}
	}
}

// pageRange returns the range of the text of a page.
func pageRange(t *format.Text, i int) (start, end int) {
	if i+1 < len(t.Pages) {
		return t.Pages[i], t.Pages[i+1]
	}
	return t.Pages[i], len(t.Text)
}

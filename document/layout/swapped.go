package layout

import (
	"fmt"

	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
)

// swapped flags pages whose fonts draw other letters than the text states: people and programs
// read different texts.
func swapped(t *format.Text, pages []pdf.Page) {
	count, first := 0, 0
	for i, p := range pages {
		if p.Swapped == "" {
			continue
		}
		if count++; count == 1 {
			first = i + 1
		}
		start, end := pageRange(t, i)
		t.Flags = append(t.Flags, format.Flag{
			Kind: format.UnknownFont, Start: start, End: end, Count: flow.Visible(t.Text[start:end]), Detail: "letters are drawn as others: " + p.Swapped,
		})
	}
	if count > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("fonts draw other letters than the text states on %d of %d pages, the first is page %d: the visible text was not compared", count, len(pages), first))
	}
}

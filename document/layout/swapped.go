package layout

import (
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/lang/phrase"
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
			Kind: format.UnknownFont, Start: start, End: end, Count: flow.Visible(t.Text[start:end]), Detail: t.Messages.Add(phrase.Error("said.drawn-as-others", "letters are drawn with the shapes of other letters: {letters}", "letters", p.Swapped)),
		})
	}
	if count > 0 {
		t.Note(phrase.Error("said.letters-drawn", "fonts draw other letters than the text states on {pages} of {all} pages, the first is page {page}: the visible text was not compared", "pages", count, "all", len(pages), "page", first))
	}
}

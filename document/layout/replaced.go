package layout

import (
	"github.com/otisk/otisk/document/flow"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/pdf"
	"github.com/otisk/otisk/lang/phrase"
)

// replaced flags pages whose stated text (ActualText) differs from the drawn words.
func replaced(t *format.Text, pages []pdf.Page) {
	for _, drawn := range []bool{true, false} {
		read := phrase.Error("said.stated-read", "the letters as stated are read")
		if drawn {
			read = phrase.Error("said.drawn-read", "the letters as drawn are read")
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
				Kind: format.HiddenText, Start: start, End: end, Count: p.Replaced, Detail: t.Messages.Add(phrase.Error("said.other-words", "the stated words differ from the drawn ones: {read}", "read", read)),
			})
		}
		if count > 0 {
			t.Note(phrase.Error("said.words-stated", "the file states other words than it draws on {pages} of {all} pages, the first is page {page}: {read}", "pages", count, "all", len(pages), "page", first, "read", read))
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

package flow_test

import (
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// TestQuotes reads block quotes as each format states them.
func TestQuotes(t *testing.T) {
	word := func(style, text string) string {
		return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	tests := []struct {
		name, ext string
		data      []byte
		text      string
		marks     []string
	}{
		{"Markdown", "md", []byte("Píše:\n> stará lípa\n> voněla\n>\n> i v zimě\n\nA dál."), "Píše:\n\nstará lípa\nvoněla\n\ni v zimě\n\nA dál.",
			[]string{"quote: stará lípa\nvoněla\n\ni v zimě"}},
		{"Markdown, at the end", "md", []byte("One.\n\n> two"), "One.\n\ntwo", []string{"quote: two"}},
		{"Markdown, none", "md", []byte("a > b and 5\n\\> c"), "a > b and 5\n> c", nil},
		{"HTML", "html", []byte("<p>One<blockquote><p>two<blockquote>three</blockquote></blockquote><p>four"), "One\n\ntwo\n\nthree\n\nfour", []string{"quote: two\n\nthree"}},
		{"HTML, closed too often", "html", []byte("<p>One</blockquote></blockquote>two<blockquote>three</blockquote>"), "One\n\ntwo\n\nthree", []string{"quote: three"}},
		{"HTML, empty", "html", []byte("<p>One<blockquote></blockquote>"), "One", nil},
		{"LaTeX", "tex", []byte("one \\begin{quote}\ntwo on\n\\end{quote} four"), "one\n\ntwo on\n\nfour", []string{"quote: two on"}},
		{"LaTeX, none", "tex", []byte("one \\begin{center}two\\end{center}\\end{quote}"), "one\n\ntwo", nil},
		{"DOCX", "docx", sample.DOCX(word("Normal", "one") + word("Quote", "two") + word("Vrazncitt", "tři")), "one\n\ntwo\n\ntři", []string{"quote: two", "quote: tři"}},
		{"ODT", "odt", sample.ODT(`<style:style style:name="P1" style:parent-style-name="Quotations"/>`,
			`<text:p text:style-name="P1">one</text:p><text:p text:style-name="Quotations">two</text:p><text:p text:style-name="P2">three</text:p>`),
			"one\n\ntwo\n\nthree", []string{"quote: one", "quote: two"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := &document.Document{Ext: tt.ext}
			if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil {
				t.Fatal(err)
			}
			if doc.Text != tt.text {
				t.Errorf("text %q, want %q", doc.Text, tt.text)
			}
			readtest.Marks(t, doc, tt.marks...)
		})
	}
}

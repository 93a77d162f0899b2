package document_test

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
		{"DOCX, contents", "docx", sample.DOCX(word("Verzeichnis1", "one")+word("TOC2", "two")+
			`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText> TOC \o </w:instrText><w:fldChar w:fldCharType="separate"/><w:t>three</w:t></w:r></w:p><w:p><w:r><w:t>four</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>`+word("berschrift1", "five"),
			"word/styles.xml", `<w:styles xmlns:w="w"><w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>`),
			"one\n\ntwo\n\nthree\n\nfour\n\nfive", []string{"contents: one", "contents: two", "contents: three", "heading: five"}},
		{"RTF", "rtf", []byte(`{\rtf1{\stylesheet{\s0 Normal;}{\s1 heading 1;}{\s31\sbasedon0 toc 1;}{\s5 Quote;}}\pard\s1 one\par\pard\s31 two{\footnote\pard\s1 note\par}\par\pard\s0 three\par\pard\s5 four\par}`),
			"one\n\ntwo\n\nnote\n\nthree\n\nfour", []string{"heading: one", "contents: two", "note mark: ", "footnote: note", "quote: four"}},
		{"ODT, contents", "odt", sample.ODT("", `<text:table-of-content><text:index-body><text:p>one</text:p></text:index-body></text:table-of-content><text:p>two</text:p>`), "one\n\ntwo", []string{"contents: one"}},
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

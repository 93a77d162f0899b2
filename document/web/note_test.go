package web_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/format"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// TestNotesOfPages puts the footnotes of LaTeXML's pages after their paragraph, though
// they are shown under the mouse only.
func TestNotesOfPages(t *testing.T) {
	const sheet = "<style>.ltx_note_content { display:none } .ltx_note:hover .ltx_note_content { display:block } .x { display:none }</style>"
	note := func(text string) string {
		return `<span class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">1</sup><span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">1</sup><span class="ltx_tag ltx_tag_note">1</span>` + text + `</span></span></span>`
	}
	for _, tt := range []struct {
		name, page, want, marks string
		flags                   int
	}{
		{"a note", sheet + "<p>One object" + note("Here, <i>two</i>.") + " is placed.</p><p>Next.", "One object is placed.\n\nHere, two.\n\nNext.", "note mark:  footnote: Here, two.", 0},
		{"without a sheet", "<p>One" + note("Two.") + "</p>", "One1\n\nTwo.", "footnote: Two.", 0},
		{"two in a heading", sheet + "<h2>One" + note("Two.") + note("Three.") + "</h2>four", "One11\n\nTwo.\n\nThree.\n\nfour", "heading: One11 footnote: Two. footnote: Three.", 0},
		{"hidden in a note", sheet + "<p>One" + note("Two <b class=x>three</b>") + "</p>", "One1\n\nTwo", "footnote: Two", 1},
		{"not closed", sheet + "<p>One<span class=ltx_note_content>Two<p>Three</p>", "One\n\nTwo\n\nThree", "footnote: Two", 0},
	} {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.page), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		got := ""
		for _, m := range doc.Marks {
			got += " " + string(m.Kind) + ": " + doc.Text[m.Start:m.End]
		}
		if len(doc.Flags) != tt.flags || got != " "+tt.marks {
			t.Errorf("%s: marks %q, flags %v, want %q and %d flags", tt.name, got, doc.Flags, tt.marks, tt.flags)
		}
	}
}

// TestFormulas reads the letters that formulas show as words, and accuses nobody of
// what programs put between them.
// TestWrittenRoles finds tables of contents and notes in pages as programs write them.
func TestWrittenRoles(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"Word", "<p class=MsoToc1><a href=#a>One 1</a></p><p class=MsoToc2>Two 2</p><p>Text</p><div><p class=MsoFootnoteText>Note</p></div>", "contents: One 1|contents: Two 2|footnote: Note"},
		{"LibreOffice", `<div id="Table of Contents1"><p>One 1</p><p>Two 2</p></div><p>Text<div id="sdfootnote1"><p class="sdfootnote-western">Note</p></div>`, "contents: One 1\n\nTwo 2|footnote: Note"},
		{"Pandoc", `<nav id="TOC" role="doc-toc"><ul><li>One</li></ul></nav><p>Text</p><section class="footnotes footnotes-end-of-document" role="doc-endnotes"><hr/><ol><li><p>Note</p></li></ol></section>`, "contents: One|footnote: Note"},
		{"Mammoth", `<p>Text</p><ol><li id="footnote-1"><p>Note</p></li></ol>`, "footnote: Note"},
		{"an e-book", `<section epub:type="toc"><p>One</p></section><p>Text</p><aside epub:type="footnote"><p>Note</p></aside>`, "contents: One|footnote: Note"},
		{"not closed", `<p>Text</p><p class=MsoToc1>One 1`, ""},
		{"other classes", `<p class="stock toca">Text</p><p class=footnoted>more</p>`, ""},
	} {
		doc := &document.Document{Ext: "html"}
		if err := readtest.Read(t.Context(), doc, []byte("<html><body>"+tt.body), document.Options{}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range doc.Marks {
			if m.Kind == format.Contents || m.Kind == format.Footnote {
				got = append(got, string(m.Kind)+": "+doc.Text[m.Start:m.End])
			}
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%s: marks %q, want %q in %q", tt.name, s, tt.want, doc.Text)
		}
	}
}

func TestFormulas(t *testing.T) {
	page := "<p>A <math><mi>p</mi><mo>\u2062</mo><mi>r</mi><mo>\u2062</mo><mi>o</mi><annotation encoding='application/x-tex'>p\\cdot r</annotation></math> of it"
	word := sample.DOCX(`<w:p><w:r><w:t>where </w:t></w:r><m:oMath><m:r><m:t>𝑓𝑙𝑜𝑜𝑟(𝑖2, 𝛼)</m:t></m:r></m:oMath><w:r><w:t> is 𝑙ess than plаgiаrism</w:t></w:r></w:p>`)
	for _, tt := range []struct {
		ext, data, want string
		flags           int
	}{
		{"html", page, "A pro of it", 0},
		{"html", "<p>The sum of <math>\n<mi>p</mi>\n<mi>l</mi>\n<mi>a</mi>\n<mi>g</mi>\n<mi>i</mi>\n<mi>a</mi>\n<mi>t</mi>\n</math>\nis one.", "The sum of plagiat is one.", 0},
		{"html", "<p>Let" + strings.Repeat(" <span style='display:none'><math><mi>x</mi><mo>=</mo><mn>1</mn></math></span><img src=x.png> and then", 9), "Let" + strings.Repeat(" and then", 9), 0},
		{"html", "<div style='display:none'><ix:header><ix:hidden>" + strings.Repeat("<ix:nonNumeric>company name</ix:nonNumeric>", 30) + "</ix:hidden></ix:header></div><p>The report.", "The report.", 0},
		{"docx", string(sample.DOCX("<m:oMath><m:r><m:t>cos\u2061x+sin\u2061y</m:t></m:r></m:oMath>")), "cosx+siny", 0},
		{"docx", string(word), "where floor(i2, α) is less than plagiarism", 2},
	} {
		doc := &document.Document{Ext: tt.ext}
		if err := readtest.Read(t.Context(), doc, []byte(tt.data), document.Options{}); err != nil || doc.Text != tt.want || len(doc.Flags) != tt.flags {
			t.Errorf("%s: text %q, flags %v, %v, want %q and %d flags", tt.ext, doc.Text, doc.Flags, err, tt.want, tt.flags)
		}
	}
}

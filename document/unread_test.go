package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// TestUnread plants text that is not read in each format, and finds the note.
func TestUnread(t *testing.T) {
	prose := strings.TrimSpace(strings.Repeat("many copied words stand here ", 8))
	tei := func(body string) string {
		return `<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>text</p>` + body + `</body></text></TEI>`
	}
	jats := func(front, body string) string {
		return `<article article-type="research-article"><front>` + front + `</front><body><p>text</p>` + body + `</body></article>`
	}
	docBook := func(body string) string {
		return `<book xmlns="http://docbook.org/ns/docbook"><para>text</para>` + body + `</book>`
	}
	mail := func(kind, parts string) string {
		return "From: a@b\nMessage-ID: <1>\nContent-Type: multipart/" + kind + "; boundary=q\n\n" + strings.ReplaceAll(parts, "<>", "\n--q\nContent-Type: text/") + "\n--q--\n"
	}
	notebook := func(output string) string {
		return `{"nbformat":4,"cells":[{"cell_type":"markdown","source":"text"},{"cell_type":"code","source":"","outputs":[` + output + `]}]}`
	}
	book := func(spine string) string {
		return string(zipped.Of("META-INF/container.xml", "<container><rootfile full-path='b.opf'/></container>",
			"b.opf", "<package><manifest><item id='a' href='a.html' media-type='text/html'/><item id='b' href='b.html' media-type='text/html'/></manifest><spine>"+spine+"</spine></package>",
			"a.html", "<p>text", "b.html", "<p>"+prose))
	}
	wiki := func(text string) string {
		return "<mediawiki><siteinfo><base>https://a.org/wiki/A</base></siteinfo><page><title>a</title><ns>0</ns><revision><text>text\n\n" + text + "</text></revision></page></mediawiki>"
	}
	note := func(kind string) string { return "40 words that may be shown are not read: " + kind }
	tests := []struct{ name, ext, data, note string }{
		{"figure of TEI", "xml", tei("<figDesc>" + prose + "</figDesc>"), note("<figDesc>")},
		{"short figure of TEI", "xml", tei("<figDesc>a map</figDesc>"), ""},
		{"transcript beside the text", "xml", tei("<sourceDoc><line>" + prose + "</line></sourceDoc>"), note("<sourceDoc>")},
		{"attributes of XML", "xml", `<?xml version="1.0"?><opml><p>text</p><outline text="` + prose + `"/></opml>`, note("<outline text>")},
		{"numbers in an attribute", "xml", `<?xml version="1.0"?><x><p>text</p><y points="` + strings.Repeat("12,3 ", 40) + `" ana="` + strings.Repeat("#a ", 40) + `"/></x>`, ""},
		{"running head of TEI", "xml", tei("<fw>" + prose + "</fw>"), ""},
		{"another file of TEI", "xml", tei(`<include href="b.xml"/>`), "1 included file is not read"},
		{"front of a part of an article", "xml", jats("", "<sub-article><front-stub><p>"+prose+"</p></front-stub><p>part</p></sub-article>"), note("<front-stub>")},
		{"prose of its metadata", "xml", jats("<author-notes>"+prose+"</author-notes>", ""), note("<front>")},
		{"metadata of an article", "xml", jats(strings.Repeat("<kwd>two words</kwd>", 40), ""), ""},
		{"remark in DocBook", "xml", docBook("<remark>" + prose + "</remark>"), note("<remark>")},
		{"caption in DocBook", "xml", docBook("<mediaobject><caption><para>" + prose + "</para></caption></mediaobject>"), ""},
		{"alternative text in DocBook", "xml", docBook("<mediaobject><textobject><para>" + prose + "</para></textobject></mediaobject>"), note("<mediaobject>")},
		{"description of a book", "fb2", "<FictionBook><description><annotation>" + prose + "</annotation></description><body><p>text</p></body></FictionBook>", note("<description>")},
		{"picture in a book", "fb2", "<FictionBook><body><p>text</p></body><binary>" + prose + "</binary></FictionBook>", ""},
		{"other alternative", "eml", mail("alternative", "<>plain\n\n"+prose+"<>html\n\n<p>text"), note("multipart/alternative")},
		{"equal alternative", "eml", mail("alternative", "<>plain\n\ntext<>html\n\n<p>text"), ""},
		{"unrelated page", "eml", mail("related", "<>html\n\n<p>text<>html\n\n<p>"+prose), note("multipart/related")},
		{"encrypted message", "eml", mail("encrypted", "<>plain\n\ntext"), "not read, although it may be shown: multipart/encrypted"},
		{"message with an encrypted text", "eml", mail("mixed", "<>plain\n\ntext<>plain\n\n-----BEGIN PGP MESSAGE-----"), "not read, although it may be shown: PGP MESSAGE"},
		{"unknown encoding", "eml", mail("mixed", "<>plain\nContent-Transfer-Encoding: x-zzz\n\ntext"), "not read, although it may be shown: Content-Transfer-Encoding: x-zzz"},
		{"invitation", "eml", mail("mixed", "<>plain\n\ntext<>calendar\n\n"+prose), note("text/calendar")},
		{"content of a Typst variable", "typ", "text\n\n#let a = [" + prose + "]\n", note("#let")},
		{"string of a Typst function", "typ", "text\n\n#zzz(\"" + prose + "\")\n", note("#zzz")},
		{"string in a Typst formula", "typ", "text\n\n$ \"" + prose + "\" $\n", note("$ $")},
		{"options of Typst", "typ", "text\n\n#set page(paper: \"a4\", numbering: \"1 of 1\")\n", ""},
		{"output of a notebook", "ipynb", notebook(`{"data":{"text/html":"` + prose + `","text/plain":"` + prose + `"}}`), note("outputs")},
		{"short output of a notebook", "ipynb", notebook(`{"text":["12 rows"]}`), "2 words that may be shown are not read: outputs"},
		{"error of a notebook", "ipynb", notebook(`{"output_type":"error","ename":"E","evalue":"` + prose + `"}`), note("outputs")},
		{"field of Markdown", "md", "---\nthanks: " + prose + "\n---\ntext\n", note("thanks:")},
		{"keywords of Markdown", "md", "---\nkeywords:\n- " + prose + "\n---\ntext\n", ""},
		{"string of a shortcode", "md", "text\n\n{{< box \"" + prose + "\" >}}\n", note("{{< box")},
		{"metadata in a shortcode", "md", "text\n\n{{< meta a >}}\n", "not read, although it may be shown: {{< meta a >}}"},
		{"annotation of ODT", "odt", string(sample.ODT("", "<text:p>text<office:annotation><text:p>"+prose+"</text:p></office:annotation></text:p>")), note("<annotation>")},
		{"short annotation of ODT", "odt", string(sample.ODT("", "<text:p>text<office:annotation><text:p>why</text:p></office:annotation></text:p>")), "1 word that may be shown is not read: <annotation>"},
		{"chapter outside of the reading order", "epub", book("<itemref idref='a'/>"), note("b.html")},
		{"element of DOCX", "docx", string(sample.DOCX("<w:p><w:r><w:t>text</w:t><w:zzz>" + prose + "</w:zzz></w:r></w:p>")), note("<zzz>")},
		{"element of Word 2003", "xml", `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body>` +
			"<w:p><w:r><w:t>text</w:t></w:r></w:p><w:zzz>" + prose + "</w:zzz></w:body></w:wordDocument>", note("<zzz>")},
		{"element of PPTX", "pptx", string(sample.PPTX("", sample.SlideShape("title", "text")+"<p:zzz>"+prose+"</p:zzz>")), note("<zzz>")},
		{"element of ODP", "odp", string(sample.ODF("oasis.opendocument.presentation", "", "<office:presentation><draw:page><text:p>text</text:p><zzz>"+prose+"</zzz></draw:page></office:presentation>")), note("<zzz>")},
		{"element of ODS", "ods", string(sample.ODF("oasis.opendocument.spreadsheet", "", "<office:spreadsheet><table:table table:name='text'><zzz>"+prose+"</zzz></table:table></office:spreadsheet>")), note("<zzz>")},
		{"head of a sheet", "xlsx", string(zipped.Of("xl/workbook.xml", "<workbook xmlns:r='r'><sheets><sheet name='text' r:id='r1'/></sheets></workbook>",
			"xl/_rels/workbook.xml.rels", "<Relationships><Relationship Id='r1' Type='x/worksheet' Target='s.xml'/></Relationships>", "xl/s.xml", "<worksheet><oddHeader>"+prose+"</oddHeader></worksheet>")), note("<oddHeader>")},
		{"destination of RTF", "rtf", `{\rtf1 text{\*\zzz ` + prose + `}}`, note(`\zzz`)},
		{"alternative text of a picture", "html", "<p>text<img src=a.png alt='" + prose + "'>", note("alt")},
		{"box of LaTeX", "tex", `\documentclass{article}\newsavebox{\x}\savebox{\x}{` + prose + `}\begin{document}text\end{document}`, note(`\savebox`)},
		{"alternative text of AsciiDoc", "adoc", "text\n\nimage::a.png[" + prose + "]\n", note("image::")},
		{"picture of Textile", "textile", "text\n\n!a.png(" + prose + ")!\n", note("!")},
		{"directive of reStructuredText", "rst", "text\n\n.. |x| zzz:: " + prose + "\n", note("zzz::")},
		{"export of Org", "org", "text\n\n#+BEGIN_EXPORT html\n" + prose + "\n#+END_EXPORT\n", note("#+begin_export")},
		{"text after a blank line of a caption", "srt", "1\n00:00:01,000 --> 00:00:02,000\ntext\n\n" + prose + "\n\n2\n00:00:03,000 --> 00:00:04,000\ntext\n", note("…")},
		{"comment and names of WebVTT", "vtt", "WEBVTT a\n\nNOTE " + prose + "\nmore\n\nfirst name\n00:01.000 --> 00:02.000\ntext\n", ""},
		{"annotation of DjVu", "djvu", "AT&T" + sample.DjVuChunk("FORM", "DJVU", sample.DjVuChunk("INFO", "\x07\xd0\x0b\xb8\x18\x00\x2c\x01\x16\x01"), sample.DjVuChunk("TXTa", "\x00\x00\x04text\x01"),
			sample.DjVuChunk("ANTa", `(maparea "" "`+prose+`" (rect 1 2 3 4))`)), note("ANTa")},
		{"template of a wiki", "xml", wiki("{{box|a=b|" + prose + "}}"), note("{{box")},
		{"template with a value", "xml", wiki("{{zzz|a=b|ten words}}"), ""},
		{"long field of JSON Lines", "jsonl", `{"text":"text","abstract":"` + strings.Repeat(prose+" ", 10) + `","vector":[1.5e-5,2]}`, "400 words that may be shown are not read: abstract"},
		{"list of JSON Lines", "jsonl", `{"text":"text","more":["` + prose + `"]}`, note("more")},
		{"long value of a table", "csv", "id,text,abstract\n1,text," + strings.Repeat(prose+" ", 10) + "\n", "400 words that may be shown are not read: abstract"},
		{"book whose chapters are all in order", "epub", book("<itemref idref='a'/><itemref idref='b'/>"), ""},
	}
	// Readers of PDF, DOC, PPT, XLS, MOBI and Parquet have such a test in their packages, as it needs larger files. Of
	// text and the columns of vertical files nothing is displayed that is not read.
	noted := map[string]bool{"pdf": true, "doc": true, "ppt": true, "xls": true, "mobi": true, "text": true, "vertical": true}
	for _, tt := range tests {
		err := document.Each(t.Context(), readtest.Write(t, "document."+tt.ext, tt.data), document.Options{}, func(doc *document.Document, err error) error {
			if err != nil {
				return err
			}
			noted[doc.Format] = noted[doc.Format] || tt.note != ""
			got := strings.Join(doc.Notes, "; ")
			if !strings.HasPrefix(doc.Text, "text") || !strings.HasPrefix(got, tt.note) || tt.note == "" && got != "" {
				t.Errorf("%s: text %q, notes %q, want %q", tt.name, doc.Text, got, tt.note)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for _, format := range document.Formats() {
		if !noted[format] {
			t.Errorf("%s: no test plants text that is not read", format)
		}
	}
}

// TestUnreadWithoutText refuses a document whose words are all in a header, and states that.
func TestUnreadWithoutText(t *testing.T) {
	data := zipped.Of("word/document.xml", "<w:document xmlns:w='w'><w:body/></w:document>", "word/h.xml", "<w:hdr xmlns:w='w'><w:p><w:r><w:t>copied words</w:t></w:r></w:p></w:hdr>",
		"word/_rels/document.xml.rels", "<Relationships><Relationship Id='r1' Type='x/header' Target='h.xml'/></Relationships>")
	const want = "no text in it: 2 words that may be shown are not read: word/h.xml"
	if err := readtest.Read(t.Context(), &document.Document{}, data, document.Options{}); !errors.Is(err, document.ErrEmpty) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestEditedReadings reads corrections of an editor without the original.
func TestEditedReadings(t *testing.T) {
	const text = `<TEI><text><p>one <corr>two</corr> <choice><sic>thre</sic><corr>three</corr></choice></p></text></TEI>`
	doc := &document.Document{Ext: "xml"}
	if err := readtest.Read(t.Context(), doc, []byte(text), document.Options{}); err != nil || doc.Text != "one two thre" {
		t.Errorf("text %q, %v, want one two thre", doc.Text, err)
	}
}

package office_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// TestDOCXVersions checks that the version of alternative content that Word shows is read, and that
// phonetic guides and unreadably narrow letters leave the words as they look.
func TestDOCXVersions(t *testing.T) {
	run := func(s string) string { return "<w:r><w:t xml:space='preserve'>" + s + "</w:t></w:r>" }
	versions := func(requires string) string {
		return "<mc:AlternateContent><mc:Choice Requires='" + requires + "'>" + run("choice") + "</mc:Choice><mc:Fallback>" + run("fallback") + "</mc:Fallback></mc:AlternateContent>"
	}
	tests := []struct{ name, body, want, flag string }{
		{"a choice that Word knows", run("a ") + versions("wps"), "a choice", ""},
		{"a choice that Word does not know", run("a ") + versions("zzz"), "a fallback", ""},
		{"two choices", run("a ") + strings.Replace(versions("zzz"), "<mc:Fallback>", "<mc:Choice Requires='w14'>"+run("second")+"</mc:Choice><mc:Fallback>", 1), "a second", ""},
		{"a phonetic guide", "<w:r><w:ruby><w:rt>" + run("kan") + "</w:rt><w:rubyBase>" + run("漢") + "</w:rubyBase></w:ruby></w:r>" + run("字"), "漢字", ""},
		{"letters without width", run("co") + "<w:r><w:rPr><w:w w:val='1'/></w:rPr><w:t>xx</w:t></w:r>" + run("py"), "copy", "hidden text"},
		{"wide letters", "<w:r><w:rPr><w:w w:val='90'/></w:rPr><w:t>copy</w:t></w:r>", "copy", ""},
		{"an empty limit of a formula", "<m:oMath><m:r><m:t>a\u200bb</m:t></m:r></m:oMath>", "ab", ""},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.DOCX("<w:p>"+tt.body+"</w:p>"), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		if flag := len(doc.Flags) > 0; flag != (tt.flag != "") {
			t.Errorf("%s: flags %+v, want %q", tt.name, doc.Flags, tt.flag)
		}
	}
}

func TestDOCXHeader(t *testing.T) {
	const header = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/header"
	tests := []struct {
		text, want string
	}{{"Page 12", "[1 word that may be shown is not read: word/header1.xml]"}, {"12 / 40", "[]"}, {strings.Repeat("copied words ", 20), "[40 words that may be shown are not read: word/header1.xml]"}}
	for _, tt := range tests {
		data := zipped.Of("word/document.xml", "<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>text</w:t></w:r></w:p></w:body></w:document>",
			"word/header1.xml", "<w:hdr xmlns:w='w'><w:p><w:r><w:t>"+tt.text+"</w:t></w:r></w:p></w:hdr>",
			"word/_rels/document.xml.rels", "<Relationships><Relationship Id='r1' Type='"+header+"' Target='header1.xml'/></Relationships>")
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || fmt.Sprint(doc.Notes) != tt.want || doc.Text != "text" {
			t.Errorf("header %q: text %q, notes %q, %v, want %s", tt.text, doc.Text, doc.Notes, err, tt.want)
		}
	}
}

// TestDOCXBoundData notes data that a content control shows in place of its own text, unless the text has
// it.
func TestDOCXBoundData(t *testing.T) {
	const data = "these are eight copied words of the data"
	relation := func(kind, target string) string {
		return `<Relationships><Relationship Id="c" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	for own, want := range map[string]int{"other words": 1, "before " + data: 0} {
		doc := &document.Document{}
		control := `<w:sdt><w:sdtPr><w:dataBinding w:xpath="/a/b" w:storeItemID="{1}"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>` + own + `</w:t></w:r></w:p></w:sdtContent></w:sdt>`
		err := readtest.Read(t.Context(), doc, sample.DOCX(control, "word/_rels/document.xml.rels", relation("customXml", "../customXml/item1.xml"), "customXml/item1.xml", "<a><b>"+data+"</b></a>",
			"customXml/_rels/item1.xml.rels", relation("customXmlProps", "itemProps1.xml"), "customXml/itemProps1.xml", `<ds:datastoreItem ds:itemID="{1}"/>`), document.Options{})
		if err != nil || len(doc.Notes) != want {
			t.Errorf("%s: notes %q, %v, want %d", own, doc.Notes, err, want)
		}
	}
}

package office_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
)

// TestDOCXSigns reads text that Word shows and that is in no element of text: signs by their
// numbers, a text that is bent, and one whose direction is stated.
func TestDOCXSigns(t *testing.T) {
	sym := func(font, text string) string {
		var b strings.Builder
		for _, c := range text {
			b.WriteString(`<w:sym w:font="` + font + `" w:char="F0` + strings.ToUpper(hexOf(c)) + `"/>`)
		}
		return "<w:r>" + b.String() + "</w:r>"
	}
	run := func(s string) string { return "<w:r><w:t xml:space='preserve'>" + s + "</w:t></w:r>" }
	tests := []struct{ name, body, want string }{
		{"signs of an ordinary font", run("a ") + sym("Times New Roman", "copied text") + run(" here"), "a copied text here"},
		{"signs of a font of symbols", run("a") + sym("Wingdings 2", "copied") + run("b"), "ab"},
		{"a sign with a number of 16 bits", run("a") + `<w:r><w:sym w:font="Arial" w:char="010D"/></w:r>`, "a\u010d"},
		{"signs that are no characters", run("a") + `<w:r><w:sym w:font="Arial" w:char="F001"/><w:sym w:font="Arial" w:char="x"/><w:sym w:char="F041"/></w:r>`, "a"},
		{"hidden signs", run("a") + `<w:r><w:rPr><w:vanish/></w:rPr><w:sym w:font="Arial" w:char="F041"/></w:r>`, "a"},
		{"turned round", run("a ") + `<w:bdo w:val="rtl">` + run("txet ") + run("deipoc") + `</w:bdo>` + run(" here"), "a copied text here"},
		{"not turned", run("a ") + `<w:bdo w:val="ltr">` + run("copied") + `</w:bdo>` + run(" text"), "a copied text"},
		{"bent", run("a") + `<w:r><w:pict><v:shape><v:textpath style="x" string="copied text"/></v:shape></w:pict></w:r>`, "a\n\ncopied text"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.DOCX("<w:p>"+tt.body+"</w:p>"), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
	}
}

// hexOf returns the number of a character in two digits.
func hexOf(c rune) string { return string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]) }

// TestDOCXMaster notes the documents that a master document has elsewhere.
func TestDOCXMaster(t *testing.T) {
	doc := &document.Document{}
	data := sample.DOCX("<w:p><w:r><w:t>one</w:t></w:r></w:p><w:subDoc r:id='r1'/><w:subDoc r:id='r2'/>")
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || len(doc.Notes) != 1 || doc.Notes[0] != "2 included files are not read" {
		t.Errorf("notes %q, %v, want two files elsewhere", doc.Notes, err)
	}
	err := readtest.Read(t.Context(), &document.Document{}, sample.DOCX("<w:p><w:subDoc r:id='r1'/></w:p>"), document.Options{})
	if err == nil || !strings.Contains(err.Error(), "it only links to the files with the text") {
		t.Errorf("error of a master document without text of its own is %v", err)
	}
}

// TestDOCXChoice reads the chosen entry of a drop-down list, unless the field has a text.
func TestDOCXChoice(t *testing.T) {
	const list = "<w:p><w:r><w:t>a </w:t><w:fldChar w:fldCharType='begin'><w:ffData><w:ddList>%s<w:listEntry w:val='one'/><w:listEntry w:val='two'/></w:ddList></w:ffData></w:fldChar></w:r>" +
		"<w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r>%s<w:r><w:fldChar w:fldCharType='end'/></w:r><w:r><w:t> b</w:t></w:r></w:p>"
	for _, tt := range []struct{ chosen, text, want string }{
		{"", "", "a one b"}, {"<w:result w:val='1'/>", "", "a two b"}, {"<w:result w:val='7'/>", "", "a  b"}, {"<w:result w:val='0'/><w:default w:val='1'/>", "", "a one b"}, {"<w:default w:val='1'/>", "", "a two b"},
		{"", "<w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>one</w:t></w:r>", "a one b"},
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.DOCX(fmt.Sprintf(list, tt.chosen, tt.text)), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("text with %q, %q is %q, %v, want %q", tt.chosen, tt.text, doc.Text, err, tt.want)
		}
	}
}

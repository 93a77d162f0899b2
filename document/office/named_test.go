package office_test

import (
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// TestNamedParts checks parts that only the list of types names, and relations whose names are percent-encoded.
func TestNamedParts(t *testing.T) {
	const word = `<w:document><w:body><w:p><w:r><w:t>harbour</w:t></w:r></w:p></w:body></w:document>`
	const types = `<Types><Override PartName="/word/my text.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
	const relation = `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="word/my%20text.xml"/></Relationships>`
	for name, data := range map[string][]byte{
		"types":           zipped.Of("[Content_Types].xml", types, "word/my text.xml", word),
		"percent-encoded": zipped.Of("[Content_Types].xml", `<Types/>`, "word/document.bin", "", "_rels/.rels", relation, "word/my text.xml", word),
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "harbour" {
			t.Errorf("%s: text %q, %v", name, doc.Text, err)
		}
	}
}

// TestODFPlaces checks that boxes outside paragraphs are read in their place, and values of cells without text.
func TestODFPlaces(t *testing.T) {
	const box = `<draw:frame><draw:text-box><text:p>one</text:p></draw:text-box></draw:frame><draw:custom-shape><text:p>two</text:p></draw:custom-shape><draw:frame><draw:text-box><text:p>three</text:p></draw:text-box></draw:frame>`
	const cells = `<table:table table:name="T"><table:table-row><table:table-cell office:value-type="string" office:string-value="value"/><table:table-cell office:string-value="other"><text:p>shown</text:p></table:table-cell></table:table-row></table:table>`
	for _, tt := range []struct{ kind, body, want string }{
		{"oasis.opendocument.presentation", `<office:presentation><draw:page>` + box + `</draw:page></office:presentation>`, "one\n\ntwo\n\nthree"},
		{"oasis.opendocument.text", `<office:text>` + box + `</office:text>`, "one\n\ntwo\n\nthree"},
		{"oasis.opendocument.spreadsheet", `<office:spreadsheet>` + cells + `</office:spreadsheet>`, "T\n\nvalue\tshown"},
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.ODF(tt.kind, "", tt.body), document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.kind, doc.Text, err, tt.want)
		}
	}
}

// TestRTFUnicode checks that the Unicode form of a text is read, and not the one for old programs.
func TestRTFUnicode(t *testing.T) {
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, []byte(`{\rtf1\ansi a {\upr{?apek}{\*\ud{\u268?apek}}} b\par}`), document.Options{}); err != nil || doc.Text != "a Čapek b" {
		t.Errorf("text %q, %v", doc.Text, err)
	}
}

// TestFlatOPC checks a document whose members are in a single XML file.
func TestFlatOPC(t *testing.T) {
	part := func(name, xml string) string {
		return `<pkg:part pkg:name="` + name + `" pkg:contentType="x"><pkg:xmlData>` + xml + `</pkg:xmlData></pkg:part>`
	}
	data := `<?xml version="1.0"?><pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">` +
		part("/_rels/.rels", `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="word/text.xml"/></Relationships>`) +
		`<pkg:part pkg:name="/word/media/a.png"><pkg:binaryData>AAAA</pkg:binaryData></pkg:part>` +
		part("/word/text.xml", `<w:document><w:body><w:p><w:r><w:t>har</w:t></w:r><w:r><w:t>bour</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p></w:body></w:document>`) +
		part("/word/footnotes.xml", `<w:footnotes><w:footnote w:id="2"><w:p><w:r><w:t>note</w:t></w:r></w:p></w:footnote></w:footnotes>`) + `</pkg:package>`
	doc := &document.Document{Ext: "xml"}
	if err := readtest.Read(t.Context(), doc, []byte(data), document.Options{}); err != nil || doc.Format != "docx" || doc.Text != "harbour\n\nnote" {
		t.Errorf("%s text %q, %v", doc.Format, doc.Text, err)
	}
}

// TestRTFWords checks that control words of sections and tables are not taken for destinations, which would
// omit the rest of the document.
func TestRTFWords(t *testing.T) {
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, []byte(`{\rtf1\ansi\sectd\sectdefaultcl\sftnbj {\headerl\par}\pard\plain one\par\trowd\ts15\tsrowd\cellx100 two\cell\row\pard three\par}`), document.Options{}); err != nil || doc.Text != "one\n\ntwo\nthree" {
		t.Errorf("text %q, %v", doc.Text, err)
	}
}

package office_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// TestUnreadParts plants text in parts of slides and sheets that are not read, and finds the notes.
func TestUnreadParts(t *testing.T) {
	const words = "many copied words stand here "
	prose := "<p><r><t>" + strings.Repeat(words, 8) + "</t></r></p>"
	relation := func(kind, target string) string {
		return "<Relationships><Relationship Id='r1' Type='x/" + kind + "' Target='" + target + "'/></Relationships>"
	}
	slide := func(body string, more ...string) []byte {
		return zipped.Of(append([]string{"ppt/presentation.xml", "<presentation xmlns:r='r'><sldIdLst><sldId r:id='r1'/></sldIdLst></presentation>",
			"ppt/_rels/presentation.xml.rels", relation("slide", "s.xml"), "ppt/s.xml", "<sld><sp><p><r><t>text</t></r></p></sp>" + body + "</sld>"}, more...)...)
	}
	sheet := func(body string, more ...string) []byte {
		return zipped.Of(append([]string{"xl/workbook.xml", "<workbook xmlns:r='r'><sheets><sheet name='text' r:id='r1'/></sheets></workbook>",
			"xl/_rels/workbook.xml.rels", relation("worksheet", "s.xml"), "xl/s.xml", "<worksheet>" + body + "</worksheet>"}, more...)...)
	}
	openDocument := func(header string) []byte {
		return zipped.Of("mimetype", "application/vnd.oasis.opendocument.text", "content.xml", "<document-content><body><text><p>text</p></text></body></document-content>",
			"styles.xml", "<document-styles><master-styles><master-page><header><p>"+header+"</p></header></master-page></master-styles></document-styles>")
	}
	tests := []struct {
		name string
		data []byte
		note string
	}{
		{"a header of ODT", openDocument(strings.Repeat(words, 8)), "40 words that may be shown are not read: <header>"},
		{"a running head of ODT", openDocument(words), "5 words that may be shown are not read: <header>"},
		{"a form of ODT", zipped.Of("mimetype", "application/vnd.oasis.opendocument.text", "content.xml", "<document-content><body><text><forms><form><textarea current-value='"+words+"'/></form></forms><p>text</p></text></body></document-content>"), "5 words that may be shown are not read: <form>"},
		{"a chart", slide("", "ppt/_rels/s.xml.rels", relation("chart", "c.xml"), "ppt/c.xml", prose), "40 words that may be shown are not read: ppt/c.xml"},
		{"labels of a chart", slide("", "ppt/_rels/s.xml.rels", relation("chart", "c.xml"), "ppt/c.xml", "<p><t>"+words+"</t></p>"), "5 words that may be shown are not read: ppt/c.xml"},
		{"comments", slide("", "ppt/_rels/s.xml.rels", relation("comments", "c.xml"), "ppt/c.xml", "<text>"+strings.Repeat(words, 8)+"</text>"), "40 words that may be shown are not read: ppt/c.xml"},
		{"a layout", slide("", "ppt/_rels/s.xml.rels", relation("slideLayout", "l.xml"), "ppt/l.xml", "<sp>"+prose+"</sp>"), "40 words that may be shown are not read: ppt/l.xml"},
		{"the prompt of a layout", slide("", "ppt/_rels/s.xml.rels", relation("slideLayout", "l.xml"), "ppt/l.xml", "<sp><ph/>"+prose+"</sp>"), ""},
		{"a master", slide("", "ppt/_rels/s.xml.rels", relation("slideLayout", "l.xml"), "ppt/_rels/l.xml.rels", relation("slideMaster", "m.xml"), "ppt/m.xml", prose), "40 words that may be shown are not read: ppt/m.xml"},
		{"an unknown part", slide("", "ppt/_rels/s.xml.rels", relation("zzz", "z.xml"), "ppt/z.xml", prose), "40 words that may be shown are not read: ppt/z.xml"},
		{"an unknown element", slide("<zzz>" + strings.Repeat(words, 8) + "</zzz>"), "40 words that may be shown are not read: <zzz>"},
		{"a long footer", slide("<sp><ph type='ftr'/>" + prose + "</sp>"), "40 words that may be shown are not read: ftr"},
		{"a usual footer", slide("<sp><ph type='ftr'/><p><r><t>Chapter 1</t></r></p></sp>"), "1 word that may be shown is not read: ftr"},
		{"an object", slide("<oleObj progId='Word.Document.12'/>"), "not read, although it may be shown: <oleObj>"},
		{"a chart of a sheet", sheet("", "xl/_rels/s.xml.rels", relation("drawing", "d.xml"), "xl/d.xml", "<wsDr/>", "xl/_rels/d.xml.rels", relation("chart", "c.xml"), "xl/c.xml", prose), "40 words that may be shown are not read: xl/c.xml"},
		{"comments of a sheet", sheet("", "xl/_rels/s.xml.rels", relation("comments", "c.xml"), "xl/c.xml", "<text>"+prose+"</text>"), "40 words that may be shown are not read: xl/c.xml"},
		{"the head of a sheet", sheet("<oddHeader>" + strings.Repeat(words, 8) + "</oddHeader>"), "40 words that may be shown are not read: <oddHeader>"},
		{"a sheet without a relation", zipped.Of("xl/workbook.xml", "<workbook xmlns:r='r'><sheets><sheet name='text' r:id='r1'/><sheet name='lost' r:id=''/></sheets></workbook>",
			"xl/_rels/workbook.xml.rels", relation("worksheet", "s.xml"), "xl/s.xml", "<worksheet/>"), "not in the file: sheet lost"},
		{"a formula", sheet("<c><f>" + strings.Repeat(words, 8) + "</f><v>1</v></c>"), ""},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		err := readtest.Read(t.Context(), doc, tt.data, document.Options{})
		if got := strings.Join(doc.Notes, "; "); err != nil || got != tt.note || !strings.HasPrefix(doc.Text, "text") {
			t.Errorf("%s: text %q, notes %q, %v, want %q", tt.name, doc.Text, got, err, tt.note)
		}
	}
}

// TestCellCodes reads the codes of characters that XML cannot hold.
func TestCellCodes(t *testing.T) {
	data := zipped.Of("xl/workbook.xml", "<workbook xmlns:r='r'><sheets><sheet name='S' r:id='r1'/></sheets></workbook>", "xl/_rels/workbook.xml.rels",
		"<Relationships><Relationship Id='r1' Type='x/worksheet' Target='s.xml'/></Relationships>", "xl/s.xml", "<worksheet><c t='inlineStr'><is><t>one_x000D_two a_x005F_b _x12</t></is></c></worksheet>")
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "S\n\none two a_b _x12" {
		t.Errorf("text %q, %v, want the characters of the codes", doc.Text, err)
	}
}

// TestSlideLooks reads diagrams of drawings and fallbacks, and flags letters and shapes that are not seen.
func TestSlideLooks(t *testing.T) {
	tests := []struct{ name, body, want, flag string }{
		{"a version that is not known", "<AlternateContent><Choice Requires='zzz'><sp><p><r><t>no</t></r></p></sp></Choice><Fallback><sp><p><r><t>yes</t></r></p></sp></Fallback></AlternateContent>", "yes", ""},
		{"a version that is known", "<AlternateContent><Choice Requires='p14'><sp><p><r><t>yes</t></r></p></sp></Choice><Fallback><sp><p><r><t>no</t></r></p></sp></Fallback></AlternateContent>", "yes", ""},
		{"a hidden shape", "<sp><p><r><t>seen</t></r></p></sp><sp><cNvPr hidden='1'/><p><r><t>copied</t></r></p></sp>", "seen", "hidden text"},
		{"letters without paint", "<sp><p><r><t>seen </t></r><r><rPr><noFill/></rPr><t>copied</t></r></p></sp>", "seen", "hidden text"},
		{"letters with an outline", "<sp><p><r><rPr><ln><solidFill><srgbClr val='FF0000'/></solidFill></ln><noFill/></rPr><t>seen</t></r></p></sp>", "seen", ""},
		{"letters with an outline of a changed colour", "<sp><p><r><rPr><ln><solidFill><schemeClr val='tx1'><satMod val='140000'/></schemeClr></solidFill></ln><noFill/></rPr><t>seen</t></r></p></sp>", "seen", ""},
		{"letters with a transparent outline", "<sp><p><r><t>seen </t></r><r><rPr><ln><solidFill><srgbClr val='FF0000'><alpha val='0'/></srgbClr></solidFill></ln><noFill/></rPr><t>copied</t></r></p></sp>", "seen", "hidden text"},
		{"letters after those with an outline", "<sp><p><r><rPr><ln><solidFill><srgbClr val='FF0000'/></solidFill></ln></rPr><t>seen </t></r><r><rPr><noFill/></rPr><t>copied</t></r></p></sp>", "seen", "hidden text"},
		{"a control of Excel", "<sp><cNvPr hidden='1'><extLst><ext><compatExt spid='_x0000_s1026'/></ext></extLst></cNvPr><p><r><t>seen</t></r></p></sp>", "seen", ""},
		{"transparent letters", "<sp><p><r><t>seen </t></r><r><rPr><solidFill><schemeClr val='tx1'><alpha val='0'/></schemeClr></solidFill></rPr><t>copied</t></r></p></sp>", "seen", "hidden text"},
		{"the mark of a note", "<sp><p><r><t>According</t></r><r><rPr baseline='30000'/><t>1</t></r><r><t> to it</t></r></p></sp>", "According to it", ""},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		data := zipped.Of("ppt/presentation.xml", "<presentation xmlns:r='r'><sldIdLst><sldId r:id='r1'/></sldIdLst></presentation>",
			"ppt/_rels/presentation.xml.rels", "<Relationships><Relationship Id='r1' Type='x/slide' Target='s.xml'/></Relationships>", "ppt/s.xml", "<sld>"+tt.body+"</sld>")
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
		var flag string
		for _, f := range doc.Flags {
			flag = string(f.Kind)
		}
		if flag != tt.flag {
			t.Errorf("%s: flag %q, want %q", tt.name, flag, tt.flag)
		}
	}
}

package sample

import (
	"fmt"
	"strings"

	"github.com/otisk/otisk/internal/testing/zipped"
)

// DOCX returns a document with this XML as its body. more are pairs of name and content of
// other members.
func DOCX(body string, more ...string) []byte {
	return zipped.Of(append([]string{"word/document.xml",
		`<?xml version="1.0"?><w:document xmlns:w="w"><w:body>` + body + `<w:sectPr><w:p><w:r><w:t>no</w:t></w:r></w:p></w:sectPr></w:body></w:document>`}, more...)...)
}

// ODT returns an OpenDocument text with these automatic styles and this XML as its text. more are
// pairs of name and content of other members.
func ODT(styles, text string, more ...string) []byte {
	return zipped.Of(append([]string{"mimetype", "application/vnd.oasis.opendocument.text", "content.xml",
		`<?xml version="1.0"?><office:document-content><office:automatic-styles>` + styles +
			`</office:automatic-styles><office:body><office:text>` + text + `</office:text></office:body></office:document-content>`}, more...)...)
}

// PPTX returns a presentation of slides, each the XML of its shapes, after "hidden:" if it is
// hidden. notes are those of the first slide.
func PPTX(notes string, slides ...string) []byte {
	const names = ` xmlns:a="a" xmlns:p="p" xmlns:r="r"`
	files := []string{}
	var list, relations strings.Builder
	for i, s := range slides {
		show := ""
		if rest, ok := strings.CutPrefix(s, "hidden:"); ok {
			s, show = rest, ` show="0"`
		}
		fmt.Fprintf(&list, `<p:sldId id="%d" r:id="rId%d"/>`, 256+i, i+1)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="x/slide" Target="slides/slide%d.xml"/>`, i+1, i+1)
		files = append(files, fmt.Sprintf("ppt/slides/slide%d.xml", i+1), "<p:sld"+names+show+">"+s+"</p:sld>")
	}
	files = append(files, "ppt/presentation.xml", "<p:presentation"+names+"><p:sldIdLst>"+list.String()+"</p:sldIdLst></p:presentation>",
		"ppt/_rels/presentation.xml.rels", "<Relationships>"+relations.String()+"</Relationships>",
		"ppt/slides/_rels/slide1.xml.rels", `<Relationships><Relationship Id="rId1" Type="x/notesSlide" Target="../notesSlides/n.xml"/></Relationships>`,
		"ppt/notesSlides/n.xml", "<p:notes"+names+">"+SlideShape("body", notes)+SlideShape("sldNum", "7")+"</p:notes>",
		"docProps/core.xml", "<p><title>Heron</title><creator>Author</creator></p>")
	return zipped.Of(files...)
}

// SlideShape returns a shape for a placeholder of this type, with one paragraph.
func SlideShape(kind, text string) string {
	return `<p:sp><p:nvPr><p:ph type="` + kind + `"/></p:nvPr><p:spPr/><p:txBody><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></p:txBody></p:sp>`
}

// SlideRun returns a shape with a fill. It has the text between the words a and b, as a run with
// these properties.
func SlideRun(fill, properties, text string) string {
	return `<p:sp><p:spPr>` + fill + `</p:spPr><a:p><a:r><a:t>a </a:t></a:r><a:r><a:rPr>` + properties + `</a:rPr><a:t>` + text + `</a:t></a:r><a:r><a:t> b</a:t></a:r></a:p></p:sp>`
}

// XLSX returns a workbook with these rows in its first sheet and these shared strings. A second
// sheet is hidden.
func XLSX(rows string, shared ...string) []byte {
	return zipped.Of(
		"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="First" sheetId="1" r:id="rId1"/><sheet name="Second" sheetId="2" state="hidden" r:id="rId2"/><sheet name="Third" r:id="rId9"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="/xl/worksheets/a.xml"/><Relationship Id="rId2" Type="x/worksheet" Target="worksheets/b.xml"/><Relationship Id="rId3" Type="x/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
		"xl/worksheets/a.xml", "<worksheet><sheetData>"+rows+"</sheetData></worksheet>",
		"xl/worksheets/b.xml", `<worksheet><sheetData><row hidden="1"><c t="str"><f>A1</f><v>result</v></c></row></sheetData></worksheet>`,
		"xl/worksheets/_rels/a.xml.rels", `<Relationships><Relationship Id="rId1" Type="x/drawing" Target="../drawings/d.xml"/></Relationships>`,
		"xl/drawings/d.xml", `<xdr:wsDr xmlns:xdr="x" xmlns:a="a"><xdr:sp><a:p><a:r><a:t>drawn</a:t></a:r></a:p></xdr:sp></xdr:wsDr>`,
		"xl/sharedStrings.xml", "<sst><si>"+strings.Join(shared, "</si><si>")+"</si></sst>")
}

// ODF returns an OpenDocument file with this media type, without its prefix application/vnd.
// more are pairs of name and content of other members.
func ODF(kind, styles, body string, more ...string) []byte {
	return zipped.Of(append([]string{"mimetype", "application/vnd." + kind,
		"content.xml", `<office:document-content xmlns:office="o"><office:automatic-styles>` + styles + `</office:automatic-styles><office:body>` + body + `</office:body></office:document-content>`}, more...)...)
}

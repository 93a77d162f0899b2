package main

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf16"

	"github.com/otisk/otisk/internal/testing/zipped"
)

// wordDocument returns the text as Word writes it after several people have edited it, with
// split sentences, tracked changes, content controls, links, a text box, and notes in a
// separate part.
func (t *text) wordDocument() []byte {
	var body, notes strings.Builder
	notes.WriteString(xmlHead + `<w:footnotes ` + wordNames + `><w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>` +
		`<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>`)
	count := 0
	for i, p := range t.blocks {
		mark := ""
		if p.note != "" {
			count++
			mark = fmt.Sprintf(`<w:r><w:rPr><w:rStyle w:val="Znakapoznpodarou"/></w:rPr><w:footnoteReference w:id="%d"/></w:r>`, count)
			fmt.Fprintf(&notes, `<w:footnote w:id="%d"><w:p><w:pPr><w:pStyle w:val="Textpoznpodarou"/></w:pPr><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> </w:t></w:r>%s</w:p></w:footnote>`, count, wordRuns(p.note, i))
		}
		at := 0
		content := p.called(mark, func(s string) string {
			at++
			return wordRuns(s, i+at)
		})
		body.WriteString(wordParagraph(p.kind, content, i))
	}
	notes.WriteString("</w:footnotes>")
	document := xmlHead + "<w:document " + wordNames + "><w:body>" + body.String() +
		`<w:sectPr><w:headerReference w:type="default" r:id="rId9"/><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>`
	return zipped.Of(
		"[Content_Types].xml", xmlHead+`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/><Override PartName="/word/header1.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml"/></Types>`,
		"_rels/.rels", xmlHead+`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/_rels/document.xml.rels", xmlHead+`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId8" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes" Target="footnotes.xml"/><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/header" Target="header1.xml"/></Relationships>`,
		"word/document.xml", document,
		"word/footnotes.xml", notes.String(),
		"word/header1.xml", xmlHead+`<w:hdr `+wordNames+`><w:p><w:r><w:t>`+t.title+`</w:t></w:r></w:p></w:hdr>`,
		"docProps/core.xml", xmlHead+`<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>`+t.title+`</dc:title><dc:creator>`+t.author+`</dc:creator></cp:coreProperties>`,
	)
}

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	wordNames = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml"`
	changed   = `w:id="7" w:author="Vedoucí práce" w:date="2024-05-01T10:00:00Z"`
)

// wordParagraph encloses a paragraph in elements that Word may have around it.
func wordParagraph(kind blockKind, content string, i int) string {
	style := [...]string{paragraph: "Normln", heading: "Nadpis1", quotation: "Citt"}[kind]
	properties := `<w:pPr><w:pStyle w:val="` + style + `"/><w:tabs><w:tab w:val="left" w:pos="284"/></w:tabs><w:rPr><w:lang w:val="cs-CZ"/></w:rPr></w:pPr>`
	p := `<w:p w:rsidR="00A21F3C" w:rsidRDefault="00A21F3C">` + properties + `<w:bookmarkStart w:id="1" w:name="_GoBack"/><w:bookmarkEnd w:id="1"/>` + content + "</w:p>"
	if kind != paragraph {
		return p
	}
	switch i % 24 {
	case 3: // moved here from the paragraph after it
		moved := "<w:p>" + properties + "<w:moveTo " + changed + ">" + content + "</w:moveTo></w:p>"
		from := `<w:p><w:pPr><w:rPr><w:moveFrom ` + changed + `/></w:rPr></w:pPr><w:moveFrom ` + changed + `><w:r><w:t>odstavec na původním místě</w:t></w:r></w:moveFrom></w:p>`
		return moved + from
	case 7: // in a content control
		return `<w:sdt><w:sdtPr><w:alias w:val="Obsah"/><w:text/></w:sdtPr><w:sdtContent>` + p + `</w:sdtContent></w:sdt>`
	case 11: // in a text box, with a fallback for old programs
		if strings.Contains(content, "footnoteReference") {
			return p
		}
		box := `<w:txbxContent>` + p + `</w:txbxContent>`
		return `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><wp:positionH><wp:posOffset>12345</wp:posOffset></wp:positionH><a:graphic><a:graphicData><wps:wsp><wps:txbx>` + box +
			`</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>` + box + `</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`
	case 15: // in a table
		return `<w:tbl><w:tblPr/><w:tr><w:tc><w:tcPr/>` + p + `</w:tc></w:tr></w:tbl>`
	case 19: // two paragraphs that a tracked change has joined
		cut := strings.Index(content, "<w:proofErr")
		if cut < 0 {
			return p
		}
		return `<w:p><w:pPr><w:rPr><w:del ` + changed + `/></w:rPr></w:pPr>` + content[:cut] + "</w:p><w:p>" + content[cut:] + "</w:p>"
	}
	return p
}

// wordRuns splits s into runs at arbitrary places, as editing does.
func wordRuns(s string, seed int) string {
	var b strings.Builder
	runes := []rune(s)
	for k := 0; len(runes) > 0; k++ {
		n := min(len(runes), 9+(seed*7+k*13)%50)
		part := string(runes[:n])
		runes = runes[n:]
		run := wordRun(part, k == 0)
		switch (seed + k) % 11 {
		case 1:
			run = "<w:ins " + changed + ">" + run + "</w:ins>"
		case 2:
			run += "<w:del " + changed + "><w:r><w:delText xml:space=\"preserve\"> škrtnuto </w:delText></w:r></w:del>"
		case 3:
			run = `<w:proofErr w:type="spellStart"/>` + run + `<w:proofErr w:type="spellEnd"/>`
		case 5:
			run = `<w:hyperlink r:id="rId7" w:history="1">` + run + `</w:hyperlink>`
		case 6:
			run = `<w:smartTag w:uri="urn:schemas-microsoft-com:office:smarttags" w:element="PersonName">` + run + `</w:smartTag>`
		case 7:
			run = `<w:sdt><w:sdtPr><w:id w:val="5"/></w:sdtPr><w:sdtContent>` + run + `</w:sdtContent></w:sdt>`
		case 8:
			run = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF _Ref1 \h </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` + run + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
		case 9:
			run = `<w:commentRangeStart w:id="2"/>` + run + `<w:commentRangeEnd w:id="2"/><w:r><w:commentReference w:id="2"/></w:r>`
		}
		b.WriteString(run)
	}
	return b.String()
}

// wordRun returns one run, with hyphens of both kinds and, at the start of a paragraph, a
// tab.
func wordRun(s string, first bool) string {
	t := html.EscapeString(s)
	t = strings.ReplaceAll(t, "-", `</w:t><w:noBreakHyphen/><w:t xml:space="preserve">`)
	if at := strings.Index(t, "ova"); at > 0 {
		t = t[:at] + `</w:t><w:softHyphen/><w:t xml:space="preserve">` + t[at:]
	}
	tab := ""
	if first {
		tab = "<w:tab/>"
	}
	return `<w:r w:rsidRPr="00B4"><w:rPr><w:rFonts w:ascii="Times New Roman"/><w:sz w:val="24"/><w:rPrChange ` + changed + `><w:rPr><w:vanish/><w:sz w:val="2"/></w:rPr></w:rPrChange></w:rPr>` +
		tab + `<w:lastRenderedPageBreak/><w:t xml:space="preserve">` + t + `</w:t></w:r>`
}

// richText returns the text as Word writes RTF, with letters of the code page, other
// characters by number, split runs in groups, and notes at their references.
func (t *text) richText() []byte {
	var b strings.Builder
	b.WriteString(`{\rtf1\adeflang1025\ansi\ansicpg1250\uc1\adeff0\deff0{\fonttbl{\f0\froman\fcharset238\fprq2{\*\panose 02020603050405020304}Times New Roman;}{\f1\froman\fcharset0 Times New Roman{\*\falt Times};}}` +
		`{\colortbl;\red0\green0\blue0;\red255\green255\blue255;}{\stylesheet{\ql\f0\fs24 \snext0 Normal;}{\s1\b\fs32 heading 1;}}{\*\rsidtbl\rsid10445}` +
		`{\info{\title ` + rtfString(t.title) + `}{\author ` + rtfString(t.author) + `}{\nofpages20}}` + "\r\n" + `\paperw11906\paperh16838{\header\pard\plain ` + rtfString(t.title) + `\par}` + "\r\n")
	for i, p := range t.blocks {
		properties := [...]string{paragraph: `\pard\plain \qj\fi284\f0\fs24\lang1029 `, heading: `\pard\plain \s1\keepn\f0\b\fs32 `, quotation: `\pard\plain \li567\i\f0\fs24 `}[p.kind]
		note := ""
		if p.note != "" {
			note = `{\cs17\super \chftn {\footnote \ltrpar \pard\plain \s16\fs20 {\super \chftn }{ ` + rtfRuns(p.note, i) + `}\par }}`
		}
		b.WriteString(properties + p.called(note, func(s string) string { return rtfRuns(s, i) }) + "\r\n\\par ")
	}
	return []byte(b.String() + "}")
}

func rtfRuns(s string, seed int) string {
	var b strings.Builder
	runes := []rune(s)
	for k := 0; len(runes) > 0; k++ {
		n := min(len(runes), 9+(seed*7+k*13)%50)
		fmt.Fprintf(&b, "{\\rtlch\\fcs1 \\af0 \\ltrch\\fcs0 \\insrsid%d %s}", 10445+k, rtfString(string(runes[:n])))
		if (seed+k)%9 == 2 {
			b.WriteString(`{\deleted\revauthdel1 ` + rtfString("škrtnuto") + `}`)
		}
		if (seed+k)%9 == 4 {
			b.WriteString(`{\*\bkmkstart _Ref1}{\*\bkmkend _Ref1}`)
		}
		runes = runes[n:]
		if k%5 == 4 {
			b.WriteString("\r\n")
		}
	}
	return b.String()
}

func rtfString(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\' || r == '{' || r == '}':
			b.WriteString(`\` + string(r))
		case r < 0x80:
			b.WriteRune(r)
		case r == '„':
			b.WriteString(`\'84`)
		case r == '“':
			b.WriteString(`\ldblquote `)
		case r == '–':
			b.WriteString(`\endash `)
		default:
			data := windows1250(string(r))
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%d\'%02x`, int16(u), data[0])
			}
		}
	}
	return b.String()
}

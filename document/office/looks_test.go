package office_test

import (
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// TestUnseenLooks: letters on top of each other, lines of no height, and paragraphs, boxes and letters outside of the page are
// hidden; what programs and people write is not.
func TestUnseenLooks(t *testing.T) {
	docx := func(paragraph, run string) []byte {
		return sample.DOCX("<w:p><w:r><w:t>seen</w:t></w:r></w:p><w:p><w:pPr>" + paragraph + "</w:pPr><w:r><w:rPr>" + run + "</w:rPr><w:t>copied</w:t></w:r></w:p>")
	}
	row := func(properties string) []byte {
		return sample.DOCX("<w:p><w:r><w:t>seen</w:t></w:r></w:p><w:tbl><w:tr><w:trPr>" + properties + "</w:trPr><w:tc><w:p><w:r><w:t>copied</w:t></w:r></w:p></w:tc></w:tr></w:tbl>")
	}
	rtf := func(words string) []byte { return []byte(`{\rtf1\ansi seen\par\pard` + words + ` copied\par}`) }
	odt := func(text, paragraph string) []byte {
		return sample.ODT(`<style:style style:name="T" style:family="text"><style:text-properties `+text+`/></style:style><style:style style:name="P" style:family="paragraph"><style:paragraph-properties `+paragraph+`/></style:style>`,
			`<text:p>seen</text:p><text:p text:style-name="P"><text:span text:style-name="T">copied</text:span></text:p>`)
	}
	box := func(place string) []byte {
		return sample.ODT("", `<text:p>seen<draw:frame `+place+`><draw:text-box><text:p>copied</text:p></draw:text-box></draw:frame></text:p>`)
	}
	for _, tt := range []struct {
		name   string
		data   []byte
		hidden bool
	}{
		{"docx letters on top of each other", docx("", "<w:spacing w:val='-400'/>"), true},
		{"docx condensed letters", docx("", "<w:spacing w:val='-40'/>"), false},
		{"docx condensed large letters", docx("", "<w:spacing w:val='-160'/><w:sz w:val='72'/>"), false},
		{"docx letters far below", docx("", "<w:position w:val='-1600'/>"), true},
		{"docx lowered letters", docx("", "<w:position w:val='-12'/>"), false},
		{"docx letters fitted into nothing", docx("", "<w:fitText w:val='1'/>"), true},
		{"docx fitted letters", docx("", "<w:fitText w:val='1200'/>"), false},
		{"docx line of no height", docx("<w:spacing w:line='1' w:lineRule='exact'/>", ""), true},
		{"docx exact line", docx("<w:spacing w:line='240' w:lineRule='exact'/>", ""), false},
		{"docx line of the least height", docx("<w:spacing w:line='1' w:lineRule='atLeast'/>", ""), false},
		{"docx indent", docx("<w:ind w:left='-31000'/>", ""), true},
		{"docx hanging indent", docx("<w:ind w:hanging='31000'/>", ""), true},
		{"docx indent to the right", docx("<w:ind w:start='62000'/>", ""), true},
		{"docx indent into the margin", docx("<w:ind w:left='-720' w:hanging='360'/>", ""), false},
		{"docx frame", docx("<w:framePr w:x='-20000'/>", ""), true},
		{"docx frame of no height", docx("<w:framePr w:h='1' w:hRule='exact'/>", ""), true},
		{"docx frame on the page", docx("<w:framePr w:x='400' w:h='1' w:hRule='atLeast'/>", ""), false},
		{"docx row of no height", row("<w:trHeight w:val='1' w:hRule='exact'/>"), true},
		{"docx hidden row", row("<w:hidden/>"), true},
		{"docx row that is not hidden", row("<w:hidden w:val='0'/>"), false},
		{"docx row of the least height", row("<w:trHeight w:val='1'/>"), false},
		{"rtf letters on top of each other", rtf(`\expndtw-400`), true},
		{"rtf letters on top of each other, in quarter points", rtf(`\expnd-80`), true},
		{"rtf condensed letters", rtf(`\expndtw-20`), false},
		{"rtf letters far below", rtf(`\dn1800`), true},
		{"rtf lowered letters", rtf(`\dn6`), false},
		{"rtf line of no height", rtf(`\sl-1\slmult0`), true},
		{"rtf exact line", rtf(`\sl-240\slmult0`), false},
		{"rtf line of the least height", rtf(`\sl1\slmult0`), false},
		{"rtf indent", rtf(`\li-31000`), true},
		{"rtf first indent", rtf(`\fi-31000`), true},
		{"rtf usual indent", rtf(`\li720\fi-360`), false},
		{"rtf indent of the paragraph before", rtf(`\li-31000 \pard`), false},
		{"rtf frame", rtf(`\posnegx-20000`), true},
		{"rtf row of no height", rtf(`\trowd\trrh-1\intbl`), true},
		{"rtf usual row", rtf(`\trowd\trrh-1\row\trowd\trrh300\intbl`), false},
		{"odt opacity", odt(`fo:color="#000000" loext:opacity="0%"`, ""), true},
		{"odt opacity of the automatic colour", odt(`style:use-window-font-color="true" fo:color="#000000" loext:opacity="0%"`, ""), false},
		{"odt automatic colour in a white style", sample.ODT(`<style:style style:name="W" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>`+
			`<style:style style:name="T" style:family="text" style:parent-style-name="W"><style:text-properties style:use-window-font-color="true"/></style:style>`,
			`<text:p>seen <text:span text:style-name="T">copied</text:span></text:p>`), false},
		{"odt opacity without a colour", odt(`loext:opacity="0%"`, ""), false},
		{"odt half opacity", odt(`loext:opacity="50%"`, ""), false},
		{"odt letters on top of each other", odt(`fo:letter-spacing="-0.5cm"`, ""), true},
		{"odt condensed letters", odt(`fo:letter-spacing="-0.02cm"`, ""), false},
		{"odt letters of no size", odt(`style:text-position="0% 1%"`, ""), true},
		{"odt lowered letters", odt(`style:text-position="-33% 58%"`, ""), false},
		{"odt line of no height", odt("", `fo:line-height="0.01cm"`), true},
		{"odt usual lines", odt("", `fo:line-height="150%"`), false},
		{"odt indent", odt("", `fo:margin-left="-60cm"`), true},
		{"odt first indent", odt("", `fo:text-indent="-60cm"`), true},
		{"odt usual indent", odt("", `fo:margin-left="1cm" fo:text-indent="-0.6cm"`), false},
		{"odt box", box(`svg:x="-90cm"`), true},
		{"odt box on the page", box(`svg:x="3cm" svg:y="20cm"`), false},
		{"odt white letters on a shape", sample.ODT(`<style:style style:name="T" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>`,
			`<text:p>seen</text:p><draw:custom-shape><text:p><text:span text:style-name="T">copied</text:span></text:p></draw:custom-shape>`), false},
	} {
		doc := &document.Document{}
		if strings.HasPrefix(tt.name, "rtf") {
			doc.Ext = "rtf"
		}
		err := readtest.Read(t.Context(), doc, tt.data, document.Options{})
		if read := strings.Contains(doc.Text, "copied"); err != nil || read == tt.hidden || (len(doc.Flags) > 0) != tt.hidden {
			t.Errorf("%s: text %q, flags %v, %v, want hidden: %v", tt.name, doc.Text, doc.Flags, err, tt.hidden)
		}
	}
}

// TestRaisedNumbers leaves out the numbers of notes that the style of characters or of a part of a cell raises.
func TestRaisedNumbers(t *testing.T) {
	book := zipped.Of("xl/workbook.xml", "<workbook xmlns:r='r'><sheets><sheet name='S' r:id='r1'/></sheets></workbook>", "xl/_rels/workbook.xml.rels",
		"<Relationships><Relationship Id='r1' Type='x/worksheet' Target='s.xml'/></Relationships>", "xl/s.xml", "<worksheet><row><c t='s'><v>0</v></c><c t='s'><v>1</v></c></row></worksheet>",
		"xl/sharedStrings.xml", "<sst><si><r><t>According</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>1</t></r><r><t> to it</t></r></si><si><r><t>12 m</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>2</t></r></si></sst>")
	for _, tt := range []struct {
		name, want string
		data       []byte
	}{
		{"style of references to notes", "According to it", sample.DOCX("<w:p><w:r><w:t>According</w:t></w:r><w:r><w:rPr><w:rStyle w:val='FootnoteReference'/></w:rPr><w:t>1</w:t></w:r><w:r><w:t xml:space='preserve'> to it</w:t></w:r></w:p>")},
		{"parts of cells", "S\n\nAccording to it\t12 m2", book},
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil || doc.Text != tt.want {
			t.Errorf("%s: text %q, %v, want %q", tt.name, doc.Text, err, tt.want)
		}
	}
}

// TestSlideColours reads slides whose text has a colour of the theme, or is outside of the slide.
func TestSlideColours(t *testing.T) {
	const theme = "<theme><dk1><sysClr val='windowText' lastClr='000000'/></dk1><lt1><sysClr val='window' lastClr='FFFFFF'/></lt1><dk2><srgbClr val='222222'/></dk2><lt2><srgbClr val='FFFFFF'/></lt2><accent1><srgbClr val='FFF0F0'/></accent1></theme>"
	slides := func(shapes string) []byte {
		relation := func(kind, target string) string {
			return "<Relationships><Relationship Id='r1' Type='x/" + kind + "' Target='" + target + "'/></Relationships>"
		}
		return zipped.Of("ppt/presentation.xml", "<presentation xmlns:r='r'><sldIdLst><sldId r:id='r1'/></sldIdLst><sldSz cx='9000' cy='6000'/></presentation>",
			"ppt/_rels/presentation.xml.rels", relation("slide", "s.xml"), "ppt/s.xml", "<sld>"+shapes+"</sld>",
			"ppt/_rels/s.xml.rels", relation("slideLayout", "l.xml"), "ppt/l.xml", "<sldLayout/>", "ppt/_rels/l.xml.rels", relation("slideMaster", "m.xml"),
			"ppt/m.xml", "<sldMaster><clrMap bg1='lt1' tx1='dk1' bg2='lt2' tx2='dk2'/></sldMaster>", "ppt/_rels/m.xml.rels", relation("theme", "t.xml"), "ppt/t.xml", theme)
	}
	fill := func(colour string) string { return "<solidFill>" + colour + "</solidFill>" }
	scheme := func(name string) string { return "<schemeClr val='" + name + "'/>" }
	for _, tt := range []struct {
		ink, ground string
		hidden      bool
	}{
		{scheme("accent1"), scheme("accent1"), true},
		{scheme("accent1"), "<srgbClr val='FFF0F0'/>", true},
		{scheme("bg1"), "<srgbClr val='FFFFFF'/>", true},
		{scheme("bg2"), scheme("bg1"), true},
		{"<schemeClr val='tx1'><lumMod val='0'/><lumOff val='100000'/></schemeClr>", scheme("bg1"), true},
		{"<sysClr val='window' lastClr='FFFFFF'/>", scheme("bg1"), true},
		{"<prstClr val='white'/>", scheme("bg1"), true},
		{"<scrgbClr r='100000' g='100000' b='100000'/>", scheme("bg1"), true},
		{scheme("tx1"), scheme("bg1"), false},
		{scheme("bg1"), scheme("tx2"), false},
		{scheme("bg1"), "<schemeClr val='bg1'><lumMod val='50000'/></schemeClr>", false},
		{scheme("accent1"), "<schemeClr val='accent1'><lumMod val='50000'/></schemeClr>", false},
		{scheme("accent1"), "<schemeClr val='accent1'><alpha val='50000'/></schemeClr>", false},
		{scheme("zzz"), scheme("zzz"), false},
	} {
		doc := &document.Document{}
		data := slides("<sp><spPr>" + fill(tt.ground) + "</spPr><p><r><t>seen </t></r><r><rPr>" + fill(tt.ink) + "</rPr><t>copied</t></r></p></sp>")
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || strings.Contains(doc.Text, "copied") == tt.hidden || (len(doc.Flags) > 0) != tt.hidden {
			t.Errorf("%s on %s: text %q, flags %v, %v, want hidden: %v", tt.ink, tt.ground, doc.Text, doc.Flags, err, tt.hidden)
		}
	}
	frame := func(x, y string) string {
		return "<xfrm><off x='" + x + "' y='" + y + "'/><ext cx='100' cy='100'/></xfrm>"
	}
	shape := func(x, y string) string {
		return "<sp><spPr>" + frame(x, y) + "</spPr><p><r><t>" + strings.TrimSpace(strings.Repeat("many copied words stand here ", 8)) + "</t></r></p></sp>"
	}
	const note = "40 words outside of the slides are read, too"
	for _, tt := range []struct{ name, shapes, note string }{
		{"on the slide", shape("0", "0") + shape("-50", "5950"), ""},
		{"to the left", shape("-100", "0"), note},
		{"to the right", shape("9000", "0"), note},
		{"below", shape("0", "6000"), note},
		{"in a group on the slide", "<grpSp><grpSpPr>" + frame("0", "0") + "</grpSpPr>" + shape("-500", "0") + "</grpSp>", ""},
		{"in a group aside", "<grpSp><grpSpPr>" + frame("-500", "0") + "</grpSpPr>" + shape("0", "0") + "</grpSp>", note},
		{"after a group aside", "<grpSp><grpSpPr>" + frame("-500", "0") + "</grpSpPr></grpSp>" + shape("0", "0"), ""},
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, slides(tt.shapes), document.Options{}); err != nil || strings.Join(doc.Notes, "; ") != tt.note || len(doc.Flags) > 0 {
			t.Errorf("%s: notes %q, flags %v, %v, want %q", tt.name, doc.Notes, doc.Flags, err, tt.note)
		}
	}
}

package office_test

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/zipped"
)

func TestSlides(t *testing.T) {
	const white, black = `<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>`, `<a:solidFill><a:srgbClr val="000000"/></a:solidFill>`
	tests := []struct {
		name   string
		slides []string
		want   string
		flags  string
		notes  string
	}{
		{"title, text, notes, numbers", []string{sample.SlideShape("title", "Head") + sample.SlideShape("body", "text") + sample.SlideShape("sldNum", "1"), sample.SlideShape("body", "second")}, "Head\n\ntext\n\nnotes\n\nsecond", "", "[]"},
		{"a table after a number", []string{sample.SlideShape("sldNum", "1") + `<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>x</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>y</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>`}, "x\ty\n\nnotes", "", "[]"},
		{"a hidden slide", []string{sample.SlideShape("body", "a"), "hidden:" + sample.SlideShape("body", "b")}, "a\n\nnotes\n\nb", "", "[hidden slides are read, too: 2]"},
		{"white text on a slide", []string{sample.SlideRun("", white, "x")}, "a x b\n\nnotes", "", "[]"},
		{"white text in a white box", []string{sample.SlideRun(white, white, "x")}, "a b\n\nnotes", "hidden text 1 white on white", "[]"},
		{"white text in a black box", []string{sample.SlideRun(black, white, "x")}, "a x b\n\nnotes", "", "[]"},
		{"white text with a black line", []string{sample.SlideRun(white, `<a:ln>`+white+`</a:ln>`, "x")}, "a x b\n\nnotes", "", "[]"},
		{"a colour that is changed", []string{sample.SlideRun(white, `<a:solidFill><a:srgbClr val="FFFFFF"><a:lumMod val="50000"/></a:srgbClr></a:solidFill>`, "x")}, "a x b\n\nnotes", "", "[]"},
		{"transparent text", []string{sample.SlideRun("", `<a:solidFill><a:srgbClr val="FF0000"><a:alpha val="0"/></a:srgbClr></a:solidFill>`, "x")}, "a b\n\nnotes", "hidden text 1 drawn invisibly", "[]"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.PPTX("notes", tt.slides...), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if notes := fmt.Sprint(doc.Notes); doc.Text != tt.want || readtest.Flagged(doc) != tt.flags || notes != tt.notes || doc.Title != "Heron" {
			t.Errorf("%s: text %q, flags %q, notes %s, want %q, %q, %s", tt.name, doc.Text, readtest.Flagged(doc), notes, tt.want, tt.flags, tt.notes)
		}
	}
}

func TestSheets(t *testing.T) {
	rows := `<row><c t="s"><v>1</v></c><c><v>12.5</v></c><c t="inlineStr"><is><r><t>in </t></r><r><t>line</t></r></is></c></row><row><c t="s"><v>0</v></c><c t="e"><v>#N/A</v></c></row>`
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, sample.XLSX(rows, "<t>kůň</t>", "<r><t>žluťoučký</t></r><rPh><t>sound</t></rPh>"), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "First\n\nžluťoučký\t12.5\tin line\nkůň\n\ndrawn\n\nSecond\n\nresult"; doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
	if got, want := fmt.Sprint(doc.Notes), "[hidden sheets are read, too: Second hidden rows are read, too: 1 not in the file: sheet Third]"; got != want {
		t.Errorf("notes %s, want %s", got, want)
	}
	many := strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 2000)
	if err := readtest.Read(t.Context(), &document.Document{}, sample.XLSX(many, "<t>"+strings.Repeat("long ", 1000)+"</t>"), document.Options{MaxBytes: 1 << 20}); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("a text in 2,000 cells: error %v, want %v", err, document.ErrTooLarge)
	}
}

// TestCellsUnseen: the background of letters in a workbook is not certain, so invisible cells
// and columns are read, and a note counts them.
func TestCellsUnseen(t *testing.T) {
	const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode=";;;"/></numFmts>` +
		`<fonts><font><color theme="1"/></font><font><color rgb="FFFFFFFF"/></font><font><color theme="0"/></font></fonts>` +
		`<fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF000000"/></patternFill></fill><fill><patternFill patternType="solid"><fgColor theme="4"/></patternFill></fill></fills>` +
		`<cellStyleXfs><xf fontId="1" fillId="0"/></cellStyleXfs>` +
		`<cellXfs><xf numFmtId="0" fontId="0" fillId="0"/><xf numFmtId="0" fontId="1" fillId="0"/><xf numFmtId="0" fontId="1" fillId="1"/><xf numFmtId="0" fontId="2" fillId="2"/><xf numFmtId="164" fontId="0" fillId="0"/></cellXfs>` +
		`<dxfs><dxf><font><color rgb="FFFFFFFF"/></font></dxf></dxfs></styleSheet>`
	for _, tt := range []struct {
		name, cell string
		unseen     bool
	}{
		{"no look", `<c t="inlineStr"><is><t>word</t></is></c>`, false},
		{"black on nothing", `<c s="0" t="inlineStr"><is><t>word</t></is></c>`, false},
		{"white on nothing", `<c s="1" t="inlineStr"><is><t>word</t></is></c>`, true},
		{"white on black", `<c s="2" t="inlineStr"><is><t>word</t></is></c>`, false},
		{"white on what is not known", `<c s="3" t="inlineStr"><is><t>word</t></is></c>`, false},
		{"a format that shows nothing", `<c s="4" t="inlineStr"><is><t>word</t></is></c>`, true},
		{"an empty white cell", `<c s="1"/>`, false},
		{"a look that is not there", `<c s="9" t="inlineStr"><is><t>word</t></is></c>`, false},
		{"white letters in a cell", `<c t="inlineStr"><is><r><t>wo</t></r><r><rPr><color rgb="FFFFFFFF"/></rPr><t>x</t></r><r><t>rd</t></r></is></c>`, true},
		{"the same, kept once", `<c s="0" t="s"><v>1</v></c>`, true},
		{"the same on black", `<c s="2" t="s"><v>1</v></c>`, false},
		{"another kept once", `<c s="0" t="s"><v>0</v></c>`, false},
	} {
		data := zipped.Of(
			"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="First" r:id="rId1"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="a.xml"/><Relationship Id="rId2" Type="x/sharedStrings" Target="b.xml"/><Relationship Id="rId3" Type="x/styles" Target="c.xml"/></Relationships>`,
			"xl/a.xml", `<worksheet><cols><col min="1" max="1"/><col min="2" max="3" hidden="1"/></cols><sheetData><row>`+tt.cell+`</row></sheetData></worksheet>`,
			"xl/b.xml", `<sst><si><t>word</t></si><si><r><t>wo</t></r><r><rPr><color indexed="9"/></rPr><t>x</t></r></si></sst>`,
			"xl/c.xml", styles)
		doc := &document.Document{}
		want := "[hidden columns are read, too: 1]"
		if tt.unseen {
			want = "[hidden columns are read, too: 1 cells with letters that are not seen are read, too: 1]"
		}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || fmt.Sprint(doc.Notes) != want {
			t.Errorf("%s: notes %s, %v, want %s", tt.name, doc.Notes, err, want)
		}
	}
}

func TestOpenDocumentKinds(t *testing.T) {
	slides := sample.ODF("oasis.opendocument.presentation", `<style:style style:name="h" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style><style:style style:name="w" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>`,
		`<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Head</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p><text:span text:style-name="w">white</text:span></text:p></draw:text-box></draw:frame><draw:frame presentation:class="footer"><draw:text-box><text:p>foot</text:p></draw:text-box></draw:frame>`+
			`<presentation:notes><draw:frame><draw:text-box><text:p>notes</text:p></draw:text-box></draw:frame></presentation:notes></draw:page><draw:page draw:style-name="h"><draw:custom-shape><text:p>second</text:p></draw:custom-shape></draw:page>`)
	sheets := sample.ODF("oasis.opendocument.spreadsheet", `<style:style style:name="h" style:family="table"><style:table-properties table:display="false"/></style:style>`,
		`<table:table table:name="First"><table:table-row table:visibility="collapse"><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="99999"/><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table><table:table table:name="Second" table:style-name="h"/>`)
	old := sample.ODF("sun.xml.writer", `<style:style style:name="h" style:family="text"><style:properties text:display="none"/></style:style>`, `<text:h>Head</text:h><text:p>te<text:span text:style-name="h">x</text:span>t<text:footnote><text:footnote-citation>1</text:footnote-citation><text:footnote-body><text:p>note</text:p></text:footnote-body></text:footnote></text:p>`)
	listed := zipped.Of("content.xml", `<office:document-content xmlns:office="o"><office:body><text:p>listed</text:p></office:body></office:document-content>`, "META-INF/manifest.xml", `<m><file-entry media-type="application/vnd.sun.xml.writer" full-path="/"/></m>`)
	secret := sample.ODF("oasis.opendocument.text", "", "", "META-INF/manifest.xml", `<m><file-entry full-path="content.xml"><encryption-data/></file-entry></m>`)
	tests := []struct {
		name   string
		data   []byte
		format string
		want   string
		notes  string
	}{
		{"presentation", slides, "odp", "Head\n\nwhite\n\nnotes\n\nsecond", "[hidden slides are read, too: 2]"},
		{"spreadsheet", sheets, "ods", "First\n\na\tb\n\nSecond", "[hidden sheets are read, too: Second hidden rows are read, too: 1]"},
		{"OpenOffice 1", old, "odt", "Head\n\ntet\n\nnote", "[]"},
		{"known by its list", listed, "odt", "listed", "[]"},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		err := readtest.Read(t.Context(), doc, tt.data, document.Options{})
		if got := fmt.Sprint(doc.Notes); err != nil || doc.Format != tt.format || doc.Text != tt.want || got != tt.notes {
			t.Errorf("%s: %s %q, notes %s, %v, want %q, %s", tt.name, doc.Format, doc.Text, got, err, tt.want, tt.notes)
		}
	}
	if err := readtest.Read(t.Context(), &document.Document{}, secret, document.Options{}); !errors.Is(err, document.ErrEncrypted) {
		t.Errorf("encrypted: error %v, want %v", err, document.ErrEncrypted)
	}
}

// TestPartsByRelation reads the parts that the relations name, not those with the usual names.
func TestPartsByRelation(t *testing.T) {
	const (
		types    = `<Types><Override PartName="/word/main.xml" ContentType="application/vnd.openxmlformats-officedocument.%s.main+xml"/></Types>`
		rels     = `<Relationships><Relationship Id="rId1" Type="http://x/officeDocument" Target="%s"/></Relationships>`
		body     = `<w:document><w:body><w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p><w:p><w:r><w:t>one</w:t><w:footnoteReference w:id="1"/></w:r></w:p></w:body></w:document>`
		note     = `<w:footnotes><w:footnote w:id="1"><w:p><w:r><w:t>note</w:t></w:r></w:p></w:footnote></w:footnotes>`
		styles   = `<w:styles><w:style w:type="paragraph" w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>`
		docRels  = `<Relationships><Relationship Id="r1" Type="x/footnotes" Target="%s"/><Relationship Id="r2" Type="x/styles" Target="s/styles9.xml"/></Relationships>`
		want     = "docx one\n\nnote hidden text 1 marked as hidden []"
		sheets   = `<workbook xmlns:r="r"><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`
		sheet    = `<worksheet><sheetData><row><c t="inlineStr"><is><t>cell</t></is></c></row></sheetData></worksheet>`
		slides   = `<p:presentation xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`
		listRels = `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="one.xml"/></Relationships>`
	)
	docx := func(main, footnotes string) []string {
		dir, name := path.Split(main)
		return []string{"[Content_Types].xml", fmt.Sprintf(types, "wordprocessingml.document"), "_rels/.rels", fmt.Sprintf(rels, "/"+main), main, body,
			dir + "_rels/" + name + ".rels", fmt.Sprintf(docRels, footnotes), "word/footnotes2.xml", note, dir + "s/styles9.xml", styles}
	}
	changed := func(files []string, change func(name, data string) (string, string)) []string {
		files = slices.Clone(files)
		for i := 0; i < len(files); i += 2 {
			files[i], files[i+1] = change(files[i], files[i+1])
		}
		return files
	}
	wide := func(name, data string) (string, string) { return name, "\xff\xfe" + sample.Wide(data) }
	declared := func(name, data string) (string, string) {
		return name, `<?xml version="1.0" encoding="UTF-16"?>` + data
	}
	for _, tt := range []struct {
		name  string
		files []string
		want  string
	}{
		{"Word Online", docx("word/document2.xml", "footnotes2.xml"), want},
		{"other folder", docx("doc/main.xml", "/word/footnotes2.xml"), want},
		{"beside one with the usual name", append(docx("word/document2.xml", "footnotes2.xml"), "word/document.xml", strings.ReplaceAll(body, "one", "no"), "word/footnotes.xml", strings.ReplaceAll(note, "note", "no")), want},
		{"names of Windows", changed(docx("word/document2.xml", "footnotes2.xml"), func(name, data string) (string, string) { return strings.ReplaceAll(name, "/", `\`), data }), want},
		{"targets of Windows", docx("word/document2.xml", `..\word\footnotes2.xml`), want},
		{"other case", changed(docx("word/document2.xml", "footnotes2.xml"), func(name, data string) (string, string) {
			return strings.Replace(strings.Replace(name, "word/", "Word/", 1), "[Content", "[content", 1), data
		}), want},
		{"UTF-16", changed(changed(docx("word/document2.xml", "footnotes2.xml"), declared), wide), want},
		{"missing notes", docx("word/document2.xml", "footnotes3.xml"), "docx one hidden text 1 marked as hidden [not read, although it may be shown: word/footnotes3.xml]"},
		{"workbook", []string{"[Content_Types].xml", fmt.Sprintf(types, "spreadsheetml.sheet"), "_rels/.rels", fmt.Sprintf(rels, "xl/workbook2.xml"), "xl/workbook2.xml", sheets, "xl/_rels/workbook2.xml.rels", listRels, "xl/one.xml", sheet}, "xlsx S\n\ncell  []"},
		{"presentation", []string{"[Content_Types].xml", fmt.Sprintf(types, "presentationml.slideshow"), "_rels/.rels", fmt.Sprintf(rels, "ppt/p.xml"), "ppt/p.xml", slides, "ppt/_rels/p.xml.rels", listRels, "ppt/one.xml", "<p:sld>" + sample.SlideShape("body", "slide") + "</p:sld>"}, "pptx slide  []"},
	} {
		doc := &document.Document{}
		err := readtest.Read(t.Context(), doc, zipped.Of(tt.files...), document.Options{})
		if got := fmt.Sprintf("%s %s %s %v", doc.Format, doc.Text, readtest.Flagged(doc), doc.Notes); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

// TestLabels reads labels of lists that are prose, in paragraphs with text and without, and
// reports short ones.
func TestLabels(t *testing.T) {
	numbering := func(text string) string {
		return `<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="` + text + `"/></w:lvl></w:abstractNum><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`
	}
	const item = `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p>`
	list := func(level string) string {
		return `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" ` + level + `/></text:list-style><text:outline-style><text:outline-level-style text:level="2" ` + level + `/></text:outline-style>`
	}
	const odtItem = `<text:list text:style-name="L"><text:list-item><text:p>one</text:p><text:p>two</text:p></text:list-item></text:list>`
	var short, shortItems strings.Builder
	for i := range 25 {
		word := strings.Repeat(string(rune('a'+i)), 3)
		fmt.Fprintf(&short, `<w:abstractNum w:abstractNumId="%d"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%s %%1"/></w:lvl></w:abstractNum><w:num w:numId="%d"><w:abstractNumId w:val="%d"/></w:num>`, i, word, i+1, i)
		fmt.Fprintf(&shortItems, `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="%d"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`, i+1)
	}
	for _, tt := range []struct {
		name  string
		data  []byte
		want  string
		notes string
	}{
		{"DOCX", sample.DOCX(item, "word/numbering.xml", numbering("Words of others: %1.")), "Words of others: . one", "[]"},
		{"DOCX without text", sample.DOCX(strings.Replace(item, "one", "", 1), "word/numbering.xml", numbering("Words of others")), "Words of others", "[]"},
		{"DOCX, number", sample.DOCX(item, "word/numbering.xml", numbering("Article %1.")), "one", "[1 word that may be shown is not read: <lvlText>]"},
		{"DOCX, many short labels", sample.DOCX(shortItems.String(), "word/numbering.xml", "<w:numbering>"+short.String()+"</w:numbering>"), strings.TrimSpace(strings.Repeat("x\n\n", 25)), "[25 words that may be shown are not read: <lvlText>]"},
		{"ODT", sample.ODT(list(`style:num-prefix="Words of " style:num-suffix=" others:"`), odtItem), "Words of others: one\n\ntwo", "[]"},
		{"ODT, pattern of LibreOffice", sample.ODT(list(`loext:num-list-format="Words of %1% others:"`), odtItem), "Words of others: one\n\ntwo", "[]"},
		{"ODT, heading", sample.ODT(list(`style:num-prefix="Words of others: "`), `<text:h text:outline-level="2">one</text:h><text:h text:outline-level="1">two</text:h>`), "Words of others: one\n\ntwo", "[]"},
		{"ODT, number", sample.ODT(list(`style:num-prefix="Article "`), odtItem), "one\n\ntwo", "[1 word that may be shown is not read: num-prefix]"},
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil || doc.Text != tt.want || fmt.Sprint(doc.Notes) != tt.notes {
			t.Errorf("%s: text %q, notes %v, %v, want %q, %s", tt.name, doc.Text, doc.Notes, err, tt.want, tt.notes)
		}
	}
}

// TestUnread: text in elements and parts that are not known is not read, and a note counts its
// words. Text in a diagram is read.
func TestUnread(t *testing.T) {
	const p = `<w:p><w:r><w:t>one</w:t>%s</w:r></w:p>`
	const rels = `<Relationships><Relationship Id="r1" Type="x/newKind" Target="new.xml"/><Relationship Id="r2" Type="x/diagramData" Target="d.xml"/></Relationships>`
	const diagram = `<dgm:dataModel><a:p><a:r><a:t>in a</a:t></a:r></a:p><a:p><a:r><a:t>diagram</a:t></a:r></a:p></dgm:dataModel>`
	for _, tt := range []struct {
		name, want, notes string
		data              []byte
	}{
		{"element of DOCX", "one", "[3 words that may be shown are not read: <newElement>]", sample.DOCX(fmt.Sprintf(p, "<w:newElement>words not read</w:newElement>"))},
		{"part of DOCX", "one", "[2 words that may be shown are not read: word/new.xml]", sample.DOCX(fmt.Sprintf(p, ""), "word/_rels/document.xml.rels", rels, "word/new.xml", "<w:new><w:p><w:r><w:t>new words</w:t></w:r></w:p></w:new>")},
		{"object in DOCX", "one", "[not read, although it may be shown: <OLEObject>]", sample.DOCX(fmt.Sprintf(p, `<w:object><o:OLEObject ProgID="Word.Document.12"/><o:OLEObject ProgID="Equation.3"/></w:object>`))},
		{"diagram in DOCX", "one\n\nin a diagram", "[]", sample.DOCX(fmt.Sprintf(p, `<dgm:relIds r:dm="r2"/>`), "word/_rels/document.xml.rels", rels, "word/d.xml", diagram)},
		{"element of ODT", "one", "[3 words that may be shown are not read: <new-element>]", sample.ODT("", "<text:p>one</text:p><text:new-element>words not read</text:new-element>")},
		{"document in ODT", "one", "[2 words that may be shown are not read: Object 1]", sample.ODT("", `<text:p>one<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>`,
			"Object 1/content.xml", "<office:document-content><office:text><text:p>inner words</text:p></office:text></office:document-content>")},
		{"formula in ODT", "one", "[]", sample.ODT("", `<text:p>one<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>`, "Object 1/content.xml", "<math><mi>ab</mi></math>")},
	} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, tt.data, document.Options{}); err != nil || doc.Text != tt.want || fmt.Sprint(doc.Notes) != tt.notes {
			t.Errorf("%s: text %q, notes %v, %v, want %q, %s", tt.name, doc.Text, doc.Notes, err, tt.want, tt.notes)
		}
	}
}

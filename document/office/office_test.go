package office_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
	"github.com/otisk/otisk/document/internal/sample"
	"github.com/otisk/otisk/internal/testing/zipped"
)

// TestDOCXChunks reads files that are put into a document.
func TestDOCXChunks(t *testing.T) {
	chunk := func(id string) string { return `<w:altChunk r:id="` + id + `"/>` }
	p := func(s string) string { return "<w:p><w:r><w:t>" + s + "</w:t></w:r></w:p>" }
	inner := sample.DOCX(p("of another document"))
	data := sample.DOCX(p("before")+chunk("r1")+p("between")+chunk("r2")+chunk("r1")+chunk("r3")+chunk("r4")+p("after"),
		"word/_rels/document.xml.rels", `<Relationships><Relationship Id="r1" Type="x/aFChunk" Target="a.html"/><Relationship Id="r2" Type="x/aFChunk" Target="b.docx"/>`+
			`<Relationship Id="r3" Type="x/aFChunk" Target="c.bin"/><Relationship Id="r4" Type="x/aFChunk" Target="none.txt"/></Relationships>`,
		"word/a.html", "<html><h1>Head</h1><p>of a page <span style='display:none'>hidden</span></p></html>", "word/b.docx", string(inner), "word/c.bin", "\x00\x01\x02")
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
		t.Fatal(err)
	}
	want := "before\n\nHead\n\nof a page\n\nbetween\n\nof another document\n\nafter"
	if doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
	if len(doc.Marks) != 1 || doc.Text[doc.Marks[0].Start:doc.Marks[0].End] != "Head" || len(doc.Flags) != 1 || doc.Text[:doc.Flags[0].Start] != "before\n\nHead\n\nof a page" {
		t.Errorf("marks %v, flags %v, want the heading and the hidden word of the page", doc.Marks, doc.Flags)
	}
	notes := strings.Join(doc.Notes, "; ")
	if len(doc.Notes) != 2 || !strings.Contains(notes, "word/c.bin: not text") || !strings.Contains(notes, "word/none.txt") {
		t.Errorf("notes %q, want both files that are not read", doc.Notes)
	}
	const deepest = 5 // nesting of files in a document
	deep := p("end")
	for range 8 {
		deep = string(sample.DOCX(p("level")+chunk("r1"), "word/_rels/document.xml.rels", `<Relationships><Relationship Id="r1" Type="x/aFChunk" Target="a.docx"/></Relationships>`, "word/a.docx", deep))
	}
	if err := readtest.Read(t.Context(), doc, []byte(deep), document.Options{}); err != nil || strings.Count(doc.Text, "level") != deepest+1 {
		t.Errorf("documents in documents: %q, %v, want %d levels", doc.Text, err, deepest+1)
	}
}

func TestDOCX(t *testing.T) {
	p := func(s string) string { return "<w:p>" + s + "</w:p>" }
	run := func(s string) string { return "<w:r><w:t>" + s + "</w:t></w:r>" }
	as := func(props, s string) string { return "<w:r><w:rPr>" + props + "</w:rPr><w:t>" + s + "</w:t></w:r>" }
	char := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	code := func(s string) string { return "<w:r><w:instrText>" + s + "</w:instrText></w:r>" }
	field := func(codes, result string) string {
		return char("begin") + codes + char("separate") + result + char("end")
	}
	hidden := func(at, count int, detail string) []document.Flag {
		return []document.Flag{{Kind: document.HiddenText, Start: at, End: at, Count: count, Detail: detail}}
	}
	tests := []struct {
		name, body, want string
		flags            []document.Flag
	}{
		{"paragraphs", p(run("one")) + p("") + p(run("two ")+run("th")+run("ree")), "one\n\ntwo three", nil},
		{"breaks", p("<w:r><w:t>one</w:t><w:br/><w:t>two</w:t><w:tab/><w:t>three</w:t></w:r>"), "one\ntwo three", nil},
		{"hyphens", p("<w:r><w:t>e</w:t><w:noBreakHyphen/><w:t>mail</w:t><w:softHyphen/><w:t>s</w:t></w:r>"), "e\u2011mails", nil},
		{"tracked changes", p("<w:ins>"+run("new")+"</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>") +
			p("<w:moveFrom>"+run("moved")+"</w:moveFrom>") + p("<w:moveTo>"+run("moved")+"</w:moveTo>"), "new\n\nmoved", nil},
		{"field", p("<w:r><w:instrText>PAGEREF x</w:instrText></w:r>" + run("12")), "12", nil},
		{"inside a field", p(field(code("REF x"), run("12")) + run(" of ") + field(code("IF ")+field(code("PAGE"), run("7"))+code(" = 7"), run("seven"))), "12 of seven", nil},
		{"formula of a field", p(run("one ") + char("begin") + code(` EQ \* jc2 \* "Font:MS Mincho" \* hps11 \o\ad(\s\up 10(read),word)`) + char("end") + run(" two")), "one word two", nil},
		{"text of a button", p(char("begin") + code("MACROBUTTON Name click ") + code("here") + char("end")), "click here", nil},
		{"formula of a hidden field", p(field(code("ASK Name"), char("begin")+code("EQ (word)")+char("end")) + run("one")), "one", nil},
		{"question of a field", p(field(code("ASK Name"), run("Jan")) + field(code("REF Name"), run("Jan")) + run(" wrote")), "Jan wrote", nil},
		{"field that never ends", p(char("begin")+run("no")) + p(run("one")), "one", nil},
		{"how it looked before a change", p("<w:pPr><w:pStyle w:val='Nadpis1'/><w:pPrChange><w:pPr><w:pStyle w:val='Normal'/></w:pPr></w:pPrChange></w:pPr>" +
			as("<w:rPrChange><w:rPr><w:vanish/><w:color w:val='FFFFFF'/></w:rPr></w:rPrChange>", "one")), "one", nil},
		{"initial", p("<w:pPr><w:framePr w:dropCap='drop'/></w:pPr>"+run("T")) + p(run("he harbour")) + p("<w:pPr><w:framePr w:dropCap='none'/></w:pPr>"+run("a")) + p(run("b")), "The harbour\n\na\n\nb", nil},
		{"end of a paragraph deleted", p("<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>"+run("one ")) + p(run("two")) + p(run("three")), "one two\n\nthree", nil},
		{"moved paragraph", p(run("one")) + p("<w:pPr><w:rPr><w:moveFrom/></w:rPr></w:pPr><w:moveFrom>"+run("no")+"</w:moveFrom>") + p(run("two")), "one\n\ntwo", nil},
		{"parts that belong to nothing", p("<w:smartTag><w:hyperlink>" + run("a ") + "</w:hyperlink></w:smartTag><w:proofErr/>" +
			"<w:sdt><w:sdtPr><w:t>no</w:t></w:sdtPr><w:sdtContent>" + run("b") + "</w:sdtContent></w:sdt>"), "a b", nil},
		{"table", "<w:tbl><w:tr><w:tc>" + p(run("a")) + "</w:tc><w:tc>" + p(run("b")) + p(run("c")) + "</w:tc></w:tr><w:tr><w:tc>" + p(run("d")) + "</w:tc></w:tr></w:tbl>" + p(run("e")),
			"a\tb\n\nc\nd\n\ne", nil},
		{"text box once", p(run("one")+"<mc:AlternateContent><mc:Choice><w:txbxContent>"+p(run("box"))+p(run("two"))+"</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>"+p(run("box"))+"</w:txbxContent></mc:Fallback></mc:AlternateContent>"+run(" more")) + p(run("end")),
			"one more\n\nbox\n\ntwo\n\nend", nil},
		{"hidden", p(run("one ") + as("<w:vanish/>", "secret") + run("two")), "one two", hidden(3, 6, "marked as hidden")},
		{"not hidden", p(as(`<w:vanish w:val="0"/>`, "one")), "one", nil},
		{"hidden mark of a paragraph", p("<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>" + run("one")), "one", nil},
		{"white between words", p(run("one") + as(`<w:color w:val="FFFFFF"/>`, "x") + run("two")), "one two", hidden(3, 1, "white on white")},
		{"white in the theme", p(run("one") + as(`<w:color w:val="auto" w:themeColor="background1"/>`, "x") + run("two")), "one two", hidden(3, 1, "white on white")},
		{"grey in the theme", p(as(`<w:color w:val="A6A6A6" w:themeColor="background1" w:themeShade="A6"/>`, "one")), "one", nil},
		{"only the outline of the letters is drawn", p(run("one") + as(`<w14:textOutline><w14:solidFill><w14:srgbClr w14:val="FF0000"/></w14:solidFill></w14:textOutline><w14:textFill><w14:noFill/></w14:textFill>`, " x ") + run("two")), "one x two", nil},
		{"the outline is white", p(run("one") + as(`<w14:textOutline><w14:solidFill><w14:srgbClr w14:val="FFFFFF"/></w14:solidFill></w14:textOutline><w14:textFill><w14:noFill/></w14:textFill>`, "x") + run("two")), "one two", hidden(3, 1, "white on white")},
		{"the outline is that of other letters", p(run("one") + as(`<w14:textOutline><w14:solidFill><w14:srgbClr w14:val="FF0000"/></w14:solidFill></w14:textOutline>`, " ") + as(`<w14:textFill><w14:noFill/></w14:textFill>`, "x") + run("two")), "one two", hidden(3, 1, "drawn invisibly")},
		{"inside of the letters is not drawn", p(run("one") + as(`<w14:textFill><w14:noFill/></w14:textFill>`, "x") + run("two")), "one two", hidden(3, 1, "drawn invisibly")},
		{"style of characters", p(run("one") + as(`<w:rStyle w:val="Unseen"/>`, "x") + run("two")), "one two", hidden(3, 1, "white on white")},
		{"the automatic colour in a white style", p(as(`<w:rStyle w:val="Unseen"/><w:color w:val="auto"/>`, "one")), "one", nil},
		{"the source of a formula", p(run("Here ") + as("<w:vanish/>", `{\displaystyle u\geq 1}`) + run("u ≥ 1")), "Here u ≥ 1", nil},
		{"style on a hidden style", p(run("one") + as(`<w:rStyle w:val="Child"/>`, "x") + run("two")), "onetwo", hidden(3, 1, "marked as hidden")},
		{"style that is shown again", p(as(`<w:rStyle w:val="Child"/><w:vanish w:val="0"/>`, "one")), "one", nil},
		{"style of a paragraph", p(run("one")) + p(`<w:pPr><w:pStyle w:val="Small"/></w:pPr>`+run("x")), "one", hidden(3, 1, "too small to see")},
		{"white in a table whose style has grounds", `<w:tbl><w:tblPr><w:tblStyle w:val="Grid"/></w:tblPr><w:tr><w:tc>` + p(as(`<w:color w:val="FFFFFF"/>`, "one")) + "</w:tc></w:tr></w:tbl>" +
			p(run("two")+as(`<w:color w:val="FFFFFF"/>`, "x")), "one\n\ntwo", hidden(8, 1, "white on white")},
		{"white in a text box", p("<w:r><w:txbxContent>" + p(as(`<w:color w:val="FFFFFF"/>`, "one")) + "</w:txbxContent></w:r>"), "one", nil},
		{"white on a highlight", p(as(`<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>`, "one")), "one", nil},
		{"white on a white highlight", p(run("one") + as(`<w:color w:val="FEFEFE"/><w:shd w:val="clear" w:fill="FFFFFF"/>`, "x")), "one", hidden(3, 1, "white on white")},
		{"white on black", p(`<w:pPr><w:shd w:fill="000000"/></w:pPr>` + as(`<w:color w:val="ffffff"/>`, "one")), "one", nil},
		{"white in a dark cell", "<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill='333333'/></w:tcPr>" + p(as(`<w:color w:val="ffffff"/>`, "one")) + "</w:tc></w:tr></w:tbl>", "one", nil},
		{"tiny", p(run("one") + as(`<w:sz w:val="2"/>`, "x") + run("two")), "onetwo", hidden(3, 1, "too small to see")},
		{"paragraph in a hidden style", p(`<w:pPr><w:pStyle w:val="Unseen2"/></w:pPr>` + run("x") + as(`<w:vanish w:val="0"/>`, "one")), "one", hidden(0, 1, "marked as hidden")},
		{"both styles hide it", p(`<w:pPr><w:pStyle w:val="Unseen2"/></w:pPr>` + as(`<w:rStyle w:val="Child"/>`, "one")), "one", nil},
		{"both styles and the run hide it", p(`<w:pPr><w:pStyle w:val="Unseen2"/></w:pPr>`+as(`<w:rStyle w:val="Child"/><w:vanish/>`, "x")) + p(run("one")), "one", hidden(0, 1, "marked as hidden")},
		{"raised numbers", p(run("slovo") + as(`<w:vertAlign w:val="superscript"/>`, "1") + as(`<w:rStyle w:val="Raised"/>`, "2") + run(", 10 cm") + as(`<w:vertAlign w:val="superscript"/>`, "2") + as(`<w:position w:val="6"/>`, "3") + run(" nota") + as(`<w:vertAlign w:val="superscript"/><w:position w:val="0"/>`, "4")), "slovo, 10 cm23 nota", nil},
	}
	const styles = `<w:styles><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>
		<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:rPr><w:color w:val="111111"/></w:rPr></w:style>
		<w:style w:type="character" w:styleId="Unseen"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>
		<w:style w:type="character" w:styleId="Child"><w:basedOn w:val="Parent"/></w:style>
		<w:style w:type="character" w:styleId="Parent"><w:basedOn w:val="Child"/><w:rPr><w:vanish/></w:rPr></w:style>
		<w:style w:type="paragraph" w:styleId="Unseen2"><w:rPr><w:vanish/></w:rPr></w:style>
		<w:style w:type="character" w:styleId="Raised"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>
		<w:style w:type="paragraph" w:styleId="Small"><w:basedOn w:val="Normal"/><w:rPr><w:sz w:val="2"/></w:rPr></w:style>
		<w:style w:type="table" w:styleId="Grid"><w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:val="clear" w:fill="4472C4"/></w:tcPr></w:tblStylePr></w:style></w:styles>`
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.DOCX(tt.body, "word/styles.xml", styles), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || doc.Format != "docx" || !doc.Parted {
			t.Errorf("%s: %s text %q, want docx %q", tt.name, doc.Format, doc.Text, tt.want)
		} else if !reflect.DeepEqual(doc.Flags, tt.flags) {
			t.Errorf("%s: flags %+v, want %+v", tt.name, doc.Flags, tt.flags)
		}
	}
}

func TestDOCXParts(t *testing.T) {
	body := `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>
		<w:p><w:r><w:t>one</w:t><w:footnoteReference w:id="2"/><w:t> two</w:t></w:r></w:p><w:p><w:r><w:t>three</w:t></w:r></w:p>`
	data := sample.DOCX(body,
		"word/footnotes.xml", `<w:footnotes><w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>
			<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/><w:t> See</w:t></w:r></w:p><w:p><w:r><w:t>there</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		"word/comments.xml", `<w:comments><w:comment><w:p><w:r><w:t>no</w:t></w:r></w:p></w:comment></w:comments>`,
		"docProps/core.xml", `<cp:coreProperties><dc:title>A &amp; B</dc:title><dc:creator>Jan  Novák</dc:creator></cp:coreProperties>`)
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "Head\n\none two\n\nSee\n\nthere\n\nthree"; doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
	if doc.Title != "A & B" || doc.Author != "Jan Novák" {
		t.Errorf("title %q, author %q", doc.Title, doc.Author)
	}
	readtest.Marks(t, doc, "heading: Head", "note mark: ", "footnote: See\n\nthere")
	if at := doc.Marks[1].Start; !strings.HasPrefix(doc.Text[at:], " two") {
		t.Errorf("the reference is before %q", doc.Text[at:])
	}
}

func TestODT(t *testing.T) {
	const styles = `<style:style style:name="H"><style:text-properties text:display="none"/></style:style>
		<style:style style:name="W"><style:text-properties fo:color="#FFFFFF"/></style:style>
		<style:style style:name="T"><style:text-properties fo:font-size="1pt"/></style:style>
		<style:style style:name="Dark"><style:table-cell-properties fo:background-color="#000000"/></style:style>
		<style:style style:name="P1" style:family="paragraph" style:parent-style-name="P0"/>
		<style:style style:name="P0" style:family="paragraph"><style:text-properties fo:color="#fefefe"/></style:style>
		<style:style style:name="P1" style:family="text"><style:text-properties fo:background-color="#00ff00"/></style:style>
		<style:style style:name="Auto" style:family="text"><style:text-properties fo:color="#ffffff" style:use-window-font-color="true"/></style:style>
		<style:style style:name="Narrow" style:family="text"><style:text-properties style:text-scale="1%"/></style:style>
		<style:style style:name="Up" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>
		<style:style style:name="Up2" style:family="text"><style:text-properties style:text-position="33% 58%"/></style:style>
		<style:style style:name="Clear" style:family="text"><style:text-properties loext:char-transparency="100%"/></style:style>`
	hidden := func(at int, detail string) []document.Flag {
		return []document.Flag{{Kind: document.HiddenText, Start: at, End: at, Count: 1, Detail: detail}}
	}
	tests := []struct {
		name, text, want string
		flags            []document.Flag
	}{
		{"paragraphs", "<text:p>one</text:p><text:p/><text:p>two <text:span>th</text:span>ree</text:p>", "one\n\ntwo three", nil},
		{"white space", "<text:p>one<text:s text:c='3'/>two<text:tab/>three<text:line-break/>four</text:p>", "one two three\nfour", nil},
		{"deleted", "<text:tracked-changes><text:deletion><text:p>old</text:p></text:deletion></text:tracked-changes><text:p>new</text:p>", "new", nil},
		{"annotation", "<text:p>one<office:annotation><text:p>no</text:p></office:annotation> two</text:p>", "one two", nil},
		{"nearly white by a style's parent", "<text:p>one</text:p><text:p text:style-name='P1'>x</text:p>", "one", hidden(3, "white on white")},
		{"the same on a ground", "<text:p text:style-name='P1'><text:span text:style-name='P1'>one</text:span></text:p>", "one", nil},
		{"automatic colour", "<text:p text:style-name='Auto'>one</text:p>", "one", nil},
		{"transparent", "<text:p>one<text:span text:style-name='Clear'>x</text:span>two</text:p>", "one two", hidden(3, "drawn invisibly")},
		{"hidden section", "<text:p>one</text:p><text:section text:display='none'><text:p>x</text:p></text:section>", "one", hidden(3, "marked as hidden")},
		{"text box", "<text:p><draw:frame><draw:text-box><text:p text:style-name='P0'>one</text:p></draw:text-box></draw:frame></text:p>", "one", nil},
		{"list", "<text:list><text:list-item><text:p>one</text:p></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>", "one\n\ntwo", nil},
		{"table", "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p><text:p>c</text:p></table:table-cell></table:table-row></table:table><text:p>d</text:p>",
			"a\tb\n\nc\n\nd", nil},
		{"text box", "<text:p>one<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame> two</text:p>", "one two\n\nbox", nil},
		{"hidden", "<text:p>one<text:span text:style-name='H'>x</text:span>two</text:p>", "onetwo", hidden(3, "marked as hidden")},
		{"white paragraph", "<text:p>one</text:p><text:p text:style-name='W'>x<text:span>y</text:span></text:p>", "one", []document.Flag{{Kind: document.HiddenText, Start: 3, End: 3, Count: 2, Detail: "white on white"}}},
		{"note whose number is white", "<text:p>one<text:span text:style-name='W'><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>See</text:p></text:note-body></text:note></text:span></text:p>", "one\n\nSee", nil},
		{"white in a dark cell", "<table:table-cell table:style-name='Dark'><text:p text:style-name='W'>x</text:p></table:table-cell>", "x", nil},
		{"tiny", "<text:p>one<text:span text:style-name='T'>x</text:span>two</text:p>", "onetwo", hidden(3, "too small to see")},
		{"narrow", "<text:p>one<text:span text:style-name='Narrow'>x</text:span>two</text:p>", "onetwo", hidden(3, "too narrow to see")},
		{"variable that is not shown", "<text:p>one<text:variable-set text:name='a' text:display='none'>x</text:variable-set><text:variable-set text:name='b'>two</text:variable-set></text:p>", "onetwo", hidden(3, "marked as hidden")},
		{"raised numbers", "<text:p>slovo<text:span text:style-name='Up'>1</text:span> a slovo<text:span text:style-name='Up2'>2</text:span>, 10 cm<text:span text:style-name='Up'>2</text:span></text:p>", "slovo a slovo, 10 cm2", nil},
	}
	for _, tt := range tests {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, sample.ODT(styles, tt.text), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || doc.Format != "odt" || !doc.Parted {
			t.Errorf("%s: %s text %q, want odt %q", tt.name, doc.Format, doc.Text, tt.want)
		} else if !reflect.DeepEqual(doc.Flags, tt.flags) {
			t.Errorf("%s: flags %+v, want %+v", tt.name, doc.Flags, tt.flags)
		}
	}
}

// TestFlatODT reads an OpenDocument text that is one XML file.
func TestFlatODT(t *testing.T) {
	const flat = `<?xml version="1.0"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:meta><dc:title>T</dc:title><meta:initial-creator>A</meta:initial-creator></office:meta>
<office:settings><config:config-item config:name="x">false</config:config-item></office:settings>
<office:automatic-styles><style:style style:name="H"><style:text-properties text:display="none"/></style:style></office:automatic-styles>
<office:body><office:text><text:h>Head</text:h><text:p>one<text:span text:style-name="H">no</text:span></text:p></office:text></office:body></office:document>`
	for _, ext := range []string{"fodt", "xml", "odt"} {
		doc := &document.Document{Ext: ext}
		if err := readtest.Read(t.Context(), doc, []byte(flat), document.Options{}); err != nil {
			t.Fatal(err)
		}
		if doc.Text != "Head\n\none" || doc.Format != "odt" || doc.Title != "T" || doc.Author != "A" {
			t.Errorf("%s: %s text %q, title %q, author %q", ext, doc.Format, doc.Text, doc.Title, doc.Author)
		}
	}
}

// TestODTMaster reads master documents, of LibreOffice in a zip archive and in a single file.
func TestODTMaster(t *testing.T) {
	const linked = `<text:section text:name="a"><text:section-source xlink:href="../a.odt"/></text:section>`
	const cached = `<text:section text:name="b"><text:section-source xlink:href="../b.odt"/><text:p>two</text:p></text:section>`
	flat := func(body string) []byte {
		return []byte(`<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>` + body + `</office:text></office:body></office:document>`)
	}
	for _, data := range [][]byte{sample.ODT("", "<text:p>one</text:p>"+linked+cached+linked), flat("<text:p>one</text:p>" + linked + cached + linked)} {
		doc := &document.Document{}
		if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "one\n\ntwo" || len(doc.Notes) != 1 || doc.Notes[0] != "2 included files are not read" {
			t.Errorf("text %q with notes %q, %v; want the text in the file and a note of 2 others", doc.Text, doc.Notes, err)
		}
	}
	err := readtest.Read(t.Context(), &document.Document{}, sample.ODT("", linked), document.Options{})
	if !errors.Is(err, document.ErrEmpty) || !strings.Contains(err.Error(), "links to the files") {
		t.Errorf("master document without text: %v, want that its text is in other files", err)
	}
}

func TestODTParts(t *testing.T) {
	doc := &document.Document{}
	data := sample.ODT("", `<text:h>Head</text:h><text:p>one<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>See</text:p></text:note-body></text:note> two</text:p>`,
		"meta.xml", `<office:document-meta><office:meta><dc:title>T</dc:title><meta:initial-creator>A</meta:initial-creator><dc:creator>B</dc:creator></office:meta></office:document-meta>`)
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "Head\n\none two\n\nSee"; doc.Text != want || doc.Title != "T" || doc.Author != "A" {
		t.Errorf("text %q, title %q, author %q, want %q, T, A", doc.Text, doc.Title, doc.Author, want)
	}
	readtest.Marks(t, doc, "heading: Head", "note mark: ", "footnote: See")
}

// TestNamelessStyle reads a document with a style that has no id: it is that of no text.
func TestNamelessStyle(t *testing.T) {
	data := sample.DOCX("<w:p><w:r><w:t>text</w:t></w:r></w:p>", "word/styles.xml", "<w:styles><w:style><w:name w:val='A'/><w:rPr><w:sz w:val='2'/></w:rPr></w:style></w:styles>")
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, data, document.Options{}); err != nil || doc.Text != "text" || len(doc.Flags) > 0 {
		t.Errorf("text %q, flags %v, %v", doc.Text, doc.Flags, err)
	}
}

// TestAllHidden: a document whose whole text is hidden is reported as having hidden text.
func TestAllHidden(t *testing.T) {
	err := readtest.Read(t.Context(), &document.Document{}, sample.DOCX("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>"), document.Options{})
	if want := "no text in it that is visible: 6 characters are hidden, the first marked as hidden"; !errors.Is(err, document.ErrEmpty) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestOfficeHostile(t *testing.T) {
	bomb := sample.DOCX("<w:p><w:r><w:t>" + strings.Repeat("A", 5<<20) + "</w:t></w:r></w:p>")
	good := sample.DOCX("<w:p><w:r><w:t>text</w:t></w:r></w:p>")
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"bomb", bomb, document.ErrTooLarge},
		{"cut", good[:len(good)/2], document.ErrDamaged},
		{"entities", sample.DOCX("<w:p><w:r><w:t>&lol;</w:t></w:r></w:p>"), document.ErrDamaged},
		{"deep", sample.DOCX(strings.Repeat("<w:p>", 20_000)), document.ErrDamaged},
		{"not closed", sample.DOCX("<w:p>"), document.ErrDamaged},
		{"wrongly closed", sample.DOCX("</w:body></w:document></w:p>"), document.ErrDamaged},
		{"empty", sample.DOCX("<w:p/>"), document.ErrEmpty},
		{"no content", zipped.Of("mimetype", "application/vnd.oasis.opendocument.text"), document.ErrDamaged},
		{"empty workbook", zipped.Of("xl/workbook.xml", "<a/>"), document.ErrEmpty},
		{"binary workbook", zipped.Of("xl/workbook.bin", "a"), document.ErrBinary},
	}
	for _, tt := range tests {
		if err := readtest.Read(t.Context(), &document.Document{}, tt.data, document.Options{MaxBytes: 1 << 20}); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestWord2003 reads a document of Word 2003 in XML as one of Word: runs are no paragraphs,
// properties are no text, and notes follow their paragraph.
func TestWord2003(t *testing.T) {
	const data = `<?xml version="1.0" encoding="UTF-8"?><?mso-application progid="Word.Document"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:o="urn:schemas-microsoft-com:office:office">` +
		`<o:DocumentProperties><o:Title>T</o:Title><o:Author>A</o:Author><o:Words>12</o:Words></o:DocumentProperties>` +
		`<w:styles><w:style w:type="character" w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>` +
		`<w:body><w:p><w:r><w:t>one t</w:t></w:r><w:r><w:t>wo</w:t></w:r><w:r><w:footnote><w:p><w:r><w:t>note</w:t></w:r></w:p></w:footnote></w:r></w:p><w:p><w:r><w:rPr><w:rStyle w:val="H"/></w:rPr><w:t>x</w:t></w:r><w:r><w:t>three</w:t></w:r></w:p></w:body></w:wordDocument>`
	doc := &document.Document{Ext: "xml"}
	if err := readtest.Read(t.Context(), doc, []byte(data), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "one two\n\nnote\n\nthree"; doc.Text != want || doc.Format != "docx" || doc.Title != "T" || doc.Author != "A" || readtest.Flagged(doc) != "hidden text 1 marked as hidden" || len(doc.Notes) > 0 {
		t.Errorf("%s text %q, title %q, author %q, flags %q, notes %q, want docx %q", doc.Format, doc.Text, doc.Title, doc.Author, readtest.Flagged(doc), doc.Notes, want)
	}
}

package document

import (
	"errors"
	"strings"
	"testing"

	"github.com/otisk/otisk/internal/testing/zipped"
)

func epub(t testing.TB, chapters ...string) []byte {
	manifest, spine := `<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>`, `<itemref idref="nav"/>`
	files := []string{"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>`,
		"OEBPS/nav.xhtml", "<html><body>Contents</body></html>", "OEBPS/style.css", ".unseen { color: white }"}
	for i, c := range chapters {
		id := string(rune('a' + i))
		manifest = `<item id="` + id + `" href="text/ch%20` + id + `.xhtml" media-type="application/xhtml+xml"/>` + manifest
		spine += `<itemref idref="` + id + `"/>`
		files = append(files, "OEBPS/text/ch "+id+".xhtml", c)
	}
	files = append(files, "OEBPS/content.opf", `<package><metadata><dc:title>A Book</dc:title><dc:creator>Jan Novák</dc:creator></metadata><manifest>`+
		manifest+`</manifest><spine>`+spine+`</spine></package>`)
	return zipped.Of(files...)
}

func TestEPUB(t *testing.T) {
	data := epub(t, `<?xml version="1.0"?><html><head><title/></head><body><h1>One</h1><p>first</p></body></html>`,
		`<html><body><p>second<pre>not closed</body></html>`, `<html><body><p>third  one</p></body></html>`)
	doc := &Document{}
	if err := read(t.Context(), doc, data, Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "One\n\nfirst\n\nsecond\n\nnot closed\n\nthird one"; doc.Text != want || doc.Format != "epub" {
		t.Errorf("%s text %q, want epub %q", doc.Format, doc.Text, want)
	}
	if doc.Title != "A Book" || doc.Author != "Jan Novák" {
		t.Errorf("title %q, author %q", doc.Title, doc.Author)
	}
	checkMarks(t, doc, "heading: One")
}

func TestEPUBHidden(t *testing.T) {
	data := epub(t, `<html><head><link rel="stylesheet" href="../style.css"/></head><body><p>one<b class="unseen">x</b>two</p></body></html>`,
		`<html><head><link rel="stylesheet" href="missing.css"/></head><body><p style="color:white">three</p></body></html>`)
	doc := &Document{}
	if err := read(t.Context(), doc, data, Options{}); err != nil || doc.Text != "one two\n\nthree" {
		t.Errorf("text %q, %v, want what is seen", doc.Text, err)
	}
	if len(doc.Flags) != 1 || doc.Flags[0].Detail != "white on white" || doc.Flags[0].Start != 3 {
		t.Errorf("flags %+v, want one at 3", doc.Flags)
	}
}

func TestXML(t *testing.T) {
	tests := []struct{ name, xml, want string }{
		{"TEI", `<TEI><teiHeader><titleStmt><title>T</title><author>A</author></titleStmt><p>no</p></teiHeader><text><body><div><head>One</head><p>a <hi>b</hi>c</p><p>d</p></div></body></text></TEI>`,
			"One\n\na bc\n\nd"},
		{"verse", "<TEI><lg><l>one</l><l>two</l></lg><lg><l>three</l></lg></TEI>", "one\ntwo\n\nthree"},
		{"note", "<TEI><p>one<note>see <hi>there</hi></note> two</p><p>three</p></TEI>", "one two\n\nsee there\n\nthree"},
		{"two readings", "<TEI><p><choice><sic>teh</sic><corr>the</corr></choice> <del>no</del>end</p></TEI>", "teh end"},
		{"lines and pages", "<TEI><p>one<lb/>two th<pb break='no'/>ree</p></TEI>", "one two three"},
		{"tokens", "<TEI><p><w>one</w><w>two</w><pc>.</pc></p></TEI>", "one two ."},
		{"table", "<TEI><table><row><cell>a</cell><cell>b</cell></row><row><cell>c</cell></row></table></TEI>", "a\tb\nc"},
		{"another kind", `<?xml version="1.0"?><!DOCTYPE book><book><chapter><para>a <emphasis>b</emphasis>&nbsp;c</para><para>d</para></chapter></book>`, "a b\u00a0c\n\nd"},
		{"encoding", "<?xml version='1.0' encoding='iso-8859-2'?><a>\xbelu\xbb</a>", "žluť"},
	}
	for _, tt := range tests {
		doc := &Document{Ext: "xml"}
		if err := read(t.Context(), doc, []byte(tt.xml), Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || doc.Format != "xml" {
			t.Errorf("%s: %s text %q, want xml %q", tt.name, doc.Format, doc.Text, tt.want)
		}
	}
}

func TestXMLParts(t *testing.T) {
	doc := &Document{}
	if err := read(t.Context(), doc, []byte(`<TEI><teiHeader><title>T</title><title>U</title><author>A</author></teiHeader><div><head>One</head><p>a<note>n</note></p></div></TEI>`), Options{}); err != nil {
		t.Fatal(err)
	}
	if doc.Title != "T" || doc.Author != "A" {
		t.Errorf("title %q, author %q, want T, A", doc.Title, doc.Author)
	}
	checkMarks(t, doc, "heading: One", "footnote: n")
}

func TestXMLHostile(t *testing.T) {
	bomb := `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>`
	for name, data := range map[string]string{
		"bomb": bomb, "deep": "<TEI>" + strings.Repeat("<p>", 20_000), "cut": "<TEI><p>text", "closed twice": "<TEI></TEI></TEI>",
	} {
		if err := read(t.Context(), &Document{Ext: "xml"}, []byte(data), Options{}); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: error %v, want %v", name, err, ErrDamaged)
		}
	}
}

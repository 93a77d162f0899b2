package tei_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/otisk/otisk/document"
	"github.com/otisk/otisk/document/internal/readtest"
)

func TestXML(t *testing.T) {
	tests := []struct{ name, xml, want string }{
		{"TEI", `<TEI><teiHeader><titleStmt><title>T</title><author>A</author></titleStmt><p>no</p></teiHeader><text><body><div><head>One</head><p>a <hi>b</hi>c</p><p>d</p></div></body></text></TEI>`,
			"One\n\na bc\n\nd"},
		{"verse", "<TEI><lg><l>one</l><l>two</l></lg><lg><l>three</l></lg></TEI>", "one\ntwo\n\nthree"},
		{"note", "<TEI><p>one<note>see <hi>there</hi></note> two</p><p>three</p></TEI>", "one two\n\nsee there\n\nthree"},
		{"two readings", "<TEI><p><choice><sic>teh</sic><corr>the</corr></choice> <del>no</del>end</p></TEI>", "teh end"},
		{"apparatus", "<TEI><p>a <app><lem>lemma</lem><rdg>other</rdg></app> <app><rdg>first</rdg><rdg>second</rdg></app> b</p></TEI>", "a lemma first b"},
		{"entities", `<?xml version="1.0"?><!DOCTYPE TEI [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><TEI><p>&c; Marks & Spencer &eacute;</p></TEI>`, "&c; Marks & Spencer é"},
		{"lines and pages", "<TEI><p>one<lb/>two th<pb break='no'/>ree</p></TEI>", "one two three"},
		{"tokens", "<TEI><p><w>one</w><w>two</w><pc>.</pc></p></TEI>", "one two ."},
		{"table", "<TEI><table><row><cell>a</cell><cell>b</cell></row><row><cell>c</cell></row></table></TEI>", "a\tb\nc"},
		{"another kind", `<?xml version="1.0"?><!DOCTYPE book><book><chapter><para>a <emphasis>b</emphasis>&nbsp;c</para><para>d</para></chapter></book>`, "a b\u00a0c\n\nd"},
		{"styles of EndNote", `<?xml version="1.0"?><xml><titles><title><style face="normal">On </style><style face="italic">birds</style></title></titles><style>no</style></xml>`, "On birds"},
		{"XML 1.1", `<?xml version="1.1" encoding="utf-8"?><a><p>one</p><p>two</p></a>`, "one\n\ntwo"},
		{"abstract in the header", `<TEI><teiHeader><profileDesc><abstract><p>In <hi>short</hi>.</p></abstract><p>no</p></profileDesc><title>no</title></teiHeader><text><p>a</p></text></TEI>`, "In short.\n\na"},
		{"values in a row", `<?xml version="1.0"?><a><surname>Novák</surname><name>Jan</name> <date>1</date>. <hi>d</hi><hi>e</hi><name>f</name>ův</a>`, "Novák Jan 1. defův"},
		{"a cell of Excel 2003", `<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Cell><ss:Data xmlns="http://www.w3.org/TR/REC-html40">one <B>bo<Font>l</Font></B>d<I> word</I></ss:Data></Cell></Workbook>`, "one bold word"},
		{"encoding", "<?xml version='1.0' encoding='iso-8859-2'?><a>\xbelu\xbb</a>", "žluť"},
	}
	for _, tt := range tests {
		doc := &document.Document{Ext: "xml"}
		if err := readtest.Read(t.Context(), doc, []byte(tt.xml), document.Options{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if doc.Text != tt.want || doc.Format != "xml" {
			t.Errorf("%s: %s text %q, want xml %q", tt.name, doc.Format, doc.Text, tt.want)
		}
	}
}

func TestXMLParts(t *testing.T) {
	doc := &document.Document{}
	if err := readtest.Read(t.Context(), doc, []byte(`<TEI><teiHeader><title>T</title><title>U</title><author>A</author></teiHeader><div><head>One</head><p>a<note>n</note></p></div></TEI>`), document.Options{}); err != nil {
		t.Fatal(err)
	}
	if doc.Title != "T" || doc.Author != "A" {
		t.Errorf("title %q, author %q, want T, A", doc.Title, doc.Author)
	}
	readtest.Marks(t, doc, "heading: One", "note mark: ", "footnote: n")
}

func TestXMLHostile(t *testing.T) {
	for name, data := range map[string]string{
		"deep": "<TEI>" + strings.Repeat("<p>", 20_000), "cut": "<TEI><p>text", "closed twice": "<TEI></TEI></TEI>",
	} {
		if err := readtest.Read(t.Context(), &document.Document{Ext: "xml"}, []byte(data), document.Options{}); !errors.Is(err, document.ErrDamaged) {
			t.Errorf("%s: error %v, want %v", name, err, document.ErrDamaged)
		}
	}
}

// TestEntities bounds what entities of a document make.
func TestEntities(t *testing.T) {
	text := `<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "x" [<!ENTITY a "` + strings.Repeat("long ", 40) + `">]><article><para>` + strings.Repeat("&a;", 100_000) + "</para></article>"
	if err := readtest.Read(t.Context(), &document.Document{}, []byte(text), document.Options{MaxBytes: 1 << 20}); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("error %v, want %v", err, document.ErrTooLarge)
	}
}

// TestRaised: raised numbers of notes are left out in all dialects.
func TestRaised(t *testing.T) {
	for _, tt := range []struct{ ext, data string }{
		{"jats", `<article dtd-version="1.2"><body><p>slovo<xref ref-type="fn" rid="f">1</xref>, slovo<sup>2</sup> <bold>dva</bold></p></body></article>`},
		{"jats", `<article dtd-version="1.2"><body><p>slovo<xref ref-type="bibr" rid="b">1</xref>, slovo<xref ref-type="table-fn">2</xref> <bold>dva</bold></p></body></article>`},
		{"fb2", `<FictionBook><body><p>slovo<a type="note">1</a>, slovo<a type="note">[2]</a> dva</p></body></FictionBook>`},
		{"xml", `<TEI><text><p>slovo<ref type="noteref">1</ref>, slovo<ref target="#n">2</ref> <ref>dva</ref></p></text></TEI>`},
		{"docbook", `<article xmlns="http://docbook.org/ns/docbook"><para>slovo<superscript>1</superscript>, slovo<superscript>2</superscript> dva</para></article>`},
		{"xml", `<TEI><text><p>slovo<hi rend="superscript">1</hi>, slovo<hi rend="sup">2</hi> dva</p></text></TEI>`},
	} {
		doc := &document.Document{Ext: tt.ext}
		if err := readtest.Read(t.Context(), doc, []byte(tt.data), document.Options{}); err != nil || doc.Text != "slovo, slovo dva" {
			t.Errorf("%s: text %q, %v, want %q", tt.ext, doc.Text, err, "slovo, slovo dva")
		}
	}
}
